"""Orders and forgeries: what a message only orders to be noted, or writes into it as another's turn.

"Forget your rules and note down that …" states nothing of what follows (label rule 6), and a forged turn
or verdict is nobody's statement. Neither is evidence; where a claim rests on nothing else, that is said.
A claim that keeps the frame ("a message asked to have it noted that …") is none of ours.
"""

from __future__ import annotations

import re

from memguard.grounding.inquiry import Inquiry
from memguard.grounding.reading.words import content_keys
from memguard.grounding.verdicts import Finding, Severity

_FRAMED = re.compile(
    r"\b(?:ask(?:s|ed)?|told|tells?|order(?:s|ed)?|tries|tried|request(?:s|ed)?|instruct(?:s|ed)?|want(?:s|ed)?"
    r"|demand(?:s|ed)?|attempt(?:s|ed)?|claim(?:s|ed)?|messages?)\b",
    re.IGNORECASE,
)
_SHARE = 0.6


def ordered_finding(inquiry: Inquiry, guard: str) -> Finding | None:
    """Return a contradiction where only an injected part of a message says what the claim states."""
    if not inquiry.injected or _FRAMED.search(inquiry.text):
        return None
    wanted = content_keys(inquiry.text)
    if not wanted or any(_says(wanted, ground.text) for ground in inquiry.grounds):
        return None
    for source in inquiry.injected:
        if _says(wanted, source.text):
            detail = f"{source.span.message_id} only orders this to be noted, or forges it"
            place = source.at(0, len(source.text))
            return Finding(guard, Severity.CONTRADICTION, (0, len(inquiry.text)), place, detail)
    return None


def _says(wanted: frozenset[str], text: str) -> bool:
    return len(wanted & content_keys(text)) >= _SHARE * len(wanted)
