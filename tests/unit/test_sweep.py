"""The sweep of a threshold: figures that can be counted by hand, and what they say of nothing."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from memguard import sweep
from memguard.eliminator import Elimination, Eliminator, measured
from memguard.errors import InvalidParameterError, StageOrderError
from memguard.grounding.claims import Claim
from memguard.grounding.verdicts import Evidence, ScoredClaim
from memguard.guard import MemGuard
from memguard.messages import SourceSpan
from memguard.reconstructor import Reconstruction
from memguard.settings import EliminationSettings, Settings
from memguard.sweep import LabelledClaim, Rates
from memguard.trace import Trace
from tests.app.handmade import handmade
from tests.fakes import FakeCounter, FakeEmbedder, FakeSummarizer

CONTRACT = EliminationSettings(preset="contract")


def scored(similarity: float, number: int = 1) -> ScoredClaim:
    text = f"Claim {number}."
    claim = Claim(f"c{number}", text, (0, len(text)), text)
    return ScoredClaim(claim, (Evidence(SourceSpan("m1", 0, 3), similarity),), support=similarity)


LABELLED = [
    LabelledClaim("a", True, (scored(0.9),)),
    LabelledClaim("b", True, (scored(0.5),)),
    LabelledClaim("c", False, (scored(0.6),)),
    LabelledClaim("d", False, (scored(0.2),)),
    LabelledClaim("two claims, the lesser decides", False, (scored(0.95), scored(0.4, 2))),
    LabelledClaim("no claim is never kept", True, ()),
]


def at(found: tuple[Rates, ...], threshold: float) -> Rates:
    return found[sweep.nearest([r.threshold for r in found], threshold)]


def test_rates_can_be_counted_by_hand() -> None:
    """Issue 4: precision, recall and false drops of a detector whose positive answer is "dropped"."""
    rates = at(sweep.rates(LABELLED, "min_similarity", CONTRACT), 0.55)

    assert rates == Rates(0.55, wrong_dropped=2, wrong_kept=1, true_kept=1, true_dropped=2)
    assert rates.precision == 2 / 4
    assert rates.recall == 2 / 3
    assert rates.false_drops == 2 / 3
    assert rates.cost(5) == 7


def test_shares_of_nothing_are_none_and_not_zero() -> None:
    nothing = Rates(0.5, 0, 0, 0, 0)
    assert (nothing.precision, nothing.recall, nothing.false_drops) == (None, None, None)
    assert Rates(0.5, 0, 2, 3, 0).precision is None
    assert Rates(0.5, 0, 2, 3, 0).recall == 0.0


def test_a_dearer_wrong_claim_raises_the_threshold_of_least_cost() -> None:
    found = sweep.rates(LABELLED, "min_similarity", CONTRACT)
    cheap, dear = sweep.least_cost(found, 0.5), sweep.least_cost(found, 10)

    assert (cheap.rates.threshold, cheap.up_to) == (0.41, 0.5)
    assert cheap.cost == 0.5 * 1 + 1
    assert (dear.rates.threshold, dear.up_to) == (0.61, 0.9)
    assert dear.cost == 2


@pytest.mark.parametrize("cost", [0, -1, float("nan")])
def test_a_cost_that_is_none_is_refused(cost: float) -> None:
    with pytest.raises(InvalidParameterError, match="must be above 0"):
        sweep.least_cost([Rates(0.5, 1, 1, 1, 1)], cost)
    with pytest.raises(InvalidParameterError, match="one threshold at least"):
        sweep.least_cost([], 5)


def test_the_sweep_ends_where_the_pipeline_ends() -> None:
    """Issue 4: at each threshold kept claims and tokens are those of a real run under that setting."""
    trace = handmade()
    guard = MemGuard(embedder=FakeEmbedder(), summarizer=FakeSummarizer(), counter=FakeCounter())
    reconstruct = guard.pipeline.stages[2].run
    for axis in sweep.AXES:
        found = sweep.sweep([trace, trace], axis, trace.settings.elimination, reconstruct)
        assert (found.n_runs, found.n_claims) == (2, 16)
        for threshold in (0.0, 0.3, 0.5, 0.72, 0.95, 1.0):
            run = guard.update(trace, trace.settings.with_value(f"elimination.{axis}", threshold))
            assert found.kept[found.at(threshold)] == 2 * len(run[Elimination].kept)
            assert found.tokens[found.at(threshold)] == 2 * run[Reconstruction].tokens
        if axis == "min_similarity":
            assert found.kept[-1] == 0
            assert found.tokens[-1] > 0  # the fallback sentence


def test_no_runs_and_unfinished_runs() -> None:
    nothing = sweep.sweep([], "min_support", CONTRACT, _never)
    assert set(nothing.kept) == set(nothing.tokens) == {0}
    assert nothing.n_runs == 0
    with pytest.raises(StageOrderError, match="Elimination"):
        sweep.sweep([handmade().rewind(2)], "min_support", CONTRACT, _never)


def test_a_threshold_below_zero_is_on_its_grid() -> None:
    grid = sweep.grid("min_similarity", replace(CONTRACT, min_similarity=-0.25))
    assert (grid[0], grid[-1], len(grid)) == (-0.25, 1.0, 126)
    assert sweep.grid("min_support", CONTRACT)[30] == 0.3
    with pytest.raises(InvalidParameterError, match="must not be empty"):
        sweep.nearest([], 0.5)


def test_what_is_measured_is_what_the_eliminator_measures_anew() -> None:
    """The cache of this page's measurements may hold exactly as long as ``Eliminator.adjust`` says."""
    trace, default = handmade(), EliminationSettings()
    eliminator = Eliminator(FakeEmbedder())
    other: dict[str, Any] = {"preset": "strict", "entailment": "models/nli"}
    for item in fields(EliminationSettings):
        value = getattr(default, item.name)
        changed = other.get(item.name, "off" if value == "on" else "x" if value == str(value) else None)
        if changed is None:
            changed = value + 1 if isinstance(value, int) else 0.7
        settings = replace(default, **{item.name: changed})
        moved = replace(trace, settings=Settings(elimination=settings))
        judges_again = eliminator.adjust(trace[Elimination], moved, Settings()) is not None
        assert judges_again is (measured(settings) == measured(default)), item.name


def _never(_trace: Trace) -> Reconstruction:
    raise AssertionError("there is nothing to reconstruct")
