"""A tenant's memory as JSONL: a first line that says what this is, then one entry a line.

An import gives back exactly what was exported: ids, versions, times, status, lineage and the bytes of
the embeddings. The tenant is that of the store that imports. Chain and history stay behind: the import
is a record in the chain of the store that it goes to.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from memguard.errors import EntryExistsError, InvalidParameterError, StoreUnavailableError
from memguard.files import replace_text
from memguard.memory import codec, reading
from memguard.memory.rows import EntryFilter, StoredEntry
from memguard.memory.schema import Tables, dumps
from memguard.memory.transaction import Transaction

SCHEMA = "memguard.memory/1"
_PAGE = 1000


def lines(connection: Connection, tables: Tables, tenant_id: str, wanted: EntryFilter) -> Iterator[str]:
    """Yield an export's lines, each with its line end; the entries come by id."""
    yield dumps({"schema": SCHEMA, "tenant_id": tenant_id}) + "\n"
    for page in reading.pages(connection, tables, tenant_id, wanted, _PAGE):
        for stored in page:
            yield dumps(codec.to_line(stored)) + "\n"


def write_file(path: str | Path, written: Iterable[str]) -> None:
    """Write an export's lines to a file in one step.

    Raises:
        StoreUnavailableError: The file cannot be written; what was there before is untouched.
    """
    try:
        replace_text(Path(path), "".join(written))
    except OSError as error:
        raise StoreUnavailableError(f"{path}: cannot be written ({error.strerror})") from error


def file_lines(path: str | Path) -> list[str]:
    """Return the lines of a file that an export may be.

    Raises:
        InvalidParameterError: It is not UTF-8 text.
        StoreUnavailableError: It cannot be read.
    """
    try:
        return Path(path).read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise StoreUnavailableError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise InvalidParameterError(f"{path}: not UTF-8 text at byte {error.start}") from error


def read_lines(source: Iterable[str], tenant_id: str) -> tuple[StoredEntry, ...]:
    """Read an export as entries of that tenant.

    Raises:
        InvalidParameterError: A line is not what is expected; the message has its number.
    """
    if isinstance(source, str) or not isinstance(source, Iterable):
        raise InvalidParameterError(f"an import reads several lines; got {type(source).__name__}")
    numbered = ((number, line) for number, line in enumerate(source, start=1) if line.strip())
    number, line = next(numbered, (1, ""))
    header = _parsed(number, line)
    if not isinstance(header, dict) or header.get("schema") != SCHEMA:
        raise InvalidParameterError(
            f'line {number}: an export starts with {{"schema": "{SCHEMA}", …}}; nothing was imported'
        )
    found: list[StoredEntry] = []
    for number, line in numbered:
        try:
            found.append(codec.from_line(_parsed(number, line), tenant_id))
        except (InvalidParameterError, TypeError, OverflowError) as error:
            text = str(error).removeprefix(f"line {number}: ")
            raise InvalidParameterError(f"line {number}: {text}; nothing was imported") from error
    return tuple(found)


def write(
    transaction: Transaction, entries: Iterable[StoredEntry], *, skip_existing: bool
) -> tuple[int, int]:
    """Add imported entries and their lineage in a transaction.

    Returns:
        How many were added, and how many were there already.

    Raises:
        EntryExistsError: An id is taken by an entry that holds something else, unless those are skipped.
    """
    added: list[StoredEntry] = []
    n_same = 0
    given = tuple(entries)
    present = transaction.get_many(item.id for item in given)
    for item in given:
        known = present.get(item.id)
        if known is None:
            added.append(item)
        elif skip_existing or codec.to_line(known) == codec.to_line(item):
            n_same += 1
        else:
            raise EntryExistsError(
                f"entry {item.id!r} is in the store with something else in it; nothing was imported. "
                "Skip the ones that exist, or import into another tenant"
            )
    transaction.insert(added)
    transaction.link(
        pair
        for item in added
        for pair in [(old, item.id) for old in item.supersedes]
        + [(item.id, new) for new in item.superseded_by]
    )
    return len(added), n_same


def _parsed(number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidParameterError(f"line {number}: not a JSON object ({error})") from error
