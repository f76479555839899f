"""Figures: amounts, prices, dates, times and numbered identifiers of a unit, in canonical form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from functools import lru_cache

from memguard.facts.forms import FactClass
from memguard.facts.spots import Spot
from memguard.grounding.reading.almanac import days
from memguard.grounding.reading.clock import Moment, moments
from memguard.grounding.reading.measures import Quantity, quantities
from memguard.grounding.reading.units import in_base

_FEW = 3.0
_DAY = re.compile(r"(\d\d)-(\d\d)")
_HALF_A_YEAR = 183
_UNCONVERTED = frozenset({"money", "share", "cent", "age"})
_VAGUE = {"relative": 0.35, "span": 0.45, "season": 0.5, "offset": 0.8, "month": 0.7, "weekday": 0.85}
_DAILY = frozenset("today tonight this morning this afternoon this evening".split())
_RATIO = re.compile(r"\s+(over)\s+|(?:\s+\w+)?\s+(?:out\s+)?(of)\s+(?:the\s+)?|\s*/\s*", re.IGNORECASE)
_ARTICLE = re.compile(r"\bthe (?=\d{1,2}[.,]\d)", re.IGNORECASE)
"""Read as a day by the clock: "the 9" of "the 9,700 euros"."""
_GROUPED = re.compile(r"[.,]\d")
_SENTENCE_NUMBER = re.compile(r"[.)]\s")


@lru_cache(maxsize=16_384)
def figures(text: str, said: date | None) -> tuple[Spot, ...]:
    """Return the figures of a unit in order, none inside another.

    Args:
        text: The unit.
        said: The day on which it was said, so that "tomorrow" is a day.
    """
    dated = [_moment(m, text, said) for m in moments(text) if not _GROUPED.match(text, m.end)]
    taken = [(s.start, s.end) for s in dated]
    counted = [
        spot
        for q in quantities(_ARTICLE.sub("tha ", text))
        if not any(s < q.end and q.start < e for s, e in taken)
        for spot in _quantity(q, text)
    ]
    return tuple(_with_ratios(text, sorted([*dated, *counted], key=lambda s: s.start)))


def _with_ratios(text: str, found: list[Spot]) -> list[Spot]:
    """Join the two numbers of "138 over 86", "4 out of 310" and "3 of 9" into one."""
    done: list[Spot] = []
    for spot in found:
        before = done[-1] if done else None
        if (
            before is not None
            and before.kind is spot.kind is FactClass.NUMBER
            and (link := _RATIO.fullmatch(text, before.end, spot.start))
        ):
            value = f"{before.value.split(' ')[0]} {link[1] or link[2]} {spot.value.split(' ')[0]}"
            done[-1] = Spot(before.start, spot.end, FactClass.NUMBER, value, 1.2)
        else:
            done.append(spot)
    return done


def _moment(moment: Moment, text: str, said: date | None) -> Spot:
    value = " ".join(text[moment.start : moment.end].casefold().split())
    if moment.minute is not None:
        value = f"{moment.minute // 60:02}:{moment.minute % 60:02}"
    elif moment.month and moment.day:
        value = f"{moment.month:02}-{moment.day:02}" + (f"..{moment.until:02}" if moment.until else "")
    elif said is not None:
        spans = list(days(moment, said))
        ahead = next((span for span in spans if span[0] >= said), spans[0] if spans else None)
        if ahead is not None and (ahead[1] - ahead[0]).days <= 1:
            value = f"{ahead[0]:%m-%d}"
    strength = _VAGUE.get(moment.kind, 1.0)
    if moment.year and moment.month and moment.day:
        strength = 1.2
    if moment.word in _DAILY:
        strength = 0.25
    return Spot(moment.start, moment.end, FactClass.DATE, value, strength)


def day_of(value: str, said: date) -> date | None:
    """Return the day that the value of a date names, the nearest one of its name; None for other values."""
    match = _DAY.match(value)
    if match is None:
        return None
    for year in (said.year, said.year + 1, said.year - 1):
        try:
            day = date(year, int(match[1]), int(match[2]))
        except ValueError:
            continue
        if abs((day - said).days) <= _HALF_A_YEAR:
            return day
    return None


def _quantity(quantity: Quantity, text: str) -> Iterator[Spot]:
    start, end = quantity.start, quantity.end
    if start == 0 and _SENTENCE_NUMBER.match(text, end):
        return  # the number of a list item
    if quantity.literal and not quantity.literal.isdigit():
        yield Spot(start, end, FactClass.IDENTIFIER, quantity.literal)
        return
    size = quantity.high or float(quantity.literal or 0.0)
    if quantity.in_words and size <= 1.0 and not (quantity.units and quantity.low):
        return
    if any(u.dimension == "money" for u in quantity.units):
        yield Spot(start, end, FactClass.PRICE, value_of(quantity))
        return
    yield Spot(start, end, FactClass.NUMBER, value_of(quantity), _strength(quantity, size))


def _strength(quantity: Quantity, size: float) -> float:
    if quantity.units:
        return 0.5 if quantity.in_words and size <= 1.0 else 1.0
    if quantity.in_words and size <= _FEW:
        return 0.3
    if quantity.label or quantity.literal or size > 12:
        return 1.0
    return 0.6 if quantity.in_words else 0.8


def value_of(quantity: Quantity) -> str:
    """Return the canonical form of an amount: in its dimension's base unit where it has one."""
    if quantity.literal:
        return quantity.literal
    unit = next((u for u in quantity.units), None)
    low, high = quantity.low, quantity.high
    if unit is not None and unit.dimension not in _UNCONVERTED:
        low, high = in_base(low, unit.name), in_base(high, unit.name)
    name = "" if unit is None else f" {unit.name if unit.dimension in _UNCONVERTED else unit.dimension}"
    return f"{low:.6g}{f'..{high:.6g}' if high > low else ''}{name}"
