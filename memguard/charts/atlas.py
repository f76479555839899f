"""The map to explore: two or three dimensions, coloured as asked, with lines that a person switches on.

Made to stay small at thousands of points: coordinates and numbers go as packed float32 and int32,
the hover text is one short line, and ``customdata`` is the number of a point.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from memguard.charts.colouring import Group, is_claim, scale
from memguard.charts.embedding import GL_ABOVE
from memguard.charts.points import MapLink, MapPoint, read_key
from memguard.charts.style import escaped, figure, hidden_axis, listed, note, ring_marker
from memguard.errors import InvalidParameterError
from memguard.messages import SourceSpan
from memguard.palette import EVIDENCE, Ground, ground

HEIGHT = 600
TRAIL_MESSAGES = 120
"""The trail leads through at most the last so many messages; more is a tangle."""
SPARSE = 5
_HOVER_CHARS = 72
_FADES = 6
_SYMBOLS_3D = {"x": "x", "circle-open": "circle-open", "diamond": "diamond", "square": "square",
               "diamond-open": "diamond-open", "cross": "cross"}  # fmt: skip
"""What scatter3d can draw; anything else becomes a circle, and the legend still names it."""
_SHRINK_3D = 0.5


def atlas(
    points: Sequence[MapPoint],
    groups: Sequence[Group],
    *,
    places: NDArray[np.float32] | None = None,
    dark: bool = False,
    links: Sequence[MapLink] = (),
    trail: Sequence[int] = (),
    neighbours: Sequence[int] = (),
    selected: int | None = None,
    scale_title: str = "cosine",
) -> go.Figure:
    """Draw the map.

    Args:
        points: What is drawn.
        groups: A colouring of them; every point is in one group.
        places: Coordinates of shape (n, 2) or (n, 3); None takes the points' own. With three it is a
            figure to look at, whose points cannot be selected.
        dark: For dark paper.
        links: Lines from claims to evidence; one with an unknown key is left out.
        trail: From ``trail_of``: indexes of one point a message, in order.
        neighbours: Indexes of the points to which lines lead from the selected one.
        selected: Index of the selected point.
        scale_title: What the sequential scale shows, where a group has values.

    Raises:
        InvalidParameterError: Places do not fit the points.
    """
    at = _places(points, places)
    base, blue = ground(dark), EVIDENCE.tone(dark).fg
    pen = _Pen(at, len(points) > GL_ABOVE)
    number = {point.key: i for i, point in enumerate(points)}
    pairs = [
        (number[a.claim], number[a.evidence]) for a in links if a.claim in number and a.evidence in number
    ]
    chosen = [pair for pair in pairs if selected in pair]
    traces: list[Any] = []
    if quiet := [pair for pair in pairs if pair not in chosen]:
        traces.append(pen.lines("evidence", quiet, base.grey, 1.0, 0.45))
    traces += _trail(pen, trail, base)
    traces += [_marks(pen, group, points) for group in groups]
    if chosen:
        traces.append(pen.lines("evidence of the selection", chosen, blue, 2.0, 1.0))
    if selected is not None and selected < len(points):
        lines = [(selected, other) for other in neighbours]
        if lines:
            traces.append(pen.lines("near", lines, blue, 1.5, 0.9, dash="dot"))
        grounds = [i for pair in chosen for i in pair if i != selected]
        if grounds:
            traces.append(pen.rings("linked", grounds, blue, thin=True))
        traces.append(pen.rings("selected", [selected], blue))
    scaled = any(group.values for group in groups)
    made = figure(
        traces,
        dark,
        height=HEIGHT,
        margin={"l": 4, "r": 4, "t": 4, "b": 4},
        uirevision=f"atlas-{at.shape[1]}",
        showlegend=bool(points),
        legend=_legend(base),
        annotations=_notes(points, base),
        **({"coloraxis": _scale(groups, scale_title, dark, base)} if scaled else {}),
        **_axes(at),
    )
    if at.shape[1] == 2:
        made.update_layout(dragmode="pan", clickmode="event+select")
    return made


def describe_atlas(
    points: Sequence[MapPoint],
    groups: Sequence[Group],
    *,
    dimensions: int,
    selected: int | None = None,
    neighbours: Sequence[int] = (),
) -> str:
    """Return what the map shows, as text: its groups, and where the selected point stands."""
    if not points:
        return "The map is empty: the conversation has no sentences yet."
    counts = listed([f"{len(group.members):,} {group.name}" for group in groups])
    text = f"A map in {'two' if dimensions == 2 else 'three'} dimensions of {len(points):,} points: {counts}."
    values = [value for group in groups for value in group.values]
    if values:
        text += f" Coloured from {min(values):.2f} to {max(values):.2f}."
    if selected is not None and selected < len(points):
        text += f" Selected: {hover_line(points[selected])}."
        if neighbours:
            text += f" Lines lead to its {len(neighbours):,} nearest, the first of them: "
            text += f"{hover_line(points[neighbours[0]])}."
    return text


def trail_of(points: Sequence[MapPoint], places: NDArray[np.float32] | None = None) -> tuple[int, ...]:
    """Return the point nearest to the middle of each message's sentences, in the order of the messages.

    Of a conversation with more than ``TRAIL_MESSAGES`` messages, those of the last.
    """
    at = _places(points, places)
    members: defaultdict[str, list[int]] = defaultdict(list)
    for i, point in enumerate(points):
        if not is_claim(point):
            span = read_key(point.key)
            if isinstance(span, SourceSpan):
                members[span.message_id].append(i)
    found = []
    for rows in list(members.values())[-TRAIL_MESSAGES:]:
        inside = at[rows]
        found.append(rows[int(np.square(inside - inside.mean(axis=0)).sum(axis=1).argmin())])
    return tuple(found)


def hover_line(point: MapPoint) -> str:
    """Return one short line on a point: who, and the beginning of what; not escaped."""
    text = " ".join(point.text.split())
    text = text if len(text) <= _HOVER_CHARS else f"{text[: _HOVER_CHARS - 1]}…"
    who = point.key.removeprefix("claim:") if is_claim(point) else point.detail.split(",", 1)[0]
    return f"{who}: {text}"


class _Pen:
    """Draws traces of one kind over one set of places."""

    def __init__(self, at: NDArray[np.float32], webgl: bool) -> None:
        self.at = at
        self.flat = at.shape[1] == 2
        self._draw = go.Scatter3d if not self.flat else go.Scattergl if webgl else go.Scatter

    def __call__(self, at: NDArray[np.float32], **more: Any) -> Any:
        return self._draw(**dict(zip("xyz", at.T, strict=False)), **more)

    def lines(
        self,
        name: str,
        pairs: Sequence[tuple[int, int]],
        colour: str,
        width: float,
        opacity: float,
        dash: str = "solid",
    ) -> Any:
        gap = np.full((len(pairs), 1, self.at.shape[1]), np.nan, np.float32)
        rows = np.concatenate([self.at[np.asarray(pairs)], gap], axis=1).reshape(-1, self.at.shape[1])
        line = {"color": colour, "width": width if self.flat else 2.5 * width, "dash": dash}
        return self(
            rows, mode="lines", name=name, line=line, opacity=opacity, hoverinfo="skip", showlegend=False
        )

    def rings(self, name: str, rows: Sequence[int], colour: str, *, thin: bool = False) -> Any:
        marker = ring_marker(colour)
        if thin:
            marker |= {"size": marker["size"] - 8, "line": {"width": 1.5}}
        if not self.flat:
            marker |= {"size": 10 if thin else 14}
        return self(
            self.at[list(rows)],
            mode="markers",
            name=name,
            marker=marker,
            hoverinfo="skip",
            showlegend=False,
        )


def _marks(pen: _Pen, group: Group, points: Sequence[MapPoint]) -> Any:
    rows = np.asarray(group.members, np.int32)
    marker = dict(group.marker)
    if group.values:
        marker |= {"color": np.asarray(group.values, np.float32), "coloraxis": "coloraxis"}
    if not pen.flat:
        marker["symbol"] = _SYMBOLS_3D.get(marker["symbol"], "circle")
        marker["size"] = max(2.0, marker["size"] * _SHRINK_3D)
    more: dict[str, Any] = {}
    if pen.flat:
        still = {"marker": {"opacity": marker["opacity"]}}
        more = {"customdata": rows, "selected": still, "unselected": still}
    return pen(
        pen.at[rows],
        mode="markers",
        name=f"{escaped(group.name)} {len(rows):,}",
        hoverinfo="text",
        hovertext=_hovers(points, group),
        marker=marker,
        **more,
    )


def _hovers(points: Sequence[MapPoint], group: Group) -> list[str]:
    lines = [escaped(hover_line(points[i])) for i in group.members]
    if group.values:
        return [f"{value:.3f} {line}" for line, value in zip(lines, group.values, strict=True)]
    return lines


def _trail(pen: _Pen, trail: Sequence[int], base: Ground) -> list[Any]:
    """Return the line through the messages in a few parts, the older the fainter."""
    steps = list(pairwise(trail))
    parts = [list(part) for part in np.array_split(np.arange(len(steps)), min(_FADES, max(1, len(steps))))]
    return [
        pen.lines("trail", [steps[i] for i in part], base.ink, 1.5, 0.1 + 0.6 * (n + 1) / len(parts))
        for n, part in enumerate(parts)
        if part
    ]


def _places(points: Sequence[MapPoint], places: NDArray[np.float32] | None) -> NDArray[np.float32]:
    if places is None:
        return np.asarray([(p.x, p.y) for p in points], np.float32).reshape(-1, 2)
    if places.ndim != 2 or len(places) != len(points) or places.shape[1] not in (2, 3):
        raise InvalidParameterError(
            f"places must have shape ({len(points)}, 2) or ({len(points)}, 3); got {places.shape}"
        )
    return np.asarray(places, np.float32)


def _axes(at: NDArray[np.float32]) -> dict[str, Any]:
    if at.shape[1] == 3:
        hidden = {"visible": False, "showspikes": False}
        return {"scene": {"xaxis": hidden, "yaxis": hidden, "zaxis": hidden, "aspectmode": "data"}}
    x, y = (room(at[:, axis]) for axis in (0, 1))
    return {
        "xaxis": hidden_axis(constrain="domain", range=x),
        "yaxis": hidden_axis(constrain="domain", scaleanchor="x", scaleratio=1, range=y),
    }


def room(values: NDArray[np.float32]) -> list[float]:
    """Return an axis's range with a margin; wide enough that one point does not fill it."""
    if not len(values):
        return [-1.0, 1.0]
    low, high = float(values.min()), float(values.max())
    margin = max(0.06 * (high - low), 0.5 if len(values) < SPARSE else 0.05)
    return [low - margin, high + margin]


def _legend(base: Ground) -> dict[str, Any]:
    return {
        "orientation": "h",
        "x": 0,
        "y": 0,
        "yanchor": "top",
        "font": {"size": 12, "color": base.ink},
        "itemsizing": "trace",
        "tracegroupgap": 0,
    }


def _scale(groups: Sequence[Group], title: str, dark: bool, base: Ground) -> dict[str, Any]:
    values = [value for group in groups for value in group.values]
    return {
        "colorscale": [list(stop) for stop in scale(dark)],
        "cmin": min(0.0, *values) if values else 0.0,
        "cmax": 1.0,
        "colorbar": {
            "title": {"text": escaped(title), "side": "right", "font": {"size": 12, "color": base.ink}},
            "thickness": 8,
            "len": 0.6,
            "outlinewidth": 0,
            "tickformat": ".1f",
            "tickfont": {"size": 12, "color": base.grey},
        },
    }


def _notes(points: Sequence[MapPoint], base: Ground) -> list[dict[str, Any]]:
    if not points:
        text = "No sentences yet.<br>The map appears with the first message."
        return [note(text, base, x=0.5, y=0.5, font={"color": base.grey, "size": 14})]
    if sum(1 for point in points if not is_claim(point)) < SPARSE:
        text = "Fewer than five sentences: shown by their distances, without UMAP."
        return [note(text, base, x=0, y=1, xanchor="left", yanchor="top")]
    return []
