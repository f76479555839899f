"""An entry as a row of the tables, as a line of an export, and as a digest in the chain of records."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from memguard.audit import digest
from memguard.errors import InvalidParameterError
from memguard.memory.entries import Content, MemoryEntry
from memguard.memory.rows import Details, Status, StoredEntry, status_of
from memguard.memory.schema import dumps
from memguard.text import well_formed

Row = dict[str, Any]

_UNWRITABLE = re.compile("[\x00\ud800-\udfff]")
_DETAILS = tuple(item.name for item in fields(Details))
_OWN = ("memory_type", "importance", "relevance_score", "tags", "embedding", "metadata", "timestamp")
_STORED = ("status", "version", "stored_at", "updated_at")
_LINKS = ("supersedes", "superseded_by")
LINE_FIELDS = frozenset({"id", "content", *_OWN, *_DETAILS, *_STORED, *_LINKS})


def readable_text(content: Content) -> str:
    """Return the words of a content: a text as it is, of a dict all its texts, one a line."""
    if isinstance(content, str):
        return content
    return "\n".join(_texts(content))


def search_text(content: Content) -> str:
    """Return what the text filter searches: the words, without case, as any database can hold them."""
    return folded(readable_text(content))


def folded(text: str) -> str:
    """Return a text without letter case, NUL and lone surrogates."""
    return well_formed(text).replace("\x00", "").casefold()


def given_digest(text: str) -> str:
    """Return the digest by which a text that was given out is known again, white space and case aside."""
    return hashlib.sha256(" ".join(folded(text).split()).encode()).hexdigest()


def is_storable(text: str) -> bool:
    """Return whether every database can hold a text as it is; no id, tag or name has another."""
    return _UNWRITABLE.search(text) is None


def storable(name: str, text: str) -> str:
    """Return a name (an id, a tag, a tenant) that every database can hold.

    Raises:
        InvalidParameterError: It has NUL or a lone surrogate.
    """
    if not is_storable(text):
        raise InvalidParameterError(
            f"{name} must have no NUL and no lone surrogate to be stored; got {text!r}"
        )
    return text


def storable_entry(entry: MemoryEntry, details: Details) -> MemoryEntry:
    """Return an entry as the store will give it back: plain JSON values, and 4-byte floats.

    Raises:
        InvalidParameterError: The store cannot hold a value exactly; the message names it.
    """
    storable("id", entry.id)
    for tag in entry.tags:
        storable("a tag", tag)
    for name in _DETAILS:
        value = getattr(details, name)
        if isinstance(value, str) and name != "text_raw":
            storable(name, value)
    return entry.replace(
        content=_as_stored("content", entry.content),
        metadata=_as_stored("metadata", entry.metadata),
        embedding=_float32(entry.embedding),
    )


def loggable(value: Any) -> Any:
    """Return a note for the chain of records, as it will be read back.

    Raises:
        InvalidParameterError: It is no JSON value.
    """
    return json.loads(well_formed(dumps(value, "note")))


def to_row(stored: StoredEntry) -> Row:
    """Return the columns of an entry, without those that only the store's tables need."""
    entry = stored.entry
    row: Row = {"tenant_id": entry.tenant_id, "id": entry.id, "content": entry.content}
    row |= {name: getattr(entry, name) for name in _OWN}
    row |= {name: getattr(stored.details, name) for name in _DETAILS}
    row |= {"status": stored.status.value, "version": stored.version}
    row |= {"stored_at": stored.stored_at, "updated_at": stored.updated_at}
    row["memory_type"] = entry.memory_type.value
    return row


def from_row(row: Mapping[Any, Any], links: Mapping[str, Collection[str]] | None = None) -> StoredEntry:
    """Return the entry of a row, or of the dict that ``to_row`` made.

    Args:
        row: The columns.
        links: ``supersedes`` and ``superseded_by``.
    """
    links = links or {}
    return StoredEntry(
        entry=MemoryEntry(
            row["content"],
            id=row["id"],
            tenant_id=row["tenant_id"],
            **{name: row[name] for name in _OWN},
        ),
        details=Details(**{name: row[name] for name in _DETAILS}),
        status=Status(row["status"]),
        version=row["version"],
        stored_at=row["stored_at"],
        updated_at=row["updated_at"],
        supersedes=tuple(sorted(links.get("supersedes", ()))),
        superseded_by=tuple(sorted(links.get("superseded_by", ()))),
    )


def row_digest(row: Mapping[Any, Any]) -> str:
    """Return the digest of a row, by which the chain of records vouches for it.

    Lineage is not in it: every link is in the chain itself.
    """
    plain = {name: _plain(row[name]) for name in ("tenant_id", "id", "content", *_OWN, *_DETAILS, *_STORED)}
    return digest(plain)


def to_line(stored: StoredEntry) -> Row:
    """Return the line of an export: every field but the tenant, which is that of whoever imports it."""
    row = to_row(stored)
    del row["tenant_id"]
    row["embedding"] = _encoded(row["embedding"])
    row["supersedes"] = list(stored.supersedes)
    row["superseded_by"] = list(stored.superseded_by)
    return row


def from_line(line: object, tenant_id: str) -> StoredEntry:
    """Return the entry of an export's line, as an entry of that tenant.

    Raises:
        InvalidParameterError: It is not such a line; the message says what is wrong.
    """
    if not isinstance(line, dict) or set(line) != LINE_FIELDS:
        missing = sorted(LINE_FIELDS - set(line)) if isinstance(line, dict) else "everything"
        unknown = sorted(set(line) - LINE_FIELDS) if isinstance(line, dict) else "nothing"
        raise InvalidParameterError(f"it is no exported entry: missing {missing}, unknown {unknown}")
    if type(line["version"]) is not int or line["version"] < 1:
        raise InvalidParameterError(f"version must be a whole number from 1; got {line['version']!r}")
    status_of(line["status"])
    for name in ("stored_at", "updated_at"):
        if not isinstance(line[name], int | float) or isinstance(line[name], bool):
            raise InvalidParameterError(f"{name} must be seconds since 1970; got {line[name]!r}")
    for name in _LINKS:
        if not isinstance(line[name], list) or not all(isinstance(item, str) for item in line[name]):
            raise InvalidParameterError(f"{name} must be a list of ids; got {line[name]!r}")
    row = {**line, "tenant_id": tenant_id, "embedding": _decoded(line["embedding"])}
    return from_row(row, {name: line[name] for name in _LINKS})


def _as_stored(name: str, value: Any) -> Any:
    return json.loads(dumps(value, name))


def _float32(vector: Sequence[float] | None) -> Sequence[float] | None:
    if vector is None or len(vector) == 0:
        return None
    with np.errstate(over="ignore"):
        row = np.asarray(vector, dtype=np.float32) + np.float32(0)  # -0.0 becomes 0.0, as pgvector has it
    if not np.isfinite(row).all():
        raise InvalidParameterError("embedding must fit floats of 4 bytes (up to 3.4e38) to be stored")
    return array("f", row.tobytes())


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return _escaped(value)
    if isinstance(value, array):
        return {"sha256": hashlib.sha256(np.asarray(value, dtype="<f4").tobytes()).hexdigest()}
    if isinstance(value, Mapping):
        return {_escaped(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _escaped(text: str) -> str:
    """Return a text that UTF-8 can write, for a digest; only one with lone surrogates is another."""
    return text.encode("utf-8", "surrogatepass").decode("latin-1") if not is_storable(text) else text


def _encoded(vector: Sequence[float] | None) -> str | None:
    if vector is None:
        return None
    return base64.b64encode(np.asarray(vector, dtype="<f4").tobytes()).decode("ascii")


def _decoded(text: object) -> Sequence[float] | None:
    if text is None:
        return None
    try:
        if not isinstance(text, str):
            raise TypeError(type(text).__name__)
        row = np.frombuffer(base64.b64decode(text, validate=True), dtype="<f4")
    except (TypeError, ValueError) as error:
        raise InvalidParameterError(f"embedding must be 4-byte floats in base64 ({error})") from error
    return array("f", row.astype(np.float32).tobytes())


def _texts(value: object) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)
    elif value is not None:
        yield str(value)
