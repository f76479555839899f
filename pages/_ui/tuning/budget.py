"""The budget of the context: what it keeps of the key facts at every size, and the context itself."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from memguard import charts
from memguard.bounds import bounds_of
from memguard.eliminator import Elimination
from memguard.reconstructor import Reconstruction
from memguard.retention import BudgetSweep, budget_sweep, plain_sweep, retained
from memguard.settings import ReconstructionSettings, RetentionSettings
from memguard.trace import Trace
from pages._ui import facts, resources, shell, state, taking
from pages._ui.tuning import choices, curves, markup

BUDGET, RESCUE = "reconstruction.payload_tokens", "retention.rescue"
_CHART, _TEXT = 360, 480
"""In pixels."""


@st.fragment
def body() -> None:
    """Draw all that follows the budget; only this is drawn again."""
    chosen = choices.current()
    choices.note(chosen)
    trace = state.session().trace
    if trace is None or trace.get(Reconstruction) is None:
        return
    found = _swept(trace, chosen)
    now = retained(trace[Reconstruction])
    _bar(trace, found)
    st.html(markup.budget_figures(trace, found.tokens_in, now))
    left, right = st.columns([58, 42], gap="large")
    with left:
        curves.pane(
            "Key facts kept",
            "against how many times shorter the context is",
            "Of the key facts that hold, the share that is stated. Plain ways get the same budgets.",
        )
        st.plotly_chart(
            charts.retention_chart(found, now, dark=shell.is_dark(), height=_CHART),
            key="tuning_retention",
            theme=None,
            config=curves.PLAIN,
            alt=charts.describe_retention(found, now),
        )
    with right:
        curves.pane("By class", "in the context as it stands", facts.MEANING)
        _classes(trace[Reconstruction])
    context, lost = st.columns([58, 42], gap="large")
    with context:
        st.html('<div class="mg-title mg-part-title">The context</div>')
        taking.forms(trace, height=_TEXT)
    with lost:
        st.html(f'<div class="mg-lost-pane">{facts.left_out(trace, linked=False)}</div>')


def _bar(trace: Trace, found: BudgetSweep) -> None:
    """Draw the budget's slider, the switch of the rescue and the way back to the share."""
    settings, budget = trace.settings, trace[Reconstruction].budget
    bounds = bounds_of(ReconstructionSettings, "payload_tokens")
    with st.container(key="tuning_budget_bar"):
        slider, beside = st.columns([58, 42], gap="large")
        with slider:
            step = max(1, found.tokens_in // 1000 * 10)
            drawn = state.key("tuning_budget")
            st.slider(
                bounds.label,
                min(step, budget),
                max(min(found.tokens_in, int(bounds.high or 0)), budget, step + 1),
                budget,
                step,
                key=drawn,
                on_change=state.on_setting,
                args=(BUDGET, drawn),
                help="Tokens that the context may take, headings and citations included. A move runs no "
                "model.",
            )
            line = markup.budget_line(settings.reconstruction, budget, found.tokens_in)
            st.html(f'<p class="mg-line mg-line-one">{line}</p>')
        with beside, st.container(horizontal=True, vertical_alignment="center", key="tuning_budget_beside"):
            drawn = state.key(RESCUE)
            st.toggle(
                "Quote what the summary left out",
                settings.retention.rescue == "on",
                key=drawn,
                on_change=state.on_setting,
                args=(RESCUE, drawn, lambda is_on: "on" if is_on else "off"),
                help=bounds_of(RetentionSettings, "rescue").help,
            )
            st.button(
                "Back to the share",
                key="tuning_free_budget",
                on_click=choices.on_free_budget,
                disabled=settings.reconstruction.payload_tokens is None,
                icon=":material/undo:",
                help="Takes the budget back, so that the payload's share of the conversation decides again.",
            )


def _swept(trace: Trace, chosen: choices.Choices) -> BudgetSweep:
    """Return the sweep, made anew only where something else than the budget moved."""
    elimination, counter = trace[Elimination], resources.guard().counter
    free = replace(trace.settings.reconstruction, payload_tokens=None)
    memo = chosen.memo

    def make() -> BudgetSweep:
        with st.spinner("Putting the context together under every budget"):
            plain = memo.get(
                "plain", [trace.conversation, elimination.facts], (), lambda: plain_sweep(trace, counter)
            )
            return budget_sweep(trace, curves.reconstruct, counter, plain=plain)

    return memo.get("budget", [elimination], (free, trace.settings.retention), make)


def _classes(result: Reconstruction) -> None:
    rows = result.omissions.by_class if result.omissions is not None else ()
    if not rows:
        st.html('<div class="mg-hint"><b>No key facts</b><p>The conversation holds none.</p></div>')
        return
    st.plotly_chart(
        charts.class_chart(rows, dark=shell.is_dark()),
        key="tuning_classes",
        theme=None,
        config=curves.PLAIN,
        alt=charts.describe_classes(rows),
    )
