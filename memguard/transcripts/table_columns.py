"""Which column of a table is what: by its name, or as somebody chose.

The separator is the one under which the header line names most columns that are known; then the
columns are taken by name. Where two columns could hold the text, the one with more characters does,
and the rule says so. Columns that were chosen are taken as chosen, whatever they are called.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memguard.errors import InvalidParameterError
from memguard.text import is_blank

SEPARATORS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "bar"}
NAMES: dict[str, tuple[str, ...]] = {
    "text": (
        "content", "text", "message", "body", "utterance", "message text", "msg", "contents", "comment",
        "transcript", "message body", "message content", "post", "dialogue", "value",
    ),
    "speaker": (
        "speaker", "author", "from", "sender", "user", "username", "name", "user name", "sender name",
        "author name", "participant", "agent", "from name", "speaker name", "who", "nickname", "display name",
    ),
    "role": ("role", "author role", "speaker role", "sender role", "message role", "sender type"),
    "time": (
        "timestamp", "time", "datetime", "created at", "sent at", "date time", "date/time", "ts", "created",
        "sent", "create time", "timestamp utc", "message time", "start time", "sent on",
    ),
    "date": ("date", "day", "message date"),
    "id": ("id", "message id", "msg id", "uuid", "guid"),
    "conversation": (
        "conversation id", "conversation", "thread id", "thread", "chat id", "session id", "dialogue id",
        "dialog id", "channel id", "channel", "ticket id", "conv id", "session", "chat", "ticket",
    ),
    "prompt": ("prompt", "question", "instruction", "user message", "user", "human", "query", "input"),
    "answer": (
        "response", "answer", "completion", "assistant message", "assistant", "output", "bot", "reply",
    ),
}  # fmt: skip
"""What a column may be called, in lower case with blanks; the first of a kind in this order is taken."""
_KNOWN_LEAST = 2


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a table is written.

    Attributes:
        separator: The character between cells.
        header: The names of the columns.
        found: For each kind the columns that could be it, best first.
    """

    separator: str
    header: tuple[str, ...]
    found: Mapping[str, Sequence[int]]


def checked_columns(columns: Mapping[str, str] | None) -> dict[str, str]:
    """Return chosen columns by kind.

    Raises:
        InvalidParameterError: There is no such kind.
    """
    for kind in columns or {}:
        if kind not in NAMES:
            raise InvalidParameterError(f"columns are chosen for {', '.join(NAMES)}; got {kind!r}")
    return dict(columns or {})


def dialect_of(text: str, columns: Mapping[str, str]) -> Dialect | None:
    """Return how a table is written; None where it is no table of a chat, or has not the chosen columns.

    Args:
        text: The table.
        columns: Names of columns by kind, such as ``{"text": "Nachricht"}``; an empty name stands for no
            column. The others are found by name.
    """
    best: tuple[int, Dialect] | None = None
    for separator in SEPARATORS:
        header = header_of(text, separator)
        found = _find(header)
        for kind in [kind for kind, name in columns.items() if not name.strip()]:
            found[kind] = []
        chosen_columns = {kind: name for kind, name in columns.items() if name.strip()}
        for kind, name in chosen_columns.items():
            chosen = [i for i, own in enumerate(header) if own.strip().strip("\ufeff") == name.strip()]
            chosen = chosen or [i for i, own in enumerate(header) if _plain(own) == _plain(name)]
            found = {other: [i for i in indexes if i not in chosen[:1]] for other, indexes in found.items()}
            found[kind] = chosen[:1]
        if not all(found[kind] for kind in chosen_columns):
            continue
        if {"prompt", "answer"} <= chosen_columns.keys():
            found["text"] = []
        n_known = len({index for indexes in found.values() for index in indexes})
        known = "text" in chosen_columns or (n_known >= _KNOWN_LEAST and _is_chat(found))
        if known and (best is None or n_known > best[0]):
            best = (n_known, Dialect(separator, header, found))
    return None if best is None else best[1]


def header_of(text: str, separator: str) -> tuple[str, ...]:
    """Return the cells of the first line that is not blank; none where it cannot be cut so."""
    try:
        return tuple(next(csv.reader([first_line(text)], delimiter=separator), []))
    except csv.Error:
        return ()


def first_line(text: str) -> str:
    """Return the first line that is not blank."""
    return next((line for line in io.StringIO(text[:20_000]) if not is_blank(line)), "").strip("\r\n")


def _plain(name: str) -> str:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.strip().strip("\ufeff"))
    return " ".join(re.sub(r"[_\-.]+", " ", spaced).casefold().split())


def _find(header: Sequence[str]) -> dict[str, list[int]]:
    """Return the columns that could be each kind, best first; a column may be of several kinds."""
    plain = [_plain(name) for name in header]
    return {kind: [plain.index(name) for name in names if name in plain] for kind, names in NAMES.items()}


def _is_chat(found: Mapping[str, Sequence[int]]) -> bool:
    if found["prompt"] and found["answer"] and not found["text"]:
        return True
    others = {index for kind in ("speaker", "role", "time", "date", "conversation") for index in found[kind]}
    return any(others - {text} for text in found["text"])


def taken_columns(dialect: Dialect, rows: Sequence[Sequence[str]]) -> tuple[dict[str, int], str]:
    """Return one column for each kind, and how a doubt about the text was settled."""
    found, header = dialect.found, dialect.header
    columns: dict[str, int] = {}
    why = ""
    texts = found["text"]
    if texts:
        n_chars = {index: sum(len(cells[index]) for cells in rows) for index in texts}
        columns["text"] = max(texts, key=lambda index: n_chars[index])
        if len(texts) > 1:
            others = ", ".join(repr(header[index]) for index in texts if index != columns["text"])
            why = f"{header[columns['text']]!r} is the text rather than {others}: it has more characters"
    else:
        columns["prompt"] = found["prompt"][0]
        columns["answer"] = next(
            (index for index in found["answer"] if index != columns["prompt"]), found["answer"][0]
        )
    kinds = ["role", "speaker", "time", "date", "id", "conversation"]
    for kind in kinds:
        free = [index for index in found[kind] if index not in columns.values()]
        if free:
            columns[kind] = free[0]
    return columns, why
