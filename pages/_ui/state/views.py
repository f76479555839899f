"""What the person looks at: a claim, a picture of the claims, what stands below the stages."""

from __future__ import annotations

import streamlit as st

from memguard import charts
from pages._ui.state import address
from pages._ui.state.held import session

RESULTS, MAP, SCORES = "results", "map", "scores"
VIEW, SHOW = "view", "show"


def on_claim() -> None:
    """Follow the claim that was selected in the results."""
    current, chosen = session(), st.session_state[RESULTS].get("chosen")
    if chosen is not None:
        current.selected, current.turn = chosen["claim"], chosen["turn"]
        address.follow()


def on_view() -> None:
    """Show the other picture of the claims."""
    session().view = st.session_state[VIEW]
    address.follow()


def on_show() -> None:
    """Show something else below the stages."""
    session().show = st.session_state[SHOW]
    address.follow()


def on_point(drawn: str) -> None:
    """Follow the point that was picked on the picture drawn under this key, where it is a claim."""
    points = st.session_state[drawn].selection.points
    keys = [charts.read_key(point["customdata"]) for point in points if point.get("customdata")]
    claims = [key for key in keys if isinstance(key, str)]
    if claims:
        session().selected = claims[0]
        address.follow()
