"""A look at a table before it is read: its columns and first rows, and whether a person should choose.

The columns of a table are certain where their names say what holds the text and who speaks. Else there
is a doubt, and a front asks for the columns (``columns`` of every reading function). A text whose
header says nothing counts as a table where all its rows have as many cells as the header, and the
header is a line of short names; that is too weak to read it so, and enough to ask.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from memguard.errors import TranscriptError
from memguard.settings import LimitSettings
from memguard.text import is_blank
from memguard.transcripts.archives import MAGIC
from memguard.transcripts.document import Document
from memguard.transcripts.encodings import decode
from memguard.transcripts.opening import Opened
from memguard.transcripts.table_columns import SEPARATORS, Dialect, dialect_of, header_of, taken_columns

_ROWS_SHOWN = 5
_ROWS_LOOKED_AT = 200
_LONGEST_NAME = 40
_MOST_CHARACTERS = 2_000_000
"""Of a huge table only the beginning is looked at."""


@dataclass(frozen=True, slots=True)
class TablePreview:
    """What a table looks like.

    Attributes:
        header: The names of the columns.
        rows: The first rows, as many cells each as the header has.
        separator: The character between cells.
        columns: Which column would be taken for what, by kind (``text``, ``speaker``, …).
        doubt: Why a person should look, as a sentence without a full stop; empty where the names of
            the columns say it.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    separator: str
    columns: Mapping[str, str]
    doubt: str = ""


def preview_table(given: bytes | str, *, limits: LimitSettings | None = None) -> TablePreview | None:
    """Return what a table looks like; None where it is no table, or cannot be read at all.

    Args:
        given: A file's bytes, or text.
        limits: What input is accepted.
    """
    if isinstance(given, bytes):
        if given[:4] in MAGIC:
            return None
        try:
            given = decode(given).text
        except TranscriptError:
            return None
    document = Document(given, limits=limits)
    if document.looks_like_json or is_blank(document.text):
        return None
    text = document.text[:_MOST_CHARACTERS]
    dialect = dialect_of(text, {})
    if dialect is None:
        return _guessed(text)
    rows = _rows(text, dialect.separator, len(dialect.header))
    columns, why = taken_columns(dialect, rows)
    named = {kind: dialect.header[index] for kind, index in columns.items()}
    return TablePreview(
        dialect.header, tuple(rows[:_ROWS_SHOWN]), dialect.separator, named, _doubt(dialect, columns, why)
    )


def doubtful_table(
    opened: Opened, given: bytes | str, *, limits: LimitSettings | None = None
) -> TablePreview | None:
    """Return what a table looks like of which a front should ask the columns before it is read, else None.

    What another reader than those of tables and of plain text knows is what that reader says.

    Args:
        opened: What was recognised.
        given: The bytes or the text that it was recognised in.
        limits: What input is accepted.
    """
    if opened.format not in {"table", "plain_text"}:
        return None
    preview = preview_table(given, limits=limits)
    return preview if preview is not None and preview.doubt else None


def _doubt(dialect: Dialect, columns: Mapping[str, int], why: str) -> str:
    if why:
        return why
    if "text" in columns and columns.keys().isdisjoint({"speaker", "role"}):
        unread = [name for i, name in enumerate(dialect.header) if i not in columns.values() and name.strip()]
        if unread:
            return "no column is called as one that says who speaks"
    return ""


def _guessed(text: str) -> TablePreview | None:
    for separator in SEPARATORS:
        header = header_of(text, separator)
        if len(header) < 2 or not _are_names(header):
            continue
        rows = list(islice(_cells(text, separator), 1, _ROWS_LOOKED_AT))
        if rows and all(len(cells) == len(header) for cells in rows):
            doubt = "the header has no names that are known"
            shown = tuple(tuple(cells) for cells in rows[:_ROWS_SHOWN])
            return TablePreview(tuple(header), shown, separator, {}, doubt)
    return None


def _are_names(header: tuple[str, ...]) -> bool:
    """Return whether cells look as names of columns do, and not as the beginning of what somebody says."""
    names = [name.strip() for name in header]
    return len(set(names)) == len(names) and all(
        0 < len(name) <= _LONGEST_NAME
        and not name.endswith((".", "!", "?", ":"))
        and ": " not in name
        and not name.replace(".", "").replace("-", "").isdigit()
        for name in names
    )


def _cells(text: str, separator: str) -> Iterator[list[str]]:
    """Yield the rows that hold anything; ends at what is no table."""
    reader = csv.reader(io.StringIO(text.lstrip("\r\n"), newline=""), delimiter=separator)
    try:
        for cells in reader:
            if any(not is_blank(cell) for cell in cells):
                yield cells
    except csv.Error:
        return


def _rows(text: str, separator: str, n_cells: int) -> list[tuple[str, ...]]:
    """Return the first rows below the header, cut or filled to as many cells."""
    found = islice(_cells(text, separator), 1, _ROWS_LOOKED_AT)
    return [tuple((cells + [""] * n_cells)[:n_cells]) for cells in found]
