"""Dates and times in text (clock.py)."""

from __future__ import annotations

import pytest

from memguard.grounding.reading.clock import moments


@pytest.mark.parametrize(
    ("text", "year", "month", "day"),
    [
        ("on 2026-05-19", 2026, 5, 19),
        ("on 19 May 2026", 2026, 5, 19),
        ("on May 19th, 2026", 2026, 5, 19),
        ("on the 19th of May", None, 5, 19),
        ("Tuesday the nineteenth", None, None, 19),
        ("by the 19th.", None, None, 19),
        ("sat 16 may 11 people", None, 5, 16),
        ("born the twentieth, of the fourth, nineteen ninety", 1990, 4, 20),
        ("twenty-one twelve and nineteen uh eighty-six", 1986, 12, 21),
        ("Delivered 17/04/2026", 2026, 4, 17),
        ("Delivered 04/17/2026", 2026, 4, 17),
    ],
)
def test_days_are_read(text: str, year: int | None, month: int | None, day: int) -> None:
    moment = moments(text)[0]
    assert (moment.year, moment.month, moment.day) == (year, month, day)


@pytest.mark.parametrize(
    ("text", "minute"),
    [
        ("at 16:00", 960),
        ("at 4pm", 960),
        ("at 4 p.m. sharp", 960),
        ("at four o'clock", 240),
        ("half past four", 270),
        ("twenty to eleven", 640),
        ("a quarter past nine", 555),
        ("at noon", 720),
        ("at midnight", 0),
        ("let's say at ten.", 600),
        ("two in the afternoon", 840),
    ],
)
def test_times_are_read(text: str, minute: int) -> None:
    assert [m.minute for m in moments(text) if m.is_time] == [minute]


def test_a_zone_beside_a_time_is_read() -> None:
    assert [m.zone for m in moments("15:00 CET, which is 09:00 in New York, 4 p.m. Oslo time")] == [
        "cet",
        "new york",
        "oslo",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "You may go, and we march on.",
        "Wait a second in the sun.",
        "She sat and wed him.",
        "It costs 9.95 and weighs 12.5 kg.",
        "3 to 4 people, one or two of them",
        "They won 3-2.",
        "",
    ],
)
def test_ordinary_words_and_numbers_are_no_dates(text: str) -> None:
    assert moments(text) == ()


def test_other_dates_of_the_text_tell_its_order_of_day_and_month() -> None:
    second = moments("Packed 22/07/2025, label printed 05/07/2025.")[1]
    assert (second.month, second.day, second.swapped) == (7, 5, None)
    alone = moments("Label printed 05/07/2025.")[0]
    assert alone.swapped == (5, 7)


def test_offsets_point_at_what_was_read() -> None:
    text = "We fly on Friday 8 May 2026 at 06:35."
    assert [text[m.start : m.end] for m in moments(text)] == ["Friday 8 May 2026", "06:35"]


def test_a_day_without_a_month_follows_the_day_before_it():
    found = moments("Placed on 6 February, delivered on the 11th, checked on the 3rd.")

    assert [(m.month, m.day) for m in found] == [(2, 6), (2, 11), (None, 3)]


@pytest.mark.parametrize("text", ["We still owe the 9,700 euros.", "It fell by the 3.5 that you said."])
def test_the_beginning_of_a_figure_is_no_day(text):
    assert moments(text) == ()


def test_a_day_before_a_full_stop_is_one():
    assert [moment.day for moment in moments("Pay by the 9. Then we talk.")] == [9]
