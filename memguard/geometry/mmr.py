"""Maximal marginal relevance (Carbonell & Goldstein 1998, equation in section 2).

``score = λ·relevance − (1 − λ)·max similarity to what is already picked``; for the first pick the
second term is 0 (A05). The running maximum makes each pick cost one row of similarities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memguard.errors import InvalidParameterError
from memguard.geometry.similarity import Floats, dot_of_units, unit_rows
from memguard.geometry.threads import one_blas_thread

SimilarityRow = Callable[[int], Floats]
"""Similarities of one candidate to all, shape (n,)."""


@dataclass(frozen=True, slots=True)
class Pick:
    """One pick: its index, its score and its highest similarity to the picks before it."""

    index: int
    score: float
    max_similarity: float


def rows_of(vectors: ArrayLike) -> SimilarityRow:
    """Return cosine rows over ``vectors`` of shape (n, d), which are scaled to unit length once."""
    units = unit_rows(np.asarray(vectors, dtype=np.float32))

    def row(index: int) -> Floats:
        with one_blas_thread():
            return dot_of_units(units, units[index])

    return row


def mmr_order(
    relevance: ArrayLike,
    similarity: SimilarityRow,
    lambda_mmr: float,
    *,
    candidates: ArrayLike | None = None,
    picked: Iterable[int] = (),
) -> Iterator[Pick]:
    """Yield candidates from the best pick on, until none is left; ties go to the lowest index.

    Args:
        relevance: Shape (n,).
        similarity: Similarities of one candidate to all.
        lambda_mmr: In [0, 1]; 1 is relevance alone, 0 diversity alone.
        candidates: Boolean of shape (n,): which may be picked. All by default.
        picked: What is picked already: the first pick is compared with it.

    Raises:
        InvalidParameterError: ``lambda_mmr`` is outside [0, 1], a relevance is not finite, or the
            shapes differ.
    """
    if not 0.0 <= lambda_mmr <= 1.0:
        raise InvalidParameterError(f"lambda_mmr must be from 0 to 1; got {lambda_mmr!r}")
    scores = np.asarray(relevance, dtype=np.float64)
    if scores.ndim != 1:
        raise InvalidParameterError(f"relevance must have shape (n,); got {scores.shape}")
    if not np.isfinite(scores).all():
        raise InvalidParameterError("relevance must be finite; got NaN or infinity")
    open_ = np.ones(len(scores), bool) if candidates is None else np.array(candidates, dtype=bool)
    if open_.shape != scores.shape:
        raise InvalidParameterError(
            f"candidates must have the shape of relevance, {scores.shape}; got {open_.shape}"
        )
    return _mmr_order(scores, similarity, lambda_mmr, open_, tuple(picked))


def _mmr_order(
    relevance: NDArray[np.float64],
    similarity: SimilarityRow,
    lambda_mmr: float,
    open_: NDArray[np.bool_],
    picked: Sequence[int],
) -> Iterator[Pick]:
    nearest = np.full(len(relevance), -np.inf)
    for earlier in picked:
        np.maximum(nearest, similarity(earlier), out=nearest)
    weighted = lambda_mmr * relevance
    for turn in range(int(open_.sum())):
        penalty = nearest if turn or picked else np.zeros(len(relevance))
        scores = np.where(open_, weighted - (1.0 - lambda_mmr) * penalty, -np.inf)
        best = int(np.argmax(scores))
        yield Pick(best, float(scores[best]), float(penalty[best]))
        open_[best] = False
        np.maximum(nearest, similarity(best), out=nearest)
