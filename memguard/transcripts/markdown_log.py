"""The Markdown that ``memguard convert`` writes, read back as the messages it was written from.

::

    # Title

    ## Ana (user, 2026-03-01T10:00:00+00:00)

    What she wrote.

A line of a text that looks like such a heading has a backslash before it, which Markdown does not
show. The chat logs that other tools write are read by ``markdown.py``.
"""

from __future__ import annotations

import re
from datetime import datetime

from memguard.transcripts.document import Document, Reading
from memguard.transcripts.messages_json import rule_of, to_conversation

_HEADING = re.compile(
    r"(?P<escapes>\\*)## (?P<speaker>\S|\S[^\n]*\S) \((?P<role>[^(),\n]{1,60})"
    r"(?:, (?P<time>\d{4}-\d\d-\d\dT[0-9:.+-]{5,32}))?\)"
)
_LINE_BREAK = re.compile("\r\n|\n|\r")


class MarkdownLog:
    """A heading ``## Speaker (role, time)`` before each message."""

    name = "memguard_markdown"

    def recognises(self, document: Document) -> float:
        """Return 0.9 where the first line that is not blank, but for a title, is such a heading."""
        if not document.text.lstrip().startswith("#"):
            return 0.0
        visible = [line for line in _LINE_BREAK.split(document.text[:20_000]) if line.strip()]
        first = visible[1:2] if visible and visible[0].startswith("# ") else visible[:1]
        return 0.9 if first and _begins(first[0]) else 0.0

    def read(self, document: Document) -> Reading:
        """Read the messages; what stands before the first heading is the title."""
        lines = _LINE_BREAK.split(document.text)
        starts = [i for i, line in enumerate(lines) if _begins(line)]
        before = [line for line in lines[: starts[0] if starts else len(lines)] if line.strip()]
        rows, origins = [], []
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=False):
            match = _HEADING.fullmatch(lines[start])
            if match is None:
                continue
            body = [_unescaped(line) for line in lines[start + 1 : end]]
            speaker = None if match["speaker"] == role_name(match["role"]) else match["speaker"]
            rows.append(
                {
                    "role": match["role"],
                    "speaker": speaker,
                    "timestamp": match["time"],
                    "content": "\n".join(body).strip("\n"),
                }
            )
            origins.append(f"line {start + 1}")
        title = before[0].removeprefix("# ") if before else None
        conversation = to_conversation(rows, source=document.source, title=title, origins=origins)
        return Reading(conversation, self.name, rule=rule_of(conversation))


def heading(speaker: str, role: str, time: datetime | None) -> str:
    """Return the line that begins a message."""
    return f"## {speaker} ({role}, {time.isoformat()})" if time is not None else f"## {speaker} ({role})"


def escaped(text: str) -> str:
    """Return text in which no line begins a message."""
    return "\n".join(f"\\{line}" if _HEADING.fullmatch(line) else line for line in text.split("\n"))


def role_name(role: str) -> str:
    """Return what a message without a speaker is headed with."""
    return role[:1].upper() + role[1:]


def _unescaped(line: str) -> str:
    return line[1:] if line.startswith("\\") and _HEADING.fullmatch(line) else line


def _begins(line: str) -> bool:
    match = _HEADING.fullmatch(line)
    return match is not None and not match["escapes"]
