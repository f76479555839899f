"""Survivors never grow as the threshold rises, and both views of it agree."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memguard.eliminator import Elimination, eliminate
from memguard.settings import EliminationSettings, Settings
from tests.support import MESSAGES, TEXTS, FakeEmbedder, guard

THRESHOLDS = st.floats(-1, 1)
BETWEEN = st.integers(-1_000_000, 999_999).map(lambda n: (n + 0.5) / 1e6)
"""Never a similarity, which has six decimals: the rounding of 1 - (1 - t) then decides nothing."""


def survivors(summary, messages, settings):
    return {v.claim.id for v in eliminate(summary, messages, settings=settings, embedder=FakeEmbedder()).kept}


@given(MESSAGES, TEXTS, st.lists(THRESHOLDS, min_size=2, max_size=5))
def test_a_higher_minimum_keeps_no_claim_more(messages, summary, thresholds):
    """A21, F1: survivors(t) is non-increasing in t, as a set; so is the payload's source."""
    made = guard()
    trace = made.check(summary, messages)
    settings = [trace.settings.with_value("elimination.min_similarity", t) for t in sorted(thresholds)]
    kept = [{v.claim.id for v in made.update(trace, s)[Elimination].kept} for s in settings]

    for looser, stricter in itertools.pairwise(kept):
        assert stricter <= looser


@given(MESSAGES, TEXTS, BETWEEN)
def test_a_maximum_distance_keeps_what_its_mirror_keeps(messages, summary, minimum):
    """F1: max_distance = 1 − min_similarity; seen as a distance, lower strips more."""
    direct = EliminationSettings(min_similarity=minimum)
    mirrored, closer = (
        Settings.from_dict({"elimination": {"max_distance": d}}).elimination
        for d in (1 - minimum, max(0.0, 1 - minimum - 0.1))
    )

    assert direct.max_distance == pytest.approx(1 - minimum, abs=1e-12)
    assert mirrored.min_similarity == pytest.approx(minimum, abs=1e-12)
    kept = survivors(summary, messages, direct)
    assert survivors(summary, messages, mirrored) == kept
    assert survivors(summary, messages, closer) <= kept
