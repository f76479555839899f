"""``memory(action=…)``: one door to long-term memory, for agents, the command line and the MCP server.

>>> from memguard.memory import memory
>>> memory(action="capture", text="Window seats only, please.")["status"]
'stored'

The store is that of the arguments ``store`` or ``url`` and ``tenant_id``, by default the one that
``MEMGUARD_MEMORY_URL`` names or that lies in MemGuard's own folder. ``Memory`` is the same, bound once.
"""

from __future__ import annotations

import logging
import os
import threading
import weakref
from pathlib import Path
from typing import Any

from memguard.errors import InvalidParameterError
from memguard.memory.database import store_url
from memguard.memory.desk import ACTIONS, Memory
from memguard.memory.entries import DEFAULT_TENANT
from memguard.memory.gate import PrivacyGate
from memguard.memory.store import MemoryStore
from memguard.models.protocols import Embedder
from memguard.privacy import Exclusions
from memguard.settings import MemorySettings

__all__ = ["ACTIONS", "LOG_LEVEL", "Memory", "follow_log_level", "memory"]

LOG_LEVEL = "LOG_LEVEL"

_log = logging.getLogger("memguard.memory")
_gates: weakref.WeakKeyDictionary[MemoryStore, PrivacyGate] = weakref.WeakKeyDictionary()
_opened: dict[tuple[str, str], MemoryStore] = {}
_binding = threading.Lock()


def memory(
    action: str,
    *,
    store: MemoryStore | None = None,
    url: str | os.PathLike[str] | None = None,
    tenant_id: str | None = None,
    embedder: Embedder | None = None,
    provider: Any = None,
    settings: MemorySettings | None = None,
    exclusions: Exclusions | None = None,
    **arguments: Any,
) -> Any:
    """Carry out one action on long-term memory.

    Args:
        action: ``capture``, ``compress``, ``summarize``, ``search``, ``list``, ``get``, ``delete``,
            ``restore``, ``maintain``, ``export`` or ``import``.
        store: Where; in its place ``url`` and ``tenant_id``. By default ``MEMGUARD_MEMORY_URL``, else
            ``memory.db`` in MemGuard's own folder. A store that was opened by URL stays open.
        url: As ``MemoryStore`` takes it.
        tenant_id: Whose memory.
        embedder: As ``Memory`` takes it, and so are the next three.
        provider: Compresses.
        settings: Limits and models.
        exclusions: The project's privacy list.
        arguments: Of the action; they stand at the method of ``Memory`` of its name.

    Returns:
        The TypedDict of the action (``memguard.memory.views``); ``status`` says what happened.

    Raises:
        InvalidParameterError: The action or an argument does not exist or is not valid; nothing was done.
        EntryNotFoundError: There is no entry of that id.
        StoreUnavailableError: The store cannot be opened, read or written; nothing was done.
    """
    if store is not None and not isinstance(store, MemoryStore):
        raise InvalidParameterError(
            f"store must be a MemoryStore; got {type(store).__name__}; a path goes to url"
        )
    if store is not None and url is not None:
        raise InvalidParameterError("give either store or url")
    follow_log_level()
    bound = store if store is not None else _opened_store(url, tenant_id)
    desk = Memory(
        bound,
        tenant_id=tenant_id,
        embedder=embedder,
        provider=provider,
        settings=settings if settings is not None else MemorySettings(),
        gate=PrivacyGate(exclusions) if exclusions is not None else _gate_of(bound),
    )
    return desk(action, **arguments)


def _opened_store(url: str | os.PathLike[str] | None, tenant_id: str | None) -> MemoryStore:
    """Return the store at a place; it is opened once and then stays open."""
    tenant = DEFAULT_TENANT if tenant_id is None else tenant_id
    key = (store_url(url).render_as_string(hide_password=False), tenant)
    with _binding:
        if key not in _opened:
            _opened[key] = MemoryStore(url, tenant_id=tenant)
        return _opened[key]


def _gate_of(store: MemoryStore) -> PrivacyGate:
    """Return the gate of a store, the same one for as long as the store lives."""
    with _binding:
        if store not in _gates:
            _gates[store] = PrivacyGate(Exclusions.near(Path.cwd()))
        return _gates[store]


def follow_log_level(stream: Any = None) -> None:
    """Show MemGuard's memory log on stderr at the level that ``LOG_LEVEL`` names (D10).

    Does nothing where the variable is not set or names no level. Where somebody handles the log already,
    only its level is set.
    """
    level = logging.getLevelNamesMapping().get(os.environ.get(LOG_LEVEL, "").strip().upper())
    if level is None or level == logging.NOTSET:
        return
    _log.setLevel(level)
    if not _log.hasHandlers():
        handler = logging.StreamHandler(stream)
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        _log.addHandler(handler)
