"""Sliding-window relevance and centrality."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memguard.errors import InvalidParameterError
from memguard.geometry.relevance import centrality, window_relevance
from memguard.geometry.similarity import cosine

A, B, BOTH = [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]
HALF = 2**-0.5


@pytest.mark.parametrize(
    ("vectors", "expected"),
    [
        ([A], [0.0]),
        ([A, BOTH], [HALF, HALF]),
        ([A, B], [0.0, 0.0]),
        # 0: (0·1 + 0·2)/2, 1: (1·0 + 1·2)/2, 2: (2·1 + 2·0)/2
        ([A, B, BOTH], [HALF / 2, HALF / 2, HALF]),
        # cosines: 02 03 14 23 are 1, the others 0; the ends have two neighbours, those beside them three
        ([A, B, A, A, B], [1 / 2, 0 / 3, 2 / 4, 1 / 3, 0 / 2]),
    ],
    ids=["one", "two", "two-apart", "three", "five"],
)
def test_window_relevance_by_hand(vectors, expected):
    """A03."""
    assert window_relevance(vectors, 2) == pytest.approx(expected, abs=1e-12)


def test_window_relevance_counts_a_zero_row_as_zero():
    """A03, A04: (0 + 1)/2 for the ends, and 0 for the row itself."""
    assert window_relevance([A, [0.0, 0.0], A], 2) == pytest.approx([0.5, 0.0, 0.5])


def test_window_relevance_with_other_windows():
    assert window_relevance([A, B, A], 1) == pytest.approx([0.0, 0.0, 0.0])
    assert window_relevance([A, B, A], 10) == pytest.approx([0.5, 0.0, 0.5])
    assert window_relevance(np.zeros((0, 3), np.float32), 2).shape == (0,)


@given(
    st.lists(st.lists(st.integers(-3, 3), min_size=2, max_size=2), min_size=1, max_size=9), st.integers(1, 4)
)
def test_window_relevance_is_the_mean_over_the_neighbours(vectors, window):
    """A03, against the sentence of the requirement as a loop."""
    rows = np.array(vectors, dtype=np.float64)
    n = len(rows)
    expected = [
        np.mean(near) if near else 0.0
        for i in range(n)
        for near in [
            [
                float(cosine(rows[i], rows[j]))
                for j in range(i - window, i + window + 1)
                if j != i and 0 <= j < n
            ]
        ]
    ]
    assert window_relevance(rows, window) == pytest.approx(expected, abs=1e-12)


def test_window_relevance_refuses_bad_input():
    with pytest.raises(InvalidParameterError, match="window must be at least 1; got 0"):
        window_relevance([A, B], 0)
    with pytest.raises(InvalidParameterError, match="vectors must have shape"):
        window_relevance([1.0, 2.0], 2)
    with pytest.raises(InvalidParameterError, match="finite"):
        window_relevance([A, [np.nan, 1.0]], 2)


def test_centrality_orders_as_the_mean_cosine_to_every_row():
    rows = np.random.default_rng(3).normal(size=(20, 5)) + 0.5

    order = np.argsort(-centrality(rows), kind="stable")

    assert list(order) == list(np.argsort(-cosine(rows, rows).mean(axis=1), kind="stable"))


def test_centrality_of_nothing_and_of_opposites():
    assert centrality(np.zeros((0, 4))).shape == (0,)
    assert centrality([A, [-1.0, 0.0]]) == pytest.approx([0.0, 0.0])
