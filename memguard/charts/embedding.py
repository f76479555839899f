"""The map: sentences as quiet ground, claims on it by shape and colour, lines to their evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from memguard.charts.points import Kind, MapLink, MapPoint
from memguard.charts.style import (
    CLAIM_SIZE,
    claim_marker,
    counted,
    figure,
    hidden_axis,
    hover_text,
    listed,
    note,
    ring_marker,
)
from memguard.palette import CLAIM_MEANINGS, EVIDENCE, KEPT, Meaning, ground

_MEANINGS: dict[str, Meaning] = {meaning.key: meaning for meaning in CLAIM_MEANINGS}
_WORDS = {"sentence": "sentence", "picked": "picked", **{m.key: m.label for m in CLAIM_MEANINGS}}
_ORDER: tuple[Kind, ...] = (
    "sentence",
    "picked",
    "verbatim",
    "kept",
    "dropped_not_found",
    "dropped_by_person",
    "needs_review",
    "dropped_contradicted",
)
"""From the ground up: what is drawn later lies on top."""
GL_ABOVE = 1_500
"""Points from which WebGL draws. Below, SVG is as quick, is sharper, and needs no graphics driver,
without which a browser shows an error in place of a WebGL chart."""
_HEIGHT = 440
_SPARSE = 5
_LAST_RANK = 2_000
"""After every kind in the legend; plotly's default rank is 1,000."""


def embedding_map(
    points: Sequence[MapPoint],
    links: Sequence[MapLink],
    *,
    dark: bool = False,
    selected: str | None = None,
) -> go.Figure:
    """Draw the map of a conversation.

    Each point's ``customdata`` is its key. What a viewer zoomed to stays when the figure is drawn
    anew (``uirevision``).

    Args:
        points: In any order; none gives a figure that says so.
        links: From claims to evidence; one with an unknown key is left out.
        dark: For dark paper.
        selected: Key of a point to single out, with its links and what they lead to.
    """
    base = ground(dark)
    draw = go.Scattergl if len(points) > GL_ABOVE else go.Scatter
    by_key = {point.key: point for point in points}
    known = [link for link in links if link.claim in by_key and link.evidence in by_key]
    chosen = [link for link in known if selected in (link.claim, link.evidence)]
    counts: Counter[str] = Counter(point.kind for point in points)
    traces: list[Any] = []
    if known:
        quiet = [link for link in known if link not in chosen]
        traces.append(_lines(draw, quiet, by_key, base.grey, 1.0, 0.4))
    blue = EVIDENCE.tone(dark).fg
    for kind in _ORDER:
        members = [point for point in points if point.kind == kind]
        if members:
            traces.append(_marks(draw, kind, members, counts, dark))
        if kind == "picked":
            entered = [point for point in points if point.in_payload]
            traces += [_halos(draw, entered, dark)] if entered else []
            traces += [_lines(draw, chosen, by_key, blue, 2.0, 1.0)] if chosen else []
    ringed = {key for link in chosen for key in (link.claim, link.evidence)} | {selected}
    singled = [by_key[key] for key in by_key if key in ringed]
    if singled:
        traces.append(_rings(draw, singled, blue))
    return figure(
        traces,
        dark,
        height=_HEIGHT,
        margin={"l": 4, "r": 4, "t": 4, "b": 4},
        uirevision="map",
        dragmode="pan",
        clickmode="event+select",
        showlegend=bool(points),
        legend={
            "orientation": "h",
            "x": 0,
            "y": 0,
            "yanchor": "top",
            "font": {"size": 12, "color": base.ink},
            "itemsizing": "trace",
            "tracegroupgap": 0,
            "entrywidth": 0,
        },
        # Not "range", plotly's default: each change of the window's size would widen it for good.
        xaxis=hidden_axis(constrain="domain", **_room([p.x for p in points])),
        yaxis=hidden_axis(constrain="domain", scaleanchor="x", scaleratio=1, **_room([p.y for p in points])),
        annotations=_notes(points, base),
    )


def describe_embedding_map(points: Sequence[MapPoint], links: Sequence[MapLink]) -> str:
    """Return what the map shows, in one sentence."""
    if not points:
        return "The map is empty: the conversation has no sentences yet."
    counts: Counter[str] = Counter(point.kind for point in points)
    sentences = counts["sentence"] + counts["picked"]
    n_claims = sum(1 for point in points if point.key.startswith("claim:"))
    text = f"A map of {counted(sentences, 'sentence')}"
    text += f", {counts['picked']:,} of them picked" if counts["picked"] else ""
    if counts["verbatim"]:
        text += f", {counts['verbatim']:,} quoted verbatim"
    if n_claims:
        found = [
            f"{counts[m.key]:,} {m.label}" for m in CLAIM_MEANINGS if m.key != "verbatim" and counts[m.key]
        ]
        linked = len({link.claim for link in links})
        entered = sum(1 for point in points if point.in_payload and point.key.startswith("claim:"))
        text += f", and {counted(n_claims, 'claim')} ({listed(found)}), {linked:,} with a line to a source"
        text += f"; {entered:,} {'is' if entered == 1 else 'are'} in the context" if entered else ""
    return f"{text}."


def _marks(draw: Any, kind: Kind, members: Sequence[MapPoint], counts: Counter[str], dark: bool) -> Any:
    base = ground(dark)
    meaning = _MEANINGS.get(kind)
    word = _WORDS[kind]
    if meaning is None:
        n_sentences = counts["sentence"] + counts["picked"]
        small = 7 if n_sentences <= 200 else 5 if n_sentences <= 1_000 else 4
        picked = kind == "picked"
        marker: dict[str, Any] = {
            "symbol": "circle",
            "size": small + 1 if picked else small,
            "color": base.ink if picked else base.grey,
            "opacity": 0.62 if picked else 0.4,
            "line": {"width": 0},
        }
        words = "sentences" if kind == "sentence" and len(members) != 1 else word
    else:
        marker = claim_marker(meaning, dark)
        words = word
    return draw(
        x=[p.x for p in members],
        y=[p.y for p in members],
        mode="markers",
        name=f"{words} {len(members):,}",
        legendrank=list(_WORDS).index(kind) + 1,
        customdata=[p.key for p in members],
        hoverinfo="text",
        hovertext=[hover_text(word, p.text, p.detail) for p in members],
        marker=marker,
        # A click is shown by a ring; plotly's own way, dimming everything else, hides the map.
        selected={"marker": {"opacity": marker["opacity"]}},
        unselected={"marker": {"opacity": marker["opacity"]}},
    )


def _lines(
    draw: Any,
    links: Sequence[MapLink],
    by_key: dict[str, MapPoint],
    colour: str,
    width: float,
    opacity: float,
) -> Any:
    xs: list[float | None] = []
    ys: list[float | None] = []
    for link in links:
        claim, evidence = by_key[link.claim], by_key[link.evidence]
        xs += [claim.x, evidence.x, None]
        ys += [claim.y, evidence.y, None]
    return draw(
        x=xs,
        y=ys,
        mode="lines",
        name="nearest source",
        line={"color": colour, "width": width},
        opacity=opacity,
        hoverinfo="skip",
        showlegend=False,
    )


def _halos(draw: Any, points: Sequence[MapPoint], dark: bool) -> Any:
    tone = KEPT.tone(dark)
    return draw(
        x=[p.x for p in points],
        y=[p.y for p in points],
        mode="markers",
        name=f"in the context {len(points):,}",
        marker={
            "symbol": "circle",
            "size": CLAIM_SIZE + 11,
            "color": tone.bg,
            "opacity": 0.9,
            "line": {"width": 1, "color": tone.fg},
        },
        hoverinfo="skip",
        legendrank=_LAST_RANK,
    )


def _rings(draw: Any, points: Sequence[MapPoint], colour: str) -> Any:
    return draw(
        x=[p.x for p in points],
        y=[p.y for p in points],
        mode="markers",
        name="selected",
        marker=ring_marker(colour),
        hoverinfo="skip",
        showlegend=False,
    )


def _room(values: Sequence[float]) -> dict[str, Any]:
    """Return the range with a margin; wide enough that one point does not fill it."""
    if not values:
        return {"range": [-1, 1]}
    low, high = min(values), max(values)
    margin = max(0.06 * (high - low), 0.5 if len(values) < _SPARSE else 0.1)
    return {"range": [low - margin, high + margin]}


def _notes(points: Sequence[MapPoint], base: Any) -> list[dict[str, Any]]:
    if not points:
        return [
            note(
                "No sentences yet.<br>The map appears with the first message.",
                base,
                x=0.5,
                y=0.5,
                font={"color": base.grey, "size": 14},
            )
        ]
    if sum(1 for point in points if not point.key.startswith("claim:")) < _SPARSE:
        text = "Fewer than five sentences: shown by their distances, without UMAP."
        return [note(text, base, x=0, y=1, xanchor="left", yanchor="top")]
    return []
