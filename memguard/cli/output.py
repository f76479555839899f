"""What a command gives: results on stdout, everything else on stderr."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memguard.cli.codes import BAD_INPUT, DONE, DROPPED
from memguard.errors import MemGuardError

if TYPE_CHECKING:
    from memguard.trace import Trace

_OMITTED = {"budget": "the payload's budget is full", "repeated": "other lines say the same"}
_BYTES_FROM = 1_000_000
"""A total this large counts bytes."""


class Bars:
    """Progress bars on stderr, one for each (stage, label)."""

    def __enter__(self) -> Bars:
        self._bar: Any = None
        self._key: tuple[str, str] | None = None
        return self

    def __exit__(self, *_error: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def __call__(self, stage: str, done: int, total: int, label: str) -> None:
        """Show that ``done`` of ``total`` are done."""
        from tqdm import tqdm

        if self._key != (stage, label):
            if self._bar is not None:
                self._bar.close()
            self._key = (stage, label)
            scale = total > _BYTES_FROM
            self._bar = tqdm(
                total=total,
                desc=f"{stage}: {label}",
                file=sys.stderr,
                unit="B" if scale else "",
                unit_scale=scale,
            )
        self._bar.total = total
        self._bar.update(done - self._bar.n)


def report(trace: Trace, arguments: argparse.Namespace) -> int:
    """Print and write a finished run as the flags ask, and return the exit code."""
    from memguard import audit, wire
    from memguard.eliminator import Elimination
    from memguard.payload import Form, payload_in

    chain = audit.records(trace)
    if arguments.audit:
        audit.write(arguments.audit, chain)
    if arguments.report:
        from memguard import reports

        write = reports.FORMS[Path(arguments.report).suffix.lower()]
        title = _title(arguments)
        _write(arguments.report, write(reports.report_of(chain, title=title)))
    payload = payload_in(trace, Form(arguments.payload_format))
    if arguments.out:
        _write(arguments.out, f"{payload}\n")
    if arguments.json:
        print_json(wire.result(trace, audit_head=audit.head(chain)), indent=2)
    elif getattr(arguments, "format", "text") == "text":
        _print_summary(trace, audit.head(chain))
        if not arguments.out:
            print(payload)
    return DROPPED if arguments.fail_on_drop and trace[Elimination].dropped else DONE


def print_json(value: Any, indent: int | None = None) -> None:
    """Print a value as JSON; nothing else goes to stdout with it."""
    print(json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False), flush=True)


def fail(message: str, code: int = BAD_INPUT) -> int:
    """Say on stderr what went wrong and return the exit code."""
    print(f"memguard: {message}", file=sys.stderr)
    return code


def _title(arguments: argparse.Namespace) -> str:
    """Return what a report is called: the transcript's file name."""
    name = str(getattr(arguments, "file", None) or getattr(arguments, "transcript", None) or "-")
    return "Standard input" if name == "-" else Path(name).name


def _write(name: str, text: str) -> None:
    from memguard.files import replace_text

    try:
        replace_text(Path(name), text)
    except OSError as error:
        raise MemGuardError(f"{name}: cannot be written ({error.strerror})") from error


def _print_summary(trace: Trace, head: str) -> None:
    from memguard import wire
    from memguard.eliminator import Elimination
    from memguard.reconstructor import Reconstruction

    elimination, reconstruction = trace[Elimination], trace[Reconstruction]
    for verdict in elimination.dropped:
        _say(
            f"dropped {verdict.claim.id} ({verdict.label.value}, similarity {verdict.similarity:.2f}): "
            f"{verdict.claim.text}"
        )
    for warning in wire.warnings(trace):
        _say(f"warning: {warning}")
    for quote in reconstruction.verbatim:
        _say(f"rescued {quote.claim.id}, word for word: {quote.claim.text}")
    for omission in reconstruction.omitted:
        _say(f"left out {omission.claim_id}: kept, but {_OMITTED[omission.reason]}")
    rate = elimination.support_rate
    claims = (
        "no checkable claims"
        if rate is None
        else f"{len(elimination.kept)} of {len(elimination.verdicts)} claims kept"
    )
    report = reconstruction.omissions
    n_facts = len(report.kept) + len(report.missing)
    facts = f"{len(report.kept)} of {n_facts} key facts stated; " if n_facts else ""
    print(
        f"{reconstruction.status.value}: {claims}, {len(elimination.dropped)} dropped; {facts}payload "
        f"{reconstruction.tokens} of {reconstruction.budget} tokens; audit head {head}",
        file=sys.stderr,
    )


def _say(text: str) -> None:
    """Say a line that holds words of a transcript: nothing in it moves a terminal's cursor."""
    from memguard.integrations.words import one_line

    print(one_line(text), file=sys.stderr)
