"""Survivors never grow as a threshold rises, and both views of the first agree."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memguard.eliminator import Elimination, eliminate
from memguard.grounding.claims import Claim, ClaimKind
from memguard.grounding.verdicts import Evidence, Finding, Label, Measures, ScoredClaim, Severity, judge
from memguard.messages import SourceSpan
from memguard.settings import EliminationSettings, Settings
from tests.support import MESSAGES, TEXTS, FakeEmbedder, guard

THRESHOLDS = st.floats(-1, 1)
BETWEEN = st.integers(-1_000_000, 999_999).map(lambda n: (n + 0.5) / 1e6)
"""Never a similarity, which has six decimals: the rounding of 1 - (1 - t) then decides nothing."""
PRESETS = st.sampled_from(["contract", "balanced", "strict"])
SIMILARITIES = st.integers(-1_000_000, 1_000_000).map(lambda n: n / 1e6)
SUPPORTS = st.integers(0, 1_000_000).map(lambda n: n / 1e6)
FINDINGS = st.lists(
    st.sampled_from(Severity).map(lambda severity: Finding("dates", severity, (0, 3), None, "seen")),
    max_size=3,
)
CLAIMS = st.builds(
    ScoredClaim,
    claim=st.sampled_from([ClaimKind.STATEMENT] * 5 + [ClaimKind.QUESTION]).map(
        lambda kind: Claim("c1", "Ben paid.", (0, 9), "Ben paid.", kind)
    ),
    evidence=st.lists(SIMILARITIES.map(lambda s: Evidence(SourceSpan("0", 0, 9), s)), max_size=2).map(tuple),
    findings=FINDINGS.map(tuple),
    measures=st.builds(Measures, entailed=st.none() | st.floats(0, 1), refuted=st.none() | st.floats(0, 1)),
    support=st.none() | SUPPORTS,
    unsupported=st.sampled_from([(), ((0, 3),)]),
    review=st.sampled_from(["", "", "another language"]),
)


def survivors(summary, messages, settings):
    return {v.claim.id for v in eliminate(summary, messages, settings=settings, embedder=FakeEmbedder()).kept}


@given(MESSAGES, TEXTS, PRESETS, st.lists(THRESHOLDS, min_size=2, max_size=5))
def test_a_higher_minimum_keeps_no_claim_more(messages, summary, preset, thresholds):
    """A21, F1: survivors(t) is non-increasing in t, as a set; so is the payload's source."""
    made = guard(Settings().with_value("elimination.preset", preset))
    trace = made.check(summary, messages)
    settings = [trace.settings.with_value("elimination.min_similarity", t) for t in sorted(thresholds)]
    kept = [{v.claim.id for v in made.update(trace, s)[Elimination].kept} for s in settings]

    for looser, stricter in itertools.pairwise(kept):
        assert stricter <= looser


@given(MESSAGES, TEXTS, PRESETS, st.lists(st.floats(0, 1), min_size=2, max_size=5))
def test_a_higher_minimum_support_keeps_no_claim_more(messages, summary, preset, thresholds):
    """Issue 3: survivors never grow as a threshold rises; the contract does not read this one."""
    made = guard(Settings().with_value("elimination.preset", preset))
    trace = made.check(summary, messages)
    settings = [trace.settings.with_value("elimination.min_support", t) for t in sorted(thresholds)]
    kept = [{v.claim.id for v in made.update(trace, s)[Elimination].kept} for s in settings]

    for looser, stricter in itertools.pairwise(kept):
        assert stricter <= looser
        assert preset != "contract" or stricter == looser


@given(CLAIMS, PRESETS, st.tuples(THRESHOLDS, THRESHOLDS), st.tuples(SUPPORTS, SUPPORTS))
def test_a_claim_that_is_dropped_stays_dropped_as_either_threshold_rises(scored, preset, similarity, support):
    """Whatever was measured, in every preset, both thresholds at once."""
    looser, stricter = (
        judge(scored, EliminationSettings(preset=preset, min_similarity=s, min_support=t))
        for s, t in zip(sorted(similarity), sorted(support), strict=True)
    )

    assert looser.kept or not stricter.kept


@given(CLAIMS, THRESHOLDS, SUPPORTS)
def test_a_stricter_preset_keeps_no_claim_more(scored, similarity, support):
    """Issue 3: balanced drops what the contract drops, strict what balanced drops."""
    settings = EliminationSettings(min_similarity=similarity, min_support=support)
    kept = [judge(scored, replace(settings, preset=p)).kept for p in ("contract", "balanced", "strict")]

    assert kept == sorted(kept, reverse=True)


@given(CLAIMS, PRESETS, THRESHOLDS, SUPPORTS)
def test_what_a_verdict_says_would_change_it_does(scored, preset, similarity, support):
    """Issue 3: it says what would change it, and that is true."""
    settings = EliminationSettings(preset=preset, min_similarity=similarity, min_support=support)

    verdict = judge(scored, settings)

    assert verdict.detail
    limits = {
        f"min_{name}": float(value)
        for name, value in re.findall(
            r"(similarity|support)(?: of)? (-?\d\.\d\d)(?: or below| and|$)", verdict.detail
        )
    }
    if "would be kept at" in verdict.detail:
        assert not verdict.kept
        assert limits
        assert judge(scored, replace(settings, **limits)).kept
    elif "at any threshold" in verdict.detail:
        assert not judge(scored, replace(settings, min_similarity=-1.0, min_support=0.0)).kept
    else:
        decided = {Label.SUPPORTED, Label.NEEDS_REVIEW, Label.NOT_A_CLAIM}
        assert verdict.label in decided or not scored.evidence


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
