"""Links between entries: what replaces what, in this run and in earlier ones (E07, E14)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from memguard.memory.contradictions import find_conflicts
from memguard.memory.drafting import Draft, Statement, are_equal
from memguard.memory.observations import Observation, staleness_of
from memguard.memory.yaml_form import CompressedEntry


class Why(StrEnum):
    """Why one id stands for another now."""

    MERGED = "merged"
    """The observation is part of the entry, with others."""
    REPLACED = "replaced"
    """The newer one says something else of the same subject and attribute."""
    RESTATED = "restated"
    """The newer one says the same, and cites the older one's sources as well."""


@dataclass(frozen=True, slots=True)
class Supersession:
    """One line of the map: ``old`` is an observation or an entry, ``new`` an entry."""

    old: str
    new: str
    reason: Why


def links(
    accepted: Mapping[int, CompressedEntry],
    drafts: Sequence[Draft],
    existing: Sequence[CompressedEntry],
    now: datetime,
) -> tuple[tuple[CompressedEntry, ...], tuple[CompressedEntry, ...], tuple[Supersession, ...]]:
    """Link entries with each other and with those of earlier runs.

    Args:
        accepted: Entries that passed the last gate, by the place of their draft.
        drafts: All drafts.
        existing: Entries of earlier runs; those that are superseded already are left alone.
        now: The moment that ages are judged at.

    Returns:
        The new entries in order, the earlier ones that one of them supersedes, and the map.
    """
    open_before = [entry for entry in existing if not entry.superseded_by]
    restated = {place: _equals(drafts[place], open_before) for place in accepted}
    fresh = {
        place: _citing(entry, [open_before[at] for at in restated[place]], now)
        for place, entry in accepted.items()
    }
    below: dict[str, list[str]] = defaultdict(list)
    above: dict[str, list[str]] = defaultdict(list)
    found: list[Supersession] = []

    def link(old: str, new: str, reason: Why) -> None:
        if old != new and new not in above[old]:
            below[new].append(old)
            above[old].append(new)
            found.append(Supersession(old, new, reason))

    for place, entry in fresh.items():
        sources = [item.id for item in drafts[place].sources]
        found += [Supersession(source, entry.id, Why.MERGED) for source in sources if len(sources) > 1]
        for old in drafts[place].replaces:
            if old in fresh:
                link(fresh[old].id, entry.id, Why.REPLACED)
        for at in restated[place]:
            link(open_before[at].id, entry.id, Why.RESTATED)
    for at, place in _contradicted(open_before, drafts, fresh):
        link(open_before[at].id, fresh[place].id, Why.REPLACED)
    entries = tuple(
        replace(entry, supersedes=tuple(below[entry.id]), superseded_by=tuple(above[entry.id]))
        for entry in fresh.values()
    )
    replaced = tuple(
        replace(entry, superseded_by=tuple(above[entry.id])) for entry in open_before if above[entry.id]
    )
    return entries, replaced, tuple(found)


def _equals(fact: Draft, existing: Sequence[CompressedEntry]) -> list[int]:
    ours = Statement(fact.summary, fact.sources[-1])
    return [
        at
        for at, entry in enumerate(existing)
        if are_equal(
            ours, Statement(entry.summary, Observation("earlier", entry.summary, "", entry.latest_source_at))
        )
    ]


def _citing(entry: CompressedEntry, earlier: Sequence[CompressedEntry], now: datetime) -> CompressedEntry:
    """Return the entry with the sources and times of the earlier ones that it restates."""
    if not earlier:
        return entry
    every = [*earlier, entry]
    times = [t for e in every for t in (e.earliest_source_at, e.latest_source_at) if t is not None]
    return replace(
        entry,
        source_ids=tuple(dict.fromkeys(source for e in every for source in e.source_ids)),
        privacy_status=max((e.privacy_status for e in every), key=lambda status: status.rank),
        staleness_risk=staleness_of(entry.summary, times, now),
        earliest_source_at=min(times, default=None),
        latest_source_at=max(times, default=None),
    )


def _contradicted(
    existing: Sequence[CompressedEntry], drafts: Sequence[Draft], fresh: Mapping[int, CompressedEntry]
) -> list[tuple[int, int]]:
    """Return (place of an earlier entry, place of the draft) where the new one says otherwise."""
    places = list(fresh)
    texts = [entry.summary for entry in existing] + [drafts[place].summary for place in places]
    moments = [*(0.0 for _entry in existing), *(1.0 for _place in places)]
    return [
        (conflict.old, places[conflict.new - len(existing)])
        for conflict in find_conflicts(texts, moments)
        if conflict.old < len(existing) <= conflict.new
    ]
