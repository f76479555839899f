"""Ways to check a summary that was not written here, and what became of the drifted one."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from memguard.eliminator import Elimination
from memguard.trace import Trace
from pages._ui import planted, render, shell, state
from pages._ui.state import summaries


def button(key: str, *, then: Callable[[], None] | None = None) -> None:
    """Draw the button that checks the drifted summary of the sample; of one's own conversation nothing.

    Args:
        key: Of the button.
        then: Called once the check is asked for.
    """
    sample = summaries.sample()
    if sample is None:
        return
    st.button(
        "Check a drifted summary",
        key=key,
        icon=":material/science:",
        on_click=_on_planted,
        args=(then,),
        disabled=state.session().wanted is not None,
        help=render.markdown(
            f"{planted.what_it_is(sample)} It takes the place of the run's summary; Reset gives it back."
        ),
    )


def banner(trace: Trace, key: str) -> None:
    """Draw what became of the drifted summary; where nothing was dropped, offer it."""
    if summaries.tally() is not None:
        tally(key)
        return
    elimination = trace.get(Elimination)
    if elimination is None or elimination.dropped or summaries.sample() is None:
        return
    with _place(key):
        st.html(
            f'<div class="mg-tour" role="status"><p><b>No claim was dropped.</b> {_true(trace)} See what '
            "happens to one that is not.</p></div>"
        )
        button(f"planted_{key}")


def tally(key: str) -> None:
    """Draw what became of the drifted summary, if that is the summary of the run."""
    found, sample = summaries.tally(), summaries.sample()
    if found is not None and sample is not None:
        with _place(key):
            st.html(f'<div class="mg-tour" role="status"><p>{planted.words(found)}</p></div>')
            st.page_link(
                shell.DRIFT_LAB,
                label=f"Measure all {len(sample.drift):,}",
                icon=":material/science:",
                query_params={"mode": "rates"},
                help="The sample labels more claims than fit into a summary; Drift lab counts them all.",
                width="content",
            )


def handed_in(trace: Trace, key: str) -> None:
    """Say of a summary that was handed in that nothing is quoted beside it, with the way back."""
    if not summaries.is_given(trace):
        return
    with _place(key):
        st.html(
            '<div class="mg-tour" role="status"><p><b>This summary was handed in.</b> Nothing is quoted '
            "beside it, so the key facts below are those that it states itself.</p></div>"
        )
        _written(f"written_{key}")


def _written(key: str) -> None:
    st.button(
        "Use the summary of stage 1",
        key=key,
        icon=":material/fast_forward:",
        on_click=summaries.on_written,
        disabled=state.session().wanted is not None,
    )


def popover() -> None:
    """Draw where the summary comes from: stage 1, the sample's drifted one, or one that is pasted."""
    # Under a new key it is another popover, and closed: a choice ends it.
    with st.popover("Summary", icon=":material/subject:", key=state.key("summary")):
        st.html(
            '<p class="mg-description">Stage 1 writes the summary that is checked. Or check one that was '
            "written elsewhere, against this transcript:</p>"
        )
        trace = state.session().trace
        if trace is not None and summaries.is_given(trace):
            _written("written_popover")
        sample = summaries.sample()
        if sample is not None:
            button("planted_popover")
            st.caption(render.markdown(f"{planted.what_it_is(sample)} The sample labels each."))
        drawn = state.key("own_summary")
        st.text_area(
            "Or paste a summary of this conversation",
            key=drawn,
            height=120,
            placeholder="What another model, or a person, wrote of it.",
        )
        st.button(
            "Check it",
            key="own_summary_go",
            icon=":material/check:",
            on_click=summaries.on_own,
            args=(drawn,),
            disabled=state.session().trace is None,
        )
        st.caption("What you paste stays in this session; it is never in the link of the page.")


def _on_planted(then: Callable[[], None] | None) -> None:
    summaries.on_planted()
    if then is not None:
        then()


def _true(trace: Trace) -> str:
    n = len(trace[Elimination].kept)
    if not n:
        return "This summary makes no claims."
    return "Its one claim is borne out." if n == 1 else f"All {n:,} claims of this summary are borne out."


def _place(key: str) -> DeltaGenerator:
    return st.container(horizontal=True, vertical_alignment="center", key=f"planted-{key}")
