"""What a command is given: settings from file and flags, transcripts, plain texts."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sized
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from memguard.cli.setting_flags import settings_file, with_flags
from memguard.errors import MemGuardError, TranscriptError
from memguard.text import is_blank

if TYPE_CHECKING:
    from memguard.messages import Conversation
    from memguard.settings import LimitSettings, Settings

_REPORTS = (".html", ".md", ".csv")
"""The endings of ``memguard.reports.FORMS``, which is imported when a report is written."""

_MAYBE_TABLES = frozenset({"table", "plain_text"})
"""The formats under which a table is read whose header says too little."""


def settings_of(arguments: argparse.Namespace) -> Settings:
    """Return the settings of a run: the defaults, then ``--settings``, then the flags.

    Ends the process with 2 where flags do not fit or would lose data.

    Raises:
        SettingsError: The settings file is not valid.
        MemGuardError: An output could not be written.
    """
    settings = with_flags(settings_file(arguments.settings), arguments)
    _check_output(arguments)
    if hasattr(arguments, "batch"):
        single = bool(arguments.transcript and arguments.summary)
        if single == bool(arguments.batch) or (
            arguments.batch and (arguments.transcript or arguments.summary)
        ):
            arguments.parser.error("give --transcript and --summary, or --batch alone")
        if arguments.batch and (arguments.out or arguments.audit or arguments.report):
            arguments.parser.error("--out, --audit and --report go with --transcript and --summary")
        if arguments.batch and (arguments.conversation or arguments.columns):
            arguments.parser.error("--conversation and --columns go with --transcript")
        if arguments.transcript == arguments.summary == "-":
            arguments.parser.error("only one of --transcript and --summary can be standard input")
    return settings


def read_transcript(
    name: str,
    settings: Settings,
    conversation: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> Conversation:
    """Read a transcript from a file, or from standard input for ``-``.

    Args:
        name: The file.
        settings: Its limits count.
        conversation: Which one, where the file holds several.
        columns: Of a table, which columns hold what.
    """
    from memguard.transcripts import read_bytes, read_file

    chosen: dict[str, Any] = {"conversation": conversation, "columns": columns, "limits": settings.limits}
    given = piped(name)
    if given is not None:
        reading = read_bytes(given.data, source=given.source, **chosen)
    else:
        reading = read_file(name, **chosen)
    warn_of_table(name, given, reading.format, settings.limits, columns)
    return reading.conversation


def warn_of_table(
    name: str,
    given: Piped | None,
    read_as: str,
    limits: LimitSettings,
    columns: Mapping[str, str] | None,
) -> None:
    """Warn on stderr where what was read looks like a table whose columns nobody has named.

    Args:
        name: The file.
        given: What came through a pipe in its place.
        read_as: The format that was read.
        limits: What input is accepted.
        columns: The columns as they were named; with any there is nothing to warn of.
    """
    from memguard.transcripts import preview_table

    if columns or read_as not in _MAYBE_TABLES:
        return
    preview = preview_table(given.data if given else Path(name).read_bytes(), limits=limits)
    if preview is not None and preview.doubt:
        source = given.source if given else name
        header = ", ".join(" ".join(cell.split()) for cell in preview.header)
        print(
            f"warning: {source}: this looks like a table with the columns {header}, and {preview.doubt}; "
            "name its columns with --columns text=…,speaker=…",
            file=sys.stderr,
        )


def read_plain(name: str) -> str:
    """Read a text that is no transcript; what was assumed of its encoding is told."""
    from memguard.transcripts.encodings import decode

    try:
        data = standard_input() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise TranscriptError(f"cannot be read ({error.strerror})", source=name) from error
    try:
        decoded = decode(data, source=name)
    except TranscriptError as error:  # it goes on with the formats of transcripts, and this is none
        raise TranscriptError(f"{str(error).partition('; expected ')[0]}; expected text") from error
    for warning in decoded.warnings:
        print(f"warning: {name}: {warning}", file=sys.stderr)
    return decoded.text


def refuse_nothing(summary: object, messages: Sized, *, source: str) -> None:
    """Refuse what passes only since there is nothing to check: a build must not be green for it.

    Raises:
        TranscriptError: The summary is blank, or there is no message.
    """
    told = "so nothing was checked, and --fail-on-drop does not let that pass; without it this is no error"
    if isinstance(summary, str) and is_blank(summary):
        raise TranscriptError(f"the summary is empty, {told}", source=source)
    if not len(messages):
        raise TranscriptError(f"the transcript holds no message, {told}", source=source)


def _check_output(arguments: argparse.Namespace) -> None:
    """Refuse, before any work, what would lose data or could not be written."""
    inputs = [getattr(arguments, name, None) for name in ("file", "transcript", "summary", "batch")]
    taken = {os.path.realpath(name): name for name in (*inputs, arguments.settings) if name and name != "-"}
    report = getattr(arguments, "report", None)
    if report and Path(report).suffix.lower() not in _REPORTS:
        arguments.parser.error(f"--report {report} must end in {', '.join(_REPORTS)}")
    for flag in ("out", "audit", "report"):
        name = getattr(arguments, flag, None)
        if not name:
            continue
        place = os.path.realpath(name)
        if place in taken:
            arguments.parser.error(f"--{flag} {name} would overwrite {taken[place]}")
        refuse_unwritable(name)
        taken[place] = f"--{flag}"


def refuse_unwritable(name: str) -> None:
    """Refuse, before any work, a place where no file can be written.

    Raises:
        MemGuardError: It is a folder, or there is no folder for it, or one that nobody may write into.
    """
    place = os.path.realpath(name)
    folder = os.path.dirname(place)
    why = None
    if os.path.isdir(place):
        why = "it is a folder; expected a file"
    elif not os.path.isdir(folder):
        why = f"there is no folder {folder}"
    elif not os.access(place if os.path.exists(place) else folder, os.W_OK):
        why = "there is no right to write there"
    if why:
        raise MemGuardError(f"{name}: cannot be written ({why}); nothing was done yet")


class Piped(NamedTuple):
    """What came through a pipe, and what to call it."""

    data: bytes
    source: str


def piped(name: str) -> Piped | None:
    """Return what stands in standard input for ``-`` or in a named pipe, such as ``<(…)`` of a shell.

    None for a file, which is opened and not read at once. A pipe is read once, so it has to be whole.
    """
    if name == "-":
        return Piped(standard_input(), "standard input")
    return Piped(Path(name).read_bytes(), name) if Path(name).is_fifo() else None


def standard_input() -> bytes:
    """Return all of standard input.

    Raises:
        TranscriptError: There is none.
    """
    if sys.stdin is None:
        raise TranscriptError("standard input is closed")
    if sys.stdin.buffer.isatty():
        print("reading standard input; end it with Ctrl-D on a line of its own", file=sys.stderr)
    return sys.stdin.buffer.read()
