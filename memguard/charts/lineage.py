"""Where a memory comes from and what it became: entries as points, the oldest sources on the left."""

from __future__ import annotations

import textwrap
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import plotly.graph_objects as go

from memguard.charts.style import (
    FONT,
    SMALL,
    counted,
    escaped,
    figure,
    hidden_axis,
    hover_text,
    listed,
    note,
)
from memguard.palette import ground

Standing = Literal["active", "superseded", "archived", "deleted"]
_ROW_PX, _EDGE_PX = 64, 32
_SHAPES: dict[Standing, str] = {
    "active": "circle",
    "superseded": "circle-open",
    "archived": "square-open",
    "deleted": "x-thin-open",
}
_SIZE = 13
_LABEL_CHARS, _LABEL_LINES = 30, 2
_ROOM = 0.92
"""Share of a column that the labels of the last one need to its right."""


@dataclass(frozen=True, slots=True)
class LineageEntry:
    """One entry of the picture.

    Attributes:
        id: Its name in the store.
        text: What it says, as it stands.
        standing: Its state: its shape.
        made_by: How it came about, in a word or two: "merge", "summary", "capture"; empty where unknown.
        when: When it was made, in words.
    """

    id: str
    text: str
    standing: Standing
    made_by: str
    when: str


@dataclass(frozen=True, slots=True)
class Replacement:
    """One entry standing for another now: ``old`` gave way to ``new``, and why in a word ("merge")."""

    old: str
    new: str
    why: str


def lineage_columns(ids: Sequence[str], links: Sequence[Replacement]) -> dict[str, int]:
    """Return the column of each entry: 0 for one that replaced nothing, else one right of its last source.

    A link to an entry that is not among ``ids`` is passed over; a circle, which no store makes, is cut.
    """
    sources: dict[str, list[str]] = defaultdict(list)
    known = set(ids)
    for link in links:
        if link.old in known and link.new in known:
            sources[link.new].append(link.old)
    columns: dict[str, int] = {}
    for first in ids:
        open_now: set[str] = set()
        todo = [first]
        while todo:
            at = todo[-1]
            waiting = [s for s in sources[at] if s not in columns and s not in open_now and s != at]
            open_now.add(at)
            if waiting:
                todo += waiting
                continue
            todo.pop()
            columns.setdefault(at, max((columns[s] + 1 for s in sources[at] if s in columns), default=0))
    return {key: columns[key] for key in ids}


def lineage_height(entries: Sequence[LineageEntry], links: Sequence[Replacement]) -> int:
    """Return the height in pixels that leaves each entry of the fullest column room for its words."""
    columns = Counter(lineage_columns([entry.id for entry in entries], links).values())
    return _ROW_PX * max(columns.values(), default=1) + _EDGE_PX


def lineage_chart(
    entries: Sequence[LineageEntry],
    links: Sequence[Replacement],
    *,
    selected: str = "",
    dark: bool = False,
) -> go.Figure:
    """Draw entries from left (sources) to right (what stands for them), with a line for each replacement.

    Args:
        entries: Any number; none draws a friendly word.
        links: Between them.
        selected: The id of the entry that is ringed.
        dark: For dark paper.
    """
    base = ground(dark)
    at = _places(entries, links)
    last = max((x for x, _y in at.values()), default=0.0)
    return figure(
        [*_lines(links, at, dark), *_points(entries, links, at, selected, dark)],
        dark,
        height=lineage_height(entries, links),
        margin={"l": 16, "r": 8, "t": 8, "b": 8},
        xaxis=hidden_axis(range=[-0.08, last + _ROOM], fixedrange=True),
        yaxis=hidden_axis(range=[1.0, 0.0], fixedrange=True),
        annotations=[] if entries else [note("No entry.", base, x=0.5, y=0.5)],
    )


def describe_lineage(entries: Sequence[LineageEntry], links: Sequence[Replacement]) -> str:
    """Return the picture in words: how many of what, then each replacement."""
    if not entries:
        return "No entry."
    counts = Counter(entry.standing for entry in entries)
    said = listed([f"{counts[standing]:,} {standing}" for standing in _SHAPES if counts[standing]])
    if not links:
        return f"{_counted(entries)}: {said}. It replaced nothing and nothing replaces it."
    olds: dict[tuple[str, str], list[str]] = defaultdict(list)
    for link in links:
        olds[link.new, link.why].append(link.old)
    texts = {entry.id: entry.text for entry in entries}

    def quoted(key: str) -> str:
        return f"“{textwrap.shorten(texts.get(key, key), 60, placeholder='…')}”"

    told = [
        f"{quoted(new)} stands for {listed([quoted(old) for old in old_ids])} ({why})."
        for (new, why), old_ids in olds.items()
    ]
    return f"{_counted(entries)}: {said}. {' '.join(told)}"


def _counted(entries: Sequence[LineageEntry]) -> str:
    return counted(len(entries), "entry", "entries")


def _places(
    entries: Sequence[LineageEntry], links: Sequence[Replacement]
) -> Mapping[str, tuple[float, float]]:
    """Return where each entry stands: x by column, y in [0, 1], each column spread over the height."""
    columns = lineage_columns([entry.id for entry in entries], links)
    rows: dict[int, list[str]] = defaultdict(list)
    for key, column in columns.items():
        rows[column].append(key)
    return {
        key: (float(column), (row + 0.5) / len(rows[column]))
        for column in rows
        for row, key in enumerate(rows[column])
    }


def _lines(links: Sequence[Replacement], at: Mapping[str, tuple[float, float]], dark: bool) -> list[Any]:
    base = ground(dark)
    drawn = [link for link in links if link.old in at and link.new in at]
    x: list[float | None] = []
    y: list[float | None] = []
    for link in drawn:
        x += [at[link.old][0], at[link.new][0], None]
        y += [at[link.old][1], at[link.new][1], None]
    return [
        go.Scatter(
            x=x,
            y=y,
            mode="lines",
            line={"color": base.grey, "width": 1},
            opacity=0.6,
            hoverinfo="skip",
            name="links",
        )
    ]


def _points(
    entries: Sequence[LineageEntry],
    links: Sequence[Replacement],
    at: Mapping[str, tuple[float, float]],
    selected: str,
    dark: bool,
) -> list[Any]:
    base = ground(dark)
    traces = []
    words_at = _words_at(links, at)
    for standing, shape in _SHAPES.items():
        inside = [entry for entry in entries if entry.standing == standing]
        if not inside:
            continue
        colour = base.ink if standing == "active" else base.grey
        traces.append(
            go.Scatter(
                x=[at[entry.id][0] for entry in inside],
                y=[at[entry.id][1] for entry in inside],
                mode="markers+text",
                name=standing,
                marker={
                    "symbol": shape,
                    "size": _SIZE,
                    "color": colour,
                    "line": {"width": 2, "color": colour},
                },
                text=[_label(entry) for entry in inside],
                textposition=[words_at.get(entry.id, "middle right") for entry in inside],
                textfont={"family": FONT, "size": SMALL, "color": colour},
                cliponaxis=False,
                customdata=[entry.id for entry in inside],
                # A chosen point dims no other: all are one lineage.
                unselected={"marker": {"opacity": 1.0}, "textfont": {"color": colour}},
                hoverinfo="text",
                hovertext=[_hover(entry) for entry in inside],
            )
        )
    ringed = [at[entry.id] for entry in entries if entry.id == selected]
    if ringed:
        traces.append(
            go.Scatter(
                x=[x for x, _y in ringed],
                y=[y for _x, y in ringed],
                mode="markers",
                name="this entry",
                marker={
                    "symbol": "circle-open",
                    "size": _SIZE + 9,
                    "color": base.accent,
                    "line": {"width": 2.5},
                },
                hoverinfo="skip",
            )
        )
    return traces


def _words_at(links: Sequence[Replacement], at: Mapping[str, tuple[float, float]]) -> dict[str, str]:
    """Return where the words of a replaced entry stand: on the side of its point where no line leaves it."""
    return {
        link.old: "bottom right" if at[link.new][1] < at[link.old][1] else "top right"
        for link in links
        if link.old in at and link.new in at
    }


def _label(entry: LineageEntry) -> str:
    """Return the words beside a point: at most two short lines."""
    lines = textwrap.wrap(" ".join(entry.text.split()), _LABEL_CHARS) or ["(blank)"]
    if len(lines) > _LABEL_LINES:
        lines = [*lines[: _LABEL_LINES - 1], f"{lines[_LABEL_LINES - 1][: _LABEL_CHARS - 1].rstrip()}…"]
    # A space on the left: plotly puts the words against the point.
    return "<br>".join(f"  {escaped(line)}" for line in lines)


def _hover(entry: LineageEntry) -> str:
    made = f", made by {entry.made_by}" if entry.made_by else ""
    return hover_text(f"{entry.standing}{made}", entry.text, f"{entry.when}; {entry.id}")
