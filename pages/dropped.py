"""Page Dropped claims: why a claim is gone, what would bring it back, and a person's own decision."""

from __future__ import annotations

import streamlit as st

from memguard.eliminator import Elimination
from pages._ui import needs, shell
from pages._ui.dropped import panels


@st.fragment
def body() -> None:
    """Draw all of the page; a choice draws only this again."""
    panels.current()  # what the link asks for is read before what cannot be had is said
    trace = needs.results(Elimination, "No claims yet", page="Dropped claims")
    if trace is not None:
        panels.draw(trace)


shell.enter()
body()
