"""Long-term memory: entries in one audited store, and what keeps them few, true and private.

>>> from memguard.memory import MemoryCompressor, MemoryEntry
>>> MemoryCompressor().remove_noise([MemoryEntry("ok")])
([], 1)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memguard.memory.actions import Memory, memory
    from memguard.memory.compressor import MemoryCompressor
    from memguard.memory.context import ContextCompressor, MemorySummary, SummarizationStrategy
    from memguard.memory.entries import MemoryEntry, MemoryType
    from memguard.memory.manager import AIMemoryManager
    from memguard.memory.rows import EntryFilter, Status, StoredEntry
    from memguard.memory.store import MemoryStore

_HOMES = {
    "AIMemoryManager": "manager",
    "ContextCompressor": "context",
    "EntryFilter": "rows",
    "Memory": "actions",
    "MemoryCompressor": "compressor",
    "MemoryEntry": "entries",
    "MemoryStore": "store",
    "MemorySummary": "context",
    "MemoryType": "entries",
    "Status": "rows",
    "StoredEntry": "rows",
    "SummarizationStrategy": "context",
    "memory": "actions",
}

__all__ = [
    "AIMemoryManager",
    "ContextCompressor",
    "EntryFilter",
    "Memory",
    "MemoryCompressor",
    "MemoryEntry",
    "MemoryStore",
    "MemorySummary",
    "MemoryType",
    "Status",
    "StoredEntry",
    "SummarizationStrategy",
    "memory",
]


def __getattr__(name: str) -> Any:
    """Load a public name from its module when it is first used: no database unless it is wanted."""
    if name not in _HOMES:
        raise AttributeError(f"module 'memguard.memory' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"memguard.memory.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted(__all__)
