"""Keys under which the same figure meets in any form (figures.py)."""

from __future__ import annotations

from datetime import date

import pytest

from memguard.grounding.reading.figures import figure_keys


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It took 21 days.", "It took three weeks."),
        ("It weighs 2.5 kg.", "It is 2,500 g."),
        ("It is REF-40913.", "See ref-40913 there."),
        ("At 16:00 we go.", "At 4pm we go."),
        ("A dozen came.", "12 came."),
    ],
)
def test_forms_of_one_figure_share_a_key(one: str, other: str) -> None:
    assert figure_keys(one) & figure_keys(other)


def test_relative_dates_share_a_key_with_the_day_they_mean() -> None:
    assert figure_keys("It comes tomorrow.", date(2026, 3, 2)) & figure_keys("It comes on 3 March.")
    assert not figure_keys("It comes tomorrow.") & figure_keys("It comes on 3 March.")


def test_text_without_figures_has_no_keys() -> None:
    assert figure_keys("Nothing here.") == frozenset()
