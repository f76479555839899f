"""Parts of a text that are set off in a report: cut where they overlap, safe for any offsets."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from memguard.reports.parts import Claim, Place

NOT_FOUND = "not found in the evidence"


@dataclass(frozen=True, slots=True)
class Mark:
    """Half-open offsets, what they mean (``unsupported`` or a finding's severity), and what was seen."""

    start: int
    end: int
    kind: str
    title: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a text, and what is said of it; no kinds where nothing is."""

    text: str
    kinds: tuple[str, ...]
    title: str


def cut(text: str, marks: list[Mark]) -> list[Piece]:
    """Cut a text at every border of its marks; offsets outside the text are cut off."""
    solid = [m for m in marks if max(0, m.start) < min(len(text), m.end)]
    edges = {0, len(text), *(max(0, m.start) for m in solid), *(min(len(text), m.end) for m in solid)}
    pieces = []
    for start, end in pairwise(sorted(edges)):
        over = [m for m in solid if m.start < end and m.end > start]
        kinds = tuple(dict.fromkeys(m.kind for m in over))
        pieces.append(Piece(text[start:end], kinds, "; ".join(dict.fromkeys(m.title for m in over))))
    return pieces


def claim_pieces(claim: Claim) -> list[Piece]:
    """Return a claim's text with the words that the evidence does not hold and what the guards saw."""
    marks = [Mark(start, end, "unsupported", NOT_FOUND) for start, end in claim.unsupported]
    marks += [Mark(*f.claim_span, f.severity, f.detail) for f in claim.findings if f.severity != "note"]
    return cut(claim.text, marks)


def evidence_pieces(claim: Claim, place: Place) -> list[Piece]:
    """Return the text of a place with what the guards saw in it.

    A place that was redacted is shown without: offsets are those of the untouched text.
    """
    if len(place.text) != place.end - place.start:
        return cut(place.text, [])
    marks = [
        Mark(f.evidence_span[0] - place.start, f.evidence_span[1] - place.start, f.severity, f.detail)
        for f in claim.findings
        if f.evidence_span is not None and f.message_id == place.message_id
    ]
    return cut(place.text, marks)
