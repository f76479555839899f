"""What the moving figures share: frames that the browser plays by itself, and the buttons for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memguard.palette import Ground, ground


def play_buttons(dark: bool, *, frame_ms: int, labels: tuple[str, str] = ("Play", "Pause")) -> dict[str, Any]:
    """Return the two buttons that start and stop the frames, from where they stand.

    Args:
        dark: For dark paper.
        frame_ms: How long a frame stays.
        labels: Of the two buttons.
    """
    base = ground(dark)
    moving = {
        "frame": {"duration": frame_ms, "redraw": True},
        "transition": {"duration": 0},
        "fromcurrent": True,
        "mode": "immediate",
    }
    still = {"frame": {"duration": 0, "redraw": False}, "mode": "immediate", "transition": {"duration": 0}}
    return {
        "type": "buttons",
        "direction": "left",
        "showactive": False,
        "x": 0,
        "xanchor": "left",
        "y": 0,
        "yanchor": "top",
        "pad": {"t": 12, "r": 8},
        "bgcolor": base.wash,
        "bordercolor": base.line,
        "font": {"size": 14, "color": base.ink},
        "buttons": [
            {"label": labels[0], "method": "animate", "args": [None, moving]},
            {"label": labels[1], "method": "animate", "args": [[None], still]},
        ],
    }


def frame_slider(
    names: Sequence[str],
    dark: bool,
    *,
    prefix: str = "",
    active: int = 0,
    labels: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Return the slider that shows and chooses a frame.

    Args:
        names: Of the frames, in order.
        dark: For dark paper.
        prefix: Before the current label; already escaped.
        active: The frame that is shown first.
        labels: What is written for each frame; by default its name. Already escaped.
    """
    base: Ground = ground(dark)
    jump = {"frame": {"duration": 0, "redraw": True}, "mode": "immediate", "transition": {"duration": 0}}
    return {
        "active": active,
        "x": 0.2,
        "len": 0.8,
        "y": 0,
        "yanchor": "top",
        "pad": {"t": 8},
        "currentvalue": {"prefix": prefix, "xanchor": "right", "font": {"size": 12, "color": base.grey}},
        "bgcolor": base.accent,
        "bordercolor": base.line,
        "activebgcolor": base.accent,
        "tickcolor": base.line,
        "ticklen": 4,
        "minorticklen": 0,
        "font": {"size": 12, "color": "rgba(0,0,0,0)"},
        "steps": [
            {"label": label, "method": "animate", "args": [[name], jump]}
            for name, label in zip(names, labels or names, strict=True)
        ],
    }
