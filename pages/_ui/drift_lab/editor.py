"""The editor: a text area that reports what is typed after 400 ms, with the verdicts drawn under the text.

Streamlit's own text area reports only when it is left, so this is a small component. What is drawn
behind the text comes escaped from ``views.backdrop``; what is typed is shown as text alone.
"""

from __future__ import annotations

import streamlit as st

from pages._ui import theme
from pages._ui.drift_lab import choices
from pages._ui.drift_lab.choices import Lab

_editor = st.components.v2.component(
    "memguard_drift_editor",
    html='<div class="mg-editor"></div>',
    js=theme.asset("drift_lab.js"),
    isolate_styles=False,
)


def draw(lab: Lab, backdrop: str) -> None:
    """Draw the editor with its text; ``backdrop`` is that text as HTML with what was found of it."""
    _editor(
        key=choices.EDITOR,
        data={
            "label": "Summary",
            "text": lab.text,
            "html": backdrop,
            "epoch": lab.epoch,
            "heard": lab.heard,
        },
        on_typed_change=choices.on_text,
    )
