"""Answers: a yes or no is a fact only with its question, and of the class of what was asked."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memguard.facts.carriers import Piece
from memguard.facts.forms import FactClass
from memguard.facts.medical import medical_share
from memguard.facts.spots import Spot
from memguard.facts.stances import stance
from memguard.grounding.claims.kinds import ClaimKind
from memguard.grounding.reading.voices import affirms, denies
from memguard.grounding.reading.words import content_keys

_COURTEOUS = re.compile(
    r"\b(?:any (?:other )?questions|is that (?:ok|okay|all right|alright|clear)|does that make sense|how are you|can you hear"
    r"|anything else|are you (?:there|ok|sure)|shall we start|ready|confidential|private place|confirm your)\b",
    re.IGNORECASE,
)
_LONGEST = 40  # words of a question that is worth repeating before its answer


def replied_to(pieces: Sequence[Piece]) -> Piece | None:
    """Return what a reply to a message replies to: its last question, else its last statement."""
    telling = [p for p in pieces if p.unit.kind in (ClaimKind.QUESTION, ClaimKind.STATEMENT) and not p.unit.is_machine]
    asked = [p for p in telling if p.unit.asks and content_keys(p.text)]
    best = asked[-1] if asked else (telling[-1] if telling else None)
    if best is None or len(best.text.split()) > _LONGEST:
        return None
    return best


def answer_spot(piece: Piece, asked: Piece | None) -> Spot | None:
    """Return a spot over a piece that answers a question with yes or no; None for any other."""
    if asked is None or not asked.unit.asks or _COURTEOUS.search(asked.unit.text):
        return None
    yes, no = affirms(piece.unit.text), denies(piece.unit.text)
    keys = content_keys(asked.text)
    if yes and no or not keys:
        return None
    said = "yes" if yes else "no" if no else " ".join(sorted(content_keys(piece.text)))
    value = f"{said}: {' '.join(sorted(keys))}"
    medical = medical_share(asked.text)
    if medical and said:
        return Spot(piece.start, piece.end, FactClass.CONDITION, value, medical * (0.8 if yes or no else 0.9))
    if not (yes or no):
        return None
    held = stance(asked.text)
    return Spot(piece.start, piece.end, held[0] if held else FactClass.DECISION, value, 0.4)
