"""Plain text with ``Speaker: text`` lines.

Which lines begin a turn. A *candidate* is a line of the form ``Name: text``, where

- before the name there may be a time (``[10:30]``, ``2026-03-02 10:30:05 -``, ``14/9/2026 6:05 PM``),
  and Markdown emphasis around it; after a time also ``From`` and ``to``, as Zoom writes them, which
  always begin a turn;
- the name has one to four words and at most 40 characters, begins with a letter, and is no label
  that people write before a colon (Note, Subject, Total, …);
- a blank or the end of the line follows the colon (so no URL, Windows path, clock time or ratio),
  except after the word for a role (``User:hello``);
- the line is not inside a fenced code block.

A candidate begins a turn where its name is the word for a role (User, Assistant, …), or occurs in
two candidates or more, or is written as a name (every word capitalised, or in a script without
capitals) with text after the colon. A name in lower case that occurs once counts only where every
line is a candidate with a name in lower case. A text with one candidate, of a name that is no role,
must begin with it. Every other line belongs to the turn before it; lines before the first turn
become a message of their own; a text without turns is one message of the user. Each of the last two
gives a warning. In dates such as 5/9/26, ``day_order.py`` finds which number is the day.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memguard.text import is_blank
from memguard.transcripts.day_order import NO_ZONE, DayOrder
from memguard.transcripts.document import Document, Reading
from memguard.transcripts.messages_json import rule_of, to_conversation
from memguard.transcripts.written_times import WrittenTime, aware, open_time, order_of


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ROLES = {
    **dict.fromkeys(("user", "human", "me", "you"), "user"),
    **dict.fromkeys(("assistant", "ai", "bot", "chatbot", "model", "ai assistant"), "assistant"),
    **dict.fromkeys(("system", "developer"), "system"),
    **dict.fromkeys(("tool", "function"), "tool"),
}
_ASSISTANTS = frozenset(
    {"chatgpt", "claude", "gemini", "copilot", "gpt", "gpt-4", "llama", "mistral", "grok", "cursor",
     "deepseek", "perplexity", "qwen", "le chat", "github copilot", "gemini cli", "claude code", "codex"}
)  # fmt: skip
_LABELS = _words(
    "note notes nb n.b warning caution error info debug important update edit ps p.s pps re fw fwd "
    "subject date time to from cc bcc sent agenda summary example examples e.g i.e tip hint todo to-do "
    "question answer q a address phone email e-mail total price cost order step result results output "
    "input command usage options name title status deadline location where when who what why how http "
    "https ftp file mailto see source url link attachment version participants attendees present topic "
    "decision decisions action actions conclusion task tasks item items also however reminder fyi tl;dr "
    "tldr traceback exception hello hi dear list ingredients duration "
)
_NUMBERS = r"\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4}"
_TIME = (
    rf"[\[(]?(?:(?P<date>(?:\d{{4}}-\d\d-\d\d|{_NUMBERS}))(?:T|,?[ ]))?"
    r"(?P<time>\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d{1,6})?)"
    r"(?P<zone>Z|[+-]\d\d:?\d\d)?(?:[ \u00a0\u202f]?(?P<half>[aApP]\.?[mM]\b\.?))?"
    r"[\])]?\s{0,3}[-–—|]?\s{0,3}"
)
_CANDIDATE = re.compile(
    rf"[ \t]{{0,3}}(?:{_TIME})?[*_]{{0,3}}(?P<name>[^\W\d_][\w .'’&-]{{0,39}}?)[*_]{{0,3}}[ ]?"
    r"(?:\([^()\n]{1,30}\)[ ]?)?"
    r"(?::[*_]{0,3}(?=\s|\Z)|：)(?P<rest>.*)\Z",
    re.DOTALL,
)
_ZOOM = re.compile(
    r"(?:(?P<date>\d{4}-\d\d-\d\d)[ ])?(?P<time>\d{1,2}:\d\d:\d\d)(?P<zone>Z)?(?P<half>[ap]m)?"
    r"\s{1,3}From\s{1,3}"
    r"(?P<name>[^\n:]{1,60}?)(?:\s{1,3}to\s{1,3}(?P<to>[^\n:]{1,60}?))?\s{0,3}:(?P<rest>(?:\s.*)?)\Z",
    re.DOTALL,
)
"""What Zoom saves of the chat of a meeting: who wrote to whom."""
_GLUED = re.compile(
    rf"[ \t]{{0,3}}(?P<name>(?i:{'|'.join(map(re.escape, _ROLES))}))[:：](?P<rest>(?!//|\\).+)\Z",
    re.DOTALL,
)
_FENCE = re.compile(r"\s{0,3}(?:`{3,}[^`]*|~{3,}.*)\Z")
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_CAPTION = re.compile(r"\A(?:>>[ ]?|-[ ])?\[?([^\W\d_][\w .'’&-]{0,39})\]?(?=:)")
_MOST_WORDS = 4


@dataclass(frozen=True, slots=True)
class _Candidate:
    line: int
    name: str
    rest: str
    stamp: WrittenTime | None
    timed: bool
    sure: bool = False

    @property
    def key(self) -> str:
        return self.name.casefold()


class PlainText:
    """``Speaker: text`` lines, or any text at all."""

    name = "plain_text"

    def recognises(self, document: Document) -> float:
        """Return 0.1, the fallback, for everything that does not begin as JSON does."""
        if isinstance(document.value, dict | list) or document.looks_like_json:
            return 0.0
        return 0.1

    def read(self, document: Document) -> Reading:
        """Read the turns; nothing visible is lost."""
        lines = document.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        turns = {candidate.line: candidate for candidate in _turns(lines)}
        warnings: list[str] = []
        if not turns:
            warnings.append('no "Speaker: text" line was found; the whole text is one message of the user')
        elif any(not is_blank(line) for line in lines[: min(turns)]):
            warnings.append("the lines before the first speaker are a message of the user, without a speaker")
        if any(turn.timed and turn.stamp is None for turn in turns.values()):
            warnings.append("times without a date order nothing and were left out")
        stamps = [turn.stamp for turn in turns.values() if turn.stamp is not None]
        order = order_of(stamps)
        if order.warning:
            warnings.append(order.warning)
        if not all(stamp.zoned for stamp in stamps):
            warnings.append(NO_ZONE)
        messages: list[dict[str, Any]] = []
        origins: list[str] = []
        starts = sorted({0, *turns})
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
            turn = turns.get(start)
            body = lines[start:end] if turn is None else [turn.rest.lstrip(), *_continued(turn, lines, end)]
            content = "\n".join(body).strip("\n").rstrip()
            if turn is None and is_blank(content):
                continue
            messages.append({**_who(turn, order), "content": content})
            origins.append(f"line {start + 1}")
        conversation = to_conversation(messages, source=document.source, origins=origins, warnings=warnings)
        placed = rule_of(conversation)
        return Reading(
            conversation,
            self.name,
            rule=f"{order.rule}; {placed}" if any(stamp.open for stamp in stamps) else placed,
        )


def _continued(turn: _Candidate, lines: list[str], end: int) -> list[str]:
    """Return the lines after the first of a turn; Zoom puts a tab before each."""
    rest = lines[turn.line + 1 : end]
    return [line.removeprefix("\t") for line in rest] if turn.sure else rest


def role_of(label: str) -> tuple[str, str | None]:
    """Return the role and the speaker that a label before a turn means: ``User``, ``Claude``, ``Ana``."""
    name = " ".join(label.split())
    role = _ROLES.get(name.casefold())
    if role is not None:
        return role, None
    return ("assistant" if name.casefold() in _ASSISTANTS else "user"), name


def is_role_label(label: str) -> bool:
    """Return whether a label is the word for a role or the name of an assistant that is known."""
    return label.casefold() in _ROLES or label.casefold() in _ASSISTANTS


def speaker_and_text(line: str) -> tuple[str, str]:
    """Split ``Name: text``; the name is empty, and the text whole, where no name stands before a colon.

    Brackets and chevrons of captions (``[SPEAKER_00]: text``, ``>> ANA: text``) do not belong to it.
    """
    candidate = _candidate(0, _CAPTION.sub(r"\1", line, count=1))
    if candidate is None or not (_is_written_as_name(candidate.name) and candidate.rest.strip()):
        return "", line
    return candidate.name, candidate.rest.strip()


def _who(turn: _Candidate | None, order: DayOrder) -> dict[str, Any]:
    if turn is None:
        return {"role": "user"}
    role, speaker = role_of(turn.name)
    stamp = turn.stamp.moment(order) if turn.stamp is not None else None
    return {"role": role, "speaker": speaker, "timestamp": stamp}


def _turns(lines: list[str]) -> list[_Candidate]:
    candidates: list[_Candidate] = []
    first_visible, n_visible, fenced = -1, 0, False
    for number, line in enumerate(lines):
        if is_blank(line):
            continue
        n_visible += 1
        first_visible = number if first_visible < 0 else first_visible
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced and (candidate := _candidate(number, line)):
            candidates.append(candidate)
    counts = Counter(candidate.key for candidate in candidates)
    spelled = {candidate.key: candidate.name for candidate in reversed(candidates)}  # as at first
    no_capitals = len(candidates) == n_visible and all(
        c.name.islower() and c.key not in _ROLES for c in candidates
    )
    turns = [
        replace(c, name=spelled[c.key])
        for c in candidates
        if c.sure
        or c.key in _ROLES
        or counts[c.key] > 1
        or (c.rest.strip() and (_is_written_as_name(c.name) or no_capitals))
    ]
    if (
        len(turns) == 1
        and not turns[0].sure
        and turns[0].key not in _ROLES
        and turns[0].line != first_visible
    ):
        return []
    return turns


def _candidate(number: int, line: str) -> _Candidate | None:
    match = _ZOOM.match(line)
    if match is not None:
        to, said = match["to"] or "Everyone", match["rest"].strip()
        rest = said if to.casefold().startswith("everyone") else f"[to {to}] {said}".rstrip()
        return _Candidate(number, " ".join(match["name"].split()), rest, _stamp(match), True, sure=True)
    match = _CANDIDATE.match(line)
    if match is None:
        match = _GLUED.match(line)
        return _Candidate(number, match["name"], match["rest"], None, False) if match else None
    name = " ".join(match["name"].split())
    if len(name.split()) > _MOST_WORDS or name.casefold().rstrip(".") in _LABELS:
        return None
    return _Candidate(number, name, match["rest"], _stamp(match), match["time"] is not None)


def _stamp(match: re.Match[str]) -> WrittenTime | None:
    date, half = match["date"], match["half"]
    if date is None:
        return None
    clock = match["time"].replace(",", ".")
    if half is None and _ISO_DATE.fullmatch(date):
        try:
            moment = datetime.fromisoformat(
                f"{date}T{'0' if clock[1] == ':' else ''}{clock}{match['zone'] or ''}"
            )
        except ValueError:
            return None
        return aware(moment)
    return open_time(date, clock, half or "")


def _is_written_as_name(name: str) -> bool:
    return all(word[0].isupper() or not word[0].islower() for word in re.split(r"[ &]+", name) if word)
