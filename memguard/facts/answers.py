"""Answers: a yes or no is a fact only with its question, and of the class of what was asked."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memguard.facts.carriers import Piece, leans, question_of
from memguard.facts.forms import FactClass
from memguard.facts.joining import denies_something
from memguard.facts.medical import medical_share
from memguard.facts.speech import telling_keys, without_disfluencies
from memguard.facts.spots import Spot
from memguard.facts.stances import stance
from memguard.grounding.claims.kinds import ClaimKind
from memguard.grounding.reading.tags import FINITE, tagged
from memguard.grounding.reading.voices import affirms, denies

_COURTEOUS = re.compile(
    r"\b(?:any (?:other )?questions|is that (?:ok|okay|all right|alright|clear|correct|right)"
    r"|have a look|does that make sense|how are you|can you hear"
    r"|anything else|are you (?:there|ok|sure)|shall we start|ready|confidential|private place"
    r"|confirm your)\b",
    re.IGNORECASE,
)
_DENIAL = re.compile(r"\b(?:no|not|never|none|nothing)\b|n['’]t\b", re.IGNORECASE)
_NAME = re.compile(
    r"\b(?:your|the|her|his|their|full|first|last) (?:full |first |last )?names?\b|\bwho (?:is|are|was)\b",
    re.IGNORECASE,
)
_FEW = 2
_CHOICE = re.compile(r"\w,? or \w")
_CHOSEN = 0.7
_BACK = 3  # messages
FIRST_PIECES = 2
"""Pieces of a message among which the answer to a question stands."""
_LONGEST = 40  # words of a question that is worth repeating before its answer


def replied_to(pieces: Sequence[Piece]) -> Piece | None:
    """Return what a reply to a message replies to: its last question, else its last statement."""
    telling = [
        p
        for p in pieces
        if p.unit.kind in (ClaimKind.QUESTION, ClaimKind.STATEMENT) and not p.unit.is_machine
    ]
    asked = [p for p in telling if p.unit.asks and telling_keys(p.text)]
    best = asked[-1] if asked else (telling[-1] if telling else None)
    if best is None or len(best.text.split()) > _LONGEST:
        return None
    return question_of(best) if best.unit.asks else best


def asks_for_name(asked: Piece | None) -> bool:
    """Tell whether a question asks who somebody is."""
    return asked is not None and asked.unit.asks and _NAME.search(asked.unit.text) is not None


def is_bare_name(piece: Piece, asked: Piece) -> bool:
    """Tell whether a piece is no more than the name that was asked for: "John Doe" tells not whose it is."""
    return asks_for_name(asked) and not any(token.tag in FINITE for token in tagged(piece.text))


def needs_question(piece: Piece) -> bool:
    """Tell whether an answer is understood only with its question, as "about six years ago" is."""
    if leans(piece.text) or not any(token.tag in FINITE for token in tagged(piece.text)):
        return True
    said_first = without_disfluencies(piece.unit.text)
    polar = affirms(said_first) or denies(said_first)
    return polar and not _DENIAL.search(piece.text) and len(telling_keys(piece.text)) <= _FEW


def asked_before(pieces: Sequence[Sequence[Piece]], turn: int) -> Piece | None:
    """Return what a message replies to: the last that another speaker said in the few messages before.

    Messages of its own speaker and bare acknowledgements in between are passed over.
    """
    speaker = pieces[turn][0].unit.speaker if pieces[turn] else ""
    for number in range(turn - 1, max(-1, turn - 1 - _BACK), -1):
        if not pieces[number]:
            continue
        if pieces[number][0].unit.speaker == speaker:
            if sum(len(telling_keys(p.text)) for p in pieces[number]) > 1:
                return None
            continue
        found = replied_to(pieces[number])
        if found is not None:
            return found
        if any(telling_keys(p.text) for p in pieces[number]):
            return None
    return None


def answer_spot(piece: Piece, asked: Piece | None) -> Spot | None:
    """Return a spot over a piece that answers a question with yes or no; None for any other."""
    if asked is None or not asked.unit.asks or piece.unit.asks or _COURTEOUS.search(asked.unit.text):
        return None
    said_first = without_disfluencies(piece.unit.text)
    yes, no = affirms(said_first), denies(said_first) and denies_something(said_first)
    keys = telling_keys(asked.text)
    if (yes and no) or not keys:
        return None
    own = telling_keys(piece.text)
    if _CHOICE.search(asked.text) and own and own <= keys:
        return Spot(
            piece.start,
            piece.end,
            FactClass.DECISION,
            f"{' '.join(sorted(own))}: {' '.join(sorted(keys))}",
            _CHOSEN,
        )
    said = "yes" if yes else "no" if no else " ".join(sorted(own))
    value = f"{said}: {' '.join(sorted(keys))}"
    medical = medical_share(asked.text)
    if medical and said:
        return Spot(piece.start, piece.end, FactClass.CONDITION, value, medical * (0.8 if yes or no else 0.9))
    if not (yes or no):
        return None
    held = stance(asked.text)
    return Spot(piece.start, piece.end, held[0] if held else FactClass.DECISION, value, 0.4)
