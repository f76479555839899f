"""The charts of what is kept: points stand where the numbers say, and words say the same."""

from __future__ import annotations

import math

import pytest

from memguard import charts, palette
from memguard.facts import ClassRecall, FactClass
from memguard.retention import BudgetSweep, PlainSweep, Retained


def at(budget: int, tokens: int, kept: int, n_quoted: int = 0, n_claims: int = 0) -> Retained:
    rows = (ClassRecall(FactClass.PRICE, kept, 4),)
    return Retained(budget, tokens, kept / 4, rows, n_quoted, n_claims)


SWEEP = BudgetSweep(
    tokens_in=300,
    n_facts=4,
    payload=(at(30, 0, 0), at(100, 100, 3, 2, 1), at(300, 150, 4, 3, 1)),
    plain=PlainSweep(
        (at(30, 30, 0), at(100, 90, 1), at(300, 300, 4)), (at(30, 30, 1), at(100, 100, 2), at(300, 300, 4))
    ),
)
NOW = at(120, 120, 3)
ROWS = (
    ClassRecall(FactClass.NUMBER, 1, 4),
    ClassRecall(FactClass.DATE, 0, 2),
    ClassRecall(FactClass.CONDITION, 1, 1),
)


def test_each_way_stands_where_its_own_tokens_put_it() -> None:
    """Issue 5: ratio against recall, beside last messages and truncation; an empty payload has no ratio."""
    figure = charts.retention_chart(SWEEP, NOW)
    ways = [trace for trace in figure.data if trace.name]

    assert [trace.name for trace in ways] == ["MemGuard", "Last messages that fit", "Cut off at the budget"]
    assert [list(trace.x) for trace in ways] == [[3.0, 2.0], [10.0, 300 / 90, 1.0], [10.0, 3.0, 1.0]]
    assert [list(trace.y) for trace in ways] == [[0.75, 1.0], [0.0, 0.25, 1.0], [0.25, 0.5, 1.0]]
    assert len({trace.line.dash for trace in ways}) == 3
    assert "3.0× shorter, 100 tokens" in ways[0].hovertext[0]
    assert "75 % of the key facts: 3 of 4<br>1 claim, 2 lines quoted" in ways[0].hovertext[0]


def test_the_present_budget_is_marked() -> None:
    figure = charts.retention_chart(SWEEP, NOW)
    mark = figure.data[-1]

    assert (list(mark.x), list(mark.y)) == ([2.5], [0.75])
    assert [shape.x0 for shape in figure.layout.shapes] == [2.5]
    (label,) = figure.layout.annotations
    assert label.text == "now 2.5×, 75 %"
    assert label.x == pytest.approx(math.log10(2.5))  # an annotation on a logarithmic axis takes exponents


@pytest.mark.parametrize("tokens", [1, 20, 300, 600])
def test_the_mark_is_inside_the_picture_or_at_its_end(tokens: int) -> None:
    """A payload longer than the conversation is shown as well."""
    low, high = charts.retention_chart(SWEEP, at(600, tokens, 2)).layout.xaxis.range
    assert low < math.log10(min(1.0, 300 / tokens))
    assert high >= math.log10(min(20.0, max(1.0, 300 / tokens)))


def test_an_empty_context_is_not_marked() -> None:
    figure = charts.retention_chart(SWEEP, at(1, 0, 0))
    assert not figure.layout.shapes
    assert not figure.layout.annotations
    figure.to_json()


@pytest.mark.parametrize("dark", [False, True])
def test_lines_and_bars_can_be_seen_on_their_paper(dark: bool) -> None:
    base = palette.ground(dark)
    for trace in charts.retention_chart(SWEEP, NOW, dark=dark).data:
        assert palette.contrast(trace.marker.color, base.paper) >= 3
    kept, _lacks = charts.class_chart(ROWS, dark=dark).data
    assert palette.contrast(kept.marker.color, base.paper) >= 3


def test_curves_are_told() -> None:
    assert charts.describe_retention(SWEEP, NOW) == (
        "The context is 2.5 times shorter than the conversation and states 3 of 4 key facts. In about as "
        "many tokens, the last messages that fit state 25 % and the conversation cut off at the budget "
        "states 50 %."
    )
    assert "empty and states none of 4 key facts" in charts.describe_retention(SWEEP, at(1, 0, 0))
    nothing = BudgetSweep(10, 0, (), PlainSweep((), ()))
    assert "no key facts" in charts.describe_retention(nothing, Retained(5, 5, None, ()))


def test_a_bar_is_the_share_of_its_class_and_says_both_numbers() -> None:
    figure = charts.class_chart(ROWS)
    kept, lacks = figure.data

    assert list(kept.y) == ["Numbers", "Dates and times", "Medical and safety"]
    assert list(kept.x) == [0.25, 0.0, 1.0]
    assert [a + b for a, b in zip(kept.x, lacks.x, strict=True)] == [1.0, 1.0, 1.0]
    assert [note.text for note in figure.layout.annotations] == ["1 of 4", "0 of 2", "1 of 1"]
    assert figure.layout.height > charts.class_chart(ROWS[:1]).layout.height


def test_classes_are_told_and_each_has_a_name() -> None:
    assert set(charts.CLASS_NAMES) == set(FactClass)
    assert charts.describe_classes(ROWS) == (
        "In the context: 1 of 4 numbers, 0 of 2 dates and times and 1 of 1 medical and safety."
    )
    assert charts.describe_classes(()) == "The conversation holds no key facts."
