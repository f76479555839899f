"""What was done in this session, each write with its own Undo or Redo."""

from __future__ import annotations

import streamlit as st

from memguard.memory.store import MemoryStore
from pages._ui import render
from pages._ui.memory import choices, writes
from pages._ui.memory.choices import Page
from pages._ui.memory.writes import Write


def on_turn(store: MemoryStore, write: Write) -> None:
    """Take a write back, or do it again."""
    choices.page().problem = writes.turn(store, write)


def every(store: MemoryStore, page: Page) -> None:
    """Draw the writes of this session, the newest first; nothing where there is none."""
    if not page.writes.done:
        return
    with (
        st.popover(f"Done ({len(page.writes.done):,})", icon=":material/history:", key="memory-done"),
        st.container(key="memory-history"),
    ):
        st.html('<div class="mg-subhead">Done in this session</div>')
        for number, write in reversed(list(enumerate(page.writes.done))):
            with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
                words = render.text(write.words)
                said = f"<s>{words}</s> <small>undone</small>" if write.undone else words
                st.html(f'<p class="mg-done">{said}</p>')
                name, symbol = ("Redo", "redo") if write.undone else ("Undo", "undo")
                st.button(
                    name,
                    key=f"memory-write-{number}",
                    icon=f":material/{symbol}:",
                    on_click=on_turn,
                    args=(store, write),
                    type="tertiary",
                    help=f"{name}: {render.markdown(write.words)}",
                )


def head(store: MemoryStore, page: Page) -> None:
    """Draw Undo and Redo of the last write, by button and by key."""
    for name, symbol, undone, keys in (
        ("Undo", "undo", False, "Alt+Z"),
        ("Redo", "redo", True, "Alt+Shift+Z"),
    ):
        write = page.writes.last(undone=undone)
        st.button(
            name,
            key=f"memory-{name.lower()}",
            icon=f":material/{symbol}:",
            disabled=write is None,
            on_click=on_turn,
            args=(store, write),
            help=f"{name}: {render.markdown(write.words)}" if write else f"Nothing to {name.lower()}",
            shortcut=keys,
        )
