"""One write: changes that are committed together with the record that tells of them, or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from memguard.errors import (
    EntryExistsError,
    EntryNotFoundError,
    InvalidParameterError,
    StaleEntryError,
)
from memguard.memory import chain, codec, reading
from memguard.memory.arguments import checked_entry
from memguard.memory.chain import StoreRecord
from memguard.memory.entries import MemoryEntry
from memguard.memory.rows import Details, Status, StoredEntry, changed
from memguard.memory.schema import Tables

Change = dict[str, Any]


class Transaction:
    """The changes of one write, seen by nobody else before they are committed.

    ``MemoryStore.transaction`` gives one. Every method that changes something says so in the record that
    ends the write; a write that changed nothing leaves no record.
    """

    def __init__(self, connection: Connection, tables: Tables, tenant_id: str) -> None:
        """Take the tenant's turn: other writers of this tenant wait until the write is over."""
        self._connection = connection
        self._tables = tables
        self._tenant_id = tenant_id
        self._seq, _ = chain.take_turn(connection, tables, tenant_id)
        self._now = datetime.now(UTC).timestamp()
        self._changes: list[Change] = []
        self._notes: dict[str, Any] = {}

    def note(self, **notes: Any) -> None:
        """Add JSON values to the record: why this was done, with which settings, by which model.

        A note is kept for as long as the chain, so it must not repeat what an entry says.
        """
        self._notes |= codec.loggable(notes)

    def get(self, entry_id: str) -> StoredEntry:
        """Return an entry as this write has left it so far.

        Raises:
            EntryNotFoundError: The tenant has no entry of that id.
        """
        found = self.get_many([entry_id])
        if entry_id not in found:
            raise not_found(entry_id, self._tenant_id)
        return found[entry_id]

    def get_many(self, ids: Iterable[str]) -> dict[str, StoredEntry]:
        """Return the entries of those ids that the tenant has, as this write has left them so far."""
        return reading.fetch_ids(self._connection, self._tables, self._tenant_id, ids)

    def add(self, entry: MemoryEntry, details: Details | None = None) -> StoredEntry:
        """Add a new entry.

        Raises:
            EntryExistsError: The tenant has an entry of that id, in whatever state.
            InvalidParameterError: The entry is another tenant's, or holds what the store cannot.
        """
        return self.add_many([(entry, details or Details())])[0]

    def add_many(self, items: Iterable[tuple[MemoryEntry, Details]]) -> tuple[StoredEntry, ...]:
        """Add new entries, as ``add`` does; all or none."""
        return self.insert(
            StoredEntry(
                entry=checked_entry(entry),
                details=details,
                status=Status.ACTIVE,
                version=1,
                stored_at=self._now,
                updated_at=self._now,
            )
            for entry, details in items
        )

    def insert(self, items: Iterable[StoredEntry]) -> tuple[StoredEntry, ...]:
        """Add entries with their status, version and times as they are, and no lineage (an import).

        Raises:
            EntryExistsError: An id is taken, by an entry of the tenant or by another of ``items``.
            InvalidParameterError: An entry is another tenant's, or holds what the store cannot.
        """
        given = tuple(replace(item, entry=self._own(item)) for item in items)
        taken = self.get_many(item.id for item in given)
        seen: set[str] = set(taken)
        for item in given:
            if item.id in seen:
                state = (
                    f"{taken[item.id].status.value} entry" if item.id in taken else "entry of the same write"
                )
                raise EntryExistsError(
                    f"an {state} has the id {item.id!r} already; nothing was written. "
                    "Update or restore that one, or use another id"
                )
            seen.add(item.id)
        if given:
            rows = [codec.to_row(item) for item in given]
            self._insert_rows(rows)
            self._changes.extend(_told("add", row) for row in rows)
        return given

    def update(self, entry_id: str, *, version: int | None, **changes: Any) -> StoredEntry:
        """Change fields of an entry or of its details; what it was before stays in its history.

        Args:
            entry_id: Which entry.
            version: The version that the caller has read; None overwrites whatever is there.
            changes: Fields by name. A new content without a new embedding keeps the old embedding.

        Raises:
            EntryNotFoundError: The tenant has no entry of that id.
            StaleEntryError: The entry has another version by now.
            InvalidParameterError: A name or a value is not valid.
        """
        before = self._current(entry_id, version)
        return self._write(before, changed(before, changes), fields=sorted(changes))

    def set_status(self, entry_id: str, status: Status, *, version: int | None = None) -> StoredEntry:
        """Move an entry to another state; one that is in it already is left as it is.

        Raises:
            EntryNotFoundError: The tenant has no entry of that id.
            StaleEntryError: The entry has another version by now.
        """
        before = self._current(entry_id, version)
        if before.status is status:
            return before
        return self._write(before, replace(before, status=status), fields=["status"])

    def supersede(self, old_ids: Iterable[str], new_id: str) -> StoredEntry:
        """Have one entry replace others: they become ``superseded``, are kept, and each names the other.

        Raises:
            EntryNotFoundError: The tenant lacks one of them.
            InvalidParameterError: An entry would replace itself, be it by way of others.
        """
        new = self.get(new_id)
        for old_id in dict.fromkeys(old_ids):
            old = self.get(old_id)
            if old_id == new_id or old_id in self._successors(new_id):
                raise InvalidParameterError(
                    f"entry {new_id!r} cannot supersede {old_id!r}, which supersedes it"
                )
            if new_id not in old.superseded_by:
                self._link(old_id, new_id)
            self.set_status(old_id, Status.SUPERSEDED)
        return replace(new, supersedes=self.get(new_id).supersedes)

    def link(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Add lineage alone, each pair an old id and a new one (an import)."""
        known = self._known_links()
        for old_id, new_id in sorted(set(pairs) - known):
            self._link(old_id, new_id)

    def revert(self, entry_id: str, to_version: int, *, version: int | None = None) -> StoredEntry:
        """Give an entry what it held in an earlier version, as a new version.

        Raises:
            EntryNotFoundError: The tenant has no such entry, or no such version of it.
            StaleEntryError: The entry has another version by now.
        """
        before = self._current(entry_id, version)
        table = self._tables.revisions
        row = (
            self._connection.execute(
                select(table).where(
                    table.c.tenant_id == self._tenant_id,
                    table.c.id == entry_id,
                    table.c.version == to_version,
                )
            )
            .mappings()
            .one_or_none()
        )
        if row is None:
            raise EntryNotFoundError(f"entry {entry_id!r} has no version {to_version} in its history")
        earlier = codec.from_row(row)
        after = replace(before, entry=earlier.entry, details=earlier.details, status=earlier.status)
        return self._write(before, after, fields=["reverted"])

    def purge(self, entry_id: str) -> None:
        """Erase an entry and its history for good; the chain keeps its digests, which say nothing.

        Raises:
            EntryNotFoundError: The tenant has no entry of that id.
        """
        self.get(entry_id)
        tables = self._tables
        for table, key in (
            (tables.entries, tables.entries.c.id),
            (tables.revisions, tables.revisions.c.id),
            (tables.tags, tables.tags.c.entry_id),
            (tables.given, tables.given.c.entry_id),
        ):
            self._connection.execute(
                delete(table).where(table.c.tenant_id == self._tenant_id, key == entry_id)
            )
        self._changes.append({"change": "purge", "id": entry_id})

    def mark_given(self, texts: Mapping[str, str]) -> None:
        """Keep the digests of texts that were given to a model, so that they are known when they come back.

        Args:
            texts: By the id of the entry that each came from; the id ``""`` is for a text made of several.
        """
        table = self._tables.given
        for entry_id, text in texts.items():
            key = {"tenant_id": self._tenant_id, "digest": codec.given_digest(text), "entry_id": entry_id}
            same = [table.c[name] == value for name, value in key.items()]
            if self._connection.execute(update(table).where(*same).values(given_at=self._now)).rowcount == 0:
                self._connection.execute(insert(table), {**key, "given_at": self._now})
            self._changes.append({"change": "give", "id": entry_id, "digest": key["digest"]})

    def undo(self, record: StoreRecord) -> None:
        """Take back what an earlier write did: added entries are deleted, changed ones hold what they held.

        Nothing that was done since is lost: an entry that has changed since is refused.

        Raises:
            StaleEntryError: An entry of that write has changed since; nothing is taken back.
            InvalidParameterError: The write purged, which cannot be taken back.
        """
        first: dict[str, int | None] = {}
        last: dict[str, int] = {}
        for change in record.detail["changes"]:
            if change["change"] == "purge":
                raise InvalidParameterError(
                    f"record {record.seq} erased an entry for good; it cannot be undone"
                )
            if change["change"] in {"add", "update"}:
                first.setdefault(change["id"], change.get("from"))
                last[change["id"]] = change["version"]
        for entry_id, version in last.items():
            earlier = first[entry_id]
            if earlier is None:
                self.set_status(entry_id, Status.DELETED, version=version)
            else:
                self.revert(entry_id, earlier, version=version)
        for change in record.detail["changes"]:
            if change["change"] == "link":
                self._unlink(change["old"], change["new"])
            elif change["change"] == "unlink":
                self.link([(change["old"], change["new"])])
        self.note(undoes=record.seq)

    def finish(self, action: str) -> StoreRecord | None:
        """Write the record of the changes; the caller commits. None where nothing changed."""
        if not self._changes:
            return None
        detail = {**self._notes, "changes": self._changes}
        return chain.append(self._connection, self._tables, self._tenant_id, action, detail)

    def _own(self, item: StoredEntry) -> MemoryEntry:
        if item.entry.tenant_id != self._tenant_id:
            raise InvalidParameterError(
                f"entry {item.id!r} belongs to tenant {item.entry.tenant_id!r}, this store to "
                f"{self._tenant_id!r}; use store.for_tenant({item.entry.tenant_id!r})"
            )
        return codec.storable_entry(item.entry, item.details)

    def _current(self, entry_id: str, version: int | None) -> StoredEntry:
        before = self.get(entry_id)
        if version is not None and before.version != version:
            raise StaleEntryError(
                f"entry {entry_id!r} has version {before.version} by now, not {version}: somebody "
                "changed it. Nothing was written; read it again and decide anew"
            )
        return before

    def _write(self, before: StoredEntry, after: StoredEntry, *, fields: Sequence[str]) -> StoredEntry:
        after = replace(
            after,
            entry=codec.storable_entry(after.entry, after.details),
            version=before.version + 1,
            updated_at=self._now,
        )
        old, new = codec.to_row(before), codec.to_row(after)
        table = self._tables.entries
        self._connection.execute(insert(self._tables.revisions), old)
        self._connection.execute(
            update(table).where(table.c.tenant_id == self._tenant_id, table.c.id == before.id),
            {
                **{name: value for name, value in new.items() if name not in {"tenant_id", "id"}},
                "changed_seq": self._seq,
                "search_text": codec.search_text(after.entry.content),
            },
        )
        if before.entry.tags != after.entry.tags:
            self._replace_tags(before.id, after.entry.tags)
        self._changes.append(_told("update", new) | {"from": before.version, "fields": list(fields)})
        return after

    def _insert_rows(self, rows: Sequence[codec.Row]) -> None:
        full = [
            {**row, "changed_seq": self._seq, "search_text": codec.search_text(row["content"])}
            for row in rows
        ]
        self._connection.execute(insert(self._tables.entries), full)
        tags = [
            {"tenant_id": self._tenant_id, "tag": tag, "entry_id": row["id"]}
            for row in rows
            for tag in row["tags"]
        ]
        if tags:
            self._connection.execute(insert(self._tables.tags), tags)

    def _replace_tags(self, entry_id: str, tags: Sequence[str]) -> None:
        table = self._tables.tags
        self._connection.execute(
            delete(table).where(table.c.tenant_id == self._tenant_id, table.c.entry_id == entry_id)
        )
        if tags:
            rows = [{"tenant_id": self._tenant_id, "tag": tag, "entry_id": entry_id} for tag in tags]
            self._connection.execute(insert(table), rows)

    def _link(self, old_id: str, new_id: str) -> None:
        row = {"tenant_id": self._tenant_id, "old_id": old_id, "new_id": new_id}
        self._connection.execute(insert(self._tables.lineage), row)
        self._changes.append({"change": "link", "old": old_id, "new": new_id})

    def _unlink(self, old_id: str, new_id: str) -> None:
        table = self._tables.lineage
        gone = delete(table).where(
            table.c.tenant_id == self._tenant_id, table.c.old_id == old_id, table.c.new_id == new_id
        )
        if self._connection.execute(gone).rowcount:
            self._changes.append({"change": "unlink", "old": old_id, "new": new_id})

    def _known_links(self) -> set[tuple[str, str]]:
        table = self._tables.lineage
        rows = self._connection.execute(select(table).where(table.c.tenant_id == self._tenant_id))
        return {(row.old_id, row.new_id) for row in rows}

    def _successors(self, entry_id: str) -> set[str]:
        """Return what replaced an entry, and what replaced that, to the end."""
        found: set[str] = set()
        due = [entry_id]
        while due:
            linked = reading.links(self._connection, self._tables, self._tenant_id, due)
            due = [item for pair in linked.values() for item in pair["superseded_by"] if item not in found]
            found.update(due)
        return found


def not_found(entry_id: str, tenant_id: str) -> EntryNotFoundError:
    """Return the error for an id that a tenant does not have."""
    return EntryNotFoundError(f"tenant {tenant_id!r} has no entry {entry_id!r}")


def _told(kind: str, row: Mapping[str, Any]) -> Change:
    return {"change": kind, "id": row["id"], "version": row["version"], "digest": codec.row_digest(row)}
