"""The charts of a threshold: bars, curves and lines stand where the numbers say, and words say the same."""

from __future__ import annotations

from typing import Any

import pytest

from memguard import charts, palette
from memguard.eliminator import Elimination
from memguard.grounding.verdicts import Verdict
from memguard.sweep import CostChoice, Rates, Sweep
from tests.app.handmade import handmade, with_preset


@pytest.fixture(scope="module")
def verdicts() -> tuple[Verdict, ...]:
    return handmade()[Elimination].verdicts


SWEEP = Sweep("min_support", (0.0, 0.5, 1.0), (8, 5, 0), (90, 60, 20), n_claims=8, n_runs=1)
RATES = (
    Rates(0.0, wrong_dropped=0, wrong_kept=4, true_kept=4, true_dropped=0),
    Rates(0.5, wrong_dropped=3, wrong_kept=1, true_kept=3, true_dropped=1),
    Rates(1.0, wrong_dropped=4, wrong_kept=0, true_kept=0, true_dropped=4),
)
CHOICE = CostChoice(RATES[1], 0.5, 6)


def lines(figure: Any) -> list[float]:
    return [shape.x0 for shape in figure.layout.shapes]


def words(figure: Any) -> list[str]:
    return [annotation.text for annotation in figure.layout.annotations]


@pytest.mark.parametrize("measure", ["similarity", "support"])
def test_a_histogram_counts_every_claim_once_by_verdict(
    verdicts: tuple[Verdict, ...], measure: charts.histogram.Measure
) -> None:
    """Issue 4: coloured by verdict; a question is no claim and is not counted."""
    figure = charts.score_histogram(verdicts, measure, 0.6)

    assert sum(sum(bar.y) for bar in figure.data) == 8
    assert {bar.name for bar in figure.data} == {
        f"{m.glyph} {m.label} {n}"
        for m, n in (
            (palette.KEPT, 4),
            (palette.CONTRADICTED, 1),
            (palette.NOT_FOUND, 2),
            (palette.NEEDS_REVIEW, 1),
        )
    }


def test_no_two_verdicts_are_told_apart_by_colour_alone(verdicts: tuple[Verdict, ...]) -> None:
    figure = charts.score_histogram(verdicts, "support", 0.5)
    patterns = [bar.marker.pattern.shape or "" for bar in figure.data]
    assert len(set(patterns)) == len(patterns) == 4
    for dark in (False, True):
        for bar in charts.score_histogram(verdicts, "support", 0.5, dark=dark).data:
            assert palette.contrast(bar.marker.color, palette.ground(dark).paper) >= 3


def test_a_bin_holds_its_lower_border_as_the_minimum_does(verdicts: tuple[Verdict, ...]) -> None:
    """The needs-review claim has support 0.60: it is right of the line at 0.60, as it is kept there."""
    figure = charts.score_histogram(verdicts, "support", 0.6)
    review = next(bar for bar in figure.data if palette.NEEDS_REVIEW.label in bar.name)
    assert list(review.x) == pytest.approx([0.625])
    assert "support 0.60 to 0.65" in review.hovertext[0]


@pytest.mark.parametrize("minimum", [0.0, 0.37, 1.0, -0.4])
def test_the_line_stands_where_the_slider_stands(verdicts: tuple[Verdict, ...], minimum: float) -> None:
    """Issue 4: a threshold line that follows its slider."""
    figure = charts.score_histogram(verdicts, "similarity", minimum)
    assert lines(figure) == [minimum]
    assert f"minimum {minimum:.2f}" in words(figure)
    assert figure.layout.xaxis.range[0] <= minimum <= figure.layout.xaxis.range[1]
    assert f"minimum {minimum:.2f}" in charts.describe_histogram(verdicts, "similarity", minimum)


def test_the_contract_draws_no_line_for_support_and_says_why() -> None:
    verdicts = handmade(with_preset("contract"))[Elimination].verdicts
    figure = charts.score_histogram(verdicts, "support", None)
    assert lines(figure) == []
    assert "not used by the contract preset" in words(figure)
    assert "uses no minimum" in charts.describe_histogram(verdicts, "support", None)


def test_an_empty_histogram_says_so() -> None:
    figure = charts.score_histogram((), "support", 0.5)
    assert "No claims." in words(figure)
    assert charts.describe_histogram((), "support", 0.5) == "The histogram is empty: there are no claims."


def test_the_description_counts_what_lies_below(verdicts: tuple[Verdict, ...]) -> None:
    said = charts.describe_histogram(verdicts, "similarity", 0.71)
    assert "8 claims by similarity, from 0.31 to 0.99" in said
    assert "2 below the minimum 0.71" in said


@pytest.mark.parametrize("dark", [False, True])
def test_the_sweep_draws_both_curves_and_marks_the_setting(dark: bool) -> None:
    figure = charts.sweep_chart(SWEEP, 0.5, dark=dark)
    kept, kept_mark, tokens, tokens_mark = figure.data

    assert (list(kept.x), list(kept.y)) == ([0.0, 0.5, 1.0], [8, 5, 0])
    assert (list(tokens.x), list(tokens.y)) == ([0.0, 0.5, 1.0], [90, 60, 20])
    assert (list(kept_mark.x), list(kept_mark.y)) == ([0.5], [5])
    assert (list(tokens_mark.x), list(tokens_mark.y)) == ([0.5], [60])
    assert kept.yaxis != tokens.yaxis
    assert lines(figure) == [0.5]
    assert {"now 0.50", "<b>5</b>", "<b>60</b>"} <= set(words(figure))
    assert kept.hovertext[0] == "minimum support 0.00<br>8 of 8 claims kept<br>90 context tokens"


def test_the_sweep_in_words() -> None:
    said = charts.describe_sweep(SWEEP, 0.5)
    assert "At the minimum support 0.50, 5 of 8 claims kept, 60 tokens of context." in said
    assert "fall from 8 to 0" in said


@pytest.mark.parametrize("dark", [False, True])
def test_the_rates_are_drawn_with_the_choice_of_the_cost(dark: bool) -> None:
    """Issue 4: precision, recall and false drops, with the point that a stated cost would choose."""
    figure = charts.rates_chart(RATES, "min_support", 0.0, CHOICE, dark=dark)
    curves = {line.name: line for line in figure.data if line.mode == "lines"}

    assert list(curves["Precision"].y) == [None, 0.75, 0.5]
    assert list(curves["Recall"].y) == [0.0, 0.75, 1.0]
    assert list(curves["False drops"].y) == [0.0, 0.25, 1.0]
    assert len({line.line.dash for line in curves.values()}) == 3
    marks = [(mark.x[0], mark.y[0]) for mark in figure.data if mark.mode == "markers"]
    assert marks == [(0.5, 0.75), (0.5, 0.75), (0.5, 0.25)]
    assert lines(figure) == [0.0, 0.5]
    assert {"now 0.00", "least cost 0.50"} == set(words(figure))
    assert "recall 75 %: 3 of 4 wrong claims dropped" in curves["Recall"].hovertext[1]


def test_one_line_where_the_setting_is_the_choice() -> None:
    figure = charts.rates_chart(RATES, "min_support", 0.5, CHOICE)
    assert lines(figure) == [0.5]
    assert words(figure) == ["now 0.50, least cost"]


def test_the_rates_in_words_with_a_dash_for_a_share_of_nothing() -> None:
    said = charts.describe_rates(RATES, "min_support", 0.0, CHOICE)
    assert "precision –, recall 0 %, false drops 0 %" in said
    assert "least at 0.50: precision 75 %, recall 75 %, false drops 25 %" in said
    assert charts.percent(None) == "–"
    assert charts.percent(0.125) == "12 %"
