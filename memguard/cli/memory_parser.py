"""The parser of ``memguard memory …``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from datetime import datetime

from memguard.cli import lifecycle, maintenance, transcripts
from memguard.cli import memory as do
from memguard.cli.memory_inputs import add_store

TYPES = ("short_term", "working", "long_term", "episodic", "semantic", "procedural")
STATES = ("active", "superseded", "archived", "deleted")
ORDERS = ("newest", "oldest", "importance", "updated")
"""These three are ``MemoryType``, ``Status`` and ``Order``; a test holds them together."""

_Action = Callable[[argparse.Namespace], int]


def add_memory(parser: argparse.ArgumentParser) -> None:
    """Add the commands of ``memory``."""
    commands = parser.add_subparsers(required=True, metavar="ACTION")

    def command(name: str, action: _Action, *, store: bool = True) -> argparse.ArgumentParser:
        text = (action.__doc__ or "").strip().splitlines()[0]
        added = commands.add_parser(name, help=text, description=text)
        added.set_defaults(command=action, parser=added)
        added.add_argument("--json", action="store_true", help="print one JSON object")
        if store:
            add_store(added)
        return added

    _capture(command("capture", do.capture))
    finder = command("search", do.search)
    finder.add_argument("query", metavar="QUERY", help="what to look for; - for standard input")
    finder.add_argument("-k", type=_positive, default=10, metavar="N", help="at most N; default: 10")
    _add_give(finder)
    _add_filter(finder)
    _list(command("list", do.list_entries))
    shown = _with_id(command("get", do.get))
    shown.add_argument("--history", action="store_true", help="with its earlier versions")
    _with_id(command("delete", do.delete)).add_argument(
        "--purge", action="store_true", help="erase it and its history for good"
    )
    _with_id(command("restore", do.restore))
    _with_id(command("compress", do.compress))
    _summarize(command("summarize", do.summarize))
    maintenance.add_maintain(command("maintain", maintenance.maintain), _count)
    writer = command("export", do.export)
    writer.add_argument("file", metavar="FILE", help="where to write; - for standard output")
    _add_filter(writer)
    reader = command("import", do.import_entries)
    reader.add_argument("file", metavar="FILE", help="what export wrote; - for standard input")
    reader.add_argument(
        "--skip-existing", action="store_true", help="leave entries whose id is taken as they are"
    )
    reader.add_argument(
        "--on-unfiltered",
        choices=("reject", "flag"),
        default="reject",
        help="what to do where a secret or personal data is found in it; default: reject",
    )
    checker = command("verify", do.verify)
    checker.add_argument("--head", metavar="HASH", help="a head that was kept elsewhere")
    command("stats", do.stats)
    lifecycle.add_lifecycle(command("lifecycle", lifecycle.lifecycle, store=False))


def _capture(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", nargs="?", metavar="TEXT", help="what to remember; - for standard input")
    parser.add_argument(
        "--turns", metavar="FILE", help="in place of TEXT: a transcript, whose turns are joined"
    )
    transcripts.add_conversation(parser)
    transcripts.add_columns(parser)
    parser.add_argument("--type", choices=TYPES, help="its kind; default: long_term")
    parser.add_argument("--importance", type=float, metavar="0..1", help="default: 0.5")
    parser.add_argument("--tag", action="append", metavar="TAG", help="may be repeated")
    parser.add_argument("--at", type=_moment, metavar="TIME", help="when it was said; default: now")
    parser.add_argument("--expires", type=_moment, metavar="TIME", help="when it is no longer given out")


def _list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--limit", type=_count, default=50, metavar="N", help="at most N; default: 50")
    parser.add_argument("--offset", type=_count, default=0, metavar="N", help="pass over N first")
    parser.add_argument("--order", choices=ORDERS, default="newest", help="default: newest")
    _add_filter(parser)


def _summarize(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--max-tokens", type=_count, default=2048, metavar="N", help="budget; default: 2048")
    parser.add_argument(
        "--strategy",
        choices=("relevance", "recency", "importance"),
        default="relevance",
        help="what comes first; default: relevance",
    )
    parser.add_argument("--query", metavar="TEXT", help="to what entries should be relevant")
    parser.add_argument(
        "--counter", choices=("words", "summarizer", "cl100k"), default="words", help="default: words"
    )
    _add_give(parser)
    _add_filter(parser)


def _add_give(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--give",
        action="store_true",
        help="it goes to a model: remember that, so that it is never captured as new",
    )


def _add_filter(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("which entries")
    group.add_argument("--type", action="append", choices=TYPES, help="of this kind; may be repeated")
    group.add_argument("--tag", action="append", metavar="TAG", help="with this tag; may be repeated")
    group.add_argument(
        "--status", action="append", choices=(*STATES, "any"), help="in this state; may be repeated"
    )
    group.add_argument("--min-importance", type=float, metavar="0..1", help="at least so important")
    group.add_argument("--since", type=_moment, metavar="TIME", help="made at or after this moment")
    group.add_argument("--until", type=_moment, metavar="TIME", help="made before this moment")
    group.add_argument("--text", metavar="TEXT", help="whose text contains this, in any case")


def _with_id(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser.add_argument("id", metavar="ID", help="of the entry")
    return parser


def _moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            f"must be ISO 8601, such as 2026-11-30 or 2026-11-30T09:00:00+01:00; got {text[:40]!r}"
        ) from error


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"must be a whole number of 0 or more; got {text[:40]!r}")
    return int(text)


def _positive(text: str) -> int:
    if _count(text) < 1:
        raise argparse.ArgumentTypeError("must be 1 or more; got 0")
    return int(text)
