"""One function a command: takes the parsed arguments, returns the exit code.

The docstrings are the help texts. What is heavy is imported when a command needs it.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from memguard.cli.batch import check_batch
from memguard.cli.codes import DONE
from memguard.cli.inputs import read_plain, read_transcript, refuse_nothing, settings_of
from memguard.cli.output import Bars, fail, print_json, report

if TYPE_CHECKING:
    from memguard.trace import Progress

_CHECKOUT = Path(__file__).resolve().parents[2]


def run(arguments: argparse.Namespace) -> int:
    """Take a transcript through compression, elimination and reconstruction."""
    settings = settings_of(arguments)
    conversation = read_transcript(arguments.file, settings, arguments.conversation, arguments.columns)
    from memguard.guard import MemGuard

    with Bars(quiet=arguments.quiet) as progress:
        trace = MemGuard(settings).run(conversation, progress=progress)
    return report(trace, arguments)


def check(arguments: argparse.Namespace) -> int:
    """Check a summary from anywhere against a transcript, or many of them."""
    from memguard.cli import check_formats

    settings = settings_of(arguments)
    check_formats.refuse_unfit(arguments)
    if arguments.batch:
        return check_batch(arguments, settings)
    conversation = read_transcript(arguments.transcript, settings, arguments.conversation, arguments.columns)
    summary = read_plain(arguments.summary)
    if arguments.fail_on_drop:
        refuse_nothing(summary, conversation, source=arguments.summary)
    from memguard.guard import MemGuard

    with Bars(quiet=arguments.quiet) as progress:
        trace = MemGuard(settings).check(summary, conversation, progress=progress)
    code = report(trace, arguments)
    check_formats.emit([check_formats.checked(trace, arguments.summary, summary)], arguments)
    return code


def verify(arguments: argparse.Namespace) -> int:
    """Check an audit file."""
    from memguard.audit import verify as verify_audit

    found = verify_audit(arguments.file, expected_head=arguments.head)
    if not found.intact:
        return fail(f"{arguments.file}: {found.message}")
    print(f"{arguments.file}: {found.message}\nhead {found.head}")
    return DONE


def setup(arguments: argparse.Namespace) -> int:
    """Fetch the models; the only command that uses a network."""
    from memguard.models.fetch import setup as fetch_models

    if arguments.entailment:
        from memguard.grounding.verifiers import fetch_entailment

        fetch_entailment(arguments.entailment)
        print(f"{arguments.entailment}: fetched; use it with --entailment {arguments.entailment}")
        return DONE
    with Bars() as progress:
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
    from memguard.models.fetch import manifest_rows, model_home, summarizer_told
    from memguard.models.manifest import Manifest

    rows = manifest_rows()
    if arguments.json:
        print_json(rows, indent=2)
        return DONE
    print(f"model folder: {model_home()}")
    for row in rows:
        columns = (row["role"], 12), (row["model"], 24), (row["source"], 10), (row["licence"], 12)
        start = "".join(f"{text:<{width}}" for text, width in columns)
        print(f"{start}{row['sha256'][:12]}  {row['state']}")
    if rows:
        print(summarizer_told(Manifest.read(model_home())))
    else:
        print("no models are installed; install them with: memguard setup")
    return DONE


def demo(arguments: argparse.Namespace) -> int:
    """Open the app on localhost."""
    app = _CHECKOUT / "app.py"
    if not app.exists():
        return fail(f"{app} is not there: the app runs from a checkout of the project")
    command = [sys.executable, "-m", "streamlit", "run", str(app), "--server.address", "localhost"]
    command += ["--server.port", str(arguments.port)] if arguments.port else []
    command += ["--server.headless", "true"] if arguments.headless else []
    process = subprocess.Popen(command, cwd=app.parent)
    # Whoever ends this command ends the app as well: it would go on alone and keep the port.
    before = signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    try:
        return process.wait()
    except KeyboardInterrupt:
        process.wait()
        return DONE
    finally:
        signal.signal(signal.SIGTERM, before)


def _compile_map(progress: Progress) -> None:
    """Let the map's worker compile once and keep the result, so that the app's first map is quick."""
    from memguard.geometry.projection import MapWorker

    worker = MapWorker()
    try:
        progress("setup", 0, 1, "compiling the map")
        worker.start()
        if worker.wait_ready():
            progress("setup", 1, 1, "compiling the map")
        else:
            print(f"warning: the map's worker did not start: {worker.error or 'no answer'}", file=sys.stderr)
    finally:
        worker.close()
