"""The context to take along: in each form that another program reads, to copy or to download."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from memguard.payload import Form, payload_in
from memguard.trace import Trace
from pages._ui import links, state

FORM = "form"
"""Its name in the address."""
_NAMES = {Form.TEXT: "Text", Form.MARKDOWN: "Markdown", Form.JSON: "JSON", Form.MESSAGES: "Messages"}
_FILES = {
    Form.TEXT: ("context.txt", "text/plain"),
    Form.MARKDOWN: ("context.md", "text/markdown"),
    Form.JSON: ("context.json", "application/json"),
    Form.MESSAGES: ("messages.json", "application/json"),
}
_SAID = {
    Form.TEXT: "as it goes into a prompt; the budget holds for it",
    Form.MARKDOWN: "headings and lists, and nothing in it is interpreted",
    Form.JSON: "sections, lines, and the claims and messages of each",
    Form.MESSAGES: "ready for the next call: the context as a system message, then the recent ones",
}


@dataclass
class Taken:
    """The form that was chosen last; it outlives a switch of pages."""

    form: Form = Form.TEXT


def current() -> Taken:
    """Return what this session chose; at first what the link gives."""
    return state.kept("taking", _from_link)


def popover(trace: Trace) -> None:
    """Draw the button behind which the context stands in each form."""
    with st.popover("Take along", icon=":material/ios_share:", help="The context as text, Markdown or JSON"):
        forms(trace, height=320)


def forms(trace: Trace, *, height: int) -> None:
    """Draw the choice of the form, the context in it with a copy button, and the download.

    Args:
        trace: A complete one.
        height: Of the text, in pixels.
    """
    taken = current()
    with st.container(horizontal=True, vertical_alignment="center", key="taking"):
        chosen = st.segmented_control(
            "Form of the context",
            list(Form),
            default=taken.form,
            required=True,
            format_func=_NAMES.__getitem__,
            key="taking_form",
            label_visibility="collapsed",
        )
        taken.form = Form(chosen)
        name, mime = _FILES[taken.form]
        written = payload_in(trace, taken.form)
        st.download_button(
            f"Download {name}",
            written,
            file_name=name,
            mime=mime,
            key="taking_download",
            icon=":material/download:",
            on_click="ignore",
        )
    links.note(**{FORM: None if taken.form is Form.TEXT else taken.form.value})
    st.caption(f"{_NAMES[taken.form]}: {_SAID[taken.form]}.")
    st.code(written, language=None, wrap_lines=True, height=height)


def _from_link() -> Taken:
    asked = links.Asked()
    form = asked.one_of(FORM, [form.value for form in Form])
    state.not_followed(asked.complaints)
    return Taken(Form(form) if form is not None else Form.TEXT)
