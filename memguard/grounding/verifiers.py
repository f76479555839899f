"""The entailment model that a setting names: loaded at first use, once a process, behind its cache."""

from __future__ import annotations

import threading
from pathlib import Path

from memguard.grounding.entailment import CachedEntailment, CrossEncoderEntailment, EntailmentScorer

OFF = "off"
_guard = threading.Lock()
_loaded: dict[str, EntailmentScorer] = {}


def load_entailment(name: str) -> EntailmentScorer | None:
    """Return the model of the setting ``elimination.entailment``; None for ``off``.

    Args:
        name: ``off``, a local folder, or the name of a checkpoint on the hub that
            :func:`fetch_entailment` has fetched before; the network is not touched.

    Raises:
        ModelUnavailableError: There is no such checkpoint here.
        InvalidParameterError: Its labels are not understood.
    """
    if name.strip().casefold() in {OFF, ""}:
        return None
    with _guard:
        if name not in _loaded:
            _loaded[name] = CachedEntailment(CrossEncoderEntailment(_source(name), model_id=name))
        return _loaded[name]


def _source(name: str) -> str | Path:
    """Return the folder of that name, if there is one, else the name."""
    try:
        folder = Path(name).expanduser()
    except RuntimeError:  # "~nobody/…" has no home
        return name
    return folder if folder.is_dir() else name


def fetch_entailment(name: str) -> None:
    """Fetch a checkpoint from the hub into its own cache, so that ``load_entailment`` finds it.

    Raises:
        ModelUnavailableError: The hub cannot be reached or has no such checkpoint.
        InvalidParameterError: Its labels are not understood.
    """
    CrossEncoderEntailment(name, local_files_only=False)
