"""How a clause puts what it says: stated, held, planned, possible, asked or conditional."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from memguard.grounding.reading.predications import Predication
from memguard.grounding.reading.words import Word


class Frame(StrEnum):
    """How a clause puts what it says."""

    STATED = "stated"
    PLANNED = "planned"
    HELD = "held"
    POSSIBLE = "possible"
    ASKED = "asked"
    CONDITIONAL = "conditional"


def is_question(text: str) -> bool:
    """Tell whether a sentence asks."""
    return text.rstrip(" \"'”’)").endswith("?")


CONDITIONS = frozenset("if".split())
LONGEST = 40  # words of a sentence that is run-on speech rather than one condition with its consequence
_LATER = frozenset("when once until till whenever unless while".split())
_PLANNED = re.compile(
    r"\b(?:will|shall|won['’]t|gonna|going to|(?:about|scheduled|booked|expected|supposed|set|yet|left"
    r"|ready) to"
    r"|due(?! to)|plan(?:s|ned|ning)? (?:to|on|for)|intend(?:s|ed|ing)?|aim(?:s|ing)? to|hop(?:e|es|ing) to"
    r"|wants?|wanted|would like|needs?|needed|has to|have to|must|should|ought|let['’]s|promise[sd]?"
    r"|remind|expect(?:s|ed|ing)?|scheduled|pending|(?:is|are|am|['’]s) to be|aims?|wish(?:es)?"
    r"|means? to|meant to)\b"
    r"|['’]ll\b|\b(?:i|we|you)['’]d (?:like|love|rather|want|prefer)\b|\bplease\b|\btomorrow\b",
    re.IGNORECASE,
)
_POSSIBLE = re.compile(
    r"\b(?:might|(?-i:may|May (?:i|I|we|be))|could|maybe|perhaps|possibly|suspect(?:s|ed|ing)?"
    r"|guess(?:es|ed)?|not sure|unsure"
    r"|unclear|supposedly|wonder(?:s|ing)?|doubt|rumou?r(?:ed)?|possible|hopefully)\b",
    re.IGNORECASE,
)
_HELD = re.compile(
    r"\b(?:think|thinks|thought|believes?|feels?|felt|seems?|seemed|opinion|probably|likely|would|wouldn['’]t"
    r"|apparently|potential(?:ly)?|looks like|sounds? like|assume[sd]?|try)\b"
    r"|['’]d (?!like|love|rather|been|had|prefer|want)",
    re.IGNORECASE,
)
_WOULD = re.compile(r"\bwould\b|['’]d\b", re.IGNORECASE)
_ASKED = re.compile(
    r"\b(?:suggest(?:s|ed|ing|ion)?|offer(?:s|ed|ing)?|propos(?:e|es|ed|ing|al)|recommend(?:s|ed|ing)?"
    r"|how about"
    r"|what about|ask(?:s|ed|ing)?|request(?:s|ed|ing)?|advis(?:e|es|ed|ing)|consider(?:s|ed|ing)?|wondered"
    r"|options?)\b",
    re.IGNORECASE,
)


def is_condition(found: Sequence[Word], clause: Predication) -> bool:
    """Tell a condition from an indirect question ("I don't know if", "to see if")."""
    after = [word.lower for word in found[clause.start + 1 : clause.start + 3]]
    if after[-1:] in [["see"], ["look"], ["like"], ["remember"], ["recall"]] or after[:1] in [
        ["possible"],
        ["so"],
    ]:
        return False
    return clause.start == 0 or found[clause.start - 1].lemma not in _WONDERING


_WONDERING = frozenset("know see wonder ask sure check tell certain as out remember decide".split())


def _is_past(found: Sequence[Word], clause: Predication) -> bool:
    return any(
        word.lower in {"was", "were", "had", "did"}
        or (word.lower.endswith("ed") and word.lemma != word.lower)
        for word in found[clause.start : clause.end]
    )


def frame_of(
    text: str, found: Sequence[Word], clause: Predication, previous: Frame | None, conditional: bool
) -> Frame:
    """Return the frame of a clause; a complement takes that of the clause it completes."""
    part = text[found[clause.start].start : found[clause.end - 1].end]
    if conditional or (clause.opener in _LATER and not _is_past(found, clause)):
        return Frame.CONDITIONAL
    if clause.opener in {"that", "than", "instead"} and previous not in {None, Frame.STATED}:
        return previous or Frame.STATED
    if clause.opener == "that" and _WOULD.search(part):
        return Frame.PLANNED
    if _POSSIBLE.search(part):
        return Frame.POSSIBLE
    if _PLANNED.search(part):
        return Frame.PLANNED
    if _ASKED.search(part):
        return Frame.ASKED
    if clause.is_order:
        return Frame.ASKED
    return Frame.HELD if _HELD.search(part) else Frame.STATED


MARKERS = {Frame.PLANNED: _PLANNED, Frame.POSSIBLE: _POSSIBLE, Frame.ASKED: _ASKED, Frame.HELD: _HELD}
"""What opens a frame."""
