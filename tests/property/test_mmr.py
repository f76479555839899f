"""The quick MMR picks what the slow one picks."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from memguard.geometry.mmr import mmr_order, rows_of
from memguard.geometry.relevance import window_relevance

# Few distinct values, so that duplicates and ties come up.
COARSE = hnp.arrays(np.float32, st.tuples(st.integers(1, 12), st.just(3)), elements=st.integers(-2, 2))
FINE = hnp.arrays(np.float32, st.tuples(st.integers(1, 12), st.just(4)), elements=st.floats(-1, 1, width=32))


def naive(relevance, similarity, lambda_mmr):
    """Recompute the whole equation of Carbonell and Goldstein at every pick."""
    left, picked = list(range(len(relevance))), []
    while left:
        best, best_score = -1, -np.inf
        for i in left:
            highest = max((similarity[i][j] for j in picked), default=0.0)
            score = lambda_mmr * relevance[i] - (1.0 - lambda_mmr) * highest
            if score > best_score:
                best, best_score = i, score
        left.remove(best)
        picked.append(best)
    return picked


@given(st.one_of(COARSE, FINE), st.sampled_from([0.0, 0.25, 0.5, 0.7, 1.0]))
def test_picks_are_those_of_the_naive_loop(vectors, lambda_mmr):
    """A05, A06, ties to the lowest index."""
    relevance = window_relevance(vectors, 2)
    rows = rows_of(vectors)
    similarity = np.array([rows(i) for i in range(len(vectors))], dtype=np.float64).T

    picks = list(mmr_order(relevance, rows, lambda_mmr))

    assert [p.index for p in picks] == naive(relevance, similarity, lambda_mmr)
    assert sorted(p.index for p in picks) == list(range(len(vectors)))
