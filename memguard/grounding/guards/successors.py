"""Successors: the ways in which a conversation replaces a value without saying "changed to"."""

from __future__ import annotations

import re
from dataclasses import replace

from memguard.grounding.guards.timeline import Part
from memguard.grounding.guards.values import Value, may_replace, same_value, topic_keys
from memguard.grounding.inquiry import Inquiry
from memguard.grounding.reading.voices import agrees
from memguard.grounding.reading.words import key_of

_REFUSED = re.compile(
    r"\b(?:cancel\w*|full|fully booked|closed|sold out|unavailable|not available"
    r"|can't|cannot|couldn't|too \w+)\b",
    re.IGNORECASE,
)
_CHOSEN = re.compile(
    r"\b(?:(?:then|instead|ok|okay|so|let's|we|i)\b[^.?!]{0,20}?"
    r"\b(?:go(?:ing)? with|take|choose|settle on|pick|use|book))\b",
    re.IGNORECASE,
)
_WANTED = re.compile(r"\b(?:wants?|ask(?:s|ed)? for|prefers?|needs?|demands?|would like)\b", re.IGNORECASE)
_ACCEPTED = re.compile(
    r"\b(?:said yes|agreed|accepted|approved|went with|that's fine|fine by)\b", re.IGNORECASE
)
_MUST_CHANGE = re.compile(
    r"(\w+) (?:has to|have to|needs? to|must|will have to|is going to) "
    r"(?:go (?:up|down)|change|rise|come down|be (?:raised|changed|moved|increased|lowered|cut))\b",
    re.IGNORECASE,
)
_LOOSE = re.compile(
    r"\b(?:could|might|maybe|perhaps|would|what about|how about|if|suppose|either|option|suggest\w*"
    r"|propos\w+|wish|ideally"
    r"|want|wants|they'd|he'd|she'd|should we|shall we|another|also|extra|more|other)\b",
    re.IGNORECASE,
)


def chosen_after_all(value: Value, last: tuple[int, int], line: list[Part]) -> tuple[Part, Value] | None:
    """Return the name that is chosen where the first turned out impossible ("full", "they cancelled")."""
    refused = False
    for part in line:
        if part.order < last:
            continue
        refused = refused or _REFUSED.search(part.text) is not None
        cue = _CHOSEN.search(part.text) if refused and part.order > last else None
        if cue is None or is_loose(part, line):
            continue
        for other in part.values:
            if other.is_name and part.start + cue.end() <= other.start and could_be(other, value):
                return part, other
    return None


def wanted_otherwise(value: Value, stated: list[Part], line: list[Part]) -> tuple[Part, Value] | None:
    """Return the accepted value in "we keep 30 days, they want 14. I said yes"."""
    for part in stated:
        old = next(v for v in part.values if same_value(v, value))
        for new in part.values:
            between = part.source.text[old.end : new.start] if new.start > old.end else ""
            if _WANTED.search(between) and could_be(new, old) and _is_accepted(part, line):
                return part, new
    return None


def _is_accepted(part: Part, line: list[Part]) -> bool:
    """Tell whether the sentence after a part accepts what it names."""
    return any(
        other.source.turn == part.source.turn
        and other.source.number == part.source.number + 1
        and _ACCEPTED.search(other.source.text)
        for other in line
    )


def must_change(
    value: Value, last: tuple[int, int], line: list[Part], inquiry: Inquiry
) -> tuple[Part, Value | None] | None:
    """Return the part that says, after the value was last given, that its subject has to change."""
    topic = topic_keys(inquiry.text)
    for part in line:
        cue = _MUST_CHANGE.search(part.text) if part.order > last and not value.is_name else None
        if cue is not None and key_of(cue.group(1)) in topic:
            return part, None
    return None


def in_sentence(part: Part, value: Value, line: list[Part]) -> Value | None:
    """Return what could follow a value in the same sentence as a part of it."""
    for other in line:
        if other.source.span == part.source.span:
            for v in other.values:
                if could_be(v, value):
                    return v
    return None


def could_be(new: Value, old: Value) -> bool:
    """Tell whether a value could follow another, whatever stands before a name."""
    alike = (
        may_replace(new, replace(old, kind=new.kind))
        if new.is_name and old.is_name
        else may_replace(new, old)
    )
    return alike and not new.is_replaced


def is_loose(part: Part, line: list[Part]) -> bool:
    """Tell whether a part only asks or muses, and nobody takes it up."""
    if not (_LOOSE.search(part.text) or part.source.text.rstrip().endswith("?")) or _is_accepted(part, line):
        return False
    return not any(
        0 < other.source.turn - part.source.turn <= 1
        and other.source.speaker != part.source.speaker
        and agrees(other.source.text)
        for other in line
    )
