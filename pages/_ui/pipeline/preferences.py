"""The settings of the stages as widgets, generated from the metadata of the settings."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import streamlit as st

from memguard.bounds import Bounds, bounds_of
from memguard.outgoing import leaving, told
from memguard.settings import (
    CompressionSettings,
    EliminationSettings,
    PrivacySettings,
    ProjectionSettings,
    ReconstructionSettings,
    RetentionSettings,
    setting_kinds,
)
from pages._ui import state
from pages._ui.pipeline.judgement import PRESET, SUPPORT, THRESHOLD

_ELSEWHERE = {PRESET, THRESHOLD, SUPPORT, "elimination.calibrated_for"}
_SLIDER_STEPS = 120
_SWITCH = ("on", "off")
_SECTIONS = (
    ("Compression", "compression", CompressionSettings),
    ("Elimination", "elimination", EliminationSettings),
    ("Reconstruction", "reconstruction", ReconstructionSettings),
    ("Key facts", "retention", RetentionSettings),
    ("Privacy", "privacy", PrivacySettings),
    ("Map", "projection", ProjectionSettings),
)
_EFFECT = {
    "compression": "After a change, press Step: all stages run again.",
    "elimination": "After a change, press Step: the claims are checked again. Preset and minimums stand "
    "above the claims and run no model.",
    "reconstruction": "The context follows at once; no model runs.",
    "retention": "The context follows at once; no model runs.",
    "privacy": "Context, audit and reports follow at once; no model runs. This page goes on showing the "
    "untouched transcript.",
    "projection": "The map is drawn again; claims and context stay as they are.",
}
_GROUPS = {
    "compression.noise_filter": "Before the best is picked",
    "compression.tool_lines": "What stands for tools, code and logs",
    "compression.keep_last": "Recent messages and long histories",
    "elimination.guards": "Checks",
    "elimination.separation": "Space (how far each step moves the vectors; 0 is off)",
    "elimination.evidence_sentences": "Evidence",
}
"""The heading above the first setting of a group."""
_EXAMPLES = {
    "compression.pin_ids": "Such as m4, m12",
    "compression.pin_roles": "Such as system",
    "compression.pin_pattern": "Such as allerg|deadline",
    "privacy.let_through": "Such as phone, person",
    "privacy.allow": "Such as support@acme.example",
    "privacy.terms": "Such as Project Borealis",
    "privacy.names": "Such as Noor Haddad",
}
"""What stands in an empty field."""


def form() -> None:
    """Draw every setting but those that only judge again, which stand beside the claims."""
    tabs = st.tabs([title for title, _, _ in _SECTIONS])
    for tab, (_, section, kind) in zip(tabs, _SECTIONS, strict=True):
        with tab:
            for heading, names in _grouped(section, kind):
                if heading:
                    st.html(f'<div class="mg-subhead">{heading}</div>')
                columns = st.columns(2, gap="medium")
                for number, name in enumerate(names):
                    with columns[number % 2]:
                        _setting(name, bounds_of(kind, name.partition(".")[2]))
            if section == "projection":
                _seed()
            if section == "privacy":
                _found()
            st.caption(_EFFECT[section])
    st.button("Back to defaults", key="defaults", on_click=state.on_defaults, icon=":material/restart_alt:")


def _grouped(section: str, kind: type[Any]) -> list[tuple[str, list[str]]]:
    """Return the settings of a section under their headings; the first heading may be empty."""
    groups: list[tuple[str, list[str]]] = []
    for item in fields(kind):
        name = f"{section}.{item.name}"
        if not groups or name in _GROUPS:
            groups.append((_GROUPS.get(name, ""), []))
        if name not in _ELSEWHERE:
            groups[-1][1].append(name)
    return [(heading, names) for heading, names in groups if names]


def _found() -> None:
    """Say what is replaced in the conversation at hand: how many values of each kind, and none of them."""
    trace = state.session().trace
    known = leaving(trace) if trace is not None else None
    if known is not None:
        st.caption(f"{told(known.counts).capitalize()}.")


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


def _setting(name: str, bounds: Bounds) -> None:
    section, _, field_name = name.partition(".")
    value = getattr(getattr(state.session().settings, section), field_name)
    shared: dict[str, Any] = {
        "label": f"{bounds.label} ({bounds.unit})" if bounds.unit else bounds.label,
        "help": bounds.help,
        "key": state.key(name),
        "on_change": state.on_setting,
        "args": (name, state.key(name)),
    }
    if bounds.choices == _SWITCH:
        st.toggle(value=value == "on", **{**shared, "args": (*shared["args"], _switched)})
    elif bounds.choices:
        st.selectbox(options=bounds.choices, index=bounds.choices.index(value), **shared)
    elif isinstance(value, str):
        default = setting_kinds()[name][1]
        written = "" if value == default else value
        read = {"args": (*shared["args"], lambda text: text.strip() or default)}
        st.text_input(value=written, placeholder=default or _EXAMPLES.get(name, ""), **{**shared, **read})
    else:
        _number(name, value, bounds, shared)


def _number(name: str, value: float | None, bounds: Bounds, shared: dict[str, Any]) -> None:
    low, high, step = bounds.low, bounds.high, bounds.step
    if low is None or high is None or step is None:
        raise ValueError(f"the setting {name} has no bounds that a widget could follow")
    cast = setting_kinds()[name][0]  # a widget wants all its numbers of one type
    if value is not None and (high - low) / step <= _SLIDER_STEPS:
        st.slider(min_value=cast(low), max_value=cast(high), value=cast(value), step=cast(step), **shared)
    else:
        st.number_input(
            min_value=cast(low),
            max_value=cast(high),
            value=value,
            step=cast(step),
            format="%.3f" if cast is float else None,
            placeholder="Not set" if bounds.optional else None,
            **shared,
        )


def _switched(is_on: bool) -> str:
    return "on" if is_on else "off"
