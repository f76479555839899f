"""What is linked with the map: the table of its points, and the transcript."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from memguard.charts import MapLink, MapPoint
from memguard.charts.points import claims_of
from memguard.trace import Trace
from pages._ui import resources, theme
from pages._ui.map import details, vectors
from pages._ui.map.choices import Choices

_HEIGHT = 420
_transcript = st.components.v2.component(
    "memguard_map_transcript",
    html='<div class="mg-pane mg-map-transcript"></div>',
    js=theme.asset("map.js"),
    isolate_styles=False,
)
_lit = st.components.v2.component(
    "memguard_map_lit",
    html='<span class="mg-map-lit" hidden></span>',
    js=theme.asset("map.js"),
    isolate_styles=False,
)


def table(trace: Trace, points: Sequence[MapPoint], choices: Choices) -> str | None:
    """Draw a row a point and return the key of the row that was chosen since the last time, if any."""
    found = {verdict.claim.id: verdict for verdict in claims_of(trace)}
    rows = details.table(points, choices.pinned, found)
    has_first = bool(len(rows)) and points[rows.index[0]].key == choices.pinned
    event = st.dataframe(
        rows,
        height=_HEIGHT,
        hide_index=True,
        placeholder="–",
        key=f"map_rows:{choices.turn}:{len(points)}:{trace.conversation.digest()[:12]}",
        on_select="rerun",
        selection_mode="single-row",
        selection_default={"selection": {"rows": [0] if has_first else [], "columns": [], "cells": []}},
        column_order=["Point", "Where", "Text", *(["Similarity", "Support"] if found else [])],
        column_config={
            "Point": st.column_config.TextColumn(width=112),
            "Where": st.column_config.TextColumn(width=112),
            "Text": st.column_config.TextColumn(width=208 if found else 360),
            "Similarity": st.column_config.NumberColumn(
                format="%.3f", width=72, help="Cosine of a claim to its best evidence, from -1 to 1"
            ),
            "Support": st.column_config.NumberColumn(
                format="%.3f", width=64, help="How well a claim is grounded, from 0 to 1"
            ),
        },
    )
    return row_picked(event.selection.rows, [points[i].key for i in rows.index], choices)


def row_picked(rows: Sequence[int], keys: Sequence[str], choices: Choices) -> str | None:
    """Return the key of the chosen row, once: a table reports its choice again at each drawing."""
    key = keys[rows[0]] if rows and rows[0] < len(keys) else None
    if key is None or key == choices.row:
        return None
    choices.row = key
    return key


def transcript(
    trace: Trace, point: MapPoint | None, links: Sequence[MapLink], choices: Choices
) -> str | None:
    """Draw the transcript with the selection lit and return the sentence chosen since, if any."""
    spans = resources.sentences(trace)[0]
    html = vectors.once(("transcript", trace.conversation.digest()), lambda: details.transcript(trace, spans))
    result = _transcript(key="map_transcript", data={"html": html}, on_chosen_change=_unheard)
    _lit(key="map_lit", data={"keys": details.lit(point, links)})
    return sentence_picked(result.get("chosen"), choices)


def sentence_picked(chosen: object, choices: Choices) -> str | None:
    """Return the key of the chosen sentence, once: it is reported again at each drawing."""
    if not isinstance(chosen, dict):
        return None
    key, turn = chosen.get("key"), chosen.get("turn")
    if not isinstance(key, str) or not isinstance(turn, int | float) or turn <= choices.heard:
        return None
    choices.heard = float(turn)
    return key


def _unheard() -> None:
    """Do nothing: what was chosen is read where the transcript is drawn; Streamlit asks for a callback."""
