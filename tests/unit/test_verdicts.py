"""The one function that decides."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memguard.grounding.claims import Claim, ClaimKind
from memguard.grounding.verdicts import (
    Evidence,
    Finding,
    Label,
    Measures,
    Reason,
    ScoredClaim,
    Severity,
    judge,
    verbatim,
)
from memguard.messages import SourceSpan
from memguard.settings import EliminationSettings

CLAIM = Claim("c1", "Ben paid.", (0, 9), "Ben paid.")
SPAN = SourceSpan("0", 0, 9)
CONTRADICTION = Finding("quantities", Severity.CONTRADICTION, (0, 3), SPAN, "40 where the transcript has 50")
MISSING = Finding("entities", Severity.MISSING, (0, 3), None, "Ben is not in the transcript")
NOTE = Finding("dates", Severity.NOTE, (0, 3), None, "a date")
MATCH = Finding("dates", Severity.MATCH, (0, 3), SPAN, "the same date")
REFUTED = Measures(entailed=0.1, refuted=0.8)


def chosen(**values):
    """Return settings whose minimum similarity is 0.6 unless said otherwise."""
    return EliminationSettings(**({"min_similarity": 0.6} | values))


def scored(*similarities):
    return ScoredClaim(
        CLAIM, tuple(Evidence(SourceSpan(str(i), 0, 9), s) for i, s in enumerate(similarities))
    )


def measured(similarity=0.9, support=0.9, **values):
    return replace(scored(similarity), support=support, **values)


def decided(claim, preset="balanced", **settings):
    verdict = judge(claim, chosen(preset=preset, **settings))
    return verdict.label, verdict.reason, verdict.kept


# The contract: similarity alone


@pytest.mark.parametrize(
    ("similarity", "minimum", "kept"),
    [(0.6, 0.6, True), (0.599999, 0.6, False), (0.600001, 0.6, True), (-1.0, -1.0, True), (1.0, 1.0, True)],
)
def test_a_claim_is_dropped_exactly_below_the_minimum(similarity, minimum, kept):
    """A20, F1: equality is kept."""
    verdict = judge(scored(similarity), chosen(preset="contract", min_similarity=minimum))

    assert verdict.kept is kept
    assert verdict.label is (Label.SUPPORTED if kept else Label.NOT_FOUND)
    assert verdict.reason is (Reason.SIMILARITY_REACHED if kept else Reason.SIMILARITY_BELOW_MINIMUM)


@pytest.mark.parametrize("similarity", [0.59, 0.6])
@pytest.mark.parametrize(
    "other",
    [
        {"support": 0.0},
        {"findings": (CONTRADICTION, MISSING)},
        {"review": "another language"},
        {"measures": REFUTED, "support": 0.0},
        {"unsupported": ((0, 3),), "support": 0.0},
    ],
)
def test_the_contract_asks_for_nothing_but_similarity(similarity, other):
    """A20: whatever else was measured, and whatever ``min_support`` says."""
    claim = measured(similarity, **other)

    for minimum in (0.0, 0.5, 1.0):
        assert decided(claim, "contract", min_support=minimum)[2] is (similarity >= 0.6)


# Beside it, support


@pytest.mark.parametrize("preset", ["balanced", "strict"])
@pytest.mark.parametrize(
    ("support", "minimum", "kept"),
    [(0.5, 0.5, True), (0.499999, 0.5, False), (0.0, 0.0, True), (1.0, 1.0, True), (0.999999, 1.0, False)],
)
def test_a_claim_is_dropped_exactly_below_the_minimum_support(preset, support, minimum, kept):
    """Issue 3: balanced and strict use ``min_support``; equality is kept."""
    label, reason, is_kept = decided(measured(support=support), preset, min_support=minimum)

    assert is_kept is kept
    assert label is (Label.SUPPORTED if kept else Label.NOT_FOUND)
    assert reason is (Reason.SUPPORT_REACHED if kept else Reason.SUPPORT_BELOW_MINIMUM)


@pytest.mark.parametrize("preset", ["contract", "balanced", "strict"])
def test_no_preset_keeps_a_claim_below_the_minimum_similarity(preset):
    """F1."""
    label, reason, kept = decided(measured(0.59, support=1.0), preset)

    assert (label, reason, kept) == (Label.NOT_FOUND, Reason.SIMILARITY_BELOW_MINIMUM, False)


LOW, HIGH = 0.2, 0.8
DROPPED = [
    # findings, support, balanced, strict
    ((CONTRADICTION,), LOW, Reason.GUARD_CONTRADICTS, Reason.GUARD_CONTRADICTS),
    ((CONTRADICTION,), HIGH, Reason.SUPPORT_REACHED, Reason.GUARD_CONTRADICTS),
    ((MISSING,), LOW, Reason.GUARD_MISSES, Reason.GUARD_MISSES),
    ((MISSING,), HIGH, Reason.SUPPORT_REACHED, Reason.GUARD_MISSES),
    ((MISSING, CONTRADICTION), LOW, Reason.GUARD_CONTRADICTS, Reason.GUARD_CONTRADICTS),
    ((NOTE, MATCH), LOW, Reason.SUPPORT_BELOW_MINIMUM, Reason.SUPPORT_BELOW_MINIMUM),
    ((NOTE, MATCH), HIGH, Reason.SUPPORT_REACHED, Reason.SUPPORT_REACHED),
]
LABELS = {
    Reason.GUARD_CONTRADICTS: Label.CONTRADICTED,
    Reason.GUARD_MISSES: Label.NOT_FOUND,
    Reason.SUPPORT_BELOW_MINIMUM: Label.NOT_FOUND,
    Reason.SUPPORT_REACHED: Label.SUPPORTED,
}


@pytest.mark.parametrize(("findings", "support", "balanced", "strict"), DROPPED)
def test_a_finding_is_the_reason_and_strict_needs_no_other(findings, support, balanced, strict):
    """Issue 3: not found is not contradicted; a note or a match decides nothing."""
    claim = measured(support=support, findings=findings)

    for preset, reason in (("balanced", balanced), ("strict", strict)):
        assert decided(claim, preset) == (LABELS[reason], reason, reason is Reason.SUPPORT_REACHED)


@pytest.mark.parametrize(
    ("measures", "reason"),
    [
        (REFUTED, Reason.ENTAILMENT_CONTRADICTS),
        (Measures(entailed=0.1, refuted=0.5), Reason.SUPPORT_BELOW_MINIMUM),
        (Measures(entailed=0.9, refuted=0.8), Reason.SUPPORT_BELOW_MINIMUM),
        (Measures(), Reason.SUPPORT_BELOW_MINIMUM),
    ],
)
@pytest.mark.parametrize("preset", ["balanced", "strict"])
def test_the_entailment_model_contradicts_where_it_is_surer_of_that_than_not(preset, measures, reason):
    label, seen, kept = decided(measured(support=LOW, measures=measures), preset)

    assert (seen, kept) == (reason, False)
    assert label is (Label.CONTRADICTED if reason is Reason.ENTAILMENT_CONTRADICTS else Label.NOT_FOUND)


def test_a_contradiction_of_the_model_alone_drops_nothing_that_has_support():
    """Support joins everything; the model is one part of it."""
    for preset in ("balanced", "strict"):
        assert decided(measured(support=HIGH, measures=REFUTED), preset)[1] is Reason.SUPPORT_REACHED


def test_words_that_are_not_found_are_the_reason_by_name():
    claim = measured(support=LOW, unsupported=((0, 3), (4, 8)))

    verdict = judge(claim, chosen())

    assert (verdict.label, verdict.reason) == (Label.NOT_FOUND, Reason.WORDS_NOT_FOUND)
    assert verdict.detail.startswith("the evidence does not hold “Ben”, “paid”; would be kept at")
    assert decided(replace(claim, support=HIGH))[1] is Reason.SUPPORT_REACHED


@pytest.mark.parametrize("support", [LOW, HIGH])
def test_what_cannot_be_judged_needs_review_and_the_preset_decides(support):
    """Issue 3: it never pretends."""
    claim = measured(support=support, review="its language is not one that the guards read")

    assert decided(claim, "balanced") == (Label.NEEDS_REVIEW, Reason.NOT_JUDGED, True)
    assert decided(claim, "strict") == (Label.NEEDS_REVIEW, Reason.NOT_JUDGED, False)
    assert decided(claim, "contract") == (Label.SUPPORTED, Reason.SIMILARITY_REACHED, True)
    assert judge(claim, chosen()).detail == claim.review


def test_what_is_contradicted_or_far_off_needs_no_review():
    claim = measured(support=LOW, review="arithmetic: a sum", findings=(CONTRADICTION,))

    assert decided(claim)[1] is Reason.GUARD_CONTRADICTS
    assert decided(measured(0.1, review="a sum"))[1] is Reason.SIMILARITY_BELOW_MINIMUM


@pytest.mark.parametrize("kind", [kind for kind in ClaimKind if kind is not ClaimKind.STATEMENT])
@pytest.mark.parametrize("preset", ["contract", "balanced", "strict"])
def test_what_states_nothing_is_no_claim_and_never_kept(kind, preset):
    """A17: however near it is."""
    claim = replace(measured(1.0, support=1.0), claim=replace(CLAIM, kind=kind))

    assert decided(claim, preset) == (Label.NOT_A_CLAIM, Reason.NO_STATEMENT, False)
    assert decided(ScoredClaim(claim.claim), preset)[0] is Label.NOT_A_CLAIM


@pytest.mark.parametrize("minimum", [-1.0, 0.0, 0.6])
@pytest.mark.parametrize("preset", ["contract", "balanced", "strict"])
def test_without_evidence_nothing_is_kept(preset, minimum):
    """A26: a claim that could cite nothing stays out, however low the minimum."""
    settings = chosen(preset=preset, min_similarity=minimum, min_support=0.0)
    verdict = judge(scored(), settings)

    assert (verdict.kept, verdict.label, verdict.reason) == (False, Label.NOT_FOUND, Reason.NO_EVIDENCE)
    assert verdict.similarity == 0.0


# What would change it


@pytest.mark.parametrize(
    ("claim", "settings", "detail"),
    [
        (scored(0.318), {"preset": "contract"}, "would be kept at a minimum similarity of 0.31 or below"),
        (scored(-0.318), {"preset": "contract"}, "would be kept at a minimum similarity of -0.32 or below"),
        (scored(0.29), {"preset": "contract"}, "would be kept at a minimum similarity of 0.29 or below"),
        (scored(0.9), {"preset": "contract"}, "similarity 0.90 reaches the minimum"),
        (measured(0.31), {}, "would be kept at a minimum similarity of 0.31 or below"),
        (measured(support=0.0849), {}, "would be kept at a minimum support of 0.08 or below"),
        (measured(support=0.75), {}, "support 0.75 reaches the minimum"),
        (
            measured(0.31, support=0.2),
            {},
            "similarity 0.31 is below the minimum; would be kept at minimum support 0.20 and similarity 0.31",
        ),
        (
            measured(support=0.2, findings=(CONTRADICTION,)),
            {},
            "40 where the transcript has 50; would be kept at minimum support 0.20",
        ),
        (
            measured(0.31, support=0.2, findings=(CONTRADICTION,)),
            {},
            "40 where the transcript has 50; would be kept at minimum support 0.20 and similarity 0.31",
        ),
        (
            measured(findings=(CONTRADICTION,)),
            {"preset": "strict"},
            "40 where the transcript has 50; strict drops it at any threshold",
        ),
        (
            measured(0.31, findings=(MISSING,)),
            {"preset": "strict"},
            "similarity 0.31 is below the minimum; strict drops it at any threshold",
        ),
        (
            measured(support=0.2, measures=REFUTED, review="a sum"),
            {"preset": "strict"},
            "the entailment model reads a contradiction (0.80); strict drops it at any threshold",
        ),
    ],
)
def test_a_verdict_says_what_would_change_it(claim, settings, detail):
    """Issue 3; that it is true is a property (tests/property/test_threshold.py)."""
    assert judge(claim, chosen(**settings)).detail == detail


# What a verdict carries


def test_a_verdict_carries_what_was_measured():
    """A22: the score, its evidence and the runner-up."""
    claim = replace(scored(0.8, 0.5), findings=(NOTE,), unsupported=((0, 3),))

    verdict = judge(claim, chosen())

    assert verdict.claim is CLAIM
    assert verdict.evidence == claim.evidence
    assert verdict.findings == (NOTE,)
    assert verdict.unsupported == ((0, 3),)
    assert verdict.similarity == 0.8
    assert verdict.support == pytest.approx(0.9)


@pytest.mark.parametrize("similarity", [-1.0, -0.2, 0.0, 0.3, 1.0])
def test_support_is_from_zero_to_one_and_rises_with_similarity(similarity):
    """Where it was not measured."""
    verdict = judge(scored(similarity), chosen())

    assert 0.0 <= verdict.support <= 1.0
    assert verdict.support == pytest.approx((similarity + 1) / 2)


def test_measured_support_is_the_verdicts():
    assert judge(measured(0.9, support=0.25), chosen()).support == 0.25


def test_the_first_finding_of_a_severity_is_found():
    claim = measured(findings=(NOTE, MISSING, CONTRADICTION))

    assert claim.first(Severity.MISSING) is MISSING
    assert claim.first(Severity.MATCH) is None


@pytest.mark.parametrize(
    ("word", "label"),
    [
        ("supported", Label.SUPPORTED),
        ("Supported.", Label.SUPPORTED),
        (" NOT FOUND ", Label.NOT_FOUND),
        ("not-found!", Label.NOT_FOUND),
        ("Unsupported", Label.NOT_FOUND),
        ("contradicted", Label.CONTRADICTED),
        ("needs review", Label.NEEDS_REVIEW),
        ("partly", Label.NEEDS_REVIEW),
        ("", Label.NEEDS_REVIEW),
        (None, Label.NEEDS_REVIEW),
    ],
)
def test_a_verifiers_word_is_read_however_written(word, label):
    """REC-008: one that is no label needs review."""
    assert Label(word) is label


def test_a_verbatim_sentence_is_a_claim_of_its_own():
    """F22."""
    span = SourceSpan("m1", 3, 12)

    verdict = verbatim("v1", "Ben paid.", span)

    assert verdict.claim == Claim("v1", "Ben paid.", None, "Ben paid.")
    assert (verdict.kept, verdict.label, verdict.reason) == (True, Label.SUPPORTED, Reason.VERBATIM)
    assert verdict.evidence == (Evidence(span, 1.0),)
