"""The one function that decides."""

from __future__ import annotations

import pytest

from memguard.grounding.claims import Claim
from memguard.grounding.verdicts import Evidence, Label, Reason, ScoredClaim, judge, verbatim
from memguard.messages import SourceSpan
from memguard.settings import EliminationSettings

CLAIM = Claim("c1", "Ben paid.", (0, 9), "Ben paid.")


def scored(*similarities):
    return ScoredClaim(
        CLAIM, tuple(Evidence(SourceSpan(str(i), 0, 9), s) for i, s in enumerate(similarities))
    )


@pytest.mark.parametrize(
    ("similarity", "minimum", "kept"),
    [(0.6, 0.6, True), (0.599999, 0.6, False), (0.600001, 0.6, True), (-1.0, -1.0, True), (1.0, 1.0, True)],
)
def test_a_claim_is_dropped_exactly_below_the_minimum(similarity, minimum, kept):
    """A20, F1: equality is kept."""
    verdict = judge(scored(similarity), EliminationSettings(min_similarity=minimum))

    assert verdict.kept is kept
    assert verdict.label is (Label.SUPPORTED if kept else Label.NOT_FOUND)
    assert verdict.reason is (Reason.SIMILARITY_REACHED if kept else Reason.SIMILARITY_BELOW_MINIMUM)


def test_a_verdict_carries_what_was_measured():
    """A22: the score, its evidence and the runner-up."""
    measured = scored(0.8, 0.5)

    verdict = judge(measured, EliminationSettings())

    assert verdict.claim is CLAIM
    assert verdict.evidence == measured.evidence
    assert verdict.similarity == 0.8
    assert verdict.support == pytest.approx(0.9)


@pytest.mark.parametrize("minimum", [-1.0, 0.0, 0.6])
def test_without_evidence_nothing_is_kept(minimum):
    """A26: a claim that could cite nothing stays out, however low the minimum."""
    verdict = judge(scored(), EliminationSettings(min_similarity=minimum))

    assert (verdict.kept, verdict.label, verdict.reason) == (False, Label.NOT_FOUND, Reason.NO_EVIDENCE)
    assert verdict.similarity == 0.0


@pytest.mark.parametrize("similarity", [-1.0, -0.2, 0.0, 0.3, 1.0])
def test_support_is_from_zero_to_one_and_rises_with_similarity(similarity):
    verdict = judge(scored(similarity), EliminationSettings())

    assert 0.0 <= verdict.support <= 1.0
    assert verdict.support == pytest.approx((similarity + 1) / 2)


def test_a_verbatim_sentence_is_a_claim_of_its_own():
    """F22."""
    span = SourceSpan("m1", 3, 12)

    verdict = verbatim("v1", "Ben paid.", span)

    assert verdict.claim == Claim("v1", "Ben paid.", None, "Ben paid.")
    assert (verdict.kept, verdict.label, verdict.reason) == (True, Label.SUPPORTED, Reason.VERBATIM)
    assert verdict.evidence == (Evidence(span, 1.0),)
