"""The frame of the Memory page: its head, the work that a button asked for, and the view that is chosen."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from memguard.errors import MemGuardError, ModelError, StoreError
from memguard.memory.rows import EVERYTHING
from memguard.memory.store import MemoryStore
from pages._ui import alerts, render, resources, state
from pages._ui.memory import (
    auditing,
    capturing,
    choices,
    demo,
    entries,
    history,
    home,
    lifecycle,
    maintaining,
    markup,
)
from pages._ui.memory.choices import VIEWS, Page, View

_LINES: dict[View, str] = {
    "entries": "What is remembered, where each entry comes from, and what became of it.",
    "maintenance": "What each step would do, before it is done; every step can be undone.",
    "capture": "What the privacy gate makes of a text as you type, before anything is stored.",
    "lifecycle": "Analyze, compress, score, output: a report of what may be stored, and why not the rest.",
    "store": "What the store holds, and its chain of records, checked on the spot.",
}
_DRAW: dict[View, Callable[[MemoryStore, Page], None]] = {
    "entries": entries.draw,
    "maintenance": maintaining.draw,
    "capture": capturing.draw,
    "lifecycle": lifecycle.draw,
    "store": auditing.draw,
}
_FULL: tuple[View, ...] = ("entries", "maintenance")
"""Views that show nothing of an empty store."""
_ADVICE: tuple[tuple[type[MemGuardError], str, str], ...] = (
    (
        ModelError,
        "A model cannot be used",
        "Nothing was written. Run `memguard setup` in a terminal, then try again.",
    ),
    (StoreError, "The store did not do it", "Nothing was written by this step, and nothing is lost."),
)
_OTHERWISE = ("It was not done", "Nothing was written by this step, and nothing is lost.")


def draw() -> None:
    """Draw the page."""
    page = choices.page()
    alerts.show(state.session())
    try:
        store = home.store(page.which)
    except MemGuardError as error:
        st.html('<div class="mg-title">Memory</div>')
        st.error(
            f"**The store cannot be opened.** {render.markdown(str(error))}\n\n"
            "Nothing was changed. Correct `MEMGUARD_MEMORY_URL` and start the app again.",
            icon=":material/error:",
        )
        return
    _head(store, page)
    _work(store, page)
    _problem(page.problem)
    try:
        if page.view in _FULL and not store.count(EVERYTHING):
            _empty(page)
        else:
            _DRAW[page.view](store, page)
    except MemGuardError as error:
        _problem(error)
    choices.note(page)


def _head(store: MemoryStore, page: Page) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="memory-top"):
        st.html(f'<div class="mg-title">Memory</div><p class="mg-description">{_LINES[page.view]}</p>')
        if home.has_own():
            drawn = state.key("memory-which")
            st.selectbox(
                "Store",
                list(home.NAMES),
                list(home.NAMES).index(page.which),
                format_func=home.NAMES.__getitem__,
                key=drawn,
                on_change=choices.on_store,
                args=(drawn,),
                label_visibility="collapsed",
                width=176,
            )
        history.every(store, page)
        history.head(store, page)
        drawn = state.key("memory-view")
        st.segmented_control(
            "View",
            list(VIEWS),
            default=page.view,
            required=True,
            format_func=VIEWS.__getitem__,
            key=drawn,
            on_change=choices.on_view,
            args=(drawn,),
            label_visibility="collapsed",
        )


def _work(store: MemoryStore, page: Page) -> None:
    """Do what a button asked for, then draw the page anew."""
    wanted, page.wanted = page.wanted, ""
    if not wanted:
        return
    if wanted == "fill":
        _fill(store, page)
    elif wanted == "capture":
        with st.spinner("Capturing"):
            capturing.run(store, page)
    elif wanted == "lifecycle":
        with st.spinner("Running the lifecycle"):
            lifecycle.run(store, page)
    else:
        with st.spinner("Applying what is shown"):
            maintaining.apply(store, page, wanted)
    st.rerun()


def _fill(store: MemoryStore, page: Page) -> None:
    bar = st.progress(0.0, text="Loading the sentence encoder")

    def report(done: int, total: int) -> None:
        bar.progress(done / total if total else 1.0, text=f"Embedding: {done:,} of {total:,} entries")

    try:
        n = demo.fill(store, resources.embedder(), progress=report)
    except MemGuardError as error:
        page.problem = error
        return
    page.writes.note(f"Filled with {n:,} written entries", store.stats().n_records - 1)


def _problem(error: MemGuardError | None) -> None:
    if error is None:
        return
    title, advice = next(
        ((title, advice) for kind, title, advice in _ADVICE if isinstance(error, kind)), _OTHERWISE
    )
    st.error(f"**{title}.** {render.markdown(str(error))}\n\n{advice}", icon=":material/error:")


def _empty(page: Page) -> None:
    if page.which == "own":
        st.html(
            markup.hint(
                "Your store is empty", "Capture something in the Capture view; it will be listed here."
            )
        )
        return
    st.html(
        markup.hint(
            "Nothing is remembered yet",
            f"Fill the demonstration with {len(demo.rows()):,} written entries: noise, near-duplicates, "
            "contradictions, private data. Or capture something of your own. Both stay in this session.",
        )
    )
    with st.container(horizontal=True, horizontal_alignment="center"):
        st.button(
            "Fill the demonstration",
            key="memory-fill",
            type="primary",
            icon=":material/library_add:",
            on_click=choices.want,
            args=("fill",),
        )
