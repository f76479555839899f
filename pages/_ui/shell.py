"""The frame around every page: navigation, title, style sheet.

Until ``st.navigation`` has run once in the process, Streamlit takes the folder ``pages/`` for the
navigation: a deep link such as ``/audit`` runs the page's file without ``app.py``, and widgets get
identities that the next run does not know, so that what was typed first would be lost. So the first
run of a process only declares the navigation and begins again, and each page opens itself through
``enter``, which declares it where ``app.py`` did not run.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from pages._ui import render, state, theme, work

PAGES = Path(__file__).resolve().parents[1]
PIPELINE, DROPPED, TUNING = PAGES / "pipeline.py", PAGES / "dropped.py", PAGES / "tuning.py"
MAP, DRIFT_LAB, AUDIT = PAGES / "map.py", PAGES / "drift_lab.py", PAGES / "audit.py"
_PAGES = (
    (PIPELINE, "Pipeline", ":material/account_tree:"),
    (DROPPED, "Dropped claims", ":material/rule:"),
    (TUNING, "Threshold tuning", ":material/tune:"),
    (MAP, "Embedding map", ":material/scatter_plot:"),
    (DRIFT_LAB, "Drift lab", ":material/science:"),
    (PAGES / "memory.py", "Memory", ":material/neurology:"),
    (AUDIT, "Audit", ":material/fact_check:"),
)
"""Each page's file, title and icon, in the order of the navigation."""
_through_app: ContextVar[bool] = ContextVar("_through_app", default=False)


def run() -> None:
    """Draw the navigation and run the page that the link names."""
    page = _navigation()
    with _entered():
        page.run()


def enter(*, shows_work: bool = False) -> None:
    """Open a page: the navigation, if ``app.py`` did not run, the style sheet, and what its link asks for.

    Args:
        shows_work: The page itself shows the stages at work; else those that a link asks for run here.
    """
    if not _through_app.get():
        _navigation()
    st.html(f"<style>{theme.style_sheet()}</style>")
    current = state.ready()
    if current.opening and not shows_work:
        title = render.text(current.source.title) if current.source is not None else "the conversation"
        st.html(
            f'<div class="mg-hint"><b>Opening {title}</b><p>The link asks for stages that have not run '
            "in this session; they run now.</p></div>"
        )
        work.run()


def is_dark() -> bool:
    """Return whether this browser shows the dark theme; light until it has said so."""
    return st.context.theme.type == "dark"


def _navigation() -> st.Page:
    by_folder = PagesManager.uses_pages_directory
    st.set_page_config(
        page_title="MemGuard",
        page_icon=str(PAGES / "_ui" / "assets" / "icon.svg"),  # a Material icon would be fetched from a host
        layout="wide",
        menu_items={"About": "MemGuard: what of a conversation may enter an LLM's context, and why."},
    )
    st.logo(PAGES / "_ui" / "assets" / "icon.svg", size="small", link=None)
    page = st.navigation(
        [st.Page(file, title=title, icon=icon, default=file == PIPELINE) for file, title, icon in _PAGES],
        position="top",
    )
    if by_folder:
        st.rerun()
    return page


@contextmanager
def _entered() -> Iterator[None]:
    token = _through_app.set(True)
    try:
        yield
    finally:
        _through_app.reset(token)
