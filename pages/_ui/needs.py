"""What a page needs before it has something to show: a run that has come far enough."""

from __future__ import annotations

import streamlit as st

from memguard.trace import Trace
from pages._ui import alerts, checking, render, shell, state, work


def results(produced: type, title: str, *, page: str = "") -> Trace | None:
    """Return the session's trace if it holds a result of this type; else draw what to do and return None.

    The button runs the stages that are left where the person is, with their progress.

    Args:
        produced: What the page shows: ``Compression``, ``Elimination`` or ``Reconstruction``.
        title: What will be seen here, as a heading: "No claims yet".
        page: The page's name, for one that draws its head only with a result.
    """
    current = state.ready()
    alerts.show(current)
    trace = current.trace
    running = work.running_stage()
    if trace is not None and trace.get(produced) is not None and running is None:
        return trace
    if page:
        of = "" if current.source is None else f" of {render.text(current.source.title)}"
        st.html(f'<div class="mg-title">{render.text(page)}{of}</div>')
    if running is not None:
        work.run()
        return None
    source = "" if current.source is None else f" of <b>{render.text(current.source.title)}</b>"
    st.html(
        f'<div class="mg-hint"><b>{render.text(title)}</b>'
        f"<p>This page shows the run{source}. Run the three stages here, or one at a time on the "
        "Pipeline page.</p></div>"
    )
    with st.container(horizontal=True, horizontal_alignment="center", vertical_alignment="center"):
        st.button(
            "Run all",
            key="needs_run",
            type="primary",
            on_click=state.on_finish,
            icon=":material/fast_forward:",
            disabled=trace is None,
        )
        checking.button("needs_planted")
        st.page_link(shell.PIPELINE, label="Open Pipeline", icon=":material/account_tree:", width="content")
    state.raise_fault()
    return None
