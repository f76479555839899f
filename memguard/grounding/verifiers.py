"""The entailment model that a setting names: loaded at first use, once a process, behind its cache."""

from __future__ import annotations

import threading
from pathlib import Path

from memguard.grounding.adapted import AdaptedEntailment
from memguard.grounding.entailment import CachedEntailment, CrossEncoderEntailment, EntailmentScorer
from memguard.models import loading
from memguard.models.catalog import MPNET

OFF = "off"
_guard = threading.Lock()
_loaded: dict[str, EntailmentScorer] = {}


def load_entailment(name: str) -> EntailmentScorer | None:
    """Return the model of the setting ``elimination.entailment``; None for ``off``.

    Args:
        name: ``off``; an adapter of the sentence encoder, as ``memguard train entailment`` writes
            it; a local folder with a checkpoint; or the name of one on the hub that
            :func:`fetch_entailment` has fetched before. The network is not touched.

    Raises:
        ModelUnavailableError: There is no such model here.
        ModelIntegrityError: The adapter does not fit the encoder.
        InvalidParameterError: Its labels are not understood.
    """
    if name.strip().casefold() in {OFF, ""}:
        return None
    with _guard:
        if name not in _loaded:
            source = _source(name)
            if isinstance(source, Path) and source.is_file():
                made: EntailmentScorer = AdaptedEntailment(loading.folder_of(MPNET), source)
            else:
                made = CrossEncoderEntailment(source, model_id=name)
            _loaded[name] = CachedEntailment(made)
        return _loaded[name]


def _source(name: str) -> str | Path:
    """Return the file or folder of that name, if there is one, else the name."""
    try:
        path = Path(name).expanduser()
        return path if path.exists() else name
    except (OSError, RuntimeError):  # too long for a path; "~nobody/…" has no home
        return name


def fetch_entailment(name: str) -> None:
    """Fetch a checkpoint from the hub into its own cache, so that ``load_entailment`` finds it.

    Raises:
        ModelUnavailableError: The hub cannot be reached or has no such checkpoint.
        InvalidParameterError: Its labels are not understood.
    """
    CrossEncoderEntailment(name, local_files_only=False)
