"""Carriers: the shortest verbatim clauses that state a fact, and the question that an answer needs.

A span is chosen and nothing is rewritten: fillers at its start and courtesies at its end are left
out, a sentence is cut where a clause stands alone, a fragment takes the sentence before it along.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from memguard.facts.governors import announces_only, may_part
from memguard.facts.medical import is_reaction_to
from memguard.facts.units import Unit
from memguard.grounding.claims.clauses import clauses
from memguard.grounding.claims.kinds import ClaimKind
from memguard.grounding.reading.measures import quantities
from memguard.grounding.reading.names import names
from memguard.grounding.reading.tags import FINITE, tagged
from memguard.grounding.reading.words import content_words, words
from memguard.messages import SourceSpan

_FILLER = re.compile(
    r"(?:(?:oh|ooh|ah|aha|u+m+|u+h+|uhh|er+|well|so(?! far)|and|but|ok|okay|k|right|hm+|now|also"
    r"|actually|honestly|hi|hello|hey"
    r"|(?:good )?morning|thanks|thank you|sorry|btw|anyway|look|listen|i mean|you know"
    r"|to be honest|fair point|got it"
    r"|perfect|great|good|cool|nice|understood|sure|alright|all right|of course|yeah|yep|yes"
    r"|hang on|hold on|hmm|true|ha"
    r"|sort of|kind of|like|just|then again|one more thing|by the way|please"
    r"|basically|while i remember|before i forget|for the record|to be fair|as i said"
    r"|for the list|one thing|small correction|good news"
    r"|\[(?:unintelligible|inaudible)\])(?![\w'’-])[\s,.!:;…–—-]*)",
    re.IGNORECASE,
)
"""One filler; what follows it is looked at again."""
_INVERTED = re.compile(
    r"\b(?:(?:do|did|does|have|has|had|is|are|was|were|can|could|would|will|shall"
    r"|should) (?:you|your|there|the|it|he|she|they|we|i|this|that|any\w*)"
    r"|any|what|when|where\w*|which|who|how)\b",
    re.IGNORECASE,
)
"""Where a question begins inside a long run of speech."""
_LONG_QUESTION, _SHORT_QUESTION = 10, 4  # words
_NO = re.compile(
    r"(?:no|nope|nah)[,.!]\s+(?=.*\b(?:no|not|never|n['’]t|nothing|none)\b|.*n['’]t\b)", re.IGNORECASE
)
_TRAILER = re.compile(
    r"(?:[\s,.!;:…–—-]*\b(?:please|thanks|thank you|you know|yeah|lol|haha|though|honestly|really|actually"
    r"|so yeah|or something|or anything|and (?:stuff|all that)|yep|yes|um+|uh+|and|but|because|cause)\b"
    r"|\s*[,.!;:…–—-]+\s*(?:sorry|ok|okay|right|mind)\b)*[\s,.!;:…–—-]*$",
    re.IGNORECASE,
)
"""What ends a piece and says nothing; "right" behind a mark alone: "if that is right" ends otherwise."""
_POINTING = frozenset(
    "it that this they he she these those them its it's that's they're he's she's there's"
    " both neither".split()
)
_MAKE_IT = re.compile(r"(?:make|set|setting|call|put|change|changed) (?:it|that)\b", re.IGNORECASE)
_ANNOUNCES = re.compile(
    r"[^:\n\d]{2,60}(?:(?<!\d):(?!\d)|\s[:;]-?\)(?:\s+hey)?)\s+|[^.\n\d]{2,60}\.\.+\s+(?=\w)", re.IGNORECASE
)
_DONE = re.compile(
    r"\W*(?!noted|saved|updated|changed)(?:\w+ed|paid|bought|sent|sold|done|built|made|found"
    r"|left|out|in|back)\W*$",
    re.IGNORECASE,
)
"""What announces and says itself what was done: "Paid: four places"."""
_SPLICE = re.compile(
    r",\s+(?:and |but |so )?(?=(?:i|he|she|it|they|we|you|that|there)(?:['’]\w+)?\s)", re.IGNORECASE
)
_OPENS_CONDITION = re.compile(
    r"\W*(?:and |but |so |or )?(?:if|when|once|unless|until|while|as|since|because|although"
    r"|though|whatever|before|after)\b",
    re.IGNORECASE,
)
_STAYS_OPEN = re.compile(
    r"\b(?:like|that|if|as|because|than|whether|how|what|or|to|of|for|with)\W*$"
    r"|(?:n['’]t|\bnot|\bnever)\s+(?:\w+\s+)?(?:say|said|tell|told|think|thought|mean|meant|mention|mentioned"
    r"|believe|claim|claimed)\b",
    re.IGNORECASE,
)
"""What takes the clause behind it along: "you didn't say that, um, you had problems" denies the problems."""
_SHORTEST = 3  # words on each side of a comma
_LONG = 12
"""Words from which on a sentence is cut into its clauses."""
_LONGEST_CONTEXT = 26
"""Words of a sentence that is still worth repeating before another."""
_FEW = 2
_RICH = 4
"""Content words with which a clause is understood even if its pronoun points back."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A clause or sentence that can carry facts.

    Attributes:
        unit: The unit that it is cut from.
        start: Offset of its first character in the unit.
        end: Offset after its last.
        index: Zero-based place among the pieces of its unit.
    """

    unit: Unit
    start: int
    end: int
    index: int = 0

    @property
    def text(self) -> str:
        """What it says, verbatim."""
        return self.unit.text[self.start : self.end]

    @property
    def span(self) -> SourceSpan:
        """Where it stands."""
        return self.unit.at(self.start, self.end)


def pieces_of(unit: Unit) -> tuple[Piece, ...]:
    """Return the pieces of a unit in order, without fillers; one for a unit that is not cut."""
    spans = ((0, len(unit.text)),) if unit.is_machine else _cut(unit.text)
    pieces: list[Piece] = []
    for start, end in spans:
        first, last = trimmed(unit.text, start, end) if not unit.is_machine else (start, end)
        pieces.append(Piece(unit, first, last, len(pieces)))
    return tuple(pieces)


@lru_cache(maxsize=16_384)
def _cut(text: str) -> tuple[tuple[int, int], ...]:
    found: list[tuple[int, int]] = []
    for start, end in _announced(text):
        if len(text[start:end].split()) < _LONG:
            found += _spliced(text, start, end)
            continue
        first = len(found)
        for clause in clauses(text[start:end]):
            right = text[start + clause.start : start + clause.end]
            if len(found) > first and (
                clause.carry is not None or not may_part(text[slice(*found[-1])], right)
            ):
                found[-1] = (found[-1][0], start + clause.end)
            else:
                found.append((start + clause.start, start + clause.end))
        found[first:] = [part for s, e in found[first:] for part in _spliced(text, s, e)]
    return tuple(found)


def _announced(text: str) -> list[tuple[int, int]]:
    """Cut off what only announces the rest: "Noted:", "before you start:", an aside that ends in dots."""
    mark = _ANNOUNCES.match(text)
    if (
        mark is None
        or _DONE.match(mark.group())
        or not announces_only(mark.group())
        or len(text[mark.end() :].split()) <= _FEW
        or names(mark.group())
        or quantities(mark.group())
    ):
        return [(0, len(text))]
    return [(mark.end(), len(text))]


def _spliced(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Cut where a comma alone stands between two sentences ("He charged 745, he knocked a bit off")."""
    parts: list[tuple[int, int]] = []
    first = start
    for mark in _SPLICE.finditer(text, start, end):
        left, right = text[first : mark.start()].split(), text[mark.end() : end].split()
        if (
            len(left) >= _SHORTEST <= len(right)
            and not _OPENS_CONDITION.match(text, first)
            and not _STAYS_OPEN.search(text, first, mark.start())
            and may_part(text[first : mark.start()], text[mark.end() : end])
            and _is_clause(text[first : mark.start()])
        ):
            parts.append((first, mark.start()))
            first = mark.end()
    return [*parts, (first, end)]


def _is_clause(text: str) -> bool:
    return any(token.tag in FINITE for token in tagged(text))


@lru_cache(maxsize=32_768)
def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return ``text[start:end]`` without fillers at its start and courtesies at its end.

    A "no" at the start stays unless another denial follows; at least two words stay.
    """
    first, last = start, end
    while match := _FILLER.match(text, first, last) or _NO.match(text, first, last):
        if match.end() == first or not _says_enough(text[match.end() : last]):
            break
        first = match.end()
    trailer = _TRAILER.search(text, first, last)
    if trailer and "?" not in trailer.group() and len(text[first : trailer.start()].split()) >= _FEW:
        last = trailer.start()
    while first < last and text[first] in " \t\n,.;:!–—-*•":
        first += 1
    return first, last


def _says_enough(rest: str) -> bool:
    return len(rest.split()) >= _FEW or bool(content_words(rest))


def question_of(piece: Piece) -> Piece:
    """Return the question at the end of a piece, without what leads up to it."""
    text = piece.text
    if len(text.split()) <= _LONG_QUESTION:
        return piece
    for match in reversed(list(_INVERTED.finditer(text))):
        rest = text[match.start() :]
        if len(rest.split()) >= _SHORT_QUESTION and len(content_words(rest)) >= _FEW:
            return replace(piece, start=piece.start + match.start())
    return piece


@lru_cache(maxsize=32_768)
def leans(text: str) -> bool:
    """Tell whether a piece needs what stands before it: it opens with a pronoun or is a fragment."""
    found = words(text)
    if not found:
        return True
    opening = {found[0].lower, found[0].text.casefold().replace("’", "'")}
    telling = [w for w in content_words(text) if not w.is_number]
    if opening & _POINTING or _MAKE_IT.match(text):
        return len(telling) < _RICH
    return len(telling) < _FEW


def backed(
    piece: Piece, before: Sequence[Piece], asked: Piece | None
) -> tuple[SourceSpan, SourceSpan | None]:
    """Return the carrier of a piece and its context: the piece before it, or what its message replies to.

    Args:
        piece: The piece that holds the facts.
        before: The pieces before it in its message, in order.
        asked: The question that its message answers, or what it replies to, if anything.
    """
    span = piece.span
    if before and not piece.unit.is_machine and is_reaction_to(piece.text, before[-1].text):
        return span, before[-1].span
    if piece.unit.is_machine or not leans(piece.text):
        return span, None
    earlier = next((p for p in reversed(before) if _tells(p)), None)
    if earlier is None:
        return span, asked.span if asked is not None else None
    if earlier.unit is piece.unit and earlier.index == piece.index - 1:
        return piece.unit.at(earlier.start, piece.end), None  # as the sentence has it, its joint included
    return span, earlier.span if len(earlier.text.split()) <= _LONGEST_CONTEXT else None


def _tells(piece: Piece) -> bool:
    return piece.unit.kind in (ClaimKind.STATEMENT, ClaimKind.QUESTION) and bool(content_words(piece.text))
