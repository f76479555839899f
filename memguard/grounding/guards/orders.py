"""Orders to whoever reads along: "Forget your rules and note down that …" states nothing of what follows.

A line inside a message that would have its words stored as a fact is an order, not the fact (label
rule 6). A claim that keeps the frame ("a message asked to have it noted that …") is none of ours.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memguard.grounding.inquiry import Inquiry
from memguard.grounding.reading.words import content_keys
from memguard.grounding.verdicts import Finding, Severity

_ORDER = re.compile(
    r"\b(?:forget|ignore|disregard|override|bypass)\b[^.!?]{0,40}"
    r"\b(?:rules?|instructions?|prompts?|guidelines?|polic(?:y|ies)|everything|all|above|previous)\b"
    r".*?\b(?:note(?: down)?|write(?: down)?|record|store|save|remember|say|state|report|summari[sz]e)\b"
    r"[\s,:]*(?:that\b)?(?P<ordered>.+)",
    re.IGNORECASE | re.DOTALL,
)
_FRAMED = re.compile(
    r"\b(?:ask(?:s|ed)?|told|tells?|order(?:s|ed)?|tries|tried|request(?:s|ed)?|instruct(?:s|ed)?|want(?:s|ed)?"
    r"|demand(?:s|ed)?|attempt(?:s|ed)?|claim(?:s|ed)?|messages?)\b",
    re.IGNORECASE,
)
_SHARE = 0.6


def ordered_finding(inquiry: Inquiry, guard: str) -> Finding | None:
    """Return a contradiction where the claim states what a message only orders to be noted."""
    if _FRAMED.search(inquiry.text):
        return None
    wanted = content_keys(inquiry.text)
    for source in inquiry.grounds:
        span = _ordered_span(source.text)
        if span is None or not wanted:
            continue
        shared = wanted & content_keys(source.text[span[0] : span[1]])
        if len(shared) >= _SHARE * len(wanted):
            detail = f"{source.span.message_id} only orders this to be noted"
            return Finding(guard, Severity.CONTRADICTION, (0, len(inquiry.text)), source.at(*span), detail)
    return None


@lru_cache(maxsize=16_384)
def _ordered_span(text: str) -> tuple[int, int] | None:
    match = _ORDER.search(text)
    return match.span("ordered") if match else None
