"""Units: the sentences of a conversation, or the lines of machine text, in which facts are found."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from memguard.facts.governors import may_part
from memguard.grounding.claims.kinds import ClaimKind, kind_of
from memguard.grounding.reading.frames import is_question
from memguard.grounding.reading.injections import is_injected
from memguard.grounding.reading.voices import agrees
from memguard.grounding.sources import is_evidence, speakers_of
from memguard.messages import Conversation, Message, SourceSpan
from memguard.segmentation import sentence_spans
from memguard.text import is_blank

LONGEST = 400
"""Characters of a unit that is read whole; of a longer one, a blob, only pieces are."""
_MACHINES = frozenset({"tool", "function"})
_CALL = re.compile(r"(?:^|\n)[\w.:-]{1,64}\(\s*\{")
_CODE = re.compile(
    r"^\s*(?:`{3,}|[{}\[\]();]+\s*$|(?:def|class|import|from|return|const|let|var|function)\b)"
)
_CUT = re.compile(r"\\n|[\n\r;,{}\[\]|]|(?<=[.!?。！？])\s")
_PAUSE = re.compile(r"(?<=\w)(?:\.\.\.|…)\s+(?=\w)|\s+[–—]\s+")
_CALLED = re.compile(r",\s+(?P<name>[^\W\d_]\w*)[.!\s]*$")
_ENDS = re.compile("[\"'“”‘’`*_()\\[\\]{},;:\\s]+")


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence, or a line of machine text.

    Attributes:
        number: Zero-based index among all units.
        turn: Zero-based index of its message among those that have units.
        span: Where it stands.
        text: What it says, verbatim.
        speaker: Who said it, the capitalised role where no name is known.
        said: The day on which it was said, if known.
        is_machine: Whether a tool wrote it, or it is a call, code or a log.
        asks: Whether it is a question.
        kind: What the sentence does.
    """

    number: int
    turn: int
    span: SourceSpan
    text: str
    speaker: str
    said: date | None
    is_machine: bool
    asks: bool
    kind: ClaimKind

    def at(self, start: int, end: int) -> SourceSpan:
        """Return the span of ``text[start:end]`` in the message."""
        return SourceSpan(self.span.message_id, self.span.start + start, self.span.start + end)


def units_of(conversation: Conversation) -> tuple[Unit, ...]:
    """Return the units of every message that may hold facts, in conversation order."""
    found: list[Unit] = []
    called = frozenset(part.casefold() for name in speakers_of(conversation) for part in name.split())
    turn = 0
    for message in conversation.messages:
        if not is_evidence(message):
            continue
        said = message.timestamp.date() if message.timestamp is not None else None
        for start, end, is_machine in _spans(message):
            if is_injected(message.content, start, end):
                continue
            text = message.content[start:end]
            asks = not is_machine and is_question(text)
            kind = ClaimKind.STATEMENT if is_machine else _kind_of(text, called)
            span = SourceSpan(message.id, start, end)
            found.append(
                Unit(len(found), turn, span, text, message.speaker_name, said, is_machine, asks, kind)
            )
        turn += bool(found) and found[-1].turn == turn
    return tuple(found)


def _kind_of(text: str, called: frozenset[str]) -> ClaimKind:
    """Return what a sentence does; a courtesy stays one before the name of somebody who speaks."""
    kind = kind_of(text)
    name = _CALLED.search(text) if kind is ClaimKind.STATEMENT else None
    if name is None or name["name"].casefold() not in called or agrees(text[: name.start()]):
        return kind
    return ClaimKind.COURTESY if kind_of(text[: name.start()]) is ClaimKind.COURTESY else kind


def _spans(message: Message) -> Iterator[tuple[int, int, bool]]:
    """Yield the places of a message's units, and whether a machine wrote each."""
    content = message.content
    machine = message.role.casefold() in _MACHINES or message.tool_call_id is not None
    if machine:
        yield from ((s, e, True) for s, e in _lines(content, 0))
        return
    call = _CALL.search(content) if message.tool_calls or "({" in content else None
    prose = content[: call.start()] if call else content
    fenced = False
    for start, end in _sentences(prose):
        text = prose[start:end]
        fence = "```" in text or "~~~" in text
        is_code = fenced or fence or _CODE.match(text) is not None
        fenced = fenced ^ (text.count("```") % 2 == 1)
        if is_code or end - start > LONGEST:
            yield from ((s, e, True) for s, e in _lines(text, start))
        else:
            yield from ((s, e, False) for s, e in _paused(text, start))
    if call:
        yield from ((s, e, True) for s, e in _lines(content[call.start() :], call.start()))


@lru_cache(maxsize=8_192)
def _sentences(text: str) -> tuple[tuple[int, int], ...]:
    return sentence_spans(text)


def _paused(text: str, offset: int) -> Iterator[tuple[int, int]]:
    """Yield the parts between pauses ("sleeve up... 152 over 94"), each with something to say."""
    start = 0
    for pause in _PAUSE.finditer(text):
        before, after = text[start : pause.start()], text[pause.end() :]
        if min(len(before.split()), len(after.split())) > 1 and may_part(before, after):
            yield offset + start, offset + pause.end() - len(pause.group()) + len(pause.group().rstrip())
            start = pause.end()
    yield offset + start, offset + len(text)


def _lines(text: str, offset: int) -> Iterator[tuple[int, int]]:
    """Yield the lines of machine text, long ones in the pieces between their marks."""
    at = 0
    for line in text.splitlines(keepends=True):
        if len(line) <= LONGEST // 2 and not _is_packed(line):
            yield from _trimmed(line, offset + at)
        else:
            start = 0
            for cut in _CUT.finditer(line):
                yield from _trimmed(line[start : cut.start()], offset + at + start)
                start = cut.end()
            yield from _trimmed(line[start:], offset + at + start)
        at += len(line)


def _is_packed(line: str) -> bool:
    """Tell JSON or escaped lines in one line from a line of a log."""
    return "\\n" in line or line.count('":') + line.count("': ") > 0


_PROGRESS = re.compile(r"[.=#*\-_>\s]{10,}")


def _trimmed(piece: str, offset: int) -> Iterator[tuple[int, int]]:
    head = _ENDS.match(piece)
    start = head.end() if head else 0
    end = len(piece.rstrip("\"'“”`*_({[,;: \t\r\n"))
    if (
        start < end
        and end - start <= LONGEST
        and not is_blank(piece[start:end])
        and not _PROGRESS.search(piece)
    ):
        yield offset + start, offset + end
