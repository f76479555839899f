"""What a setting may be, written once beside its default, and the check that holds it to that."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from typing import Any, Self

from memguard.errors import SettingsError


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a setting may be.

    Attributes:
        label: Name for people.
        help: One sentence, with direction and range.
        low: Smallest value, if any.
        high: Largest value, if any.
        step: Step of a slider.
        unit: Unit of a number.
        choices: Allowed words, for a text.
        optional: Whether None is allowed.
    """

    label: str
    help: str
    low: float | None = None
    high: float | None = None
    step: float | None = None
    unit: str = ""
    choices: tuple[str, ...] = ()
    optional: bool = False


def setting(default: Any, label: str, help: str, **bounds: Any) -> Any:
    """Return a dataclass field with its default and its bounds."""
    return field(default=default, metadata={"bounds": Bounds(label, help, **bounds)})


def switch(default: str, label: str, help: str) -> Any:
    """Return a dataclass field that is ``on`` or ``off``."""
    return setting(default, label, help, choices=("on", "off"))


class Section:
    """Base of a frozen dataclass of settings: checks each field against its bounds."""

    def __post_init__(self) -> None:
        for item in fields(self):  # type: ignore[arg-type]
            bounds, owner = bounds_of(self, item.name), type(self).__name__
            value = checked_value(owner, item.name, item.type, getattr(self, item.name), bounds)
            object.__setattr__(self, item.name, value)

    @classmethod
    def from_table(cls, name: str, raw: Any) -> Self:
        """Build a section from the table ``name`` of a file; what is absent takes its default.

        Raises:
            SettingsError: It is no table, or holds an unknown name or a value outside its bounds.
        """
        if not isinstance(raw, Mapping):
            raise SettingsError(f"[{name}] must be a table; got {type(raw).__name__}")
        known = [item.name for item in fields(cls)]  # type: ignore[arg-type]
        for key in raw:
            if key not in known:
                raise SettingsError(f"there is no setting {name}.{key}; known: {', '.join(known)}")
        return cls(**raw)


def bounds_of(section: Any, name: str) -> Bounds:
    """Return the bounds of a setting of a section (class or instance)."""
    for item in fields(section):
        if item.name == name:
            bounds: Bounds = item.metadata["bounds"]
            return bounds
    raise SettingsError(f"there is no setting {name!r}")


def checked_value(owner: str, name: str, kind: Any, value: Any, bounds: Bounds) -> Any:
    """Return ``value`` in the one form that it has in settings, if its type and bounds hold."""
    wanted = str(kind)
    if value is None and bounds.optional:
        return value
    if "str" in wanted:
        # What is printable can be written to any file.
        known = not bounds.choices or value in bounds.choices
        valid = isinstance(value, str) and value.isprintable() and known
        expected = f"one of {', '.join(bounds.choices)}" if bounds.choices else "a printable string"
    else:
        whole = "int" in wanted
        number = isinstance(value, Integral if whole else Real) and not isinstance(value, bool)
        low = -math.inf if bounds.low is None else bounds.low
        high = math.inf if bounds.high is None else bounds.high
        valid = number and low <= value <= high
        expected = f"{'a whole number' if whole else 'a number'} from {low:.12g} to {high:.12g}"
    if not valid:
        raise SettingsError(f"{owner}.{name} must be {expected}; got {value!r}")
    if "str" in wanted:
        return value
    # One form for equal numbers (1 and 1.0, 0.0 and -0.0, NumPy's), so that equal settings have one digest.
    return int(value) if whole else float(value) + 0.0
