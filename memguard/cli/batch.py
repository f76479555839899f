"""``memguard check --batch``: many summaries in one process, one result a line."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from memguard.cli.codes import BAD_INPUT, DONE, DROPPED
from memguard.cli.inputs import read_plain
from memguard.cli.output import Bars, print_json
from memguard.errors import MemGuardError, ModelError, TranscriptError
from memguard.settings import Settings


def check_batch(arguments: argparse.Namespace, settings: Settings) -> int:
    """Check every row in order; a bad row is an error in its place, and the batch goes on."""
    from memguard import audit, wire
    from memguard.eliminator import Elimination
    from memguard.guard import MemGuard

    guard = MemGuard(settings)
    code = DONE
    lines = _lines(arguments.batch)
    if not lines:
        print(f"warning: {arguments.batch} holds no row", file=sys.stderr)
    with Bars() as progress:
        for done, (number, line) in enumerate(lines):
            row: Any = None
            try:
                row = _batch_row(line)
                trace = guard.check(row.get("summary"), row.get("messages"))
                head = audit.head(audit.records(trace))
                print_json(wire.result(trace, audit_head=head, id=_row_id(row, number)))
                if arguments.fail_on_drop and trace[Elimination].dropped and code == DONE:
                    code = DROPPED
            except ModelError:
                raise
            except MemGuardError as error:
                place = f"{arguments.batch}, line {number}: {error}"
                print_json(wire.failure(place, id=_row_id(row, number)))
                code = BAD_INPUT
            progress("check", done + 1, len(lines), "rows checked")
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
