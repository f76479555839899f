"""What can be chosen on the map page."""

from __future__ import annotations

from typing import cast

import streamlit as st

from memguard.charts.colouring import ColourBy
from memguard.eliminator import Elimination
from memguard.trace import Trace
from pages._ui import render, state
from pages._ui.map.choices import COLOURS, DIMENSIONS, FEWEST, MOST, PICTURES, Choices, Picture

_ABOUT = {
    "map": "Close means similar. The map is fitted once, on the sentences; claims are placed into it, and no "
    "slider moves it.",
    "shaping": "How anchors and deformation move the vectors that are compared, and whether that parts "
    "supported from dropped claims.",
    "replay": "The conversation as it grew.",
}


def head(choices: Choices) -> None:
    """Draw the title and the choice of the picture."""
    source = state.session().source
    title = f"Embedding map of {render.text(source.title)}" if source is not None else "Embedding map"
    with st.container(horizontal=True, vertical_alignment="center", key="map_head"):
        st.html(f'<div class="mg-title">{title}</div><p class="mg-description">{_ABOUT[choices.picture]}</p>')
        picture = st.segmented_control(
            "Picture",
            [*PICTURES],
            default=choices.picture,
            required=True,
            format_func=lambda name: PICTURES[cast("Picture", name)],
            key="map_picture",
            label_visibility="collapsed",
        )
    if picture != choices.picture:
        choices.picture = picture
        st.rerun()


def bar(trace: Trace, choices: Choices) -> None:
    """Draw what the map's colours and lines are, and follow it."""
    has_claims = trace.get(Elimination) is not None
    with st.container(horizontal=True, vertical_alignment="top", gap="large", key="map_bar"):
        colour = st.segmented_control(
            "Colour by",
            [*COLOURS],
            default=choices.colour,
            required=True,
            format_func=lambda name: COLOURS[cast("ColourBy", name)],
            key="map_colour",
            help="Verdict: what became of each claim. Stage: how far a point came. Speaker: who said it, by "
            "shape and colour. Similarity: cosine to the selected point, or, with none selected, to the "
            "nearest claim or source.",
        )
        dims = st.segmented_control(
            "Dimensions",
            [*DIMENSIONS],
            default=choices.dims,
            required=True,
            format_func=DIMENSIONS.__getitem__,
            key="map_dims",
            help="Two dimensions to choose points in, three to look at.",
        )
        neighbours = st.slider(
            "Nearest points",
            FEWEST,
            MOST,
            choices.neighbours,
            key="map_neighbours",
            width=200,
            help="How many are listed beside the map and linked to the selected point.",
        )
        lines = st.toggle(
            "Lines to evidence",
            choices.lines,
            key="map_lines",
            disabled=not has_claims,
            help="From each claim to the sentences of its best evidence. Claims appear in stage 2.",
        )
        trail = st.toggle(
            "Trail",
            choices.trail,
            key="map_trail",
            help="A line through the messages in their order, the older the fainter; at most the last 120.",
        )
    choices.colour, choices.dims = colour, dims
    choices.neighbours, choices.lines, choices.trail = neighbours, lines, trail
