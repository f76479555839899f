"""What one browser session holds, under one key apart from the widgets' own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import streamlit as st

from memguard.trace import Trace
from pages._ui.session import N_STAGES, Session

T = TypeVar("T")
_KEY = "memguard"
OWN = ""
"""The sample that stands for a conversation of the person's own."""


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


def key(name: str) -> str:
    """Return the key of a widget that shows a value of this session.

    It holds the number of times that such values were set from elsewhere: a widget with a new key
    takes its value anew, while one that is only drawn again keeps what the person chose (UI-011).
    """
    return f"{name}:{session().epoch}"


def value(drawn: str) -> Any:
    """Return what the widget drawn under this key holds now; None where it is gone."""
    return st.session_state.get(drawn)


def settled() -> Session:
    """Return the session with everything that concerned the last action cleared."""
    current = session()
    current.error = current.fault = current.notice = current.wanted = None
    current.playing = current.reading = current.offer = current.asked = None
    current.until, current.opening = N_STAGES, False
    return current
