"""Taking a conversation: a sample, or one of the person's own, which is read off the page's path."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import wait

import streamlit as st

from memguard.errors import MemGuardError, TranscriptError
from memguard.messages import Conversation
from memguard.trace import Trace
from pages._ui import resources
from pages._ui.session import Offer, Reading, Source, TableOffer
from pages._ui.state import address
from pages._ui.state.held import OWN, session, settled

SAMPLE, UPLOAD, PASTE = "sample", "upload", "paste"
OPENING = "support_refund"
"""What a first visitor sees: short, and every kind of drift is in it."""
READ_AT_ONCE_S, READ_LIMIT_S = 1.0, 60.0
"""How long the page waits for a file before it draws itself meanwhile, and before it gives the file up."""


def choose(name: str) -> None:
    """Take a sample conversation, at the beginning of its way."""
    sample = resources.samples()[name]
    _begin(sample.conversation, Source(name, sample.title, sample.description))


def choose_opening() -> None:
    """Take the sample that a first visitor sees; where there is none, the first one, if there is any."""
    known = resources.samples()
    if known:
        choose(OPENING if OPENING in known else next(iter(known)))


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
    if not isinstance(offer, Offer) or not isinstance(position, int) or not 0 <= position < len(offer.heads):
        return
    head = offer.heads[position]
    ids = [other.id for other in offer.heads]
    chosen = head.id if ids.count(head.id) == 1 else str(position + 1)
    take(head.title or offer.title, lambda: offer.read(chosen))


def on_columns(drawn: Mapping[str, str]) -> None:
    """Read the table that is offered with the columns that were chosen.

    Args:
        drawn: For each kind of column the key of the widget that chooses it; a kind without a choice
            is held by no column.
    """
    offer = session().offer
    if not isinstance(offer, TableOffer):
        return
    columns = {kind: str(st.session_state.get(key) or "") for kind, key in drawn.items()}
    take(offer.title, lambda: offer.read(columns))


def on_as_found() -> None:
    """Read the table that is offered as it is read without a choice."""
    offer = session().offer
    if isinstance(offer, TableOffer):
        take(offer.title, lambda: offer.read({}))


def on_refuse() -> None:
    """Leave the file that is offered; what is open stays."""
    session().offer = None


def take(title: str, read: Callable[[], Conversation | Offer | TableOffer]) -> None:
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
            if isinstance(found, Offer | TableOffer):
                current.offer = found
                current.epoch += 1  # what it was brought with closes, and no choice of an earlier one stays
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


def _begin(conversation: Conversation, source: Source) -> None:
    current = settled()
    current.source, current.selected = source, None
    current.epoch += 1
    current.trace = Trace(conversation, current.settings)
    address.follow()
