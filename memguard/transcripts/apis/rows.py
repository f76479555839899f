"""Rows: files of many conversations, one an object of a list, a line of JSONL, or a row of a viewer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from memguard.message_form import Notes
from memguard.transcripts.apis.turns import lines
from memguard.transcripts.document import MISSING, ConversationHead, Document, choose
from memguard.transcripts.values import ends_of, fields_of, items_of, text_id, words

_TIME_FIELDS = ("timestamp", "created_at", "created", "create_time", "date", "updated_at")
_ID_FIELDS = ("id", "conversation_id", "conversation_hash", "prompt_id", "uid", "uuid", "custom_id")


@dataclass(frozen=True, slots=True)
class Row:
    """One conversation of a file.

    Attributes:
        value: The object that holds it.
        place: Where that stands, or nothing where the file is the object.
        id: Its own id, if it has one.
    """

    value: dict[str, Any]
    place: str
    id: str | None = None

    def at(self, inner: str) -> str:
        """Return the place of something in the row."""
        return f"{self.place}, {inner}" if self.place else inner


@dataclass(frozen=True, slots=True)
class Rows:
    """The conversations of a file, with what could not be read as one.

    Attributes:
        rows: In the order of the file.
        warnings: What is no conversation.
        skipped_lines: Lines of JSONL that hold none.
    """

    rows: tuple[Row, ...]
    warnings: tuple[str, ...] = ()
    skipped_lines: int = 0

    def heads(
        self, count: Callable[[dict[str, Any]], int], times: Callable[[dict[str, Any]], Iterable[Any]]
    ) -> tuple[ConversationHead, ...]:
        """Return the list of the conversations.

        Args:
            count: Tells how many messages a row holds.
            times: Tells their times, as the file writes them; where there are none, the row's own count.
        """
        taken: set[str] = set()
        heads = []
        for position, row in enumerate(self.rows, start=1):
            own = row.id if row.id is not None and row.id not in taken else str(position)
            taken.add(own)
            title = words(row.value.get("title")) or None
            place = row.place or "the whole file"
            first, last = ends_of(times(row.value))
            if first is None:
                first, last = ends_of(row.value.get(key) for key in _TIME_FIELDS)
            heads.append(ConversationHead(own, title, count(row.value), first, last, place))
        return tuple(heads)

    def pick(self, heads: Sequence[ConversationHead], conversation: str | None, document: Document) -> Row:
        """Return the row that is meant.

        Raises:
            TranscriptError: None or several are meant.
        """
        return self.rows[choose(heads, conversation, document.source)]


def find_rows(document: Document, is_row: Callable[[Any], bool]) -> Rows:
    """Return the conversations of a document; what ``is_row`` does not take is noted."""
    value = document.value
    notes = Notes()
    skipped = 0
    if value is MISSING:
        records, skipped = lines(document, notes)
        placed = [(f"line {record.line}", record.value) for record in records]
    elif isinstance(value, list):
        placed = [(f"conversation {number}", item) for number, item in enumerate(value, start=1)]
    elif isinstance(value, dict) and not is_row(value) and isinstance(value.get("rows"), list):
        # A data set's viewer answers with rows in rows.
        placed = [
            (f"rows[{index}]", fields_of(item).get("row", item)) for index, item in enumerate(value["rows"])
        ]
    else:
        placed = [("", value)]
    rows = []
    for place, item in placed:
        if is_row(item):
            rows.append(Row(item, place, _row_id(item)))
        else:
            notes.add("this holds no conversation; it was left out", place)
            skipped += value is MISSING
    return Rows(tuple(rows), notes.texts(), skipped)


def first_rows(document: Document, objects: list[dict[str, Any]]) -> list[Any]:
    """Return what recognition looks at: the first objects, or the rows of a viewer's answer."""
    value = document.value
    if isinstance(value, dict) and isinstance(value.get("rows"), list):
        return [fields_of(item).get("row", item) for item in items_of(value["rows"])[:200]]
    return list(objects)


def times_of(messages: Iterable[Any]) -> list[Any]:
    """Return what messages have as their time, under any of the usual names; nothing where they have none."""
    found = (fields_of(message) for message in messages)
    return [next((m[key] for key in _TIME_FIELDS if m.get(key)), None) for m in found]


def _row_id(value: dict[str, Any]) -> str | None:
    return next((found for key in _ID_FIELDS if (found := text_id(value.get(key))) is not None), None)
