"""What only judges again: the preset and its two thresholds. A move runs no model."""

from __future__ import annotations

import streamlit as st

from memguard.bounds import bounds_of
from memguard.settings import EliminationSettings
from pages._ui import state

PRESET = "elimination.preset"
THRESHOLD = "elimination.min_similarity"
SUPPORT = "elimination.min_support"
_PRESETS = {
    "contract": "Keeps a claim exactly when its similarity reaches the minimum.",
    "balanced": "Asks for enough support as well as similarity.",
    "strict": "Also drops whatever a guard contradicts or misses, and what needs review.",
}


def bar() -> None:
    """Draw preset, minimum similarity and minimum support side by side, each with a line of its own."""
    settings = state.session().settings.elimination
    with st.container(key="judgement"):
        preset, similarity, support = st.columns([26, 37, 37], gap="large", wrap=False)
        with preset:
            st.segmented_control(
                bounds_of(EliminationSettings, "preset").label,
                list(_PRESETS),
                default=settings.preset,
                required=True,
                format_func=str.capitalize,
                key=state.key(PRESET),
                on_change=state.on_setting,
                args=(PRESET, state.key(PRESET)),
                width="stretch",
            )
            _line(_PRESETS[settings.preset])
        with similarity:
            # Texts of one conversation are hardly ever opposed, so the half below zero would be empty;
            # a value that lies there all the same (from a settings file) widens the slider to itself.
            _slider("min_similarity", min(0.0, settings.min_similarity))
            distance = f"at most {settings.max_distance:.2f} (lower = stricter)."
            _line(f"The same as a distance: {distance}")
        with support:
            is_contract = settings.preset == "contract"
            _slider("min_support", 0.0, disabled=is_contract)
            _line(
                "The contract preset ignores support; balanced and strict use it."
                if is_contract
                else "Joins similarity, words found one by one, and what the guards saw."
            )


def _slider(field: str, low: float, *, disabled: bool = False) -> None:
    name, bounds = f"elimination.{field}", bounds_of(EliminationSettings, field)
    st.slider(
        bounds.label,
        low,
        float(bounds.high if bounds.high is not None else 1.0),
        getattr(state.session().settings.elimination, field),
        bounds.step,
        key=state.key(name),
        on_change=state.on_setting,
        args=(name, state.key(name)),
        help=f"{bounds.help} A move runs no model.",
        format="%.2f",
        disabled=disabled,
    )


def _line(words: str) -> None:
    st.html(f'<p class="mg-line">{words}</p>')
