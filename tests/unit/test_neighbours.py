"""Neighbours in the real space, the contrast of two groups, and the principal plane."""

from __future__ import annotations

import numpy as np
import pytest

from memguard.errors import InvalidParameterError
from memguard.geometry.neighbours import contrast_of, largest_cosines, nearest
from memguard.geometry.plane import fit_plane
from memguard.geometry.similarity import unit_rows


def rows(n: int, dim: int = 24, seed: int = 0) -> np.ndarray:
    return np.asarray(unit_rows(np.random.default_rng(seed).normal(size=(n, dim)).astype(np.float32)))


def test_nearest_are_sorted_by_cosine_without_the_point_itself() -> None:
    vectors = np.array([[1, 0], [0, 1], [1, 1], [-1, 0], [1, 0]], np.float32)
    found = nearest(vectors, 0, 9)
    assert [i for i, _ in found] == [4, 2, 1, 3]
    assert [round(c, 3) for _, c in found] == [1.0, 0.707, 0.0, -1.0]
    assert nearest(vectors, 0, 2) == found[:2]
    assert nearest(vectors, 0, 0) == ()
    assert nearest(vectors[:1], 0, 5) == ()


def test_nearest_gives_ties_to_the_lowest_index() -> None:
    assert [i for i, _ in nearest(np.ones((5, 3), np.float32), 2, 4)] == [0, 1, 3, 4]


@pytest.mark.parametrize("row", [-1, 3])
def test_nearest_of_a_row_that_is_not_there(row: int) -> None:
    with pytest.raises(InvalidParameterError, match=f"one of 3 rows; got {row}"):
        nearest(rows(3), row, 1)


def test_largest_cosines() -> None:
    a, b = rows(6), rows(4, seed=1)
    np.testing.assert_allclose(largest_cosines(a, b), (a @ b.T).max(axis=1), atol=1e-6)
    assert list(largest_cosines(a, b[:0])) == [0.0] * 6
    assert largest_cosines(a[:0], b).shape == (0,)


def test_contrast_is_means_gap_and_ordered_pairs() -> None:
    found = contrast_of([0.9, 0.5, 0.5, 0.1], [True, True, False, False])
    assert found.upper == pytest.approx(0.7)
    assert found.lower == pytest.approx(0.3)
    assert found.gap == pytest.approx(0.4)
    assert found.ordered == pytest.approx(3.5 / 4)  # one pair is a tie


def test_contrast_without_one_group_says_nothing_of_the_gap() -> None:
    found = contrast_of([0.9, 0.5], [True, True])
    assert found.upper == pytest.approx(0.7)
    assert (found.lower, found.gap, found.ordered) == (None, None, None)
    assert contrast_of([], []).upper is None
    with pytest.raises(InvalidParameterError, match="one length; got 2 and 1"):
        contrast_of([1.0, 2.0], [True])


def test_plane_is_that_of_the_full_decomposition() -> None:
    scales = np.concatenate([[5.0, 3.0], np.linspace(1.0, 0.1, 38)])
    vectors = np.random.default_rng(2).normal(size=(300, 40)) * scales
    plane = fit_plane(vectors)
    centred = vectors - vectors.mean(axis=0)
    _left, sizes, axes = np.linalg.svd(centred, full_matrices=False)
    np.testing.assert_allclose(np.abs((axes[:2] * plane.axes).sum(axis=1)), 1.0, atol=1e-6)
    assert plane.share == pytest.approx((sizes[:2] ** 2).sum() / (sizes**2).sum(), abs=1e-6)
    np.testing.assert_allclose(plane.axes @ plane.axes.T, np.eye(2), atol=1e-9)
    np.testing.assert_allclose(plane.project(vectors), centred @ plane.axes.T, atol=1e-4)


def test_plane_moves_a_point_as_far_as_its_vector_and_no_other() -> None:
    vectors = rows(30)
    plane = fit_plane(vectors)
    moved = vectors.copy()
    moved[3] += np.float32(0.2) * plane.axes[0].astype(np.float32)
    step = plane.project(moved) - plane.project(vectors)
    np.testing.assert_allclose(step[3], [0.2, 0.0], atol=1e-5)
    assert not step[np.arange(30) != 3].any()


def test_equal_vectors_give_equal_planes() -> None:
    vectors = rows(50)
    np.testing.assert_array_equal(fit_plane(vectors).axes, fit_plane(vectors.copy()).axes)


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_plane_of_very_few_vectors(n: int) -> None:
    plane = fit_plane(rows(n))
    assert plane.project(rows(4, seed=5)).shape == (4, 2)
    assert np.isfinite(plane.project(rows(n))).all()
    assert 0.0 <= plane.share <= 1.0
    if n == 2:
        ends = plane.project(rows(2))
        assert np.linalg.norm(ends[0] - ends[1]) == pytest.approx(
            np.linalg.norm(rows(2)[0] - rows(2)[1]), abs=1e-5
        )


def test_plane_refuses_what_is_not_finite() -> None:
    with pytest.raises(InvalidParameterError, match="finite numbers of shape"):
        fit_plane([[1.0, np.nan]])
