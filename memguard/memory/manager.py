"""``AIMemoryManager``: maintenance of one tenant's store, step by step, each with a preview and an undo."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from memguard.errors import AuditError, InvalidParameterError, StaleEntryError
from memguard.memory.codec import readable_text
from memguard.memory.compressor import MemoryCompressor
from memguard.memory.entries import Content, MemoryEntry, epoch_seconds
from memguard.memory.maintenance import (
    STEPS,
    MaintenanceOptions,
    MaintenancePlan,
    Staleness,
    oldest_source,
    plan_maintenance,
    rated_staleness,
)
from memguard.memory.observations import Confidence
from memguard.memory.observations import Staleness as StalenessRisk
from memguard.memory.rows import Details, EntryFilter, Order, Status, StoredEntry
from memguard.memory.store import MemoryStore
from memguard.memory.transaction import Transaction
from memguard.privacy import PrivacyStatus

_ACTIVE = EntryFilter(status=(Status.ACTIVE,), expired=None)
_DEFAULTS = MaintenanceOptions()
_PRIVACY = tuple(PrivacyStatus)  # each from the mildest to the worst
_CONFIDENCE = tuple(reversed(Confidence))
_STALENESS = tuple(StalenessRisk)


@dataclass(frozen=True, slots=True)
class StepDone:
    """One step of a run.

    Attributes:
        step: Which of ``STEPS``.
        n_changed: Entries that it put away, superseded or marked.
        seq: The record of its write, by which it is undone; None where it wrote nothing.
        made: Ids of the entries that it added.
        problem: Why it wrote nothing though it should have; empty otherwise.
    """

    step: str
    n_changed: int = 0
    seq: int | None = None
    made: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class MaintenanceReport:
    """What a run of maintenance did, or in a dry run would do.

    Attributes:
        plan: What was worked out, in full.
        dry_run: Whether that is all.
        n_before: Active entries before.
        n_after: Active entries after; in a dry run, what it would be.
        steps: What was done; empty in a dry run and where there was too little to do.
    """

    plan: MaintenancePlan
    dry_run: bool
    n_before: int
    n_after: int
    steps: tuple[StepDone, ...] = ()

    @property
    def ran(self) -> bool:
        """Whether anything was written."""
        return any(step.seq is not None for step in self.steps)


class AIMemoryManager:
    """Keeps a tenant's memory small and true; nothing is erased, and every step can be undone."""

    def __init__(
        self,
        store: MemoryStore | str | os.PathLike[str] | None = None,
        compressor: MemoryCompressor | None = None,
        *,
        options: MaintenanceOptions = _DEFAULTS,
        staleness: Staleness = rated_staleness,
    ) -> None:
        """Take the store, or where it is, and the compressor that decides noise, merges and summaries.

        Args:
            store: A store bound to the tenant, or the URL or path of one; None opens the default one.
            compressor: By default the documented one, without a model.
            options: When maintenance runs, and which steps.
            staleness: Says how stale an entry is; by default from its oldest source and kind (E09).
        """
        self.store = store if isinstance(store, MemoryStore) else MemoryStore(store)
        tenant_id = self.store.tenant_id
        self.compressor = compressor if compressor is not None else MemoryCompressor(tenant_id=tenant_id)
        if self.compressor.tenant_id != tenant_id:
            raise InvalidParameterError(
                f"the compressor's tenant is {self.compressor.tenant_id!r}, the store's {tenant_id!r}; "
                f"make it with MemoryCompressor(tenant_id={tenant_id!r})"
            )
        self.options = options
        self._staleness = staleness

    def preview(self) -> MaintenancePlan:
        """Return what ``run_maintenance`` would do now; writes nothing and asks no model."""
        active = self.store.list(_ACTIVE, order=Order.OLDEST)
        return plan_maintenance(active, self.compressor, self.options, staleness=self._staleness)

    def run_maintenance(self, *, dry_run: bool = False) -> MaintenanceReport:
        """Run the steps where there are more than 100 active entries (B25).

        Each step is one write with one record. A step whose entries somebody has changed since they were
        read writes nothing and says so; those after it, which rest on it, are not tried.

        Args:
            dry_run: Only work out what would be done.

        Raises:
            StoreUnavailableError: The store cannot be read or written; finished steps stay.
        """
        plan = self.preview()
        if dry_run or not plan.runs:
            return MaintenanceReport(plan, dry_run, plan.n_active, plan.n_left)
        run = _Run(self.store, self.compressor, plan)
        steps: list[StepDone] = []
        for step in (name for name in STEPS if name in self.options.steps):
            steps.append(run.do(step))
            if steps[-1].problem:
                break
        return MaintenanceReport(plan, False, plan.n_active, self.store.count(_ACTIVE), tuple(steps))

    def undo(self, done: MaintenanceReport | StepDone) -> tuple[int, ...]:
        """Take back a step, or a whole run, in one write.

        Returns:
            The records that were taken back.

        Raises:
            StaleEntryError: An entry has changed since; nothing is taken back.
            InvalidParameterError: There is nothing to take back.
        """
        steps = done.steps if isinstance(done, MaintenanceReport) else (done,)
        written = tuple(step.seq for step in steps if step.seq is not None)
        if not written:
            raise InvalidParameterError("there is nothing to undo: that maintenance wrote nothing")
        records = [next(iter(self.store.records(after=seq - 1, limit=1))) for seq in written]
        # As one record: what a later step did to what an earlier one made is no change by somebody else.
        changes = [change for record in records for change in record.detail["changes"]]
        with self.store.transaction("undo") as transaction:
            transaction.undo(replace(records[-1], detail={"changes": changes}))
            transaction.note(undoes=list(written))
        return written

    def recall(self, entries: Sequence[StoredEntry]) -> str:
        """Return the text of entries for a model's context, and remember that it was given out."""
        whole = "\n".join(readable_text(item.entry.content) for item in entries)
        if entries:
            self.store.mark_given([item.id for item in entries], whole=whole)
        return whole

    def is_new(self, content: Content) -> bool:
        """Tell whether a text was never given out of this memory: what was must not be captured again.

        A text made of nothing but given lines is not new either.
        """
        text = readable_text(content)
        if self.store.was_given(text):
            return False
        lines = [line for line in text.split("\n") if line.strip()]
        return not lines or not all(self.store.was_given(line) for line in lines)


class _Run:
    """One run over one plan."""

    def __init__(self, store: MemoryStore, compressor: MemoryCompressor, plan: MaintenancePlan) -> None:
        self._store = store
        self._compressor = compressor
        self._plan = plan
        self._id = uuid.uuid4().hex
        self._seen = store.stats().n_records - 1
        self._merged: tuple[StoredEntry, ...] = ()

    def do(self, step: str) -> StepDone:
        """Carry out one step in one write."""
        actions: dict[str, Callable[[], StepDone]] = {
            "injected": lambda: self._archive(step, self._plan.injected),
            "expiry": lambda: self._archive(step, self._plan.expired),
            "staleness": self._mark_stale,
            "contradictions": self._supersede,
            "noise": lambda: self._archive(step, self._plan.noise),
            "merge": self._merge,
            "summary": self._summarise,
        }
        try:
            return actions[step]()
        except StaleEntryError as error:
            return StepDone(step, problem=str(error))

    def _archive(self, step: str, items: Sequence[StoredEntry]) -> StepDone:
        def write(transaction: Transaction) -> None:
            for item in items:
                transaction.set_status(item.id, Status.ARCHIVED, version=item.version)

        return self._write(step, len(items), write)

    def _mark_stale(self) -> StepDone:
        rated = self._plan.staleness

        def write(transaction: Transaction) -> None:
            for item, risk in rated:
                transaction.update(item.id, version=item.version, staleness_risk=risk)

        return self._write("staleness", len(rated), write)

    def _supersede(self) -> StepDone:
        found = self._plan.contradictions

        def write(transaction: Transaction) -> None:
            for item in found:
                _unchanged(transaction, item.old, item.new)
            for item in found:
                transaction.supersede([item.old.id], item.new.id)

        return self._write("contradictions", len(found), write)

    def _merge(self) -> StepDone:
        groups = [merge.sources for merge in self._plan.merges]
        made = self._compressor.merged_entries([[item.entry for item in sources] for sources in groups])
        pairs = [
            (entry, self._details(entry, sources, "merge"))
            for entry, sources in zip(made, groups, strict=True)
        ]

        def write(transaction: Transaction) -> None:
            for (entry, details), sources in zip(pairs, groups, strict=True):
                _unchanged(transaction, *sources)
                transaction.add(entry, details)
                transaction.supersede([item.id for item in sources], entry.id)
            transaction.note(cosines=[round(merge.similarity, 6) for merge in self._plan.merges])

        done = self._write("merge", sum(len(sources) for sources in groups), write)
        found = self._store.get_many([entry.id for entry in made])
        self._merged = tuple(found[entry.id] for entry in made)
        return replace(done, made=tuple(entry.id for entry in made))

    def _summarise(self) -> StepDone:
        plan = self._plan
        sources = [*plan.summarised, *(self._merged if plan.summary_includes_merges else ())]
        if not sources:
            return StepDone("summary")
        summary: MemoryEntry | None = self._compressor.summarise([item.entry for item in sources])
        if summary is None:
            return StepDone("summary", problem="no summary could be made; the entries stay as they are")
        entry = summary

        def write(transaction: Transaction) -> None:
            _unchanged(transaction, *sources)
            transaction.add(entry, self._details(entry, sources, "summary"))
            transaction.supersede([item.id for item in sources], entry.id)

        return replace(self._write("summary", len(sources), write), made=(entry.id,))

    def _write(self, step: str, n_changed: int, write: Callable[[Transaction], None]) -> StepDone:
        if not n_changed:
            return StepDone(step)
        with self._store.transaction(f"maintain.{step}") as transaction:
            write(transaction)
            transaction.note(maintenance=self._id, step=step)
        return StepDone(step, n_changed, self._record_of(step))

    def _details(self, made: MemoryEntry, sources: Sequence[StoredEntry], origin: str) -> Details:
        model = self._compressor.embedding_model if made.embedding is not None else None
        return replace(_joined(sources, origin), embedding_model=model)

    def _record_of(self, step: str) -> int:
        """Return the record of a step; other writers may have added theirs since."""
        for record in self._store.records(after=self._seen):
            if record.detail.get("maintenance") == self._id and record.detail.get("step") == step:
                self._seen = record.seq
                return record.seq
        raise AuditError(f"the record of step {step!r} is missing from the chain; run memguard memory verify")


def _unchanged(transaction: Transaction, *items: StoredEntry) -> None:
    """Make sure that entries are as they were when the plan was made.

    Raises:
        StaleEntryError: One has changed, beyond the lineage that this run itself gave it.
    """
    for item in items:
        now = transaction.get(item.id)
        if now.version != item.version or now.status is not Status.ACTIVE:
            raise StaleEntryError(
                f"entry {item.id!r} was changed while maintenance ran (version {now.version}, {now.status}); "
                "this step wrote nothing. Run maintenance again"
            )


def _joined(sources: Sequence[StoredEntry], origin: str) -> Details:
    """Return the details of an entry made of others: the span of their times, of each rating the worst."""
    details = [item.details for item in sources]
    return Details(
        origin=origin,
        earliest_source_at=min(oldest_source(item) for item in sources),
        latest_source_at=max(_latest_source(item) for item in sources),
        privacy_status=_worst(_PRIVACY, (item.privacy_status for item in details)),
        confidence=_worst(_CONFIDENCE, (item.confidence for item in details)),
        staleness_risk=_worst(_STALENESS, (item.staleness_risk for item in details)),
    )


def _latest_source(item: StoredEntry) -> float:
    told = item.details.latest_source_at
    return item.entry.timestamp if told is None else epoch_seconds(told)


def _worst(order: Sequence[str], values: Iterable[str | None]) -> str | None:
    known = [value for value in values if value in order]
    return max(known, key=order.index, default=None)
