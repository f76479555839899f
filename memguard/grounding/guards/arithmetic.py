"""What a figure of a claim may be worked out from: sums, differences, multiples, spans of time.

Only what is cheap and certain is done; a figure that looks worked out in another way is told apart,
so that it is neither believed nor called wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from itertools import combinations

from memguard.grounding.guards.binding import context
from memguard.grounding.guards.kinship import ABOUT, EXACT, is_money, is_near, same_head
from memguard.grounding.inquiry import Inquiry
from memguard.grounding.reading.almanac import days
from memguard.grounding.reading.clock import known_date, moments
from memguard.grounding.reading.measures import Quantity, quantities
from memguard.grounding.reading.units import Unit, in_base, units_named
from memguard.grounding.sources import Source
from memguard.grounding.verdicts import Finding, Severity

_CUE = re.compile(
    r"\b(?:total(?:s|ed|ling)?|altogether|combined|sums?|adds?\s+up|in\s+all|difference|more|less|fewer|below|above|under|later"
    r"|earlier|late|early|left|remain(?:s|ing|ed)?|remainder|increased?|rose|rise|risen|grew|up|down|dropped|drop|decreased?|reduced"
    r"|reduction|sav(?:es?|ed|ing)|out\s+of|whole|together|of\s+the|higher|lower|cheaper|longer|shorter|faster|slower|would\s+stand"
    r"|came\s+to|comes\s+to|corresponds|extra|gap|between|overall|entire|over\s+a)\b",
    re.IGNORECASE,
)
_BEYOND = re.compile(
    r"\b(?:average[sd]?|mean|median|on\s+average|twice\s+as|times\s+(?:as|more|the|higher|faster|larger|bigger)|doubled|tripled|halved"
    r"|half\s+(?:of|the)|per\s?cent\s+(?:more|less|higher|lower|increase|decrease|of|cheaper|faster)"
    r"|%\s+(?:more|less|higher|lower|increase|decrease|cheaper|faster)|(?:increase[sd]?|rose|grew|fell|dropped|decreased?|reduced)\s+by"
    r"|ratio|rate\s+of\s+return)\b",
    re.IGNORECASE,
)
_TOTAL = re.compile(r"\b(?:total(?:s|ed|ling)?|altogether|combined|in\s+all|sum|adds?\s+up)\b", re.IGNORECASE)
COMPARED = re.compile(
    r"\s*(?:\w+\s+)?(?:below|above|less|more|fewer|later|earlier|late|early|after|before|cheaper|higher|lower|longer|shorter|faster|slower|left|over|short)\b",
    re.IGNORECASE,
)
_LEFT = re.compile(
    r"\bafter\s+\w+ing\b|\bwould\s+(?:stand|leave|be\s+left)\b|\b(?:left|remaining|remains?)\b", re.IGNORECASE
)
_SPENT = re.compile(
    r"\b(?:for|by|within|shifted|moved|postponed|would\s+(?:stand|leave)|after\s+\w+ing)\b", re.IGNORECASE
)
_LENGTHS = {"day": 1.0, "week": 7.0, "fortnight": 14.0}
_SPAN = 7
_BETWEEN = re.compile(
    r"\b(?:after|before|later|earlier|for|shifted|moved|postponed|between|until|since|delayed|pushed|brought\s+forward)\b",
    re.IGNORECASE,
)
_Valued = tuple[float, Quantity, Source]


def worked_out(claim: Quantity, inquiry: Inquiry, *, need_cue: bool) -> Finding | None:
    """Find the claim's figure as sum, difference or multiple of what is said of its kind."""
    text = inquiry.text
    cued = bool(_CUE.search(text))
    if need_cue and not cued:
        return None
    pool = _pool(claim, inquiry)
    tolerance = ABOUT if claim.approximate else EXACT
    value = claim.low
    if claim.low != claim.high or claim.literal or value <= 0.0:
        return None
    around = context(text, claim.start, claim.end)
    shared_by = {s.number: around.wide & context(s.text, 0, 0).wide for _, _, s in pool}
    for (x, a, sa), (y, b, sb) in combinations(pool, 2):
        together = sa.number == sb.number
        if not together and not (cued and shared_by.get(sa.number) and shared_by.get(sb.number)):
            continue
        if x != y and (is_near(value, x + y, tolerance) or is_near(value, abs(x - y), tolerance)):
            return _arithmetic(claim, (a, sa), (b, sb), inquiry)
        if x == y and cued and is_near(value, x + y, tolerance):
            return _arithmetic(claim, (a, sa), (b, sb), inquiry)
    for total, parts in _totals(pool):
        if is_near(value, total, tolerance):
            return _arithmetic(claim, parts[0], parts[-1], inquiry)
    return (
        _multiple(claim, value, pool, tolerance, inquiry)
        or _time_between(claim, value, inquiry)
        or _days_between(claim, inquiry)
    )


def is_beyond(claim: Quantity, text: str, n_shared: int) -> bool:
    """Tell a figure that looks worked out in a way that is not done here."""
    if claim.literal or any(u.name == "point" for u in claim.units):
        return False
    if _BEYOND.search(text):
        return True
    return bool(_TOTAL.search(text)) and n_shared < 2


def is_derived(claim: Quantity, inquiry: Inquiry) -> bool:
    """Tell a figure that compares two others ("35 euros below the estimate", "a week later")."""
    if claim.literal or not (
        COMPARED.match(inquiry.text, claim.end) or _SPENT.search(inquiry.text[: claim.start])
    ):
        return False
    if len(_pool(claim, inquiry)) > 1:
        return bool(COMPARED.match(inquiry.text, claim.end) or _LEFT.search(inquiry.text))
    if not any(u.dimension == "time" and u.name in {"day", "week", "month", "year"} for u in claim.units):
        return False
    return sum(not m.is_time for s in inquiry.sources for m in moments(s.text)) > 1


def _pool(claim: Quantity, inquiry: Inquiry) -> list[_Valued]:
    """Return the stated figures that may be added to or taken from one another, in the claim's unit."""
    found: list[_Valued] = []
    points = any(u.name == "point" for u in claim.units)
    wanted = units_named("percent") if points else claim.units
    for source in inquiry.sources:
        for quantity in quantities(source.text):
            if quantity.literal or quantity.low != quantity.high or quantity.label == "address":
                continue
            value = _in_units(quantity, wanted) if wanted else (quantity.low if not quantity.units else None)
            if value is None and wanted and is_money(claim) and quantity.is_bare and not quantity.in_words:
                value = quantity.low
            if (
                value is not None
                and value > 0.0
                and not any(value == v and source is s and q.start == quantity.start for v, q, s in found)
            ):
                found.append((value, quantity, source))
    return found[:24]


def _in_units(quantity: Quantity, units: tuple[Unit, ...]) -> float | None:
    for unit in units:
        for other in quantity.units:
            if other.name == unit.name:
                return quantity.low
            if other.dimension == unit.dimension and unit.dimension not in {"money", "share", "temperature"}:
                return in_base(quantity.low, other.name) / in_base(1.0, unit.name)
    return None


def _totals(pool: list[_Valued]) -> Iterator[tuple[float, list[tuple[Quantity, Source]]]]:
    """Yield the sums of three and more figures of one turn, and of a run of them in one sentence."""
    turns: dict[int, list[_Valued]] = {}
    for entry in pool:
        turns.setdefault(entry[2].turn, []).append(entry)
    for entries in turns.values():
        entries.sort(key=lambda e: (e[2].number, e[1].start))
        for i in range(len(entries)):
            for j in range(i + 3, len(entries) + 1):
                part = entries[i:j]
                yield sum(v for v, _, _ in part), [(q, s) for _, q, s in part]


def _multiple(
    claim: Quantity, value: float, pool: list[_Valued], tolerance: float, inquiry: Inquiry
) -> Finding | None:
    """Find "1 g a day" as "500 mg twice a day", "6 nights at 132" as 792."""
    for amount, quantity, source in pool:
        times = [
            q.low
            for q in quantities(source.text)
            if q is not quantity
            and not q.literal
            and 2.0 <= q.low <= 31.0
            and (q.head == "time" or q.units == () or q.units[0].dimension in {"nights", "time"})
        ]
        for factor in times:
            if is_near(value, amount * factor, tolerance) and (claim.units or same_head(claim, quantity)):
                return _arithmetic(claim, (quantity, source), (quantity, source), inquiry)
    return None


def _time_between(claim: Quantity, value: float, inquiry: Inquiry) -> Finding | None:
    """Find "25 minutes" between 07:10 and 07:35 of one turn."""
    unit = next((u for u in claim.units if u.dimension == "time" and u.name in {"minute", "hour"}), None)
    if unit is None:
        return None
    minutes = value * (60.0 if unit.name == "hour" else 1.0)
    times = [(m, s) for s in inquiry.sources for m in moments(s.text) if m.minute is not None]
    for (a, sa), (b, sb) in combinations(times, 2):
        if sa.turn == sb.turn and abs((a.minute or 0) - (b.minute or 0)) == minutes:
            return Finding(
                "quantities", Severity.MATCH, (claim.start, claim.end), sa.at(a.start, a.end),
                f"{_text(claim, inquiry)} between {sa.text[a.start : a.end]} and {sb.text[b.start : b.end]}",
            )  # fmt: skip
    return None


def _days_between(claim: Quantity, inquiry: Inquiry) -> Finding | None:
    """Find "26 days after delivery" between two dates, or a date and the day of a message."""
    length = next((_LENGTHS[u.name] for u in claim.units if u.name in _LENGTHS), None)
    if length is None or not _BETWEEN.search(inquiry.text):
        return None
    wanted = claim.low * length
    slack = 0.2 * wanted if claim.approximate else 0.0
    known: list[tuple[date, Source]] = []
    for source in inquiry.sources:
        said = source.timestamp.date() if source.timestamp else None
        if said is not None:
            known.append((said, source))
        for moment in moments(source.text):
            if moment.is_time or moment.kind in {"offset", "span"}:
                continue
            spans = days(moment, said) if said is not None else ()
            own = known_date(moment)
            known += [(own, source)] if own else [(a, source) for a, b in spans if (b - a).days <= _SPAN]
    for (a, sa), (b, _) in combinations(known, 2):
        if a != b and abs(abs((a - b).days) - wanted) <= slack:
            detail = f"{_text(claim, inquiry)} lie between {a.isoformat()} and {b.isoformat()}"
            return Finding(
                "quantities", Severity.MATCH, (claim.start, claim.end), sa.at(0, len(sa.text)), detail
            )
    return None


def _arithmetic(
    claim: Quantity, a: tuple[Quantity, Source], b: tuple[Quantity, Source], inquiry: Inquiry
) -> Finding:
    (first, source), (second, other) = a, b
    parts = source.text[first.start : first.end], other.text[second.start : second.end]
    detail = f"{_text(claim, inquiry)} follows from {parts[0]} and {parts[1]}"
    return Finding(
        "quantities", Severity.MATCH, (claim.start, claim.end), source.at(first.start, first.end), detail
    )


def _text(claim: Quantity, inquiry: Inquiry) -> str:
    return inquiry.text[claim.start : claim.end]
