"""Tables (CSV, TSV, with semicolons or bars) whose header names the columns of a chat.

Columns say who (``speaker``, ``author``, ``from``, ``role``, …), what (``content``, ``text``,
``message``, …), when (``timestamp``, ``date`` and ``time``, …), ``id``, and which conversation
(``conversation_id``, ``thread``, …); ``table_columns.py`` says how they are found. A table with a
column for the prompt and one for the answer is two messages a row. Python's ``csv`` reads the rows:
it knows the line of each, which pandas does not; its sniffer guesses separators from letters where
the header already decides.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memguard.errors import TranscriptError
from memguard.message_form import KNOWN_ROLES, Notes
from memguard.text import is_blank
from memguard.transcripts.day_order import NO_ZONE
from memguard.transcripts.document import ConversationHead, Document, Reading, choose
from memguard.transcripts.messages_json import rule_of, to_conversation
from memguard.transcripts.plain import is_role_label, role_of
from memguard.transcripts.table_columns import SEPARATORS, Dialect, dialect_of, taken_columns
from memguard.transcripts.written_times import order_of, written_time

_RULE = re.compile(r"(?::?-{3,}:?)?")
"""A cell of the line that divides the header of a Markdown table from its rows."""


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Table:
    """A table and which column is what; ``why`` says how a doubt was settled."""

    header: tuple[str, ...]
    rows: tuple[_Row, ...]
    columns: Mapping[str, int]
    separator: str
    why: str = ""
    warnings: tuple[str, ...] = field(default=())

    def cell(self, row: _Row, kind: str) -> str:
        index = self.columns.get(kind)
        return row.cells[index] if index is not None else ""


class Table:
    """A table with a header that names a text column and another one of a chat."""

    name = "table"

    def recognises(self, document: Document) -> float:
        """Return 0.5 where the header names the text and at least who, when or which conversation.

        1 where it has the columns that were chosen.
        """
        if document.looks_like_json:
            return 0.0
        if dialect_of(document.text, document.columns) is None:
            return 0.0
        return 1.0 if document.columns else 0.5

    def conversations(self, document: Document) -> tuple[ConversationHead, ...]:
        """Return the conversations: one for each value of their column, else one.

        Raises:
            TranscriptError: The rows cannot be read.
        """
        return tuple(_heads(_table(document)))

    def read(self, document: Document, conversation: str | None = None) -> Reading:
        """Read the rows of one conversation.

        Raises:
            TranscriptError: The rows cannot be read, or there are several conversations and none was chosen.
        """
        table = _table(document)
        heads = list(_heads(table, timed=False))
        head = heads[choose(heads, conversation, document.source)]
        rows = (
            [row for row in table.rows if _group(table, row) == head.id]
            if len(heads) > 1
            else list(table.rows)
        )
        notes = Notes(table.warnings)
        times, order_rule = _times(table, rows, notes)
        messages: list[dict[str, Any]] = []
        origins: list[str] = []
        for row, moment in zip(rows, times, strict=True):
            for message in _messages(table, row):
                messages.append({**message, "timestamp": moment})
                origins.append(f"line {row.line}")
        built = to_conversation(
            messages, source=document.source, title=head.title, origins=origins, warnings=notes.texts()
        )
        placed = rule_of(built)
        rule = "; ".join(filter(None, (_columns_rule(table), table.why, order_rule, placed)))
        return Reading(built, self.name, rule=rule, n_conversations=len(heads))


def _table(document: Document) -> _Table:
    dialect = dialect_of(document.text, document.columns)
    if dialect is None:
        raise TranscriptError(
            "no header that names the columns of a chat; expected a text column (content, text or message) "
            "and one for who or when (speaker, role, timestamp)",
            source=document.source,
        )
    separator, header = dialect.separator, dialect.header
    # The limit is the module's, for the whole process; it only ever grows.
    csv.field_size_limit(max(csv.field_size_limit(), len(document.text) + 1))
    reader = csv.reader(io.StringIO(document.text.lstrip("\r\n"), newline=""), delimiter=separator)
    skipped = document.text[: len(document.text) - len(document.text.lstrip("\r\n"))].count("\n")
    # A table for people to look at has blanks around its bars.
    is_padded = separator == "|" and (not header[0].strip() or any(name != name.strip() for name in header))
    raw: list[tuple[int, list[str]]] = []
    begins = skipped + 1
    try:
        for number, cells in enumerate(reader):
            if is_padded:
                cells = [cell.strip() for cell in cells]
            if number and any(not is_blank(cell) for cell in cells) and not all(map(_RULE.fullmatch, cells)):
                raw.append((begins, cells))
            begins = skipped + reader.line_num + 1
    except csv.Error as error:
        raise TranscriptError(f"not a table ({error})", source=document.source, line=begins) from error
    notes = Notes(())
    if all(len(cells) > len(header) and is_blank("".join(cells[len(header) :])) for _, cells in raw):
        raw = [(line, cells[: len(header)]) for line, cells in raw]  # each row ends with a separator
    read = [_Row(line, _fitted(cells, dialect, f"line {line}", notes)) for line, cells in raw]
    columns, why = taken_columns(dialect, [row.cells for row in read])
    return _Table(header, tuple(read), columns, separator, why, notes.texts())


def _fitted(cells: list[str], dialect: Dialect, place: str, notes: Notes) -> tuple[str, ...]:
    """Return as many cells as the header has; what a text without quotes spilled goes back to it."""
    separator, header, found = dialect.separator, dialect.header, dialect.found
    surplus = len(cells) - len(header)
    if surplus < 0:
        notes.add(
            f"{len(cells)} cells instead of {len(header)}; the missing ones are empty", place, "too few cells"
        )
        return (*cells, *[""] * -surplus)
    if surplus:
        at = next(iter(found["text"] or found["answer"]))
        notes.add(
            f"{len(cells)} cells instead of {len(header)}; what is too much was joined to {header[at]!r}",
            place,
            "too many cells",
        )
        return (*cells[:at], separator.join(cells[at : at + surplus + 1]), *cells[at + surplus + 1 :])
    return tuple(cells)


def _columns_rule(table: _Table) -> str:
    said = ", ".join(f"{kind} from {table.header[index]!r}" for kind, index in table.columns.items())
    unread = ", ".join(repr(name) for i, name in enumerate(table.header) if i not in table.columns.values())
    return f"separated by {SEPARATORS[table.separator]}; {said}" + (f"; not read: {unread}" if unread else "")


def _group(table: _Table, row: _Row) -> str:
    return " ".join(table.cell(row, "conversation").split()) or "1"


def _heads(table: _Table, *, timed: bool = True) -> Iterator[ConversationHead]:
    """Yield the conversations; ``timed`` with their first and last times, for which every cell is read."""
    groups: dict[str, list[_Row]] = {}
    for row in table.rows:
        groups.setdefault(_group(table, row), []).append(row)
    per_row = 2 if "prompt" in table.columns else 1
    for name, rows in (groups or {"1": []}).items():
        place = f"line {rows[0].line}" if rows else "the table"
        title = name if "conversation" in table.columns and rows else None
        times = _times(table, rows, Notes(()))[0] if timed else []
        known = [time for time in times if time is not None]
        first, last = min(known, default=None), max(known, default=None)
        yield ConversationHead(name, title, len(rows) * per_row, first, last, place)


def _messages(table: _Table, row: _Row) -> list[dict[str, Any]]:
    if "prompt" in table.columns:
        pair = (("user", "prompt"), ("assistant", "answer"))
        return [{"role": role, "content": table.cell(row, kind)} for role, kind in pair]
    label, speaker = table.cell(row, "role").strip(), table.cell(row, "speaker").strip()
    role: str = "user"
    if label:
        role = role_of(label)[0] if is_role_label(label) else label
        if not is_role_label(label) and label.casefold() not in KNOWN_ROLES and not speaker:
            role, speaker = role_of(label)[0], label
    elif speaker:
        role, named = role_of(speaker)
        speaker = named or ""
    return [
        {
            "id": table.cell(row, "id").strip() or None,
            "role": role,
            "speaker": speaker or None,
            "content": table.cell(row, "text"),
        }
    ]


def _times(table: _Table, rows: Sequence[_Row], notes: Notes) -> tuple[list[datetime | None], str]:
    """Return the time of each row, and the rule for dates such as 5/9/26 if there are any."""
    cells = [" ".join(f"{table.cell(row, 'date')} {table.cell(row, 'time')}".split()) for row in rows]
    written = [written_time(cell) for cell in cells]
    known = [when for when in written if when is not None]
    order = order_of(known)
    if order.warning:
        notes.add(order.warning)
    if not all(when.zoned for when in known):
        notes.add(NO_ZONE)
    times = [None if when is None else when.moment(order) for when in written]
    for row, cell, moment in zip(rows, cells, times, strict=True):
        if cell and moment is None:
            notes.add(
                f"the time {cell[:40]!r} cannot be read; the message has none",
                f"line {row.line}",
                "a time that cannot be read",
            )
    return times, order.rule if any(when.open for when in known) else ""
