"""The chain of records: what was written, by which step, each record holding the hash of the one before.

One chain a tenant, in the form of ``memguard/audit`` (canonical JSON, SHA-256). A record names the
entries that it changed, their versions and the digests of what they then held, never what they say: so
a purge erases a text, and the chain still holds. The row that keeps a chain's head is also its lock: a
writer that reads it first has its turn until it commits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from memguard.audit import GENESIS, Verification, digest
from memguard.errors import StoreUnavailableError
from memguard.memory import codec
from memguard.memory.schema import Tables


@dataclass(frozen=True, slots=True)
class StoreRecord:
    """One link of a tenant's chain; ``hash`` covers every other field.

    Attributes:
        tenant_id: Whose chain it is.
        seq: Zero-based place in the chain.
        action: What was done (``add``, ``update``, ``supersede``, ``merge``, …).
        at: When, ISO 8601 in UTC.
        detail: ``changes``, one dict a change, and what the caller noted.
        prev_hash: Hash of the record before.
        hash: SHA-256 of the canonical JSON of the rest.
    """

    tenant_id: str
    seq: int
    action: str
    at: str
    detail: dict[str, Any]
    prev_hash: str
    hash: str


def take_turn(connection: Connection, tables: Tables, tenant_id: str) -> tuple[int, str]:
    """Lock a tenant's chain for this transaction, and return its length and head."""
    chains = tables.chains
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    fresh = dialect.insert(chains).values(tenant_id=tenant_id, length=0, head=GENESIS)
    connection.execute(fresh.on_conflict_do_nothing())
    query = select(chains.c.length, chains.c.head).where(chains.c.tenant_id == tenant_id).with_for_update()
    length, head = connection.execute(query).one()
    return int(length), str(head)


def append(
    connection: Connection, tables: Tables, tenant_id: str, action: str, detail: Mapping[str, Any]
) -> StoreRecord:
    """Add a record to a chain whose turn this transaction has."""
    length, head = take_turn(connection, tables, tenant_id)
    row: dict[str, Any] = {
        "tenant_id": tenant_id,
        "seq": length,
        "action": action,
        "at": datetime.now(UTC).isoformat(timespec="microseconds"),
        "detail": dict(detail),
        "prev_hash": head,
    }
    row["hash"] = digest(row)
    connection.execute(insert(tables.records), row)
    chains = tables.chains
    connection.execute(
        update(chains).where(chains.c.tenant_id == tenant_id).values(length=length + 1, head=row["hash"])
    )
    return StoreRecord(**row)


def read(
    connection: Connection, tables: Tables, tenant_id: str, *, after: int = -1, limit: int | None = None
) -> Iterator[StoreRecord]:
    """Yield a tenant's records in order, from the one after ``after`` on."""
    table = tables.records
    query = select(table).where(table.c.tenant_id == tenant_id, table.c.seq > after).order_by(table.c.seq)
    for row in connection.execute(query.limit(limit)).mappings():
        yield StoreRecord(**row)


def head(connection: Connection, tables: Tables, tenant_id: str) -> tuple[int, str]:
    """Return the length and the head of a tenant's chain, without locking it."""
    chains = tables.chains
    query = select(chains.c.length, chains.c.head).where(chains.c.tenant_id == tenant_id)
    row = connection.execute(query).one_or_none()
    return (int(row.length), str(row.head)) if row else (0, GENESIS)


class _Expected:
    """What the entries and links of a tenant must be, by its records."""

    def __init__(self) -> None:
        self.entries: dict[str, tuple[int, str]] = {}
        self.links: set[tuple[str, str]] = set()

    def follow(self, change: Mapping[str, Any]) -> None:
        kind = change["change"]
        if kind in {"add", "update"}:
            self.entries[change["id"]] = (change["version"], change["digest"])
        elif kind == "purge":
            self.entries.pop(change["id"], None)
        elif kind == "link":
            self.links.add((change["old"], change["new"]))
        elif kind == "unlink":
            self.links.discard((change["old"], change["new"]))


def verify(
    connection: Connection, tables: Tables, tenant_id: str, *, expected_head: str | None = None
) -> Verification:
    """Check a tenant's chain, and that its entries and links are what the chain says they are.

    Args:
        connection: A connection that sees one state throughout.
        tables: The tables.
        tenant_id: Whose chain.
        expected_head: A head that was kept elsewhere; shows a recomputed or shortened chain too.
    """
    try:
        return _verified(connection, tables, tenant_id, expected_head)
    except StoreUnavailableError as error:
        return Verification(False, 0, None, None, str(error))


def _verified(
    connection: Connection, tables: Tables, tenant_id: str, expected_head: str | None
) -> Verification:
    length, head_hash = head(connection, tables, tenant_id)
    expected = _Expected()
    previous, count = GENESIS, 0
    for record in read(connection, tables, tenant_id):
        count += 1
        fault = _fault(record, count - 1, previous)
        if fault is not None:
            return Verification(False, length, previous, count, f"record {count} is broken: {fault}")
        for change in record.detail["changes"]:
            expected.follow(change)
        previous = record.hash
    if (count, previous) != (length, head_hash):
        message = f"the chain has {count} records, {length} were written: the rest is missing"
        return Verification(False, count, previous, count + 1, message)
    if expected_head is not None and expected_head.strip().lower() != previous:
        message = (
            f"every record holds, but the head is {previous}, not the expected {expected_head}: "
            "the chain was recomputed, has grown, or is another one"
        )
        return Verification(False, count, previous, count, message)
    fault = _entries_fault(connection, tables, tenant_id, expected)
    if fault is not None:
        return Verification(False, count, previous, None, fault)
    return Verification(
        True, count, previous, None, f"{count} records and {len(expected.entries)} entries, all intact"
    )


def _fault(record: StoreRecord, seq: int, previous: str) -> str | None:
    row = asdict(record)
    row.pop("hash")
    if record.seq != seq:
        return f"its number is {record.seq} where {seq} is due"
    if record.prev_hash != previous:
        return "it does not continue the record before it"
    if record.hash != digest(row):
        return "its content does not match its hash"
    return None


def _entries_fault(connection: Connection, tables: Tables, tenant_id: str, expected: _Expected) -> str | None:
    table = tables.entries
    missing = dict(expected.entries)
    for row in connection.execute(select(table).where(table.c.tenant_id == tenant_id)).mappings():
        due = missing.pop(row["id"], None)
        if due is None:
            return f"entry {row['id']!r} is in the store, but no record tells of it"
        if due != (row["version"], codec.row_digest(row)):
            return f"entry {row['id']!r} is not what its last record says: it was changed outside MemGuard"
    if missing:
        return f"entry {min(missing)!r} is missing, and no record tells of its removal"
    links = tables.lineage
    found = _pairs(connection.execute(select(links).where(links.c.tenant_id == tenant_id)).mappings())
    if found != expected.links:
        old, new = min(found ^ expected.links)
        return f"the link from {old!r} to its successor {new!r} was changed outside MemGuard"
    return None


def _pairs(rows: Iterable[Mapping[Any, Any]]) -> set[tuple[str, str]]:
    return {(row["old_id"], row["new_id"]) for row in rows}
