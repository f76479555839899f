"""What went wrong and what a change has reset, each with what to do next."""

from __future__ import annotations

import streamlit as st

from memguard.errors import (
    InvalidParameterError,
    MemGuardError,
    ModelError,
    ModelUnavailableError,
    SettingsError,
    TranscriptError,
)
from pages._ui import render, state

_ADVICE: tuple[tuple[type[MemGuardError], str, str], ...] = (
    (
        ModelUnavailableError,
        "A model is not installed",
        "Run `memguard setup` in a terminal, in the folder and environment of this project, then press "
        "Step again. The conversation is kept.",
    ),
    (
        ModelError,
        "A model cannot be used",
        "Run `memguard setup` in a terminal, then press Step again. The conversation is kept.",
    ),
    (
        TranscriptError,
        "The transcript cannot be read",
        "Correct the place that is named, or choose another file. What was open before is still here.",
    ),
    (SettingsError, "This setting is not possible", "Choose a value within the range. The run is unchanged."),
    (InvalidParameterError, "This was not done", "The run is as it was before."),
)
_OTHERWISE = (
    "The stage did not finish",
    "The stages before it are kept: press Step to try again, or choose other settings.",
)


def show(current: state.Session) -> None:
    """Draw the last error, fault and notice, if any."""
    if current.error is not None:
        title, advice = next(
            ((title, advice) for kind, title, advice in _ADVICE if isinstance(current.error, kind)),
            _OTHERWISE,
        )
        st.error(f"**{title}.** {render.markdown(str(current.error))}\n\n{advice}", icon=":material/error:")
    if current.fault is not None:
        st.error(
            f"**A fault in the program ended the stage: {render.markdown(type(current.fault).__name__)}.** "
            "Its details are in the log of the app. The conversation and the finished stages are kept; "
            "press Step to try again.",
            icon=":material/bug_report:",
        )
    if current.notice is not None:
        st.info(current.notice, icon=":material/info:")
