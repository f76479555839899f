"""The space before and after it is shaped: the same points on the same two axes, moving between both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from memguard.charts.atlas import HEIGHT, room
from memguard.charts.colouring import Group
from memguard.charts.embedding import GL_ABOVE
from memguard.charts.motion import frame_slider, play_buttons
from memguard.charts.style import counted, escaped, figure, hidden_axis, note
from memguard.errors import InvalidParameterError
from memguard.palette import ground

_STEPS, _STEPS_OF_MANY = 16, 8
_FRAME_MS = 60
_MOVED = 1e-4
"""A point that moves less, on axes of length 1, stays."""


@dataclass(frozen=True, slots=True)
class Journey:
    """Where every point stands before and after.

    Attributes:
        before: float32 of shape (n, 2).
        after: float32 of shape (n, 2).
    """

    before: NDArray[np.float32]
    after: NDArray[np.float32]

    def __post_init__(self) -> None:
        """Check that both have one shape (n, 2)."""
        if self.before.shape != self.after.shape or self.before.shape[1:] != (2,):
            raise InvalidParameterError(
                f"before and after must be of one shape (n, 2); got {self.before.shape} "
                f"and {self.after.shape}"
            )

    @property
    def n_moved(self) -> int:
        """How many points move."""
        return int((np.abs(self.after - self.before).max(axis=1, initial=0.0) > _MOVED).sum())


def shaping(
    journey: Journey, groups: Sequence[Group], texts: Sequence[str], *, dark: bool = False
) -> go.Figure:
    """Draw the move, with Play, Pause and a slider from before to after; at first it shows after.

    Args:
        journey: Of n points.
        groups: A colouring of them.
        texts: One line a point, not escaped.
        dark: For dark paper.
    """
    base = ground(dark)
    n = len(journey.before)
    draw: Any = go.Scattergl if n > GL_ABOVE else go.Scatter
    n_steps = _STEPS_OF_MANY if n > GL_ABOVE else _STEPS
    both = np.concatenate([journey.before, journey.after])

    def drawn(share: float, *, whole: bool) -> list[Any]:
        at = journey.before + np.float32(share) * (journey.after - journey.before)
        return [_trace(draw, at, group, texts, whole=whole) for group in groups]

    made = figure(
        drawn(1.0, whole=True),
        dark,
        height=HEIGHT,
        margin={"l": 4, "r": 4, "t": 4, "b": 96},
        uirevision="shaping",
        showlegend=bool(n),
        legend={"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "font": {"color": base.ink}},
        xaxis=hidden_axis(range=room(both[:, 0])),
        yaxis=hidden_axis(range=room(both[:, 1]), scaleanchor="x", scaleratio=1),
        dragmode="pan",
        annotations=[] if n else [note("No sentences yet.", base, x=0.5, y=0.5)],
    )
    if journey.n_moved:
        shares = [_eased(step / n_steps) for step in range(n_steps + 1)]
        made.frames = [
            go.Frame(name=f"{share:.3f}", data=drawn(share, whole=False), traces=list(range(len(groups))))
            for share in shares
        ]
        labels = ["before", *(f"{share:.0%} of the way" for share in shares[1:-1]), "after"]
        names = [frame.name for frame in made.frames]
        made.update_layout(
            updatemenus=[play_buttons(dark, frame_ms=_FRAME_MS)],
            sliders=[frame_slider(names, dark, active=n_steps, labels=labels)],
        )
    return made


def describe_shaping(journey: Journey, groups: Sequence[Group]) -> str:
    """Return what the animation shows, in one or two sentences."""
    counts = ", ".join(f"{len(group.members):,} {group.name}" for group in groups)
    if not journey.n_moved:
        return f"The space as it is: {counts or 'no points'}. No point moves under these weights."
    moves = np.sqrt(np.square(journey.after - journey.before).sum(axis=1))
    return (
        f"{counts}, before and after shaping. {counted(journey.n_moved, 'point')} of {len(moves):,} "
        f"{'moves' if journey.n_moved == 1 else 'move'}, by {float(moves.mean()):.2f} on average "
        "on axes of length 1."
    )


def _trace(draw: Any, at: NDArray[np.float32], group: Group, texts: Sequence[str], *, whole: bool) -> Any:
    inside = at[list(group.members)]
    if not whole:
        return draw(x=inside[:, 0], y=inside[:, 1])
    return draw(
        x=inside[:, 0],
        y=inside[:, 1],
        mode="markers",
        name=f"{escaped(group.name)} {len(group.members):,}",
        marker=group.marker,
        hoverinfo="text",
        hovertext=[escaped(texts[i]) for i in group.members],
    )


def _eased(share: float) -> float:
    """Return a share of the way that starts and ends slowly (smoothstep)."""
    return share * share * (3.0 - 2.0 * share)
