"""The tour of a first visit: three steps in a quiet card, each beside a ring around what it speaks of."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from pages._ui import checking, links, state

OFF = "off"
STEPS = (
    (
        "top",
        "Choose a conversation",
        "Open a sample, or bring your own: an upload or a paste stays in this session. The transcript on the "
        "left is the evidence, and nothing changes it.",
    ),
    (
        "stepper",
        "Run the three stages",
        "Step runs one stage, Play shows its work one step a second, Run all runs what is left. A summary "
        "that quotes has little to drop; a drifted one shows what happens to what is not true.",
    ),
    (
        "bench",
        "Ask why",
        "Click a claim to see its evidence in the transcript, or a message to see what became of it. The "
        "address of this page is its link: it opens what you see.",
    ),
)
"""Each step: the key of the container it speaks of, a title, and its words."""


@dataclass
class Tour:
    """Where one session is in the tour; None when it is not shown."""

    step: int | None = 0


def panel() -> None:
    """Draw the card of the current step, if the tour is shown.

    It has a place of its own even when it is not: what follows keeps its place in the page, by which
    Streamlit knows a fragment, and a click made while the tour closes is not lost.
    """
    place_of_card = st.container()
    tour = _tour()
    if tour.step is None:
        return
    place, title, words = STEPS[tour.step]
    with place_of_card:
        st.html(f"<style>.st-key-{place} {{ {_RING} }}</style>")
    with place_of_card.container(horizontal=True, vertical_alignment="center", key="tour"):
        st.html(
            f'<div class="mg-tour" role="status"><span class="mg-tour-number">{tour.step + 1} of {len(STEPS)}'
            f"</span><p><b>{title}</b> {words}</p></div>"
        )
        if tour.step:
            st.button("Previous", key="tour_back", type="tertiary", on_click=_on_move, args=(-1,))
        is_last = tour.step == len(STEPS) - 1
        if not is_last:
            st.button("Skip", key="tour_skip", type="tertiary", on_click=on_end)
        if place == "stepper":
            checking.button("tour_planted", then=lambda: _on_move(1))
        st.button("Done" if is_last else "Next", key="tour_next", on_click=_on_move, args=(1,))


def on_begin() -> None:
    """Show the tour from its first step."""
    _tour().step = 0


def on_end() -> None:
    """Show it no more in this session, unless it is asked for."""
    _tour().step = None


def _on_move(by: int) -> None:
    tour = _tour()
    step = (tour.step or 0) + by
    tour.step = step if 0 <= step < len(STEPS) else None


def _tour() -> Tour:
    return state.kept("tour", lambda: Tour(None if links.given("tour") == OFF else 0))


_RING = "outline: 2px solid var(--mg-accent); outline-offset: 8px; border-radius: 8px;"
