"""The lineage of one entry, read from the store: all that it stands for, and all that stands for it."""

from __future__ import annotations

from datetime import UTC, datetime

from memguard.charts import LineageEntry, Replacement
from memguard.memory.rows import StoredEntry
from memguard.memory.store import MemoryStore
from memguard.memory.wording import entry_to_text

MOST = 24
"""Entries in one picture: a summary of hundreds is told by its nearest sources."""
_WHY = {"merge": "merge", "summary": "summary"}


def lineage(
    store: MemoryStore, start: StoredEntry
) -> tuple[tuple[LineageEntry, ...], tuple[Replacement, ...], int]:
    """Return the entries around one, the links between them, and how many entries were left out.

    Entries come nearest first: those linked to ``start``, then those linked to these.
    """
    found: dict[str, StoredEntry] = {start.id: start}
    left: set[str] = set()
    due = [*start.superseded_by, *start.supersedes]
    while due:
        fresh = [key for key in dict.fromkeys(due) if key not in found and key not in left]
        taken, over = fresh[: MOST - len(found)], fresh[MOST - len(found) :]
        left |= set(over)
        found |= store.get_many(taken)
        due = [key for item in taken if item in found for key in _linked(found[item])]
    links = tuple(
        Replacement(old, item.id, _WHY.get(item.details.origin or "", "replaced"))
        for item in found.values()
        for old in item.supersedes
        if old in found
    )
    ordered = sorted(found.values(), key=lambda item: item.entry.timestamp)
    return tuple(_entry(item) for item in ordered), links, len(left)


def _linked(item: StoredEntry) -> tuple[str, ...]:
    return (*item.superseded_by, *item.supersedes)


def _entry(item: StoredEntry) -> LineageEntry:
    made = f"{datetime.fromtimestamp(item.entry.timestamp, UTC):%d %b %Y}"
    return LineageEntry(
        item.id, entry_to_text(item.entry.content), item.status.value, item.details.origin or "", made
    )
