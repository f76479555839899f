"""Carriers: the shortest verbatim clauses that state a fact, and the question that an answer needs.

A span is chosen and nothing is rewritten: fillers at its start and courtesies at its end are left
out, a sentence is cut where a clause stands alone, a fragment takes the sentence before it along.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from memguard.facts.units import Unit
from memguard.grounding.claims.clauses import clauses
from memguard.grounding.claims.kinds import ClaimKind
from memguard.grounding.reading.words import content_words, words
from memguard.messages import SourceSpan

_FILLER = re.compile(
    r"(?:(?:oh|ooh|ah|aha|u+m+|u+h+|uhh|er+|well|so|and|but|ok|okay|k|right|hm+|now|also|actually|honestly|hi|hello|hey"
    r"|(?:good )?morning|thanks|thank you|sorry|btw|anyway|look|listen|i mean|you know|to be honest|fair point|got it"
    r"|perfect|great|good|cool|nice|understood|sure|alright|all right|of course|yeah|yep|yes|hang on|hold on|hmm|true|ha"
    r"|sort of|kind of|like|just|then again|one more thing|by the way|please|i think|i suppose|i guess|basically"
    r"|\[(?:unintelligible|inaudible)\])(?![\w'’-])[\s,.!:;…–—-]*)+",
    re.IGNORECASE,
)
_NO = re.compile(r"(?:no|nope|nah)[,.!]\s+(?=.*\b(?:no|not|never|n['’]t|nothing|none)\b|.*n['’]t\b)", re.IGNORECASE)
_TRAILER = re.compile(
    r"(?:[\s,.!;:…–—-]*\b(?:please|thanks|thank you|sorry|ok|okay|right|you know|yeah|lol|haha|though|honestly|really|actually"
    r"|i think|i guess|so yeah|or something|or anything|and (?:stuff|all that)|yep|yes|um+|uh+|mind)\b)*[\s,.!;:…–—-]*$",
    re.IGNORECASE,
)
_POINTING = frozenset(
    "it that this they he she these those them its it's that's they're he's she's there's both neither".split()
)
_LONG = 12
"""Words from which on a sentence is cut into its clauses."""
_LONGEST_CONTEXT = 26
"""Words of a sentence that is still worth repeating before another."""
_FEW = 2


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
    pieces = []
    for start, end in spans:
        first, last = trimmed(unit.text, start, end) if not unit.is_machine else (start, end)
        pieces.append(Piece(unit, first, last, len(pieces)))
    return tuple(pieces)


@lru_cache(maxsize=16_384)
def _cut(text: str) -> tuple[tuple[int, int], ...]:
    if len(text.split()) < _LONG:
        return ((0, len(text)),)
    found: list[tuple[int, int]] = []
    for clause in clauses(text):
        if found and clause.carry is not None:
            found[-1] = (found[-1][0], clause.end)
        else:
            found.append((clause.start, clause.end))
    return tuple(found)


@lru_cache(maxsize=32_768)
def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return ``text[start:end]`` without fillers at its start and courtesies at its end.

    A "no" at the start stays unless another denial follows; at least two words stay.
    """
    first, last = start, end
    for pattern in (_FILLER, _NO, _FILLER):
        match = pattern.match(text, first, last)
        if match and len(text[match.end() : last].split()) >= _FEW:
            first = match.end()
    trailer = _TRAILER.search(text, first, last)
    if trailer and "?" not in trailer.group() and len(text[first : trailer.start()].split()) >= _FEW:
        last = trailer.start()
    while first < last and text[first] in " \t\n,.;:!–—-*•":
        first += 1
    return first, last


@lru_cache(maxsize=32_768)
def leans(text: str) -> bool:
    """Tell whether a piece needs what stands before it: it opens with a pronoun or is a fragment."""
    found = words(text)
    if not found:
        return True
    opening = {found[0].lower, found[0].text.casefold().replace("’", "'")}
    if opening & _POINTING:
        return True
    telling = [w for w in content_words(text) if not w.is_number]
    return len(telling) < _FEW


def backed(piece: Piece, before: Sequence[Piece], asked: Piece | None) -> tuple[SourceSpan, SourceSpan | None]:
    """Return the carrier of a piece and its context.

    Args:
        piece: The piece that holds the facts.
        before: The pieces before it in its message, in order.
        asked: The question that its message answers, or what it replies to, if anything.
    """
    span = piece.span
    if piece.unit.is_machine or not leans(piece.text):
        return span, None
    earlier = [p for p in before if _tells(p)]
    if earlier:
        last = earlier[-1]
        if len(last.text.split()) <= _LONGEST_CONTEXT:
            start = last.span.start
            if leans(last.text) and len(earlier) > 1 and len(earlier[-2].text.split()) <= _LONGEST_CONTEXT // 2:
                start = earlier[-2].span.start
            return SourceSpan(span.message_id, start, span.end), None
        return span, last.span
    return span, asked.span if asked is not None else None


def _tells(piece: Piece) -> bool:
    return piece.unit.kind in (ClaimKind.STATEMENT, ClaimKind.QUESTION) and bool(content_words(piece.text))
