"""``memguard check --batch``: many summaries in one process, one result a line."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from memguard.cli.codes import BAD_INPUT, DONE, DROPPED
from memguard.cli.forms import TEXT
from memguard.cli.inputs import read_plain, refuse_nothing
from memguard.cli.memory_output import counted
from memguard.cli.output import Bars, fail, print_json
from memguard.cli.telling import say
from memguard.errors import MemGuardError, ModelError, TranscriptError

if TYPE_CHECKING:
    from memguard import wire
    from memguard.guard import MemGuard
    from memguard.settings import Settings

_FAULTS_SHOWN = 5


def check_batch(arguments: argparse.Namespace, settings: Settings) -> int:
    """Check every row in order; a bad row is an error in its place, and the batch goes on.

    Raises:
        TranscriptError: There is no row, and ``--fail-on-drop`` asks for a check.
    """
    from memguard.cli.check_formats import Checked, emit
    from memguard.guard import MemGuard
    from memguard.integrations.words import is_dropped

    lines = _lines(arguments.batch)
    if not lines and arguments.fail_on_drop:
        raise TranscriptError(
            "holds no row, so nothing was checked, and --fail-on-drop does not let that pass; without it "
            "this is no error",
            source=arguments.batch,
        )
    if not lines:
        print(f"warning: {arguments.batch} holds no row", file=sys.stderr)
    guard = MemGuard(settings)
    rows: list[Checked] = []
    faults: list[str] = []
    n_dropped = 0
    with Bars(quiet=arguments.quiet) as progress:
        for done, (number, line) in enumerate(lines):
            started, clock = datetime.now(UTC), time.perf_counter()
            result = _result(guard, arguments, number, line)
            if result["status"] == "error":
                faults.append(result["warnings"][0])
            n_dropped += any(map(is_dropped, result["claims"]))
            if arguments.format == TEXT:
                print_json(result)
            if arguments.format != TEXT or arguments.junit:
                duration_s = time.perf_counter() - clock
                rows.append(Checked(result, arguments.batch, number, None, started, duration_s))
            progress("check", done + 1, len(lines), "rows checked")
    emit(rows, arguments)
    _tell(len(lines), n_dropped, faults, arguments)
    if faults:
        return BAD_INPUT
    return DROPPED if arguments.fail_on_drop and n_dropped else DONE


def _result(guard: MemGuard, arguments: argparse.Namespace, number: int, line: str) -> wire.Result:
    """Return what a row gives, in the wire form; a model that is missing ends the batch."""
    from memguard import audit, wire
    from memguard.outgoing import shown_alone, shown_text

    row: Any = None
    try:
        row = _batch_row(line)
        if arguments.fail_on_drop and isinstance(row.get("messages"), list):
            refuse_nothing(row.get("summary"), row["messages"], source="")
        trace = guard.check(row.get("summary"), row.get("messages"))
        head = audit.head(audit.records(trace))
        return wire.result(trace, audit_head=head, id=shown_text(_row_id(row, number), trace))
    except ModelError:
        raise
    except MemGuardError as error:
        message = shown_alone(f"{arguments.batch}, line {number}: {error}", guard.settings)
        return wire.failure(message, id=shown_alone(_row_id(row, number), guard.settings))


def _tell(n_rows: int, n_dropped: int, faults: Sequence[str], arguments: argparse.Namespace) -> None:
    """Say how the batch went, and of rows that could not be checked which and why."""
    if not arguments.quiet and n_rows:
        fine = n_rows - n_dropped - len(faults)
        say(
            f"{counted(n_rows, 'row')}: {fine} without a dropped claim, {n_dropped} with one or more, "
            f"{len(faults)} not checked"
        )
    if not faults:
        return
    fail(f"{len(faults)} of {counted(n_rows, 'row')} could not be checked; the others were, and are printed:")
    for fault in faults[:_FAULTS_SHOWN]:
        say(f"  {fault}")
    if len(faults) > _FAULTS_SHOWN:
        say(f"  and {len(faults) - _FAULTS_SHOWN} more; each stands in its place of the output")


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
