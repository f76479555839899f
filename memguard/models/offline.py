"""Keep the Hugging Face libraries off the network at run time, and let a setup on it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_VARIABLES = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
_TRUE = frozenset({"1", "ON", "YES", "TRUE"})
_set_by_us = False


def user_wants_offline() -> bool:
    """Return whether the user's environment, not MemGuard, asks for offline mode."""
    if _set_by_us:
        return False
    return any(os.environ.get(name, "").strip().upper() in _TRUE for name in _VARIABLES)


def force_offline() -> None:
    """Make the Hugging Face libraries refuse the network for the rest of this process.

    ``HF_HUB_OFFLINE`` is read when ``huggingface_hub`` is imported, so its constant is set too where
    that has already happened.
    """
    global _set_by_us
    if not user_wants_offline():
        _set_by_us = True
        os.environ["HF_HUB_OFFLINE"] = "1"
    constants = sys.modules.get("huggingface_hub.constants")
    if constants is not None:
        constants.HF_HUB_OFFLINE = True  # type: ignore[attr-defined]  # a module's variable


@contextmanager
def network_allowed() -> Iterator[None]:
    """Allow the hub inside the block, for ``memguard setup`` alone, unless the user forbids it."""
    from huggingface_hub import constants

    before = constants.HF_HUB_OFFLINE
    constants.HF_HUB_OFFLINE = user_wants_offline()
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = before
