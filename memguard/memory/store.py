"""``MemoryStore``: one audited home for the memory of many tenants, in SQLite or PostgreSQL.

Identity: an entry is its tenant and its id. A store object is bound to one tenant and every statement
names it, so no call can reach another's entries; ``for_tenant`` gives the same store for another one.

Every write is one transaction that also writes its record into the tenant's chain: a killed process
leaves the store as it was before or as it is after. Every entry has a version, and a write that names
an older one is refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sqlalchemy import func, select, text

from memguard.audit import Verification
from memguard.errors import InvalidParameterError, StoreUnavailableError
from memguard.files import replace_text
from memguard.memory import chain, codec, pgvector, reading, transfer
from memguard.memory.arguments import checked_count, checked_entry
from memguard.memory.chain import StoreRecord
from memguard.memory.database import Database, store_url
from memguard.memory.entries import DEFAULT_TENANT, MemoryEntry, tenant_name
from memguard.memory.rows import EVERYTHING, GIVEN_OUT, Details, EntryFilter, Hit, Order, Status, StoredEntry
from memguard.memory.transaction import Transaction, not_found
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


class MemoryStore:
    """The memory of one tenant. Safe to use from several threads and processes at once."""

    def __init__(self, url: str | os.PathLike[str] | None = None, *, tenant_id: str = DEFAULT_TENANT) -> None:
        """Open a store, and make it or bring it up to date where that is due.

        Args:
            url: ``sqlite:///path``, ``postgresql://user@host/name``, the path of a SQLite file, or None
                for ``MEMGUARD_MEMORY_URL``, else ``memory.db`` in MemGuard's own folder.
            tenant_id: Whose memory.

        Raises:
            InvalidParameterError: The URL or the tenant is not valid.
            StoreUnavailableError: The store cannot be opened: no folder, no right, damaged, not ours.
            StoreVersionError: A newer MemGuard wrote it.
        """
        self._tenant_id = codec.storable("tenant_id", tenant_name(tenant_id))
        self._database = Database(store_url(url))
        self._vectors = Caches()

    @property
    def tenant_id(self) -> str:
        """Whose memory this is."""
        return self._tenant_id

    @property
    def location(self) -> str:
        """Where the store is: a path, or a URL without its password."""
        return self._database.where

    @property
    def backend(self) -> str:
        """``sqlite``, ``postgresql`` or ``postgresql+pgvector``."""
        if self._database.sqlite:
            return "sqlite"
        return "postgresql+pgvector" if self._database.tables.pgvector else "postgresql"

    def for_tenant(self, tenant_id: str) -> MemoryStore:
        """Return the same store for another tenant; both share connections, and ``close`` closes both."""
        other = object.__new__(type(self))
        other._tenant_id = codec.storable("tenant_id", tenant_name(tenant_id))
        other._database = self._database
        other._vectors = self._vectors
        return other

    def close(self) -> None:
        """Close all connections and drop the cached vectors."""
        self._database.close()
        self._vectors.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Writing

    @contextmanager
    def transaction(self, action: str) -> Iterator[Transaction]:
        """Give a transaction for several changes that belong together, with one record named ``action``.

        An exception inside the block leaves the store as it was.

        Raises:
            InvalidParameterError: The action has no name.
            StoreUnavailableError: The store cannot be written; nothing was.
        """
        if not isinstance(action, str) or not action.strip():
            raise InvalidParameterError(f"action must name what is done; got {action!r}")
        with self._database.write() as connection:
            transaction = Transaction(connection, self._database.tables, self._tenant_id)
            yield transaction
            transaction.finish(codec.storable("action", action))

    def add(
        self, entry: MemoryEntry, details: Details | None = None, *, supersedes: Sequence[str] = ()
    ) -> StoredEntry:
        """Add an entry.

        Args:
            entry: Of this tenant.
            details: What is kept with it.
            supersedes: Ids of entries that it replaces; they are kept as ``superseded``.

        Raises:
            EntryExistsError: The id is taken.
            EntryNotFoundError: One of ``supersedes`` does not exist; nothing was added.
            InvalidParameterError: The entry is another tenant's, or holds what the store cannot.
        """
        checked_entry(entry)
        with self.transaction("supersede" if supersedes else "add") as transaction:
            stored = transaction.add(entry, details)
            return transaction.supersede(supersedes, entry.id) if supersedes else stored

    def add_many(self, items: Iterable[MemoryEntry | tuple[MemoryEntry, Details]]) -> tuple[StoredEntry, ...]:
        """Add several entries in one write; all or none. Errors as ``add``."""
        pairs = [item if isinstance(item, tuple) else (item, Details()) for item in items]
        with self.transaction("add") as transaction:
            return transaction.add_many(pairs)

    def update(self, entry_id: str, *, version: int | None, **changes: Any) -> StoredEntry:
        """Change fields of an entry or its details; what it was before stays in its history.

        Args:
            entry_id: Which entry.
            version: The version that the caller has read; None overwrites whatever is there.
            changes: Fields by name. A new content does not make a new embedding: pass one, or None.

        Raises:
            EntryNotFoundError: The tenant has no entry of that id.
            StaleEntryError: The entry has another version by now.
            InvalidParameterError: A name or a value is not valid.
        """
        with self.transaction("update") as transaction:
            return transaction.update(entry_id, version=version, **changes)

    def delete(self, entry_id: str, *, version: int | None = None) -> StoredEntry:
        """Delete an entry so that ``restore`` can bring it back. Errors as ``update``."""
        with self.transaction("delete") as transaction:
            return transaction.set_status(entry_id, Status.DELETED, version=version)

    def archive(self, entry_id: str, *, version: int | None = None) -> StoredEntry:
        """Put an entry away; ``restore`` brings it back. Errors as ``update``."""
        with self.transaction("archive") as transaction:
            return transaction.set_status(entry_id, Status.ARCHIVED, version=version)

    def restore(self, entry_id: str, *, version: int | None = None) -> StoredEntry:
        """Make a deleted, archived or superseded entry active again. Errors as ``update``."""
        with self.transaction("restore") as transaction:
            return transaction.set_status(entry_id, Status.ACTIVE, version=version)

    def supersede(self, old_ids: str | Sequence[str], new: str | MemoryEntry) -> StoredEntry:
        """Have one entry replace others, which are kept as ``superseded``; each names the other.

        Args:
            old_ids: What is replaced.
            new: The id of the entry that replaces them, or a new entry, which is added first.

        Raises:
            EntryNotFoundError: The tenant lacks one of them; nothing was written.
            InvalidParameterError: An entry would replace itself, be it by way of others.
        """
        old = [old_ids] if isinstance(old_ids, str) else old_ids
        if isinstance(new, MemoryEntry):
            return self.add(new, supersedes=old)
        with self.transaction("supersede") as transaction:
            return transaction.supersede(old, new)

    def purge(self, entry_id: str) -> None:
        """Erase an entry and its history for good; the chain keeps digests, which say nothing.

        Raises:
            EntryNotFoundError: The tenant has no entry of that id.
        """
        with self.transaction("purge") as transaction:
            transaction.purge(entry_id)

    def undo(self, seq: int) -> StoreRecord:
        """Take back what the write of a record did, as a new write with a record of its own.

        Added entries are deleted (and can be restored), changed ones hold what they held before. To undo
        an undo, undo its record.

        Returns:
            The record of the undoing.

        Raises:
            InvalidParameterError: There is no such record, or it changed nothing that can be taken back.
            StaleEntryError: An entry of that write has changed since; nothing is taken back.
        """
        if isinstance(seq, bool) or not isinstance(seq, int):
            raise InvalidParameterError(f"a record has a whole number; got {seq!r}")
        with self._database.write() as connection:
            tables = self._database.tables
            transaction = Transaction(connection, tables, self._tenant_id)
            found = next(chain.read(connection, tables, self._tenant_id, after=seq - 1, limit=1), None)
            if found is None or seq < 0:
                raise InvalidParameterError(f"tenant {self._tenant_id!r} has no record {seq}")
            transaction.undo(found)
            record = transaction.finish("undo")
            if record is None:
                raise InvalidParameterError(f"record {seq} ({found.action}) changed nothing to take back")
            return record

    # Reading

    def get(self, entry_id: str) -> StoredEntry:
        """Return an entry in whatever state.

        Raises:
            EntryNotFoundError: The tenant has no entry of that id.
        """
        found = self.get_many([entry_id])
        if entry_id not in found:
            raise not_found(entry_id, self._tenant_id)
        return found[entry_id]

    def get_many(self, ids: Iterable[str]) -> dict[str, StoredEntry]:
        """Return the entries of those ids that the tenant has, in whatever state, by id."""
        with self._database.read() as connection:
            return reading.fetch_ids(connection, self._database.tables, self._tenant_id, ids)

    def list(
        self,
        wanted: EntryFilter = GIVEN_OUT,
        *,
        order: Order = Order.NEWEST,
        limit: int | None = None,
        offset: int = 0,
    ) -> tuple[StoredEntry, ...]:
        """Return entries in order.

        Args:
            wanted: Which; the default is those that may be given out, ``EVERYTHING`` all.
            order: How they are sorted.
            limit: At most so many, for a page.
            offset: How many to pass over first.
        """
        checked_count("offset", offset, 0)
        if limit is not None:
            checked_count("limit", limit, 0)
        with self._database.read() as connection:
            return reading.fetch(
                connection,
                self._database.tables,
                self._tenant_id,
                wanted,
                order=order,
                limit=limit,
                offset=offset,
            )

    def count(self, wanted: EntryFilter = GIVEN_OUT) -> int:
        """Return how many entries a filter means."""
        with self._database.read() as connection:
            return reading.count(connection, self._database.tables, self._tenant_id, wanted)

    def history(self, entry_id: str) -> tuple[StoredEntry, ...]:
        """Return the earlier versions of an entry, oldest first; their lineage is not kept.

        Raises:
            EntryNotFoundError: The tenant has no entry of that id.
        """
        self.get(entry_id)
        table = self._database.tables.revisions
        query = select(table).where(table.c.tenant_id == self._tenant_id, table.c.id == entry_id)
        with self._database.read() as connection:
            rows = connection.execute(query.order_by(table.c.version)).mappings()
            return tuple(codec.from_row(row) for row in rows)

    def search(self, embedding: ArrayLike, k: int = 10, wanted: EntryFilter = GIVEN_OUT) -> tuple[Hit, ...]:
        """Return the entries nearest to a vector, exactly: every entry that the filter means is compared.

        Args:
            embedding: Shape (d,); entries with an embedding of another length are not compared. Where
                several models have made embeddings, name one in ``wanted.embedding_model``.
            k: At most so many.
            wanted: Which entries; the default is those that may be given out.

        Returns:
            The most similar first, equal ones by id; ``entry.relevance_score`` is the similarity.

        Raises:
            InvalidParameterError: The vector is not one row of finite numbers, or ``k`` is not positive.
        """
        query = _query(embedding)
        checked_count("k", k, 1)
        tables = self._database.tables
        with self._database.read() as connection:
            if tables.pgvector:
                best = pgvector.nearest(connection, tables, self._tenant_id, query, k, wanted)
            else:
                vectors = self._vectors.refreshed(connection, tables, self._tenant_id)
                best = []
                for ids, similarities in vectors.ranked(query):
                    meant = reading.matching(connection, tables, self._tenant_id, wanted, ids)
                    best += [
                        pair for pair in zip(ids, similarities.tolist(), strict=True) if pair[0] in meant
                    ]
                    if len(best) >= k:
                        break
            found = reading.fetch_ids(connection, tables, self._tenant_id, (key for key, _ in best[:k]))
        return tuple(
            Hit(
                replace(found[key], entry=found[key].entry.replace(relevance_score=similarity)),
                similarity,
            )
            for key, similarity in best[:k]
        )

    # What was given out

    def mark_given(self, ids: Iterable[str], *, whole: str | None = None) -> None:
        """Remember that these entries were given to a model, so that they are not captured as new.

        Args:
            ids: Entries of this tenant.
            whole: The text that was made of them, if they were not given one by one.

        Raises:
            EntryNotFoundError: The tenant lacks one of them.
        """
        with self.transaction("give") as transaction:
            texts = {key: codec.readable_text(transaction.get(key).entry.content) for key in ids}
            transaction.mark_given(texts | ({"": whole} if whole is not None else {}))

    def was_given(self, content: str) -> bool:
        """Return whether this very text, white space and letter case aside, was given out of memory."""
        table = self._database.tables.given
        query = select(func.count()).where(
            table.c.tenant_id == self._tenant_id, table.c.digest == codec.given_digest(content)
        )
        with self._database.read() as connection:
            return int(connection.execute(query).scalar_one()) > 0

    # The chain

    def records(self, *, after: int = -1, limit: int | None = None) -> tuple[StoreRecord, ...]:
        """Return the tenant's records in order, from the one after ``after`` on."""
        with self._database.read() as connection:
            found = chain.read(connection, self._database.tables, self._tenant_id, after=after, limit=limit)
            return tuple(found)

    def head(self) -> str:
        """Return the hash of the last record, which vouches for all that was written; keep it elsewhere."""
        with self._database.read() as connection:
            return chain.head(connection, self._database.tables, self._tenant_id)[1]

    def verify(self, *, expected_head: str | None = None) -> Verification:
        """Check the chain, and that every entry and link is what the chain says.

        Args:
            expected_head: A head that was kept elsewhere; shows a recomputed chain too.
        """
        with self._database.read() as connection:
            return chain.verify(
                connection, self._database.tables, self._tenant_id, expected_head=expected_head
            )

    # Moving and upkeep

    def export(self, path: str | Path, wanted: EntryFilter = EVERYTHING) -> int:
        """Write entries as JSONL in one step, and return how many.

        Raises:
            StoreUnavailableError: The file cannot be written; what was there before is untouched.
        """
        written = self.export_lines(wanted)
        try:
            replace_text(Path(path), "".join(written))
        except OSError as error:
            raise StoreUnavailableError(f"{path}: cannot be written ({error.strerror})") from error
        return len(written) - 1

    def export_lines(self, wanted: EntryFilter = EVERYTHING) -> tuple[str, ...]:
        """Return an export's lines, the first of which says what they are."""
        with self._database.read() as connection:
            return tuple(transfer.lines(connection, self._database.tables, self._tenant_id, wanted))

    def import_file(self, path: str | Path, *, skip_existing: bool = False) -> tuple[int, int]:
        """Read an export into this tenant, all of it or nothing.

        Args:
            path: A JSONL file that ``export`` wrote, of whatever tenant.
            skip_existing: Leave entries whose id is taken as they are here, instead of refusing.

        Returns:
            How many were added, and how many were there already.

        Raises:
            InvalidParameterError: A line is not what is expected; the message has its number.
            EntryExistsError: An id is taken by an entry that holds something else.
            StoreUnavailableError: The file cannot be read.
        """
        try:
            lines = Path(path).read_text(encoding="utf-8").split("\n")
        except OSError as error:
            raise StoreUnavailableError(f"{path}: cannot be read ({error.strerror})") from error
        except UnicodeDecodeError as error:
            raise InvalidParameterError(f"{path}: not UTF-8 text at byte {error.start}") from error
        return self.import_lines(lines, skip_existing=skip_existing)

    def import_lines(self, lines: Iterable[str], *, skip_existing: bool = False) -> tuple[int, int]:
        """Read an export's lines into this tenant, as ``import_file`` does."""
        entries = transfer.read_lines(lines, self._tenant_id)
        with self.transaction("import") as transaction:
            return transfer.write(transaction, entries, skip_existing=skip_existing)

    def stats(self) -> StoreStats:
        """Return what the tenant has stored."""
        tables = self._database.tables
        own = tables.entries.c.tenant_id == self._tenant_id
        with self._database.read() as connection:

            def grouped(name: str) -> dict[str, int]:
                column = tables.entries.c[name]
                rows = connection.execute(
                    select(column, func.count()).where(own).group_by(column).order_by(column)
                )
                return {str(key): int(number) for key, number in rows}

            by_status = grouped("status")
            embedded = select(func.count()).where(own, tables.entries.c.embedding.is_not(None))
            versions = select(func.count()).where(tables.revisions.c.tenant_id == self._tenant_id)
            length, head = chain.head(connection, tables, self._tenant_id)
            return StoreStats(
                n_entries=sum(by_status.values()),
                by_status=by_status,
                by_type=grouped("memory_type"),
                n_embedded=int(connection.execute(embedded).scalar_one()),
                n_versions=int(connection.execute(versions).scalar_one()),
                n_records=length,
                head=head,
                cached_bytes=self._vectors.n_bytes(self._tenant_id),
                store_bytes=self._database.n_bytes(connection),
            )

    def vacuum(self) -> None:
        """Give the room of erased entries back to the disk. Writers wait meanwhile; nothing else changes."""
        with self._database.bare() as connection:
            if self._database.sqlite:
                connection.execute(text("VACUUM"))
                connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))
                return
            for table in self._database.tables.all.sorted_tables:
                connection.execute(text(f"VACUUM ANALYZE {table.name}"))


def _query(embedding: ArrayLike) -> NDArray[np.float32]:
    row = np.asarray(embedding)
    if row.ndim != 1 or row.dtype.kind not in "fiu" or not row.size:
        raise InvalidParameterError(
            f"embedding must be one row of numbers; got shape {row.shape} of {row.dtype}"
        )
    values = row.astype(np.float32)
    if not np.isfinite(values).all():
        raise InvalidParameterError("embedding must be finite")
    return values
