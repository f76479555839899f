"""Any object that embeds or summarises, made to fit the protocols.

A user's embedder needs ``embed(texts)`` and a user's summarizer ``summarize(lines, max_tokens=…)``;
``model_id`` and ``progress`` are taken where they are offered, and so is ``embed_tokens``: without
it, words are aligned by their forms alone.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from memguard.errors import InvalidParameterError
from memguard.geometry.similarity import unit_rows
from memguard.models.protocols import (
    Embedder,
    ItemProgress,
    Summarizer,
    TokenVectors,
    Vectors,
    no_progress,
)


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


def gives_tokens(embedder: Any) -> bool:
    """Return whether an embedder gives token vectors: it has ``embed_tokens`` and does not deny it.

    An embedder around another one denies it through ``gives_tokens``, where the inner one has none.
    """
    told = getattr(embedder, "gives_tokens", None)
    has = callable(getattr(embedder, "embed_tokens", None))
    return has if told is None else has and bool(told)


def token_vectors(
    embedder: Any, texts: Sequence[str], *, progress: ItemProgress = no_progress
) -> list[TokenVectors] | None:
    """Return the tokens of texts, one entry a text; None if ``embedder`` gives no token vectors.

    None is no error: alignment then compares the forms of words alone.
    """
    if not gives_tokens(embedder):
        return None
    return list(embedder.embed_tokens(texts, progress=progress))


def embed_with_tokens(
    embedder: Any, texts: Sequence[str], *, progress: ItemProgress = no_progress
) -> tuple[Vectors, Sequence[TokenVectors]]:
    """Return vectors and tokens: from one pass where ``embedder`` offers that, else from two."""
    both = getattr(embedder, "embed_with_tokens", None)
    if callable(both):
        vectors, tokens = both(texts, progress=progress)
        return vectors, tokens
    vectors = embedder.embed(texts, progress=progress)
    return vectors, embedder.embed_tokens(texts)


class _Embedder:
    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.model_id = _name(inner)
        self.gives_tokens = gives_tokens(inner)

    def embed_tokens(
        self, texts: Sequence[str], *, progress: ItemProgress = no_progress
    ) -> list[TokenVectors]:
        progress(0, len(texts))
        tokens = [_own_tokens(each) for each in self._inner.embed_tokens(list(texts))]
        if len(tokens) != len(texts):
            raise InvalidParameterError(
                f"{self.model_id}.embed_tokens must return {len(texts)} entries; got {len(tokens)}"
            )
        progress(len(texts), len(texts))
        return tokens

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


def _own_tokens(tokens: Any) -> TokenVectors:
    """Return tokens with arrays of the declared types, unit rows and no ties to the giver's arrays."""
    offsets = np.array(tokens.offsets, dtype=np.int32).reshape(-1, 2)
    vectors = np.array(tokens.vectors, dtype=np.float32)
    if vectors.ndim != 2 or len(vectors) != len(offsets):
        raise InvalidParameterError(
            f"embed_tokens must give a vector for each of {len(offsets)} offsets; got shape {vectors.shape}"
        )
    return TokenVectors(offsets, unit_rows(vectors).astype(np.float16))


def _require(candidate: Any, role: str, method: str) -> None:
    if not callable(getattr(candidate, method, None)):
        raise InvalidParameterError(f"{role} must have a method {method}; got {type(candidate).__name__}")


def _takes_progress(method: Callable[..., Any]) -> bool:
    parameters = inspect.signature(method).parameters.values()
    return any(p.name == "progress" or p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters)


def _name(model: Any) -> str:
    return str(getattr(model, "model_id", None) or type(model).__qualname__)
