"""From the lifecycle into the store: only what passed the last gate, with its supersession map (E13, E14)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from memguard.errors import InvalidParameterError
from memguard.memory import gates
from memguard.memory.entries import MemoryEntry, MemoryType
from memguard.memory.lifecycle import Lifecycle
from memguard.memory.observations import Confidence, Observation, Staleness
from memguard.memory.outcome import LifecycleResult
from memguard.memory.rows import Details, EntryFilter, Order, Status, StoredEntry
from memguard.memory.store import MemoryStore
from memguard.memory.strategies import Strategy
from memguard.memory.transaction import Transaction
from memguard.memory.yaml_form import CompressedEntry
from memguard.models.protocols import Embedder
from memguard.privacy import Exclusions, PrivacyStatus, Redactor

ORIGIN = "lifecycle"
_SOURCE_IDS = "source_ids"
_KEPT = EntryFilter(origin=ORIGIN, expired=None)


def observe(
    observations: Iterable[Observation],
    *,
    store: MemoryStore,
    lifecycle: Lifecycle | None = None,
    embedder: Embedder | None = None,
    now: datetime | None = None,
) -> tuple[LifecycleResult, tuple[StoredEntry, ...]]:
    """Take observations through the lifecycle beside what the store keeps already, and keep what passes.

    Args:
        observations: In the order in which they were said.
        store: Bound to the tenant.
        lifecycle: Its rules; by default the documented ones.
        embedder: Embeds what is stored, so that a search finds it.
        now: The moment that ages are judged at, aware; default: the present.

    Returns:
        The run, its report included, and the entries as they are stored.

    Raises:
        InvalidParameterError: As ``Lifecycle.run`` and ``keep``; nothing was written.
    """
    rules = lifecycle if lifecycle is not None else Lifecycle()
    result = rules.run(observations, existing=kept(store), now=now)
    return result, keep(store, result, exclusions=rules.exclusions, embedder=embedder)


def kept(store: MemoryStore) -> tuple[CompressedEntry, ...]:
    """Return the active entries that the lifecycle stored, oldest first: what a new run may supersede."""
    return tuple(entry for entry, _id in _kept(store))


def keep(
    store: MemoryStore,
    result: LifecycleResult,
    *,
    exclusions: Exclusions | None = None,
    embedder: Embedder | None = None,
) -> tuple[StoredEntry, ...]:
    """Store the entries of a run and the links of its supersession map, all in one write (E13, E14).

    The last gate stands here once more, so that a result that somebody made or changed by hand is not
    stored unseen. What is replaced becomes history; the audit record of the write holds the whole map,
    the observations that were merged included. An entry that is stored already is not stored twice.

    Args:
        store: Bound to the tenant.
        result: What ``Lifecycle.run`` gave.
        exclusions: The project's own privacy list.
        embedder: Embeds the summaries, personal data left out; None stores them without vectors.

    Returns:
        The entries as stored, in the order of the run.

    Raises:
        InvalidParameterError: An entry cites no source, or a secret stands in it; nothing was written.
    """
    redactor = Redactor(exclusions or Exclusions())
    _check(result.entries, redactor)
    if not result.entries:
        return ()
    rows = _embedded([_row(entry) for entry in result.entries], redactor, embedder)
    ids = {entry.id: stored_id for entry, stored_id in _kept(store)} if result.replaced else {}
    with store.transaction("lifecycle") as transaction:
        present = transaction.get_many([entry.id for entry in result.entries])
        transaction.add_many(row for row in rows if row[0].id not in present)
        _supersede(transaction, result, ids)
        transaction.note(
            strategies=[strategy.value for strategy in result.report.strategies],
            supersession=[[link.old, link.new, link.reason.value] for link in result.supersession],
        )
    found = store.get_many([entry.id for entry in result.entries])
    return tuple(found[entry.id] for entry in result.entries)


def _check(entries: Sequence[CompressedEntry], redactor: Redactor) -> None:
    for entry in entries:
        if entry.privacy_status not in set(PrivacyStatus):
            raise InvalidParameterError(_refused(entry, "it has no privacy status"))
        if not entry.source_ids or not entry.summary.strip():
            raise InvalidParameterError(_refused(entry, "it says nothing or cites no source"))
        found = gates.recheck(entry.summary, PrivacyStatus(entry.privacy_status), redactor)
        if found:
            raise InvalidParameterError(_refused(entry, f"it still holds {gates.kinds(found)}"))


def _refused(entry: CompressedEntry, reason: str) -> str:
    return (
        f"entry {entry.id} did not pass the gate before the store: {reason}. Nothing was stored; "
        "run the lifecycle over its observations again"
    )


def _row(entry: CompressedEntry) -> tuple[MemoryEntry, Details]:
    made = MemoryEntry(
        entry.summary,
        id=entry.id,
        timestamp=entry.latest_source_at,
        memory_type=MemoryType.SEMANTIC,
        metadata={_SOURCE_IDS: list(entry.source_ids)},
    )
    return made, Details(
        earliest_source_at=entry.earliest_source_at,
        latest_source_at=entry.latest_source_at,
        confidence=entry.confidence,
        staleness_risk=entry.staleness_risk,
        privacy_status=entry.privacy_status,
        compression=entry.compression,
        origin=ORIGIN,
    )


def _embedded(
    rows: list[tuple[MemoryEntry, Details]], redactor: Redactor, embedder: Embedder | None
) -> list[tuple[MemoryEntry, Details]]:
    if embedder is None:
        return rows
    vectors = embedder.embed([redactor.redact(str(entry.content)).text for entry, _details in rows])
    return [
        (entry.replace(embedding=vector), replace(details, embedding_model=embedder.model_id))
        for (entry, details), vector in zip(rows, vectors, strict=True)
    ]


def _supersede(transaction: Transaction, result: LifecycleResult, ids: dict[str, str]) -> None:
    """Link what the store holds of the map: entries of this run and earlier ones, and merged observations."""
    pairs = [(ids.get(link.old, link.old), link.new) for link in result.supersession]
    known = transaction.get_many({place for pair in pairs for place in pair})
    for old, new in pairs:
        if old != new and new in known and old in known and known[old].status is Status.ACTIVE:
            transaction.supersede([old], new)


def _kept(store: MemoryStore) -> list[tuple[CompressedEntry, str]]:
    """Return the stored facts with the ids of their rows: a fact that was edited has another digest."""
    facts = []
    for stored in store.list(_KEPT, order=Order.OLDEST):
        fact = _fact(stored)
        if fact is not None:
            facts.append((fact, stored.id))
    return facts


def _fact(stored: StoredEntry) -> CompressedEntry | None:
    content, details = stored.entry.content, stored.details
    sources = stored.entry.metadata.get(_SOURCE_IDS)
    if not isinstance(content, str) or not isinstance(sources, list) or not sources:
        return None
    try:
        return CompressedEntry(
            summary=content,
            source_ids=tuple(map(str, sources)),
            confidence=Confidence(details.confidence or Confidence.LOW),
            staleness_risk=Staleness(details.staleness_risk or Staleness.MODERATE),
            privacy_status=PrivacyStatus(details.privacy_status or PrivacyStatus.INTERNAL),
            compression=Strategy(details.compression or Strategy.CITATION_PRESERVATION),
            superseded_by=stored.superseded_by,
            earliest_source_at=_moment(details.earliest_source_at),
            latest_source_at=_moment(details.latest_source_at),
        )
    except ValueError:
        return None  # a rating that somebody wrote by hand: the entry stays, the lifecycle leaves it alone


def _moment(seconds: float | datetime | None) -> datetime | None:
    return datetime.fromtimestamp(seconds, UTC) if isinstance(seconds, int | float) else seconds
