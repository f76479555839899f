"""Page Pipeline: a conversation goes through the three stages, one at a time or all at once."""

from __future__ import annotations

import streamlit as st

from memguard import wire
from memguard.eliminator import Elimination
from pages._ui import alerts, render, resources, shell, state, work
from pages._ui.pipeline import controls, judgement, mapview, overview, workbench


@st.fragment
def body() -> None:
    """Draw all that follows a step or the threshold; only this is drawn again."""
    current = state.session()
    alerts.show(current)
    trace = current.trace
    if trace is None:
        return
    running = work.running_stage()
    st.html(overview.figures(trace))
    controls.stepper(running)
    progress = st.container()
    if trace.get(Elimination) is not None:
        judgement.bar()
    with st.container(key="bench"):
        left, middle, right = st.columns([37, 34, 29], gap="medium", wrap=False)
        with left:
            st.html(overview.transcript_head(trace))
            workbench.transcript(trace, current.selected)
        with middle:
            workbench.stage_results(trace, current.selected, running)
        with right:
            mapview.panel()
    st.html(f"<footer>{overview.models(trace)}{render.notes(wire.warnings(trace))}</footer>")
    with progress:
        if running is not None:
            work.run()
        state.raise_fault()


shell.enter()
state.ready()
controls.conversation()
body()
resources.warm()
