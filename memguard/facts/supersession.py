"""The last value wins: which fact a later one replaced, by the guard of superseded values."""

from __future__ import annotations

from collections.abc import Sequence

from memguard.facts.joining import STATED, Group
from memguard.facts.units import Unit
from memguard.grounding.claims import Claim, ClaimKind
from memguard.grounding.guards import superseded
from memguard.grounding.inquiry import Inquiry
from memguard.grounding.reading.words import content_keys
from memguard.grounding.sources import Ranked, Source
from memguard.messages import SourceSpan

_FOLLOWING = 8
"""Later pieces of one topic that are looked at: keeps the work linear."""
_OF_A_TOPIC = 40
"""Pieces that a word may occur in and still tell a topic."""


def successors(groups: Sequence[Group], speakers: tuple[str, ...]) -> dict[int, int]:
    """Return for each fact that was replaced the index of the fact that replaced it.

    Args:
        groups: The facts in the order of the conversation.
        speakers: Who speaks.
    """
    units = {m.piece.unit.number: m.piece.unit for g in groups for m in g.mentions if not m.piece.unit.is_machine}
    by_key: dict[str, list[int]] = {}
    for number in sorted(units):
        for key in content_keys(units[number].text):
            by_key.setdefault(key, []).append(number)
    places = {m.span: i for i, g in enumerate(groups) for m in g.mentions}
    found: dict[int, int] = {}
    for index, group in enumerate(groups):
        if group.best.kind in STATED or group.best.piece.unit.is_machine:
            continue
        later = _later(group, units, by_key)
        if not later:
            continue
        newer = _successor(group, later, units, speakers, places)
        if newer is not None and newer != index and groups[newer].last > group.last:
            found[index] = newer
    return {old: new for old, new in found.items() if not _is_circular(old, found)}


def _later(group: Group, units: dict[int, Unit], by_key: dict[str, list[int]]) -> list[int]:
    """Return the units after a fact that share a telling word with it, and the few right after it."""
    from bisect import bisect_right

    last = group.last
    near = [n for n in range(last + 1, last + 4) if n in units]
    shared: dict[int, int] = {}
    for key in content_keys(units[group.best.piece.unit.number].text):
        numbers = by_key.get(key, [])
        if len(numbers) > _OF_A_TOPIC:
            continue
        at = bisect_right(numbers, last)
        for number in numbers[at : at + _FOLLOWING]:
            shared[number] = shared.get(number, 0) + 1
    best = sorted(shared, key=lambda n: (-shared[n], n))[:_FOLLOWING]
    return sorted({*near, *best})


def _successor(
    group: Group, later: list[int], units: dict[int, Unit], speakers: tuple[str, ...], places: dict[SourceSpan, int]
) -> int | None:
    unit = group.best.piece.unit
    numbers = [unit.number, *(n for n in later if n != unit.number)]
    sources = [_source(units[n], rank) for rank, n in enumerate(sorted(numbers))]
    inquiry = Inquiry(
        Claim("fact", unit.text, None, unit.text, ClaimKind.STATEMENT),
        tuple(Ranked(source, 0.0, 0.0) for source in sources),
        (next(s for s in sources if s.span == unit.span),),
        speakers,
    )
    start, end = group.best.span.start - unit.span.start, group.best.span.end - unit.span.start
    for finding in superseded.check(inquiry):
        if finding.claim_span[0] < end and start < finding.claim_span[1] and finding.evidence_span is not None:
            at = finding.evidence_span
            return next(
                (
                    index
                    for span, index in places.items()
                    if span.message_id == at.message_id and span.start < at.end and at.start < span.end
                ),
                None,
            )
    return None


def _source(unit: Unit, rank: int) -> Source:
    return Source(unit.span, unit.text, unit.turn, rank, unit.speaker, "", None)


def _is_circular(old: int, found: dict[int, int]) -> bool:
    seen = {old}
    at = found[old]
    while at in found:
        if at in seen:
            return True
        seen.add(at)
        at = found[at]
    return False
