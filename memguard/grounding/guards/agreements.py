"""Agreements: which of several numbered options somebody took."""

from __future__ import annotations

import re
from functools import lru_cache

from memguard.grounding.guards.people import actor_at
from memguard.grounding.inquiry import Inquiry
from memguard.grounding.reading.voices import agrees
from memguard.grounding.reading.words import content_keys, words
from memguard.grounding.sources import Source

_OPTION = re.compile(
    r"(?:\b(?:option|variant|choice|plan|alternative)\s+(?P<named>\d|[A-D]\b)\s*(?:[:=–-]|is\b|would be\b)"
    r"|(?:^|[\s(])(?P<plain>\d|[a-dA-D])\))\s*(?P<what>[^.;\n]+)",
    re.IGNORECASE,
)
_PICK = re.compile(
    r"\b(?:take|go(?:ing)? with|went with|recommend|pick|suggest|prefer|choose|chose|for|start with)"
    r"\s+(?:the\s+)?"
    r"(?:(?:option|variant|choice|plan|alternative|number)\s+)?"
    r"(?P<which>\d\b|[A-D]\b|first|second|third|former|latter)",
    re.IGNORECASE,
)
_ORDINALS = {"first": "1", "former": "1", "second": "2", "third": "3", "latter": "2"}
_TAKING = frozenset("agree accept choose pick take opt go select decide want approve prefer".split())


def other_option(inquiry: Inquiry) -> tuple[tuple[int, int], Source, str] | None:
    """Return the span of an option that a claim says somebody took, where they took another one.

    Returns:
        The claim's span, the source of the option that was taken, and what to say; None if unsure.
    """
    tokens = words(inquiry.text)
    if not any(word.lemma in _TAKING for word in tokens):
        return None
    found = actor_at(0, inquiry)
    if found is None or not found[0].speaker:
        return None
    taken = _taken_by(found[0].speaker, inquiry)
    if taken is None:
        return None
    claimed = content_keys(inquiry.text)
    number, options = taken
    scores = {n: len(claimed & content_keys(what)) for n, (_, what) in options.items()}
    best = max(scores, key=lambda n: scores[n])
    if best == number or scores[best] <= scores[number]:
        return None
    keys = content_keys(options[best][1]) - content_keys(options[number][1])
    span = next((w.span for w in tokens if w.key in keys), (0, len(inquiry.text)))
    source, what = options[number]
    return span, source, f"another option than {what} in {source.span.message_id}"


def _taken_by(speaker: str, inquiry: Inquiry) -> tuple[str, dict[str, tuple[Source, str]]] | None:
    """Return the number of the option that a speaker took, by number or by agreeing, with all options."""
    options: dict[str, tuple[Source, str]] = {}
    proposed = ""
    taken = ""
    for source in inquiry.in_order:
        for number, what in _options(source.text):
            options[number] = source, what
        picked = _picked(source.text)
        if source.speaker == speaker and options:
            taken = picked or (proposed if agrees(source.text) else "") or taken
        elif picked in options:
            proposed = picked
    return (taken, options) if taken in options and len(options) > 1 else None


@lru_cache(maxsize=16_384)
def _options(text: str) -> tuple[tuple[str, str], ...]:
    return tuple(
        ((m.group("named") or m.group("plain")).upper(), m.group("what").strip())
        for m in _OPTION.finditer(text)
    )


@lru_cache(maxsize=16_384)
def _picked(text: str) -> str:
    found = _PICK.search(text)
    if found is None:
        return ""
    which = found.group("which")
    return _ORDINALS.get(which.casefold(), which.upper())
