"""Values of a JSON file, which may have any type: each function gives the wanted one, or nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from memguard.text import well_formed

_MILLISECONDS = 1000
_MILLISECONDS_FROM = 1e11
_DIGITS_OF_A_TIME = 9
_LONGEST_TITLE = 300


def fields_of(value: Any) -> dict[str, Any]:
    """Return an object as it is, and everything else as an empty one."""
    return value if isinstance(value, dict) else {}


def items_of(value: Any) -> list[Any]:
    """Return a list as it is, and everything else as an empty one."""
    return value if isinstance(value, list) else []


def objects_of(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a list; of anything else, none."""
    return [item for item in items_of(value) if isinstance(item, dict)]


def words(value: Any) -> str:
    """Return a text as it is, and everything else as an empty one."""
    return value if isinstance(value, str) else ""


def text_of(value: Any) -> str:
    """Return a text without halves of characters, and everything else as an empty one."""
    return well_formed(value) if isinstance(value, str) else ""


def as_text(value: Any) -> str:
    """Return a text or a number as text without halves of characters; anything else as an empty one."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return str(value)
        except ValueError:  # more digits than Python turns into text
            return ""
    return text_of(value)


def word_of(value: Any) -> str:
    """Return a text or a number on one line, without blanks around it."""
    return " ".join(as_text(value).split())


def title_of(value: Any) -> str | None:
    """Return a title in one line, or None if there is none."""
    return " ".join(text_of(value).split())[:_LONGEST_TITLE] or None


def rendered(value: Any) -> str:
    """Return a value of any type as text: text as it is, null as nothing, anything else as JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):  # keys of no JSON, or an integer of too many digits
        return "[unreadable]"


def scalar(value: Any) -> str | int | float | None:
    """Return ``value`` if it is text or a number, else None."""
    return value if isinstance(value, str | int | float) and not isinstance(value, bool) else None


def text_id(value: Any) -> str | None:
    """Return an id as text, None where it is none; a whole number is one."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) and value.strip() else None


def moment_of(value: Any, *, milliseconds: bool = False) -> datetime | None:
    """Return an epoch number (also as text) or ISO 8601 text as aware time; None if it is none.

    Args:
        value: Seconds since 1970, or text. Text without a zone is read as UTC.
        milliseconds: Whether a number counts milliseconds.
    """
    try:
        if isinstance(value, str) and not value.strip().lstrip("-").isdigit():
            moment = datetime.fromisoformat(value.strip())
            return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            number = float(value)
            return datetime.fromtimestamp(number / _MILLISECONDS if milliseconds else number, tz=UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


def ends_of(times: Iterable[Any]) -> tuple[datetime | None, datetime | None]:
    """Return the first and the last of times as ``moment_of`` reads them; None and None where there is none.

    A number that would lie after the year 5000 counts milliseconds, as in the message form. A text of few
    digits is no time: it is a year, or the number of a row.
    """
    read = (moment_of(value, milliseconds=_is_large(value)) for value in times if not _is_a_count(value))
    known = [moment for moment in read if moment is not None]
    return min(known, default=None), max(known, default=None)


def _is_a_count(value: Any) -> bool:
    return isinstance(value, str) and value.strip().isdigit() and len(value.strip()) < _DIGITS_OF_A_TIME


def _is_large(value: Any) -> bool:
    return isinstance(value, int | float) and abs(value) >= _MILLISECONDS_FROM


def has_zone(value: Any) -> bool:
    """Return whether a value that ``moment_of`` reads says its zone; an epoch number does."""
    if not isinstance(value, str) or value.strip().isdigit():
        return True
    try:
        return datetime.fromisoformat(value.strip()).tzinfo is not None
    except ValueError:
        return True
