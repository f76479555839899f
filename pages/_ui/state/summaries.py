"""A summary that was not written here: the sample's drifted one, or one of the person's own.

It takes the place of what stage 1 writes, as ``memguard check`` does it; Reset, or Back to the
beginning, gives stage 1 back.
"""

from __future__ import annotations

import streamlit as st

from memguard.compressor import Compression
from memguard.errors import InvalidParameterError, MemGuardError
from memguard.guard import given
from memguard.text import is_blank
from memguard.trace import Trace
from memguard.transcripts import Sample
from pages._ui import planted, resources
from pages._ui.state import address, stages
from pages._ui.state.held import session, settled

MOST_CHARS = 20_000
"""Of a pasted summary; some hundred claims, which are judged in seconds."""


def sample() -> Sample | None:
    """Return the sample that is open, if its claims are labelled; None for a conversation of one's own."""
    source = session().source
    found = resources.samples().get(source.sample) if source is not None else None
    return found if found is not None and found.drift else None


def tally() -> planted.Tally | None:
    """Return what became of the drifted summary; None where the run has another one."""
    current, of = session(), sample()
    return planted.tally(current.trace, of) if current.trace is not None and of is not None else None


def on_planted() -> None:
    """Check the drifted summary of the sample that is open."""
    found = sample()
    if found is not None:
        _check(planted.summary(found))


def on_own(drawn: str) -> None:
    """Check the summary that was pasted into the widget drawn under this key."""
    text = st.session_state.get(drawn)
    if not isinstance(text, str):
        return  # a widget that is gone is no wish
    if is_blank(text):
        settled().error = InvalidParameterError("no summary was pasted; paste one, then press Check it")
    elif len(text) > MOST_CHARS:
        settled().error = InvalidParameterError(
            f"the pasted summary has {len(text):,} characters, and at most {MOST_CHARS:,} are checked here; "
            "nothing was changed: paste a part of it, or check all of it with memguard check"
        )
    else:
        _check(text)


def on_written() -> None:
    """Let stage 1 write the summary again, and run all stages."""
    stages.on_reset()
    stages.on_finish()
    session().selected = None  # a claim of the other summary
    session().epoch += 1
    address.follow()


def is_given(trace: Trace) -> bool:
    """Tell whether the summary of a run was handed in."""
    compression = trace.get(Compression)
    return compression is not None and compression.given


def take_planted() -> None:
    """Take the drifted summary as what stage 1 gave, and check nothing yet: the link says how far to go."""
    current, of = session(), sample()
    if current.trace is None or of is None:
        return
    try:
        current.trace = _handed_in(planted.summary(of), current.trace)
    except MemGuardError as error:
        current.error = error


def _check(summary: str) -> None:
    current = settled()
    if current.trace is None:
        return
    try:
        current.trace = _handed_in(summary, current.trace)
    except MemGuardError as error:
        current.error = error
        return
    current.selected = None
    current.epoch += 1
    current.wanted = "finish"
    address.follow()


def _handed_in(summary: str, trace: Trace) -> Trace:
    """Return the conversation of a trace with this summary and no other result."""
    return given(summary, trace.conversation, trace.settings, counter=resources.guard().counter)
