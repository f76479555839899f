"""Every claim by similarity and support, with both thresholds: what a moved slider would change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from memguard.charts.points import claim_key, verdict_meaning
from memguard.charts.style import claim_marker, counted, figure, hover_text, listed, note, ring_marker
from memguard.charts.thresholds import line_at, scale_axis
from memguard.grounding.verdicts import Label, Verdict
from memguard.palette import CLAIM_MEANINGS, EVIDENCE, KEPT, Meaning, ground
from memguard.settings import EliminationSettings

_HEIGHT = 420
_ROOM = 0.04
"""Beyond the ends of both scales, so that a point on an end is whole."""


def score_chart(
    verdicts: Sequence[Verdict],
    settings: EliminationSettings,
    *,
    dark: bool = False,
    selected: str | None = None,
) -> go.Figure:
    """Draw similarity against support, a point a claim; the shaded corner passes every minimum.

    Each point's ``customdata`` is its key. What is not a claim is left out.

    Args:
        verdicts: In any order; none gives a figure that says so.
        settings: The thresholds; the contract preset draws none for support.
        dark: For dark paper.
        selected: Key of a claim to single out.
    """
    base, shown = ground(dark), _shown(verdicts)
    low = min([0.0, settings.min_similarity, *(v.similarity for v in shown)])
    min_support = _min_support(settings)
    traces: list[Any] = []
    for meaning in CLAIM_MEANINGS:
        members = [v for v in shown if verdict_meaning(v) is meaning]
        if members:
            traces.append(_marks(meaning, members, dark))
    ringed = [v for v in shown if claim_key(v.claim.id) == selected]
    if ringed:
        traces.append(_points(ringed, name="selected", marker=ring_marker(EVIDENCE.tone(dark).fg)))
    lines = [line_at(settings.min_similarity, base.ink)]
    lines += [_level_at(min_support, base.ink)] if min_support is not None else []
    grid = {"showgrid": True, "gridcolor": base.line}
    corner = {
        "type": "rect",
        "x0": settings.min_similarity,
        "x1": 1 + _ROOM,
        "y0": -_ROOM if min_support is None else min_support,
        "y1": 1 + _ROOM,
        "fillcolor": KEPT.tone(dark).bg,
        "opacity": 0.6,
        "line": {"width": 0},
        "layer": "below",
    }
    return figure(
        traces,
        dark,
        height=_HEIGHT,
        margin={"l": 48, "r": 8, "t": 24, "b": 8},
        uirevision="scores",
        dragmode=False,
        clickmode="event+select",
        showlegend=bool(shown),
        legend={"orientation": "h", "x": 0, "y": -0.16, "yanchor": "top", "font": {"color": base.ink}},
        shapes=[corner, *lines],
        xaxis=scale_axis("Similarity", low, base, **grid, range=[low - _ROOM, 1 + _ROOM]),
        yaxis=scale_axis("Support", 0, base, **grid, range=[-_ROOM, 1 + _ROOM]),
        annotations=_notes(settings, min_support, base) if shown else [_nothing(base)],
    )


def describe_score_chart(verdicts: Sequence[Verdict], settings: EliminationSettings) -> str:
    """Return what the chart shows, in one sentence."""
    shown = _shown(verdicts)
    if not shown:
        return "The chart is empty: there are no claims."
    found = [verdict_meaning(v) for v in shown]
    parts = [f"{found.count(m):,} {m.label}" for m in CLAIM_MEANINGS if m in found]
    minimums = f"minimum similarity {settings.min_similarity:.2f}"
    if _min_support(settings) is not None:
        minimums += f" and minimum support {settings.min_support:.2f}"
    return f"{counted(len(shown), 'claim')} by similarity and support ({listed(parts)}), with the {minimums}."


def _shown(verdicts: Sequence[Verdict]) -> list[Verdict]:
    return [v for v in verdicts if v.label is not Label.NOT_A_CLAIM]


def _min_support(settings: EliminationSettings) -> float | None:
    return None if settings.preset == "contract" else settings.min_support


def _marks(meaning: Meaning, members: Sequence[Verdict], dark: bool) -> Any:
    marker = claim_marker(meaning, dark)
    return _points(
        members,
        name=f"{meaning.label} {len(members):,}",
        showlegend=True,
        customdata=[claim_key(v.claim.id) for v in members],
        hoverinfo="text",
        hovertext=[
            hover_text(
                meaning.label,
                v.claim.text,
                f"similarity {v.similarity:.2f}, support {v.support:.2f}\n{v.detail}".rstrip(),
            )
            for v in members
        ],
        marker=marker,
        selected={"marker": {"opacity": marker["opacity"]}},
        unselected={"marker": {"opacity": marker["opacity"]}},
    )


def _points(members: Sequence[Verdict], **more: Any) -> Any:
    shown: dict[str, Any] = {"showlegend": False, "hoverinfo": "skip", "cliponaxis": False, **more}
    return go.Scatter(
        x=[v.similarity for v in members], y=[v.support for v in members], mode="markers", **shown
    )


def _level_at(value: float, colour: str) -> dict[str, Any]:
    """Return a level line over the whole width: ``line_at`` with its sides changed."""
    flip = {"x0": "y0", "x1": "y1", "y0": "x0", "y1": "x1", "yref": "xref"}
    return {flip.get(name, name): part for name, part in line_at(value, colour).items()}


def _notes(settings: EliminationSettings, min_support: float | None, base: Any) -> list[dict[str, Any]]:
    notes = [
        note(
            f"minimum {settings.min_similarity:.2f}",
            base,
            xref="x",
            x=settings.min_similarity,
            y=1,
            yanchor="bottom",
        )
    ]
    if min_support is not None:
        notes.append(
            note(
                f"minimum {min_support:.2f}",
                base,
                yref="y",
                x=0,
                y=min_support,
                xanchor="left",
                yanchor="bottom",
            )
        )
    return notes


def _nothing(base: Any) -> dict[str, Any]:
    return note("No claims yet.", base, x=0.5, y=0.5)
