"""The Capture view: what the privacy gate makes of a text while it is typed, and the capture itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from memguard.errors import MemGuardError
from memguard.memory.actions import memory
from memguard.memory.counters import Cl100kCounter
from memguard.memory.noise import is_filler
from memguard.memory.providers import CompressionProvider, ProviderError, Skip, choose
from memguard.memory.providers.local import LocalProvider
from memguard.memory.store import MemoryStore
from memguard.memory.views import CaptureResult
from memguard.privacy import Exclusions, Redacted, Redactor
from memguard.settings import MemorySettings
from pages._ui import resources, state, theme
from pages._ui.memory import choices, entries, gate, writes
from pages._ui.memory.choices import Page
from pages._ui.memory.gate import Outcome

EDITOR = "memory-capture-text"
MOST_CHARS = 20_000
_TOLD = {
    "stored": ("Stored", "It can be found and given out from now on."),
    "duplicate": ("Not stored: it is there already", "An entry says the very same."),
    "injected": ("Not stored: it came out of memory", "What was given to a model is never captured again."),
    "skipped": ("Not stored", "There is nothing in it to remember."),
}
_CHOSEN = "it is to be kept as it was said"
_EXAMPLE = (
    "Imani's new number is +351 912 000 111 and the door code at Brightwell is 4471#. "
    "She asked to move the planning meeting to Tuesday at 9:30, because the quartet rehearses on Monday."
)

_editor = st.components.v2.component(
    "memguard_memory_capture",
    html='<div class="mg-editor mg-editor-capture"></div>',
    js=theme.asset("drift_lab.js"),
    isolate_styles=False,
)


def draw(store: MemoryStore, page: Page) -> None:
    """Draw the box on the left, and on the right what would leave the gate."""
    found = Redactor(Exclusions.near(Path.cwd())).redact(page.text)
    left, right = st.columns(2, gap="large")
    with left:
        st.html('<div class="mg-subhead">Said</div>')
        _editor(
            key=EDITOR,
            data={
                "label": "Text to capture",
                "text": page.text,
                "html": gate.backdrop(page.text, found),
                "epoch": page.epoch,
                "heard": page.heard,
            },
            on_typed_change=on_text,
        )
        _buttons(page)
        if page.outcome is not None:
            st.html(gate.outcome(page.outcome))
            if page.outcome.entry_id:
                st.button(
                    "Show the entry",
                    key="memory-show-captured",
                    icon=":material/visibility:",
                    on_click=on_show,
                    args=(page.outcome.entry_id,),
                )
    with right:
        st.html('<div class="mg-subhead">What leaves the privacy gate</div>')
        if not page.text.strip():
            st.html(
                '<p class="mg-quiet">Type on the left, or take the example. The gate runs before anything is '
                "embedded, given to a model or stored, and is shown here as you type.</p>"
            )
            return
        counter = Cl100kCounter()
        st.html(
            gate.tokens(counter.count(page.text), counter.count(found.text), found, _notes(store, found))
            + gate.leaving(found)
            + gate.replaced(found)
        )


def on_text() -> None:
    """Follow what was typed; an answer to a text that is no longer there is no wish."""
    page = choices.page()
    found = state.value(EDITOR)
    sent: Any = found.get("typed") if found is not None else None
    if sent is None or sent["epoch"] != page.epoch or sent["turn"] <= page.heard:
        return
    page.heard, page.text, page.outcome = sent["turn"], str(sent["text"])[:MOST_CHARS], None


def on_write(text: str) -> None:
    """Put a text into the box."""
    page = choices.page()
    page.text, page.outcome = text, None
    page.epoch += 1


def on_show(entry_id: str) -> None:
    """Show an entry in the Entries view, whatever its filters are."""
    page = choices.page()
    page.view = "entries"
    entries.look_at(entry_id)
    state.session().epoch += 1  # the View widget is drawn anew, with what was set here


def run(store: MemoryStore, page: Page) -> None:
    """Capture what stands in the box; it stays there where nothing was stored."""
    try:
        page.outcome = capture(store, page)
    except MemGuardError as error:
        page.problem = error
        return
    if page.outcome.good:
        page.text = ""
        page.epoch += 1


def capture(store: MemoryStore, page: Page) -> Outcome:
    """Take a text through ``memory(action="capture")``, and say what became of it.

    Raises:
        ModelUnavailableError: There is no embedder; nothing was stored.
        StoreUnavailableError: The store cannot be written; nothing was stored.
    """
    embedder = resources.embedder()
    before = store.stats().n_records - 1
    done: CaptureResult = memory(
        "capture",
        store=store,
        embedder=embedder,
        provider=_provider(page.shorten),
        text=page.text.strip(),
        metadata={"actor": "user"},
    )
    entry_id = done["memory_id"] or ""
    if done["status"] == "stored":
        page.writes.note(f"Captured {entry_id}", writes.record_after(store, before, entry_id))
    return told(done)


def told(done: CaptureResult) -> Outcome:
    """Return what a capture did, for people."""
    title, advice = _TOLD[done["status"]]
    if done["status"] == "duplicate" and done["similarity"] is not None:
        advice = f"An entry says the same in other words (cosine {done['similarity']:.3f})."
    if done["status"] == "stored":
        if done["compressed"]:
            advice = (
                f"Shortened by {done['provider']} ({done['model']}), and checked against what was said; "
                "the raw text is kept beside it."
            )
        elif done["detail"] not in ("", _CHOSEN):
            advice = f"Kept as it was said: {done['detail']}."
    advice = " ".join([advice, *(f"{_capital(warning)}." for warning in done["warnings"])])
    is_stored = done["status"] == "stored"
    return Outcome(
        title,
        advice,
        is_stored,
        done["memory_id"] or "",
        done["tokens_in"] if is_stored else None,
        done["tokens_out"] if is_stored else None,
        done["text"] if is_stored else "",
    )


def local() -> CompressionProvider:
    """Return the provider that runs the embedded model."""
    return LocalProvider()


def _provider(name: str) -> CompressionProvider | None:
    """Return what shortens; None leaves it to the environment of the server."""
    return {"none": _AsSaid, "local": local}[name]() if name != "server" else None


class _AsSaid:
    """Shortens nothing: the person chose to keep the text as it was said."""

    name, model = "none", "none"

    def compress(self, text: str, *, target_tokens: int, max_tokens: int) -> str:  # noqa: ARG002  # asked nothing
        raise ProviderError(Skip.DISABLED, _CHOSEN)


def _shorteners() -> dict[str, str]:
    """Return what can shorten, by name; a provider of the server's environment only where there is one."""
    names = {"none": "Keep it as it was said", "local": "Shorten it with the embedded model"}
    try:
        choice = choose(MemorySettings())
    except ProviderError:
        return names
    return names | {"server": f"Shorten it with {choice.name} ({choice.model}), as the server is set"}


def _buttons(page: Page) -> None:
    names = _shorteners()
    chosen = page.shorten if page.shorten in names else "none"
    page.shorten = st.selectbox(
        "Before it is stored",
        list(names),
        list(names).index(chosen),
        format_func=lambda name: names[name],
        key=state.key("memory-shorten"),
        help="A shorter text is kept only if no number, name, path or date was lost or invented.",
    )
    with st.container(horizontal=True, gap="small"):
        st.button(
            "Capture",
            key="memory-capture",
            type="primary",
            icon=":material/add_notes:",
            disabled=not page.text.strip(),
            on_click=choices.want,
            args=("capture",),
            help="Privacy gate, a look for what is there already, embedding, store: one write.",
        )
        st.button(
            "Take the example",
            key="memory-example",
            icon=":material/edit_note:",
            on_click=on_write,
            args=(_EXAMPLE,),
            type="secondary",
        )
        st.button(
            "Clear",
            key="memory-clear",
            icon=":material/backspace:",
            on_click=on_write,
            args=("",),
            disabled=not page.text,
        )


def _notes(store: MemoryStore, found: Redacted) -> tuple[str, ...]:
    """Return what else is to be said of a text before it is captured."""
    told = []
    if is_filler(found.text):
        told.append("It says nothing to be remembered: maintenance would take it for noise.")
    if store.was_given(found.text):
        told.append("This text was given out of memory before: it will not be captured again.")
    return tuple(told)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
