"""What leaves the Audit page and what comes in: exports, and an earlier audit opened to read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import streamlit as st

from memguard import audit, reports
from memguard.errors import AuditError
from memguard.reports import Report
from memguard.settings import LimitSettings
from memguard.trace import Trace
from pages._ui import render, state

UPLOAD, HEAD = "audit-file", "audit-head"
_LARGEST_MB = 16
"""An audit of a thousand claims has about 3 MB; a larger file would hold up the page while it is read."""


@dataclass
class Opened:
    """An earlier audit that this session reads, and the report of its own run.

    Attributes:
        report: The earlier audit; None where the session's own run is shown.
        name: Its file name.
        data: Its bytes: the uploader forgets them when the page is left.
        chosen: The filters of its claims or those of the session's own run, by name.
        error: Why a file could not be opened.
        trace: The run whose report was made last.
        own: Its report.
    """

    report: Report | None = None
    name: str = ""
    data: bytes = b""
    chosen: dict[str, list[str]] = field(default_factory=dict)
    error: str = ""
    trace: Trace | None = None
    own: Report | None = None


def opened() -> Opened:
    """Return what this session reads."""
    return state.kept("audit", Opened)


def own_report(trace: Trace, title: str) -> Report:
    """Return the report of this session's run, made once a run."""
    found = opened()
    if found.own is None or found.trace is not trace or found.own.title != title:
        found.trace, found.own = trace, reports.report_of(audit.records(trace), title=title)
    return found.own


def on_file(drawn: str) -> None:
    """Read the audit that was chosen; an emptied uploader changes nothing."""
    file, found = state.value(drawn), opened()
    if file is None:
        return
    found.error = ""
    try:
        found.report = _read(file.getvalue(), file.name, None)
        found.name, found.data = file.name, file.getvalue()
    except AuditError as error:
        found.error = str(error)


def on_head(drawn: str) -> None:
    """Compare the opened audit with a head that was kept elsewhere; an empty one compares with none."""
    found = opened()
    if found.report is not None:
        expected = str(state.value(drawn) or "").strip() or None
        found.report = _read(found.data, found.name, expected)


def on_close() -> None:
    """Go back to this session's own run."""
    found = opened()
    found.report, found.name, found.data, found.error = None, "", b"", ""


def importer() -> None:
    """Draw what opens an earlier audit."""
    with st.popover("Open an audit", icon=":material/upload_file:"):
        file_key = state.key(UPLOAD)
        st.file_uploader(
            "Audit file (JSONL)",
            key=file_key,
            type=["jsonl", "json", "txt"],
            on_change=on_file,
            args=(file_key,),
            help="Shown read-only, kept in this browser session only, never written to disk.",
        )
        st.text_input(
            "Head to compare with",
            key=state.key(HEAD),
            placeholder="64 hexadecimal digits, if you noted them",
            on_change=on_head,
            args=(state.key(HEAD),),
            disabled=opened().report is None,
            help="Shows also whether the whole chain was written anew.",
        )
        if opened().error:
            st.error(
                f"**This file cannot be opened.** {render.markdown(opened().error)}\n\nWhat was shown before "
                "is still here.",
                icon=":material/error:",
            )


def exporter(report: Report, *, own: bool) -> None:
    """Draw the four downloads; each file is made when it is asked for.

    Args:
        report: What they hold.
        own: Whether it is of this session's run; of an opened audit the person has the JSONL.
    """
    with st.popover("Export", icon=":material/download:"):
        if own:
            _download(
                "JSONL, the chain itself", "jsonl", "application/jsonl", lambda: audit.dumps(report.records)
            )
        _download(
            "HTML report, for reading and print", "html", "text/html", lambda: reports.html_report(report)
        )
        _download("Markdown", "md", "text/markdown", lambda: reports.markdown_report(report))
        # With a byte order mark, without which Excel reads UTF-8 as something else.
        _download("CSV, one row a claim", "csv", "text/csv", lambda: "\ufeff" + reports.csv_report(report))


def banner(found: Opened) -> None:
    """Say that an opened audit is shown, and how to leave it."""
    with st.container(horizontal=True, vertical_alignment="center", key="audit-opened"):
        st.html(
            f'<p class="mg-opened"><b>{render.text(found.name)}</b> is shown read-only. It is kept in this '
            "browser session only.</p>"
        )
        st.button("Close it", key="audit-close", icon=":material/close:", on_click=on_close)


def _download(label: str, suffix: str, mime: str, make: Callable[[], str]) -> None:
    st.download_button(
        label,
        lambda: make().encode(),
        f"memguard-audit.{suffix}",
        mime,
        key=f"download-{suffix}",
        on_click="ignore",
        width="stretch",
    )


def _read(data: bytes, name: str, expected_head: str | None) -> Report:
    limits = LimitSettings(file_mb=min(_LARGEST_MB, state.session().settings.limits.file_mb))
    report = reports.read_report(data, source=name, title=name, expected_head=expected_head, limits=limits)
    return replace(report, title=name)
