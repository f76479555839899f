"""Any object that embeds or summarises, made to fit the protocols.

A user's embedder needs ``embed(texts)`` and a user's summarizer ``summarize(lines, max_tokens=…)``;
``model_id`` and ``progress`` are taken where they are offered.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from memguard.errors import InvalidParameterError
from memguard.geometry.similarity import unit_rows
from memguard.models.protocols import Embedder, ItemProgress, Summarizer, Vectors, no_progress


def as_embedder(candidate: Any) -> Embedder:
    """Return ``candidate`` with the whole protocol.

    Raises:
        InvalidParameterError: It has no method ``embed``.
    """
    _require(candidate, "embedder", "embed")
    if _takes_progress(candidate.embed) and hasattr(candidate, "model_id"):
        return candidate  # type: ignore[no-any-return]
    return _Embedder(candidate)


def as_summarizer(candidate: Any) -> Summarizer:
    """Return ``candidate`` with the whole protocol.

    Raises:
        InvalidParameterError: It has no method ``summarize``.
    """
    _require(candidate, "summarizer", "summarize")
    if _takes_progress(candidate.summarize) and hasattr(candidate, "model_id"):
        return candidate  # type: ignore[no-any-return]
    return _Summarizer(candidate)


class _Embedder:
    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.model_id = _name(inner)

    def embed(self, texts: Sequence[str], *, progress: ItemProgress = no_progress) -> Vectors:
        progress(0, len(texts))
        vectors = np.asarray(self._inner.embed(list(texts)), dtype=np.float32)
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise InvalidParameterError(
                f"{self.model_id}.embed must return {len(texts)} rows of one length; "
                f"got shape {vectors.shape}"
            )
        progress(len(texts), len(texts))
        return np.asarray(unit_rows(vectors), dtype=np.float32)


class _Summarizer:
    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.model_id = _name(inner)

    def summarize(
        self, lines: Sequence[str], *, max_tokens: int, progress: ItemProgress = no_progress
    ) -> str:
        progress(0, 1)
        summary = self._inner.summarize(list(lines), max_tokens=max_tokens)
        if not isinstance(summary, str):
            raise InvalidParameterError(
                f"{self.model_id}.summarize must return a string; got {type(summary).__name__}"
            )
        progress(1, 1)
        return summary


def _require(candidate: Any, role: str, method: str) -> None:
    if not callable(getattr(candidate, method, None)):
        raise InvalidParameterError(f"{role} must have a method {method}; got {type(candidate).__name__}")


def _takes_progress(method: Callable[..., Any]) -> bool:
    parameters = inspect.signature(method).parameters.values()
    return any(p.name == "progress" or p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters)


def _name(model: Any) -> str:
    return str(getattr(model, "model_id", None) or type(model).__qualname__)
