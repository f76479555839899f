"""The preview of maintenance, quick enough for a slider: what no threshold moves is worked out once."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from memguard.memory.compressor import MemoryCompressor
from memguard.memory.maintenance import (
    STEPS,
    MaintenanceOptions,
    MaintenancePlan,
    plan_maintenance,
    rated_staleness,
)
from memguard.memory.options import CompressorOptions
from memguard.memory.rows import EntryFilter, Order, Status, StoredEntry
from memguard.memory.store import MemoryStore

_ACTIVE = EntryFilter(status=(Status.ACTIVE,), expired=None)
_BEFORE_MERGE = ("injected", "expiry", "contradictions", "noise")
_MINUTE_S = 60


@dataclass(frozen=True, slots=True)
class Rules:
    """By what maintenance decides; the defaults are what protects memory best, without a summary.

    Attributes:
        cosine: Two entries merge only above it.
        guard: Whether texts that differ in a figure, a date, a name or a denial are held apart.
        noise: ``script`` or ``documented``.
        groups: ``clusters`` or ``greedy``.
        summary: Whether what is left becomes one summary.
        summarise_above: A summary is made only of more entries than this.
    """

    cosine: float = 0.92
    guard: bool = True
    noise: str = "script"
    groups: str = "clusters"
    summary: bool = False
    summarise_above: int = 50

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps that these rules take."""
        return tuple(step for step in STEPS if self.summary or step != "summary")

    @property
    def options(self) -> CompressorOptions:
        """The same as options of a ``MemoryCompressor``."""
        return CompressorOptions(
            text_mode="repr" if self.noise == "documented" else "conversation",
            noise_rule="documented" if self.noise == "documented" else "script",
            merge_strategy="greedy" if self.groups == "greedy" else "clusters",
            merge_guard=self.guard,
        )


@dataclass
class Planner:
    """Plans over one store, and remembers the steps before the merge for as long as nothing is written.

    Attributes:
        key: Of what is remembered: the head of the chain, the noise rule and the minute, for expiry.
        first: The steps before the merge.
        left: What they leave, oldest first.
        ratings: Staleness by entry and version.
    """

    key: Hashable = None
    first: MaintenancePlan = field(default_factory=lambda: MaintenancePlan(0, runs=False))
    left: list[StoredEntry] = field(default_factory=list)
    ratings: dict[tuple[str, int], str] = field(default_factory=dict)

    def plan(self, store: MemoryStore, rules: Rules) -> MaintenancePlan:
        """Return what ``AIMemoryManager.preview`` returns for a store of any size; no model is asked.

        By hand a step may be applied to a store of any size; that maintenance runs by itself only above a
        hundred entries (B25) is said beside it.
        """
        now = datetime.now(UTC)
        compressor = MemoryCompressor(
            merge_similarity_threshold=rules.cosine, tenant_id=store.tenant_id, **rules.options
        )
        key = store.head(), rules.noise, int(now.timestamp()) // _MINUTE_S
        if key != self.key:
            self._begin(store, compressor, now)
            self.key = key
        steps = tuple(step for step in rules.steps if step not in _BEFORE_MERGE)
        options = MaintenanceOptions(above=0, summarise_above=rules.summarise_above, steps=steps)
        then = plan_maintenance(self.left, compressor, options, staleness=self._rated, now=now)
        return replace(
            self.first,
            merges=then.merges,
            held_apart=then.held_apart,
            summarised=then.summarised,
            summary_includes_merges=then.summary_includes_merges,
            staleness=then.staleness,
        )

    def _begin(self, store: MemoryStore, compressor: MemoryCompressor, now: datetime) -> None:
        active = store.list(_ACTIVE, order=Order.OLDEST)
        options = MaintenanceOptions(above=0, steps=_BEFORE_MERGE)
        self.first = plan_maintenance(active, compressor, options, staleness=self._rated, now=now)
        gone = {item.id for item in (*self.first.injected, *self.first.expired, *self.first.noise)}
        gone |= {conflict.old.id for conflict in self.first.contradictions}
        self.left = [item for item in active if item.id not in gone]
        self.ratings = {}

    def _rated(self, item: StoredEntry, now: datetime) -> str:
        key = item.id, item.version
        if key not in self.ratings:
            self.ratings[key] = rated_staleness(item, now)
        return self.ratings[key]
