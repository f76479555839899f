"""The space that claims and sources are compared in: separation, anchors, deformation (A28 to A31).

Three transformations, each with its weight: the separation map, the pull of the conversation's
(prompt, answer) anchors, and the deformation by neighbourhood (smoothing of the sources, correction
of the similarities for density). With all weights at 0 the space is plain cosine, to the last bit.

A :class:`Space` is immutable. A vector is shaped by what exists when it is placed and then stays, so
a new turn costs that turn against what is there; :meth:`Space.rebuild` shapes everything again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memguard.errors import InvalidParameterError
from memguard.geometry.deformation import (
    anchored,
    densities,
    density_corrected,
    mean_of_largest,
    smoothed,
)
from memguard.geometry.separation import SeparationMap
from memguard.geometry.similarity import Floats, dot_of_units, unit_rows

_CLAIM_BLOCK = 128
"""Claims compared at once."""


class SpaceWeights(Protocol):
    """How strongly the space is shaped; ``memguard.settings`` holds bounds and defaults."""

    @property
    def separation(self) -> float:
        """Weight of the separation map, from 0 to 1."""
        ...

    @property
    def anchors(self) -> float:
        """How far a vector is pulled toward its anchors (alpha), from 0 to 1."""
        ...

    @property
    def smoothing(self) -> float:
        """How far a source is pulled toward its neighbours (beta), from 0 to 1."""
        ...

    @property
    def density(self) -> float:
        """Weight of the correction for local density (CSLS), from 0 to 1."""
        ...

    @property
    def neighbours(self) -> int:
        """How many nearest vectors count, for anchors, smoothing and density; at least 1."""
        ...

    @property
    def temperature(self) -> float:
        """Temperature of the softmax over the nearest anchors, above 0."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """The sources of one conversation, shaped.

    All arrays are read-only float32; make one with :func:`shape_sources` and grow it with ``place``.

    Attributes:
        weights: How strongly it is shaped.
        separation: The map; None leaves that step out.
        raw: The sources as the embedder gave them, shape (n, d).
        raw_anchors: The anchors as they were given, shape (m, d).
        settled: The sources after separation and anchors, shape (n, d).
        vectors: The sources after all of it: what claims are compared with, shape (n, d).
        anchors: The anchors after separation, shape (m, d).
        density: Mean cosine of each source to its nearest other sources, shape (n,).
    """

    weights: SpaceWeights
    separation: SeparationMap | None
    raw: NDArray[np.float32]
    raw_anchors: NDArray[np.float32]
    settled: NDArray[np.float32]
    vectors: NDArray[np.float32]
    anchors: NDArray[np.float32]
    density: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.vectors)

    def place(self, vectors: ArrayLike, anchors: ArrayLike | None = None) -> Space:
        """Add sources, and anchors, to the end; what is there already does not move.

        The new sources are shaped by everything that exists then: all sources and anchors so far,
        and those that come in the same call. Costs new × existing.

        Args:
            vectors: Unit rows (zero for blank text), shape (n, d), in conversation order.
            anchors: Unit rows, shape (m, d), from ``anchor_vectors``.

        Raises:
            InvalidParameterError: If the vectors have another length, or are not finite.
        """
        new = self._checked(vectors, "vectors")
        new_anchors = self._checked([] if anchors is None else anchors, "anchors")
        if not len(new) and not len(new_anchors):
            return self
        all_anchors = _joined(self.anchors, self._separated(new_anchors))
        settled = _joined(self.settled, _anchored(self._separated(new), all_anchors, self.weights))
        first, nearest = len(self), self.weights.neighbours
        placed = smoothed(settled, first, self.weights.smoothing, nearest=nearest)
        # Densities are of the vectors that claims meet, so the new ones are compared as they ended up.
        shaped = _joined(self.vectors, placed)
        if self.weights.density:
            density = densities(shaped, first, nearest=nearest)
        else:
            density = np.zeros(len(new), dtype=np.float32)
        return replace(
            self,
            raw=_joined(self.raw, new),
            raw_anchors=_joined(self.raw_anchors, new_anchors),
            settled=settled,
            vectors=shaped,
            anchors=all_anchors,
            density=_joined(self.density, density),
        )

    def rebuild(self, weights: SpaceWeights | None = None) -> Space:
        """Shape everything again, each source by all that exists now; with other weights if given."""
        chosen = self.weights if weights is None else weights
        return shape_sources(self.raw, self.raw_anchors, chosen, self.separation)

    def _separated(self, vectors: NDArray[np.float32]) -> Floats:
        return vectors if self.separation is None else self.separation(vectors, self.weights.separation)

    def _checked(self, values: ArrayLike, name: str) -> NDArray[np.float32]:
        rows = np.asarray(values, dtype=np.float32)
        if not rows.size:
            return np.empty((0, self.raw.shape[1]), dtype=np.float32)
        if rows.ndim != 2 or rows.shape[1] != self.raw.shape[1]:
            raise InvalidParameterError(f"{name} must have shape (n, {self.raw.shape[1]}); got {rows.shape}")
        if not np.isfinite(rows).all():
            raise InvalidParameterError(f"{name} must be finite; got NaN or infinity")
        return rows


def shape_sources(
    vectors: ArrayLike,
    anchors: ArrayLike | None,
    weights: SpaceWeights,
    separation: SeparationMap | None = None,
) -> Space:
    """Build the space of a conversation from the vectors of its sentences.

    Args:
        vectors: Unit rows (zero for blank text), shape (n, d), in conversation order.
        anchors: Unit rows, shape (m, d), from ``anchor_vectors``; None or no rows for none.
        weights: How strongly it is shaped.
        separation: The map, where it ``fits`` the embedder; None leaves that step out.

    Raises:
        InvalidParameterError: If shapes do not match, or a number is not finite.
    """
    rows = np.asarray(vectors, dtype=np.float32)
    if rows.ndim != 2:
        raise InvalidParameterError(f"vectors must have shape (n, d); got {rows.shape}")
    nothing = np.empty((0, rows.shape[1]), dtype=np.float32)
    none = np.empty(0, dtype=np.float32)
    empty = Space(weights, separation, nothing, nothing, nothing, nothing, nothing, none)
    return empty.place(rows, anchors)


def shape_claims(vectors: ArrayLike, space: Space) -> NDArray[np.float32]:
    """Bring claims into the space: separated and pulled by its anchors, each for itself.

    Args:
        vectors: Unit rows, shape (n, d).
        space: The space of the conversation that they are judged by.

    Returns:
        float32 of shape (n, d), unit rows; zero rows stay zero.
    """
    rows = space._checked(vectors, "vectors")
    return np.asarray(_anchored(space._separated(rows), space.anchors, space.weights), dtype=np.float32)


def similarity_matrix(claims: ArrayLike, space: Space) -> NDArray[np.float32]:
    """Compare shaped claims with every source.

    Args:
        claims: From :func:`shape_claims`, shape (n, d).
        space: The same space.

    Returns:
        float32 of shape (n, sources) in [-1, 1]; 0.0 wherever a vector is zero and density is off.
    """
    rows = space._checked(claims, "claims")
    result = np.empty((len(rows), len(space)), dtype=np.float32)
    for start, block in similarity_blocks(rows, space):
        result[start : start + len(block)] = block
    return result


def similarity_blocks(claims: NDArray[np.float32], space: Space) -> Iterator[tuple[int, Floats]]:
    """Yield (first claim, similarities) a block of claims at a time, for those who need no matrix."""
    left, right = unit_rows(claims), unit_rows(space.vectors)
    for start in range(0, len(left), _CLAIM_BLOCK):
        cosines = dot_of_units(left[start : start + _CLAIM_BLOCK], right)
        if space.weights.density:
            reach = mean_of_largest(cosines, space.weights.neighbours)
            cosines = density_corrected(cosines, reach, space.density, space.weights.density)
        yield start, cosines


def _anchored(vectors: Floats, anchors: Floats, weights: SpaceWeights) -> Floats:
    return anchored(
        vectors, anchors, weights.anchors, nearest=weights.neighbours, temperature=weights.temperature
    )


def _joined(old: NDArray[np.float32], new: Floats) -> NDArray[np.float32]:
    joined = np.concatenate([old, new]).astype(np.float32, copy=False)
    joined.flags.writeable = False
    return joined
