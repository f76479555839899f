"""Page Embedding map: every sentence and claim as a point, near what is similar."""

from __future__ import annotations

import streamlit as st

from memguard.compressor import Compression
from memguard.errors import MemGuardError
from memguard.trace import Trace
from pages._ui import needs, placing, resources, shell
from pages._ui.map import choices as chosen
from pages._ui.map import controls, panels
from pages._ui.map.choices import Choices


def page() -> None:
    """Draw the page; while the map is computed, it looks again every second by itself."""
    choices = chosen.current()
    controls.head(choices)
    trace = needs.results(Compression, "No map yet")
    if trace is None:
        return
    try:
        waiting = not all(future.done() for future in panels.needed(trace, choices))
    except MemGuardError as error:
        placing.hint("The map cannot be drawn", str(error))
        return
    st.fragment(body, run_every=placing.POLL_S if waiting else None)(trace, choices, waiting)


def body(trace: Trace, choices: Choices, waiting: bool) -> None:
    """Draw the picture that was chosen; only this is drawn again."""
    if choices.picture == "map":
        controls.bar(trace, choices)
    try:
        if all(future.done() for future in panels.needed(trace, choices)) == waiting:
            st.rerun()  # the whole page, so that it begins, or stops, looking again
        picked = picture(trace, choices)
    except MemGuardError as error:
        placing.hint("The map cannot be drawn", str(error))
        return
    chosen.note(choices)
    if picked is not None:
        chosen.choose(choices, picked, pin=picked != choices.row)
        st.rerun()


def picture(trace: Trace, choices: Choices) -> str | None:
    """Draw the picture; return the key of a point that was chosen on the map, if one was."""
    if choices.picture == "map":
        return panels.explore(trace, choices)
    if choices.picture == "shaping":
        panels.before_and_after(trace, choices)
    else:
        panels.turn_by_turn(trace)
    return None


shell.enter()
page()
resources.warm()
