"""What the store knows of an entry beyond the entry itself, and how entries are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from memguard.errors import InvalidParameterError
from memguard.memory.entries import MemoryEntry, MemoryType, epoch_seconds, finite, memory_type_of


class Status(StrEnum):
    """Where an entry stands. Only an active one is given out; none of the others is lost."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    """Replaced by others, which ``superseded_by`` names; kept as history."""
    ARCHIVED = "archived"
    """Put away by maintenance (noise, expiry)."""
    DELETED = "deleted"
    """Deleted by somebody; ``restore`` brings it back, ``purge`` erases it."""


class Order(StrEnum):
    """How a list is sorted; entries that are equal in it come by id."""

    NEWEST = "newest"
    OLDEST = "oldest"
    IMPORTANCE = "importance"
    UPDATED = "updated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """What is kept with an entry beside its own fields; everything has a neutral default.

    Attributes:
        text_raw: The text before compression (after the privacy gate), where it was compressed.
        compressed: Whether the content was compressed.
        compression_provider: Which model compressed it.
        tokens_in: Tokens of the raw text.
        tokens_out: Tokens of the content.
        embedding_model: Which model made the embedding, ``name@revision``.
        earliest_source_at: Time of its earliest source, in seconds since 1970.
        latest_source_at: Time of its latest source.
        expires_at: When it is no longer given out.
        confidence: ``low``, ``medium`` or ``high`` (E08).
        durability: ``durable``, ``transient`` or ``speculative`` (E02).
        staleness_risk: ``fresh``, ``moderate`` or ``stale`` (E09).
        privacy_status: ``public``, ``internal``, ``sensitive`` or ``secret-redacted`` (E10).
        compression: The strategy that made it (E03).
        injected: Whether its text was given to a model out of memory, rather than said by somebody.
        origin: Where it came from (``capture``, ``merge``, ``import``, …).
    """

    text_raw: str | None = None
    compressed: bool = False
    compression_provider: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    embedding_model: str | None = None
    earliest_source_at: float | datetime | None = None
    latest_source_at: float | datetime | None = None
    expires_at: float | datetime | None = None
    confidence: str | None = None
    durability: str | None = None
    staleness_risk: str | None = None
    privacy_status: str | None = None
    compression: str | None = None
    injected: bool = False
    origin: str | None = None

    def __post_init__(self) -> None:
        """Check the types, and turn moments into seconds since 1970.

        Raises:
            InvalidParameterError: A value is not of its type; the message names it.
        """
        for item in fields(self):
            value = getattr(self, item.name)
            if item.name in _MOMENTS and value is not None:
                object.__setattr__(self, item.name, epoch_seconds(value, item.name))
            elif item.name in _FLAGS and not isinstance(value, bool):
                raise InvalidParameterError(f"{item.name} must be True or False; got {value!r}")
            elif item.name in _COUNTS and not (value is None or _is_count(value)):
                raise InvalidParameterError(f"{item.name} must be a count of 0 or more; got {value!r}")
            elif item.name in _TEXTS and not (value is None or isinstance(value, str)):
                raise InvalidParameterError(f"{item.name} must be a text; got {value!r}")
            elif item.name in _TEXTS and value is not None:
                object.__setattr__(self, item.name, str(value))  # a StrEnum's member is stored as its value


_MOMENTS = frozenset({"earliest_source_at", "latest_source_at", "expires_at"})
_FLAGS = frozenset({"compressed", "injected"})
_COUNTS = frozenset({"tokens_in", "tokens_out"})
_TEXTS = frozenset(item.name for item in fields(Details)) - _MOMENTS - _FLAGS - _COUNTS


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """An entry as the store holds it.

    Attributes:
        entry: The memory itself; its embedding, if any, is an ``array`` of 4-byte floats.
        details: What is kept with it.
        status: Where it stands.
        version: 1 when added, one more with each change; a write that names an older one is refused.
        stored_at: When it was added to a store, in seconds since 1970.
        updated_at: When it last changed.
        supersedes: Ids of the entries that it replaced, sorted.
        superseded_by: Ids of the entries that replaced it, sorted.
    """

    entry: MemoryEntry
    details: Details
    status: Status
    version: int
    stored_at: float
    updated_at: float
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The entry's id."""
        return self.entry.id

    @property
    def expired(self) -> bool:
        """Whether its time is over now."""
        limit = self.details.expires_at
        return limit is not None and epoch_seconds(limit) <= datetime.now(UTC).timestamp()


@dataclass(frozen=True, slots=True)
class Hit:
    """One result of a search: the entry, with ``entry.relevance_score`` set to the similarity.

    Attributes:
        stored: The entry.
        similarity: Cosine to the query, in [-1, 1].
    """

    stored: StoredEntry
    similarity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryFilter:
    """Which entries are meant; the default is those that may be given out: active and not expired.

    All conditions hold together. An empty tuple or None asks for nothing in particular.

    Attributes:
        types: Of one of these types.
        tags: With every one of these tags.
        status: In one of these states; an empty tuple means any.
        min_importance: At least this important, in [0, 1].
        since: Made at or after this moment.
        until: Made before this moment.
        text: Whose content contains this text, letter case aside.
        ids: Of these ids.
        expired: True: only those whose time is over; False: none of them; None: both.
        compressed: Whether compressed; None for both.
        injected: Whether it came out of memory; None for both.
        embedding_model: Whose embedding this model made.
        privacy_status: Of this privacy status.
        origin: Of this origin.
    """

    types: Iterable[MemoryType | str] = ()
    tags: Iterable[str] = ()
    status: Iterable[Status | str] = (Status.ACTIVE,)
    min_importance: float | None = None
    since: float | datetime | None = None
    until: float | datetime | None = None
    text: str | None = None
    ids: Iterable[str] | None = None
    expired: bool | None = False
    compressed: bool | None = None
    injected: bool | None = None
    embedding_model: str | None = None
    privacy_status: str | None = None
    origin: str | None = None

    def __post_init__(self) -> None:
        """Check and normalise: single values become tuples of one, moments seconds since 1970.

        Raises:
            InvalidParameterError: A type or a state does not exist, or a value is not of its kind.
        """
        values: dict[str, Any] = {
            "types": tuple(memory_type_of(item) for item in _several(self.types)),
            "tags": tuple(_several(self.tags)),
            "status": tuple(status_of(item) for item in _several(self.status)),
            "ids": None if self.ids is None else tuple(_several(self.ids)),
        }
        for name in ("since", "until"):
            moment = getattr(self, name)
            values[name] = None if moment is None else epoch_seconds(moment, name)
        if self.min_importance is not None:
            values["min_importance"] = finite("min_importance", self.min_importance)
        for name, value in values.items():
            object.__setattr__(self, name, value)


def status_of(value: Status | str) -> Status:
    """Return the status of that value.

    Raises:
        InvalidParameterError: There is none.
    """
    try:
        return Status(value)
    except ValueError as error:
        known = ", ".join(item.value for item in Status)
        raise InvalidParameterError(f"status must be one of {known}; got {value!r}") from error


ENTRY_FIELDS = frozenset(item.name for item in fields(MemoryEntry))
DETAIL_FIELDS = frozenset(item.name for item in fields(Details))
FIXED_FIELDS = frozenset({"id", "tenant_id"})


def changed(stored: StoredEntry, changes: Mapping[str, Any]) -> StoredEntry:
    """Return a stored entry with other values in some fields of its entry or its details.

    Raises:
        InvalidParameterError: A name is unknown or belongs to the identity, or a value is not valid.
    """
    unknown = sorted(set(changes) - ((ENTRY_FIELDS | DETAIL_FIELDS) - FIXED_FIELDS))
    if unknown:
        raise InvalidParameterError(
            "an update may change the details and the fields of an entry, but not its id and tenant; "
            f"got {unknown}"
        )
    entry = {name: value for name, value in changes.items() if name in ENTRY_FIELDS}
    details = {name: value for name, value in changes.items() if name in DETAIL_FIELDS}
    return replace(
        stored,
        entry=stored.entry.replace(**entry) if entry else stored.entry,
        details=replace(stored.details, **details) if details else stored.details,
    )


def _several(values: Iterable[Any]) -> Iterable[Any]:
    return (values,) if isinstance(values, str) else values


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


GIVEN_OUT = EntryFilter()
"""What may be given out: active and not expired."""

EVERYTHING = EntryFilter(status=(), expired=None)
"""Every entry, in whatever state."""
