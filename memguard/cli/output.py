"""What a command gives: results on stdout, everything else on stderr."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memguard.cli.codes import BAD_INPUT, DONE, DROPPED
from memguard.cli.forms import TEXT
from memguard.cli.streams import is_unicode
from memguard.cli.telling import tell
from memguard.errors import MemGuardError

if TYPE_CHECKING:
    from memguard.audit import AuditRecord
    from memguard.trace import Trace

_BYTES_FROM = 1_000_000
"""A total this large counts bytes."""


class Bars:
    """Progress on stderr: a bar for each (stage, label) on a terminal, in a file or log a line.

    Args:
        quiet: Whether nothing is shown.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._bar: Any = None
        self._key: tuple[str, str] | None = None
        self._quiet = quiet

    def __enter__(self) -> Bars:
        return self

    def __exit__(self, *_error: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def __call__(self, stage: str, done: int, total: int, label: str) -> None:
        """Show that ``done`` of ``total`` are done."""
        if self._quiet:
            return
        is_new, self._key = self._key != (stage, label), (stage, label)
        if not sys.stderr.isatty():
            if is_new:
                print(f"{stage}: {label}", file=sys.stderr)
            return
        if is_new:
            if self._bar is not None:
                self._bar.close()
            self._bar = _bar(f"{stage}: {label}", total)
        self._bar.total = total
        self._bar.update(done - self._bar.n)


def report(trace: Trace, arguments: argparse.Namespace) -> int:
    """Print and write a finished run as the flags ask, and return the exit code.

    What cannot be written ends with 1, but only after all else: the work of minutes is not lost for it, and
    a payload without its file is printed.
    """
    from memguard import audit, wire
    from memguard.eliminator import Elimination
    from memguard.outgoing import shown_text, view
    from memguard.payload import Form, payload_in

    title = shown_text(_title(arguments), trace)
    trace = view(trace)
    chain = audit.records(trace)
    payload = payload_in(trace, Form(arguments.payload_format))
    faults = _write_files(arguments, chain, payload, title)
    if arguments.json:
        print_json(wire.result(trace, audit_head=audit.head(chain)), indent=2)
    elif getattr(arguments, "format", TEXT) == TEXT:
        if not arguments.quiet:
            tell(trace, audit.head(chain))
        if not arguments.out or "out" in faults:
            print(payload)
    for fault in faults.values():
        fail(fault)
    if faults:
        return BAD_INPUT
    return DROPPED if arguments.fail_on_drop and trace[Elimination].dropped else DONE


def _write_files(
    arguments: argparse.Namespace, chain: Sequence[AuditRecord], payload: str, title: str
) -> dict[str, str]:
    """Write what the flags name, and return by flag what could not be written."""
    from memguard import audit

    def report_file(name: str) -> None:
        from memguard import reports

        write = reports.FORMS[Path(name).suffix.lower()]
        write_out(name, write(reports.report_of(chain, title=title)))

    writers: dict[str, Callable[[str], None]] = {
        "audit": lambda name: audit.write(name, chain),
        "report": report_file,
        "out": lambda name: write_out(name, f"{payload}\n"),
    }
    faults: dict[str, str] = {}
    for flag, write in writers.items():
        name = getattr(arguments, flag)
        if not name:
            continue
        try:
            write(name)
        except MemGuardError as error:
            faults[flag] = str(error)
    return faults


def print_json(value: Any, indent: int | None = None) -> None:
    """Print a value as JSON; nothing else goes to stdout with it."""
    escaped = not is_unicode(sys.stdout)
    print(json.dumps(value, ensure_ascii=escaped, indent=indent, allow_nan=False), flush=True)


def fail(message: str, code: int = BAD_INPUT) -> int:
    """Say on stderr what went wrong and return the exit code."""
    print(f"memguard: {message}", file=sys.stderr)
    return code


def _bar(text: str, total: int) -> Any:
    from tqdm import tqdm

    scale = total > _BYTES_FROM
    return tqdm(
        total=total,
        desc=text,
        file=sys.stderr,
        unit="B" if scale else "",
        unit_scale=scale,
        leave=False,
        ascii=not is_unicode(sys.stderr),
        dynamic_ncols=True,
    )


def _title(arguments: argparse.Namespace) -> str:
    """Return what a report is called: the transcript's file name."""
    name = str(getattr(arguments, "file", None) or getattr(arguments, "transcript", None) or "-")
    return "Standard input" if name == "-" else Path(name).name


def write_out(name: str, text: str) -> None:
    """Write a file whole or not at all.

    Raises:
        MemGuardError: It cannot be written.
    """
    from memguard.files import replace_text

    try:
        replace_text(Path(name), text)
    except OSError as error:
        raise MemGuardError(
            f"{name}: cannot be written ({error.strerror}); what stood there is untouched"
        ) from error
