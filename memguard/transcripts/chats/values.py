"""JSON values of any type as the text, list, object or moment that an export should hold there."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from memguard.text import well_formed

_MILLISECONDS = 1000


def text_of(value: Any) -> str:
    """Return a string or a number as well-formed text; empty for anything else."""
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return str(value)
        except ValueError:  # more digits than Python turns into text
            return ""
    return ""


def word_of(value: Any) -> str:
    """Return text on one line, without blanks around it."""
    return " ".join(text_of(value).split())


def items_of(value: Any) -> list[Any]:
    """Return a list as it is, and no items for anything else."""
    return value if isinstance(value, list) else []


def fields_of(value: Any) -> dict[str, Any]:
    """Return an object as it is, and one without fields for anything else."""
    return value if isinstance(value, dict) else {}


def objects_of(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a list."""
    return [item for item in items_of(value) if isinstance(item, dict)]


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


def has_zone(value: Any) -> bool:
    """Return whether a value that ``moment_of`` reads says its zone; an epoch number does."""
    if not isinstance(value, str) or value.strip().isdigit():
        return True
    try:
        return datetime.fromisoformat(value.strip()).tzinfo is not None
    except ValueError:
        return True


def reactions_line(counts: dict[str, list[str]]) -> str:
    """Return ``[reactions: 👍 Ana, Ben]`` for what each sign was given by; empty if there is none."""
    said = "; ".join(f"{sign} {', '.join(names)}".strip() for sign, names in counts.items() if sign)
    return f"[reactions: {said}]" if said else ""


def joined(*pieces: str) -> str:
    """Return the pieces that are not empty, a line each."""
    return "\n".join(piece for piece in pieces if piece.strip())
