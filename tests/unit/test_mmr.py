"""Maximal marginal relevance."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from memguard.errors import InvalidParameterError
from memguard.geometry import mmr
from memguard.geometry.mmr import Pick, mmr_order, rows_of

SIMILAR = np.array([[1.0, 0.9, 0.1], [0.9, 1.0, 0.2], [0.1, 0.2, 1.0]])


def order(relevance, lambda_mmr, similarity=SIMILAR, **options):
    return list(mmr_order(relevance, lambda i: similarity[i], lambda_mmr, **options))


def test_first_pick_has_no_penalty_and_the_next_ones_the_highest():
    """A05: 0.5·0.8; then 0.5·0.4 − 0.5·0.1 before 0.5·0.6 − 0.5·0.9; then the highest of 0.9 and 0.2."""
    assert [(p.index, pytest.approx(p.score), p.max_similarity) for p in order([0.8, 0.6, 0.4], 0.5)] == [
        (0, 0.4, 0.0),
        (2, 0.15, 0.1),
        (1, -0.15, 0.9),
    ]


def test_lambda_one_is_relevance_alone_and_zero_diversity_alone():
    """A06."""
    assert [p.index for p in order([0.1, 0.3, 0.2], 1.0)] == [1, 2, 0]
    # nothing separates the first picks, so the lowest index; then the least similar
    assert [p.index for p in order([0.1, 0.3, 0.2], 0.0)] == [0, 2, 1]


def test_ties_go_to_the_lowest_index():
    assert [p.index for p in order([0.5, 0.5, 0.5], 1.0)] == [0, 1, 2]
    assert [p.index for p in order([0.0] * 3, 0.5, np.ones((3, 3)))] == [0, 1, 2]


def test_only_candidates_are_picked_and_the_argument_stays():
    mask = np.array([False, True, True])

    assert [p.index for p in order([0.9, 0.5, 0.6], 1.0, candidates=mask)] == [2, 1]
    assert list(mask) == [False, True, True]
    assert order([0.9, 0.5, 0.6], 1.0, candidates=np.zeros(3, bool)) == []
    assert order([], 0.5) == []


def test_a_negative_similarity_is_a_bonus():
    """A05: the maximum is over what is picked alone, not over zero as well."""
    opposite = np.array([[1.0, -1.0], [-1.0, 1.0]])

    assert order([0.5, 0.1], 0.5, opposite)[1] == Pick(1, pytest.approx(0.55), -1.0)


def test_picks_are_computed_one_at_a_time():
    asked = []
    picks = mmr_order([0.3, 0.2, 0.1], lambda i: asked.append(i) or SIMILAR[i], 0.5)

    next(picks)
    assert asked == []
    next(picks)
    assert asked == [0]


@pytest.mark.parametrize("bad", [1.5, -0.1, float("nan")])
def test_lambda_outside_its_range_is_refused_before_the_first_pick(bad):
    """A06."""
    with pytest.raises(InvalidParameterError, match="lambda_mmr must be from 0 to 1"):
        mmr_order([0.1], lambda i: SIMILAR[i], bad)
    with pytest.raises(ValueError, match="lambda_mmr"):
        mmr_order([0.1], lambda i: SIMILAR[i], bad)


def test_bad_shapes_and_values_are_refused():
    with pytest.raises(InvalidParameterError, match="relevance must have shape"):
        mmr_order([[0.1]], lambda i: SIMILAR[i], 0.5)
    with pytest.raises(InvalidParameterError, match="candidates must have the shape"):
        mmr_order([0.1], lambda i: SIMILAR[i], 0.5, candidates=[True, False])
    with pytest.raises(InvalidParameterError, match="relevance must be finite"):
        mmr_order([0.1, float("nan")], lambda i: SIMILAR[i], 0.5)


def test_rows_of_scales_the_vectors_once():
    rows = rows_of([[2.0, 0.0], [0.0, 5.0], [3.0, 3.0]])

    assert rows(2) == pytest.approx([2**-0.5, 2**-0.5, 1.0])


def test_similarities_are_computed_on_one_thread(monkeypatch):
    """On a busy machine a second thread makes each pick a hundred times slower."""
    seen = []
    monkeypatch.setattr(mmr, "dot_of_units", lambda units, unit: seen.append(blas_threads()) or units @ unit)

    rows_of(np.eye(3))(0)

    assert seen == [{1}]


def blas_threads():
    """Of NumPy's own library: others that tests load bring theirs."""
    return {
        pool["num_threads"]
        for pool in threadpool_info()
        if pool["user_api"] == "blas" and "numpy" in pool["filepath"]
    }


def test_what_is_picked_already_counts_for_the_first_pick():
    """A05."""
    picks = order([0.1, 0.9, 0.2], 0.5, candidates=[False, True, True], picked=[0])

    assert [p.index for p in picks] == [2, 1]
    assert picks[0].max_similarity == 0.1
