"""Page Audit: the hash chain of the run, verified on the spot, and what was found of every claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from memguard import audit
from memguard.eliminator import Elimination
from memguard.reconstructor import Reconstruction
from memguard.trace import Trace
from pages._ui import alerts, render, shell, state
from pages._ui.audit import chain, ledger


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
    claims(trace)


def claims(trace: Trace) -> None:
    """Draw what was found of every claim, as the elimination record holds it."""
    elimination, reconstruction = trace.get(Elimination), trace.get(Reconstruction)
    if elimination is None:
        return
    verdicts = (*elimination.verdicts, *(reconstruction.verbatim if reconstruction is not None else ()))
    st.html('<div class="mg-title">Claims</div>')
    with st.container(horizontal=True, gap="medium"):
        reasons = _filter("Reason", ledger.reasons(verdicts), "reasons")
        guards = _filter("Guard that saw something", ledger.guards(verdicts), "guards")
    shown = ledger.chosen(verdicts, reasons, guards)
    st.html(ledger.table(shown, len(verdicts), trace.conversation))


def _filter(label: str, names: Mapping[str, str], key: str) -> Sequence[str]:
    """Draw a filter where there is something to choose from."""
    if not names:
        return ()
    return st.pills(
        label, [*names], selection_mode="multi", format_func=names.__getitem__, key=key, width="content"
    )


shell.enter()
page()
