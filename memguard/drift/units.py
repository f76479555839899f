"""A unit taken for another: pounds for kilos, weeks for days, dollars for euros."""

from __future__ import annotations

import random
import re

from memguard.grounding.reading.measures import Quantity, quantities
from memguard.grounding.reading.units import units_named

_TAKEN_FOR: dict[str, tuple[str, ...]] = {
    name: tuple(forms.split())
    for name, forms in (
        ("kilogram", "pound pounds"),
        ("gram", "ounce ounces"),
        ("milligram", "microgram micrograms"),
        ("microgram", "milligram milligrams"),
        ("pound", "kilogram kilograms"),
        ("ounce", "gram grams"),
        ("stone", "kilogram kilograms"),
        ("metric_ton", "kilogram kilograms"),
        ("kilometer", "mile miles"),
        ("mile", "kilometre kilometres"),
        ("meter", "foot feet"),
        ("foot", "metre metres"),
        ("centimeter", "inch inches"),
        ("inch", "centimetre centimetres"),
        ("millimeter", "centimetre centimetres"),
        ("yard", "metre metres"),
        ("millisecond", "second seconds"),
        ("second", "minute minutes"),
        ("minute", "hour hours"),
        ("hour", "day days"),
        ("day", "week weeks"),
        ("week", "month months"),
        ("fortnight", "month months"),
        ("month", "week weeks"),
        ("year", "month months"),
        ("decade", "year years"),
        ("liter", "gallon gallons"),
        ("milliliter", "litre litres"),
        ("gallon", "litre litres"),
        ("teaspoon", "tablespoon tablespoons"),
        ("tablespoon", "teaspoon teaspoons"),
        ("cup", "litre litres"),
        ("kilobyte", "megabyte megabytes"),
        ("megabyte", "gigabyte gigabytes"),
        ("gigabyte", "megabyte megabytes"),
        ("terabyte", "gigabyte gigabytes"),
        ("degC", "°F °F"),
        ("degF", "°C °C"),
        ("watt", "kilowatt kilowatts"),
        ("kilowatt", "watt watts"),
        ("kilometer_per_hour", "mph mph"),
        ("mile_per_hour", "km/h km/h"),
        ("EUR", "dollar dollars"),
        ("GBP", "euro euros"),
        ("USD", "euro euros"),
        ("CHF", "euro euros"),
        ("hertz", "kilohertz kilohertz"),
    )
}
_SIGNS = {"£": "$", "€": "£", "$": "€", "¥": "$", "EUR": "USD", "USD": "EUR", "GBP": "EUR"}
_SIGN = re.compile(r"[£€$¥]|\b(?:EUR|USD|GBP)\b")
_WORD = re.compile(r"[^\W\d_]+(?:/[a-z]+)?|°\s?[CF]")
_KINDS_OF_DAYS = {"working": "calendar", "business": "calendar", "calendar": "working"}


def swap_unit(claim: str, evidence: str, rng: random.Random) -> str | None:
    """Replace one unit of a claim by another that measures the same, the number staying as it is.

    Args:
        claim: A claim.
        evidence: What it rests on: a number that stands there with the new unit is no mistake.
        rng: Chooses among the quantities.

    Returns:
        The wrong claim; None where it names no unit that is taken for another.
    """
    found = quantities(claim)
    for quantity in rng.sample(found, len(found)):
        swap = _swap(claim, quantity)
        if swap is None:
            continue
        start, end, new = swap
        wrong = claim[:start] + new + claim[end:]
        said = wrong[quantity.start : quantity.end + len(new) - (end - start)]
        if said.casefold() not in evidence.casefold():
            return wrong
    return None


def _swap(claim: str, quantity: Quantity) -> tuple[int, int, str] | None:
    """Return which part of a claim gives way to which unit."""
    text, at = claim[quantity.start : quantity.end], quantity.start
    if kind := re.search(r"\b(?:working|business|calendar)\b", text):
        return at + kind.start(), at + kind.end(), _KINDS_OF_DAYS[kind[0]]
    if sign := _SIGN.search(text):
        return at + sign.start(), at + sign.end(), _SIGNS[sign[0]]
    meant = {unit.name for unit in quantity.units}
    for match in _WORD.finditer(text):
        named = [u.name for u in units_named(match[0].replace(" ", "")) if u.name in meant]
        if not named or named[0] not in _TAKEN_FOR:
            continue
        # Of "pounds", which may be money, the first reading that is left is taken.
        one, many = _TAKEN_FOR[named[0]]
        is_one = quantity.low == quantity.high == 1 or not _is_plural(match[0])
        gap = " " if text[match.start() - 1 : match.start()].isdigit() and _is_word(one) else ""
        return at + match.start(), at + match.end(), gap + (one if is_one else many)
    return None


def _is_plural(surface: str) -> bool:
    """Tell whether a unit is written in the plural; a symbol (kg, °C) stands for both."""
    return surface.endswith("s") or surface in {"feet", "inches", "stone"} or len(surface) <= 3


def _is_word(unit: str) -> bool:
    """Tell whether a unit is a word, which stands apart from its number, or a sign."""
    return unit[0].isalpha()
