"""Which days a date may mean when it was said on a known day, and how two dates compare."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from enum import StrEnum

from memguard.grounding.reading.clock import Moment, known_date

Days = tuple[date, date]
_NEAR = timedelta(days=210)  # a date without its year is one within about half a year
_SEASONS = {"winter": 12, "spring": 3, "summer": 6, "autumn": 9}
_UNIT_DAYS = {"day": (1, 0), "week": (7, 2), "month": (30, 8), "year": (365, 120)}
_SHIFTS = {
    "today": 0, "tonight": 0, "this": 0, "tomorrow": 1, "yesterday": -1, "last night": -1,
    "day after tomorrow": 2, "day before yesterday": -2,
}  # fmt: skip
_TOLD = {"next": 1, "following": 1, "previous": -1}


class Relation(StrEnum):
    """How a claim's date stands to a stated one."""

    EQUAL = "equal"
    DIFFERENT = "different"
    VAGUE = "vague"


def compare(claim: Moment, stated: Moment, said: date | None, before: Moment | None = None) -> Relation:
    """Compare two dates or two times.

    Args:
        claim: From the claim; relative words in it are read as said on the same day.
        stated: From the transcript.
        said: The day on which it was said, if known.
        before: The date told just before ``stated``, on which "the next day" rests.

    Returns:
        ``EQUAL`` if the stated date implies the claimed one, ``DIFFERENT`` if both cannot be,
        ``VAGUE`` if the claim says more than is known.
    """
    if claim.is_time or stated.is_time:
        return _compare_times(claim, stated)
    if claim.swapped is not None:
        other = replace(claim, month=claim.swapped[0], day=claim.swapped[1], swapped=None)
        readings = {
            compare(reading, stated, said, before) for reading in (replace(claim, swapped=None), other)
        }
        return next(r for r in (Relation.EQUAL, Relation.VAGUE, Relation.DIFFERENT) if r in readings)
    if replace(claim, start=0, end=0) == replace(stated, start=0, end=0):
        return Relation.EQUAL
    if (
        claim.kind == stated.kind
        and claim.kind in {"quarter", "season"}
        and claim.year in {None, stated.year}
    ):
        same = (claim.n, claim.word) == (stated.n, stated.word)
        return Relation.EQUAL if same else Relation.DIFFERENT
    relation = _by_fields(claim, stated)
    if relation is not Relation.VAGUE:
        return relation
    if said is None:
        return _by_words(claim, stated)
    theirs = list(days(stated, said, before))
    ours = list(days(claim, said))
    if not theirs or not ours:
        return Relation.VAGUE
    loose = stated.kind == "offset" or claim.kind == "offset"
    for a, b in ours:
        for c, d in theirs:
            if (a <= c and d <= b) or (loose and a <= d and c <= b):
                return Relation.EQUAL
    if any(a <= d and c <= b for a, b in ours for c, d in theirs):
        return Relation.VAGUE
    return Relation.DIFFERENT


def _compare_times(claim: Moment, stated: Moment) -> Relation:
    if not (claim.is_time and stated.is_time) or claim.minute is None or stated.minute is None:
        return Relation.VAGUE
    if claim.zone and stated.zone and claim.zone != stated.zone:
        return Relation.VAGUE
    if claim.minute == stated.minute:
        return Relation.EQUAL
    if not (claim.half_day and stated.half_day) and claim.minute % 720 == stated.minute % 720:
        return Relation.EQUAL
    return Relation.DIFFERENT


def _by_fields(claim: Moment, stated: Moment) -> Relation:
    """Compare year, month, day and weekday as written; ``VAGUE`` where a field is open on one side."""
    if claim.kind not in {"day", "month", "weekday", "year"} or stated.kind not in {
        "day",
        "month",
        "weekday",
        "year",
    }:
        return Relation.VAGUE
    if claim.word in {"next", "last", "this"} or stated.word in {"next", "last", "this"}:
        if (
            claim.weekday is not None
            and claim.weekday == stated.weekday
            and claim.kind == stated.kind
            and {claim.word, stated.word} != {"next", "last"}
        ):
            return Relation.EQUAL
        return Relation.VAGUE
    if stated.swapped and (claim.month, claim.day) == stated.swapped:
        stated = replace(stated, month=stated.swapped[0], day=stated.swapped[1], swapped=None)
    ranged = stated.until is not None and claim.day is not None and claim.until is None
    inside = ranged and claim.day in {stated.day, stated.until}
    open_field = False
    known = known_date(stated)
    for name in ("year", "month", "day", "weekday"):
        ours, theirs = getattr(claim, name), getattr(stated, name)
        if name == "weekday" and theirs is None and known is not None:
            theirs = known.weekday()
        if ours is None or (name == "day" and inside):
            continue
        if theirs is None:
            open_field = True
        elif ours != theirs:
            return Relation.DIFFERENT
    if claim.until is not None and stated.until is not None and claim.until != stated.until:
        return Relation.DIFFERENT
    return Relation.VAGUE if open_field else Relation.EQUAL


def _by_words(claim: Moment, stated: Moment) -> Relation:
    """Compare relative dates without a day to count from: only with one another."""
    ours, theirs = _shift(claim), _shift(stated)
    if ours is None or theirs is None:
        return Relation.VAGUE
    return Relation.EQUAL if ours == theirs else Relation.DIFFERENT


def _shift(moment: Moment) -> int | None:
    if moment.kind == "relative":
        return _SHIFTS.get(moment.word, _TOLD.get(moment.word))
    if moment.kind == "offset" and moment.word.endswith(" day"):
        return moment.n if moment.word.startswith("in") else -moment.n
    return None


def days(moment: Moment, said: date, before: Moment | None = None) -> Iterator[Days]:
    """Yield the spans of days that a moment may mean when said on ``said``; none for a time.

    None outside the calendar either: "yesterday" on the first day of year 1.
    """
    try:
        yield from _days(moment, said, before)
    except (OverflowError, ValueError):
        return


def _days(moment: Moment, said: date, before: Moment | None) -> Iterator[Days]:
    if moment.kind == "relative":
        if moment.word in _TOLD:
            anchor = next(days(before, said), None) if before is not None else None
            if anchor is not None:
                yield _one(anchor[0] + timedelta(days=_TOLD[moment.word]))
            return
        yield _one(said + timedelta(days=_SHIFTS[moment.word]))
    elif moment.kind == "offset":
        way, _, unit = moment.word.partition(" ")
        length, slack = _UNIT_DAYS[unit]
        shift = moment.n * length * (1 if way == "in" else -1)
        yield said + timedelta(days=shift - slack), said + timedelta(days=shift + slack)
    elif moment.kind == "span":
        yield from _spans(moment.word, said)
    elif moment.kind == "weekday":
        yield from _weekdays(moment, said)
    elif moment.kind == "year" and moment.year:
        yield date(moment.year, 1, 1), date(moment.year, 12, 31)
    elif moment.kind in {"month", "quarter", "season", "nth"}:
        yield from _months(moment, said)
    elif moment.kind == "day":
        yield from _dates(moment, said)


def _one(day: date) -> Days:
    return day, day


def _spans(word: str, said: date) -> Iterator[Days]:
    which, _, unit = word.partition(" ")
    step = {"this": 0, "next": 1, "last": -1}[which]
    if unit in {"week", "weekend"}:
        monday = said - timedelta(days=said.weekday()) + timedelta(weeks=step)
        yield (
            (monday, monday + timedelta(days=6))
            if unit == "week"
            else (monday + timedelta(days=5), monday + timedelta(days=6))
        )
        if unit == "weekend" and which == "next":
            yield monday - timedelta(days=2), monday - timedelta(days=1)
    elif unit == "year":
        yield date(said.year + step, 1, 1), date(said.year + step, 12, 31)
    else:
        size = 3 if unit == "quarter" else 1
        first = (said.year * 12 + said.month - 1) // size * size + step * size
        yield _run_of_months(first, size)


def _run_of_months(first: int, size: int) -> Days:
    """Return the days of ``size`` months from month number ``first`` (twelve times the year, from zero)."""
    after = first + size
    return date(first // 12, first % 12 + 1, 1), date(after // 12, after % 12 + 1, 1) - timedelta(days=1)


def _weekdays(moment: Moment, said: date) -> Iterator[Days]:
    ahead = ((moment.weekday or 0) - said.weekday()) % 7
    coming = said + timedelta(days=ahead or 7)
    past = said - timedelta(days=(7 - ahead) % 7 or 7)
    if moment.word != "last":
        yield _one(coming)
    if moment.word == "next":
        yield _one(coming + timedelta(days=7))
    if moment.word in {"", "last", "this"}:
        yield _one(past)
    if ahead == 0 and moment.word in {"", "this"}:
        yield _one(said)


def _months(moment: Moment, said: date) -> Iterator[Days]:
    if moment.kind == "season":
        first, size = _SEASONS[moment.word], 3
    elif moment.kind == "quarter":
        first, size = moment.n * 3 - 2, 3
    else:
        first, size = moment.month or 1, 1
    for year in [moment.year] if moment.year else range(said.year - 1, said.year + 2):
        start, end = _run_of_months(year * 12 + first - 1, size)
        if moment.year is None and (start > said + _NEAR or end < said - _NEAR):
            continue
        if moment.kind != "nth":
            yield start, end
            continue
        fitting = [start + timedelta(days=i) for i in range((end - start).days + 1)]
        fitting = [day for day in fitting if day.weekday() == moment.weekday]
        if moment.n == -1 or moment.n <= len(fitting):
            yield _one(fitting[-1 if moment.n == -1 else moment.n - 1])


def _dates(moment: Moment, said: date) -> Iterator[Days]:
    years = [moment.year] if moment.year else [said.year - 1, said.year, said.year + 1]
    months = [moment.month] if moment.month else list(range(1, 13))
    readings = [(m, moment.day) for m in months]
    if moment.swapped:
        readings.append(moment.swapped)
    near = _NEAR if moment.month else timedelta(days=31)
    for year in years:
        for month, day in readings:
            start = _valid(year, month, day)
            if start is None or (moment.weekday is not None and start.weekday() != moment.weekday):
                continue
            if moment.year is None and abs(start - said) > near:
                continue
            end = _valid(year, month, moment.until) if moment.until else start
            if end is not None and end >= start:
                yield start, end


def _valid(year: int, month: int | None, day: int | None) -> date | None:
    try:
        return date(year, month or 1, day or 1)
    except ValueError:
        return None
