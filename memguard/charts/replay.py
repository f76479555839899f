"""The conversation as it grew: the map built turn by turn, played by the browser alone.

One trace a step, and frames that only switch traces on: whatever the size of the conversation, a
frame carries no coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from memguard.charts.atlas import HEIGHT, hover_line, room
from memguard.charts.colouring import by_verdict, is_claim
from memguard.charts.embedding import GL_ABOVE
from memguard.charts.motion import frame_slider, play_buttons
from memguard.charts.points import MapPoint, read_key
from memguard.charts.style import counted, escaped, figure, hidden_axis, note
from memguard.messages import SourceSpan
from memguard.palette import ground

MOST_STEPS = 40
"""Of a longer conversation, several messages come in one step."""
_FRAME_MS = 500


def steps_of(points: Sequence[MapPoint]) -> tuple[tuple[int, ...], ...]:
    """Return the sentences' indexes step by step: a message a step, several where there are many."""
    by_message: dict[str, list[int]] = {}
    for i, point in enumerate(points):
        if not is_claim(point):
            span = read_key(point.key)
            if isinstance(span, SourceSpan):
                by_message.setdefault(span.message_id, []).append(i)
    messages = list(by_message.values())
    parts = np.array_split(np.arange(len(messages)), min(MOST_STEPS, len(messages))) if messages else []
    return tuple(tuple(i for m in part for i in messages[m]) for part in parts)


def replay(points: Sequence[MapPoint], *, dark: bool = False) -> go.Figure:
    """Draw the map that builds itself, with Play, Pause and a slider; at first it is complete.

    Args:
        points: Sentences in the order of the conversation, then claims.
        dark: For dark paper.
    """
    base = ground(dark)
    at = np.asarray([(p.x, p.y) for p in points], np.float32).reshape(-1, 2)
    draw: Any = go.Scattergl if len(points) > GL_ABOVE else go.Scatter
    steps = steps_of(points)
    size = 8 if len(points) <= 200 else 6 if len(points) <= 1_000 else 4
    traces = [
        _trace(draw, at, rows, points, {"symbol": "circle", "size": size, "color": base.grey, "opacity": 0.6})
        for rows in steps
    ]
    claims = [group for group in by_verdict(points, dark=dark) if is_claim(points[group.members[0]])]
    for group in claims:
        made = _trace(draw, at, group.members, points, group.marker)
        made.update(name=f"{group.name} {len(group.members):,}", showlegend=True)
        traces.append(made)
    n_frames = len(steps) + bool(claims)
    frames = [
        go.Frame(
            name=str(number),
            data=[
                _shown(draw, place, number, len(steps), base.grey, base.accent)
                for place in range(len(traces))
            ],
            traces=list(range(len(traces))),
        )
        for number in range(n_frames)
    ]
    made = figure(
        traces,
        dark,
        height=HEIGHT,
        margin={"l": 4, "r": 4, "t": 4, "b": 96},
        uirevision="replay",
        showlegend=bool(claims),
        legend={"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "font": {"color": base.ink}},
        xaxis=hidden_axis(range=room(at[:, 0])),
        yaxis=hidden_axis(range=room(at[:, 1]), scaleanchor="x", scaleratio=1),
        dragmode="pan",
        annotations=[] if points else [note("No sentences yet.", base, x=0.5, y=0.5)],
    )
    if n_frames > 1:
        made.frames = frames
        labels = [_label(points, rows, number) for number, rows in enumerate(steps)]
        labels += ["the claims"] * bool(claims)
        made.update_layout(
            updatemenus=[play_buttons(dark, frame_ms=_FRAME_MS)],
            sliders=[
                frame_slider([frame.name for frame in frames], dark, active=n_frames - 1, labels=labels)
            ],
        )
    return made


def describe_replay(points: Sequence[MapPoint]) -> str:
    """Return what the replay shows, in one sentence."""
    steps = steps_of(points)
    if not steps:
        return "There is nothing to replay: the conversation has no sentences yet."
    n_claims = sum(1 for point in points if is_claim(point))
    text = f"{counted(sum(map(len, steps)), 'sentence')} appear in {counted(len(steps), 'step')}"
    return f"{text}, in the order of the conversation" + (
        f"; then {counted(n_claims, 'claim')}, by verdict." if n_claims else "."
    )


def _trace(
    draw: Any,
    at: NDArray[np.float32],
    rows: Sequence[int],
    points: Sequence[MapPoint],
    marker: dict[str, Any],
) -> Any:
    inside = at[list(rows)]
    return draw(
        x=inside[:, 0],
        y=inside[:, 1],
        mode="markers",
        marker={"line": {"width": 0}, **marker},
        hoverinfo="text",
        hovertext=[escaped(hover_line(points[i])) for i in rows],
        showlegend=False,
        visible=True,
    )


def _shown(draw: Any, place: int, number: int, n_steps: int, quiet: str, new: str) -> Any:
    """Return what a frame changes of one trace: whether it is there, and whether it is the newest."""
    if place >= n_steps:
        return draw(visible=number >= n_steps)
    return draw(visible=place <= number, marker={"color": new if place == number else quiet})


def _label(points: Sequence[MapPoint], rows: Sequence[int], number: int) -> str:
    who = points[rows[-1]].detail.split(",", 1)[0]
    return f"step {number + 1:,}: {escaped(who if len(who) <= 40 else who[:39] + '…')}"
