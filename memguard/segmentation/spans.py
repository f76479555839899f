"""The spans of sentences: the library's boundaries, as the rules of stops and of lines correct them."""

from __future__ import annotations

import re
from bisect import bisect_left

from blingfire import text_to_sentences_and_offsets

from memguard.segmentation.edges import lstrip, rstrip
from memguard.segmentation.lines import line_starts
from memguard.segmentation.stops import FULL_STOP, STOP, ends_sentence
from memguard.text import is_blank

_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_MARKER = re.compile(r"(?:[-*+•·–—▪◦]|#{1,6})\Z")


def sentence_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Find the sentences of ``text``.

    Args:
        text: Any string; lone surrogates and control characters included.

    Returns:
        Half-open code-point offsets in order: not empty, not overlapping, without white space at
        their edges, and together covering every visible character. A piece without a letter or
        digit (an emoji, a bracket, a rule) is joined to its neighbour, the sentence before it where
        there is one. Blank text gives ``()``.
    """
    if is_blank(text):
        return ()
    forced, code = line_starts(text)
    starts = sorted(_starts(text, forced, code))
    spans: list[tuple[int, int]] = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        piece = text[start:end]
        left = len(piece) - len(lstrip(piece))
        right = len(rstrip(piece))
        if left < right and not is_blank(piece):
            spans.append((start + left, start + right))
    return tuple(_joined(text, spans, {first for first, _ in code}))


def sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of ``text``, each verbatim."""
    return tuple(text[start:end] for start, end in sentence_spans(text))


def _starts(text: str, forced: set[int], code: list[tuple[int, int]]) -> set[int]:
    """Return where sentences start: the library's places and the lines', corrected by the rules."""
    starts = {0} | forced | _library_starts(text)
    ordered = sorted(forced)
    latest, next_forced = 0, 0
    for match in STOP.finditer(text):
        end = match.end()
        while next_forced < len(ordered) and ordered[next_forced] <= match.start():
            latest = max(latest, ordered[next_forced])
            next_forced += 1
        inside = range(match.end(2), end + 1)
        if next_forced < len(ordered) and ordered[next_forced] <= end:
            continue
        decided = ends_sentence(text, match, latest)
        if decided is None:
            decided = not starts.isdisjoint(inside)
        starts.difference_update(inside)
        if decided:
            starts.add(end)
            latest = end
    starts.update(match.end() for match in FULL_STOP.finditer(text))
    if code:
        firsts = [first for first, _ in code]
        lasts = [last for _, last in code]
        starts = {
            place
            for place in starts
            if place in forced or (at := bisect_left(firsts, place)) == 0 or place >= lasts[at - 1]
        }
    return starts


def _library_starts(text: str) -> set[int]:
    # One character for one, so that offsets hold; the library loses its way at control characters.
    safe = _SURROGATE.sub("\ufffd", _UNSAFE.sub(" ", text))
    if not safe.strip():
        return set()
    _, offsets = text_to_sentences_and_offsets(safe)
    return {start for start, _ in offsets}


def _joined(text: str, spans: list[tuple[int, int]], fences: set[int]) -> list[tuple[int, int]]:
    """Join each span without a letter or digit, and the line that opens a fence, to its neighbour."""
    done: list[tuple[int, int]] = []
    waiting: int | None = None
    for span_start, end in spans:
        piece = text[span_start:end]
        start = span_start if waiting is None else waiting
        waiting = None
        wordless = not _has_word(piece)
        if span_start in fences or (wordless and (_MARKER.match(piece) or not done)):
            waiting = start
        elif wordless:
            done[-1] = (done[-1][0], end)
        else:
            done.append((start, end))
    if waiting is not None:
        first = done.pop()[0] if done else waiting
        done.append((first, spans[-1][1]))
    return done


def _has_word(piece: str) -> bool:
    return any(map(str.isalnum, piece))
