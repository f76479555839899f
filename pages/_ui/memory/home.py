"""Which store the page shows: a demonstration in a file of this session, or the person's own.

The person's own is the one that ``MEMGUARD_MEMORY_URL`` names when the server starts; nobody types a
path or a URL here. A demonstration lies in a temporary file that no other session knows of and that
goes with the session.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Literal

import streamlit as st

from memguard.memory.database import URL_VARIABLE
from memguard.memory.store import MemoryStore
from pages._ui import state

Which = Literal["demo", "own"]
NAMES: dict[Which, str] = {"demo": "Demonstration", "own": "Your own store"}
_FILE = "memory.db"


class Demonstration:
    """A store in a temporary folder, both gone with this object."""

    def __init__(self) -> None:
        """Make the folder and the store.

        Raises:
            StoreUnavailableError: The store cannot be made there.
        """
        folder = tempfile.mkdtemp(prefix="memguard-memory-")
        self.store = MemoryStore(Path(folder) / _FILE)
        self._end = weakref.finalize(self, _discard, self.store, folder)

    def discard(self) -> None:
        """Take the store away now; a second call does nothing."""
        self._end()


def has_own() -> bool:
    """Return whether the server was started with a store of the person's own."""
    return bool(os.environ.get(URL_VARIABLE, "").strip())


def store(which: Which) -> MemoryStore:
    """Return the store of this session's choice; a demonstration is made when it is first asked for.

    Raises:
        StoreUnavailableError: It cannot be opened.
        StoreVersionError: A newer MemGuard wrote it.
        InvalidParameterError: The server's URL is not that of a store.
    """
    if which == "own" and has_own():
        return _own()
    return state.kept("memory-demo", Demonstration).store


@st.cache_resource(show_spinner=False)
def _own() -> MemoryStore:
    return MemoryStore()


def _discard(opened: MemoryStore, folder: str) -> None:
    opened.close()
    shutil.rmtree(folder, ignore_errors=True)
