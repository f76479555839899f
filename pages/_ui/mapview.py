"""The live map: sentences, picks and claims, drawn when the worker has placed them."""

from __future__ import annotations

from concurrent.futures import Future
from typing import TYPE_CHECKING

import streamlit as st

from memguard import charts
from memguard.compressor import Compression
from memguard.errors import MemGuardError
from memguard.trace import Trace
from pages._ui import render, resources, shell, state

if TYPE_CHECKING:
    from memguard.geometry.projection import Layout

_POLL_S = 1.0
_HEIGHT = 480


def panel() -> None:
    """Draw the map's column; while the map is computed, it looks again every second by itself."""
    trace = state.session().trace
    if trace is None:
        return
    future = resources.layout(trace) if trace.get(Compression) is not None else None
    waiting = future is not None and not future.done()
    st.fragment(_draw, run_every=_POLL_S if waiting else None)(waiting)


def _draw(waiting: bool) -> None:
    session = state.session()
    trace = session.trace
    if trace is None:
        return
    st.html('<div class="mg-panehead">Map <small>points close together mean similar things</small></div>')
    if trace.get(Compression) is None:
        _hint(
            "The map starts with stage 1",
            "Every sentence of the transcript becomes a point; claims join them in stage 2.",
        )
        return
    future = resources.layout(trace)
    if not future.done():
        _waiting()
        return
    if waiting:
        st.rerun()  # the whole page, so that it stops looking again
    _map(trace, future, session.selected)


def _waiting() -> None:
    if resources.map_worker().state == "warming":
        _hint(
            "The map is warming up",
            "This takes about twenty seconds, once after the app starts. Everything else works meanwhile.",
        )
    else:
        _hint("Placing the sentences", "The map appears by itself.")


def _map(trace: Trace, future: Future[Layout], selected: str | None) -> None:
    try:
        layout = future.result()
    except MemGuardError as error:
        _hint("The map could not be drawn", str(error))
        st.button("Draw it again", icon=":material/refresh:", on_click=resources.forget_layout, args=(trace,))
        return
    if not layout.points:
        _hint("Nothing to draw", "The transcript holds no text.")
        return
    points, links = charts.map_points(trace, layout, resources.sentences(trace)[0])
    chosen = charts.claim_key(selected) if selected is not None else None
    st.plotly_chart(
        charts.embedding_map(points, links, dark=shell.is_dark(), selected=chosen),
        key=state.MAP,
        theme=None,
        height=_HEIGHT,
        config={"displayModeBar": False},
        alt=charts.describe_embedding_map(points, links),
        on_select=state.on_point,
        selection_mode="points",
    )


def _hint(title: str, line: str) -> None:
    st.html(f'<div class="mg-hint mg-maphint"><b>{title}</b><p>{render.text(line)}</p></div>')
