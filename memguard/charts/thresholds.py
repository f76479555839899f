"""What the charts of a threshold share: its axis and the line where it stands."""

from __future__ import annotations

from typing import Any

from memguard.charts.style import note
from memguard.palette import Ground

ROOM = 0.02
"""Beyond the ends of the scale, so that a mark on an end is whole."""
MEASURE_NAMES = {"min_similarity": "similarity", "min_support": "support"}
"""What each threshold is a minimum of."""


def scale_axis(title: str, low: float, base: Ground, **more: Any) -> dict[str, Any]:
    """Return the axis of a score or its threshold, from ``low``, at most 0, to 1."""
    return {
        "title": {"text": title, "standoff": 8},
        "range": [low - ROOM, 1 + ROOM],
        "fixedrange": True,
        "tick0": 0,
        "dtick": 0.2,
        "tickformat": ".1f",
        "tickfont": {"color": base.grey},
        "showgrid": False,
        "zeroline": False,
        "linecolor": base.line,
        **more,
    }


def amount_axis(base: Ground, **more: Any) -> dict[str, Any]:
    """Return the axis of a count or a share, from 0 upward, with quiet lines and few ticks."""
    return {
        "rangemode": "tozero",
        "fixedrange": True,
        "nticks": 5,
        "tickfont": {"color": base.grey},
        "gridcolor": base.line,
        "zeroline": False,
        "automargin": False,
        **more,
    }


def line_at(value: float, colour: str, *, dash: str = "dot") -> dict[str, Any]:
    """Return an upright line over the whole height."""
    return {
        "type": "line",
        "x0": value,
        "x1": value,
        "y0": 0,
        "y1": 1,
        "yref": "paper",
        "line": {"color": colour, "width": 1.5, "dash": dash},
    }


def label_at(text: str, value: float, low: float, base: Ground, **more: Any) -> dict[str, Any]:
    """Return the label above an upright line, kept inside the picture at both ends."""
    share = (value - low) / (1 - low)
    anchor = "left" if share < 0.1 else "right" if share > 0.9 else "center"
    place = {"xref": "x", "x": value, "y": 1, "yanchor": "bottom", "xanchor": anchor, **more}
    return note(text, base, **place)
