"""Dates such as ``5/9/26``: which of the numbers is the day is found out from all dates of a file.

The rules, in this order; the first that decides is used and named:

1. The order in which fewer dates are impossible: a first number of 31 can only be a day.
2. Dates with dots: they are written with the day first wherever they are written.
3. The order in which the times of the file go back less often: a log is written in order of time.
4. Nothing decides: day first, with a warning.

A date that begins with four digits has the year first, then month and day. Dates of three short
numbers have it first only where that gives fewer impossible dates and steps back than both others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from itertools import pairwise

NO_ZONE = "the file names no time zone; UTC is assumed"
"""What a reader says once of a format whose times have no zone."""
MARKS = "\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff"
"""Characters without a width that set the direction of text, as the inside of a character class."""
_BLANK = rf"[ \t\u00a0\u2007\u2009\u202f{MARKS}]"
DATE = (
    rf"(?P<first>\d{{1,4}}){_BLANK}{{0,2}}(?P<separator>[/.-]){_BLANK}{{0,2}}(?P<second>\d{{1,2}})"
    rf"{_BLANK}{{0,2}}(?P=separator){_BLANK}{{0,2}}(?P<third>\d{{1,4}})(?!\d)"
)
"""A regular expression for a written date; its match makes a ``WrittenDate``."""
CLOCK = r"(?P<hour>\d{1,2})[:.](?P<minute>\d\d)(?:[:.](?P<second_of_minute>\d\d))?(?!\d)"
"""A regular expression for a written time of day; half of the day stands before or after it."""
_HALVES = {
    **dict.fromkeys("am vorm dop de öö sa pd पूर्वाह्न πμ ص 上午 午前 凌晨 早上 清晨 오전".split(), 0),
    **dict.fromkeys("pm nachm odp du ös ch md अपराह्न μμ م 下午 午後 中午 晚上 오후".split(), 12),
}
_NOT_A_HALF = frozenset({"", "uhr", "h", "น", "kl", "klo", "um", "at", "à", "às", "las", "a", "ore"})
_ORDERS = {"day first": "dmy", "month first": "mdy", "year first": "ymd"}


@dataclass(frozen=True, slots=True)
class WrittenDate:
    """The three numbers of a date as they were written."""

    numbers: tuple[int, int, int]
    separator: str
    year_first: bool
    short_year: bool
    text: str

    @classmethod
    def of(cls, match: re.Match[str]) -> WrittenDate:
        """Take the date out of a match of ``DATE``."""
        parts = (match["first"], match["second"], match["third"])
        text = match["separator"].join(parts)
        first, second, third = map(int, parts)
        is_short = max(map(len, parts)) <= 2
        return cls((first, second, third), match["separator"], len(parts[0]) > 2, is_short, text)

    def read(self, order: str) -> date | None:
        """Return the date in the order ``dmy``, ``mdy`` or ``ymd``; None if there is no such day."""
        fields = dict(zip("ymd" if self.year_first else order, self.numbers, strict=True))
        year = fields["y"] + 2000 if self.short_year else fields["y"]
        try:
            return date(year, fields["m"], fields["d"])
        except ValueError:
            return None


@dataclass(frozen=True, slots=True)
class DayOrder:
    """The order that holds for a file.

    Attributes:
        order: ``dmy``, ``mdy`` or ``ymd``.
        rule: Which one it is and why, in words.
        warning: What to say where nothing decided; else None.
    """

    order: str
    rule: str
    warning: str | None = None


def read_clock(match: re.Match[str], before: str = "", after: str = "") -> time | None:
    """Return the time of a match of ``CLOCK``; None if there is none such, or the words are unknown.

    Args:
        match: The match.
        before: A word before the clock, such as 下午.
        after: A word after it, such as ``p. m.``.
    """
    words = [_word(before), _word(after)]
    halves = [_HALVES[word] for word in words if word in _HALVES]
    if len(halves) > 1 or any(word not in _HALVES and word not in _NOT_A_HALF for word in words):
        return None
    hour = int(match["hour"])
    if halves and hour <= 12:
        # 凌晨 and 中午 are no halves: 中午 11:50 is before noon.
        hour = hour if words[0] == "中午" and hour == 11 else hour % 12 + halves[0]
    try:
        return time(hour, int(match["minute"]), int(match["second_of_minute"] or 0))
    except ValueError:
        return None


def _word(text: str) -> str:
    return re.sub(rf"[.\s{MARKS}]", "", text).casefold()


def find_order(stamps: Sequence[tuple[WrittenDate, time]]) -> DayOrder:
    """Find the order of day and month that holds for all of these, given in the order of the file."""
    open_ones = [stamp for stamp in stamps if not stamp[0].year_first]
    if not open_ones:
        return DayOrder("ymd", "year first" if stamps else "no dates")
    names = ["day first", "month first"]
    if all(written.short_year for written, _ in open_ones):
        names.append("year first")
    impossible = {name: _impossible(open_ones, name) for name in names}
    back = {name: _steps_back(open_ones, name) for name in names}
    day, month = impossible["day first"], impossible["month first"]
    odd = {name: len(impossible[name]) + back[name] for name in names}
    if min(names, key=lambda name: (odd[name], names.index(name))) == "year first":
        return DayOrder("ymd", "year first: in any other order a date is impossible or the times go back")
    if len(day) != len(month):
        name = "day first" if len(day) < len(month) else "month first"
        others = month if len(day) < len(month) else day
        only = next((written for written in others if written.read(_ORDERS[name])), others[0])
        return DayOrder(_ORDERS[name], f"{name}: {only.text} can be read in no other order")
    if all(written.separator == "." for written, _ in open_ones):
        return DayOrder("dmy", "day first: the dates are written with dots")
    if back["day first"] != back["month first"]:
        name = min(("day first", "month first"), key=lambda name: back[name])
        other = max(back["day first"], back["month first"])
        return DayOrder(
            _ORDERS[name],
            f"{name}: read so, the times of the file go back {_times(back[name])}, in the other order "
            f"{_times(other)}",
        )
    return _undecided(open_ones)


def _undecided(stamps: Sequence[tuple[WrittenDate, time]]) -> DayOrder:
    both = next((w for w, _ in stamps if w.numbers[0] != w.numbers[1] and w.read("mdy")), None)
    if both is None or both.read("dmy") is None:
        return DayOrder("dmy", "day first: day and month are the same number in every date")
    day = both.read("dmy")
    return DayOrder(
        "dmy",
        "day first: no date decides it",
        f"no date of the file tells the day from the month: {both.text} is read as {day}, day first",
    )


def _impossible(stamps: Sequence[tuple[WrittenDate, time]], name: str) -> list[WrittenDate]:
    return [written for written, _ in stamps if written.read(_ORDERS[name]) is None]


def _steps_back(stamps: Sequence[tuple[WrittenDate, time]], name: str) -> int:
    order = _ORDERS[name]
    moments = [datetime.combine(day, clock) for written, clock in stamps if (day := written.read(order))]
    return sum(later < earlier for earlier, later in pairwise(moments))


def _times(count: int) -> str:
    return {0: "never", 1: "once"}.get(count, f"{count} times")
