"""The live map: sentences, picks and claims, drawn when the worker has placed them."""

from __future__ import annotations

from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from memguard import charts
from memguard.compressor import Compression
from memguard.eliminator import Elimination
from memguard.settings import EliminationSettings
from memguard.trace import Trace
from pages._ui import placing, resources, shell, state

if TYPE_CHECKING:
    from memguard.geometry.projection import Layout

_VIEWS = {
    "map": ("Map", "close means similar"),
    "scores": ("Scores", "the shaded corner passes"),
}
_HEIGHT, _BELOW_THE_BAR = 480, 420
"""In pixels; the bar with preset and thresholds, there from stage 2 on, takes its room from the map."""


def panel() -> None:
    """Draw the map's column; while the map is computed, it looks again every second by itself."""
    trace = _trace()
    if trace is None:
        return
    future = resources.layout(trace) if trace.get(Compression) is not None else None
    waiting = future is not None and not future.done()
    st.fragment(_draw, run_every=placing.POLL_S if waiting else None)(waiting)


def _trace() -> Trace | None:
    """Return the trace that is mapped: while the run is played, as it was before the stage that is shown.

    So a sub-step asks for no other map.
    """
    session = state.session()
    trace, playing = session.trace, session.playing
    if trace is None or playing is None:
        return trace
    return trace.rewind(len(trace.results) - playing.stage) if len(trace.results) > playing.stage else trace


def _draw(waiting: bool) -> None:
    session = state.session()
    trace = _trace()
    if trace is None:
        return
    future = resources.layout(trace) if trace.get(Compression) is not None else None
    if waiting and future is not None and future.done():
        st.rerun()  # the whole page, so that it stops looking again
    elimination = trace.get(Elimination)
    _head(choice=elimination is not None)
    if elimination is not None and session.view == "scores":
        _scores(elimination, trace.settings.elimination, session.selected)
    elif future is None:
        placing.hint(
            "The map starts with stage 1",
            "Every sentence of the transcript becomes a point; claims join them in stage 2.",
        )
    else:
        _map(trace, future, session.selected)


def _head(*, choice: bool) -> None:
    """Draw the heading and, where there are claims, the choice between the two pictures of them."""
    view = state.session().view if choice else "map"
    with st.container(horizontal=True, vertical_alignment="center", key="maphead"):
        st.html(f'<div class="mg-panehead">{_VIEWS[view][0]} <small>{_VIEWS[view][1]}</small></div>')
        if choice:
            st.segmented_control(
                "Picture",
                list(_VIEWS),
                default=view,
                required=True,
                format_func=lambda name: _VIEWS[name][0],
                key=state.VIEW,
                on_change=state.on_view,
                label_visibility="collapsed",
            )


def _scores(elimination: Elimination, settings: EliminationSettings, selected: str | None) -> None:
    chosen = charts.claim_key(selected) if selected is not None else None
    st.plotly_chart(
        charts.score_chart(elimination.verdicts, settings, dark=shell.is_dark(), selected=chosen),
        key=state.SCORES,
        theme=None,
        height=_BELOW_THE_BAR,
        config={"displayModeBar": False},
        alt=charts.describe_score_chart(elimination.verdicts, settings),
        on_select=partial(state.on_point, state.SCORES),
        selection_mode="points",
    )


def _map(trace: Trace, future: Future[Layout], selected: str | None) -> None:
    layout = placing.settled(future, partial(resources.forget_layout, trace))
    if layout is None:
        return
    points, links = charts.map_points(trace, layout, resources.sentences(trace)[0])
    chosen = charts.claim_key(selected) if selected is not None else None
    st.plotly_chart(
        charts.embedding_map(points, links, dark=shell.is_dark(), selected=chosen),
        key=state.MAP,
        theme=None,
        height=_HEIGHT if trace.get(Elimination) is None else _BELOW_THE_BAR,
        config={"displayModeBar": False},
        alt=charts.describe_embedding_map(points, links),
        on_select=partial(state.on_point, state.MAP),
        selection_mode="points",
    )
