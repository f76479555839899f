"""Words without the marks of Markdown: what a claim or a quote looks like in a line of the payload.

A line of the payload is no list, no table and no heading, so the marks of one inside a quote only cost tokens
and read as if the payload itself were broken up. Nothing but marks goes: a letter, a digit, code in back
quotes, a pattern with an asterisk and the lines of a diff stay as they are. markdown-it-py would parse the
marks as well, but it takes whole documents: cut at a clause, half of a table is no table to it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memguard.grounding.claims.wording import on_one_line

_MARK = re.compile(r"[-*•◦▪–#>|_]")
_CODE = re.compile(r"(`+[^`]*`+)")
_EMPHASIS = (
    re.compile(r"(?<![\w*])\*\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*\*(?![\w*])"),
    re.compile(r"(?<![\w*\\/.])\*(?=[^\s*])([^*\n]+?)(?<=[^\s*])\*(?![\w*/]|\.\w)"),
    re.compile(r"(?<![\w/.])__?(?=[^\W_])([^_\n]*\s[^_\n]*)(?<=[^\s_])__?(?![\w/]|\.\w)"),
)
"""Paired and around words. Between underscores only what holds a space: ``__init__`` is a name."""
_HALF = re.compile(r"\A\*\*\s+|\s+\*\*\Z")
"""What is left of a pair whose other half is not part of the quote."""
_ITEM = re.compile(r"(?:[-*•◦▪–]|#{2,6}|>)[ \t]+(?=\S)")
_RULE = re.compile(r"(?=[^\n]*-)\|?[\s:|-]+\|?")
"""The line below the head of a table."""
_NOT_PROSE = re.compile(r"```|^(?:\+|@@ |diff --git )", re.MULTILINE)
"""A block of code or a diff, in which the same signs mean something."""
_PAUSE = re.compile(r"[.!?:;,…。！？]\Z")


@lru_cache(maxsize=32_768)
def unmarked(text: str, *, in_table: bool = False) -> str:
    """Return words on one line, without the marks of a list, a table, a heading or emphasis.

    Args:
        text: Verbatim from the transcript or the summary.
        in_table: Whether its first line lies in a row of a table, of which it may lack the first mark.
    """
    if not (in_table or _MARK.search(text)) or _NOT_PROSE.search(text):
        return on_one_line(text)
    shown = ""
    for number, line in enumerate(text.splitlines()):
        row = _cells(line.strip(), in_table=in_table and not number)
        item = _ITEM.match(row if row is not None else line.strip())
        words = row if row is not None else line.strip()[item.end() if item else 0 :]
        if not words:
            continue
        begins = row is not None or item is not None
        shown += joint(shown) if begins and shown else " " * bool(shown)
        shown += words
    return on_one_line(_without_emphasis(shown)) or on_one_line(text)


def joint(before: str) -> str:
    """Return what stands between two items of a list that come to stand in one line."""
    return " " if _PAUSE.search(before) else "; "


def is_mark(text: str) -> bool:
    """Tell whether text is a mark of a list, a table, a heading or emphasis and nothing else."""
    return bool(re.fullmatch(r"[-*•◦▪–|>#]+", text.strip()))


def _cells(line: str, *, in_table: bool) -> str | None:
    """Return the cells of a row with commas between them; empty for a rule, None where there is no row."""
    if not in_table and not (line.startswith("|") or (line.endswith("|") and line.count("|") > 1)):
        return None
    if _RULE.fullmatch(line):
        return ""
    if "|" not in line or "||" in line:
        return None
    return ", ".join(cell.strip() for cell in line.split("|") if cell.strip())


def _without_emphasis(text: str) -> str:
    parts = _CODE.split(text)
    for number in range(0, len(parts), 2):
        for pattern in _EMPHASIS:
            parts[number] = pattern.sub(r"\1", parts[number])
    return _HALF.sub("", "".join(parts))
