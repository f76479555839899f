"""Whether two quantities are of one kind, and whether they are equal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from memguard.grounding.reading.measures import Quantity, quantities
from memguard.grounding.reading.units import Unit, same_amount

ABOUT = 0.06
"""How far "about 77%" may be from what was said, as a share of it."""
EXACT = 1e-6
"""How far equal amounts may differ, as a share: conversion rounds."""


def kinship(claim: Quantity, other: Quantity, asked: str = "") -> str:
    """Say how two quantities relate.

    ``same``: unit, counted thing, label or shape are the same, so another value is another value.
    ``unit``: the dimension is the same and the unit cannot be converted, or one is a level and one
    a difference. ``open``: one of the two leaves its kind open. ``loose``: both say it, differently.
    ``other``: they cannot be of one kind.
    """
    if claim.literal or other.literal:
        return _literal_kinship(claim, other)
    if claim.units and other.units:
        return _unit_kinship(claim, other)
    if claim.units or other.units:
        bare = other if claim.units else claim
        return "open" if not bare.nouns else "loose" if is_money(claim) or is_money(other) else "other"
    if claim.label and claim.label == other.label:
        return "same"
    if same_head(claim, other) or (asked and asked in claim.nouns):
        return "same"
    if not claim.nouns or not other.nouns:
        return "open"
    return "open" if claim.nouns & other.nouns else "loose"


def _literal_kinship(claim: Quantity, other: Quantity) -> str:
    if claim.literal and other.literal:
        if claim.literal == other.literal:
            return "same"
        if claim.label and claim.label == other.label and claim.label != "address":
            return "same"
        return (
            "same"
            if _shape(claim.literal) == _shape(other.literal) and not _shape(claim.literal).isdigit()
            else "other"
        )
    if claim.label and claim.label == other.label:
        return "same"
    return "loose" if "address" in {claim.label, other.label} and claim.nouns else "open"


@lru_cache(maxsize=16_384)
def _shape(literal: str) -> str:
    return re.sub(r"[a-z]+", "a", re.sub(r"\d+", "0", literal))


def _unit_kinship(claim: Quantity, other: Quantity) -> str:
    dimensions = {u.dimension for u in claim.units} & {u.dimension for u in other.units}
    if not dimensions:
        ages = {u.dimension for u in (*claim.units, *other.units)}
        return "loose" if ages == {"age", "time"} else "unit" if _loosely_alike(claim, other) else "other"
    if (
        claim.label != other.label
        and is_equal(replace(claim, approximate=True), other) is False
        and "day" in {claim.label, other.label}
    ):
        return "loose"
    for a, b in unit_pairs(claim, other):
        if a.name == b.name or a.dimension not in {"money", "share"}:
            return "same"
    return "unit"


def _loosely_alike(claim: Quantity, other: Quantity) -> bool:
    """Tell whether two units are often taken for each other though they measure different things."""
    return {u.dimension for u in (*claim.units, *other.units)} <= {"length", "screen"}


def unit_pairs(claim: Quantity, other: Quantity) -> Iterator[tuple[Unit, Unit]]:
    """Yield the pairs of their possible units that measure the same."""
    return ((a, b) for a in claim.units for b in other.units if a.dimension == b.dimension)


def is_money(quantity: Quantity) -> bool:
    """Tell whether it may be an amount of money."""
    return any(u.dimension == "money" for u in quantity.units)


def same_head(claim: Quantity, other: Quantity) -> bool:
    """Tell whether both count the same thing."""
    return bool(claim.head) and claim.head == other.head


def is_equal(claim: Quantity, other: Quantity) -> bool:
    """Tell whether a stated quantity says the claimed one, converted where units differ.

    Rates and kinds of days that both name must agree; "about" allows 6 %; "over" allows a tenth more.
    """
    if claim.literal or other.literal:
        return _as_literal(claim) == _as_literal(other)
    if claim.days and other.days and claim.days != other.days:
        return False
    if claim.per and other.per and claim.per != other.per:
        return False
    tolerance = ABOUT if claim.approximate else EXACT
    if (
        claim.bound == ">"
        and not claim.units
        and not other.units
        and claim.low <= other.low <= claim.low * 1.1
    ):
        return True
    if claim.units and other.units:
        return any(
            same_amount(claim.low, a, other.low, b, tolerance)
            and same_amount(claim.high, a, other.high, b, tolerance)
            for a, b in unit_pairs(claim, other)
        ) or _is_end(claim, other)
    return (
        is_near(claim.low, other.low, tolerance) and is_near(claim.high, other.high, tolerance)
    ) or _is_end(claim, other)


def equal_by_neighbour(claim: Quantity, other: Quantity, text: str) -> bool:
    """Compare with a bare number as if it had the unit of a neighbour ("30 days, they want 14")."""
    if not claim.units or other.units or other.literal:
        return False
    units = {
        unit
        for neighbour in quantities(text)
        for unit in neighbour.units
        if unit.dimension not in {"money", "share"}
    }
    return any(same_amount(claim.low, a, other.low, b, EXACT) for a in claim.units for b in units)


def _is_end(claim: Quantity, other: Quantity) -> bool:
    """Tell whether a bound names the end of a range ("within 7 days" of "5-7 days")."""
    end = other.high if claim.bound == "<" else other.low
    return bool(claim.bound) and other.low < other.high and claim.low == end


def _as_literal(quantity: Quantity) -> str:
    return quantity.literal or f"{quantity.low:g}"


def is_near(a: float, b: float, tolerance: float) -> bool:
    """Tell whether two values are equal within a relative tolerance."""
    return abs(a - b) <= tolerance * max(abs(a), abs(b)) + 1e-9
