"""The Lifecycle view: analyze, compress, score, output, over stored entries or the open conversation."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import streamlit as st

from memguard.charts import counted
from memguard.errors import MemGuardError
from memguard.memory.gates import OnUnfiltered
from memguard.memory.lifecycle import Lifecycle
from memguard.memory.observations import Confidence, Observation
from memguard.memory.rows import StoredEntry
from memguard.memory.store import MemoryStore
from memguard.memory.wording import said_text
from memguard.messages import Conversation
from memguard.privacy import PrivacyStatus
from pages._ui import state
from pages._ui.memory import choices, entries, markup, phases
from pages._ui.memory.choices import Page

MOST = 500
"""Entries in one run: the report is read by people."""
_SOURCES = {"entries": "Stored entries", "conversation": "The open conversation"}
_UNFILTERED = {
    OnUnfiltered.REDACT.value: "Redact it",
    OnUnfiltered.REJECT.value: "Reject it",
    OnUnfiltered.FLAG.value: "Only flag it",
}


def draw(store: MemoryStore, page: Page) -> None:
    """Draw the view; it works for an empty store too, on the conversation."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="memory-lifecycle"):
        page.source = _choice("Over", _SOURCES, page.source, "memory-source")
        page.unfiltered = _choice(
            "What did not pass the privacy filter", _UNFILTERED, page.unfiltered, "memory-unfiltered"
        )
        page.confidence = _choice(
            "Least confidence",
            {step.value: markup.named(step.value) for step in Confidence},
            page.confidence,
            "memory-confidence-least",
        )
        observations = given(store, page)
        st.button(
            "Run the lifecycle",
            key="memory-run",
            type="primary",
            icon=":material/play_arrow:",
            disabled=not observations,
            on_click=choices.want,
            args=("lifecycle",),
            help="Rules alone; no model runs, and nothing is written into the store.",
        )
    st.html(f'<p class="mg-lead">{_over(page, len(observations))}</p>')
    if page.result is None:
        st.html(
            markup.hint(
                "Not run yet",
                "The lifecycle takes observations through four phases and says of each what became of it.",
            )
        )
        return
    result = page.result
    st.html(phases.cards(result.phases) + phases.analysis(result) + phases.warnings(result.report.warnings))
    left, right = st.columns([58, 42], gap="large")
    with left:
        with st.container(horizontal=True, vertical_alignment="center", key="memory-output"):
            n = counted(result.report.n_output, "entry", "entries")
            st.html(f'<div class="mg-subhead">{n} of {result.report.n_input:,} observations</div>')
            st.download_button(
                "Download YAML",
                result.to_yaml(),
                "compressed_entries.yaml",
                "application/yaml",
                key="memory-yaml",
                icon=":material/download:",
                on_click="ignore",
                disabled=not result.entries,
            )
        st.html(phases.entries(result.entries))
    with right:
        st.html(
            phases.left_out(result.report.left_out)
            + phases.privacy(result.report.privacy_actions)
            + phases.supersession(result.supersession)
            or '<p class="mg-quiet">Nothing was left out, replaced or redacted.</p>'
        )


def run(store: MemoryStore, page: Page) -> None:
    """Run the lifecycle over what is chosen, and keep the result in this session."""
    try:
        lifecycle = Lifecycle(on_unfiltered=page.unfiltered, min_confidence=page.confidence)
        page.result = lifecycle.run(given(store, page))
    except MemGuardError as error:
        page.problem = error


def given(store: MemoryStore, page: Page) -> tuple[Observation, ...]:
    """Return what the lifecycle runs over: the entries that the filter means, or the open conversation."""
    if page.source == "conversation":
        trace = state.session().trace
        return of_conversation(trace.conversation) if trace is not None else ()
    found, _more = entries.listed(store, page.filter, MOST)
    return of_entries(found)


def of_entries(found: Sequence[StoredEntry]) -> tuple[Observation, ...]:
    """Return stored entries as observations, in the order in which they were said."""
    return tuple(
        Observation(
            _printable(item.id, f"entry {number}"),
            said_text(item.entry.content),
            item.details.origin or "memory",
            item.entry.created_at,
            str(item.entry.metadata.get("actor", "user")),
            _status(item.details.privacy_status),
        )
        for number, item in enumerate(sorted(found, key=lambda item: item.entry.timestamp), 1)
    )


def of_conversation(conversation: Conversation) -> tuple[Observation, ...]:
    """Return a conversation's messages as observations; none of them has passed the privacy filter."""
    return tuple(
        Observation(
            _printable(message.id, f"message {number}"),
            message.content,
            "conversation",
            message.timestamp,
            message.role,
        )
        for number, message in enumerate(conversation, 1)
    )


def _printable(name: str, otherwise: str) -> str:
    return name if name.strip() and name.isprintable() else otherwise


def _status(value: str | None) -> PrivacyStatus | None:
    return PrivacyStatus(value) if value in {status.value for status in PrivacyStatus} else None


def _over(page: Page, n: int) -> str:
    if page.source == "conversation":
        return f"{counted(n, 'message')} of the open conversation. None has passed the privacy filter yet."
    more = f", at most {MOST:,}" if n == MOST else ""
    return (
        f"{counted(n, 'entry', 'entries')} that the filters of the Entries view show{more}, "
        f"as of {datetime.now(UTC):%d %b %Y}."
    )


def _choice(label: str, names: dict[str, str], chosen: str, key: str) -> str:
    return st.selectbox(
        label,
        list(names),
        list(names).index(chosen),
        format_func=names.__getitem__,
        key=state.key(key),
        width=216,
    )
