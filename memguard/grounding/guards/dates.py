"""The guard of dates and times: when the claim says something happens must be when the transcript does.

Relative dates are counted from the timestamp of their message; without one they are compared as
written. A date said only of another event, or more exact than anything said, is not support.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta

from memguard.grounding.guards.binding import Context, Tie, context, is_ahead, names_of, surroundings, tie
from memguard.grounding.inquiry import Inquiry
from memguard.grounding.reading.almanac import Relation, compare, days
from memguard.grounding.reading.clock import Moment, day_first_in, moments
from memguard.grounding.reading.figures import figure_keys
from memguard.grounding.reading.measures import quantities
from memguard.grounding.reading.words import key_of, words
from memguard.grounding.sources import Source
from memguard.grounding.verdicts import Finding, Severity

_GUARD = "dates"
_ASKED = frozenset({"day", "weekday", "month", "year", "nth", "time", "quarter"})
_TELLING = frozenset(
    key_of(w)
    for w in (
        "tell say ask write report confirm agree request mention note announce send call message book decide "
        "discuss meet explain plan intend expect think consider offer propose suggest promise"
    ).split()
)
_OPPOSITES: tuple[tuple[frozenset[str], frozenset[str]], ...] = tuple(
    (frozenset(key_of(w) for w in a.split()), frozenset(key_of(w) for w in b.split()))
    for a, b in (
        ("depart departure leave departing outbound", "arrive arrival land landing eta reach"),
        ("start begin open opening", "end finish close closing deadline"),
        ("order ordered", "deliver delivery delivered"),
        ("born birth", "die died death"),
        ("checkin", "checkout"),
    )
)


@dataclass(frozen=True, slots=True)
class _Stated:
    """A moment of a source, with how far it seems to be of the claim's event."""

    moment: Moment
    source: Source
    relation: Relation
    tie: Tie
    near: frozenset[str]

    @property
    def said(self) -> str:
        return self.source.text[self.moment.start : self.moment.end]


def check(inquiry: Inquiry) -> tuple[Finding, ...]:
    """Return what the transcript says of each date and time of the claim."""
    claimed = [m for m in moments(inquiry.text) if m.kind != "offset"]
    if not claimed:
        return ()
    beside = surroundings(inquiry, past_figures=False)
    stated = _stated(inquiry)
    findings = (_of_one(claim, claimed, stated, beside, inquiry) for claim in claimed)
    return tuple(finding for finding in findings if finding is not None)


def _stated(inquiry: Inquiry) -> list[tuple[Moment, Source, Moment | None]]:
    """Return every moment of the sources with the date told before it in its sentence or turn."""
    order: dict[str, bool | None] = {}
    found: list[tuple[Moment, Source, Moment | None]] = []
    before: Moment | None = None
    turn = -1
    for source in inquiry.in_order:
        before = before if source.turn == turn else None
        turn = source.turn
        for moment in moments(source.text):
            if moment.swapped:
                if source.speaker not in order:
                    theirs = [s.text for s in inquiry.sources if s.speaker == source.speaker]
                    order[source.speaker] = day_first_in("\n".join(theirs))
                moment = _settled(moment, order[source.speaker])
            found.append((moment, source, before))
            if not moment.is_time:
                before = moment
    return found


def _settled(moment: Moment, day_first: bool | None) -> Moment:
    if day_first is None or moment.swapped is None:
        return moment
    if day_first:
        return replace(moment, swapped=None)
    return replace(moment, month=moment.swapped[0], day=moment.swapped[1], swapped=None)


def _of_one(
    claim: Moment, claimed: list[Moment], stated: list[tuple[Moment, Source, Moment | None]],
    beside: Mapping[int, frozenset[str]], inquiry: Inquiry,
) -> Finding | None:  # fmt: skip
    around = context(inquiry.text, claim.start, claim.end).without(names_of(inquiry.speakers))
    entries = [
        _weighed(claim, around, moment, source, before, beside)
        for moment, source, before in stated
        if _comparable(claim, moment)
    ]
    equal = [e for e in entries if e.relation is Relation.EQUAL]
    rivals = [e for e in entries if e.relation is Relation.DIFFERENT and _as_exact(claim, e.moment)]
    best = max(equal, key=_order, default=None)
    rival = max(rivals, key=_order, default=None)
    if best is not None:
        if opposite := _of_the_opposite(around, best):
            return _finding(claim, Severity.CONTRADICTION, best, inquiry, f"is of {opposite}")
        if rival is not None and _is_ahead(rival, best, claim, claimed):
            if (
                _is_that_day(claim, best.source)
                and (stamped := _stamped(claim, around, stated, inquiry)) is not None
            ):
                return stamped
            return _finding(claim, Severity.CONTRADICTION, rival, inquiry)
        return _finding(claim, Severity.MATCH, best, inquiry)
    if (stamped := _stamped(claim, around, stated, inquiry) or _deadline(claim, around, inquiry)) is not None:
        return stamped
    if claim.is_time and (hour := _as_number(claim, around, inquiry)) is not None:
        return hour
    if (
        rival is not None
        and (rival.tie.shared or rival.tie.strength >= 1.0)
        and (
            claim.kind != "relative"
            or (len(rival.tie.shared) > 1 and claim.word not in {"next", "following", "previous", "this"})
        )
    ):
        return _finding(claim, Severity.CONTRADICTION, rival, inquiry)
    vague = [
        e
        for e in entries
        if e.relation is Relation.VAGUE and e.moment.kind in {"relative", "weekday", "span", "offset"}
    ]
    if claim.kind not in _ASKED or (vague and claim.kind in {"day", "weekday"} and claim.year is None):
        return None
    text = inquiry.text[claim.start : claim.end]
    return Finding(
        _GUARD, Severity.MISSING, (claim.start, claim.end), None, f"{text} is nowhere in the nearest messages"
    )


def _order(entry: _Stated) -> tuple[float, int]:
    return entry.tie.strength, -entry.source.number


def _weighed(
    claim: Moment, around: Context, moment: Moment, source: Source, before: Moment | None,
    beside: Mapping[int, frozenset[str]],
) -> _Stated:  # fmt: skip
    near = context(source.text, moment.start, moment.end)
    more = beside.get(source.number, frozenset())
    key = _field_key(source.text, moment.start)
    said = said_on(source)
    relation = compare(claim, moment, said, before)
    return _Stated(moment, source, relation, tie(around, near, more), key or near.near)


def _field_key(text: str, start: int) -> frozenset[str]:
    """Return the keys of the name of a field ("eta": "18:45"), if the moment is its value."""
    field = re.search(r"([A-Za-z_][\w-]*)[\"']?\s*[=:]\s*[\"']?$", text[max(0, start - 40) : start])
    if not field:
        return frozenset()
    parts = re.split(r"[\W_]+", field[1])
    return frozenset(key_of(part) for part in parts if part)


def _as_exact(claim: Moment, moment: Moment) -> bool:
    """Tell whether another date is of a kind that can take the place of the claimed one."""
    if claim.kind in {"day", "weekday", "nth", "relative"}:
        return moment.kind in {"day", "weekday", "nth", "relative"}
    return True


def _comparable(claim: Moment, moment: Moment) -> bool:
    if claim.is_time or moment.is_time:
        return claim.is_time and moment.is_time
    if claim.kind == "year":
        return moment.year is not None or moment.kind in {
            "year",
            "offset",
            "span",
            "relative",
            "day",
            "month",
            "season",
        }
    return True


def _is_ahead(rival: _Stated, best: _Stated, claim: Moment, claimed: list[Moment]) -> bool:
    """Tell whether the claim's event has another date: the rival shares clearly more words with it."""
    if claim.kind not in {"day", "weekday", "time", "nth", "month"} or not rival.tie.shared:
        return False
    said = said_on(rival.source)
    told = any(
        compare(other, rival.moment, said) is Relation.EQUAL for other in claimed if other is not claim
    )
    return not told and is_ahead(
        rival.tie,
        best.tie,
        one_sentence=rival.source.number == best.source.number,
        is_later=best.source.turn > rival.source.turn,
    )


def _of_the_opposite(around: Context, best: _Stated) -> str:
    """Return the word beside the stated moment that says the opposite event, if there is one."""
    for first, second in _OPPOSITES:
        for ours, theirs in ((first, second), (second, first)):
            if (
                around.near & ours
                and not around.near & theirs
                and best.near & theirs
                and not best.near & ours
            ):
                return f"the {next(iter(best.near & theirs))}"
    return ""


def _stamped(
    claim: Moment,
    around: Context,
    stated: list[tuple[Moment, Source, Moment | None]],
    inquiry: Inquiry,
) -> Finding | None:
    """Match a date with the timestamp of a message that says something of the claim.

    A sentence with a date of its own says when by itself, unless the claim tells of the telling.
    """
    if claim.is_time or claim.kind not in {"day", "weekday", "month", "year", "relative", "nth"}:
        return None
    telling = bool(_TELLING & {w.key for w in words(inquiry.text)})
    dated = {source.number for moment, source, _ in stated if not moment.is_time}
    for source in inquiry.sources:
        if source.timestamp is None or (source.number in dated and not telling):
            continue
        if not _touches(inquiry, around, source):
            continue
        day = source.timestamp.date()
        if (
            any(a <= day <= b and (a == b or claim.kind in {"month", "year"}) for a, b in days(claim, day))
            and not claim.word
        ):
            detail = f"{inquiry.text[claim.start : claim.end]} is the day of {source.span.message_id}"
            return Finding(
                _GUARD, Severity.MATCH, (claim.start, claim.end), source.at(0, len(source.text)), detail
            )
    return None


def _touches(inquiry: Inquiry, around: Context, source: Source) -> bool:
    """Tell whether a sentence shares a word or a figure with the claim."""
    return bool(
        around.wide & context(source.text, 0, 0).wide or figure_keys(inquiry.text) & figure_keys(source.text)
    )


def _as_number(claim: Moment, around: Context, inquiry: Inquiry) -> Finding | None:
    """Match an hour with a bare number of the same thing ("seven to nineteen" for "7 p.m.")."""
    hour, minutes = divmod(claim.minute or 0, 60)
    for source in inquiry.sources if minutes == 0 else ():
        for quantity in quantities(source.text):
            if not quantity.is_bare or hour not in {
                quantity.low,
                quantity.high,
                quantity.low + 12,
                quantity.high + 12,
            }:
                continue
            if around.wide & context(source.text, quantity.start, quantity.end).wide:
                said = source.text[quantity.start : quantity.end]
                detail = f"{inquiry.text[claim.start : claim.end]}: {source.span.message_id} says {said}"
                return Finding(
                    _GUARD,
                    Severity.MATCH,
                    (claim.start, claim.end),
                    source.at(quantity.start, quantity.end),
                    detail,
                )
    return None


def _deadline(claim: Moment, around: Context, inquiry: Inquiry) -> Finding | None:
    """Match a day with a term that runs out on it ("within five working days", said on a known day)."""
    for source in inquiry.sources:
        if source.timestamp is None or not _touches(inquiry, around, source):
            continue
        said = source.timestamp.date()
        for quantity in quantities(source.text):
            length = next((_TERMS[u.name] for u in quantity.units if u.name in _TERMS), 0)
            terms = {quantity.low, quantity.high} if length else set()
            for n in (n for n in terms if 0 <= n * length <= _LONGEST_TERM):
                day = _after(said, n, length, is_working=quantity.days == "working")
                if day is not None and any(a == b == day for a, b in days(claim, said)):
                    term = source.text[quantity.start : quantity.end]
                    detail = f"{inquiry.text[claim.start : claim.end]} is {term} from {said.isoformat()}"
                    return Finding(
                        _GUARD,
                        Severity.MATCH,
                        (claim.start, claim.end),
                        source.at(quantity.start, quantity.end),
                        detail,
                    )
    return None


_LONGEST_TERM = 36_600  # days; a longer term is no deadline
_TERMS = {"day": 1, "week": 7, "fortnight": 14}


def _after(said: date, n: float, length: int, *, is_working: bool) -> date | None:
    """Return the day on which a term ends; None outside the calendar."""
    try:
        return _working_day(said, int(n)) if is_working else said + timedelta(days=int(n * length))
    except OverflowError:
        return None


def _working_day(said: date, n: int) -> date:
    day = said
    while n > 0:
        day += timedelta(days=1)
        n -= day.weekday() < 5
    return day


def said_on(source: Source) -> date | None:
    """Return the day on which a source was said, if known."""
    return source.timestamp.date() if source.timestamp else None


def _is_that_day(claim: Moment, source: Source) -> bool:
    """Tell whether a source was said on the claimed day itself, as one tells of what just happened."""
    day = said_on(source)
    return day is not None and any(a == b == day for a, b in days(claim, day))


def _finding(claim: Moment, severity: Severity, entry: _Stated, inquiry: Inquiry, how: str = "") -> Finding:
    text, where = inquiry.text[claim.start : claim.end], entry.source.span.message_id
    said = f"{entry.said} in {where} {how}" if how else f"{where} says {entry.said}"
    joint = ": " if severity is Severity.MATCH else ", where "
    return Finding(
        _GUARD, severity, (claim.start, claim.end),
        entry.source.at(entry.moment.start, entry.moment.end), f"{text}{joint}{said}",
    )  # fmt: skip
