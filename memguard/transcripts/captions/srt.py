"""SubRip (``.srt``): numbered cues with times, and speakers as ``Name: text`` where a tool writes them.

A cue begins at a line of times; a number on the line before belongs to it. So a blank line inside a
cue, or a missing number, loses nothing.
"""

from __future__ import annotations

from memguard.message_form import Notes
from memguard.text import is_blank
from memguard.transcripts.captions.cues import LINE_BREAK, TIMING, Cue, clean, times_of, to_reading
from memguard.transcripts.document import Document, Reading


class SubRip:
    """Cues with a number, a line of times and text."""

    name = "srt"

    def recognises(self, document: Document) -> float:
        """Return 0.9 where the text begins with a line of times, a number before it or not."""
        if document.looks_like_json:
            return 0.0
        lines = [line.strip() for line in LINE_BREAK.split(document.text, 20)[:20] if not is_blank(line)][:2]
        if lines and TIMING.match(lines[0]):
            return 0.9
        return 0.9 if len(lines) == 2 and lines[0].isdigit() and TIMING.match(lines[1]) else 0.0

    def read(self, document: Document) -> Reading:
        """Read the cues.

        Raises:
            TranscriptError: There is no cue with text.
        """
        notes = Notes(())
        lines = LINE_BREAK.split(document.text)
        starts = [(number, match) for number, line in enumerate(lines) if (match := TIMING.match(line))]
        cues: list[Cue] = []
        for index, (number, match) in enumerate(starts):
            end = starts[index + 1][0] if index + 1 < len(starts) else len(lines)
            body = lines[number + 1 : end]
            if index + 1 < len(starts) and _ends_with_number(body):
                body = body[:-1]
            begin_s, end_s = times_of(match)
            text = clean("\n".join(body))
            if text:
                cues.append(Cue(begin_s, end_s, text, number + 1))
            else:
                notes.add("a cue without text was left out", f"line {number + 1}")
        return to_reading(cues, document, self.name, notes)


def _ends_with_number(body: list[str]) -> bool:
    """Return whether the last line is the number of the next cue: alone, or after a blank line."""
    return bool(body) and body[-1].strip().isdigit() and (len(body) == 1 or is_blank(body[-2]))
