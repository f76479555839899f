"""Which memories merge: the documented greedy scan (B08, B09), and clusters, both in blocks of NumPy.

A block of cosines is one float32 matrix product, whose error is bounded; a pair nearer to the threshold
than that bound is decided by the exact cosine. So the decisions are those of the plain scan, pair by pair,
in a hundredth of its time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memguard.geometry.similarity import cosine, unit_rows

_BLOCK = 512
"""Rows of a block: with 10,000 columns a block of float32 is 20 MB."""
_ROUNDING = 1e-9
"""More than float64 loses over a million dimensions."""

Vector = Sequence[float] | None
Allowed = Callable[[int, int], bool]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two entries by their places, the first below the second, and their cosine in [-1, 1]."""

    i: int
    j: int
    similarity: float


def exact_cosine(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the cosine of two vectors in float64; 0.0 where one is zero.

    Raises:
        InvalidParameterError: The lengths differ, or a value is not finite.
    """
    return float(cosine(np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)))


def plain_pairs(vectors: Sequence[Vector], threshold: float, allowed: Allowed | None = None) -> list[Pair]:
    """Merge greedily, as documented: the reference that ``greedy_pairs`` is held to.

    Entry i takes the first later j whose cosine is above the threshold, not the best (B08); an entry
    takes part in one merge (B09). O(n²) calls of ``exact_cosine``.
    """
    taken: set[int] = set()
    pairs = []
    for i, left in enumerate(vectors):
        if i in taken or not _is_usable(left):
            continue
        for j in range(i + 1, len(vectors)):
            right = vectors[j]
            if j in taken or not _is_usable(right) or len(left) != len(right):  # type: ignore[arg-type]
                continue
            similarity = exact_cosine(left, right)  # type: ignore[arg-type]
            if similarity > threshold and (allowed is None or allowed(i, j)):
                pairs.append(Pair(i, j, similarity))
                taken |= {i, j}
                break
    return pairs


def greedy_pairs(vectors: Sequence[Vector], threshold: float, allowed: Allowed | None = None) -> list[Pair]:
    """Return what ``plain_pairs`` returns, computed in blocks.

    Args:
        vectors: One an entry, of any lengths; None, an empty or an unreadable one is no candidate, and
            vectors of different lengths are never compared.
        threshold: A pair merges only strictly above it (F11).
        allowed: Asked of a pair that would merge; False leaves both to other partners.
    """
    pairs: list[Pair] = []
    for scan in _scans(vectors, threshold):
        taken = np.zeros(len(scan.places), dtype=bool)
        for row, columns in scan.rows(taken):
            for column in columns:
                i, j = scan.places[row], scan.places[column]
                if not taken[column] and scan.is_above(row, column) and (allowed is None or allowed(i, j)):
                    pairs.append(Pair(i, j, scan.similarity(row, column)))
                    taken[[row, column]] = True
                    break
    return sorted(pairs, key=lambda pair: pair.i)


def pairs_above(vectors: Sequence[Vector], threshold: float) -> list[Pair]:
    """Return every pair above the threshold, the best first, ties by place; memory grows with the pairs."""
    pairs = []
    for scan in _scans(vectors, threshold):
        for row, columns in scan.rows():
            for column, similarity in zip(columns, scan.similarities(row, columns), strict=True):
                if similarity > threshold:
                    pairs.append(Pair(scan.places[row], scan.places[column], similarity))
    return sorted(pairs, key=lambda pair: (-pair.similarity, pair.i, pair.j))


def clusters(pairs: Sequence[Pair], allowed: Allowed | None = None) -> list[tuple[int, ...]]:
    """Join pairs into groups, the best pairs first: complete linkage (Sørensen 1948), cut at the threshold.

    Two groups are joined only if every entry of one and every entry of the other is a pair, so that a
    chain of small steps never joins its ends.

    Args:
        pairs: Of ``pairs_above``: the best first.
        allowed: Asked of each pair that a join would bring together.

    Returns:
        The places of each group of two or more, ascending; the groups by their first place.
    """
    near: dict[int, set[int]] = {}
    for pair in pairs:
        near.setdefault(pair.i, set()).add(pair.j)
        near.setdefault(pair.j, set()).add(pair.i)
    known: dict[tuple[int, int], bool] = {}

    def may_meet(x: int, y: int) -> bool:
        if y not in near[x]:
            return False
        if allowed is None:
            return True
        key = (min(x, y), max(x, y))
        if key not in known:
            known[key] = allowed(*key)
        return known[key]

    group_of: dict[int, list[int]] = {place: [place] for place in near}
    for pair in pairs:
        left, right = group_of[pair.i], group_of[pair.j]
        if left is right or not all(may_meet(x, y) for x in left for y in right):
            continue
        left += right
        for place in right:
            group_of[place] = left
    groups = {id(group): tuple(sorted(group)) for group in group_of.values() if len(group) > 1}
    return sorted(groups.values())


class _Scan:
    """The cosines of the vectors of one length, read block by block.

    Attributes:
        places: For each row, its place among all entries.
    """

    def __init__(self, places: list[int], rows: list[NDArray[np.float64]], threshold: float) -> None:
        self.places = places
        self._rows = np.stack(rows)
        self._units64 = unit_rows(self._rows)
        self._units = self._units64.astype(np.float32)
        self._threshold = threshold
        # n additions of products of unit rows in float32 are off by at most about n rounding steps
        # (Higham 2002, section 3.1); doubled for the rounding of the rows themselves.
        self._margin = 2.0 * (self._units.shape[1] + 8) * float(np.finfo(np.float32).eps)

    def rows(self, taken: NDArray[np.bool_] | None = None) -> Iterator[tuple[int, list[int]]]:
        """Yield each row with the later columns that may be above the threshold, ascending.

        Rows and columns that ``taken`` marks are left out; the caller marks them between two rows.
        """
        n = len(self.places)
        floor = self._threshold - self._margin
        for start in range(0, n, _BLOCK):
            block = self._units[start : start + _BLOCK] @ self._units[start:].T
            for row in range(start, min(start + _BLOCK, n)):
                if taken is not None and taken[row]:
                    continue
                beyond = block[row - start, row - start + 1 :] > floor
                if taken is not None:
                    beyond &= ~taken[row + 1 :]
                if beyond.any():
                    yield row, (np.flatnonzero(beyond) + row + 1).tolist()

    def is_above(self, row: int, column: int) -> bool:
        """Decide a pair as the plain scan does."""
        return self.similarity(row, column) > self._threshold

    def similarity(self, row: int, column: int) -> float:
        """Return the exact cosine of a pair."""
        return exact_cosine(self._rows[row], self._rows[column])

    def similarities(self, row: int, columns: list[int]) -> list[float]:
        """Return the cosines of a row to some columns: exact wherever a decision could turn on it."""
        found = (self._units64[columns] @ self._units64[row]).clip(-1.0, 1.0)
        for place in np.flatnonzero(np.abs(found - self._threshold) < _ROUNDING):
            found[place] = self.similarity(row, columns[place])
        return [float(value) for value in found]


def _scans(vectors: Sequence[Vector], threshold: float) -> Iterator[_Scan]:
    if threshold >= 1.0:
        return  # no cosine is above it, and copies, which all reach it, would be compared one by one
    by_length: dict[int, tuple[list[int], list[NDArray[np.float64]]]] = {}
    for place, vector in enumerate(vectors):
        if _is_usable(vector):
            row = np.asarray(vector, dtype=np.float64)
            places, rows = by_length.setdefault(len(row), ([], []))
            places.append(place)
            rows.append(row)
    for places, rows in by_length.values():
        if len(places) > 1:
            yield _Scan(places, rows, threshold)


def _is_usable(vector: Vector) -> bool:
    """Tell whether a vector can be compared: one row of finite numbers, at least one."""
    if vector is None:
        return False
    try:
        row = np.asarray(vector, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return row.ndim == 1 and row.size > 0 and bool(np.isfinite(row).all())
