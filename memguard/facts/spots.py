"""Spots: the must-keep words of one unit, each with its class and canonical value."""

from __future__ import annotations

from dataclasses import dataclass

from memguard.facts.forms import FactClass


@dataclass(frozen=True, slots=True)
class Spot:
    """Must-keep words in a unit.

    Attributes:
        start: Offset of their first character in the unit.
        end: Offset after their last.
        kind: Their class.
        value: Their canonical form.
        strength: How surely they are worth keeping, as a factor on the weight of their class.
    """

    start: int
    end: int
    kind: FactClass
    value: str
    strength: float = 1.0
