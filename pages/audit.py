"""Page Audit: the hash chain of the run as a timeline, verified on the spot, to read and to hand over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from memguard.compressor import Compression
from memguard.reports import Report
from pages._ui import alerts, needs, render, shell, state, work
from pages._ui.audit import chain, files, ledger


def page() -> None:
    """Draw the audit of this session's run, or the earlier one that was opened."""
    current = state.ready()
    opened, trace = files.opened(), current.trace
    title = current.source.title if current.source is not None else ""
    if opened.report is not None:
        alerts.show(current)
        _head("Earlier audit", opened.report, own=False)
        files.banner(opened)
        _report(opened.report)
    elif trace is not None and trace.results and work.running_stage() is None:
        alerts.show(current)
        report = files.own_report(trace, title)
        _head(f"Audit of {render.text(title)}", report)
        _report(report)
    else:
        _head(f"Audit of {render.text(title)}" if title else "Audit", None)
        needs.results(Compression, "No stage has run yet")


def _head(title: str, report: Report | None, *, own: bool = True) -> None:
    """Draw the title, already HTML, with what leaves the page and what comes in."""
    with st.container(horizontal=True, vertical_alignment="center", key="audit-head"):
        st.html(
            f'<div class="mg-title">{title}</div><p class="mg-description">One record for each finished '
            "stage, one of what a person decided, and a closing one. Each holds the hash of the one before, "
            "so an edited or missing record breaks the chain.</p>"
        )
        files.importer()
        if report is not None:
            files.exporter(report, own=own)


def _report(report: Report) -> None:
    st.html(chain.verdict(report.verification, report.faults))
    st.html(chain.timeline(report))
    if report.claims:
        claims(report)


@st.fragment
def claims(report: Report) -> None:
    """Draw what was found of every claim, as the records hold it."""
    st.html('<div class="mg-title">Claims</div>')
    with st.container(horizontal=True, gap="medium"):
        reasons = _filter("Reason", ledger.reasons(report.claims), "reasons")
        guards = _filter("Guard that saw something", ledger.guards(report.claims), "guards")
    st.html(ledger.table(ledger.chosen(report.claims, reasons, guards), len(report.claims)))


def _filter(label: str, names: Mapping[str, str], key: str) -> Sequence[str]:
    """Draw a filter where there is something to choose from."""
    if not names:
        return ()
    kept = files.opened().chosen
    kept[key] = st.pills(
        label,
        [*names],
        selection_mode="multi",
        default=[name for name in kept.get(key, ()) if name in names],
        format_func=lambda name: render.markdown(names[name]),
        key=key,
        width="content",
    )
    return kept[key]


shell.enter()
page()
