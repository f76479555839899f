"""The chart of elimination: claims along their similarity, against the minimum."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import plotly.graph_objects as go

from memguard.charts.points import claim_key, verdict_meaning
from memguard.charts.style import counted, figure, hidden_axis, hover_text, listed, note, quiet_axis
from memguard.grounding.verdicts import Label, Verdict
from memguard.palette import CLAIM_MEANINGS, ground

_MARK = 13
_STACK_STEP = 0.022
"""Marks nearer than this along the axis, as a share of it, are stacked."""


def similarity_strip(verdicts: Sequence[Verdict], min_similarity: float, *, dark: bool = False) -> go.Figure:
    """Draw claims along their similarity, with the minimum as a line; shape and colour by verdict.

    Each mark's ``customdata`` is its claim's key. The axis runs to 1 and is as wide as the claims need.
    """
    base = ground(dark)
    claims = [v for v in verdicts if v.label is not Label.NOT_A_CLAIM]
    low = min([0.0, min_similarity - 0.05, *(v.similarity - 0.03 for v in claims)])
    heights = _stacked([v.similarity for v in claims], (1.02 - low) * _STACK_STEP)
    traces = []
    for meaning in CLAIM_MEANINGS:
        members = [i for i, v in enumerate(claims) if verdict_meaning(v) == meaning]
        if not members:
            continue
        opened = meaning.shape.endswith("-open")
        traces.append(
            go.Scatter(
                x=[claims[i].similarity for i in members],
                y=[heights[i] for i in members],
                mode="markers",
                name=f"{meaning.label} {len(members):,}",
                customdata=[claim_key(claims[i].claim.id) for i in members],
                hoverinfo="text",
                hovertext=[
                    hover_text(
                        meaning.label,
                        claims[i].claim.text,
                        f"similarity {claims[i].similarity:.2f} of -1 to 1, minimum {min_similarity:.2f}",
                    )
                    for i in members
                ],
                marker={
                    "symbol": meaning.shape,
                    "size": _MARK - 1 if opened else _MARK,
                    "color": meaning.tone(dark).fg,
                    "line": {"width": 2.5} if opened else {"width": 1.5, "color": base.paper},
                },
            )
        )
    top = max([2.0, *heights])
    threshold = {
        "type": "line",
        "x0": min_similarity,
        "x1": min_similarity,
        "y0": -0.8,
        "y1": top + 2.2,
        "line": {"color": base.ink, "width": 1.5, "dash": "dash"},
        "layer": "below",
    }
    right = min_similarity > 0.8
    label = note(
        f"minimum {min_similarity:.2f}",
        base,
        x=min_similarity,
        xref="x",
        xanchor="right" if right else "left",
        xshift=-4 if right else 4,
        y=top + 2.2,
        yref="y",
        yanchor="top",
        font={"color": base.ink, "size": 12},
    )
    return figure(
        traces,
        dark,
        height=max(168, min(340, 132 + int(14 * top))),
        margin={"l": 8, "r": 8, "t": 28, "b": 40},
        shapes=[threshold],
        annotations=[label],
        showlegend=bool(claims),
        legend={
            "orientation": "h",
            "x": 0,
            "y": 1.02,
            "yanchor": "bottom",
            "font": {"size": 12},
            "entrywidth": 0,
        },
        uirevision="strip",
        clickmode="event+select",
        xaxis=quiet_axis(
            base,
            title={
                "text": "similarity to the best evidence (higher = nearer)",
                "font": {"color": base.grey, "size": 12},
            },
            range=[low, 1.02],
            showline=True,
            linecolor=base.line,
            nticks=6,
        ),
        yaxis=hidden_axis(range=[-0.8, top + 2.3], fixedrange=True),
    )


def describe_similarity_strip(verdicts: Sequence[Verdict], min_similarity: float) -> str:
    """Return what the strip shows, in one sentence."""
    claims = [v for v in verdicts if v.label is not Label.NOT_A_CLAIM]
    if not claims:
        return "There are no claims to check."
    counts = Counter(verdict_meaning(v).label for v in claims)
    found = [f"{counts[m.label]:,} {m.label}" for m in CLAIM_MEANINGS if counts[m.label]]
    values = [v.similarity for v in claims]
    return (
        f"{counted(len(claims), 'claim')} with similarities from {min(values):.2f} to {max(values):.2f} "
        f"against a minimum of {min_similarity:.2f}: {listed(found)}."
    )


def _stacked(values: Sequence[float], step: float) -> list[float]:
    """Return a height for each mark so that none covers another: the lowest level that is free."""
    heights = [0.0] * len(values)
    last: list[float] = []
    for i in sorted(range(len(values)), key=lambda i: values[i]):
        level = next((n for n, end in enumerate(last) if values[i] - end >= step), len(last))
        last[level : level + 1] = [values[i]]
        heights[i] = float(level)
    return heights
