"""What the tool ``memory`` does: ``memory(action=…)`` on one tenant's store, with limits on size.

Over the protocol nothing is erased for good, no file is named and no tenant chosen: whoever starts the
server decides of those. What a call gives out goes to a model, so that it is never captured as new.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from typing import Any

from memguard.errors import InvalidParameterError
from memguard.memory.desk import Memory
from memguard.server.memory_arguments import (
    MOST_FOUND,
    MOST_LISTED,
    MOST_SUMMARY_TOKENS,
    MemoryArguments,
)
from memguard.server.memory_words import worded
from memguard.server.work import MOST_CHARS, Answer
from memguard.trace import Progress

MOST_TEXT_CHARS = 200_000
_HIGHEST = {"k": MOST_FOUND, "limit": MOST_LISTED, "max_tokens": MOST_SUMMARY_TOKENS}


class MemoryTool:
    """The tool on one tenant's memory. Safe to call from several threads."""

    def __init__(self, open_memory: Callable[[], Memory]) -> None:
        """Take what opens the memory; the first call does, so that the others need no store."""
        self._open = open_memory
        self._memory: Memory | None = None
        self._opening = threading.Lock()

    def __call__(self, arguments: MemoryArguments, progress: Progress) -> Answer:
        """Carry out an action.

        Raises:
            InvalidParameterError: An argument is not the action's, not valid, or too large.
            EntryNotFoundError: There is no entry of that id.
            StoreError: The store cannot do it; nothing was changed.
        """
        del progress  # an action is one step
        given = arguments.given()
        _check_size(given)
        result: dict[str, Any] = self._bound()(arguments.action, **given)
        if arguments.action in {"list", "get"}:
            self._mark_given(result)
        if arguments.action == "export":
            _check_export(result)
        return Answer((worded(result),), dict(result))

    def _bound(self) -> Memory:
        with self._opening:
            if self._memory is None:
                self._memory = self._open()
        return self._memory

    def _mark_given(self, result: Mapping[str, Any]) -> None:
        entries = result["entries"] if "entries" in result else [result["entry"]]
        if entries:
            self._bound().store.mark_given(entry["id"] for entry in entries)


def _check_size(given: Mapping[str, Any]) -> None:
    """Refuse what is too large, before a model is asked or anything is written."""
    n_chars = len(given.get("text", ""))
    if n_chars > MOST_TEXT_CHARS:
        raise InvalidParameterError(
            f"text holds {n_chars:,} characters; at most {MOST_TEXT_CHARS:,} are taken in one call: "
            "capture it in parts. Nothing was stored"
        )
    for name in ("turns", "metadata", "lines"):
        size = len(json.dumps(given.get(name), ensure_ascii=False))
        if size > MOST_CHARS:
            raise InvalidParameterError(
                f"{name} holds {size:,} characters; at most {MOST_CHARS:,} are taken in one call. "
                "Nothing was done; on the server's machine memguard memory takes more"
            )
    for name, highest in _HIGHEST.items():
        if given.get(name, 0) > highest:
            raise InvalidParameterError(
                f"the argument {name!r} must be at most {highest:,}; got {given[name]:,}"
            )


def _check_export(result: Mapping[str, Any]) -> None:
    n_chars = sum(map(len, result["lines"]))
    if n_chars > MOST_CHARS:
        raise InvalidParameterError(
            f"the export holds {n_chars:,} characters; at most {MOST_CHARS:,} are given in one call: filter "
            "it by tags, types, since or until, or use memguard memory export on the server's machine"
        )
