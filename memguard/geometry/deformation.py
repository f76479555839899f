"""How vectors are shaped by what stands around them: anchors, smoothing and local density.

Each is a pure function with one weight; at weight 0 its input comes back untouched. Vectors are
float32 with unit rows; zero rows (blank text) stay zero everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memguard.errors import InvalidParameterError
from memguard.geometry.similarity import Floats, dot_of_units, unit_rows

REFERENCE_DENSITY = 0.43
"""Mean cosine to the five nearest sentences, over the sample conversations: there, the correction
for density changes nothing."""
_BLOCK = 512
"""Rows compared at once: 5,000 sentences with 5,000 take 10 MB."""


def anchor_pairs(roles: Sequence[str], speakers: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Find the (prompt, answer) pairs of a conversation.

    An answer is an assistant's turn, its prompt the last user's turn before it that has no answer
    yet. A conversation in which no assistant speaks is one between people: there, a turn answers
    the turn of another speaker right before it.

    Args:
        roles: Role of each turn.
        speakers: Who speaks in each turn.

    Returns:
        Pairs of indexes, in the order of the answers.
    """
    names = [role.casefold() for role in roles]
    if "assistant" not in names:
        talk = [i for i, name in enumerate(names) if name == "user"]
        return tuple((a, b) for a, b in pairwise(talk) if speakers[a] != speakers[b])
    pairs: list[tuple[int, int]] = []
    prompt: int | None = None
    for index, name in enumerate(names):
        if name == "user":
            prompt = index
        elif name == "assistant" and prompt is not None:
            pairs.append((prompt, index))
            prompt = None
    return tuple(pairs)


def anchor_vectors(turns: Floats, pairs: Sequence[tuple[int, int]]) -> Floats:
    """Return the normalised mean of each pair's two turn vectors, float32 of shape (pairs, d)."""
    rows = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    return unit_rows(turns[rows[:, 0]] + turns[rows[:, 1]])


def anchored(vectors: Floats, anchors: Floats, alpha: float, *, nearest: int, temperature: float) -> Floats:
    """Pull each vector toward the mix of its nearest anchors.

    ``unit((1 − α)·x + α·unit(Σ softmax(cos(x, aⱼ) / T)·aⱼ))`` over the ``nearest`` anchors.

    Args:
        vectors: Unit rows, shape (n, d).
        anchors: Unit rows, shape (m, d); none leave the vectors as they are.
        alpha: Weight, from 0 to 1.
        nearest: How many anchors take part.
        temperature: T, above 0; low follows the nearest one alone.
    """
    _check_weight("alpha", alpha)
    if temperature <= 0.0:
        raise InvalidParameterError(f"temperature must be above 0; got {temperature}")
    if alpha == 0.0 or not len(anchors) or not len(vectors):
        return vectors
    pulled = np.empty_like(vectors)
    for rows in _blocks(len(vectors)):
        cosines = dot_of_units(vectors[rows], anchors)
        chosen = _largest(cosines, nearest)
        scores = np.take_along_axis(cosines, chosen, axis=1) / np.float32(temperature)
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        mix = np.einsum("nk,nkd->nd", shares, anchors[chosen])
        pulled[rows] = _toward(vectors[rows], mix, alpha)
    return pulled


def smoothed(vectors: Floats, first: int, beta: float, *, nearest: int) -> Floats:
    """Pull the vectors from ``first`` on toward their neighbours; those before it only take part.

    ``unit((1 − β)·x + β·unit(c + s))``: ``c`` is the mean of the sentences before and after it in
    the conversation, ``s`` that of the ``nearest`` sentences by cosine, each at unit length.

    Args:
        vectors: Unit rows in conversation order, shape (n, d).
        first: Index of the first row that is shaped.
        beta: Weight, from 0 to 1.
        nearest: How many near sentences take part.

    Returns:
        The shaped rows, shape (n - first, d).
    """
    _check_weight("beta", beta)
    shaped = vectors[first:]
    if beta == 0.0 or len(vectors) < 2 or not len(shaped):
        return shaped
    beside = np.zeros_like(shaped)
    beside[:-1] += vectors[first + 1 :]
    beside[int(first == 0) :] += vectors[first - 1 + int(first == 0) : -1]
    beside = unit_rows(beside)
    result = np.empty_like(shaped)
    for rows in _blocks(len(shaped)):
        cosines = _others(vectors, first, rows)
        near = unit_rows(vectors[_largest(cosines, min(nearest, len(vectors) - 1))].sum(axis=1))
        result[rows] = _toward(shaped[rows], beside[rows] + near, beta)
    return result


def densities(vectors: Floats, first: int, *, nearest: int) -> NDArray[np.float32]:
    """Return the mean cosine of each row from ``first`` on to its ``nearest`` other rows.

    Returns:
        float32 of shape (n - first,); where there is no other row, ``REFERENCE_DENSITY``.
    """
    if len(vectors) < 2:
        return np.full(len(vectors) - first, REFERENCE_DENSITY, dtype=np.float32)
    result = np.empty(len(vectors) - first, dtype=np.float32)
    for rows in _blocks(len(result)):
        result[rows] = mean_of_largest(_others(vectors, first, rows), min(nearest, len(vectors) - 1))
    return result


def mean_of_largest(cosines: Floats, nearest: int) -> Floats:
    """Return the mean of the ``nearest`` largest values of each row, shape (n,)."""
    kept = min(nearest, cosines.shape[1])
    if not kept:
        return np.full(len(cosines), REFERENCE_DENSITY, dtype=np.float32)
    largest = np.partition(cosines, cosines.shape[1] - kept, axis=1)[:, cosines.shape[1] - kept :]
    mean: Floats = largest.mean(axis=1)
    return mean


def density_corrected(cosines: Floats, claims: Floats, sources: Floats, weight: float) -> Floats:
    """Correct cosines for how dense the space is around both ends.

    Cross-domain similarity local scaling (Conneau et al. 2018, section 2.3) is
    ``2·cos(x, y) − r(x) − r(y)``, with r the mean cosine to the nearest neighbours on the other
    side. We differ in three points. The r of a source is taken among the sources, so that a claim's
    score does not hang on which other claims are judged. Half of it is taken, and centred:
    ``δ = REFERENCE_DENSITY − (r(x) + r(y)) / 2`` is 0 in an ordinary chat, so a threshold set on
    plain cosines keeps its meaning. And ``cos + weight·δ·(1 − cos²)``, with δ held within ±1/2,
    stays in [-1, 1], grows with the cosine, and leaves a verbatim claim at 1.

    Args:
        cosines: Shape (n, m).
        claims: r of the claims, shape (n,).
        sources: r of the sources, shape (m,).
        weight: From 0 to 1.
    """
    _check_weight("weight", weight)
    if weight == 0.0:
        return cosines
    delta = np.float32(REFERENCE_DENSITY) - (claims[:, np.newaxis] + sources[np.newaxis, :]) / 2
    corrected: Floats = cosines + np.float32(weight) * np.clip(delta, -0.5, 0.5) * (1 - cosines * cosines)
    return corrected


def _toward(vectors: Floats, goal: Floats, weight: float) -> Floats:
    blank = ~vectors.any(axis=1, keepdims=True)
    moved = np.float32(1.0 - weight) * vectors + np.float32(weight) * unit_rows(goal)
    return unit_rows(np.where(blank, np.float32(0), moved))


def _others(vectors: Floats, first: int, rows: slice) -> Floats:
    """Return cosines of some rows, counted from ``first``, to all; to themselves -1, which is never near."""
    cosines = dot_of_units(vectors[first + rows.start : first + rows.stop], vectors)
    own = np.arange(len(cosines))
    cosines[own, first + rows.start + own] = -1.0
    return cosines


def _largest(values: NDArray[Any], count: int) -> NDArray[np.int64]:
    """Return the columns of the ``count`` largest values of each row, in ascending order."""
    kept = min(count, values.shape[1])
    columns = np.argpartition(-values, kept - 1, axis=1)[:, :kept]
    ordered: NDArray[np.int64] = np.sort(columns, axis=1)
    return ordered


def _blocks(n: int) -> Iterator[slice]:
    for start in range(0, n, _BLOCK):
        yield slice(start, min(start + _BLOCK, n))


def _check_weight(name: str, weight: float) -> None:
    if not 0.0 <= weight <= 1.0:
        raise InvalidParameterError(f"{name} must be between 0 and 1; got {weight}")
