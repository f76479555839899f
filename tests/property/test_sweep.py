"""A sweep says what judging at each threshold says, over random claims, presets and overrides."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from memguard import sweep
from memguard.compressor import Compression
from memguard.eliminator import Elimination, judged
from memguard.grounding.overrides import Override
from memguard.grounding.verdicts import ScoredClaim
from memguard.messages import Conversation
from memguard.reconstructor import Reconstruction
from memguard.settings import EliminationSettings, Settings
from memguard.trace import Trace
from tests.property.test_overrides import SETTINGS, numbered
from tests.property.test_threshold import CLAIMS

AXES = st.sampled_from(sweep.AXES)
DECIDED = st.dictionaries(st.sampled_from(["c1", "c2", "c3"]), st.booleans())
SOME = st.lists(CLAIMS, max_size=4).map(numbered)


def traced(claims: list[ScoredClaim], decided: dict[str, bool]) -> Trace:
    overrides = tuple(Override(claim_id, kept=kept) for claim_id, kept in decided.items())
    results = (Compression("", given=True), Elimination((), tuple(claims), "fake"))
    return Trace(Conversation.from_messages([]), Settings(), results=results, overrides=overrides)


def told(trace: Trace) -> Reconstruction:
    """A payload whose length names the claims that are kept."""
    kept = [1 << int(v.claim.id[1:]) for v in trace[Elimination].kept]
    return Reconstruction("", sum(kept), 0)


@settings(max_examples=40)
@given(SOME, DECIDED, SETTINGS, AXES)
def test_a_sweep_equals_judging_at_every_threshold(claims, decided, elimination, axis):
    """A21, F1, issue 4: bisection and reuse of verdicts change nothing."""
    trace = traced(claims, decided)
    found = sweep.sweep([trace], axis, elimination, told)

    for threshold, kept, tokens in zip(found.thresholds, found.kept, found.tokens, strict=True):
        verdicts = judged(claims, replace(elimination, **{axis: threshold}), trace.overrides)
        survivors = [v for v in verdicts if v.kept]
        assert kept == len(survivors)
        assert tokens == sum(1 << int(v.claim.id[1:]) for v in survivors)
    assert list(found.kept) == sorted(found.kept, reverse=True)


@settings(max_examples=40)
@given(st.lists(st.tuples(SOME, st.booleans()), max_size=4), SETTINGS, AXES)
def test_rates_equal_judging_at_every_threshold(rows, elimination, axis):
    labelled = [sweep.LabelledClaim("", supported, tuple(claims)) for claims, supported in rows]
    for rates in sweep.rates(labelled, axis, elimination):
        at = replace(elimination, **{axis: rates.threshold})
        assert rates == sweep.rates_at(labelled, axis, at)
        kept = [bool(c.scored) and all(v.kept for v in judged(c.scored, at)) for c in labelled]
        outcomes = [(c.supported, k) for c, k in zip(labelled, kept, strict=True)]
        assert rates.true_kept == outcomes.count((True, True))
        assert rates.wrong_kept == outcomes.count((False, True))
        assert rates.true_dropped == outcomes.count((True, False))
        assert rates.wrong_dropped == outcomes.count((False, False))


@given(SOME, DECIDED, SETTINGS, SETTINGS)
def test_changes_are_those_whose_fate_differs_and_mirror_each_other(claims, decided, one, other):
    trace = traced(claims, decided)
    there, back = sweep.changes(trace, one, other), sweep.changes(trace, other, one)

    assert [(c.before, c.after) for c in there] == [(c.after, c.before) for c in back]
    before = {v.claim.id for v in judged(claims, one, trace.overrides) if v.kept}
    after = {v.claim.id for v in judged(claims, other, trace.overrides) if v.kept}
    assert {c.after.claim.id for c in there if c.returns} == after - before
    assert {c.after.claim.id for c in there if not c.returns} == before - after


@given(SETTINGS, AXES)
def test_every_place_of_the_slider_is_swept(elimination: EliminationSettings, axis: sweep.Axis) -> None:
    grid = sweep.grid(axis, elimination)

    assert list(grid) == sorted(set(grid))
    assert grid[-1] == 1.0
    assert grid[0] <= min(0.0, getattr(elimination, axis)) + 0.005
    assert set(range(101)) <= {round(100 * value) for value in grid}
