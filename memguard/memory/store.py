"""``MemoryStore``: one audited home for the memory of many tenants, in SQLite or PostgreSQL.

Identity: an entry is its tenant and its id. A store object is bound to one tenant and every statement
names it, so no call can reach another's entries; ``for_tenant`` gives the same store for another one.

Every write is one transaction that also writes its record into the tenant's chain: a killed process
leaves the store as it was before or as it is after. Every entry has a version, and a write that names
an older one is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import text

from memguard.errors import InvalidParameterError
from memguard.memory import chain, codec, transfer
from memguard.memory.arguments import checked_entry
from memguard.memory.chain import StoreRecord
from memguard.memory.entries import MemoryEntry
from memguard.memory.reader import StoreReader
from memguard.memory.rows import Details, Status, StoredEntry
from memguard.memory.statistics import StoreStats as StoreStats
from memguard.memory.transaction import Transaction


class MemoryStore(StoreReader):
    """The memory of one tenant. Safe to use from several threads and processes at once."""

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
        return self.import_lines(transfer.file_lines(path), skip_existing=skip_existing)

    def import_lines(self, lines: Iterable[str], *, skip_existing: bool = False) -> tuple[int, int]:
        """Read an export's lines into this tenant, as ``import_file`` does."""
        entries = transfer.read_lines(lines, self._tenant_id)
        with self.transaction("import") as transaction:
            return transfer.write(transaction, entries, skip_existing=skip_existing)

    def vacuum(self) -> None:
        """Give the room of erased entries back to the disk. Writers wait meanwhile; nothing else changes."""
        with self._database.bare() as connection:
            if self._database.sqlite:
                connection.execute(text("VACUUM"))
                connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))
                return
            for table in self._database.tables.all.sorted_tables:
                connection.execute(text(f"VACUUM ANALYZE {table.name}"))
