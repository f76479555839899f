"""What one tenant has stored, in numbers."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from memguard.memory import chain
from memguard.memory.database import Database
from memguard.memory.vectors import Caches


@dataclass(frozen=True, slots=True)
class StoreStats:
    """What one tenant has stored.

    Attributes:
        n_entries: Entries in whatever state.
        by_status: How many in each state; one without an entry is not named.
        by_type: How many of each type.
        n_embedded: How many have an embedding.
        n_versions: Earlier versions that are kept.
        n_records: Length of the chain.
        head: Hash of its last record.
        cached_bytes: Memory that this tenant's vectors take in this process.
        store_bytes: Size of the whole store, of every tenant; None where it is only in memory.
    """

    n_entries: int
    by_status: dict[str, int]
    by_type: dict[str, int]
    n_embedded: int
    n_versions: int
    n_records: int
    head: str
    cached_bytes: int
    store_bytes: int | None


def measured(connection: Connection, database: Database, tenant_id: str, vectors: Caches) -> StoreStats:
    """Count what a tenant has, as one state of the store."""
    tables = database.tables
    own = tables.entries.c.tenant_id == tenant_id

    def grouped(name: str) -> dict[str, int]:
        column = tables.entries.c[name]
        rows = connection.execute(select(column, func.count()).where(own).group_by(column).order_by(column))
        return {str(key): int(number) for key, number in rows}

    by_status = grouped("status")
    embedded = select(func.count()).where(own, tables.entries.c.embedding.is_not(None))
    versions = select(func.count()).where(tables.revisions.c.tenant_id == tenant_id)
    length, head = chain.head(connection, tables, tenant_id)
    return StoreStats(
        n_entries=sum(by_status.values()),
        by_status=by_status,
        by_type=grouped("memory_type"),
        n_embedded=int(connection.execute(embedded).scalar_one()),
        n_versions=int(connection.execute(versions).scalar_one()),
        n_records=length,
        head=head,
        cached_bytes=vectors.n_bytes(tenant_id),
        store_bytes=database.n_bytes(connection),
    )
