"""The models of this process: loaded at first use, once, from local folders only (A14, A15, F5).

Importing this module loads nothing. Where :func:`eager_requested` (``MEMGUARD_EAGER=1``),
``memguard.guard`` calls :func:`warm_up` when it is imported.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

from memguard.bounds import bounds_of
from memguard.errors import InvalidParameterError, ModelUnavailableError
from memguard.models.cache import CachedEmbedder
from memguard.models.catalog import BART, MPNET, SMOLLM2, ModelSpec
from memguard.models.home import model_home
from memguard.models.manifest import Manifest, ManifestEntry
from memguard.models.protocols import Summarizer, TokenCounter
from memguard.models.tokens import BartTokenCounter
from memguard.settings import CompressionSettings

EAGER_VARIABLE = "MEMGUARD_EAGER"
SUMMARIZERS = tuple(name for name in bounds_of(CompressionSettings, "summarizer").choices if name != "llm")
"""The setting's choices that can be loaded; an LLM is an object that the caller passes."""

T = TypeVar("T")

_guard = threading.Lock()
_locks: dict[tuple[str, str], threading.Lock] = {}
_loaded: dict[tuple[str, str], object] = {}


def load_embedder(home: Path | None = None) -> CachedEmbedder:
    """Return this process's embedder, all-mpnet-base-v2 behind its cache.

    Raises:
        ModelUnavailableError: If it is not installed; names model, folder and command.
        ModelIntegrityError: If its files are not those that were installed.
    """
    entry, where = _entry(MPNET, home)

    def make() -> CachedEmbedder:
        from memguard.models.embedder import SentenceEmbedder

        return CachedEmbedder(SentenceEmbedder(_checked_folder(entry, where), entry.model_id))

    return _once("embedder", entry.folder(where), make)


def load_summarizer(
    name: str = "auto",
    *,
    home: Path | None = None,
) -> Summarizer:
    """Return a summarizer.

    Args:
        name: ``bart``, ``smollm2``, ``extractive``, or ``auto``: BART where it is installed, else the
            extractive one, which needs no model.
        home: The model folder; by default ``model_home()``.

    Raises:
        InvalidParameterError: If ``name`` is none of these.
        ModelUnavailableError: If the model is not installed; names model, folder and command.
        ModelIntegrityError: If its files are not those that were installed.
    """
    if name not in SUMMARIZERS:
        raise InvalidParameterError(f"summarizer must be one of {', '.join(SUMMARIZERS)}; got {name!r}")
    if name == "auto":
        has_bart = Manifest.read(home or model_home()).find(BART.key) is not None
        name = "bart" if has_bart else "extractive"
    if name == "extractive":
        from memguard.models.extractive import ExtractiveSummarizer

        return ExtractiveSummarizer()
    entry, where = _entry(BART if name == "bart" else SMOLLM2, home)

    def make() -> Summarizer:
        folder = _checked_folder(entry, where)
        if name == "bart":
            from memguard.models.bart import BartSummarizer

            return BartSummarizer(folder, entry.model_id)
        from memguard.models.smollm import SmolSummarizer

        return SmolSummarizer(folder, entry.model_id)

    return _once("summarizer", entry.folder(where), make)


def folder_of(model: ModelSpec, home: Path | None = None) -> Path:
    """Return the folder of an installed model, checked against the manifest.

    Raises:
        ModelUnavailableError: If it is not installed; names model, folder and command.
        ModelIntegrityError: If its files are not those that were installed.
    """
    return _checked_folder(*_entry(model, home))


def load_counter() -> TokenCounter:
    """Return the counter of the budget: BART's, whichever summarizer runs (F21)."""
    return BartTokenCounter()


def warm_up(home: Path | None = None) -> None:
    """Load the embedder and the automatic summarizer and run each once.

    Raises:
        ModelUnavailableError: If one of them is not installed.
    """
    load_embedder(home).embed(["Warm up."])
    load_summarizer("auto", home=home)


def installed(home: Path | None = None) -> tuple[ManifestEntry, ...]:
    """Return the manifest's entries whose files are in their place."""
    folder = home or model_home()
    return tuple(entry for entry in Manifest.read(folder).entries if entry.state(folder) != "changed")


def eager_requested() -> bool:
    """Return whether the environment asks for models to be loaded at start (F5)."""
    return os.environ.get(EAGER_VARIABLE, "").strip().lower() in {"1", "true", "yes", "on"}


def forget_loaded() -> None:
    """Drop the loaded models; for tests, and after a setup in the same process."""
    with _guard:
        _loaded.clear()


def _entry(model: ModelSpec, home: Path | None) -> tuple[ManifestEntry, Path]:
    """Return a model's entry and the model folder."""
    where = (home or model_home()).expanduser()
    entry = Manifest.read(where).find(model.key)
    if entry is None or entry.state(where) == "changed":
        command = "memguard setup" + (" --source hub" if model.registry is None else "")
        raise ModelUnavailableError(
            f"{model.reference} ({model.role}) is not installed in {where}; run: {command}"
        )
    return entry, where


def _checked_folder(entry: ManifestEntry, home: Path) -> Path:
    """Return the model's folder; files whose times differ from the manifest's are hashed first."""
    if entry.state(home) == "touched":
        entry.verified(home)
    return entry.folder(home)


def _once(kind: str, folder: Path, make: Callable[[], T]) -> T:
    key = (kind, str(folder.resolve()))
    with _guard:
        lock = _locks.setdefault(key, threading.Lock())
    with lock:
        with _guard:
            if key in _loaded:
                return cast(T, _loaded[key])
        value = make()
        with _guard:
            _loaded[key] = value
        return value
