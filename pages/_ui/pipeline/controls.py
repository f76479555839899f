"""The widgets of the page's head: which conversation, which step. Each is bound to state."""

from __future__ import annotations

import streamlit as st

from memguard.reconstructor import Reconstruction
from memguard.trace import Trace
from memguard.transcripts import ConversationHead
from pages._ui import checking, render, resources, state
from pages._ui.pipeline import columns, overview, preferences, tour
from pages._ui.pipeline.play import Scene

_SHOWS = {"stages": "Stage by stage", "compare": "Without / with MemGuard"}


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
        checking.popover()
        with st.popover("Settings", icon=":material/tune:"):
            preferences.form()
        st.button(
            "Tour",
            key="tour_begin",
            icon=":material/explore:",
            type="tertiary",
            on_click=tour.on_begin,
            help="Three steps through this page",
        )


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
        help="Exports of ChatGPT, Claude, Slack, WhatsApp and others, messages in JSON or JSONL, captions, "
        f"mail, or plain text with Speaker: text lines. Up to {file_mb} MB; of a larger export, write one "
        "conversation into a file with `memguard convert`.",
    )
    st.text_area(
        "Or paste one",
        key=state.PASTE,
        height=160,
        placeholder="Mira: The deposit is 400 euros.\nJonas: I paid it on Monday.",
    )
    st.button("Use this text", key="paste_go", on_click=state.on_paste, icon=":material/check:")
    st.caption("What you bring stays in this session; it is never in the link of the page.")


def reading() -> None:
    """Draw that a transcript is being read, with a way to give it up."""
    waited = state.session().reading
    if waited is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="reading"):
        st.html(
            f'<div class="mg-tour" role="status">{render.icon("progress_activity")}<p><b>Reading '
            f"{render.text(waited.title)}</b> What was open before stays until it is read.</p></div>"
        )
        st.button("Stop reading", key="stop_reading", type="tertiary", on_click=state.on_stop_reading)


def offer() -> None:
    """Draw the choice that a file of the person's own needs: its columns, or one of its conversations."""
    found = state.session().offer
    if found is None or state.session().reading is not None:
        return
    if isinstance(found, state.TableOffer):
        columns.form(found)
        return
    drawn = state.key("offer")
    with st.container(key="offered"):
        st.html(
            f'<div class="mg-tour" role="status">{render.icon("forum")}<p><b>{render.text(found.title)} '
            f"holds {len(found.heads):,} conversations.</b> Choose one; what is open stays until it is read."
            "</p></div>"
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.selectbox(
                "Conversation of the file",
                range(len(found.heads)),
                format_func=lambda i: _offered(found.heads[i]),
                key=drawn,
            )
            st.button("Open this one", key="offer_go", on_click=state.on_offer, args=(drawn,))
            st.button("Leave it", key="offer_leave", type="tertiary", on_click=state.on_refuse)


def _offered(head: ConversationHead) -> str:
    n = head.n_messages
    count = "" if n is None else "1 message" if n == 1 else f"{n} messages"
    day = f"{head.first:%Y-%m-%d}" if head.first is not None else ""
    return " · ".join(part for part in (head.title or head.id, day, count) if part)


def shown() -> None:
    """Draw the choice of what stands below the stages, where there is one."""
    trace = state.session().trace
    if trace is None or trace.get(Reconstruction) is None or state.session().playing is not None:
        return
    st.segmented_control(
        "Shown below",
        list(_SHOWS),
        default=state.session().show,
        required=True,
        format_func=_SHOWS.__getitem__,
        key=state.SHOW,
        on_change=state.on_show,
        label_visibility="collapsed",
    )


def stepper(running: int | None, shown: Trace | None, scene: Scene | None = None) -> None:
    """Draw the stage cards and the buttons beside them.

    Args:
        running: The number of the stage at work, from 0.
        shown: The trace of the cards.
        scene: The moment that is shown, while the run is played.
    """
    current = state.session()
    trace = current.trace
    done = len(trace.results) if trace is not None else 0
    ready = trace is not None and running is None
    with st.container(horizontal=True, vertical_alignment="center", key="stepper"):
        if shown is not None:
            st.html(overview.stages(shown, running=running, scene=scene))
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
            _play(ready=ready, done=done)
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


def _play(*, ready: bool, done: int) -> None:
    playing = state.session().playing
    if playing is not None and not playing.paused:
        st.button("Pause", key="pause", icon=":material/pause:", on_click=state.on_pause)
        return
    st.button(
        "Play",
        key="play",
        icon=":material/slideshow:",
        on_click=state.on_play,
        disabled=not ready,
        help="Go on where it was paused"
        if playing is not None
        else "Show the run again, one step a second"
        if done == len(overview.STAGES)
        else "Run the stages that are left and show their work, one step a second",
    )
