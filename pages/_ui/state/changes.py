"""Changed settings, and as much of the trace as holds under them without a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from memguard.errors import MemGuardError
from memguard.reconstructor import Reconstruction
from memguard.settings import Settings
from pages._ui import resources
from pages._ui.session import Session
from pages._ui.state import address
from pages._ui.state.held import settled


def on_setting(name: str, drawn: str, read: Callable[[Any], Any] | None = None) -> None:
    """Follow a setting's widget that was drawn under the key ``drawn``; one that is gone is no wish.

    What needs no model is applied at once. Any other setting takes the trace back to before the
    stage that reads it, and says so. ``read`` turns the widget's value into the setting's.
    """
    if drawn not in st.session_state:
        return
    current = settled()
    value = st.session_state[drawn]
    try:
        _apply(current, current.settings.with_value(name, value if read is None else read(value)))
    except MemGuardError as error:
        current.error = error


def on_settings(settings: Settings) -> None:
    """Take settings all at once; every widget that shows one takes its value anew."""
    current = settled()
    current.epoch += 1
    try:
        _apply(current, settings)
    except MemGuardError as error:
        current.error = error


def on_defaults() -> None:
    """Take every setting back to its default."""
    on_settings(Settings())


def _apply(current: Session, settings: Settings) -> None:
    """Take new settings, with as much of the trace as holds under them without a model."""
    trace = current.trace
    if trace is None or not trace.results:
        current.trace = None if trace is None else replace(trace, settings=settings)
    else:
        pipeline = resources.guard().pipeline
        current.trace = pipeline.settled(trace, settings, again=(Reconstruction,))
        stage = pipeline.next_stage(current.trace)
        if stage is not None and len(current.trace.results) < len(trace.results):
            current.notice = (
                f"{stage.name.capitalize()} has to run again with the changed settings: press Step."
            )
    current.settings = settings
    address.follow()
