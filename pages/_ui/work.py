"""The work that a button asked for, with its real progress on the page."""

from __future__ import annotations

import time
from collections.abc import Callable

import streamlit as st

from memguard.compressor import Compression
from memguard.errors import MemGuardError
from memguard.trace import Progress
from pages._ui import render, resources, state
from pages._ui.pipeline import overview

_QUIET_S = 0.06
"""Progress is drawn at most this often: each message costs the browser a redraw."""


def running_stage() -> int | None:
    """Return the number of the stage that is about to work, or None."""
    current = state.session()
    if current.wanted is None or current.trace is None or len(current.trace.results) >= len(overview.STAGES):
        return None
    return len(current.trace.results)


def run() -> None:
    """Run one stage of the work that is wanted, then draw the page anew."""
    current = state.session()
    trace, wanted = current.trace, current.wanted
    if trace is None or wanted is None:
        return
    bar = st.progress(0.0, text="Starting")
    report = reporter(lambda share, text: bar.progress(share, text=text))
    try:
        guard = resources.load(current.settings, report, summarizer=trace.get(Compression) is None)
        trace = guard.pipeline.step(trace, progress=report)
    except MemGuardError as error:
        state.work_ended(error)
    except Exception as fault:  # noqa: BLE001  the page raises it, once its buttons are there again
        state.work_ended(fault=fault)
    else:
        state.finished(trace)
        is_far_enough = wanted == "step" or len(trace.results) >= current.until
        if is_far_enough or guard.pipeline.next_stage(trace) is None:
            state.work_ended()
    st.rerun()


def reporter(draw: Callable[[float, str], object]) -> Progress:
    """Return a progress that draws a share from 0 to 1 and words as Markdown, as often as a page can take."""
    drawn_at = 0.0

    def report(stage: str, done: int, total: int, label: str) -> None:
        nonlocal drawn_at
        now = time.monotonic()
        if now - drawn_at < _QUIET_S and done not in (0, total):
            return
        drawn_at = now
        share = min(1.0, done / total) if total else 0.0
        if stage == resources.LOADING:
            words = f"Loading models: {label}, {done} of {total} ready"
        else:
            words = f"{stage.capitalize()}: {done:,} of {total:,} {label}"
        draw(share, render.markdown(words))

    return report
