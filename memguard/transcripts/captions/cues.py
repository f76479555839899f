"""Cues of captions and how they become messages.

A recogniser cuts speech where its line is full, in the middle of a sentence, so that one cue a
message would tear most sentences. Successive cues of one speaker are one message; a new one begins
with another speaker, after a pause of 5 seconds, and at the end of a sentence once the message has
600 characters, so that an hour of one voice is no single message. Captions of some recognisers have
no full stops: there a message ends at 3,000 characters.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from memguard.errors import TranscriptError
from memguard.message_form import Notes
from memguard.transcripts.document import Document, Reading
from memguard.transcripts.messages_json import to_conversation
from memguard.transcripts.plain import speaker_and_text

_PAUSE_S = 5.0
_LONG_CHARS = 600
_MOST_CHARS = 3000
_SENTENCE_END = re.compile(r"[.!?…。？！][\"'”’»)\]]*\Z")
_JOINED = "successive cues of one speaker are joined, up to a pause of 5 s or 600 characters"
TIMING = re.compile(
    r"[ \t]*(?:(?P<h1>\d{1,4}):)?(?P<m1>\d{1,2}):(?P<s1>\d{1,2})[.,](?P<f1>\d{1,3})[ \t]*-->[ \t]*"
    r"(?:(?P<h2>\d{1,4}):)?(?P<m2>\d{1,2}):(?P<s2>\d{1,2})[.,](?P<f2>\d{1,3})"
)
"""The line of times of a cue, of either format."""
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,300}>|<\d[\d:.,]{0,15}>|\{\\[^{}\n]{0,100}\}")
LINE_BREAK = re.compile("\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Cue:
    """What was said from ``start_s`` to ``end_s``; ``line`` is the one-based line of its times."""

    start_s: float
    end_s: float
    text: str
    line: int
    speaker: str | None = None


@dataclass(slots=True)
class _Turn:
    first: Cue
    last: Cue
    texts: list[str]
    n_chars: int


def times_of(match: re.Match[str]) -> tuple[float, float]:
    """Return the start and the end of a match of ``TIMING``, in seconds."""

    def seconds(part: str) -> float:
        whole = int(match[f"h{part}"] or 0) * 3600 + int(match[f"m{part}"]) * 60 + int(match[f"s{part}"])
        return whole + float(f"0.{match[f'f{part}']}")

    return seconds("1"), seconds("2")


def clean(text: str) -> str:
    """Return the text without tags, with its entities as characters, and each line trimmed."""
    plain = html.unescape(_TAG.sub("", text)).replace("\u200e", "").replace("\u200f", "")
    lines = (" ".join(line.split()) for line in LINE_BREAK.split(plain))
    return "\n".join(line for line in lines if line)


def clock(seconds: float) -> str:
    """Return seconds as ``01:02:03.500``."""
    milliseconds = round(seconds * 1000)
    minutes, rest = divmod(milliseconds, 60_000)
    return f"{minutes // 60:02}:{minutes % 60:02}:{rest // 1000:02}.{rest % 1000:03}"


def named(cues: Sequence[Cue]) -> tuple[list[Cue], str]:
    """Take speakers out of ``Name: text`` where cues have them so, and say the rule that was used.

    A name counts where it begins two lines or more, or where half of the cues begin with one: a
    single ``Note: …`` in a film is none. A line inside a cue may begin with a name too. In such a
    file a line without a name goes on with the speaker before it, since a long turn has its name once.
    """
    if any(cue.speaker for cue in cues):
        return list(cues), "speakers from voice tags"
    lines = [(cue, line, *speaker_and_text(line)) for cue in cues for line in cue.text.split("\n")]
    counts = Counter(name.casefold() for _, _, name, _ in lines if name)
    least = 1 if 2 * counts.total() >= len(cues) else 2
    if not any(count >= least for count in counts.values()):
        return list(cues), "no speakers are named"
    result: list[Cue] = []
    speaker: str | None = None
    for cue, line, name, text in lines:
        if name and counts[name.casefold()] >= least:
            speaker = name
            result.append(replace(cue, speaker=name, text=text))
        else:
            result.append(replace(cue, speaker=speaker, text=line))
    return result, 'speakers from "Name: text"; a line without a name goes on with the speaker before it'


def to_reading(
    cues: Sequence[Cue], document: Document, name: str, notes: Notes, *, dropped: int = 0
) -> Reading:
    """Join the cues to messages, in the order of the file.

    Args:
        cues: With their speakers, in the order of the file.
        document: Where they came from.
        name: Name of the format.
        notes: Takes the warnings.
        dropped: Repeated lines that were left out.

    Raises:
        TranscriptError: There is no cue with text.
    """
    if not cues:
        raise TranscriptError("holds no cue with text", source=document.source)
    spoken, how = named(cues)
    for earlier, later in pairwise(spoken):
        if later.start_s < earlier.start_s:
            notes.add("the time goes back; the order of the file is kept", f"line {later.line}")
    turns = _turns(spoken)
    rows: list[dict[str, Any]] = [
        {"role": "user", "speaker": turn.first.speaker, "content": " ".join(turn.texts)} for turn in turns
    ]
    origins = [
        f"line {turn.first.line}, {clock(turn.first.start_s)} to {clock(turn.last.end_s)}" for turn in turns
    ]
    conversation = to_conversation(rows, source=document.source, origins=origins, warnings=notes.texts())
    rule = f"in the order of the file; {how}; {_JOINED}"
    return Reading(conversation, name, rule=rule, duplicates_dropped=dropped)


def _turns(cues: Sequence[Cue]) -> list[_Turn]:
    turns: list[_Turn] = []
    for cue in cues:
        text = " ".join(cue.text.split("\n"))
        if turns and _goes_on(turns[-1], cue):
            turns[-1].last = cue
            turns[-1].texts.append(text)
            turns[-1].n_chars += len(text)
        else:
            turns.append(_Turn(cue, cue, [text], len(text)))
    return turns


def _goes_on(turn: _Turn, cue: Cue) -> bool:
    if cue.speaker != turn.first.speaker or cue.start_s - turn.last.end_s > _PAUSE_S:
        return False
    if turn.n_chars >= _MOST_CHARS:
        return False
    return turn.n_chars < _LONG_CHARS or not _SENTENCE_END.search(turn.texts[-1])
