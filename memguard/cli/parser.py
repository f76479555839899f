"""The parser: commands and flags; the flags of a run are generated from the settings."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from memguard import __version__
from memguard.bounds import bounds_of
from memguard.cli import commands as do
from memguard.cli import memory_parser, serve, studies, transcripts
from memguard.settings import Settings, setting_kinds, setting_names

_MEMORY = "Keep long-term memory: capture, find, compress, maintain, move and check entries."
_RUN_SECTIONS = ("compression", "elimination", "reconstruction", "retention")


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
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

    fetch = command("setup", do.setup)
    fetch.add_argument("--source", choices=("auto", "hub", "registry"), default="auto")
    fetch.add_argument(
        "--entailment", metavar="NAME", help="fetch an entailment checkpoint from the hub, and nothing else"
    )
    transcripts.add_inspect(command("inspect", transcripts.inspect))
    transcripts.add_convert(command("convert", transcripts.convert))
    command("models", do.models).add_argument(
        "--json", action="store_true", help="print the manifest as JSON"
    )

    runner = command("run", do.run)
    runner.add_argument("file", metavar="FILE", help="a transcript; - for standard input")
    transcripts.add_conversation(runner)
    _add_output(runner, "--format")
    _add_settings(runner)

    checker = command("check", do.check)
    checker.add_argument("--transcript", metavar="FILE", help="the raw messages")
    transcripts.add_conversation(checker)
    checker.add_argument("--summary", metavar="FILE", help="the text to check; - for standard input")
    checker.add_argument("--batch", metavar="FILE", help='JSONL of {"id", "messages", "summary"}')
    _add_output(checker)
    checker.add_argument(
        "--format",
        choices=("text", "github", "junit"),
        default="text",
        help="print the payload, annotations of a GitHub workflow, or JUnit XML; default: text",
    )
    checker.add_argument("--junit", metavar="FILE", help="write JUnit XML here, whatever is printed")
    _add_settings(checker)

    verifier = command("verify", do.verify)
    verifier.add_argument("file", metavar="AUDIT", help="an audit written by --audit")
    verifier.add_argument("--head", metavar="HASH", help="the head that was printed when it was written")

    app = command("demo", do.demo)
    app.add_argument("--port", type=_port, help="port of the app on localhost")
    app.add_argument("--headless", action="store_true", help="do not open a browser")

    remembered = commands.add_parser("memory", help=_MEMORY, description=_MEMORY)
    memory_parser.add_memory(remembered)
    serve.add_mcp(command("mcp", serve.mcp), _port)
    serve.add_serve(command("serve", serve.serve), _port, _count)

    measure = command("bench", studies.bench)
    measure.add_argument("what", choices=("speed", "grounding", "app", "memory", "retention"))
    measure.add_argument("--json", action="store_true", help="print JSON in place of Markdown")
    measure.add_argument("--quick", action="store_true", help="smaller sizes, to see that it runs")
    measure.add_argument(
        "--strict", action="store_true", help="speed, app, memory: exit with 1 where a target is missed"
    )
    measure.add_argument("--real", action="store_true", help="app: on the installed models, not on fakes")
    measure.add_argument("--sessions", type=_count, metavar="N", help="app: sessions at once; default: 10")
    measure.add_argument(
        "--limit",
        type=_count,
        metavar="ROWS",
        help="grounding: rows of each labelled set; retention: conversations of each handed set",
    )
    measure.add_argument(
        "--out", type=Path, metavar="FILE", help="grounding, retention: write the JSON here as well"
    )
    studies.add_retention(measure)
    _add_data(measure)
    _add_file(measure)
    _add_settings(measure)

    trainer = command("train", studies.train)
    trainer.add_argument("what", choices=("space", "support", "entailment", "summarizer"))
    trainer.add_argument("--out", type=Path, metavar="PATH", help="where to write; default: what ships")
    trainer.add_argument("--seed", type=int, default=0)
    trainer.add_argument(
        "--minutes", type=float, help="entailment, summarizer: time to train; default: one pass"
    )
    trainer.add_argument(
        "--resume", action="store_true", help="entailment, summarizer: go on from the last checkpoint"
    )
    trainer.add_argument("--meetings", action="store_true", help="summarizer: train on QMSum's meetings too")
    trainer.add_argument("--entailment", default="off", help="support: the model whose scores take part")
    _add_data(trainer)
    return parser


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more; got {number}")
    return number


def _port(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"must be from 1 to 65535; got {number}")
    return number


def _add_output(parser: argparse.ArgumentParser, *more_names: str) -> None:
    parser.add_argument("--out", metavar="FILE", help="write the payload here")
    parser.add_argument(
        "--payload-format",
        *more_names,
        dest="payload_format",
        choices=("text", "markdown", "json", "messages"),
        default="text",
        help="form of the payload, printed or written by --out; messages is ready for the next call of a "
        "chat interface; default: text",
    )
    parser.add_argument("--audit", metavar="FILE", help="write the audit here, as JSONL")
    parser.add_argument(
        "--report", metavar="FILE", help="write the audit here to be read: .html (prints well), .md or .csv"
    )
    parser.add_argument("--json", action="store_true", help="print the result in the wire form")
    parser.add_argument("--fail-on-drop", action="store_true", help="exit with 3 when a claim was dropped")
    _add_file(parser)


def _add_file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", metavar="FILE", help="a TOML file of settings")


def _add_data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="the handed data; default: what MEMGUARD_SHARED names, else ../shared",
    )


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
