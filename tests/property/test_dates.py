"""A statement of the transcript, restated word for word, is never held against its own dates."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from memguard.grounding.guards.dates import check
from memguard.grounding.reading.almanac import days
from memguard.grounding.reading.clock import moments
from memguard.grounding.verdicts import Severity
from tests.inquiries import inquiry

BAD = {Severity.CONTRADICTION, Severity.MISSING}
DAYS = st.dates(date(2025, 1, 1), date(2027, 12, 31))
WHENS = st.one_of(
    DAYS.map(lambda d: f"on {d.day} {d:%B %Y}"),
    DAYS.map(lambda d: f"on {d:%A}"),
    DAYS.map(lambda d: f"on {d.isoformat()}"),
    DAYS.map(lambda d: f"on {d.day:02}/{d.month:02}/{d.year}"),
    DAYS.map(lambda d: f"in {d:%B}"),
    st.times().map(lambda t: f"at {t:%H:%M}"),
    st.integers(1, 12).map(lambda h: f"at {h} p.m."),
    st.sampled_from(
        [
            "tomorrow",
            "yesterday at noon",
            "last week",
            "next Friday",
            "by the 9th",
            "at half past four",
            "in 2019",
        ]
    ),
)
EVENTS = st.sampled_from(
    ["The vet comes", "The tiles were laid", "Line two was closed", "Marlow called", "We met"]
)
STATEMENTS = st.builds(lambda event, when: f"{event} {when}.", EVENTS, WHENS)


@given(st.lists(STATEMENTS, min_size=1, max_size=6, unique=True), st.booleans(), st.data())
def test_a_verbatim_statement_is_never_held_against_itself(
    lines: list[str], stamped: bool, data: st.DataObject
) -> None:
    claim = data.draw(st.sampled_from(lines))
    messages = [{"role": "user", "speaker": "Ola", "content": line} for line in lines]
    if stamped:
        for i, message in enumerate(messages):
            message["timestamp"] = f"2026-06-09T09:{i:02}:00Z"
    found = check(inquiry(claim, *messages))
    assert not BAD & {finding.severity for finding in found}, (claim, lines, found)


@given(st.text(max_size=80))
def test_offsets_hold_in_any_text(text: str) -> None:
    for moment in moments(text):
        assert 0 <= moment.start < moment.end <= len(text)


@given(DAYS, STATEMENTS)
def test_the_days_of_a_moment_are_in_order(said: date, text: str) -> None:
    for moment in moments(text):
        assert all(first <= last for first, last in days(moment, said))
