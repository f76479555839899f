"""What one browser session holds, and every way in which it changes.

The only user of ``st.session_state``. One ``Session`` with one ``Trace`` lies under one key, apart
from the widgets' own keys, so that a page switch, which discards widgets, loses nothing.
Everything named ``on_…`` is a widget's callback.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar, cast

import streamlit as st

from memguard import charts
from memguard.errors import MemGuardError
from memguard.messages import Conversation
from memguard.reconstructor import Reconstruction
from memguard.settings import Settings
from memguard.trace import Trace
from pages._ui import resources

T = TypeVar("T")
_KEY = "memguard"
SAMPLE, UPLOAD, PASTE, RESULTS = "sample", "upload", "paste", "results"
MAP, SCORES, VIEW = "map", "scores", "view"
OPENING = "support_refund"
"""What a first visitor sees: short, and every kind of drift is in it."""
OWN = ""
"""The choice that stands for a conversation of the person's own."""
Wanted = Literal["step", "finish"]
View = Literal["map", "scores"]


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
        fault: A bug that ended the work, for the page to raise once.
        notice: What a change has reset, for the page to show once.
        selected: The claim whose evidence is lit up.
        turn: How many choices of a claim the results have reported; an answer says which it has heard.
        view: Which picture of the claims is shown, the map or the scores.
        epoch: How often the values behind widgets were set by something else than the widget.
    """

    settings: Settings = field(default_factory=Settings)
    source: Source | None = None
    trace: Trace | None = None
    wanted: Wanted | None = None
    error: MemGuardError | None = None
    fault: Exception | None = None
    notice: str | None = None
    selected: str | None = None
    turn: int = 0
    view: View = "map"
    epoch: int = 0


def session() -> Session:
    """Return this session's state; a new one at first, and after a hot reload made its classes old."""
    found = st.session_state.get(_KEY)
    if isinstance(found, Session) and (found.trace is None or isinstance(found.trace, Trace)):
        return found
    fresh = Session()
    st.session_state[_KEY] = fresh
    return fresh


def kept(name: str, make: Callable[[], T]) -> T:
    """Return what one page keeps in this session under a name; made when it is first asked for.

    A page's own state is a dataclass of its own: it outlives a switch of pages, as widgets do not.
    """
    found = st.session_state.get(f"{_KEY}:{name}")
    if found is None:
        found = st.session_state[f"{_KEY}:{name}"] = make()
    return cast("T", found)


def ready() -> Session:
    """Return this session's state with a conversation in it: the opening sample unless one was chosen."""
    current = session()
    if current.trace is None and current.error is None:
        names = list(resources.samples())
        if names:
            choose(OPENING if OPENING in names else names[0])
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


def on_sample(drawn: str) -> None:
    """Follow the sample picker that was drawn under this key.

    A person who is quicker than the page may still move a widget that the last change took away:
    its key is gone by then, and so is what it asked for.
    """
    name = st.session_state.get(drawn)
    if isinstance(name, str) and name in resources.samples():
        choose(name)


def on_upload() -> None:
    """Read the uploaded file; an emptied uploader changes nothing, for the conversation is kept."""
    file = st.session_state[UPLOAD]
    if file is not None:
        limits = session().settings.limits
        take(file.name, lambda: resources.read_upload(file.getvalue(), file.name, limits))


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
    _begin(conversation, Source(OWN, conversation.title or title, "Kept in this browser session only."))


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


def on_setting(name: str, drawn: str, read: Callable[[Any], Any] | None = None) -> None:
    """Follow a setting's widget that was drawn under the key ``drawn``; one that is gone is no wish.

    What needs no model is applied at once. Any other setting takes the trace back to before the
    stage that reads it, and says so. ``read`` turns the widget's value into the setting's.
    """
    if drawn not in st.session_state:
        return
    current = _settled()
    value = st.session_state[drawn]
    try:
        _apply(current, current.settings.with_value(name, value if read is None else read(value)))
    except MemGuardError as error:
        current.error = error


def on_defaults() -> None:
    """Take every setting back to its default."""
    current = _settled()
    current.epoch += 1
    try:
        _apply(current, Settings())
    except MemGuardError as error:
        current.error = error


def on_claim() -> None:
    """Follow the claim that was selected in the results."""
    current, chosen = session(), st.session_state[RESULTS].get("chosen")
    if chosen is not None:
        current.selected, current.turn = chosen["claim"], chosen["turn"]


def on_view() -> None:
    """Show the other picture of the claims."""
    session().view = st.session_state[VIEW]


def on_point(drawn: str) -> None:
    """Follow the point that was picked on the picture drawn under this key, where it is a claim."""
    points = st.session_state[drawn].selection.points
    keys = [charts.read_key(point["customdata"]) for point in points if point.get("customdata")]
    claims = [key for key in keys if isinstance(key, str)]
    if claims:
        session().selected = claims[0]


def finished(trace: Trace) -> None:
    """Keep what the page's work produced."""
    session().trace = trace


def work_ended(error: MemGuardError | None = None, *, fault: Exception | None = None) -> None:
    """Note that the wanted work is done, or why it was not."""
    current = session()
    current.wanted, current.error, current.fault = None, error, fault


def raise_fault() -> None:
    """Raise what the work ended with, once; the next run of the page is free of it."""
    current = session()
    if current.fault is not None:
        fault, current.fault = current.fault, None
        raise fault


def _begin(conversation: Conversation, source: Source) -> None:
    current = _settled()
    current.source, current.selected = source, None
    current.epoch += 1
    current.trace = Trace(conversation, current.settings)


def _settled() -> Session:
    """Return the session with everything that concerned the last action cleared."""
    current = session()
    current.error = current.fault = current.notice = current.wanted = None
    return current


def _want(work: Wanted) -> None:
    _settled().wanted = work


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
