"""Page Drift lab: put drift into a summary, measure how much is caught, and play against MemGuard."""

from __future__ import annotations

import streamlit as st

from memguard.eliminator import Elimination
from pages._ui import alerts, needs, render, resources, shell, state
from pages._ui.drift_lab import choices, panels

_PANELS = {"inject": panels.inject, "rates": panels.rate, "game": panels.game}
_LINES: dict[choices.Mode, str] = {
    "inject": "Make a true summary wrong, by kind or by hand, and see what MemGuard says of each claim.",
    "rates": "How many labelled drifted claims are dropped, and how many true ones with them.",
    "game": "Some of these claims were made wrong. Find them before MemGuard does.",
}


def page() -> None:
    """Draw the page."""
    current = state.ready()
    lab = choices.lab()
    with st.container(horizontal=True, vertical_alignment="center", key="lab_head"):
        of = f" of {render.text(current.source.title)}" if current.source is not None else ""
        st.html(f'<div class="mg-title">Drift lab{of}</div><p class="mg-description">{_LINES[lab.mode]}</p>')
        drawn = state.key("lab_mode")
        st.segmented_control(
            "View",
            list(choices.MODES),
            default=lab.mode,
            required=True,
            format_func=choices.MODES.__getitem__,
            key=drawn,
            on_change=choices.on_mode,
            args=(drawn,),
            label_visibility="collapsed",
        )
    source = current.source
    sample = resources.samples().get(source.sample) if source is not None else None
    if sample is None:  # a conversation of one's own has no labels: what its run kept is taken for true
        trace = needs.results(Elimination, "No claims to work on yet")
    else:
        alerts.show(current)
        trace = current.trace
    if trace is not None:
        st.fragment(_PANELS[lab.mode])(choices.follow(lab, trace, sample))


shell.enter()
page()
resources.warm()
