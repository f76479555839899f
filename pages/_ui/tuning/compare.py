"""Two settings side by side, and the present one to take along."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from memguard.settings import EliminationSettings
from pages._ui import links, state
from pages._ui.tuning import choices, export, markup


def changes(told: Sequence[markup.Told], settings: EliminationSettings, chosen: choices.Choices) -> None:
    """Draw which claims come back or go between the pinned settings and the present ones."""
    with st.container(horizontal=True, vertical_alignment="center", key="tuning_changes_head"):
        st.html('<div class="mg-title">What changed since A</div>')
        is_same = choices.judged_values(settings) == choices.judged_values(chosen.pinned)
        st.button(
            "Back to A",
            key="tuning_back",
            on_click=choices.on_adopt,
            args=(choices.judged_values(chosen.pinned),),
            disabled=is_same,
            icon=":material/undo:",
            help="Sets preset and thresholds to those of A.",
        )
        st.button(
            "Pin as A",
            key="tuning_pin",
            on_click=choices.on_pin,
            icon=":material/keep:",
            disabled=is_same and chosen.is_pinned,
            help="Keeps preset and thresholds as A; until then A is what the page was opened with.",
        )
    st.html(markup.changed(told, chosen.pinned, settings))


def take(current: state.Session) -> None:
    """Draw the settings as TOML and as a link, each with a copy button."""
    with st.container(horizontal=True, vertical_alignment="center", key="tuning_take_head"):
        st.html('<div class="mg-title">Take these settings along</div>')
        complete = st.toggle(
            "All settings",
            key="tuning_complete",
            help="Off: only what differs from the defaults. A complete file keeps working the same when a "
            "later version changes a default.",
        )
    st.html('<div class="mg-panehead">TOML <small>memguard run --settings FILE.toml</small></div>')
    # Without colours: Streamlit's for TOML have a contrast of 2.6 : 1 on light paper.
    st.code(export.toml(current.settings, complete=complete), language=None, height=None)
    is_own = current.source is not None and current.source.sample == state.OWN
    said = "holds the settings alone: your conversation stays here" if is_own else "opens this page as it is"
    st.html(f'<div class="mg-panehead">Link <small>{said}</small></div>')
    st.code(export.link(st.context.url, links.parameters()), language=None, wrap_lines=True)
