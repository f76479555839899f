"""Reading entries: a filter as conditions of a query, and rows as entries with their lineage."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, false, func, or_, select

from memguard.memory import codec
from memguard.memory.arguments import checked_ids
from memguard.memory.rows import EntryFilter, Order, StoredEntry
from memguard.memory.schema import Tables

_NAMES = ("embedding_model", "privacy_status", "origin")
ID_BATCH = 500
"""Ids in one statement: under the number of parameters that every database takes."""


def conditions(wanted: EntryFilter, tables: Tables, tenant_id: str) -> list[ColumnElement[bool]]:
    """Return a filter as conditions on the entries' table, the tenant first."""
    table = tables.entries.c
    terms: list[ColumnElement[bool]] = [table.tenant_id == tenant_id]
    if wanted.status:
        terms.append(table.status.in_([str(item) for item in wanted.status]))
    if wanted.types:
        terms.append(table.memory_type.in_([str(item) for item in wanted.types]))
    tags = tables.tags.c
    terms.extend(
        table.id.in_(select(tags.entry_id).where(tags.tenant_id == tenant_id, tags.tag == tag))
        for tag in wanted.tags
        if codec.is_storable(tag)
    )
    named = [getattr(wanted, name) for name in _NAMES if getattr(wanted, name) is not None]
    if not all(codec.is_storable(text) for text in (*wanted.tags, *named)):
        terms.append(false())  # nothing stored has such a name
    if wanted.min_importance is not None:
        terms.append(table.importance >= wanted.min_importance)
    if wanted.since is not None:
        terms.append(table.timestamp >= wanted.since)
    if wanted.until is not None:
        terms.append(table.timestamp < wanted.until)
    if wanted.text:
        terms.append(table.search_text.contains(codec.folded(wanted.text), autoescape=True))
    if wanted.ids is not None:
        terms.append(table.id.in_([item for item in wanted.ids if codec.is_storable(item)]))
    if wanted.expired is not None:
        now = datetime.now(UTC).timestamp()
        over = table.expires_at <= now
        terms.append(over if wanted.expired else or_(table.expires_at.is_(None), table.expires_at > now))
    terms.extend(
        table[name] == getattr(wanted, name)
        for name in ("compressed", "injected", *_NAMES)
        if getattr(wanted, name) is not None and codec.is_storable(str(getattr(wanted, name)))
    )
    return terms


def fetch(
    connection: Connection,
    tables: Tables,
    tenant_id: str,
    wanted: EntryFilter,
    *,
    order: Order = Order.NEWEST,
    limit: int | None = None,
    offset: int = 0,
) -> tuple[StoredEntry, ...]:
    """Return the entries that a filter means, in order."""
    query = (
        select(tables.entries).where(*conditions(wanted, tables, tenant_id)).order_by(*_order(tables, order))
    )
    if limit is not None or offset:
        query = query.limit(limit).offset(offset)
    return _entries(connection, tables, tenant_id, query)


def fetch_ids(
    connection: Connection, tables: Tables, tenant_id: str, ids: Iterable[str]
) -> dict[str, StoredEntry]:
    """Return the entries of those ids that the tenant has, in whatever state, by id."""
    table = tables.entries
    found: dict[str, StoredEntry] = {}
    for chunk in _batches(checked_ids(ids)):
        query = select(table).where(table.c.tenant_id == tenant_id, table.c.id.in_(chunk))
        found |= {stored.id: stored for stored in _entries(connection, tables, tenant_id, query)}
    return found


def pages(
    connection: Connection, tables: Tables, tenant_id: str, wanted: EntryFilter, size: int
) -> Iterator[tuple[StoredEntry, ...]]:
    """Yield the entries that a filter means by id, ``size`` at a time, however many there are."""
    table = tables.entries
    terms = conditions(wanted, tables, tenant_id)
    last: str | None = None
    while True:
        query = select(table).where(*terms).order_by(table.c.id).limit(size)
        page = _entries(
            connection, tables, tenant_id, query if last is None else query.where(table.c.id > last)
        )
        if not page:
            return
        yield page
        last = page[-1].id


def count(connection: Connection, tables: Tables, tenant_id: str, wanted: EntryFilter) -> int:
    """Return how many entries a filter means."""
    query = select(func.count()).select_from(tables.entries).where(*conditions(wanted, tables, tenant_id))
    return int(connection.execute(query).scalar_one())


def matching(
    connection: Connection, tables: Tables, tenant_id: str, wanted: EntryFilter, ids: Sequence[str]
) -> set[str]:
    """Return which of these ids a filter means."""
    table, tags = tables.entries, tables.tags
    # Tags are looked up by entry here: the filter's own way reads every entry that has the tag.
    terms = conditions(replace(wanted, tags=()), tables, tenant_id)
    found: set[str] = set()
    for chunk in _batches(ids):
        left = set(connection.execute(select(table.c.id).where(*terms, table.c.id.in_(chunk))).scalars())
        for tag in wanted.tags:
            query = select(tags.c.entry_id).where(
                tags.c.tenant_id == tenant_id, tags.c.tag == tag, tags.c.entry_id.in_(chunk)
            )
            left &= set(connection.execute(query).scalars()) if codec.is_storable(tag) else set()
        found |= left
    return found


def history(connection: Connection, tables: Tables, tenant_id: str, entry_id: str) -> tuple[StoredEntry, ...]:
    """Return the earlier versions of an entry, oldest first, without their lineage."""
    table = tables.revisions
    query = select(table).where(table.c.tenant_id == tenant_id, table.c.id == entry_id)
    rows = connection.execute(query.order_by(table.c.version)).mappings()
    return tuple(codec.from_row(row) for row in rows)


def was_given(connection: Connection, tables: Tables, tenant_id: str, content: str) -> bool:
    """Return whether this very text, white space and letter case aside, was given out of memory."""
    table = tables.given
    query = select(func.count()).where(
        table.c.tenant_id == tenant_id, table.c.digest == codec.given_digest(content)
    )
    return int(connection.execute(query).scalar_one()) > 0


def links(
    connection: Connection, tables: Tables, tenant_id: str, ids: Iterable[str]
) -> dict[str, dict[str, list[str]]]:
    """Return ``supersedes`` and ``superseded_by`` of each id that has any."""
    table = tables.lineage
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: {"supersedes": [], "superseded_by": []})
    for chunk in _batches(ids):
        for own, other, name in (
            (table.c.new_id, table.c.old_id, "supersedes"),
            (table.c.old_id, table.c.new_id, "superseded_by"),
        ):
            query = select(own, other).where(table.c.tenant_id == tenant_id, own.in_(chunk))
            for key, value in connection.execute(query):
                found[key][name].append(value)
    return found


def _entries(
    connection: Connection, tables: Tables, tenant_id: str, query: Select[Any]
) -> tuple[StoredEntry, ...]:
    rows = connection.execute(query).mappings().all()
    lineage = links(connection, tables, tenant_id, [row["id"] for row in rows])
    return tuple(codec.from_row(row, lineage.get(row["id"])) for row in rows)


def _order(tables: Tables, order: Order) -> tuple[ColumnElement[Any], ...]:
    table = tables.entries.c
    first = {
        Order.NEWEST: table.timestamp.desc(),
        Order.OLDEST: table.timestamp,
        Order.IMPORTANCE: table.importance.desc(),
        Order.UPDATED: table.updated_at.desc(),
    }[Order(order)]
    return first, table.id


def _batches(ids: Iterable[str]) -> Iterator[tuple[str, ...]]:
    rest = filter(codec.is_storable, ids)  # no entry has another id, and PostgreSQL refuses to look
    while chunk := tuple(islice(rest, ID_BATCH)):
        yield chunk
