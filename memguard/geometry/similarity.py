"""Cosine similarity, the one function with which MemGuard compares vectors (A04, A19)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memguard.errors import InvalidParameterError

Floats = NDArray[np.floating[Any]]


def cosine(a: ArrayLike, b: ArrayLike) -> Floats:
    """Compute the cosine of the angle between vectors, ``a·b / (‖a‖‖b‖)``.

    Args:
        a: Shape (d,) or (n, d).
        b: Shape (d,) or (m, d).

    Returns:
        The shape of ``a`` without its last axis followed by that of ``b`` without its last axis:
        a zero-dimensional array for two vectors, (m,) for a vector and a matrix, (n, m) for two
        matrices. Clipped to [-1, 1]; 0.0 wherever a vector is zero. float32 where both inputs
        are, else float64.

    Raises:
        InvalidParameterError: The lengths differ, an input has more than two axes, or a value is
            not finite.
    """
    left, right = _checked(a, "a"), _checked(b, "b")
    if left.shape[-1] != right.shape[-1]:
        raise InvalidParameterError(
            f"a and b must have vectors of one length; got {left.shape[-1]} and {right.shape[-1]}"
        )
    return dot_of_units(unit_rows(left), unit_rows(right))


def unit_rows(vectors: Floats) -> Floats:
    """Scale vectors of shape (d,) or (n, d) to length 1; zero vectors stay zero.

    Raises:
        InvalidParameterError: A value is NaN or infinite: no cosine is true of it.
    """
    squares = np.einsum("...i,...i->...", vectors, vectors)
    limits = np.finfo(vectors.dtype)
    safe = (squares > limits.tiny / limits.eps) & (squares < limits.max)
    if not safe.all():
        # Squares that over- or underflow: such rows are first scaled by their largest value.
        largest = np.abs(vectors).max(axis=-1, keepdims=True, initial=0.0)
        if not np.isfinite(largest).all():
            raise InvalidParameterError("vectors must be finite; got NaN or infinity")
        scale = np.where(safe[..., np.newaxis] | (largest == 0), 1, largest).astype(vectors.dtype)
        vectors = vectors / scale
        squares = np.einsum("...i,...i->...", vectors, vectors)
    norms = np.sqrt(squares)[..., np.newaxis]
    units: Floats = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    return units


def dot_of_units(a: Floats, b: Floats) -> Floats:
    """Compute cosines of vectors that are unit or zero already; the kernel of ``cosine``."""
    similarities: Floats = np.clip(a @ b.T, -1.0, 1.0)
    return similarities


def _checked(value: ArrayLike, name: str) -> Floats:
    array = np.asarray(value)
    if array.dtype != np.float32:
        array = array.astype(np.float64)
    if array.ndim not in (1, 2):
        raise InvalidParameterError(f"{name} must have one or two axes; got shape {array.shape}")
    return array
