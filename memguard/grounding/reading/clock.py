"""Dates and times in text, with exact offsets, and the days that they may mean.

A small grammar of our own: ``dateparser`` reads about half of these forms ("half past four",
"Monday the sixteenth", "Q1", "the next day" are none of its), loses how exact a date was ("in
March" becomes a day) and takes 0.5 to 13 ms a phrase; this takes microseconds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache

from memguard.grounding.reading.date_forms import DAYS, FORMS, HOURS, MONTHS, ORDINALS
from memguard.grounding.reading.numbers import numbers

_ZONE = re.compile(
    r"\s*\(?(?:(?P<abbr>CES?T|BST|GMT|UTC|E[DS]T|C[DS]T|M[DS]T|P[DS]T|ET|PT|IST|JST|AES?T|WES?T)\b"
    r"|(?:in\s+)?(?P<place>(?:[A-Z][a-z]+\s)?[A-Z][a-z]+)\s+time\b|in\s+(?P<city>(?:[A-Z][a-z]+\s)?[A-Z][a-z]+))"
)
_HINT = re.compile(
    rf"\d|\b(?:{'|'.join(MONTHS)}|\w+day|sat|sun|mon|tues?|wed|thurs?|fri|tomorrow|tonight|night|noon|midday|midnight|ago|clock|teen|eighteen|nineteen|twenty|first|second|third|fourth|the|fifth"
    r"|morning|afternoon|evening|next|last|this|coming|following|previous|past|to|in|at|until|till|by|from|before|after"
    r"|quarter)\b",
    re.IGNORECASE,
)
_GAP = re.compile(r"[\s,.]*(?:(?:and|of|the|uh+|um+|er+)[\s,.]*)*", re.IGNORECASE)
_AMBIGUOUS = frozenset({"may", "mar", "march", "sun", "sat", "mon", "wed", "fri", "dec"})


@dataclass(frozen=True, slots=True)
class Moment:
    """One date or time of a text; what it leaves open is None.

    Attributes:
        start: Offset of its first character.
        end: Offset after its last.
        kind: ``day``, ``weekday``, ``month``, ``quarter``, ``season``, ``year``, ``relative``,
            ``span``, ``offset``, ``nth`` or ``time``.
        year: The year.
        month: 1 to 12.
        day: Day of the month.
        until: Last day of a range of days.
        weekday: 0 (Monday) to 6.
        word: The relative word, the season, the way of an offset, as written in lower case.
        n: How many units an offset spans; which weekday of the month (-1 the last); the quarter.
        minute: Minutes since midnight, of a time.
        half_day: Whether a time said "a.m." or "p.m." or is written with 24 hours.
        zone: The time zone or place named beside a time, lower case.
        swapped: The other reading of a date in figures (day and month exchanged), if possible.
    """

    start: int
    end: int
    kind: str
    year: int | None = None
    month: int | None = None
    day: int | None = None
    until: int | None = None
    weekday: int | None = None
    word: str = ""
    n: int = 0
    minute: int | None = None
    half_day: bool = False
    zone: str = ""
    swapped: tuple[int, int] | None = field(default=None)

    @property
    def is_time(self) -> bool:
        """Whether it is a time of day."""
        return self.kind == "time"


@lru_cache(maxsize=16_384)
def moments(text: str) -> tuple[Moment, ...]:
    """Return the dates and times of a text in order, none inside another."""
    if not _HINT.search(text):
        return ()
    taken: list[Moment] = []
    for kind, pattern in FORMS:
        for match in pattern.finditer(text):
            if any(match.start() < m.end and m.start < match.end() for m in taken):
                continue
            moment = _read(kind, match, text)
            if moment is not None:
                taken.append(moment)
    return tuple(_with_months(sorted(_with_spoken_years(taken, text), key=lambda m: m.start)))


def _with_months(found: list[Moment]) -> list[Moment]:
    """Give a day without a month that of the day before it: "placed on 6 February, delivered on the 11th".

    A day that is not later than that one may be of the next month, and is left open.
    """
    known: Moment | None = None
    done: list[Moment] = []
    for moment in found:
        if moment.kind == "day" and moment.month is not None:
            known = moment
        elif moment.kind == "day" and known is not None and (moment.day or 0) > (known.day or 31):
            moment = replace(moment, month=known.month, year=known.year)
        done.append(moment)
    return done


def _with_spoken_years(taken: list[Moment], text: str) -> list[Moment]:
    """Add years in words ("nineteen ninety") to the dates before them, and dates spoken as three numbers."""
    years = [n for n in numbers(text) if n.in_words and 1800 <= n.value < 2100]
    for year in years:
        before = next(
            (
                m
                for m in taken
                if m.kind == "day" and m.year is None and _GAP.fullmatch(text, m.end, year.start)
            ),
            None,
        )
        if before is not None:
            taken.remove(before)
            taken.append(replace(before, end=year.end, year=int(year.value)))
            continue
        told = [n for n in numbers(text) if n.end <= year.start][-2:]
        if (
            len(told) == 2
            and _GAP.fullmatch(text, told[0].end, told[1].start)
            and _GAP.fullmatch(text, told[1].end, year.start)
        ):
            day = _day(told[0].start, year.end, int(year.value), int(told[1].value), int(told[0].value))
            if day is not None:
                taken.append(day)
                continue
        if re.search(r"\b(?:in|since|of|until|by|from)\s+$", text[: year.start], re.IGNORECASE):
            taken.append(Moment(year.start, year.end, "year", int(year.value)))
    return taken


def _read(kind: str, match: re.Match[str], text: str) -> Moment | None:
    got = match.groupdict()
    start, end = match.span()
    if match.group().endswith(".") and "." not in match.group()[:-1]:
        end -= 1  # the full stop of the sentence
    if kind == "time":
        return _time(got, start, end, text)
    year = _year_of(got.get("year"))
    month, weekday = _index(got.get("month"), MONTHS), _index(got.get("weekday"), DAYS)
    if kind == "iso":
        return _day(start, end, year, int(got["month"]), int(got["day"]))
    if kind == "slashed":
        return _slashed(got, start, end, text)
    if not _is_meant(got, match, text):
        return None
    if kind == "nth":
        n = -1 if got["nth"].lower() == "last" else _ordinal(got["nth"]) or 1
        return Moment(start, end, kind, year, month, weekday=weekday, n=n)
    if kind in {"day", "ordinal"}:
        if got.get("month_nth"):
            month = _ordinal(got["month_nth"])
        return _day(start, end, year, month, _ordinal(got["day"]), weekday, _ordinal(got.get("until")))
    if kind == "quarter":
        return Moment(
            start, end, kind, year, n=int(got["quarter"] or 0) or (_ordinal(got["quarter_nth"]) or 1)
        )
    if kind == "offset":
        n = {"a": 1, "an": 1}.get(got["n"].lower()) or _count(got["n"])
        return Moment(start, end, kind, word=f"{got['way'].lower()} {got['unit'].lower()}", n=n)
    if kind == "span":
        return Moment(start, end, kind, word=f"{_which(got['which'])} {got['unit'].lower()}")
    if kind == "relative":
        return Moment(start, end, kind, word=" ".join(got["word"].lower().split()))
    if kind == "season":
        season = got["season"].lower()
        return Moment(start, end, kind, word="autumn" if season == "fall" else season)
    which = _which(got.get("which") or "")
    if kind == "year":
        start = match.start("year")
    if kind == "month":
        start = match.start("month") if which not in {"next", "last", "this"} else start
    return Moment(start, end, kind, year, month, weekday=weekday, word=which)


def _day(
    start: int, end: int, year: int | None, month: int | None, day: int | None,
    weekday: int | None = None, until: int | None = None,
) -> Moment | None:  # fmt: skip
    if day is None or not 1 <= day <= 31 or (month is not None and not 1 <= month <= 12):
        return None
    return Moment(start, end, "day", year, month, day, until, weekday)


def _slashed(got: dict[str, str | None], start: int, end: int, text: str) -> Moment | None:
    a, b, year = int(got["a"] or 0), int(got["b"] or 0), _year_of(got["year"])
    if (
        got["sep"] == "."
        and len(got["year"] or "") == 2
        and a <= 12
        and b <= 31
        and _looks_like_version(text, start)
    ):
        return None
    day_first = got["sep"] == "." or a > 12 or day_first_in(text)
    if b > 12:
        return _day(start, end, year, a, b)
    if day_first is False:
        return _day(start, end, year, a, b)
    certain = got["sep"] == "." or a > 12 or day_first is True
    moment = _day(start, end, year, b, a)
    if moment is None or certain:
        return moment
    return Moment(start, end, "day", year, b, a, swapped=(a, b))


def day_first_in(text: str) -> bool | None:
    """Tell from its other dates whether a writer puts the day first; None without evidence."""
    for a, b in re.findall(r"(?<![\d/-])(\d{1,2})[/-](\d{1,2})[/-](?:\d{4}|\d\d)(?!\d)", text):
        if int(a) > 12 >= int(b):
            return True
        if int(b) > 12 >= int(a):
            return False
    return None


def _looks_like_version(text: str, start: int) -> bool:
    return bool(re.search(r"(?:version|release|v|build)\s*$", text[:start], re.IGNORECASE))


def _time(got: dict[str, str | None], start: int, end: int, text: str) -> Moment | None:
    if got.get("named"):
        minute, certain = (0 if (got["named"] or "").lower() == "midnight" else 720), True
    else:
        raw = (got["hour"] or "").lower()
        hour = int(raw) if raw.isdigit() else HOURS.index(raw) + 1
        minutes = int(got.get("minute") or 0)
        half = (got.get("half") or "").lower() or {"morning": "a", "afternoon": "p", "evening": "p"}.get(
            (got.get("part") or "").lower(), ""
        )
        if got.get("step"):
            step = _step(got["step"] or "")
            minutes = step if (got["side"] or "").lower() == "past" else -step
        if hour > 24 or (half and hour > 12):
            return None
        if half == "p" and hour < 12:
            hour += 12
        if half == "a" and hour == 12:
            hour = 0
        certain = bool(half) or hour > 12 or hour == 0 or raw.startswith("0")
        minute = (hour * 60 + minutes) % 1440
        if (
            not half
            and re.match(r"\s*(?:sharp\s+)?in\s+the\s+(?:afternoon|evening)", text[end:])
            and hour < 12
        ):
            minute, certain = minute + 720, True
    zone = _ZONE.match(text, end)
    named = (zone["abbr"] or zone["place"] or zone["city"]).lower() if zone else ""
    return Moment(start, end, "time", minute=minute, half_day=certain, zone=named)


def _step(raw: str) -> int:
    lower = raw.lower()
    if "quarter" in lower:
        return 15
    named = {"half": 30, "five": 5, "ten": 10, "twenty": 20, "twenty-five": 25}
    return named[lower] if lower in named else int(lower)


def _is_meant(got: dict[str, str | None], match: re.Match[str], text: str) -> bool:
    """Tell "in May" and "3 May" from "may", "sat", "second" and "march" as ordinary words."""
    month, weekday = got.get("month"), got.get("weekday")
    if (
        weekday
        and weekday.lower() in _AMBIGUOUS
        and not weekday[0].isupper()
        and not (month or got.get("day"))
    ):
        return False
    if month and month.lower() in _AMBIGUOUS:
        if got.get("day") and not got["day"][0].isdigit() and not month[0].isupper():  # type: ignore[index]
            return False
        if not month[0].isupper() and not (got.get("day") or got.get("year")):
            return False
        if (
            got.get("day")
            and not month[0].isupper()
            and re.match(r"\s+(?:be|have|not|also|need|\w+ed)\b", text[match.end() :])
        ):
            return False
    return True


def _index(name: str | None, names: list[str]) -> int | None:
    if not name or name.isdigit():
        return None
    lower = name.lower().rstrip(".")[:3]
    base = 1 if names is MONTHS else 0
    return next(i + base for i, full in enumerate(names) if full.startswith(lower))


def _ordinal(raw: str | None) -> int | None:
    if not raw:
        return None
    digits = re.match(r"\d+", raw)
    if digits:
        return int(digits.group())
    return ORDINALS.index(re.sub(r"\s+", "-", raw.lower())) + 1


def _year_of(raw: str | None) -> int | None:
    if not raw:
        return None
    year = int(raw)
    return year if year > 99 else 2000 + year if year < 70 else 1900 + year


def _count(raw: str) -> int:
    lower = " ".join(raw.lower().split())
    if lower.isdigit():
        return int(lower)
    return {"a couple of": 2, "a few": 3}.get(lower) or HOURS.index(lower) + 1


def _which(raw: str) -> str:
    lower = " ".join(raw.lower().split())
    return {"coming": "next", "following": "next", "previous": "last"}.get(lower, lower)


def known_date(moment: Moment) -> date | None:
    """Return the one day that a moment names by itself; None if it leaves something open."""
    if moment.kind != "day" or moment.year is None or moment.month is None or moment.day is None:
        return None
    try:
        return date(moment.year, moment.month, moment.day)
    except ValueError:
        return None
