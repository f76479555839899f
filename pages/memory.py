"""Page Memory: what is remembered, how it is kept small and true, and the proof of each change."""

from __future__ import annotations

import streamlit as st

from pages._ui import shell
from pages._ui.memory import panels


@st.fragment
def body() -> None:
    """Draw all of the page; a choice draws only this again."""
    panels.draw()


shell.enter()
body()
