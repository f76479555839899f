"""What one browser session holds, and every way in which it changes.

The only user of ``st.session_state``. One ``Session`` with one ``Trace`` lies under one key, apart
from the widgets' own keys, so that a page switch, which discards widgets, loses nothing.
Everything named ``on_…`` is a widget's callback. What a link may hold is written into the address with
each change (``follow``) and read from it once, when the session begins (``ready``).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import wait
from dataclasses import replace
from typing import Any, TypeVar, cast

import streamlit as st

from memguard import charts
from memguard.eliminator import Elimination
from memguard.errors import MemGuardError, TranscriptError
from memguard.messages import Conversation
from memguard.reconstructor import Reconstruction
from memguard.settings import Settings
from memguard.trace import Trace
from pages._ui import links, render, resources
from pages._ui.session import N_STAGES, SHOWS, VIEWS
from pages._ui.session import Offer as Offer
from pages._ui.session import Playing as Playing
from pages._ui.session import Reading as Reading
from pages._ui.session import Session as Session
from pages._ui.session import Show as Show
from pages._ui.session import Source as Source
from pages._ui.session import View as View
from pages._ui.session import Wanted as Wanted

_COMPLAINTS_SHOWN = 3
T = TypeVar("T")
_KEY = "memguard"
SAMPLE, UPLOAD, PASTE, RESULTS = "sample", "upload", "paste", "results"
MAP, SCORES, VIEW, SHOW = "map", "scores", "view", "show"
OPENING = "support_refund"
"""What a first visitor sees: short, and every kind of drift is in it."""
OWN = ""
"""The choice that stands for a conversation of the person's own."""
BEAT_S = 1.0
"""How long each sub-step stands while the run is played."""
READ_AT_ONCE_S, READ_LIMIT_S = 1.0, 60.0
"""How long the page waits for a file before it draws itself meanwhile, and before it gives the file up."""


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
    """Return this session's state with a conversation in it: what the link asks for, else the opening one."""
    current = session()
    if not current.opened:
        _open(current)
        current.opened = True
    if current.trace is None and current.error is None:
        names = list(resources.samples())
        if names:
            choose(OPENING if OPENING in names else names[0])
    follow()
    return current


def follow() -> None:
    """Write what a link holds of this session into the address.

    A conversation of the person's own is in no link: with it, a link holds the settings alone.
    """
    current = session()
    if not current.opened:
        return
    is_shared = current.trace is not None and current.source is not None and current.source.sample != OWN
    stages = _stages(current) if is_shared else 0
    claim = (current.asked or current.selected) if stages > 1 else None
    links.note(
        **{
            links.SAMPLE: current.source.sample if is_shared and current.source is not None else None,
            links.STAGES: str(stages) if stages else None,
            links.CLAIM: claim,
            links.VIEW: None if current.view == VIEWS[0] else current.view,
            links.SHOW: None if current.show == SHOWS[0] else current.show,
            **links.written(current.settings),
        }
    )


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


def value(drawn: str) -> Any:
    """Return what the widget drawn under this key holds now; None where it is gone."""
    return st.session_state.get(drawn)


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


def on_offer(drawn: str) -> None:
    """Read the conversation that was chosen of the file that is offered."""
    current = session()
    offer, position = current.offer, st.session_state.get(drawn)
    if offer is None or not isinstance(position, int) or not 0 <= position < len(offer.heads):
        return
    head = offer.heads[position]
    ids = [other.id for other in offer.heads]
    chosen = head.id if ids.count(head.id) == 1 else str(position + 1)
    take(head.title or offer.title, lambda: offer.read(chosen))


def on_refuse() -> None:
    """Leave the file that is offered; what is open stays."""
    session().offer = None


def take(title: str, read: Callable[[], Conversation | Offer]) -> None:
    """Take a conversation of the person's own; one that cannot be read leaves what is there.

    It is read on a thread of its own. A page that draws while it is read calls ``taken``.
    """
    current = session()
    current.error = None
    current.reading = Reading(title, resources.reader().submit(read), time.monotonic())
    taken(wait_s=READ_AT_ONCE_S)


def taken(*, wait_s: float = 0.0) -> bool:
    """Take the conversation that was being read, if it is there; return whether the reading has ended."""
    current = session()
    reading = current.reading
    if reading is None:
        return True
    wait([reading.conversation], timeout=wait_s)
    if reading.conversation.done():
        current.reading = None
        try:
            found = reading.conversation.result()
            if isinstance(found, Offer):
                current.offer = found
            else:
                begin_own(found, reading.title)
        except MemGuardError as error:
            current.error = error
        return True
    if time.monotonic() - reading.since < READ_LIMIT_S:
        return False
    on_stop_reading()
    current.error = TranscriptError(
        f"{reading.title}: reading took more than {READ_LIMIT_S:.0f} seconds and was given up; "
        "split it, one conversation a file"
    )
    return True


def begin_own(conversation: Conversation, title: str) -> None:
    """Take a conversation that no link will hold."""
    opening = resources.samples().get(OPENING)
    instead = f" A link opens the sample “{opening.title}” instead." if opening is not None else ""
    _begin(
        conversation,
        Source(OWN, conversation.title or title, f"Your own conversation stays in this session.{instead}"),
    )


def on_stop_reading() -> None:
    """Give up the transcript that is being read."""
    current = session()
    if current.reading is not None:
        current.reading.conversation.cancel()
        current.reading = None


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
    follow()


def on_reset() -> None:
    """Undo all stages; conversation and settings stay."""
    current = _settled()
    if current.trace is not None:
        current.trace = current.trace.rewind(len(current.trace.results))
    follow()


def on_play() -> None:
    """Show the run one sub-step a second, from its beginning or from where it was paused."""
    current = session()
    if current.playing is not None:
        current.playing.paused = False
        current.playing.due = time.monotonic() + BEAT_S
        return
    _settled()
    if current.trace is not None:
        n_done = len(current.trace.results)
        current.playing = Playing()
        _play_stage(current, current.playing, 0 if n_done == N_STAGES else n_done)


def on_pause() -> None:
    """Let the playing stand still."""
    playing = session().playing
    if playing is not None:
        playing.paused = True


def is_ticking() -> bool:
    """Return whether the page has to draw itself again by and by, without a person's doing."""
    current = session()
    playing = current.playing
    return current.reading is not None or (playing is not None and not playing.paused)


def advance(n_beats: Callable[[Trace, int], int]) -> None:
    """Go on with the playing if its next sub-step is due.

    Args:
        n_beats: Returns how many sub-steps a stage of a trace has.
    """
    current = session()
    playing, trace = current.playing, current.trace
    if playing is None or trace is None or current.wanted is not None or not playing.is_due(time.monotonic()):
        return
    playing.due = time.monotonic() + BEAT_S
    if playing.beat < n_beats(trace, playing.stage):
        playing.beat += 1
    elif playing.stage + 1 < N_STAGES:
        _play_stage(current, playing, playing.stage + 1)
    else:
        current.playing = None


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


def on_settings(settings: Settings) -> None:
    """Take settings all at once; every widget that shows one takes its value anew."""
    current = _settled()
    current.epoch += 1
    try:
        _apply(current, settings)
    except MemGuardError as error:
        current.error = error


def on_defaults() -> None:
    """Take every setting back to its default."""
    on_settings(Settings())


def on_claim() -> None:
    """Follow the claim that was selected in the results."""
    current, chosen = session(), st.session_state[RESULTS].get("chosen")
    if chosen is not None:
        current.selected, current.turn = chosen["claim"], chosen["turn"]
        follow()


def on_view() -> None:
    """Show the other picture of the claims."""
    session().view = st.session_state[VIEW]
    follow()


def on_show() -> None:
    """Show something else below the stages."""
    session().show = st.session_state[SHOW]
    follow()


def on_point(drawn: str) -> None:
    """Follow the point that was picked on the picture drawn under this key, where it is a claim."""
    points = st.session_state[drawn].selection.points
    keys = [charts.read_key(point["customdata"]) for point in points if point.get("customdata")]
    claims = [key for key in keys if isinstance(key, str)]
    if claims:
        session().selected = claims[0]
        follow()


def finished(trace: Trace) -> None:
    """Keep what the page's work produced."""
    current = session()
    current.trace = trace
    if current.playing is not None:
        current.playing.due = time.monotonic() + BEAT_S


def work_ended(error: MemGuardError | None = None, *, fault: Exception | None = None) -> None:
    """Note that the wanted work is done, or why it was not."""
    current = session()
    current.wanted, current.error, current.fault = None, error, fault
    current.until, current.opening = N_STAGES, False
    if error is not None or fault is not None:
        current.playing = None
    _resolve(current)
    follow()


def _open(current: Session) -> None:
    """Take what the link asks for; what cannot be had is said, and the defaults stand."""
    known = resources.samples()
    link = links.read(links.parameters(), known)
    current.settings = link.settings
    current.view, current.show = link.view, link.show
    if link.sample is not None:
        choose(link.sample)
    elif known:
        choose(OPENING if OPENING in known else next(iter(known)))
    if link.complaints:
        current.notice = _not_followed(link.complaints)
    if current.trace is not None and link.stages:
        current.wanted, current.until, current.opening = "finish", link.stages, True
    current.asked = link.claim
    if current.wanted is None:
        _resolve(current)


def not_followed(complaints: Sequence[str]) -> None:
    """Say what of a page's own part of the link could not be followed; its defaults stand."""
    current = session()
    if not complaints:
        return
    if current.notice:
        current.notice += " " + " ".join(render.markdown(said) for said in complaints[:_COMPLAINTS_SHOWN])
    else:
        current.notice = _not_followed(complaints)


def _not_followed(complaints: Sequence[str]) -> str:
    """Return what of a link could not be followed, as Markdown; of very many complaints the first few."""
    said = " ".join(render.markdown(complaint) for complaint in complaints[:_COMPLAINTS_SHOWN])
    more = len(complaints) - _COMPLAINTS_SHOWN
    rest = f" And {more:,} more." if more > 0 else ""
    return f"Not everything in the link could be followed; the rest is as it says. {said}{rest}"


def _resolve(current: Session) -> None:
    """Select the claim that the link asks for, or say that there is none."""
    claim, current.asked = current.asked, None
    if claim is None:
        return
    trace = current.trace
    elimination = trace.get(Elimination) if trace is not None else None
    reconstruction = trace.get(Reconstruction) if trace is not None else None
    judged = elimination.verdicts if elimination is not None else ()
    quoted = reconstruction.verbatim if reconstruction is not None else ()
    if any(verdict.claim.id == claim for verdict in (*judged, *quoted)):
        current.selected = claim
        return
    said = render.markdown(f"The link selects the claim “{claim[:16]}”, which this run does not have.")
    current.notice = f"{current.notice} {said}" if current.notice else said


def _stages(current: Session) -> int:
    """Return how many stages are done, or will be when the work that is wanted is done."""
    done = len(current.trace.results) if current.trace is not None else 0
    return {"finish": max(done, current.until), "step": done + 1}.get(current.wanted or "", done)


def _play_stage(current: Session, playing: Playing, stage: int) -> None:
    """Begin to play a stage; one that has not run runs first."""
    playing.begin(stage, time.monotonic(), BEAT_S)
    if current.trace is not None and len(current.trace.results) <= stage:
        current.wanted = "step"


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
    follow()


def _settled() -> Session:
    """Return the session with everything that concerned the last action cleared."""
    current = session()
    current.error = current.fault = current.notice = current.wanted = None
    current.playing = current.reading = current.offer = current.asked = None
    current.until, current.opening = N_STAGES, False
    return current


def _want(work: Wanted) -> None:
    _settled().wanted = work
    follow()


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
    follow()
