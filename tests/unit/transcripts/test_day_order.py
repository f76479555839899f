"""Dates such as 5/9/26: the order of day and month is found out from the file."""

import re
from datetime import UTC, date, datetime, time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.transcripts.day_order import CLOCK, DATE, WrittenDate, find_order, read_clock
from memguard.transcripts.written_times import order_of, written_time

FIRST, LAST = datetime.fromisoformat("2009-01-01"), datetime.fromisoformat("2049-12-31")


def _stamps(*texts):
    return [(WrittenDate.of(re.match(DATE, text)), time(10)) for text in texts]


@pytest.mark.parametrize(
    ("texts", "order", "rule"),
    [
        (["5/9/26", "31/9/26", "13/10/26"], "dmy", "day first: 13/10/26 can be read in no other order"),
        (["5/9/26", "9/14/26"], "mdy", "month first: 9/14/26 can be read in no other order"),
        (["1.2.2026", "2.1.2026"], "dmy", "day first: the dates are written with dots"),
        (["5/9/26", "6/9/26", "4/10/26"], "dmy", "day first: read so, the times of the file go back never"),
        (["5/9/26", "5/10/26", "6/1/26"], "mdy", "month first: read so, the times of the file go back never"),
        (["2026-09-05", "2026/1/2"], "ymd", "year first"),
        (["26/9/30", "26/10/1", "26/11/2"], "ymd", "year first: in any other order"),
        (["5/5/26", "6/6/26"], "dmy", "day first: day and month are the same number in every date"),
        ([], "ymd", "no dates"),
    ],
)
def test_find_order_says_which_rule_it_used(texts, order, rule):
    """Issue 7: a reader never guesses between two orders."""
    found = find_order(_stamps(*texts))
    assert found.order == order
    assert found.rule.startswith(rule)
    assert found.warning is None


def test_find_order_warns_where_nothing_decides():
    found = find_order(_stamps("5/9/26", "6/9/26"))
    assert (found.order, found.rule) == ("dmy", "day first: no date decides it")
    assert found.warning is not None
    assert "5/9/26 is read as 2026-09-05" in found.warning


def test_find_order_one_impossible_date_does_not_turn_the_file():
    assert find_order(_stamps("14/9/26", "15/9/26", "31/9/26", "16/9/26")).order == "dmy"
    assert find_order(_stamps("9/14/26", "9/15/26", "9/31/26", "9/16/26")).order == "mdy"


@pytest.mark.parametrize(
    ("clock", "before", "after", "expected"),
    [
        ("6:05", "", "PM", time(18, 5)),
        ("6:05", "", "p. m.", time(18, 5)),
        ("6:05", "", "p.\u00a0m.", time(18, 5)),
        ("12:05", "", "AM", time(0, 5)),
        ("12:05", "", "pm", time(12, 5)),
        ("12:05", "", "", time(12, 5)),
        ("0:05", "", "", time(0, 5)),
        ("18.05.59", "", "", time(18, 5, 59)),
        ("6:05", "下午", "", time(18, 5)),
        ("12:05", "凌晨", "", time(0, 5)),
        ("11:50", "中午", "", time(11, 50)),
        ("12:50", "中午", "", time(12, 50)),
        ("6:05", "오후", "", time(18, 5)),
        ("6:05", "", "μ.μ.", time(18, 5)),
        ("6:05", "", "م", time(18, 5)),
        ("24:00", "", "", None),
        ("6:65", "", "", None),
        ("6:05", "", "lunch", None),
        ("6:05", "上午", "PM", None),
    ],
)
def test_read_clock(clock, before, after, expected):
    """ING-021: both clocks, with the words and blanks that phones write."""
    assert read_clock(re.match(CLOCK, clock), before, after) == expected


@given(
    st.lists(st.datetimes(FIRST, LAST), min_size=1, max_size=12),
    st.sampled_from(["dmy", "mdy"]),
    st.sampled_from(["{d}/{m}/{y}", "{d:02}/{m:02}/{y}", "{d}/{m}/{s:02}"]),
)
@settings(max_examples=80)
def test_a_log_is_read_as_it_was_written_or_a_warning_says_that_nothing_decides(moments, order, form):
    """Writing times in order and reading them gives them back, in both orders of day and month."""
    moments.sort()
    stamps = []
    for moment in moments:
        day, month = (moment.day, moment.month) if order == "dmy" else (moment.month, moment.day)
        text = form.format(d=day, m=month, y=moment.year, s=moment.year % 100)
        stamps.append((WrittenDate.of(re.match(DATE, text)), moment.time().replace(microsecond=0)))
    found = find_order(stamps)
    if found.warning is None and not found.rule.endswith("go back never, in the other order never"):
        assert [written.read(found.order) for written, _ in stamps] == [m.date() for m in moments]
    else:
        assert order == "mdy" or [w.read(found.order) for w, _ in stamps] == [m.date() for m in moments]


@pytest.mark.parametrize(
    ("text", "expected", "zoned"),
    [
        ("2026-01-02T03:04:05Z", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), True),
        ("2026-01-02 03:04:05 UTC", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), True),
        ("2026-01-02 03:04", datetime(2026, 1, 2, 3, 4, tzinfo=UTC), False),
        ("2026-01-02", datetime(2026, 1, 2, tzinfo=UTC), False),
        ("1767323045", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), True),
        ("1767323045000", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), True),
        ("14/1/2026", datetime(2026, 1, 14, tzinfo=UTC), False),
        ("14/1/2026 6:05 PM", datetime(2026, 1, 14, 18, 5, tzinfo=UTC), False),
        ("14.1.2026, 18:05:09", datetime(2026, 1, 14, 18, 5, 9, tzinfo=UTC), False),
    ],
)
def test_written_time(text, expected, zoned):
    found = written_time(text)
    assert found is not None
    assert found.moment(order_of([found])) == expected
    assert found.zoned == zoned


@pytest.mark.parametrize("text", ["", "soon", "99/99/2026", "14/1/2026 late", "14/1/2026 25:00", "1" * 40])
def test_written_time_refuses(text):
    assert written_time(text) is None


def test_dates_at_the_ends_of_the_calendar():
    assert WrittenDate.of(re.match(DATE, "1/1/0000")).read("dmy") is None
    assert WrittenDate.of(re.match(DATE, "31/12/9999")).read("dmy") == date(9999, 12, 31)
    assert find_order(_stamps("31/12/9999", "1/1/0001")).order == "dmy"
