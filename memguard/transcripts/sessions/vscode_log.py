"""The log in which Visual Studio Code keeps a chat: a first line with the session, then its changes.

``{"kind": 0, "v": …}`` is the whole; kind 1 sets the value at a path ``k``; kind 2 cuts the list at a path
to ``i`` items, where that is given, and appends ``v``; kind 3 deletes what is at a path.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from memguard.errors import TranscriptError
from memguard.message_form import Notes
from memguard.transcripts.apis.turns import lines
from memguard.transcripts.document import Document
from memguard.transcripts.values import fields_of, items_of

_INITIAL, _SET, _PUSH, _DELETE = range(4)
_DEEPEST = 50


def is_log(objects: Sequence[dict[str, Any]]) -> bool:
    """Return whether the first object begins such a log."""
    return bool(objects) and _kind(objects[0]) == _INITIAL and isinstance(objects[0].get("v"), dict)


def replayed(document: Document, notes: Notes) -> tuple[dict[str, Any], int]:
    """Return the session after all changes, and how many lines could not be read.

    Raises:
        TranscriptError: The log has no first line with the session.
    """
    records, skipped = lines(document, notes)
    state: dict[str, Any] | None = None
    for record in records:
        place = f"line {record.line}"
        if _kind(record.value) == _INITIAL:
            state = fields_of(copy.deepcopy(record.value.get("v")))
        elif state is None:
            notes.add("a change before the session itself; it was left out", place)
        elif not _applied(state, copy.deepcopy(record.value)):  # the document keeps what it parsed
            notes.add("a change of what the session does not hold; it was left out", place)
    if state is None:
        raise TranscriptError("a log of changes without the session that they change", source=document.source)
    return state, skipped


def _kind(record: dict[str, Any]) -> int:
    kind = record.get("kind")
    return kind if isinstance(kind, int) and not isinstance(kind, bool) else -1


def _applied(state: dict[str, Any], record: dict[str, Any]) -> bool:
    """Change ``state``; return whether the change could be made."""
    path = items_of(record.get("k"))
    if not path or len(path) > _DEEPEST:
        return False
    container: Any = state
    for step in path[:-1]:
        container = _inner(container, step)
    kind, last, value = _kind(record), path[-1], record.get("v")
    if kind == _SET:
        return _set(container, last, value)
    if kind == _PUSH:
        target = _inner(container, last)
        if target is None and isinstance(container, dict) and isinstance(last, str):
            target = container[last] = []
        if not isinstance(target, list):
            return False
        start = record.get("i")
        if isinstance(start, int) and not isinstance(start, bool) and start >= 0:
            del target[start:]
        target += items_of(value)
        return True
    if kind == _DELETE and isinstance(container, dict) and isinstance(last, str):
        return container.pop(last, None) is not None
    return False


def _inner(container: Any, step: Any) -> Any:
    if isinstance(container, dict) and isinstance(step, str):
        return container.get(step)
    if isinstance(container, list) and isinstance(step, int) and 0 <= step < len(container):
        return container[step]
    return None


def _set(container: Any, step: Any, value: Any) -> bool:
    if isinstance(container, dict) and isinstance(step, str):
        container[step] = value
        return True
    if isinstance(container, list) and isinstance(step, int) and 0 <= step <= len(container):
        container[step : step + 1] = [value]
        return True
    return False
