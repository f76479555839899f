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

from pages._ui import theme

PAGES = Path(__file__).resolve().parents[1]
PIPELINE, AUDIT = PAGES / "pipeline.py", PAGES / "audit.py"
_through_app: ContextVar[bool] = ContextVar("_through_app", default=False)


def run() -> None:
    """Draw the navigation and run the page that the link names."""
    page = _navigation()
    with _entered():
        page.run()


def enter() -> None:
    """Open a page: the navigation, if ``app.py`` did not run, and the style sheet."""
    if not _through_app.get():
        _navigation()
    st.html(f"<style>{theme.style_sheet()}</style>")


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
        [
            st.Page(PIPELINE, title="Pipeline", icon=":material/account_tree:", default=True),
            st.Page(AUDIT, title="Audit", icon=":material/fact_check:"),
        ],
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
