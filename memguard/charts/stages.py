"""The charts of compression: relevance and picks, and the token gauge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from memguard.charts.style import counted, figure, hidden_axis, hover_text, note, quiet_axis
from memguard.compressor import Compression, Decision, MessageDecision
from memguard.palette import ground

_DECISIONS = {
    Decision.PICKED: "picked",
    Decision.OVER_BUDGET: "over budget, so picking stopped",
    Decision.NOT_REACHED: "not reached",
    Decision.BLANK: "blank",
}
_RANKS_SHOWN = 10
_BARS_WITH_RANKS = 80
"""More ranks, or ranks on narrower bars, would overlap; the hover labels hold every rank."""


def relevance_chart(compression: Compression, *, dark: bool = False) -> go.Figure:
    """Draw each message's relevance in conversation order; picks are dark, dotted and ranked.

    Each bar's ``customdata`` is its message's id.
    """
    base = ground(dark)
    messages = compression.messages
    if not messages:
        text = "Nothing was selected: the summary was given." if compression.given else "No messages yet."
        empty = note(text, base, x=0.5, y=0.5, font={"color": base.grey, "size": 14})
        axes = {"xaxis": hidden_axis(), "yaxis": hidden_axis()}
        return figure([], dark, height=220, annotations=[empty], **axes)
    places = list(range(1, len(messages) + 1))
    picked = [(x, m) for x, m in zip(places, messages, strict=True) if m.decision is Decision.PICKED]
    others = [(x, m) for x, m in zip(places, messages, strict=True) if m.decision is not Decision.PICKED]
    low = min(0.0, min(m.relevance for m in messages))
    high = max(m.relevance for m in messages)
    head = (high - low or 1.0) * 0.05
    shown = _RANKS_SHOWN if len(messages) <= _BARS_WITH_RANKS else 0
    traces = [
        _bars(others, f"not picked {len(others):,}", base.line, dark),
        _bars(picked, _pick_words(len(picked), shown), base.ink, dark),
        go.Scatter(
            x=[x for x, _ in picked],
            y=[max(m.relevance, 0.0) + head for _, m in picked],
            mode="markers+text",
            text=[str(m.rank) if m.rank is not None and m.rank <= shown else "" for _, m in picked],
            textposition="top center",
            textfont={"size": 11, "color": base.ink},
            marker={"symbol": "circle", "size": 5, "color": base.ink},
            hoverinfo="skip",
            showlegend=False,
            cliponaxis=False,
        ),
    ]
    return figure(
        traces,
        dark,
        height=220,
        margin={"l": 44, "r": 8, "t": 28, "b": 40},
        barmode="overlay",
        bargap=0.25 if len(messages) <= 120 else 0.0,
        showlegend=True,
        legend={
            "orientation": "h",
            "x": 0,
            "y": 1.02,
            "yanchor": "bottom",
            "font": {"size": 12},
            "entrywidth": 0,
        },
        uirevision="relevance",
        xaxis=quiet_axis(
            base,
            title={
                "text": "message, in the order of the conversation",
                "font": {"color": base.grey, "size": 12},
            },
            range=[0.4, len(messages) + 0.6],
            tickformat="d",
            nticks=min(12, len(messages)),
        ),
        yaxis=quiet_axis(
            base,
            title={"text": "relevance", "font": {"color": base.grey, "size": 12}},
            range=[low - head, high + head * 5],
            nticks=4,
            zeroline=True,
            zerolinecolor=base.line,
        ),
    )


def describe_relevance_chart(compression: Compression) -> str:
    """Return what the relevance chart shows, in one sentence."""
    messages = compression.messages
    if not messages:
        return (
            "No message was selected: the summary was given."
            if compression.given
            else "There are no messages."
        )
    picked = sorted((m for m in messages if m.decision is Decision.PICKED), key=lambda m: m.rank or 0)
    values = [m.relevance for m in messages]
    first = f", first {picked[0].message_id}" if picked else ""
    return (
        f"{len(picked):,} of {counted(len(messages), 'message')} "
        f"{'was' if len(picked) == 1 else 'were'} picked{first}; relevance runs from {min(values):.2f} "
        f"to {max(values):.2f}."
    )


def token_gauge(used: int, budget: int, *, dark: bool = False) -> go.Figure:
    """Draw how much of a token budget is used; what is over it is hatched and named."""
    base = ground(dark)
    end = max(used, budget, 1)
    over = max(0, used - budget)
    shapes = [_box(0, budget, fillcolor=base.line), _box(0, min(used, budget), fillcolor=base.ink)]
    traces = []
    if over:
        traces.append(
            go.Bar(
                x=[over],
                base=[budget],
                y=[0.0],
                width=1.0,
                orientation="h",
                marker={
                    "color": base.paper,
                    "line": {"color": base.ink, "width": 1},
                    "pattern": {"shape": "/", "fgcolor": base.ink, "bgcolor": base.paper, "size": 6},
                },
                hoverinfo="skip",
            )
        )
        shapes.append(_box(budget, budget, y0=-0.9, y1=0.9, line={"color": base.ink, "width": 2}))
    share = f"{used / budget:.0%}" if budget else ""
    right = f"{over:,} over budget" if over else share
    labels = [
        note(f"<b>{used:,}</b> of {budget:,} tokens", base, x=0, xanchor="left", y=1, yanchor="top"),
        note(right, base, x=1, xanchor="right", y=1, yanchor="top"),
    ]
    for label in labels:
        label["font"] = {"size": 13, "color": base.ink}
    return figure(
        traces,
        dark,
        height=56,
        margin={"l": 0, "r": 0, "t": 0, "b": 4},
        shapes=shapes,
        annotations=labels,
        xaxis=hidden_axis(range=[0, end], fixedrange=True),
        yaxis=hidden_axis(range=[-1, 4.2], fixedrange=True),
    )


def describe_token_gauge(used: int, budget: int) -> str:
    """Return what the gauge shows, in one sentence."""
    over = used - budget
    end = f", {over:,} over budget" if over > 0 else f", {-over:,} left"
    return f"{used:,} of {counted(budget, 'token')} used{end}."


def _bars(rows: Sequence[tuple[int, MessageDecision]], name: str, colour: str, dark: bool) -> Any:
    base = ground(dark)
    return go.Bar(
        x=[x for x, _ in rows],
        y=[m.relevance for _, m in rows],
        name=name,
        customdata=[m.message_id for _, m in rows],
        hoverinfo="text",
        hovertext=[hover_text(m.message_id, _DECISIONS[m.decision], _numbers(m)) for _, m in rows],
        marker={
            "color": colour,
            "line": {"width": 0},
            "pattern": {
                "shape": ["/" if m.decision is Decision.OVER_BUDGET else "" for _, m in rows],
                "fgcolor": base.grey,
                "size": 5,
            },
        },
    )


def _pick_words(n_picked: int, shown: int) -> str:
    words = f"picked {n_picked:,}"
    return f"{words}, first {min(n_picked, shown)} numbered" if shown else words


def _numbers(message: MessageDecision) -> str:
    parts = [f"relevance {message.relevance:.2f}"]
    if message.rank is not None:
        parts.append(f"rank {message.rank}")
    if message.max_similarity is not None:
        parts.append(f"similarity to earlier picks {message.max_similarity:.2f}")
    return ", ".join([*parts, counted(message.n_tokens, "token")])


def _box(x0: float, x1: float, *, y0: float = -0.5, y1: float = 0.5, **style: Any) -> dict[str, Any]:
    return {
        "type": "rect",
        "x0": x0,
        "x1": x1,
        "y0": y0,
        "y1": y1,
        "line": {"width": 0},
        "layer": "below",
        **style,
    }
