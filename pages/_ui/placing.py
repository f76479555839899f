"""A map that is still being computed, has failed, or is there: the same words wherever one is drawn."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING

import streamlit as st

from memguard.errors import MemGuardError
from pages._ui import render, resources

if TYPE_CHECKING:
    from memguard.geometry.projection import Layout

POLL_S = 1.0
"""How often a page looks whether its map is there."""


def settled(future: Future[Layout], forget: Callable[[], None]) -> Layout | None:
    """Return the layout if it is there and has points; else draw what happens or what to do.

    Args:
        future: The layout that was asked for.
        forget: Lets a failed one be computed again.
    """
    if not future.done():
        waiting()
        return None
    try:
        layout = future.result()
    except MemGuardError as error:
        hint("The map could not be drawn", str(error))
        st.button("Draw it again", icon=":material/refresh:", on_click=forget)
        return None
    if not layout.points:
        hint("Nothing to draw", "The transcript holds no text.")
        return None
    return layout


def waiting() -> None:
    """Say why there is no map yet."""
    if resources.map_worker().state == "warming":
        hint(
            "The map is warming up",
            "This takes about twenty seconds, once after the app starts. Everything else works meanwhile.",
        )
    else:
        hint("Placing the sentences", "The map appears by itself.")


def hint(title: str, line: str) -> None:
    """Draw a heading and a line in the place of a map."""
    st.html(f'<div class="mg-hint mg-maphint"><b>{render.text(title)}</b><p>{render.text(line)}</p></div>')
