"""Predications of a sentence, for guards: where one ends and the next begins.

Not the clauses into which claims are split: these may be fragments ("never sitting down"), need no
standing of their own, and are cut so that a negation or a "maybe" does not reach over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from memguard.grounding.reading import lexicon
from memguard.grounding.reading.words import Word, words


@dataclass(frozen=True, slots=True)
class Predication:
    """Words ``start`` to ``end`` (half-open indexes into ``words(text)``).

    Attributes:
        start: Index of its first word.
        end: Index after its last word.
        opener: The conjunction that opens it, case-folded; "" without one.
        is_fragment: Whether it has no verb.
        is_order: Whether it is an imperative.
        is_question: Whether it asks by its word order ("have you noticed any swelling").
    """

    start: int
    end: int
    opener: str
    is_fragment: bool
    is_order: bool
    is_question: bool


_STRONG = frozenset('.!?;:—–()\n"“”•|')
OPENERS = frozenset(
    "but because since although though however if when whenever while until till unless before after "
    "so which "
    "who whom where whereas except once provided assuming despite instead rather than then why how whether "
    "what".split()
)
_COMPLEMENT = frozenset(
    "say tell think believe deny know sure report confirm mention hope see mean note state claim agree guess "
    "suspect assume feel find show suggest remember notice explain warn promise worry add decide "
    "assure guarantee inform convince".split()
)
SUBJECTS = frozenset("i you he she it we they there this that who which".split())
AUXILIARIES = frozenset(
    "am is are was were be been has have had do does did will would shall should can could may might must "
    "cannot ca wo".split()
)
_BEFORE_NOUN = frozenset(
    "a an the this that these those my your his her its our their no any some each every of in on at "
    "for with "
    "from by into about as and".split()
)
_FILLERS = frozenset("okay ok so and alright well um uh but now then oh right please just".split())


def is_verb(found: Sequence[Word], at: int, start: int) -> bool:
    """Tell whether a word looks like a verb where it stands."""
    word = found[at]
    if word.is_name or not word.lower.isalpha():
        return False
    before = found[at - 1] if at > start else None
    after_determiner = before is not None and (
        before.lower in _BEFORE_NOUN or before.text.lower().endswith(("'s", "’s"))
    )
    if after_determiner:
        return False
    if word.lower.endswith(("ed", "ing")) and word.lemma != word.lower:
        return True
    if before is not None and before.lower in _ADVERBS and at - 1 > start:
        before = found[at - 2]
    if before is not None and (
        before.is_name or before.lower in SUBJECTS or before.lower in AUXILIARIES or before.lower == "to"
    ):
        agrees = not before.is_name or word.lower != word.lemma
        return agrees and lexicon.can_be(word.lemma, "v")
    return lexicon.part_of(word.lemma) == "v"


_ADVERBS = frozenset("still also never always now just already often not only ever usually sometimes".split())


@lru_cache(maxsize=32_768)
def predications_of(text: str) -> tuple[Predication, ...]:
    """Return the predications of a text in order; none for text without words."""
    found = words(text)
    if not found:
        return ()
    cuts = [(0, found[0].lower if found[0].lower in OPENERS else "")]
    for at in range(1, len(found)):
        opener = _cut(text, found, at, cuts[-1][0])
        if opener is not None:
            cuts.append((at, opener))
    ends = [at for at, _ in cuts[1:]] + [len(found)]
    return tuple(_predication(found, at, end, opener) for (at, opener), end in zip(cuts, ends, strict=True))


def _predication(found: Sequence[Word], start: int, end: int, opener: str) -> Predication:
    fragment = not any(_is_finite(found, at, start) for at in range(start, end))
    first = start
    while first < end and found[first].lower in _FILLERS:
        first += 1
    order = opener not in OPENERS - {"so", "then"} and _orders(found, first, end)
    return Predication(start, end, opener, fragment, order, _asks(found, first, end, fragment))


def _orders(found: Sequence[Word], first: int, end: int) -> bool:
    if first >= end:
        return False
    word = found[first]
    if word.is_negated and word.lower == "do":
        return True
    bare = word.lower == word.lemma and not word.is_stop and lexicon.part_of(word.lemma) == "v"
    after = found[first + 1] if first + 1 < end else None
    if not bare or after is None:
        return bare
    return after.lower not in AUXILIARIES and not is_verb(found, first + 1, first)


def _asks(found: Sequence[Word], first: int, end: int, fragment: bool) -> bool:
    if first + 1 >= end:
        return False
    one, two = found[first].lower, found[first + 1].lower
    if one == "any":
        return fragment
    if one in {"how", "what"} and two == "about":
        return True
    asked = _ASKED_OF if one in AUXILIARIES else _ADDRESSED
    return any(
        found[i].lower in AUXILIARIES and found[i + 1].lower in (asked if i == first else _ADDRESSED)
        for i in range(first, end - 1)
    )


_ASKED_OF = frozenset("i you he she it we they there anyone anybody this".split())
_ADDRESSED = frozenset("you there anyone anybody".split())


def _cut(text: str, found: Sequence[Word], at: int, start: int) -> str | None:
    """Return the opener of the predication that begins at this word; None where none begins."""
    word, before = found[at], found[at - 1]
    gap = text[before.end : word.start]
    if any(c in _STRONG for c in gap) or " - " in gap:
        return word.lower if word.lower in OPENERS else ""
    if word.lower == "than" and before.lower == "rather":
        return None
    if word.lower in OPENERS:
        return word.lower
    if word.lower == "that" and before.lower not in _BEFORE_NOUN:
        relative = at + 1 < len(found) and found[at + 1].lower in AUXILIARIES and not before.is_stop
        if relative:
            return "which"
        if any(found[i].lemma in _COMPLEMENT for i in range(start, at)):
            return "that"
    if word.lower in _PERSONS and _runs_on(found, at, start):
        return "that" if before.lemma in _COMPLEMENT else ""
    if "," in gap or before.lower in {"and", "then"}:
        if word.lower == "not":
            return ""
        if word.lower in {"and", "or"}:
            return None
        return "" if _begins(text, found, at, start) else None
    return "" if before.lower == "or" and word.lower in SUBJECTS else None


_PERSONS = frozenset("i he she we they you".split())


def _runs_on(found: Sequence[Word], at: int, start: int) -> bool:
    """Tell whether a second subject and verb follow without any mark between: "I had none I have pain"."""
    if at + 1 >= len(found) or found[at - 1].lower in AUXILIARIES or not found[at - 1].text.isalpha():
        return False
    own = "'" in found[at].text or "’" in found[at].text or _is_finite(found, at + 1, at)
    return own and any(_is_finite(found, i, start) for i in range(start, at))


_LONGEST = 60  # words that are looked back for a verb


def _begins(text: str, found: Sequence[Word], at: int, start: int) -> bool:
    """Tell whether a predication of its own begins here: a subject and a verb, or a verb after a verb."""
    looks_like_one = is_verb(found, at, at) and not found[at].lower.endswith("ing")
    had_verb = any(_is_finite(found, i, start) for i in range(max(start, at - _LONGEST), at))
    if had_verb and looks_like_one:
        return True
    for i in range(at, min(at + 8, len(found))):
        if i > at and any(c in _STRONG or c == "," for c in text[found[i - 1].end : found[i].start]):
            return False
        if found[i].lower in OPENERS or (i > at and found[i].lower in {"and", "or"}):
            return False
        if _is_finite(found, i, at):
            return True
    return False


def _is_finite(found: Sequence[Word], at: int, start: int) -> bool:
    word = found[at]
    if word.lower in AUXILIARIES or word.is_negated:
        return True
    ending = word.text.lower().replace("’", "'")
    if word.lower in SUBJECTS and ending.endswith(("'s", "'re", "'m", "'ve", "'ll", "'d")):
        return True
    to_before = at > start and found[at - 1].lower == "to"
    return is_verb(found, at, start) and not word.lower.endswith("ing") and not to_before
