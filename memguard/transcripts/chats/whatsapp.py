"""WhatsApp's text export: ``[14/09/2026, 18:05:02] Ana: …`` of iOS, ``14/9/26, 18:05 - Ana: …`` of Android.

The app writes date and clock as the phone shows them, so that the order of day and month is found
out from the whole file (``day_order.py``). A line without such a beginning continues the message
before it (ING-025); so does one whose date does not exist. Unusual blanks and marks of text
direction may stand anywhere in the beginning of a line (ING-021). A line without a sender is the
app's own and has the role ``system``; so has a text of the app that stands behind a name, which may
be that of the group.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, time
from itertools import pairwise
from typing import Any

from memguard.errors import TranscriptError
from memguard.text import is_blank
from memguard.transcripts.chats.whatsapp_marks import notes, read_body
from memguard.transcripts.day_order import CLOCK, DATE, MARKS, NO_ZONE, WrittenDate, find_order, read_clock
from memguard.transcripts.document import Document, Reading
from memguard.transcripts.messages_json import rule_of, to_conversation

_B = rf"[ \t\u00a0\u2007\u2009\u202f{MARKS}]"
_M = rf"[{MARKS}]*+"
_HEADER = re.compile(
    rf"{_M}(?P<open>\[)?{_M}{DATE}\.?{_M}(?P<comma>[,،、])?{_B}{{1,4}}(?:[^\W\d_]{{1,4}}\.?{_B}){{0,1}}?"
    rf"(?P<before>[^\W\d_]{{1,5}}\.?{_B}{{0,2}})?{CLOCK}"
    rf"(?:{_B}{{0,3}}(?P<after>[^\W\d_](?:[^\W\d_\]]|[. \u00a0\u202f]){{0,7}}?))?"
    rf"(?:{_M}\]{_B}{{0,2}}|{_B}{{1,3}}[-–—]{_B}{{1,3}}|(?P<korean>, ))"
)
_SENDER = re.compile(rf"(?P<name>[^:\n]{{1,100}}?)[ ]?:(?:[ \u00a0]|(?=[{MARKS}])|\Z)", re.DOTALL)
_BY_APP = re.compile(
    r"""["“”„«»]|\b(?:created (?:this )?group|changed (?:the|this|to|their|from)|pinned a message|"""
    r"added|removed|joined using|left the group)\b"
)
"""In front of a colon of a line that nobody sent: a name in quotes, or what the app reports."""
_ROLE_WORDS = frozenset({"user", "assistant", "system", "human", "ai", "bot", "tool"})
_LINE_BREAK = re.compile("\r\n|\n|\r")
_LOOKED_AT = 2000
"""Lines that recognition looks at."""


@dataclass(frozen=True, slots=True)
class _Header:
    """The beginning of a message: when, and what stands after it on the line."""

    line: int
    date: WrittenDate
    clock: time
    rest: str
    bracketed: bool


class WhatsApp:
    """The text file that WhatsApp exports for a chat."""

    name = "whatsapp"

    def recognises(self, document: Document) -> float:
        """Return 0.9 where the first visible line begins a message, 0.5 where only later ones do.

        A date with hyphens and no comma is written by other programs too: 0.5. One where the
        senders are ``User`` and ``Assistant`` is no chat of this app.
        """
        if document.looks_like_json:
            return 0.0
        lines = _LINE_BREAK.split(document.text, _LOOKED_AT)[:_LOOKED_AT]
        visible = [(number, line) for number, line in enumerate(lines) if not is_blank(line)]
        headers = [header for number, line in visible if (header := _header(number, line))]
        senders = {name.casefold() for header in headers if (name := _sender(header.rest)[0])}
        if not senders or senders <= _ROLE_WORDS:
            return 0.0
        if headers[0].line != visible[0][0]:
            return 0.5 if len(headers) > 1 and 2 * len(headers) >= len(visible) else 0.0
        plain_log = headers[0].date.year_first and headers[0].date.separator == "-"
        return 0.5 if plain_log else 0.9

    def read(self, document: Document) -> Reading:
        """Read all messages; the app's own lines have the role ``system``.

        Raises:
            TranscriptError: No line begins a message.
        """
        lines = _LINE_BREAK.split(document.text)
        found = [header for number, line in enumerate(lines) if (header := _header(number, line))]
        order = find_order([(header.date, header.clock) for header in found])
        dated = [(header, day) for header in found if (day := header.date.read(order.order))]
        headers = [header for header, _ in dated]
        if not headers:
            raise TranscriptError(
                "no line begins with a date, a time and a sender as WhatsApp writes them",
                source=document.source,
            )
        counts: Counter[str] = Counter()
        rows, origins = _lead(lines, headers[0].line)
        warnings = [NO_ZONE]
        if order.warning:
            warnings.append(order.warning)
        if rows:
            warnings.append("the lines before the first date are a message without sender and time")
        ends = [*(header.line for header in headers[1:]), len(lines)]
        for (header, day), end in zip(dated, ends, strict=True):
            raw = "\n".join([header.rest, *lines[header.line + 1 : end]]).rstrip()
            rows.append({**_message(raw, counts), "timestamp": datetime.combine(day, header.clock, UTC)})
            origins.append(f"line {header.line + 1}")
        kept = {header.line for header in headers}
        warnings += [
            f"line {header.line + 1}: the date {header.date.text} does not exist {order.rule.split(':')[0]}; "
            "the line belongs to the message before it"
            for header in found
            if header.line not in kept
        ]
        warnings += _backward(rows, origins)
        warnings += notes(counts)
        conversation = to_conversation(rows, source=document.source, origins=origins, warnings=warnings)
        rule = f"{order.rule}; " + rule_of(conversation)
        return Reading(conversation, self.name, rule=rule)


def _lead(lines: list[str], first: int) -> tuple[list[dict[str, Any]], list[str]]:
    lead = "\n".join(lines[:first]).strip("\n").rstrip()
    if is_blank(lead):
        return [], []
    return [{"role": "user", "content": lead}], ["line 1"]


def _header(number: int, line: str) -> _Header | None:
    match = _HEADER.match(line)
    if match is None:
        return None
    clock = read_clock(match, match["before"] or "", match["after"] or "")
    if clock is None or (match["open"] is None) == ("]" in match[0]):
        return None
    if match["korean"] and not match["before"]:
        return None
    written = WrittenDate.of(match)
    if not any(written.read(order) for order in ("dmy", "mdy", "ymd")):
        return None
    return _Header(number, written, clock, line[match.end() :], match["open"] is not None)


def _sender(rest: str) -> tuple[str, str]:
    """Return the sender's name, empty for a line of the app, and what was sent."""
    match = _SENDER.match(rest)
    if match is None or _BY_APP.search(match["name"]):
        return "", rest
    name = re.sub(rf"[{MARKS}]", "", match["name"]).strip().removeprefix("~").strip()
    return (name, rest[match.end() :]) if name else ("", rest)


def _message(raw: str, counts: Counter[str]) -> dict[str, Any]:
    name, text = _sender(raw)
    if not name:
        return {"role": "system", "content": re.sub(rf"^[{MARKS}]+", "", raw)}
    body = read_body(text, counts)
    return {"role": "system" if body.by_app else "user", "speaker": name, "content": body.text}


def _backward(rows: list[dict[str, Any]], origins: list[str]) -> list[str]:
    if not all("timestamp" in row for row in rows):
        return []
    stamped = [(row["timestamp"], origin) for row, origin in zip(rows, origins, strict=True)]
    places = [later[1] for earlier, later in pairwise(stamped) if later[0] < earlier[0]]
    if not places:
        return []
    more = f" and at {len(places) - 1} more places" if len(places) > 1 else ""
    return [
        f"{places[0]}: the time goes back{more} (a clock was set, or a change to winter time); messages "
        "are in order of time, not of the file"
    ]
