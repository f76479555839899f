"""Page Pipeline: a conversation goes through the three stages, one at a time, all at once, or played."""

from __future__ import annotations

import streamlit as st

from memguard import wire
from memguard.eliminator import Elimination
from memguard.reconstructor import Reconstruction
from memguard.trace import Trace
from pages._ui import alerts, checking, render, resources, shell, state, taking, work
from pages._ui.pipeline import compare, controls, judgement, mapview, overview, play, tour, workbench


def body(ticking: bool) -> None:
    """Draw all that follows a step or the threshold; only this is drawn again."""
    current = state.session()
    state.taken()
    state.advance(play.n_beats)
    if state.is_ticking() != ticking:
        st.rerun()  # the whole page, so that it begins or ends to draw itself again
    alerts.show(current)
    controls.reading()
    controls.offer()
    if current.trace is None:
        return
    running = work.running_stage()
    scene = play.scene_of(current.trace, current.playing) if running is None else None
    shown = scene.trace if scene is not None else current.trace
    with st.container(horizontal=True, vertical_alignment="center", key="headline"):
        st.html(overview.figures(overview.counted_so_far(shown, scene)))
        controls.shown()
        if scene is None and shown.get(Reconstruction) is not None:
            taking.popover(shown)
    controls.stepper(running, shown, scene)
    progress = st.container()
    with st.container():  # there when empty too, so that what follows keeps its place
        if running is None and scene is None:
            checking.banner(shown, "pipeline")
    if current.show == "compare" and scene is None and shown.get(Reconstruction) is not None:
        st.html(compare.panes(shown))
    else:
        bench(shown, running, scene)
    st.html(f"<footer>{overview.models(shown)}{render.notes(wire.warnings(shown))}</footer>")
    with progress:
        if running is not None:
            work.run()
        state.raise_fault()


def bench(trace: Trace, running: int | None, scene: play.Scene | None) -> None:
    """Draw transcript, results and map, and above them what only judges again."""
    selected = scene.claim if scene is not None else state.session().selected
    if trace.get(Elimination) is not None and scene is None:
        judgement.bar()
    with st.container(key="bench"):
        left, middle, right = st.columns([37, 34, 29], gap="medium", wrap=False)
        with left:
            st.html(overview.transcript_head(trace))
            workbench.transcript(trace, selected, scene)
        with middle:
            workbench.stage_results(trace, selected, running, scene)
        with right:
            mapview.panel()


shell.enter(shows_work=True)
controls.conversation()
tour.panel()
ticking = state.is_ticking()
st.fragment(body, run_every=state.BEAT_S if ticking else None)(ticking)
resources.warm()
