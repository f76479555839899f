"""Markdown chat logs, as exporters of chat applications write them.

A turn begins at a heading (``## User``, ``### Assistant (gpt-4)``), at a bold label on a line of its
own (``**You:**``, ``_**User**_``), or at one with the text behind it (``**User:** text``). Only the
words for roles and the names of assistants that are known make a label, so that the headings of an
answer are no turns; a name in brackets behind it, such as a model, and a time are taken off. The form
that the first turn has is the form of all: a bold label inside an answer, where turns are headings,
is text. Nothing inside a fenced code block begins a turn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from memguard.errors import TranscriptError
from memguard.text import is_blank
from memguard.transcripts.day_order import NO_ZONE
from memguard.transcripts.document import Document, Reading
from memguard.transcripts.messages_json import rule_of, to_conversation
from memguard.transcripts.plain import is_role_label, role_of

_LINE_BREAK = re.compile("\r\n|\n|\r")
_HEADING = re.compile(r"[ ]{0,3}(?P<marks>#{1,6})[ \t]+(?P<label>[^\n]{1,120}?)[ \t]*#{0,6}[ \t]*\Z")
_BOLD_LINE = re.compile(
    r"[ ]{0,3}(?P<marks>_?(?:\*\*|__))(?P<label>[^*\n]{1,120}?)(?:\*\*|__)_?[ ]?:?[ \t]*\Z"
)
_BOLD_TEXT = re.compile(
    r"[ ]{0,3}(?P<marks>\*\*|__)(?P<label>[^*\n:]{1,60}?)(?::(?:\*\*|__)|(?:\*\*|__)[ ]?:)[ \t]+"
    r"(?P<rest>\S.*)\Z",
    re.DOTALL,
)
_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
_RULE = re.compile(r"[ ]{0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})\Z")
_TITLE = re.compile(r"#[ \t]+(?P<title>[^\n]{1,200}?)[ \t]*#*\Z")
_DRESS = re.compile(r"\A[^\w(]+|[\s:*_]+\Z")
_BEHIND = re.compile(r"\s*[(\[–—·|,-]\s*(?P<behind>.+)\Z")
_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d{1,2}:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d:?\d\d)?")
_SAID = re.compile(r"\s+(?:said|wrote|says|asked|replied)\Z", re.IGNORECASE)
_MORE_LABELS = {"prompt": "user", "response": "assistant"}


@dataclass(frozen=True, slots=True)
class _Turn:
    line: int
    role: str
    speaker: str | None
    when: datetime | None
    zoned: bool
    rest: str
    form: str


class Markdown:
    """A log with headings or bold labels for its turns."""

    name = "markdown"

    def recognises(self, document: Document) -> float:
        """Return 0.5 where two turns begin, or one before any other text than a title."""
        if document.looks_like_json:
            return 0.0
        lines = _LINE_BREAK.split(document.text)
        found = _candidates(lines)
        turns = list(islice(found, 1))
        if any(turn.form == turns[0].form for turn in found):
            return 0.5
        before = [line for line in lines[: turns[0].line] if not is_blank(line)] if turns else []
        return 0.5 if turns and all(map(_TITLE.match, before)) else 0.0

    def read(self, document: Document) -> Reading:
        """Read the turns; text before the first is a message of its own, except a title.

        Raises:
            TranscriptError: No heading or bold label begins a turn.
        """
        lines = _LINE_BREAK.split(document.text)
        turns = _turns(lines)
        if not turns:
            raise TranscriptError(
                "no turn: expected headings such as ## User and ## Assistant, or **User:** before the text",
                source=document.source,
            )
        warnings: list[str] = []
        rows: list[dict[str, Any]] = []
        origins: list[str] = []
        title, lead = _lead(lines[: turns[0].line])
        if lead:
            rows.append({"role": "user", "content": lead})
            origins.append("line 1")
            warnings.append("the lines before the first turn are a message of the user, without a speaker")
        if any(turn.when is not None and not turn.zoned for turn in turns):
            warnings.append(NO_ZONE)
        for turn, end in zip(turns, [*(turn.line for turn in turns[1:]), len(lines)], strict=True):
            body = [turn.rest, *lines[turn.line + 1 : end]] if turn.rest else lines[turn.line + 1 : end]
            rows.append(
                {
                    "role": turn.role,
                    "speaker": turn.speaker,
                    "timestamp": turn.when,
                    "content": _trimmed(body, is_last=end == len(lines)),
                }
            )
            origins.append(f"line {turn.line + 1}")
        built = to_conversation(rows, source=document.source, title=title, origins=origins, warnings=warnings)
        placed = rule_of(built)
        return Reading(built, self.name, rule=f"a turn begins at {turns[0].form}; {placed}")


def _turns(lines: Sequence[str]) -> list[_Turn]:
    """Return the beginnings of turns, all of the form of the first."""
    found = list(_candidates(lines))
    return [turn for turn in found if turn.form == found[0].form] if found else []


def _candidates(lines: Sequence[str]) -> Iterator[_Turn]:
    fence = ""
    for number, line in enumerate(lines):
        match = _FENCE.match(line)
        if match is not None:
            if not fence:
                fence = match[1]
            elif match[1].startswith(fence) and not line.strip("`~ \t"):
                fence = ""
            continue
        if not fence and (turn := _turn(number, line)):
            yield turn


def _turn(number: int, line: str) -> _Turn | None:
    for pattern, form in (
        (_HEADING, "a heading"),
        (_BOLD_LINE, "a bold label"),
        (_BOLD_TEXT, "a bold label"),
    ):
        match = pattern.match(line)
        label = _label(match["label"]) if match else None
        if match is None or label is None:
            continue
        name, when = label
        role, speaker = (
            (_MORE_LABELS[name.casefold()], None) if name.casefold() in _MORE_LABELS else role_of(name)
        )
        depth = f" of level {len(match['marks'])}" if pattern is _HEADING else ""
        rest = match["rest"] if pattern is _BOLD_TEXT else ""
        moment, zoned = _moment(when)
        return _Turn(number, role, speaker, moment, zoned, rest, form + depth)
    return None


def _label(text: str) -> tuple[str, str] | None:
    """Return the label and the time behind it; None where it is no role and no assistant."""
    bare = _DRESS.sub("", _DRESS.sub("", text))
    time = _TIME.search(bare)
    behind = _BEHIND.search(bare)
    for candidate in (bare, bare[: behind.start()] if behind else "", bare[: time.start()] if time else ""):
        name = _SAID.sub("", _DRESS.sub("", candidate.strip()))
        if name and (is_role_label(name) or name.casefold() in _MORE_LABELS):
            return name, time[0] if time else ""
    return None


def _moment(text: str) -> tuple[datetime | None, bool]:
    if not text:
        return None, True
    try:
        moment = datetime.fromisoformat(re.sub(r"([T ])(\d):", r"\g<1>0\2:", text))
    except ValueError:
        return None, True
    return (moment, True) if moment.tzinfo is not None else (moment.replace(tzinfo=UTC), False)


def _lead(lines: Sequence[str]) -> tuple[str | None, str]:
    """Return the title and the text before the first turn."""
    visible = [line for line in lines if not is_blank(line) and not _RULE.match(line)]
    match = _TITLE.match(visible[0]) if visible else None
    rest = visible[1:] if match else visible
    if not rest:
        return (match["title"] if match else None), ""
    text = "\n".join(lines).strip("\n").rstrip()
    return (match["title"] if match else None), text


def _trimmed(lines: Sequence[str], *, is_last: bool) -> str:
    """Return the text of a turn without blank lines around it and the rule that divides it from the next."""
    kept = list(lines)
    while kept and is_blank(kept[-1]):
        kept.pop()
    if kept and not is_last and _RULE.match(kept[-1]):
        kept.pop()
    while kept and is_blank(kept[0]):
        kept.pop(0)
    return "\n".join(kept).rstrip()
