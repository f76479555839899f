"""Line breaks: which of them end a sentence, and where fenced code stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from memguard.segmentation import words
from memguard.segmentation.edges import lstrip

_LINE_END = re.compile("\r\n?|[\n\x85\u2028\u2029]")
_FENCE = re.compile(r"\s*(?:`{3,}[^`]*|~{3,}.*)")
_BLOCK = re.compile(
    r"\s*(?:[-*+•·–—▪◦]\s|\d{1,3}[.)]\s|\(?[a-zA-Z]\)\s|#{1,6}\s|>|\|"
    r"|[^\W\d_][\w .'’-]{0,30}:\s|\w+\((?:[{\"'\[]|\)$)|\[\d{1,2}:\d\d)"
)
_PLAIN_WORD = re.compile(r"(?!i\b)[^\W\d_A-Z][^\W\d_]*[-'’]?[^\W\d_]*[,;:.!?)]?")
_WRAP_FROM = 45
"""A shorter line that reads as complete was ended by its writer, not by a hard wrap."""


def line_starts(text: str) -> tuple[set[int], list[tuple[int, int]]]:
    """Return the line starts that start a sentence, and the ranges of fenced code."""
    forced: set[int] = set()
    code: list[tuple[int, int]] = []
    if not _LINE_END.search(text):
        return forced, code
    paragraph: list[tuple[int, int]] = []
    fence: int | None = None
    for start, end in _lines(text):
        line = text[start:end]
        fences = _FENCE.fullmatch(line) is not None
        if fence is None and not fences and line and not line.isspace():
            paragraph.append((start, end))
            continue
        _break_paragraph(text, paragraph, forced)
        paragraph = []
        forced.add(start)
        if fences and fence is None:
            fence = start + len(line) - len(lstrip(line))
        elif fences and fence is not None:
            code.append((fence, end))
            fence = None
    if fence is not None:
        code.append((fence, len(text)))
    _break_paragraph(text, paragraph, forced)
    return forced, code


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _LINE_END.finditer(text):
        yield start, match.start()
        start = match.end()
    yield start, len(text)


def _break_paragraph(text: str, lines: list[tuple[int, int]], forced: set[int]) -> None:
    if not lines:
        return
    forced.add(lines[0][0])
    width = max(end - start for start, end in lines)
    for (start, end), (next_start, next_end) in pairwise(lines):
        if not _wraps(text[start:end].strip(), text[next_start:next_end], end - start, width):
            forced.add(next_start)


def _wraps(line: str, following: str, length: int, width: int) -> bool:
    """Return whether ``following`` continues the sentence or the paragraph of ``line``."""
    if _BLOCK.match(following) or line.endswith((":", "：", "|")) or line.startswith(("#", "|")):
        return False
    following = following.strip()
    last = line.rsplit(None, 1)[-1]
    if last.endswith((",", "，")) or last.lower() in words.NOT_LAST:
        return True
    if last[-1] in ".!?…":  # white space after an abbreviation or a pause, about which stops.py decides
        return last[:-1].lower() in words.ABBREVIATIONS or last.endswith(("...", "…"))
    word = following.split(None, 1)[0]
    if last[-1].isalpha() and _PLAIN_WORD.fullmatch(word):
        return True
    return length >= _WRAP_FROM and length + 1 + len(word) > width
