"""Who stands near whom in the real space, and how well that space parts two groups.

A map bends distances; what is listed as near comes from here, from the vectors themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memguard.errors import InvalidParameterError
from memguard.geometry.similarity import cosine


def nearest(vectors: NDArray[np.float32], row: int, count: int) -> tuple[tuple[int, float], ...]:
    """Return the ``count`` rows nearest to one by cosine, the nearest first, without itself.

    Args:
        vectors: Shape (n, d).
        row: Index of the row that is asked about.
        count: How many at most; 0 gives none.

    Returns:
        (index, cosine) pairs; ties go to the lowest index.

    Raises:
        InvalidParameterError: There is no such row.
    """
    if not 0 <= row < len(vectors):
        raise InvalidParameterError(f"row must be one of {len(vectors)} rows; got {row}")
    cosines = np.array(cosine(vectors[row], vectors), dtype=np.float64)
    order = np.argsort(-cosines, kind="stable")
    return tuple((int(i), float(cosines[i])) for i in order[order != row][: max(0, count)])


def largest_cosines(vectors: NDArray[np.float32], others: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return each row's cosine to the nearest of ``others``, shape (n,); 0.0 where there is none."""
    if not len(vectors) or not len(others):
        return np.zeros(len(vectors), dtype=np.float32)
    return np.asarray(cosine(vectors, others).max(axis=1), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Contrast:
    """How far apart two groups lie on one score.

    Attributes:
        upper: Mean score of the group that should score high; None where it is empty.
        lower: Mean score of the other; None where it is empty.
        ordered: Share of the pairs, one of each group, in which the first scores higher, ties for
            half: the area under the ROC curve. None where a group is empty.
    """

    upper: float | None
    lower: float | None
    ordered: float | None

    @property
    def gap(self) -> float | None:
        """Difference of the means."""
        return None if self.upper is None or self.lower is None else self.upper - self.lower


def contrast_of(scores: ArrayLike, is_upper: ArrayLike) -> Contrast:
    """Measure how well scores part two groups.

    Args:
        scores: Shape (n,).
        is_upper: Shape (n,), true for the group that should score high.

    Raises:
        InvalidParameterError: The lengths differ.
    """
    values: NDArray[Any] = np.asarray(scores, dtype=np.float64).reshape(-1)
    upper = np.asarray(is_upper, dtype=bool).reshape(-1)
    if len(values) != len(upper):
        raise InvalidParameterError(
            f"scores and is_upper must be of one length; got {len(values)} and {len(upper)}"
        )
    high, low = values[upper], values[~upper]
    ordered = None
    if len(high) and len(low):
        wins = (high[:, None] > low[None, :]) + 0.5 * (high[:, None] == low[None, :])
        ordered = float(wins.mean())
    return Contrast(
        float(high.mean()) if len(high) else None, float(low.mean()) if len(low) else None, ordered
    )
