"""What every threshold would keep, cost and catch: curves over the scale, the present setting marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from memguard.charts.style import counted, figure, note
from memguard.charts.thresholds import MEASURE_NAMES, amount_axis, label_at, line_at, scale_axis
from memguard.palette import Ground, ground
from memguard.sweep import Axis, CostChoice, Rates, Sweep, nearest

_HEIGHT = 320
_LINES = (
    ("Precision", "precision", "solid", "ink"),
    ("Recall", "recall", "dash", "ink"),
    ("False drops", "false_drops", "dot", "grey"),
)
"""Name, property of ``Rates``, plotly's dash and the ground's colour: told apart by dash, not colour."""


def sweep_chart(found: Sweep, current: float, *, dark: bool = False, height: int = _HEIGHT) -> go.Figure:
    """Draw claims kept and, below on the same scale, payload tokens against a threshold.

    Args:
        found: The sweep.
        current: Where the slider stands.
        dark: For dark paper.
        height: In pixels, of both.
    """
    base, at = ground(dark), found.at(current)
    low = found.thresholds[0]
    name = MEASURE_NAMES[found.axis]
    told = [
        f"minimum {name} {t:.2f}<br>{k:,} of {counted(found.n_claims, 'claim')} kept<br>{n:,} context tokens"
        for t, k, n in zip(found.thresholds, found.kept, found.tokens, strict=True)
    ]
    traces = [
        *_curve(found.thresholds, found.kept, at, told, base, y="y"),
        *_curve(found.thresholds, found.tokens, at, told, base, y="y2"),
    ]
    heading = {"x": 0, "xanchor": "left", "xshift": -32, "yanchor": "bottom", "font": {"color": base.ink}}
    return _by_threshold(
        traces,
        dark,
        height=height,
        margin={"l": 48, "r": 16, "t": 40, "b": 40},
        shapes=[line_at(current, base.ink)],
        xaxis=scale_axis(f"Minimum {name}", low, base, anchor="y2"),
        yaxis=amount_axis(base, domain=[0.56, 1], tickformat=",d", **_whole(found.kept)),
        yaxis2=amount_axis(base, domain=[0, 0.44], tickformat=",d", anchor="x"),
        annotations=[
            note("Claims kept", base, y=1, yshift=8, **heading),
            note("Context tokens", base, y=0.44, yshift=8, **heading),
            label_at(f"now {current:.2f}", current, low, base, yshift=16),
            _value(f"{found.kept[at]:,}", found, at, found.kept, "y", base),
            _value(f"{found.tokens[at]:,}", found, at, found.tokens, "y2", base),
        ],
    )


def describe_sweep(found: Sweep, current: float) -> str:
    """Return what the curves show, in two sentences."""
    at = found.at(current)
    name = MEASURE_NAMES[found.axis]
    over = f" over {counted(found.n_runs, 'conversation')}" if found.n_runs != 1 else ""
    return (
        f"At the minimum {name} {current:.2f}, {found.kept[at]:,} of {counted(found.n_claims, 'claim')} "
        f"kept{over}, {counted(found.tokens[at], 'token')} of context. From {found.thresholds[0]:.2f} to "
        f"{found.thresholds[-1]:.2f}, claims kept fall from {found.kept[0]:,} to {found.kept[-1]:,} and "
        f"tokens go from {found.tokens[0]:,} to {found.tokens[-1]:,}."
    )


def rates_chart(
    found: Sequence[Rates],
    axis: Axis,
    current: float,
    choice: CostChoice,
    *,
    dark: bool = False,
    height: int = _HEIGHT,
) -> go.Figure:
    """Draw precision, recall and false drops on labelled claims against a threshold.

    Args:
        found: One a threshold, rising.
        axis: Which threshold.
        current: Where the slider stands.
        choice: Where the stated cost is least; a diamond on each line.
        dark: For dark paper.
        height: In pixels.
    """
    base = ground(dark)
    thresholds = [rate.threshold for rate in found]
    low, chosen = thresholds[0], choice.rates.threshold
    traces: list[Any] = []
    for name, key, dash, colour in _LINES:
        shares = [getattr(rate, key) for rate in found]
        traces.append(
            go.Scatter(
                x=thresholds,
                y=shares,
                mode="lines",
                name=name,
                line={"color": getattr(base, colour), "width": 2, "dash": dash, "shape": "hv"},
                # One label tells all three.
                hoverinfo="text" if key == "recall" else "skip",
                hovertext=[_told(rate, axis) for rate in found] if key == "recall" else None,
            )
        )
        traces.append(_mark([chosen], [getattr(choice.rates, key)], "diamond", base))
    labels = [label_at(f"now {current:.2f}", current, low, base)]
    lines = [line_at(current, base.ink)]
    if nearest(thresholds, current) == nearest(thresholds, chosen):
        labels = [label_at(f"now {current:.2f}, least cost", current, low, base)]
    else:
        lines.append(line_at(chosen, base.grey, dash="solid"))
        labels.append(label_at(f"least cost {chosen:.2f}", chosen, low, base, yshift=16))
    return _by_threshold(
        traces,
        dark,
        height=height,
        margin={"l": 48, "r": 16, "t": 40, "b": 72},
        showlegend=True,
        legend={
            "orientation": "h",
            "x": 0,
            "y": -0.24,
            "yanchor": "top",
            "font": {"color": base.ink},
            "itemclick": False,
            "itemdoubleclick": False,
        },
        shapes=lines,
        xaxis=scale_axis(f"Minimum {MEASURE_NAMES[axis]}", low, base),
        yaxis=amount_axis(base, range=[-0.02, 1.02], tickformat=".0%", rangemode="normal"),
        annotations=labels,
    )


def describe_rates(found: Sequence[Rates], axis: Axis, current: float, choice: CostChoice) -> str:
    """Return what the curves show, in two sentences."""
    now = found[nearest([rate.threshold for rate in found], current)]
    name = MEASURE_NAMES[axis]
    return (
        f"On labelled claims at the minimum {name} {current:.2f}: precision {percent(now.precision)}, recall "
        f"{percent(now.recall)}, false drops {percent(now.false_drops)}. The stated cost is least at "
        f"{choice.rates.threshold:.2f}: precision {percent(choice.rates.precision)}, recall "
        f"{percent(choice.rates.recall)}, false drops {percent(choice.rates.false_drops)}."
    )


def percent(share: float | None) -> str:
    """Return a share for people; a dash where there is nothing to take a share of."""
    return "–" if share is None else f"{100 * share:.0f} %"


def _by_threshold(traces: Sequence[Any], dark: bool, **layout: Any) -> go.Figure:
    """Return a figure whose curves are read anywhere above their threshold, not only on the line."""
    return figure(traces, dark, **layout).update_layout(hovermode="x")


def _told(rate: Rates, axis: Axis) -> str:
    return (
        f"minimum {MEASURE_NAMES[axis]} {rate.threshold:.2f}<br>precision {percent(rate.precision)}<br>"
        f"recall {percent(rate.recall)}: {rate.wrong_dropped:,} of "
        f"{rate.wrong_dropped + rate.wrong_kept:,} wrong claims dropped<br>"
        f"false drops {percent(rate.false_drops)}: {rate.true_dropped:,} of "
        f"{rate.true_dropped + rate.true_kept:,} true claims"
    )


def _curve(
    thresholds: Sequence[float], values: Sequence[int], at: int, told: list[str], base: Ground, *, y: str
) -> list[Any]:
    line = go.Scatter(
        x=thresholds,
        y=values,
        yaxis=y,
        mode="lines",
        line={"color": base.ink, "width": 2, "shape": "hv"},
        hoverinfo="text",
        hovertext=told,
    )
    return [line, _mark([thresholds[at]], [values[at]], "circle", base, yaxis=y)]


def _mark(x: list[float], y: list[Any], symbol: str, base: Ground, **more: Any) -> Any:
    rim = {"color": base.paper, "width": 1.5}
    marker = {"symbol": symbol, "size": 11, "color": base.ink, "line": rim}
    shown: dict[str, Any] = {"showlegend": False, "hoverinfo": "skip", "cliponaxis": False, **more}
    return go.Scatter(x=x, y=y, mode="markers", marker=marker, **shown)


def _value(text: str, found: Sweep, at: int, values: Sequence[int], y: str, base: Ground) -> dict[str, Any]:
    """Return the value beside a mark, on the side where the curve is not."""
    is_right = found.thresholds[at] > 0.9
    return note(
        f"<b>{text}</b>",
        base,
        xref="x",
        yref=y,
        x=found.thresholds[at],
        y=values[at],
        xanchor="right" if is_right else "left",
        yanchor="bottom",
        xshift=-8 if is_right else 8,
        font={"color": base.ink, "size": 14},
    )


def _whole(values: Sequence[int]) -> dict[str, Any]:
    return {"dtick": 1} if max(values, default=0) <= 4 else {}
