"""MemGuard: an auditable memory layer between raw conversation history and an LLM's context window.

>>> from memguard import MemGuard
>>> trace = MemGuard().run(messages)  # doctest: +SKIP
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from memguard.compressor import Compression
    from memguard.eliminator import Elimination
    from memguard.errors import MemGuardError
    from memguard.guard import MemGuard
    from memguard.messages import Conversation, Message, SourceSpan
    from memguard.reconstructor import Reconstruction
    from memguard.settings import Settings
    from memguard.trace import Trace

_HOMES = {
    "Compression": "compressor",
    "Conversation": "messages",
    "Elimination": "eliminator",
    "MemGuard": "guard",
    "MemGuardError": "errors",
    "Message": "messages",
    "Reconstruction": "reconstructor",
    "Settings": "settings",
    "SourceSpan": "messages",
    "Trace": "trace",
}

__all__ = [
    "Compression",
    "Conversation",
    "Elimination",
    "MemGuard",
    "MemGuardError",
    "Message",
    "Reconstruction",
    "Settings",
    "SourceSpan",
    "Trace",
    "__version__",
]


def __getattr__(name: str) -> Any:
    """Load a public name from its module when it is first used, so that ``--help`` loads none."""
    if name not in _HOMES:
        raise AttributeError(f"module 'memguard' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"memguard.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted(__all__)
