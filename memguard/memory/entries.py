"""One memory: ``MemoryEntry``, the value that maintenance, extraction, capture and the store pass around.

An entry is a value. It is frozen, and what it holds is not meant to be changed in place; ``replace``
(or ``dataclasses.replace``) makes a changed one. What only a store knows of an entry (its status, version
and lineage) is in ``rows.StoredEntry``.
"""

from __future__ import annotations

import math
import uuid
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from enum import StrEnum
from numbers import Real
from typing import Any

import numpy as np

from memguard.errors import InvalidParameterError
from memguard.text import is_blank

DEFAULT_TENANT = "default"

Content = str | dict[str, Any]
"""What an entry holds: a text, or a dict such as ``{"input": …, "output": …}``."""


class MemoryType(StrEnum):
    """The kind of a memory, in the terms of the field (Tulving 1972; CoALA, Sumers et al. 2023)."""

    SHORT_TERM = "short_term"
    """Of one conversation; the first to expire."""
    WORKING = "working"
    """In use by a task that is not done."""
    LONG_TERM = "long_term"
    """Kept across conversations, of no more exact kind."""
    EPISODIC = "episodic"
    """What happened, and when."""
    SEMANTIC = "semantic"
    """What is so: facts and preferences."""
    PROCEDURAL = "procedural"
    """How something is done."""


@dataclass(frozen=True, slots=True, init=False, eq=False)
class MemoryEntry:
    """One memory.

    Two entries are equal if all their fields are, embeddings by value; the hash is that of the identity
    (tenant and id), so entries may be members of sets and keys of dicts.

    Attributes:
        content: A text or a dict.
        id: Unique within the tenant.
        timestamp: When it was made, in seconds since 1970 (UTC).
        memory_type: Its kind.
        importance: In [0, 1].
        relevance_score: Of the query that found it, any finite number; None where nothing was asked.
        tags: Sorted, each once.
        embedding: A list of floats, or an ``array`` of 4 or 8 bytes a number where it was given as a
            NumPy array or an ``array``; None where there is none. Both are false when empty, and
            ``np.asarray`` reads both.
        metadata: Whatever the caller keeps with it.
        tenant_id: Whose it is.
    """

    content: Content
    id: str
    timestamp: float
    memory_type: MemoryType
    importance: float
    relevance_score: float | None
    tags: list[str]
    embedding: Sequence[float] | None
    metadata: dict[str, Any]
    tenant_id: str

    def __init__(
        self,
        content: str | Mapping[str, Any],
        *,
        id: str | None = None,
        timestamp: float | datetime | None = None,
        memory_type: MemoryType | str = MemoryType.LONG_TERM,
        importance: float = 0.5,
        relevance_score: float | None = None,
        tags: Iterable[str] = (),
        embedding: Iterable[float] | None = None,
        metadata: Mapping[str, Any] | None = None,
        tenant_id: str = DEFAULT_TENANT,
    ) -> None:
        """Check and normalise the fields.

        Args:
            content: A text or a dict; of a dict the first level is copied.
            id: Any text that is not blank; None takes a fresh random one.
            timestamp: Seconds since 1970 or a datetime; a datetime without a zone is taken as UTC, so
                that an entry does not depend on the machine. None takes the present moment.
            memory_type: A ``MemoryType`` or its value.
            importance: In [0, 1].
            relevance_score: Any finite number, or None.
            tags: Any iterable of texts but a text itself, which would be split into letters.
            embedding: Any sequence of finite numbers; one of length zero counts as none in a search.
            metadata: A mapping; its first level is copied.
            tenant_id: Any text that is not blank.

        Raises:
            InvalidParameterError: A field is not of its type or outside its range; the message names it.
        """
        values: dict[str, Any] = {
            "content": _content(content),
            "id": uuid.uuid4().hex if id is None else _name("id", id),
            "timestamp": epoch_seconds(datetime.now(UTC) if timestamp is None else timestamp),
            "memory_type": memory_type_of(memory_type),
            "importance": _importance(importance),
            "relevance_score": None
            if relevance_score is None
            else finite("relevance_score", relevance_score),
            "tags": sorted_tags(tags),
            "embedding": None if embedding is None else vector(embedding),
            "metadata": _metadata(metadata),
            "tenant_id": tenant_name(tenant_id),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def key(self) -> str:
        """The id, under the name that summaries cite."""
        return self.id

    @property
    def created_at(self) -> datetime:
        """``timestamp`` as an aware datetime in UTC."""
        return datetime.fromtimestamp(self.timestamp, UTC)

    def replace(self, **changes: Any) -> MemoryEntry:
        """Return a copy with other values in some fields, checked like new ones."""
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        return MemoryEntry(**(values | changes))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MemoryEntry):
            return NotImplemented
        plain = (item.name for item in fields(self) if item.name != "embedding")
        return all(getattr(self, name) == getattr(other, name) for name in plain) and _same_vector(
            self.embedding, other.embedding
        )

    def __hash__(self) -> int:
        return hash((self.tenant_id, self.id))


def epoch_seconds(moment: float | datetime, name: str = "timestamp") -> float:
    """Return a moment as seconds since 1970; a datetime without a zone is taken as UTC.

    Raises:
        InvalidParameterError: It is neither a number nor a datetime, or no calendar holds it.
    """
    if isinstance(moment, datetime):
        aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        seconds = aware.timestamp()
    else:
        seconds = finite(name, moment, what="seconds since 1970 or a datetime")
    try:
        datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError) as error:
        raise InvalidParameterError(
            f"{name} must lie in the years 1 to 9999; got {moment!r}"
            + (" (are these milliseconds?)" if not isinstance(moment, datetime) else "")
        ) from error
    return seconds


def finite(name: str, value: object, *, what: str = "a finite number") -> float:
    """Return a number as a float.

    Raises:
        InvalidParameterError: It is no number, a bool, infinite or not a number at all (NaN).
    """
    if not isinstance(value, bool | np.bool_) and isinstance(value, Real):
        try:
            number = float(value) + 0.0  # -0.0, which not every database keeps, becomes 0.0
        except OverflowError:
            raise InvalidParameterError(f"{name} must be {what}; it is beyond any float") from None
        if math.isfinite(number):
            return number
    raise InvalidParameterError(f"{name} must be {what}; got {value!r}")


def memory_type_of(value: MemoryType | str) -> MemoryType:
    """Return the type of that value.

    Raises:
        InvalidParameterError: There is none.
    """
    try:
        return MemoryType(value)
    except ValueError as error:
        known = ", ".join(item.value for item in MemoryType)
        raise InvalidParameterError(f"memory_type must be one of {known}; got {value!r}") from error


def sorted_tags(tags: Iterable[str]) -> list[str]:
    """Return tags sorted, each once.

    Raises:
        InvalidParameterError: They are one text, no iterable, or one of them is no text.
    """
    if isinstance(tags, str | bytes) or not isinstance(tags, Iterable):
        raise InvalidParameterError(f"tags must be several texts, such as ['travel']; got {tags!r}")
    given = list(tags)
    for tag in given:
        if not isinstance(tag, str):
            raise InvalidParameterError(f"tags must be texts; got {tag!r}")
    return sorted(set(given))


def vector(values: Iterable[float]) -> Sequence[float]:
    """Return an embedding in one of its two forms, as ``MemoryEntry.embedding`` says.

    Raises:
        InvalidParameterError: It is not one row of finite numbers.
    """
    if isinstance(values, np.ndarray | array):
        row = np.asarray(values)
        if row.ndim != 1 or row.dtype.kind not in "fiu" or not np.isfinite(row).all():
            raise InvalidParameterError(
                f"embedding must be one row of finite numbers; got shape {row.shape} of {row.dtype}"
            )
        code, kind = ("f", np.float32) if row.dtype.itemsize <= 4 else ("d", np.float64)
        return array(code, row.astype(kind).tobytes())
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise InvalidParameterError(f"embedding must be a sequence of numbers; got {type(values).__name__}")
    return [finite(f"embedding[{place}]", value) for place, value in enumerate(values)]


def tenant_name(value: object) -> str:
    """Return a tenant's id.

    Raises:
        InvalidParameterError: It is no text, or blank.
    """
    return _name("tenant_id", value)


def _content(value: object) -> Content:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return dict(value)
    raise InvalidParameterError(f"content must be a text or a dict; got {type(value).__name__}")


def _metadata(value: object) -> dict[str, Any]:
    if value is None:
        return {}
    if isinstance(value, Mapping):
        return dict(value)
    raise InvalidParameterError(f"metadata must be a dict; got {type(value).__name__}")


def _name(field: str, value: object) -> str:
    if isinstance(value, str) and not is_blank(value):
        return value
    raise InvalidParameterError(f"{field} must be a text that is not blank; got {value!r}")


def _importance(value: object) -> float:
    number = finite("importance", value, what="a number in [0, 1]")
    if not 0 <= number <= 1:
        raise InvalidParameterError(f"importance must be a number in [0, 1]; got {value!r}")
    return number


def _same_vector(left: Sequence[float] | None, right: Sequence[float] | None) -> bool:
    if left is None or right is None:
        return left is right
    return bool(np.array_equal(np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64)))
