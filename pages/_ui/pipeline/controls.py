"""The widgets of the page's head: which conversation, which step. Each is bound to state."""

from __future__ import annotations

import streamlit as st

from pages._ui import render, resources, state
from pages._ui.pipeline import overview, preferences


def conversation() -> None:
    """Draw the conversation's title, and the ways to take another one."""
    current = state.session()
    with st.container(horizontal=True, vertical_alignment="center", key="top"):
        source = current.source
        if source is not None:
            st.html(
                f'<div class="mg-title">{render.text(source.title)}</div>'
                f'<p class="mg-description">{render.text(source.description)}</p>'
            )
        else:
            st.html('<div class="mg-title">No conversation yet</div>')
        # Under a new key it is another popover, and closed: a choice ends it.
        with st.popover("Samples", icon=":material/forum:", key=state.key("samples")):
            _samples(current)
        with st.popover("Upload or paste", icon=":material/upload_file:", key=state.key("own")):
            _own()
        with st.popover("Settings", icon=":material/tune:"):
            preferences.form()


def _samples(current: state.Session) -> None:
    known = resources.samples()
    options = [*known] if current.source is None or current.source.sample in known else [state.OWN, *known]
    titles = {name: f"{s.title} ({len(s.conversation)} messages)" for name, s in known.items()}
    titles[state.OWN] = current.source.title if current.source is not None else ""
    captions = [known[o].description if o in known else "Your own conversation" for o in options]
    st.radio(
        "Sample conversations",
        options,
        format_func=lambda name: render.markdown(titles[name]),
        captions=[render.markdown(caption) for caption in captions],
        index=options.index(current.source.sample) if current.source is not None else None,
        key=state.key(state.SAMPLE),
        on_change=state.on_sample,
        args=(state.key(state.SAMPLE),),
    )


def _own() -> None:
    file_mb = state.session().settings.limits.file_mb
    st.file_uploader(
        "Upload a transcript",
        key=state.UPLOAD,
        on_change=state.on_upload,
        max_upload_size=file_mb,
        help="JSON messages, JSONL, or plain text with Speaker: text lines. "
        f"Up to {file_mb} MB; split a larger export, one conversation a file.",
    )
    st.text_area(
        "Or paste one",
        key=state.PASTE,
        height=160,
        placeholder="Mira: The deposit is 400 euros.\nJonas: I paid it on Monday.",
    )
    st.button("Use this text", key="paste_go", on_click=state.on_paste, icon=":material/check:")
    st.caption("What you bring stays in this browser session.")


def stepper(running: int | None) -> None:
    """Draw the stage cards and the buttons beside them."""
    current = state.session()
    trace = current.trace
    done = len(trace.results) if trace is not None else 0
    ready = trace is not None and running is None
    with st.container(horizontal=True, vertical_alignment="center", key="stepper"):
        if trace is not None:
            st.html(overview.stages(trace, running=running))
        with st.container(horizontal=True, width="content", key="buttons", gap="small"):
            st.button(
                "Back",
                key="back",
                icon=":material/undo:",
                on_click=state.on_back,
                disabled=not ready or not done,
                help="Undo the last stage",
            )
            st.button(
                "Step",
                key="step",
                icon=":material/play_arrow:",
                type="primary",
                on_click=state.on_step,
                disabled=not ready or done == len(overview.STAGES),
                help="Run the next stage",
            )
            st.button(
                "Run all",
                key="finish",
                icon=":material/fast_forward:",
                on_click=state.on_finish,
                disabled=not ready or done == len(overview.STAGES),
                help="Run the stages that are left",
            )
            st.button(
                "Reset",
                key="reset",
                icon=":material/restart_alt:",
                on_click=state.on_reset,
                disabled=not ready or not done,
                help="Undo all stages",
            )
