"""What the figures share: type, ground, hover labels, and text that plotly shows as it stands."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import plotly.graph_objects as go

from memguard.palette import Ground, Meaning, ground

FONT = "Source Sans, Source Sans Pro, Inter, system-ui, -apple-system, Segoe UI, Roboto, sans-serif"
CLEAR = "rgba(0,0,0,0)"
SMALL, BODY = 12, 14
CLAIM_SIZE = 14
_WRAP_CHARS = 56
_WRAP_LINES = 9
_TEXTS_KEPT = 16_384


def escaped(text: str) -> str:
    """Escape text that plotly would read as tags, entities or mathematics (UI-008)."""
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("$", "&#36;")):
        text = text.replace(character, entity)
    return text


@lru_cache(maxsize=_TEXTS_KEPT)  # a moved slider draws the same sentences again
def wrapped(text: str) -> str:
    """Return text for a hover label: escaped, in lines of 56 characters, at most nine of them."""
    lines: list[str] = []
    for line in text.splitlines():
        lines += textwrap.wrap(line, _WRAP_CHARS) or [""]
        if len(lines) > _WRAP_LINES:
            lines = [*lines[: _WRAP_LINES - 1], "…"]
            break
    return "<br>".join(escaped(line) for line in lines)


def hover_text(title: str, text: str, detail: str) -> str:
    """Return a hover label of three parts: what it is, the text itself, and numbers."""
    parts = [f"<b>{escaped(title)}</b>", wrapped(text), wrapped(detail)]
    return "<br>".join(part for part in parts if part and part != "<b></b>")


def figure(traces: Sequence[Any], dark: bool, *, height: int, **layout: Any) -> go.Figure:
    """Return a figure on the page's own ground, with no title and no tools."""
    base = ground(dark)
    made = go.Figure(data=list(traces))
    made.update_layout(
        template="none",
        height=height,
        paper_bgcolor=CLEAR,
        plot_bgcolor=CLEAR,
        font={"family": FONT, "size": SMALL, "color": base.ink},
        hoverlabel={
            "align": "left",
            "bgcolor": base.paper,
            "bordercolor": base.line,
            "font": {"family": FONT, "size": BODY, "color": base.ink},
        },
        hovermode="closest",
        **{"margin": {"l": 8, "r": 8, "t": 8, "b": 8}, "showlegend": False, **layout},
    )
    return made


def claim_marker(meaning: Meaning, dark: bool) -> dict[str, Any]:
    """Return the marker of a claim: the shape and the colour of what became of it."""
    opened = meaning.shape.endswith("-open")
    return {
        "symbol": meaning.shape,
        "size": CLAIM_SIZE - 1 if opened else CLAIM_SIZE,
        "color": meaning.tone(dark).fg,
        "opacity": 1.0,
        # A rim of paper parts marks that overlap; an open shape is its line.
        "line": {"width": 2.5} if opened else {"width": 1.5, "color": ground(dark).paper},
    }


def ring_marker(colour: str) -> dict[str, Any]:
    """Return the ring around what is singled out."""
    return {"symbol": "circle-open", "size": CLAIM_SIZE + 11, "color": colour, "line": {"width": 2.5}}


def hidden_axis(**more: Any) -> dict[str, Any]:
    """Return an axis that draws nothing."""
    return {"visible": False, "showgrid": False, "zeroline": False, **more}


def note(text: str, base: Ground, **place: Any) -> dict[str, Any]:
    """Return an annotation in quiet grey, without an arrow."""
    return {
        "text": text,
        "showarrow": False,
        "font": {"color": base.grey, "size": SMALL},
        "xref": "paper",
        "yref": "paper",
        **place,
    }


def counted(number: int, word: str, words: str | None = None) -> str:
    """Return ``1 claim`` or ``2 claims``."""
    return f"{number:,} {word if number == 1 else words or word + 's'}"


def listed(parts: Sequence[str]) -> str:
    """Return ``a``, ``a and b`` or ``a, b and c``."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"
