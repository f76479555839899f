"""Marks of Markdown in a quote: what a line of the payload shows of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memguard.grounding.claims.wording import on_one_line
from memguard.reconstructor.unmarked import is_mark, joint, unmarked


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("- Bergen to Porto via Frankfurt", "Bergen to Porto via Frankfurt"),
        ("Two ways:\n- by train\n- by bus, slower", "Two ways: by train; by bus, slower"),
        ("* milk.\n* eggs", "milk. eggs"),
        ("### Costs\n> 40 euros", "Costs; 40 euros"),
        ("The **total** is *40* euros, _all of it_.", "The total is 40 euros, all of it."),
        ("**Note:** pay", "Note: pay"),
        ("** pay by Friday", "pay by Friday"),
        ("| Plan | Price |\n|---|---:|\n| Solo | 5 euros |", "Plan, Price; Solo, 5 euros"),
        ("one\ntwo", "one two"),
    ],
)
def test_marks_of_lists_tables_headings_and_emphasis_go(text, shown):
    """A20: verbatim but for the marks."""
    assert unmarked(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "It was -5 degrees - cold.",
        "5 * 3 * 2 = 30",
        "call f(*args, **kwargs)",
        "2**3 and a**b",
        "`**not bold**` and `- no list`",
        "set __init__ and snake_case_name and /a/_b/c_",
        "ps aux | grep queue | wc -l",
        "a || b",
        "#42 is open",
        "*.py and *.md",
        "C* algebras",
        "-",
        "---",
        "I swapped EXPIRE for PEXPIRE in 1.8.0",
    ],
)
def test_what_only_looks_like_a_mark_stays(text):
    assert unmarked(text) == text


@pytest.mark.parametrize("text", ["- a\n+ b", "```\n- a\n- b\n```", "@@ -1,2 +1,2 @@\n- x = 1"])
def test_code_and_diffs_stay(text):
    assert unmarked(text) == on_one_line(text)


def test_the_first_line_of_a_quote_may_be_the_rest_of_a_row():
    assert unmarked("Solo | 5 euros", in_table=True) == "Solo, 5 euros"
    assert unmarked("Solo | 5 euros") == "Solo | 5 euros"


@given(st.text(alphabet="ab1 -*_|#>`\n.é日", max_size=40))
def test_nothing_but_marks_goes(text):
    """Every letter and digit stays, in order, whatever the marks around it."""
    kept = [c for c in unmarked(text) if c.isalnum()]

    assert kept == [c for c in text if c.isalnum()]
    assert "\n" not in unmarked(text)


def test_items_that_come_into_one_line_are_parted():
    assert (joint("Solo"), joint("Done."), joint("These:")) == ("; ", " ", " ")
    assert is_mark(" - ")
    assert is_mark("|")
    assert not is_mark("a")
    assert not is_mark(",")
