"""Times as people and tools write them: ISO 8601, epoch numbers, and dates such as 5/9/26 18:05.

The last kind stays open until the order of day and month is known for the whole file
(``day_order.py``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time

from memguard.transcripts.day_order import CLOCK, DATE, DayOrder, WrittenDate, find_order, read_clock

_DATE, _CLOCK = re.compile(DATE), re.compile(CLOCK)
_HALF = re.compile(r"[ \u00a0\u202f]?([ap]\.?[ ]?m\.?)?\Z", re.IGNORECASE)
_NUMBER = re.compile(r"-?\d{9,16}(?:\.\d{1,9})?")
_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_MILLISECONDS_FROM = 1e11
"""Epoch numbers from here on are milliseconds: as seconds they would lie after the year 5000."""


@dataclass(frozen=True, slots=True)
class WrittenTime:
    """A time: known at once, or open until the order of day and month is.

    Attributes:
        known: The aware time; None where it is open.
        zoned: Whether it says its zone.
        open: The date and the time of day of one that is open.
    """

    known: datetime | None = None
    zoned: bool = False
    open: tuple[WrittenDate, time] | None = None

    def moment(self, order: DayOrder) -> datetime | None:
        """Return the aware time; one without a zone is UTC. None if its date does not exist so."""
        if self.open is None:
            return self.known
        day = self.open[0].read(order.order)
        return None if day is None else datetime.combine(day, self.open[1], UTC)


def order_of(times: Sequence[WrittenTime]) -> DayOrder:
    """Return the order of day and month that holds for the open ones among these."""
    return find_order([written.open for written in times if written.open is not None])


def aware(moment: datetime) -> WrittenTime:
    """Return a time that is known; without a zone it is UTC."""
    return WrittenTime(moment.replace(tzinfo=moment.tzinfo or UTC), moment.tzinfo is not None)


def open_time(date: str, clock: str, half: str = "") -> WrittenTime | None:
    """Return a time of a date such as 5/9/26; None if there is none such in any order.

    Args:
        date: The date alone.
        clock: The time of day, such as ``6:05``; empty for a date alone, which is midnight.
        half: ``am`` or ``p. m.``, if it is said.
    """
    match, of_day = _DATE.fullmatch(date), _CLOCK.match(clock)
    if match is None or (clock and of_day is None):
        return None
    written = WrittenDate.of(match)
    hour = read_clock(of_day, after=half) if of_day else time(0)
    if hour is None or not any(written.read(order) for order in ("dmy", "mdy", "ymd")):
        return None
    return WrittenTime(open=(written, hour))


def written_time(text: str) -> WrittenTime | None:
    """Return the time that a text is, whole; None if it is none."""
    try:
        if _NUMBER.fullmatch(text):
            number = float(text)
            seconds = number / 1000 if abs(number) >= _MILLISECONDS_FROM else number
            return aware(datetime.fromtimestamp(seconds, tz=UTC))
        if not _ISO.match(text):  # Python reads any run of digits as a date and a time
            return _numeric(text)
        moment = datetime.fromisoformat(text.removesuffix(" UTC"))
    except (ValueError, OverflowError, OSError):
        return _numeric(text)
    return aware(moment.replace(tzinfo=UTC) if text.endswith(" UTC") else moment)


def _numeric(text: str) -> WrittenTime | None:
    date = _DATE.match(text)
    if date is None:
        return None
    rest = text[date.end() :].lstrip(" ,T")
    clock = _CLOCK.match(rest)
    half = _HALF.fullmatch(rest[clock.end() :]) if clock else None
    if rest and half is None:
        return None
    return open_time(date[0], clock[0] if clock else "", (half[1] if half else "") or "")
