"""What the methods of a store are given, checked before anything is opened or written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memguard.errors import InvalidParameterError
from memguard.memory.entries import MemoryEntry


def checked_ids(ids: Iterable[Any]) -> list[str]:
    """Return the ids, each once.

    Raises:
        InvalidParameterError: They are no ids, or one of them is no text.
    """
    if isinstance(ids, str | bytes) or not isinstance(ids, Iterable):
        raise InvalidParameterError(f"ids must be several texts; got {type(ids).__name__}")
    chosen = list(ids)
    for value in chosen:
        if not isinstance(value, str):
            raise InvalidParameterError(f"the id of an entry is a text; got {type(value).__name__}")
    return list(dict.fromkeys(chosen))


def checked_entry(value: Any) -> MemoryEntry:
    """Return the entry.

    Raises:
        InvalidParameterError: It is none.
    """
    if not isinstance(value, MemoryEntry):
        raise InvalidParameterError(
            f"a store takes a MemoryEntry; got {type(value).__name__}; nothing was added"
        )
    return value


def checked_count(name: str, value: Any, least: int) -> int:
    """Return a whole number that is not too small.

    Raises:
        InvalidParameterError: It is no whole number, or too small.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise InvalidParameterError(f"{name} must be a whole number of {least} or more; got {value!r}")
    return value
