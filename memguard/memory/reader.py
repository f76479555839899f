"""``StoreReader``: one tenant's memory as it is read, exported and checked; nothing here changes it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

from numpy.typing import ArrayLike

from memguard.audit import Verification
from memguard.memory import chain, codec, reading, search, statistics, transfer
from memguard.memory.arguments import checked_count
from memguard.memory.chain import StoreRecord
from memguard.memory.database import Database, store_url
from memguard.memory.entries import DEFAULT_TENANT, tenant_name
from memguard.memory.rows import EVERYTHING, GIVEN_OUT, EntryFilter, Hit, Order, StoredEntry
from memguard.memory.statistics import StoreStats
from memguard.memory.transaction import not_found
from memguard.memory.vectors import Caches


class StoreReader:
    """What a store tells of one tenant; each answer shows one state of the store throughout."""

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

    def for_tenant(self, tenant_id: str) -> Self:
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

    # Entries

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
        with self._database.read() as connection:
            return reading.history(connection, self._database.tables, self._tenant_id, entry_id)

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
        query = search.checked_query(embedding)
        checked_count("k", k, 1)
        with self._database.read() as connection:
            return search.nearest(
                connection, self._database.tables, self._tenant_id, query, k, wanted, self._vectors
            )

    def was_given(self, content: str) -> bool:
        """Return whether this very text, white space and letter case aside, was given out of memory."""
        with self._database.read() as connection:
            return reading.was_given(connection, self._database.tables, self._tenant_id, content)

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

    # As a whole

    def export(self, path: str | Path, wanted: EntryFilter = EVERYTHING) -> int:
        """Write entries as JSONL in one step, and return how many.

        Raises:
            StoreUnavailableError: The file cannot be written; what was there before is untouched.
        """
        written = self.export_lines(wanted)
        transfer.write_file(path, written)
        return len(written) - 1

    def export_lines(self, wanted: EntryFilter = EVERYTHING) -> tuple[str, ...]:
        """Return an export's lines, the first of which says what they are."""
        with self._database.read() as connection:
            return tuple(transfer.lines(connection, self._database.tables, self._tenant_id, wanted))

    def stats(self) -> StoreStats:
        """Return what the tenant has stored."""
        with self._database.read() as connection:
            return statistics.measured(connection, self._database, self._tenant_id, self._vectors)
