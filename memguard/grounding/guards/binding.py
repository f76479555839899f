"""What a figure belongs to: the words of its clause, then those of its sentence.

A number or a date says nothing alone; "6 devices" of the Family plan is not "6 devices" of Solo.
Two figures are of the same thing as far as the words around them are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from memguard.grounding.inquiry import Inquiry
from memguard.grounding.reading.units import units_named
from memguard.grounding.reading.words import Word, key_of, words
from memguard.grounding.sources import Source

_SPLIT = re.compile(
    r",(?!\d)|[;()\n{}\[\]]|:(?!\d)|\.+(?=\s)|…|[!?]+|\s[—–-]\s|—"
    r"|\b(?:and|but|while|whereas|instead\s+of|rather\s+than|versus|vs"
    r"|although|though|because|so|then|plus|minus|before|after|when|where|which|who)\b",
    re.IGNORECASE,
)
_NUMBERS = frozenset(
    "two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand "
    "million half dozen".split()
)
_FIGURE = re.compile(
    rf"\d|\b(?:{'|'.join(sorted(_NUMBERS - {'half'}))}"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|yesterday)\b",
    re.IGNORECASE,
)
_HARD = re.compile(
    r"(?:[;.!?\n]|\b(?:but|while|whereas|instead\s+of|rather\s+than|versus|vs|although|though))$",
    re.IGNORECASE,
)
_ITEM = re.compile(r"\s*(?:\d+[.)]|[-*•])\s")
_NAME_WEIGHT = 2.0
_WIDE = 0.5
_WIDE_NAME = 1.5
_OUTSIDE = 0.3
_OUTSIDE_NAME = 1.0
_TERSE = 3
_LEAD = 1.2
_LEAD_BY_NAME = 0.9
_LEAD_APART = 0.5


@dataclass(frozen=True, slots=True)
class Context:
    """The words around a figure, by their keys; numbers left out.

    Attributes:
        near: Those of its clause.
        wide: Those of its sentence.
        names: The names among them.
        has_own: Whether its own clause has words; else ``near`` are those of the clause before.
    """

    near: frozenset[str]
    wide: frozenset[str]
    names: frozenset[str]
    has_own: bool = True

    def without(self, keys: frozenset[str]) -> Context:
        """Return it without some words: who speaks is in every sentence and tells nothing apart."""
        return Context(self.near - keys, self.wide - keys, self.names - keys, self.has_own)


@lru_cache(maxsize=16_384)
def _clauses(text: str) -> tuple[tuple[int, int], ...]:
    cuts = [0, *(match.end() for match in _SPLIT.finditer(text)), len(text)]
    return tuple((a, b) for a, b in pairwise(cuts) if b > a)


@lru_cache(maxsize=16_384)
def _around(text: str) -> tuple[Word, ...]:
    """Return the words that tell what a figure belongs to: no numbers, units or function words."""
    return tuple(
        w
        for w in words(text)
        if not (w.is_stop or w.is_number or units_named(w.lower) or w.lower in _NUMBERS)
    )


def _is_open(text: str, clauses: Sequence[tuple[int, int]], i: int) -> bool:
    """Tell whether the cut before clause ``i`` lets words through: a comma does, "but" does not."""
    return not _HARD.search(text[max(0, clauses[i][0] - 12) : clauses[i][0]])


def _keys(found: Iterable[Word]) -> frozenset[str]:
    keys: set[str] = set()
    for word in found:
        keys.add(word.key)
        if "_" in word.text:
            keys.update(key_of(part) for part in word.text.split("_") if part)
    return frozenset(keys)


@lru_cache(maxsize=64)
def names_of(speakers: tuple[str, ...]) -> frozenset[str]:
    """Return the keys of the words in the names of who speaks."""
    return frozenset(w.key for speaker in speakers for w in words(speaker))


@lru_cache(maxsize=32_768)
def context(text: str, start: int, end: int) -> Context:
    """Return the words around ``text[start:end]``, its own left out.

    A clause reaches as far as no other figure competes for the words, back rather than ahead:
    "a hob, bought by Kasper and Marit, for 480 euros" is one.
    """
    outside = [w for w in _around(text) if w.end <= start or w.start >= end]
    clauses = _clauses(text)
    inside = [i for i, (a, b) in enumerate(clauses) if a < end and start < b]
    near: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    if inside:
        first, last = inside[0], inside[-1]
        while first > 0 and _is_open(text, clauses, first) and not _FIGURE.search(text, *clauses[first - 1]):
            first -= 1
        if not any(_FIGURE.search(text, *clause) for clause in clauses[last + 1 :]):
            while last + 1 < len(clauses) and _is_open(text, clauses, last + 1):
                last += 1
        low, high = clauses[first][0], clauses[last][1]
        own = _keys(w for w in outside if w.start >= low and w.end <= high)
        near = own
        while not near and first > 0:
            first -= 1
            low = clauses[first][0]
            near = _keys(w for w in outside if w.start >= low and w.end <= high)
    names = _keys(w for w in outside if w.is_name)
    return Context(near, _keys(outside), names, has_own=bool(own))


@dataclass(frozen=True, slots=True)
class Tie:
    """How far two figures seem to be of the same thing.

    Attributes:
        strength: A weighted count of the shared words: clause by clause they weigh most, names double.
        shared: The words of the claim's clause that the source's sentence, or what is beside it, holds.
        tight: Those that its clause holds.
        names: The names of the claim that the source's sentence holds.
        near: The words of the source's clause.
    """

    strength: float
    shared: frozenset[str]
    tight: frozenset[str]
    names: frozenset[str]
    near: frozenset[str]


def tie(claim: Context, source: Context, beside: frozenset[str] = frozenset()) -> Tie:
    """Compare the words around two figures; ``beside`` are words of what the source answers."""
    total = 0.0
    for key in claim.near:
        if key in source.near:
            total += _NAME_WEIGHT if key in claim.names else 1.0
        elif key in source.wide or key in beside:
            total += _WIDE_NAME if key in claim.names else _WIDE
    for key in claim.wide - claim.near:
        if key in source.near or key in source.wide:
            total += _OUTSIDE_NAME if key in claim.names else _OUTSIDE
    shared = claim.near & (source.wide | beside)
    return Tie(total, shared, claim.near & source.near, claim.names & (source.wide | beside), source.near)


def is_ahead(rival: Tie, best: Tie, *, one_sentence: bool, is_later: bool = False) -> bool:
    """Tell whether a rival is clearly more of the claim's thing than the best equal figure.

    It must hold a word of the claim that the equal one lacks, and lead by more than chance: by one
    word if that is a name, or if the equal one stands in a clause of its own about something else.
    A terse equal one ("Day 26.") says too little of its thing to lose it, and what was said later
    (``is_later``) may be a correction.
    """
    if not (rival.tight - best.tight if one_sentence else rival.shared - best.shared):
        return False
    if len(best.near) < 2 and not one_sentence:
        return False
    if one_sentence and best.tight < rival.tight:
        return True
    lead = rival.strength - best.strength - (1.0 if is_later and best.shared else 0.0)
    if rival.names - best.names and not best.names - rival.names and not (is_later and best.names):
        return lead >= _LEAD_BY_NAME
    if rival.tight and not best.tight and best.near:
        return lead >= _LEAD_APART
    return lead >= _LEAD and rival.strength >= 1.5 * best.strength


def surroundings(inquiry: Inquiry, *, past_figures: bool) -> dict[int, frozenset[str]]:
    """Return, by sentence number, the words that a sentence borrows from the one before.

    It borrows within its turn, or when it is terse ("Forty."); ``past_figures`` tells whether also
    from a sentence with a figure of its own.
    """
    found: dict[int, frozenset[str]] = {}
    before: Source | None = None
    for source in inquiry.in_order:
        beside: frozenset[str] = frozenset()
        if before is not None and before.number == source.number - 1 and not _ITEM.match(source.text):
            terse = len(_around(source.text)) < _TERSE
            close = before.turn == source.turn and (past_figures or not _FIGURE.search(before.text))
            beside = _keys(_around(before.text)) if terse or close else frozenset()
        found[source.number] = beside
        before = source
    return found


def question_before(source: Source, ordered: Sequence[Source]) -> str:
    """Return the text of the sentence right before if another turn asked it, else nothing."""
    for other in ordered:
        if (
            other.number == source.number - 1
            and other.turn != source.turn
            and other.text.rstrip().endswith("?")
        ):
            return other.text
    return ""
