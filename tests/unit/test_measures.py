"""Quantities in text (measures.py)."""

from __future__ import annotations

import pytest

from memguard.grounding.reading.measures import Quantity, quantities


def only(text: str) -> Quantity:
    (quantity,) = quantities(text)
    return quantity


@pytest.mark.parametrize(
    ("text", "said", "low", "high", "unit"),
    [
        ("It weighs 2.5 kg.", "2.5 kg", 2.5, 2.5, "kilogram"),
        ("It took 212ms.", "212ms", 212, 212, "millisecond"),
        ("It took 18.42 seconds.", "18.42 seconds", 18.42, 18.42, "second"),
        ("The fee is $79.", "$79", 79, 79, "USD"),
        ("The fee is 79 EUR.", "79 EUR", 79, 79, "EUR"),
        ("allow 5–7 business days", "5–7 business days", 5, 7, "day"),
        ("three to four weeks", "three to four weeks", 3, 4, "week"),
        ("between 20 and 30 km", "20 and 30 km", 20, 30, "kilometer"),
        ("$6 to $7 billion", "$6 to $7 billion", 6e9, 7e9, "USD"),
        ("486 pounds and 45 pence", "486 pounds and 45 pence", 486.45, 486.45, "GBP"),
        ("1 hour 30 minutes", "1 hour 30 minutes", 1.5, 1.5, "hour"),
        ("half an hour", "half an hour", 0.5, 0.5, "hour"),
        ("an hour and a half later", "an hour and a half", 1.5, 1.5, "hour"),
        ("a week ago", "a week", 1, 1, "week"),
        ("12 degrees Celsius", "12 degrees Celsius", 12, 12, "degC"),
        ("up by 4 percentage points", "4 percentage points", 4, 4, "point"),
        ("he took 30 *milliseconds*", "30 *milliseconds", 30, 30, "millisecond"),
    ],
)
def test_amounts_have_their_unit(text: str, said: str, low: float, high: float, unit: str) -> None:
    quantity = only(text)
    assert text[quantity.start : quantity.end] == said
    assert (quantity.low, quantity.high) == (low, high)
    assert unit in {u.name for u in quantity.units}


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("up to 5 users", "bound", "<"),
        ("at least 5 users", "bound", ">"),
        ("about 5 users", "approximate", True),
        ("5 users or so", "approximate", True),
        ("five working days", "days", "working"),
        ("five calendar days", "days", "calendar"),
        ("78 euros a night", "per", "night"),
        ("265 euros each, please", "per", "person"),
        ("5 euros in total", "per", "total"),
        ('{"platform":"7"}', "label", "platform"),
        ("Take room 12", "literal", "12"),
        ("Python 3.10", "literal", "3.10"),
        ("nine testers", "head", "tester"),
        ("a 54-year-old", "low", 54.0),
    ],
)
def test_what_belongs_to_a_number_is_read(text: str, field: str, value: object) -> None:
    assert getattr(only(text), field) == value


@pytest.mark.parametrize(
    "text",
    [
        "We meet on 17/04/2026 at 16:00.",
        "The 9th of May 2026",
        "He was born in 1961.",
        "at half past four",
    ],
)
def test_numbers_of_dates_and_times_are_left_out(text: str) -> None:
    assert quantities(text) == ()


@pytest.mark.parametrize("token", ["REF-40913", "71-385", "LX208", "17C", "KX7TRB", "192.168.0.1"])
def test_identifiers_are_kept_as_written(token: str) -> None:
    assert only(f"It is {token} today.").literal == token.lower()
