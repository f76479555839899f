"""Units and currencies (units.py)."""

from __future__ import annotations

import pytest

from memguard.grounding.reading.units import Unit, in_base, same_amount, units_named


@pytest.mark.parametrize(
    ("surface", "names"),
    [
        ("kg", ["kilogram"]),
        ("Kilos", ["kilogram"]),
        ("mcg", ["microgram"]),
        ("GB", ["gigabyte"]),
        ("€", ["EUR"]),
        ("euros", ["EUR"]),
        ("$", ["USD"]),
        ("pounds", ["pound", "GBP"]),
        ("percentage points", ["point"]),
        ("rooms", []),
        ("M", []),
        ("", []),
    ],
)
def test_units_are_known_by_their_names(surface: str, names: list[str]) -> None:
    assert [unit.name for unit in units_named(surface)] == names


@pytest.mark.parametrize(
    ("value", "name", "other", "other_name", "same"),
    [
        (1.8, "kg", 1800, "g", True),
        (30, "mcg", 0.03, "mg", True),
        (30, "mcg", 30, "mg", False),
        (36, "hours", 1.5, "days", True),
        (3, "weeks", 21, "days", True),
        (100, "°C", 212, "°F", True),
        (5, "euros", 5, "dollars", False),
        (5, "percent", 5, "pp", False),
        (5, "kg", 5, "km", False),
    ],
)
def test_amounts_are_compared_after_conversion(
    value: float, name: str, other: float, other_name: str, same: bool
) -> None:
    assert same_amount(value, units_named(name)[0], other, units_named(other_name)[0], 1e-6) is same


def test_months_are_compared_loosely() -> None:
    assert same_amount(2, Unit("month", "time"), 60, Unit("day", "time"), 1e-6)
    assert not same_amount(2, Unit("month", "time"), 45, Unit("day", "time"), 1e-6)


def test_money_has_no_base() -> None:
    assert in_base(7.0, "EUR") == 7.0
