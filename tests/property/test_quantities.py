"""A statement of the transcript, restated word for word, is never held against its own figures."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memguard.grounding.guards.quantities import check
from memguard.grounding.reading.measures import quantities
from memguard.grounding.reading.numbers import numbers
from memguard.grounding.verdicts import Severity
from tests.inquiries import inquiry

BAD = {Severity.CONTRADICTION, Severity.MISSING}
AMOUNTS = st.one_of(
    st.integers(2, 99_999).map(lambda n: f"{n:,}"),
    st.integers(2, 9_999).map(str),
    st.decimals("0.1", "999.9", places=1).map(str),
    st.sampled_from(
        ["twelve", "twenty-two", "a dozen", "two and a half", "three hundred", "4.25", "half a dozen"]
    ),
)
THINGS = st.sampled_from(
    [
        "crates of tiles",
        "kg of flour",
        "euros",
        "percent",
        "minutes",
        "seats",
        "GB",
        "miles",
        "%",
        "working days",
        "mg of zinc",
    ]
)
SUBJECTS = st.sampled_from(
    ["The depot", "Our second van", "The Atlas plan", "Marlow", "Line 4", "The invoice"]
)
VERBS = st.sampled_from(["needs", "holds about", "got at most", "lists", "had only", "counted"])
STATEMENTS = st.builds(lambda s, v, a, t: f"{s} {v} {a} {t}.", SUBJECTS, VERBS, AMOUNTS, THINGS)


@given(st.lists(STATEMENTS, min_size=1, max_size=6, unique=True), st.data())
def test_a_verbatim_statement_is_never_held_against_itself(lines: list[str], data: st.DataObject) -> None:
    claim = data.draw(st.sampled_from(lines))
    found = check(inquiry(claim, *(f"Ola: {line}" for line in lines)))
    assert not BAD & {finding.severity for finding in found}, (claim, lines, found)


@given(st.text(max_size=80))
def test_offsets_hold_in_any_text(text: str) -> None:
    for number in numbers(text):
        assert text[number.start : number.end] == number.text
    for quantity in quantities(text):
        assert 0 <= quantity.start < quantity.end <= len(text)


@given(st.text(alphabet="0123456789.,-–/:$€% kgmxQ", max_size=30))
def test_odd_figures_are_read_without_an_error(text: str) -> None:
    check(inquiry(f"It is {text}", f"Ola: It was {text[::-1]}"))
