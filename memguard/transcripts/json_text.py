"""JSON as people write it: repeated keys told, huge numbers kept as text, depth bounded."""

from __future__ import annotations

import json
from typing import Any

from memguard.settings import LimitSettings

_MAX_DIGITS = 4000


def is_deeper(value: Any, levels: int) -> bool:
    """Return whether a JSON value is nested deeper than ``levels``; goes level by level, not by calls."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(levels):
        level = [
            inner
            for item in level
            for inner in (item.values() if isinstance(item, dict) else item)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


def too_deep(limits: LimitSettings) -> str:
    """Return what to say of JSON that is nested too deeply."""
    return f"nested too deeply: more than {limits.json_levels} levels (setting limits.json_levels)"


def parse_json(text: str) -> tuple[Any, bool]:
    """Parse one JSON value; also tell whether an object in it has a key twice (the last one counts).

    An integer too long for Python's limit stays text. ``NaN`` and ``Infinity`` are read as floats.

    Raises:
        json.JSONDecodeError: The text is not JSON.
        RecursionError: It is nested too deeply.
    """
    repeated = False

    def build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal repeated
        built = dict(pairs)
        if len(built) != len(pairs):
            repeated = True
        return built

    value = json.loads(text, object_pairs_hook=build, parse_int=_parse_int)
    return value, repeated


def _parse_int(digits: str) -> int | str:
    return int(digits) if len(digits) <= _MAX_DIGITS else digits
