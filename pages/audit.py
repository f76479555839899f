"""Page Audit: the hash chain of the run, verified on the spot."""

from __future__ import annotations

import streamlit as st

from memguard import audit
from pages._ui import alerts, chain, render, shell, state


def page() -> None:
    """Draw the page."""
    current = state.ready()
    alerts.show(current)
    trace = current.trace
    title = f"Audit of {render.text(current.source.title)}" if current.source is not None else "Audit"
    if trace is None or not trace.results:
        st.html(f'<div class="mg-title">{title}</div>')
        st.html(
            '<div class="mg-hint"><b>No stage has run yet</b>'
            "<p>Run a stage on the Pipeline page; every stage adds one record to the chain.</p></div>"
        )
        with st.container(horizontal_alignment="center"):
            st.page_link(
                shell.PIPELINE, label="Open Pipeline", icon=":material/account_tree:", width="content"
            )
        return
    records = audit.records(trace)
    exported = audit.dumps(records)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(
            f'<div class="mg-title">{title}</div><p class="mg-description">One record for each finished '
            "stage, and a closing one. Each holds the hash of the one before, so an edited or missing record "
            "breaks the chain.</p>"
        )
        st.download_button(
            "Download JSONL",
            exported,
            "memguard-audit.jsonl",
            "application/jsonl",
            key="download",
            icon=":material/download:",
            on_click="ignore",
        )
    st.html(chain.verdict(audit.verify_text(exported)))
    st.html(chain.table(records))


shell.enter()
page()
