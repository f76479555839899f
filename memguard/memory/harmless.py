"""The one broad except of memory: what a model or an entry of the caller's raises cannot be foreseen."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

_log = logging.getLogger("memguard.memory")

_Result = TypeVar("_Result")
_Other = TypeVar("_Other")


def harmless(what: str, action: Callable[[], _Result], otherwise: Callable[[], _Other]) -> _Result | _Other:
    """Return what an action returns; where anything goes wrong, log ``what`` and return the other thing.

    Only for the compressor's methods, which must not raise (B23). Nothing is lost: entries are values,
    and the other thing is the entries as they were.
    """
    try:
        return action()
    except Exception as error:  # noqa: BLE001  # B23: no exception may escape
        # Its message may quote a request, key included: only who asks for details sees it.
        _log.warning("%s: %s", what, type(error).__name__)
        _log.debug("%s", what, exc_info=True)
        return otherwise()
