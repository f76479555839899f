"""The widgets: which conversation, which settings, which step. Each is generated or bound to state."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import streamlit as st

from memguard.bounds import bounds_of
from memguard.settings import (
    CompressionSettings,
    EliminationSettings,
    ProjectionSettings,
    ReconstructionSettings,
)
from pages._ui import overview, render, resources, state

THRESHOLD = "elimination.min_similarity"
_ELSEWHERE = {THRESHOLD, "elimination.preset", "elimination.calibrated_for"}
_SLIDER_STEPS = 120
_EFFECT = {
    "compression": "After a change, press Step: all stages run again.",
    "elimination": "After a change, press Step: the claims are checked again.",
    "reconstruction": "The context follows at once; no model runs.",
    "projection": "The map is drawn again; claims and context stay as they are.",
}


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
        with st.popover("Samples", icon=":material/forum:"):
            _samples(current)
        with st.popover("Upload or paste", icon=":material/upload_file:"):
            _own()
        with st.popover("Settings", icon=":material/tune:"):
            settings()


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


def settings() -> None:
    """Draw every setting but the threshold, from the metadata of the settings."""
    sections = (
        ("Compression", "compression", CompressionSettings),
        ("Elimination", "elimination", EliminationSettings),
        ("Reconstruction", "reconstruction", ReconstructionSettings),
        ("Map", "projection", ProjectionSettings),
    )
    tabs = st.tabs([title for title, _, _ in sections])
    for tab, (_, section, kind) in zip(tabs, sections, strict=True):
        with tab:
            for item in fields(kind):
                name = f"{section}.{item.name}"
                if name not in _ELSEWHERE:
                    _setting(name, kind, item.name)
            if section == "projection":
                _seed()
            st.caption(_EFFECT[section])
    st.button("Back to defaults", key="defaults", on_click=state.on_defaults, icon=":material/restart_alt:")


def threshold() -> None:
    """Draw the one slider that has no other name, with the same number as a distance beside it."""
    bounds = bounds_of(EliminationSettings, "min_similarity")
    value = state.session().settings.elimination.min_similarity
    st.slider(
        bounds.label,
        # Texts of one conversation are hardly ever opposed, so the half below zero would be empty;
        # a value that lies there all the same (from a settings file) widens the slider to itself.
        min(0.0, value),
        float(bounds.high if bounds.high is not None else 1.0),
        value,
        bounds.step,
        key=state.key(THRESHOLD),
        on_change=state.on_setting,
        args=(THRESHOLD, state.key(THRESHOLD)),
        help=f"{bounds.help} A move runs no model.",
        format="%.2f",
    )
    distance = state.session().settings.elimination.max_distance
    st.html(
        f'<p class="mg-distance">The same as a distance: at most {distance:.2f} '
        "(distance = 1 − similarity, lower = stricter)</p>"
    )


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


def _seed() -> None:
    st.number_input(
        "Seed",
        min_value=0,
        value=state.session().settings.seed,
        step=1,
        key=state.key("seed"),
        on_change=state.on_setting,
        args=("seed", state.key("seed")),
        help="Where the map's randomness comes from: the same seed draws the same map on one machine.",
    )


def _setting(name: str, kind: type[Any], field_name: str) -> None:
    bounds = bounds_of(kind, field_name)
    section, _, key = name.partition(".")
    value = getattr(getattr(state.session().settings, section), key)
    shared: dict[str, Any] = {
        "label": f"{bounds.label} ({bounds.unit})" if bounds.unit else bounds.label,
        "help": bounds.help,
        "key": state.key(name),
        "on_change": state.on_setting,
        "args": (name, state.key(name)),
    }
    low, high, step = bounds.low, bounds.high, bounds.step
    if bounds.choices:
        st.selectbox(options=bounds.choices, index=bounds.choices.index(value), **shared)
    elif low is None or high is None or step is None:
        raise ValueError(f"the setting {name} has no bounds that a widget could follow")
    elif (high - low) / step <= _SLIDER_STEPS:
        whole = isinstance(value, int)
        cast = int if whole else float
        st.slider(min_value=cast(low), max_value=cast(high), value=cast(value), step=cast(step), **shared)
    else:
        st.number_input(
            min_value=int(low),
            max_value=int(high),
            value=value,
            step=int(step),
            placeholder="Not set: the share below decides" if bounds.optional else None,
            **shared,
        )
