"""Sliding-window relevance: how much a message belongs to its surroundings (A03)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memguard.errors import InvalidParameterError
from memguard.geometry.similarity import Floats, dot_of_units, unit_rows


def window_relevance(vectors: ArrayLike, window: int) -> NDArray[np.float64]:
    """Score each row by its mean cosine to its neighbours ``i±1 … i±window``.

    The row itself and positions outside the sequence are left out: with ``window`` 2 the ends have
    two neighbours and those next to them three. A zero row counts with cosine 0.0.

    Args:
        vectors: Shape (n, d), in conversation order.
        window: Neighbours on each side, at least 1.

    Returns:
        float64 of shape (n,) in [-1, 1]; 0.0 for a single row.

    Raises:
        InvalidParameterError: ``window`` is below 1, ``vectors`` has not two axes, or a value is
            not finite.
    """
    array = np.asarray(vectors)
    if array.ndim != 2:
        raise InvalidParameterError(f"vectors must have shape (n, d); got {array.shape}")
    if window < 1:
        raise InvalidParameterError(f"window must be at least 1; got {window}")
    return _window_relevance(unit_rows(array.astype(np.float64)), window)


def _window_relevance(units: Floats, window: int) -> NDArray[np.float64]:
    n = len(units)
    total = np.zeros(n)
    neighbours = np.zeros(n)
    for step in range(1, min(window, n - 1) + 1):
        similarity = np.clip(np.einsum("ij,ij->i", units[:-step], units[step:]), -1.0, 1.0)
        total[:-step] += similarity
        total[step:] += similarity
        neighbours[:-step] += 1
        neighbours[step:] += 1
    return np.divide(total, neighbours, out=np.zeros(n), where=neighbours > 0)


def centrality(vectors: ArrayLike) -> NDArray[np.float64]:
    """Score each row by its cosine to the mean of all unit rows.

    The order is that of the mean cosine to every row, in linear instead of quadratic time.

    Args:
        vectors: Shape (n, d).

    Returns:
        float64 of shape (n,) in [-1, 1]; shape (0,) for no rows.
    """
    array = np.asarray(vectors, dtype=np.float64)
    if not len(array):
        return np.zeros(0)
    units = unit_rows(array)
    return np.asarray(dot_of_units(units, unit_rows(units.mean(axis=0))), dtype=np.float64)
