"""What one browser session holds, and every way in which it changes.

The only user of ``st.session_state``. One ``Session`` with one ``Trace`` lies under one key, apart
from the widgets' own keys, so that a page switch, which discards widgets, loses nothing.
Everything named ``on_…`` is a widget's callback.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

import streamlit as st

from memguard import charts
from memguard.compressor import Compression
from memguard.eliminator import Elimination
from memguard.errors import MemGuardError
from memguard.messages import Conversation
from memguard.settings import Settings
from memguard.trace import Trace
from pages._ui import resources

_KEY = "memguard"
SAMPLE, UPLOAD, PASTE, RESULTS, MAP = "sample", "upload", "paste", "results", "map"
OWN = ""
"""The choice that stands for a conversation of the person's own."""
_RUNS_A_MODEL = ("compression.", "elimination.evidence_")
_STAGE_OF = {"compression.": 0, "elimination.": 1, "reconstruction.": 2}
Wanted = Literal["step", "finish"]


@dataclass(frozen=True)
class Source:
    """Where the conversation came from; ``sample`` is a sample's name, or ``OWN``."""

    sample: str
    title: str
    description: str


@dataclass
class Session:
    """The state of one browser session.

    Attributes:
        settings: What the next stage will use; the trace's own once there is one.
        source: Where the conversation came from.
        trace: How far it is.
        wanted: Work that a button asked for and the page has still to do.
        error: What went wrong last, for the page to show.
        notice: What a change has reset, for the page to show once.
        selected: The claim whose evidence is lit up.
        epoch: How often the values behind widgets were set by something else than the widget.
    """

    settings: Settings = field(default_factory=Settings)
    source: Source | None = None
    trace: Trace | None = None
    wanted: Wanted | None = None
    error: MemGuardError | None = None
    notice: str | None = None
    selected: str | None = None
    epoch: int = 0


def session() -> Session:
    """Return this session's state; a new one at first, and after a hot reload made its classes old."""
    found = st.session_state.get(_KEY)
    if isinstance(found, Session) and (found.trace is None or isinstance(found.trace, Trace)):
        return found
    fresh = Session()
    st.session_state[_KEY] = fresh
    return fresh


def ready() -> Session:
    """Return this session's state with a conversation in it: the first sample unless one was chosen."""
    current = session()
    if current.trace is None and current.error is None:
        names = list(resources.samples())
        if names:
            choose(names[0])
    return current


def choose(name: str) -> None:
    """Take a sample conversation, at the beginning of its way."""
    sample = resources.samples()[name]
    _begin(sample.conversation, Source(name, sample.title, sample.description))


def key(name: str) -> str:
    """Return the key of a widget that shows a value of this session.

    It holds the number of times that such values were set from elsewhere: a widget with a new key
    takes its value anew, while one that is only drawn again keeps what the person chose (UI-011).
    """
    return f"{name}:{session().epoch}"


def on_sample() -> None:
    """Follow the sample picker."""
    name = st.session_state[key(SAMPLE)]
    if name != OWN:
        choose(name)


def on_upload() -> None:
    """Read the uploaded file; an emptied uploader changes nothing, for the conversation is kept."""
    file = st.session_state[UPLOAD]
    if file is not None:
        take(file.name, lambda: resources.read_upload(file.getvalue(), file.name))


def on_paste() -> None:
    """Read the pasted text."""
    text = st.session_state.get(PASTE) or ""
    take("Pasted text", lambda: resources.read_paste(text))


def take(title: str, read: Callable[[], Conversation]) -> None:
    """Take a conversation of the person's own; one that cannot be read leaves what is there."""
    current = session()
    try:
        conversation = read()
    except MemGuardError as error:
        current.error = error
        return
    _begin(conversation, Source(OWN, title, "Kept in this browser session only."))


def on_step() -> None:
    """Ask for the next stage."""
    _want("step")


def on_finish() -> None:
    """Ask for all stages that are left."""
    _want("finish")


def on_back() -> None:
    """Undo the last stage."""
    current = _settled()
    if current.trace is not None:
        current.trace = current.trace.rewind()


def on_reset() -> None:
    """Undo all stages; conversation and settings stay."""
    current = _settled()
    if current.trace is not None:
        current.trace = current.trace.rewind(len(current.trace.results))


def on_setting(name: str) -> None:
    """Follow a setting's widget.

    A threshold or the payload's budget is applied at once and runs no model. Any other setting
    takes the trace back to before the stage that reads it, and says so.
    """
    current = _settled()
    try:
        changed = current.settings.with_value(name, st.session_state[key(name)])
        trace = current.trace
        if trace is not None:
            current.trace, current.notice = _applied(trace, changed, name)
        current.settings = changed
    except MemGuardError as error:
        current.error = error


def on_defaults() -> None:
    """Take every setting back to its default."""
    current = _settled()
    before, current.settings = current.settings, Settings()
    current.epoch += 1
    if current.trace is not None and before != current.settings:
        keep = 0 if before.compression != current.settings.compression else 1
        trace = current.trace.rewind(max(0, len(current.trace.results) - keep))
        current.trace = replace(trace, settings=current.settings)
        current.notice = "Settings are back at their defaults; press Step to run the stages again."


def on_claim() -> None:
    """Follow the claim that was selected in the results."""
    session().selected = st.session_state[RESULTS].get("selected")


def on_point() -> None:
    """Follow the point that was picked on the map, where it is a claim."""
    points = st.session_state[MAP].selection.points
    keys = [charts.read_key(point["customdata"]) for point in points if point.get("customdata")]
    claims = [key for key in keys if isinstance(key, str)]
    if claims:
        session().selected = claims[0]


def finished(trace: Trace) -> None:
    """Keep what the page's work produced."""
    session().trace = trace


def work_ended(error: MemGuardError | None = None) -> None:
    """Note that the wanted work is done, or why it was not."""
    current = session()
    current.wanted, current.error = None, error


def _begin(conversation: Conversation, source: Source) -> None:
    current = _settled()
    current.source, current.selected = source, None
    current.epoch += 1
    current.trace = Trace(conversation, current.settings)


def _settled() -> Session:
    """Return the session with everything that concerned the last action cleared."""
    current = session()
    current.error = current.notice = current.wanted = None
    return current


def _want(work: Wanted) -> None:
    _settled().wanted = work


def _applied(trace: Trace, settings: Settings, name: str) -> tuple[Trace, str | None]:
    done = len(trace.results)
    if name.startswith(_RUNS_A_MODEL):
        first = next(stage for prefix, stage in _STAGE_OF.items() if name.startswith(prefix))
        kept = replace(trace.rewind(max(0, done - first)), settings=settings)
        if done <= first:
            return kept, None
        names = ("Compression", "Elimination")
        return kept, f"Settings of {names[first]} changed, so it is ready to run again: press Step."
    if trace.get(Compression) is None or trace.get(Elimination) is None:
        return replace(trace, settings=settings), None
    return resources.guard().update(trace, settings), None
