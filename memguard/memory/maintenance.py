"""What maintenance would do, worked out before anything is written: the preview and the plan are one.

The steps, in order: entries that came out of memory and expired ones are put away; of contradictory ones
the earlier is superseded; then the documented order of noise, merge, summary (B18, B25); what is left is
rated for staleness. Each step sees what the steps before it leave. What has an end of its own
(``expires_at``) is neither merged nor summarised: it would live on in the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from memguard.errors import InvalidParameterError
from memguard.memory.compressor import MemoryCompressor
from memguard.memory.contradictions import find_conflicts
from memguard.memory.differences import Difference
from memguard.memory.entries import epoch_seconds
from memguard.memory.merge_guard import wording
from memguard.memory.merging import exact_cosine
from memguard.memory.observations import staleness_of
from memguard.memory.rows import StoredEntry
from memguard.memory.wording import entry_to_text, said_text

STEPS = ("injected", "expiry", "contradictions", "noise", "merge", "summary", "staleness")
"""Every step, in order."""
_ABOVE = 100
_SUMMARISE_ABOVE = 50

Staleness = Callable[[StoredEntry, datetime], str]


@dataclass(frozen=True, slots=True)
class MaintenanceOptions:
    """When maintenance runs, and which steps.

    Attributes:
        above: It runs only where there are more active entries than this (B25).
        summarise_above: A summary is made only where more than this are left after the merge (B25).
        steps: Which of ``STEPS``; their order is fixed.
    """

    above: int = _ABOVE
    summarise_above: int = _SUMMARISE_ABOVE
    steps: tuple[str, ...] = STEPS

    def __post_init__(self) -> None:
        for name in ("above", "summarise_above"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 0:
                raise InvalidParameterError(f"{name} must be a whole number of 0 or more; got {value!r}")
        if unknown := [step for step in self.steps if step not in STEPS]:
            raise InvalidParameterError(f"steps must be of {', '.join(STEPS)}; got {unknown[0]!r}")


@dataclass(frozen=True, slots=True)
class Merge:
    """Entries that would become one.

    Attributes:
        sources: The entries, the one whose type the result takes first.
        similarity: The least cosine of the first to another of them, in [-1, 1].
        only_first: Words that only the first has, beside the second.
        only_second: Words that only the second has.
    """

    sources: tuple[StoredEntry, ...]
    similarity: float
    only_first: str
    only_second: str

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the sources."""
        return tuple(item.id for item in self.sources)


@dataclass(frozen=True, slots=True)
class HeldApart:
    """Two entries near enough to merge that the merge guard keeps apart, and in what they differ."""

    first: StoredEntry
    second: StoredEntry
    similarity: float
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class Superseding:
    """A memory that a later one contradicts.

    Attributes:
        old: What becomes history.
        new: What stays active.
        subject: Of whom or what both speak.
        attribute: What of it.
        old_value: As the earlier one writes it.
        new_value: As the later one writes it.
    """

    old: StoredEntry
    new: StoredEntry
    subject: str
    attribute: str
    old_value: str
    new_value: str


@dataclass(frozen=True, slots=True)
class MaintenancePlan:
    """What each step would do; nothing has been written.

    Attributes:
        n_active: Active entries, expired ones included.
        runs: Whether there are enough of them.
        injected: Entries that came out of memory.
        expired: Entries whose time is over.
        contradictions: Earlier entries that later ones contradict.
        noise: Entries that the chosen rule calls noise.
        merges: Groups that become one.
        held_apart: Near pairs that do not.
        summarised: Entries that one summary would stand for; those of the merges are named by their
            sources.
        summary_includes_merges: Whether the merged entries are summarised as well.
        staleness: Entries whose ``staleness_risk`` changes, and what it becomes.
    """

    n_active: int
    runs: bool
    injected: tuple[StoredEntry, ...] = ()
    expired: tuple[StoredEntry, ...] = ()
    contradictions: tuple[Superseding, ...] = ()
    noise: tuple[StoredEntry, ...] = ()
    merges: tuple[Merge, ...] = ()
    held_apart: tuple[HeldApart, ...] = ()
    summarised: tuple[StoredEntry, ...] = ()
    summary_includes_merges: bool = False
    staleness: tuple[tuple[StoredEntry, str], ...] = ()

    @property
    def n_left(self) -> int:
        """Active entries afterwards."""
        gone = len(self.injected) + len(self.expired) + len(self.contradictions) + len(self.noise)
        gone += sum(len(merge.sources) - 1 for merge in self.merges)
        if self.summarised or self.summary_includes_merges:
            gone += len(self.summarised) + len(self.merges) * self.summary_includes_merges - 1
        return self.n_active - gone


def plan_maintenance(
    active: Sequence[StoredEntry],
    compressor: MemoryCompressor,
    options: MaintenanceOptions,
    *,
    staleness: Staleness,
    now: datetime | None = None,
) -> MaintenancePlan:
    """Work out every step over a tenant's active entries, expired ones included.

    Args:
        active: Oldest first, so that of a merge the oldest entry gives the type.
        compressor: Decides noise and merges.
        options: When and which.
        staleness: Says how stale an entry is.
        now: For expiry and staleness; the present moment by default.
    """
    if len(active) <= options.above:
        return MaintenancePlan(len(active), runs=False)
    now = now if now is not None else datetime.now(UTC)
    chosen = set(options.steps)
    injected = [item for item in active if "injected" in chosen and item.details.injected]
    left = _without(active, injected)
    expired = [item for item in left if "expiry" in chosen and _is_over(item, now)]
    left = _without(left, expired)
    conflicts = _contradictions(left) if "contradictions" in chosen else ()
    left = _without(left, (conflict.old for conflict in conflicts))
    noise = [item for item in left if "noise" in chosen and compressor.is_noise(item.entry)]
    left = _without(left, noise)
    merges, apart = _merges(_lasting(left), compressor) if "merge" in chosen else ((), ())
    left = _without(left, (source for merge in merges for source in merge.sources))
    lasting = _lasting(left)
    summarises = "summary" in chosen and len(lasting) + len(merges) > options.summarise_above
    left = _without(left, lasting) if summarises else left
    stale = _staleness(left, staleness, now) if "staleness" in chosen else ()
    return MaintenancePlan(
        n_active=len(active),
        runs=True,
        injected=tuple(injected),
        expired=tuple(expired),
        contradictions=conflicts,
        noise=tuple(noise),
        merges=merges,
        held_apart=apart,
        summarised=tuple(lasting) if summarises else (),
        summary_includes_merges=summarises and bool(merges),
        staleness=stale,
    )


def rated_staleness(item: StoredEntry, now: datetime) -> str:
    """Return how likely an entry no longer holds, by its oldest source and the kind of fact (E09)."""
    oldest = datetime.fromtimestamp(oldest_source(item), UTC)
    return staleness_of(said_text(item.entry.content), [oldest], now).value


def oldest_source(item: StoredEntry) -> float:
    """Return the time of an entry's oldest source, its own where none is told, in seconds since 1970."""
    told = item.details.earliest_source_at
    return item.entry.timestamp if told is None else epoch_seconds(told)


def _without(items: Sequence[StoredEntry], gone: Iterable[StoredEntry]) -> list[StoredEntry]:
    ids = {item.id for item in gone}
    return [item for item in items if item.id not in ids]


def _lasting(items: Sequence[StoredEntry]) -> list[StoredEntry]:
    return [item for item in items if item.details.expires_at is None]


def _is_over(item: StoredEntry, now: datetime) -> bool:
    limit = item.details.expires_at
    return limit is not None and epoch_seconds(limit) <= now.timestamp()


def _staleness(
    items: Sequence[StoredEntry], staleness: Staleness, now: datetime
) -> tuple[tuple[StoredEntry, str], ...]:
    rated = ((item, staleness(item, now)) for item in items)
    return tuple((item, risk) for item, risk in rated if risk != item.details.staleness_risk)


def _contradictions(items: Sequence[StoredEntry]) -> tuple[Superseding, ...]:
    texts = [said_text(item.entry.content) for item in items]
    found = find_conflicts(texts, [item.entry.timestamp for item in items])
    return tuple(
        Superseding(items[c.old], items[c.new], c.subject, c.attribute, c.old_value, c.new_value)
        for c in found
    )


def _merges(
    items: Sequence[StoredEntry], compressor: MemoryCompressor
) -> tuple[tuple[Merge, ...], tuple[HeldApart, ...]]:
    plan = compressor.plan_merges([item.entry for item in items])
    merges = []
    for group in plan.groups:
        sources = tuple(items[place] for place in group)
        first, second = (entry_to_text(item.entry.content) for item in sources[:2])
        vector = sources[0].entry.embedding or ()
        least = min(exact_cosine(vector, item.entry.embedding or ()) for item in sources[1:])
        merges.append(Merge(sources, least, *wording(first, second)))
    apart = [HeldApart(items[p.i], items[p.j], p.similarity, found) for p, found in plan.blocked]
    return tuple(merges), tuple(apart)
