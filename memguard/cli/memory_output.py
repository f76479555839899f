"""What the memory commands print: aligned columns for people.

Content comes from anywhere: what could drive a terminal is shown as a blank.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence

_GAP = "  "
_NARROWEST = 24
_PIPED_WIDTH = 120
_MINUTE = len("2026-11-30T09:00")


def columns(rows: Sequence[Sequence[str]], heads: Sequence[str]) -> Iterator[str]:
    """Yield rows under their heads; the last column takes what the others leave of the line."""
    if not rows:
        return
    cells = [[plain(cell) for cell in row] for row in (heads, *rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(heads) - 1)]
    left = shutil.get_terminal_size((_PIPED_WIDTH, 24)).columns - sum(widths) - len(_GAP) * len(widths)
    for row in cells:
        start = [cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=True)]
        yield _GAP.join([*start, shortened(row[-1], max(left, _NARROWEST))]).rstrip()


def pairs(named: Iterable[tuple[str, object]]) -> Iterator[str]:
    """Yield names and values, one a line; what is None or empty is left out."""
    shown = [(name, value) for name, value in named if value is not None and value not in ("", {})]
    width = max((len(name) for name, _ in shown), default=0)
    for name, value in shown:
        yield f"{name.ljust(width)}{_GAP}{plain(str(value))}"


def plain(text: str) -> str:
    """Return a text on one line without what is not printable."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def paragraphs(text: str) -> str:
    """Return a text with its lines, without what is not printable."""
    return "".join(char if char.isprintable() or char in "\n\t" else " " for char in text)


def shortened(text: str, width: int) -> str:
    """Return a text of at most ``width`` characters, the end cut where it is longer."""
    return text if len(text) <= width else f"{text[: width - 1].rstrip()}…"


def day(moment: str) -> str:
    """Return an ISO moment in UTC to the minute."""
    return moment[:_MINUTE].replace("T", " ")


def counted(number: int, word: str, plural: str | None = None) -> str:
    """Return ``1 entry`` or ``2 entries``."""
    return f"{number:,} {word if number == 1 else plural or word + 's'}"


def size(n_bytes: int | None) -> str | None:
    """Return a size in the unit that suits it."""
    if n_bytes is None:
        return None
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n_bytes >= scale:
            return f"{n_bytes / scale:.1f} {unit}"
    return f"{n_bytes} bytes"
