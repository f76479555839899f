"""How many claims lie where on the scale of a score, by what became of them, with the minimum."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from memguard.charts.points import verdict_meaning
from memguard.charts.style import counted, figure, listed, note
from memguard.charts.thresholds import amount_axis, label_at, line_at, scale_axis
from memguard.grounding.verdicts import Label, Verdict
from memguard.palette import (
    BY_HAND,
    CLAIM_MEANINGS,
    CONTRADICTED,
    KEPT,
    NEEDS_REVIEW,
    NOT_FOUND,
    VERBATIM,
    Meaning,
    ground,
)

Measure = Literal["similarity", "support"]
_HATCH = {
    KEPT: "",
    CONTRADICTED: "x",
    NOT_FOUND: "/",
    NEEDS_REVIEW: ".",
    VERBATIM: "-",
    BY_HAND: "\\",
}
"""plotly's pattern of each meaning: no bar is told apart by its colour alone."""
_BINS_A_UNIT = 20
_HEIGHT = 240


def score_histogram(
    verdicts: Sequence[Verdict],
    measure: Measure,
    minimum: float | None,
    *,
    dark: bool = False,
    height: int = _HEIGHT,
) -> go.Figure:
    """Draw a histogram of a score in steps of 0.05, its bars stacked by verdict, with the minimum.

    A claim on the border of two bins is counted in the upper one, as the minimum counts it. What is not
    a claim is left out.

    Args:
        verdicts: In any order; none gives a figure that says so.
        measure: Which score.
        minimum: The threshold; None where the preset does not use it.
        dark: For dark paper.
        height: In pixels.
    """
    base, shown = ground(dark), _shown(verdicts)
    edges = _edges(shown, measure, minimum)
    low = float(edges[0])
    bars = [
        _bars(meaning, [v for v in shown if verdict_meaning(v) is meaning], measure, edges, dark)
        for meaning in CLAIM_MEANINGS
    ]
    notes = [] if shown else [note("No claims.", base, x=0.5, y=0.5)]
    if minimum is not None:
        notes.append(label_at(f"minimum {minimum:.2f}", minimum, low, base))
    else:
        notes.append(
            note("not used by the contract preset", base, x=1, y=1, xanchor="right", yanchor="bottom")
        )
    return figure(
        [bar for bar in bars if bar is not None],
        dark,
        height=height,
        barmode="stack",
        bargap=0,
        margin={"l": 40, "r": 8, "t": 24, "b": 80},
        showlegend=bool(shown),
        legend={
            "orientation": "h",
            "x": 0,
            "y": -0.3,
            "yanchor": "top",
            "font": {"color": base.ink},
            "itemclick": False,
            "itemdoubleclick": False,
        },
        shapes=[line_at(minimum, base.ink)] if minimum is not None else [],
        xaxis=scale_axis(measure.capitalize(), low, base),
        yaxis=amount_axis(
            base, tickformat="d", title={"text": "Claims", "standoff": 4}, **_ticks(shown, measure, edges)
        ),
        annotations=notes,
    )


def describe_histogram(verdicts: Sequence[Verdict], measure: Measure, minimum: float | None) -> str:
    """Return what the histogram shows, in two sentences."""
    shown = _shown(verdicts)
    if not shown:
        return "The histogram is empty: there are no claims."
    values = [_value(v, measure) for v in shown]
    found = [verdict_meaning(v) for v in shown]
    parts = [f"{found.count(m):,} {m.label}" for m in CLAIM_MEANINGS if m in found]
    said = (
        f"{counted(len(shown), 'claim')} by {measure}, from {min(values):.2f} to {max(values):.2f} "
        f"({listed(parts)})."
    )
    if minimum is None:
        return f"{said} The contract preset uses no minimum of it."
    below = sum(value < minimum for value in values)
    return f"{said} {below:,} below the minimum {minimum:.2f}."


def _shown(verdicts: Sequence[Verdict]) -> list[Verdict]:
    return [v for v in verdicts if v.label is not Label.NOT_A_CLAIM]


def _value(verdict: Verdict, measure: Measure) -> float:
    return verdict.similarity if measure == "similarity" else verdict.support


def _edges(shown: Sequence[Verdict], measure: Measure, minimum: float | None) -> NDArray[np.float64]:
    """Return the borders of the bins, the last at 1: from 0, or from the bin of what lies below."""
    low = min([0.0, minimum or 0.0, *(_value(v, measure) for v in shown)])
    first = math.floor(low * _BINS_A_UNIT)
    return np.arange(first, _BINS_A_UNIT + 1, dtype=np.float64) / _BINS_A_UNIT


def _counts(members: Sequence[Verdict], measure: Measure, edges: NDArray[np.float64]) -> NDArray[np.intp]:
    return np.histogram([_value(v, measure) for v in members], bins=edges)[0]


def _ticks(shown: Sequence[Verdict], measure: Measure, edges: NDArray[np.float64]) -> dict[str, Any]:
    """Return whole steps for few claims, where plotly would put ticks on halves."""
    return {"dtick": 1} if int(_counts(shown, measure, edges).max()) <= 4 else {}


def _bars(
    meaning: Meaning,
    members: Sequence[Verdict],
    measure: Measure,
    edges: NDArray[np.float64],
    dark: bool,
) -> Any | None:
    """Return the bars of one meaning; None for no members."""
    if not members:
        return None
    counts, tone = _counts(members, measure, edges), meaning.tone(dark)
    hatch = _HATCH[meaning]
    places = np.flatnonzero(counts)
    return go.Bar(
        x=[float(edges[i] + edges[i + 1]) / 2 for i in places],
        y=[int(counts[i]) for i in places],
        width=0.8 / _BINS_A_UNIT,
        name=f"{meaning.glyph} {meaning.label} {len(members):,}",
        hoverinfo="text",
        hovertext=[
            f"{int(counts[i]):,} {meaning.label}<br>{measure} {edges[i]:.2f} to {edges[i + 1]:.2f}"
            for i in places
        ],
        marker={
            "color": tone.fg,
            "line": {"color": tone.fg, "width": 1},
            "pattern": {
                "shape": hatch,
                "fillmode": "replace",
                "fgcolor": tone.fg,
                "bgcolor": tone.bg,
                "size": 6,
                "solidity": 0.4,
            }
            if hatch
            else {},
        },
    )
