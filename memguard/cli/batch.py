"""``memguard check --batch``: many summaries in one process, one result a line."""

from __future__ import annotations

import argparse
import json
import sys
import time
from datetime import UTC, datetime
from typing import Any

from memguard.cli.codes import BAD_INPUT, DONE, DROPPED
from memguard.cli.inputs import read_plain
from memguard.cli.output import Bars, print_json
from memguard.errors import MemGuardError, ModelError, TranscriptError
from memguard.settings import Settings


def check_batch(arguments: argparse.Namespace, settings: Settings) -> int:
    """Check every row in order; a bad row is an error in its place, and the batch goes on."""
    from memguard import audit, wire
    from memguard.cli.check_formats import TEXT, Checked, emit
    from memguard.eliminator import Elimination
    from memguard.guard import MemGuard

    guard = MemGuard(settings)
    code = DONE
    lines = _lines(arguments.batch)
    rows: list[Checked] = []
    if not lines:
        print(f"warning: {arguments.batch} holds no row", file=sys.stderr)
    with Bars() as progress:
        for done, (number, line) in enumerate(lines):
            row: Any = None
            started, clock = datetime.now(UTC), time.perf_counter()
            try:
                row = _batch_row(line)
                trace = guard.check(row.get("summary"), row.get("messages"))
                head = audit.head(audit.records(trace))
                result = wire.result(trace, audit_head=head, id=_row_id(row, number))
                if arguments.fail_on_drop and trace[Elimination].dropped and code == DONE:
                    code = DROPPED
            except ModelError:
                raise
            except MemGuardError as error:
                place = f"{arguments.batch}, line {number}: {error}"
                result = wire.failure(place, id=_row_id(row, number))
                code = BAD_INPUT
            if arguments.format == TEXT:
                print_json(result)
            if arguments.format != TEXT or arguments.junit:
                duration_s = time.perf_counter() - clock
                rows.append(Checked(result, arguments.batch, number, None, started, duration_s))
            progress("check", done + 1, len(lines), "rows checked")
    emit(rows, arguments)
    return code


def _row_id(row: Any, number: int) -> str:
    given = row.get("id") if isinstance(row, dict) else None
    return str(number if given is None else given)


def _batch_row(line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise TranscriptError(f"not JSON ({error})") from error
    if not isinstance(row, dict):
        raise TranscriptError('a row must be an object {"id", "messages", "summary"}')
    return row


def _lines(name: str) -> list[tuple[int, str]]:
    numbered = enumerate(read_plain(name).split("\n"), start=1)
    return [(number, line) for number, line in numbered if line.strip()]
