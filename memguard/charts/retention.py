"""What a payload keeps of the key facts: recall against how much shorter it is, and recall by class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from memguard.charts.curves import percent
from memguard.charts.style import BODY, counted, figure, listed, note
from memguard.charts.thresholds import amount_axis, line_at
from memguard.facts import ClassRecall, FactClass
from memguard.palette import KEPT, Ground, ground
from memguard.retention import BudgetSweep, Retained

CLASS_NAMES = {
    FactClass.NUMBER: "Numbers",
    FactClass.DATE: "Dates and times",
    FactClass.PRICE: "Prices",
    FactClass.DECISION: "Decisions and results",
    FactClass.PREFERENCE: "Preferences",
    FactClass.COMMITMENT: "Commitments",
    FactClass.PERSON: "People",
    FactClass.PRODUCT: "Products and names",
    FactClass.PLACE: "Places",
    FactClass.PATH: "Paths and links",
    FactClass.IDENTIFIER: "Identifiers",
    FactClass.COMMAND: "Commands",
    FactClass.QUOTE: "Quoted phrases",
    FactClass.CONDITION: "Medical and safety",
}
"""What each class of key facts is called for people."""
_HEIGHT = 320
_ROW, _ROWS_ROOM = 28, 16
_TICKS = (0.5, 1, 1.5, 2, 3, 5, 10, 20)
_FURTHEST = 20.0
"""Times shorter at which the scale ends: beyond it a payload is a line or two."""
_LINES = (
    ("MemGuard", "solid", "ink"),
    ("Last messages that fit", "dash", "grey"),
    ("Cut off at the budget", "dot", "grey"),
)
"""Name, plotly's dash and the ground's colour: told apart by dash, not colour."""


def retention_chart(
    found: BudgetSweep, current: Retained, *, dark: bool = False, height: int = _HEIGHT
) -> go.Figure:
    """Draw the share of key facts kept against how many times shorter the context is.

    Args:
        found: The sweep over budgets.
        current: What the payload keeps under the present budget; it is marked.
        dark: For dark paper.
        height: In pixels.
    """
    base = ground(dark)
    traces: list[Any] = []
    for (name, dash, colour), kept in zip(_LINES, _ways(found), strict=True):
        points = [(ratio, at) for at in kept if (ratio := found.ratio(at)) is not None]
        traces.append(
            go.Scatter(
                x=[ratio for ratio, _ in points],
                y=[at.recall for _, at in points],
                mode="lines+markers",
                name=name,
                line={"color": getattr(base, colour), "width": 2, "dash": dash},
                marker={"size": 5, "color": getattr(base, colour)},
                hoverinfo="text",
                hovertext=[_told(name, ratio, at, found) for ratio, at in points],
            )
        )
    ratio = found.ratio(current)
    shapes, labels = [], []
    if ratio is not None and current.recall is not None:
        shapes.append(line_at(ratio, base.ink))
        labels.append(_now(ratio, current.recall, base))
        traces.append(_mark(ratio, current.recall, base))
    return figure(
        traces,
        dark,
        height=height,
        margin={"l": 48, "r": 16, "t": 32, "b": 80},
        showlegend=True,
        legend={
            "orientation": "h",
            "x": 0,
            "y": -0.26,
            "yanchor": "top",
            "font": {"color": base.ink},
            "itemclick": False,
            "itemdoubleclick": False,
        },
        shapes=shapes,
        annotations=labels,
        xaxis={
            "title": {"text": "Times shorter than the conversation", "standoff": 8},
            "type": "log",
            "range": _ends(found, ratio),
            "fixedrange": True,
            "tickvals": list(_TICKS),
            "ticktext": [f"{tick:g}×" for tick in _TICKS],
            "tickfont": {"color": base.grey},
            "showgrid": False,
            "zeroline": False,
            "linecolor": base.line,
        },
        yaxis=amount_axis(base, range=[-0.02, 1.04], tickformat=".0%", rangemode="normal"),
    )


def describe_retention(found: BudgetSweep, current: Retained) -> str:
    """Return what the curves show, in two sentences."""
    ratio = found.ratio(current)
    if not found.n_facts:
        return "The conversation holds no key facts, so there is nothing to lose."
    now = (
        f"The context is {ratio:.1f} times shorter than the conversation and states {current.n_kept:,} of "
        f"{counted(found.n_facts, 'key fact')}"
        if ratio is not None
        else f"Under the present budget the context is empty and states none of "
        f"{counted(found.n_facts, 'key fact')}"
    )
    # The plain ways under the budget nearest to the present one.
    place = min(
        range(len(found.payload)), key=lambda i: abs(found.payload[i].budget - max(current.tokens, 1))
    )
    last, cut = found.plain.last_messages[place], found.plain.truncation[place]
    return (
        f"{now}. In about as many tokens, the last messages that fit state {percent(last.recall)} and the "
        f"conversation cut off at the budget states {percent(cut.recall)}."
    )


def class_chart(rows: Sequence[ClassRecall], *, dark: bool = False) -> go.Figure:
    """Draw how many key facts of each class the payload states: a bar a class, what it lacks in grey."""
    base, tone = ground(dark), KEPT.tone(dark)
    names = [CLASS_NAMES[row.kind] for row in rows]
    told = [
        f"{name}: {row.kept:,} of {row.total:,} in the context" for name, row in zip(names, rows, strict=True)
    ]
    shown: dict[str, Any] = {"orientation": "h", "y": names, "hoverinfo": "text", "hovertext": told}
    line = {"width": 0}
    traces = [
        go.Bar(x=[row.kept / row.total for row in rows], marker={"color": tone.fg, "line": line}, **shown),
        go.Bar(
            x=[1 - row.kept / row.total for row in rows], marker={"color": base.line, "line": line}, **shown
        ),
    ]
    counts = [
        note(
            f"{row.kept:,} of {row.total:,}",
            base,
            xref="x",
            yref="y",
            x=1,
            y=name,
            xanchor="left",
            xshift=8,
            font={"color": base.ink if row.kept < row.total else base.grey, "size": BODY},
        )
        for name, row in zip(names, rows, strict=True)
    ]
    return figure(
        traces,
        dark,
        height=_ROW * max(1, len(rows)) + _ROWS_ROOM,
        margin={"l": 160, "r": 80, "t": 8, "b": 8},
        barmode="stack",
        bargap=0.6,
        annotations=counts,
        xaxis={"range": [0, 1], "fixedrange": True, "visible": False},
        yaxis={
            "autorange": "reversed",
            "fixedrange": True,
            "tickfont": {"color": base.ink, "size": BODY},
            "ticks": "",
            "ticklabelstandoff": 8,
            "showgrid": False,
            "zeroline": False,
            "showline": False,
        },
    )


def describe_classes(rows: Sequence[ClassRecall]) -> str:
    """Return how many key facts of each class the payload states, in a sentence."""
    if not rows:
        return "The conversation holds no key facts."
    parts = [f"{row.kept:,} of {row.total:,} {CLASS_NAMES[row.kind].lower()}" for row in rows]
    return f"In the context: {listed(parts)}."


def _ways(found: BudgetSweep) -> tuple[tuple[Retained, ...], ...]:
    return found.payload, found.plain.last_messages, found.plain.truncation


def _told(name: str, ratio: float, at: Retained, found: BudgetSweep) -> str:
    made_of = (
        f"<br>{counted(at.n_claims, 'claim')}, {counted(at.n_quoted, 'line')} quoted"
        if at.n_claims or at.n_quoted
        else ""
    )
    return (
        f"<b>{name}</b><br>{ratio:.1f}× shorter, {counted(at.tokens, 'token')}<br>"
        f"{percent(at.recall)} of the key facts: {at.n_kept:,} of {found.n_facts:,}{made_of}"
    )


def _ends(found: BudgetSweep, ratio: float | None) -> list[float]:
    """Return the ends of the scale, as exponents; of very few words the payload may be the longer text."""
    ratios = [r for kept in _ways(found) for at in kept if (r := found.ratio(at))]
    low = min([1.0, *ratios, ratio or 1.0])
    high = min(_FURTHEST, max([2.0, *ratios, ratio or 1.0]))
    return [math.log10(low / 1.05), math.log10(high * 1.08)]


def _now(ratio: float, recall: float, base: Ground) -> dict[str, Any]:
    """Return the label above the line of the present budget, kept inside the picture at both ends."""
    at = math.log10(ratio)
    anchor = "left" if ratio < 1.5 else "right" if ratio > 7 else "center"
    label = f"now {ratio:.1f}×, {percent(recall)}"
    place = {"xref": "x", "x": at, "y": 1, "yanchor": "bottom", "xanchor": anchor}
    return note(label, base, **place, font={"color": base.ink, "size": BODY})


def _mark(ratio: float, recall: float, base: Ground) -> Any:
    marker = {"symbol": "circle", "size": 11, "color": base.ink, "line": {"color": base.paper, "width": 1.5}}
    return go.Scatter(
        x=[ratio],
        y=[recall],
        mode="markers",
        marker=marker,
        showlegend=False,
        hoverinfo="skip",
        cliponaxis=False,
    )
