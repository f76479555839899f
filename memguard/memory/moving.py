"""The actions export and import: an import passes the privacy gate, or says that it did not (F16)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from memguard.errors import InvalidParameterError, StoreUnavailableError
from memguard.memory.gate import PrivacyGate
from memguard.memory.gates import kinds
from memguard.memory.rows import EntryFilter
from memguard.memory.store import MemoryStore
from memguard.memory.views import TransferResult

FilePath = str | os.PathLike[str]


def exported(store: MemoryStore, path: FilePath | None, wanted: EntryFilter) -> TransferResult:
    """Write entries to a file in one step, or return their lines where there is no path.

    Raises:
        StoreUnavailableError: The file cannot be written; what was there before is untouched.
    """
    lines = list(store.export_lines(wanted)) if path is None else []
    count = len(lines) - 1 if path is None else store.export(Path(path), wanted)
    return _result("export", "exported", count, path, lines=lines)


def imported(
    store: MemoryStore,
    gate: PrivacyGate,
    path: FilePath | None,
    lines: Iterable[str] | None,
    *,
    skip_existing: bool,
    on_unfiltered: str,
) -> TransferResult:
    """Read an export from a file or from its lines, all of it or nothing.

    Raises:
        InvalidParameterError: A line is not what is expected, or holds what no gate replaced.
        EntryExistsError: An id is taken by an entry that holds something else.
        StoreUnavailableError: The file cannot be read.
    """
    if (path is None) == (lines is None):
        raise InvalidParameterError("import takes either path or lines; nothing was imported")
    if on_unfiltered not in {"reject", "flag"}:
        raise InvalidParameterError(f"on_unfiltered must be reject or flag; got {on_unfiltered!r}")
    given = _read(path) if path is not None else list(lines or ())
    warnings = _unfiltered(given, gate)
    if warnings and on_unfiltered == "reject":
        raise InvalidParameterError(
            f"{warnings[0]}; nothing was imported. Redact the export, or take it as it is with "
            "on_unfiltered='flag'"
        )
    added, same = store.import_lines(given, skip_existing=skip_existing)
    return _result("import", "imported", added, path, already_there=same, warnings=warnings)


def _unfiltered(lines: Iterable[str], gate: PrivacyGate) -> list[str]:
    """Return what fires in an export, by line; a line that is no JSON is left to the reader's error."""
    found = []
    for number, line in enumerate(lines, start=1):
        try:
            row = json.loads(line) if line.strip() else {}
        except (ValueError, RecursionError):
            continue
        said = "\n".join(_texts([row.get(name) for name in _SCANNED])) if isinstance(row, dict) else ""
        if said and (fires := gate.unresolved(said)):
            found.append(f"line {number} holds {kinds(fires)}, which no privacy gate replaced")
    return found


_SCANNED = ("content", "text_raw", "metadata", "tags")


def _texts(value: object) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


def _read(path: FilePath) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise StoreUnavailableError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise InvalidParameterError(f"{path}: not UTF-8 text at byte {error.start}") from error


def _result(
    action: str,
    status: str,
    count: int,
    path: FilePath | None,
    *,
    already_there: int = 0,
    lines: Sequence[str] = (),
    warnings: Sequence[str] = (),
) -> TransferResult:
    return TransferResult(
        action=action,
        status=status,
        count=count,
        already_there=already_there,
        path=None if path is None else os.fspath(path),
        lines=list(lines),
        warnings=list(warnings),
    )
