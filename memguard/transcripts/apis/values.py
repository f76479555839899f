"""Values of a JSON file, which may have any type: each function gives the wanted one, or nothing."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any


def rendered(value: Any) -> str:
    """Return a value of any type as text: text as it is, null as nothing, anything else as JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):  # keys of no JSON, or an integer of too many digits
        return "[unreadable]"


def words(value: Any) -> str:
    """Return ``value`` if it is text, else no text."""
    return value if isinstance(value, str) else ""


def scalar(value: Any) -> str | int | float | None:
    """Return ``value`` if it is text or a number, else None."""
    return value if isinstance(value, str | int | float) and not isinstance(value, bool) else None


def text_id(value: Any) -> str | None:
    """Return an id as text, None where it is none; a whole number is one."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) and value.strip() else None


def mapping(value: Any) -> dict[str, Any]:
    """Return ``value`` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """Return ``value`` if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def moment(value: Any) -> datetime | None:
    """Return the aware time of an ISO text with a zone, for lists of conversations; None for the rest."""
    try:
        read = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return read if read is not None and read.tzinfo is not None else None
