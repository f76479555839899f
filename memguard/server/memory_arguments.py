"""What the tool ``memory`` takes: an action, and what that action needs."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from memguard.errors import InvalidParameterError
from memguard.memory.context import SummarizationStrategy
from memguard.memory.entries import MemoryType
from memguard.memory.maintenance import STEPS
from memguard.memory.rows import Order, Status
from memguard.server.arguments import Arguments

MOST_FOUND = 100
MOST_LISTED = 500
MOST_SUMMARY_TOKENS = 100_000
_MOMENT: Any = {"type": ["string", "number"]}
_MOMENTS = ("timestamp", "expires_at", "since", "until")
_TYPES = [item.value for item in MemoryType]
_FILTER = "search, list, summarize, export: "


def _told(description: str, **schema: Any) -> Any:
    """Return a field that may be left out."""
    return Field(default=None, description=description, json_schema_extra=schema or None)


class MemoryArguments(Arguments):
    """Arguments of ``memory``; which action takes which is in their descriptions."""

    action: Literal[
        "capture",
        "search",
        "list",
        "get",
        "delete",
        "restore",
        "compress",
        "summarize",
        "maintain",
        "export",
        "import",
    ] = Field(description="What to do.")
    text: str = _told("capture: what to remember. list, export: only entries that contain this.")
    turns: list[Any] = _told(
        "capture, in place of text: turns of a conversation, each a text of the user or an object with role, "
        "content and speaker.",
        items={"type": ["string", "object"]},
    )
    memory_type: str = _told("capture: its kind; default: long_term.", enum=_TYPES)
    importance: float = _told("capture: from 0 to 1; default: 0.5.", minimum=0, maximum=1)
    metadata: dict[str, Any] = _told("capture: whatever is to be kept with it.")
    timestamp: str | float = _told("capture: when it was said; default: now.", **_MOMENT)
    expires_at: str | float = _told("capture: when it is no longer given out.", **_MOMENT)
    tags: list[str] = _told(f"capture: its tags. {_FILTER}only entries with all of these tags.")
    query: str = _told("search: what to look for. summarize: to what entries should be relevant.")
    k: int = _told("search: at most so many; default: 10.", minimum=1, maximum=MOST_FOUND)
    memory_id: str = _told("get, delete, restore, compress: which entry.")
    types: list[str] = _told(f"{_FILTER}only of these kinds.", items={"type": "string", "enum": _TYPES})
    status: list[str] = _told(
        f"{_FILTER}only in these states; default: active ones, of export all.",
        items={"type": "string", "enum": [item.value for item in Status]},
    )
    min_importance: float = _told(f"{_FILTER}only at least so important.", minimum=0, maximum=1)
    since: str | float = _told(f"{_FILTER}only made at or after this moment.", **_MOMENT)
    until: str | float = _told(f"{_FILTER}only made before this moment.", **_MOMENT)
    limit: int = _told("list: at most so many; default: 50.", minimum=0, maximum=MOST_LISTED)
    offset: int = _told("list: how many to pass over first.", minimum=0)
    order: str = _told("list: default: newest.", enum=[item.value for item in Order])
    max_tokens: int = _told("summarize: the budget; default: 2048.", minimum=0, maximum=MOST_SUMMARY_TOKENS)
    strategy: str = _told(
        "summarize: what comes first; default: relevance.",
        enum=[item.value for item in SummarizationStrategy],
    )
    counter: str = _told(
        "summarize: what the budget counts; default: words.", enum=["words", "summarizer", "cl100k"]
    )
    dry_run: bool = _told("maintain: only say what would be done; default: false.")
    above: int = _told("maintain: runs only above so many entries; default: 100.", minimum=0)
    summarise_above: int = _told("maintain: makes a summary only above so many; default: 50.", minimum=0)
    steps: list[str] = _told(
        "maintain: which steps; default: all.", items={"type": "string", "enum": list(STEPS)}
    )
    lines: list[str] = _told("import: the lines that an export gave.")
    skip_existing: bool = _told("import: leave entries whose id is taken as they are, instead of refusing.")

    def given(self) -> dict[str, Any]:
        """Return what the call gives beside the action, moments as datetimes or seconds.

        Raises:
            InvalidParameterError: A moment is not ISO 8601.
        """
        found = {name: getattr(self, name) for name in self.model_fields_set - {"action"}}
        return {name: _moment(name, value) if name in _MOMENTS else value for name, value in found.items()}


def _moment(name: str, value: str | float) -> datetime | float:
    if not isinstance(value, str):
        return value
    try:
        return datetime.fromisoformat(value)
    except ValueError:
        raise InvalidParameterError(
            f"the argument {name!r} must be ISO 8601 (2026-11-30T09:00:00+01:00) or seconds since 1970"
        ) from None
