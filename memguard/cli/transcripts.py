"""``memguard inspect`` and ``memguard convert``: what a file holds, and the same in another form."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memguard.cli.codes import DONE
from memguard.cli.inputs import piped, refuse_unwritable, warn_of_table
from memguard.cli.output import print_json, write_out
from memguard.cli.setting_flags import settings_file
from memguard.errors import InvalidParameterError

if TYPE_CHECKING:
    from memguard.settings import LimitSettings
    from memguard.transcripts import ConversationHead, Listing, Opened, Reading

_ROWS_SHOWN = 200
_PACKED = "of each file of the archive"
_FORMS = ("openai", "jsonl", "markdown")
"""The names of ``memguard.transcripts.writers.FORMS``, which is imported when something is written."""


def add_conversation(parser: argparse._ActionsContainer) -> None:
    """Add the flag that chooses one conversation of a file with several."""
    parser.add_argument(
        "--conversation",
        metavar="C",
        help="which conversation, where the file holds several: an id, a position from 1, or a title",
    )


def add_columns(parser: argparse._ActionsContainer) -> None:
    """Add the flag that says which columns of a table hold what."""
    parser.add_argument(
        "--columns",
        metavar="KIND=NAME,…",
        type=_columns,
        help="of a table, which columns hold what: text=Nachricht,speaker=Autor,time=Datum",
    )


def _columns(text: str) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in text.split(",")]
    if not all(kind.strip() and name.strip() for kind, _, name in pairs):
        raise argparse.ArgumentTypeError(f"expected KIND=NAME, with commas between; got {text!r}")
    chosen = {kind.strip(): name.strip() for kind, _, name in pairs}
    from memguard.transcripts.table_columns import checked_columns

    try:
        checked_columns(chosen)
    except InvalidParameterError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return chosen


def add_inspect(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``memguard inspect``."""
    parser.add_argument("file", metavar="FILE", help="a transcript or an export; - for standard input")
    add_conversation(parser)
    add_columns(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--settings", metavar="FILE", help="a TOML file of settings, for its limits")


def add_convert(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``memguard convert``."""
    parser.add_argument("file", metavar="FILE", help="a transcript or an export; - for standard input")
    parser.add_argument("--to", choices=_FORMS, required=True, help="the form to write")
    parser.add_argument("--out", metavar="FILE", help="write here; default: standard output")
    add_conversation(parser)
    add_columns(parser)
    parser.add_argument("--settings", metavar="FILE", help="a TOML file of settings, for its limits")


def inspect(arguments: argparse.Namespace) -> int:
    """Show what a transcript or an export holds: format, conversations, speakers, time, warnings."""
    from memguard.transcripts import Reading

    limits = _limits(arguments)
    found = _look(arguments.file, arguments.conversation, limits, arguments.columns)
    if arguments.json:
        shown = _reading_as_json(found) if isinstance(found, Reading) else _listing_as_json(found)
        print_json(shown, indent=2)
    else:
        print("\n".join(_lines_of_reading(found) if isinstance(found, Reading) else _lines_of_listing(found)))
    return DONE


def convert(arguments: argparse.Namespace) -> int:
    """Write a transcript as OpenAI messages, JSONL or Markdown."""
    from memguard.transcripts import read_bytes, read_file
    from memguard.transcripts.writers import written

    chosen = {"conversation": arguments.conversation, "columns": arguments.columns}

    name, out = arguments.file, arguments.out
    if out and name != "-" and os.path.realpath(out) == os.path.realpath(name):
        arguments.parser.error(f"--out {out} would overwrite {name}")
    if out:
        refuse_unwritable(out)
    limits = _limits(arguments)
    if (given := piped(name)) is not None:
        reading = read_bytes(given.data, source=given.source, limits=limits, **chosen)
    else:
        reading = read_file(name, limits=limits, **chosen)
    warn_of_table(name, given, reading.format, limits, arguments.columns)
    result = written(reading.conversation, arguments.to)
    for warning in (*reading.conversation.warnings, *result.warnings):
        print(f"warning: {warning}", file=sys.stderr)
    if not out:
        sys.stdout.write(result.text)
        return DONE
    write_out(out, result.text)
    return DONE


def _limits(arguments: argparse.Namespace) -> LimitSettings:
    return settings_file(arguments.settings).limits


def _look(
    name: str, conversation: str | None, limits: LimitSettings, columns: dict[str, str] | None
) -> Listing | Reading:
    """Return the list of a file with several conversations, or the one that is read."""
    from memguard.transcripts import open_bytes, open_path

    if (given := piped(name)) is not None:
        opened = open_bytes(given.data, source=given.source, limits=limits, columns=columns)
        found = _look_into(opened, conversation)
    else:
        with open_path(name, limits=limits, columns=columns) as opened:
            found = _look_into(opened, conversation)
    warn_of_table(name, given, found.format, limits, columns)
    return found


def _look_into(opened: Opened, conversation: str | None) -> Listing | Reading:
    from memguard.transcripts import Listing

    if conversation is None:
        heads = opened.heads()
        if len(heads) > 1:
            return Listing(opened.format, heads, opened.encoding)
    return opened.read(conversation)


def _listing_as_json(listing: Listing) -> dict[str, Any]:
    return {
        "format": listing.format,
        "encoding": listing.encoding,
        "n_conversations": len(listing.conversations),
        "conversations": [_head_as_json(head) for head in listing.conversations],
    }


def _reading_as_json(reading: Reading) -> dict[str, Any]:
    conversation = reading.conversation
    times = [m.timestamp for m in conversation if m.timestamp is not None]
    return {
        "format": reading.format,
        "encoding": reading.encoding,
        "n_conversations": reading.n_conversations,
        "title": conversation.title,
        "n_messages": len(conversation),
        "speakers": dict(Counter(m.speaker_name for m in conversation)),
        "first": min(times).isoformat() if times else None,
        "last": max(times).isoformat() if times else None,
        "rule": reading.rule,
        "abandoned_messages": reading.abandoned_messages,
        "duplicates_dropped": reading.duplicates_dropped,
        "skipped_lines": reading.skipped_lines,
        "warnings": list(conversation.warnings),
    }


def _head_as_json(head: ConversationHead) -> dict[str, Any]:
    return {
        "id": head.id,
        "title": head.title,
        "n_messages": head.n_messages,
        "first": head.first.isoformat() if head.first else None,
        "last": head.last.isoformat() if head.last else None,
    }


def _lines_of_listing(listing: Listing) -> list[str]:
    heads = listing.conversations
    lines = [
        f"format         {listing.format}",
        f"encoding       {listing.encoding or _PACKED}",
        f"conversations  {len(heads)}; choose one with --conversation",
    ]
    for position, head in enumerate(heads[:_ROWS_SHOWN], start=1):
        count = "" if head.n_messages is None else _counted(head.n_messages, "message")
        days = _days(head.first, head.last)
        told = "  ".join(part for part in (head.title or head.id, count, days) if part)
        lines.append(f"{position:>6}  {told}  [{head.id}]")
    if len(heads) > _ROWS_SHOWN:
        lines.append(f"        and {len(heads) - _ROWS_SHOWN} more; --json lists all")
    return lines


def _lines_of_reading(reading: Reading) -> list[str]:
    found = _reading_as_json(reading)
    speakers = ", ".join(f"{name} ({n})" for name, n in found["speakers"].items())
    rows = [
        ("format", reading.format),
        ("encoding", reading.encoding or _PACKED),
        ("conversations", str(reading.n_conversations)),
        ("title", found["title"] or ""),
        ("messages", str(found["n_messages"])),
        ("speakers", speakers or "none"),
        ("time", f"{found['first']} to {found['last']}" if found["first"] else "no message has a time"),
        ("rule", reading.rule),
        (
            "abandoned",
            f"{_counted(n, 'message')} of other branches" if (n := reading.abandoned_messages) else "",
        ),
        ("duplicates", f"{n} dropped" if (n := reading.duplicates_dropped) else ""),
        ("skipped", _counted(n, "line") if (n := reading.skipped_lines) else ""),
        ("warnings", str(len(found["warnings"]))),
    ]
    lines = [f"{name:<15}{text}" for name, text in rows if text]
    return [*lines, *(f"  {warning}" for warning in found["warnings"])]


def _counted(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _days(first: datetime | None, last: datetime | None) -> str:
    days = [f"{time:%Y-%m-%d}" for time in (first, last) if time is not None]
    return " to ".join(dict.fromkeys(days))
