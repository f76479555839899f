"""WebVTT (W3C, "WebVTT: The Web Video Text Tracks Format"), with the speakers of meeting recorders.

Teams names a speaker in a voice tag, ``<v Ana Sol>text</v>``; Zoom before a colon, ``Ana Sol:
text``. Times are seconds from the start of the recording and no time of day, so that messages have
no timestamp; their origin says when. Captions that roll, as automatic ones of video sites do, repeat
each line in the cue after it; a repeated line is left out and counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from memguard.message_form import Notes
from memguard.transcripts.captions.cues import LINE_BREAK, TIMING, Cue, clean, times_of, to_reading
from memguard.transcripts.document import Document, Reading

_SIGNATURE = re.compile(r"\ufeff?WEBVTT(?=[ \t\r\n]|\Z)")
_NO_CUE = re.compile(r"(?:NOTE|STYLE|REGION)(?=[ \t]|\Z)")
_VOICE = re.compile(r"<v(?:\.[^\s<>]{1,80})?[ \t]+(?P<name>[^<>\n]{1,100})>")
_WORD_TIME = re.compile(r"<(?:\d{1,4}:)?\d\d:\d\d\.\d{3}>")
_ROLLING_LINES = 20
"""Captions that roll show two or three lines; more than this many are not compared."""


class WebVtt:
    """A file that begins with ``WEBVTT``."""

    name = "webvtt"

    def recognises(self, document: Document) -> float:
        """Return 1 where the signature of the format stands at the beginning."""
        return 1.0 if _SIGNATURE.match(document.text.lstrip("\n\r")) else 0.0

    def read(self, document: Document) -> Reading:
        """Read the cues.

        Raises:
            TranscriptError: There is no cue with text.
        """
        notes = Notes(())
        cues: list[Cue] = []
        for line, block in _blocks(document.text):
            cues += _cues(line, block, notes)
        dropped = 0
        if _WORD_TIME.search(document.text):
            cues, dropped = _unrolled(cues)
        if dropped:
            notes.add(f"repeated lines of captions that roll, left out: {dropped}")
        return to_reading(cues, document, self.name, notes, dropped=dropped)


def _blocks(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the blocks between blank lines, each with its one-based first line."""
    lines = [*LINE_BREAK.split(text), ""]
    start = 0
    for at, line in enumerate(lines):
        if line.strip() or (line and not _cue_begins(lines, at + 1)):
            continue  # automatic captions hold a line of one blank inside a cue
        if any(map(str.strip, lines[start:at])):
            first = next(i for i in range(start, at) if lines[i].strip())
            yield first + 1, lines[first:at]
        start = at + 1


def _cue_begins(lines: list[str], at: int) -> bool:
    return any("-->" in line for line in lines[at : at + 2])


def _cues(line: int, block: list[str], notes: Notes) -> list[Cue]:
    if _SIGNATURE.match(block[0]) or _NO_CUE.match(block[0]):
        return []
    at = next((i for i, text in enumerate(block[:2]) if "-->" in text), None)
    match = TIMING.match(block[at]) if at is not None else None
    if at is None or match is None:
        notes.add("a block without the times of a cue was skipped", f"line {line}", "a block without times")
        return []
    start, end = times_of(match)
    place = line + at
    return [
        Cue(start, end, text, place, speaker)
        for speaker, raw in _voices("\n".join(block[at + 1 :]))
        if (text := clean(raw))
    ]


def _voices(payload: str) -> list[tuple[str | None, str]]:
    """Return the parts of a cue by speaker; text before the first voice tag has none."""
    tags = list(_VOICE.finditer(payload))
    if not tags:
        return [(None, payload)]
    ends = [*(tag.start() for tag in tags[1:]), len(payload)]
    lead = payload[: tags[0].start()]
    parts = [
        (clean(tag["name"]) or None, payload[tag.end() : end]) for tag, end in zip(tags, ends, strict=True)
    ]
    return [(None, lead), *parts] if lead.strip() else parts


def _unrolled(cues: list[Cue]) -> tuple[list[Cue], int]:
    """Leave out the lines that a cue begins with and the cue before it ends with."""
    if not cues:
        return cues, 0
    kept = [cues[0]]
    dropped = 0
    for before, cue in pairwise(cues):
        earlier, lines = before.text.split("\n"), cue.text.split("\n")
        most = min(len(lines), _ROLLING_LINES)
        n = max((n for n in range(1, most + 1) if earlier[-n:] == lines[:n]), default=0)
        dropped += n
        if lines[n:]:
            kept.append(Cue(cue.start_s, cue.end_s, "\n".join(lines[n:]), cue.line, cue.speaker))
    return kept, dropped
