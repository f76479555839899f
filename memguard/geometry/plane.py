"""A flat map: the two principal axes of a set of vectors, onto which any vector is projected.

Unlike UMAP it is linear: a point moves exactly as far as its vector moves along the two axes, and
what did not move stays. That makes it the map on which a change of the space can be watched.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memguard.errors import InvalidParameterError

_COLUMNS, _ITERATIONS = 12, 24
_NOTHING = 1e-12
"""Variance that is none, absolute or as a share."""


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """A plane in the space of the vectors.

    Attributes:
        centre: Mean of the vectors that it was fitted on, shape (d,).
        axes: Orthonormal rows, shape (2, d); a zero row where the vectors span no second direction.
        share: How much of their variance the two axes hold, in [0, 1]; 1.0 where there is none.
    """

    centre: NDArray[np.float64]
    axes: NDArray[np.float64]
    share: float

    def project(self, vectors: ArrayLike) -> NDArray[np.float32]:
        """Return the places of vectors, float32 of shape (n, 2)."""
        rows = np.asarray(vectors, dtype=np.float64).reshape(-1, len(self.centre))
        return np.asarray((rows - self.centre) @ self.axes.T, dtype=np.float32)


def fit_plane(vectors: ArrayLike) -> Plane:
    """Fit the principal plane of vectors.

    By subspace iteration (Halko, Martinsson & Tropp 2011, algorithm 4.4) from a fixed start: a full
    decomposition of 768 columns takes seconds, this a few products. Each axis points to its largest
    entry, so that equal vectors give equal maps.

    Args:
        vectors: Shape (n, d); no row gives a plane through the origin.

    Raises:
        InvalidParameterError: The vectors have another shape, or a number is not finite.
    """
    rows = np.asarray(vectors, dtype=np.float64)
    if rows.ndim != 2 or not np.isfinite(rows).all():
        raise InvalidParameterError(f"vectors must be finite numbers of shape (n, d); got shape {rows.shape}")
    dimension = rows.shape[1]
    centre = rows.mean(axis=0) if len(rows) else np.zeros(dimension)
    centred = rows - centre
    total = float(np.square(centred).sum())
    axes = np.zeros((2, dimension))
    if total <= _NOTHING:
        return Plane(centre, axes, 1.0)
    basis = np.random.default_rng(0).normal(size=(dimension, min(_COLUMNS, dimension, len(rows))))
    for _ in range(_ITERATIONS):
        basis, _triangle = np.linalg.qr(centred.T @ (centred @ basis))
    _left, sizes, inside = np.linalg.svd(centred @ basis, full_matrices=False)
    held = np.square(sizes[:2])
    for place in np.flatnonzero(held > _NOTHING * total):
        axis = basis @ inside[place]
        axes[place] = axis * np.sign(axis[np.abs(axis).argmax()])
    return Plane(centre, axes, min(1.0, float(held.sum()) / total))
