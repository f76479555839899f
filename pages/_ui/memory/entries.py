"""The Entries view: the table with its filters, and the entry that is looked at with its lineage."""

from __future__ import annotations

import zlib
from collections.abc import Collection
from datetime import UTC, datetime

import streamlit as st

from memguard import charts
from memguard.errors import MemGuardError
from memguard.memory.entries import MemoryType
from memguard.memory.observations import Confidence
from memguard.memory.rows import EVERYTHING, Status, StoredEntry
from memguard.memory.store import MemoryStore
from memguard.privacy import PrivacyStatus
from pages._ui import shell, state, theme
from pages._ui.memory import choices, lineage, markup, writes
from pages._ui.memory.choices import Filter, Page

TABLE = "memory-table"
_READ = 500
_TAGS_OF = 2_000
"""Entries whose tags are offered; more would be read for a menu alone."""
_QUIET = {"displayModeBar": False}

_table = st.components.v2.component(
    "memguard_memory_table",
    html='<ol class="mg-drops" role="listbox" aria-label="Entries" tabindex="0"></ol>',
    js=theme.asset("dropped.js"),
    isolate_styles=False,
)


def draw(store: MemoryStore, page: Page) -> None:
    """Draw the view of a store that holds something."""
    chosen = filters(store, page)
    if chosen != page.filter:
        page.filter, page.n_shown, page.pinned = chosen, choices.PAGE_SIZE, False
    found, more = listed(store, page.filter, page.n_shown)
    selected = _selected(store, page, found)
    if selected is None:
        st.html(markup.hint("No entry matches", "Clear the search, or choose All in a filter."))
        return
    now = datetime.now(UTC)
    with st.container(key="memory-bench"):
        left, right = st.columns([58, 42], gap="large")
        with left:
            st.html(f'<div class="mg-subhead">{_count(store, page, len(found), more)}</div>{markup.head()}')
            _table(
                key=TABLE,
                data={"html": markup.rows(found, now), "selected": selected.id, "turn": page.turn},
                on_chosen_change=on_entry,
            )
            if more:
                st.button("Show more", key="memory-more", on_click=on_more, icon=":material/expand_more:")
        with right, st.container(key="memory-entry"):
            _entry(store, selected, now)


def listed(store: MemoryStore, wanted: Filter, n: int) -> tuple[list[StoredEntry], bool]:
    """Return the newest ``n`` entries that a filter means, and whether there are more."""
    asked = wanted.wanted()
    found: list[StoredEntry] = []
    offset = 0
    while len(found) <= n:
        batch = store.list(asked, limit=_READ, offset=offset)
        found += [
            item for item in batch if not wanted.confidence or item.details.confidence == wanted.confidence
        ]
        offset += len(batch)
        if len(batch) < _READ:
            break
    return found[:n], len(found) > n


def filters(store: MemoryStore, page: Page) -> Filter:
    """Draw what narrows the table, and return what is chosen."""
    chosen = page.filter
    with st.container(key="memory-filters"):
        columns = st.columns([22, 15, 13, 14, 15, 15, 17], gap="small", vertical_alignment="bottom")
        with columns[0]:
            find = st.text_input(
                "Search",
                chosen.find,
                key=state.key("memory-find"),
                placeholder="Words of an entry",
                icon=":material/search:",
            )
        with columns[1]:
            kind = _one("Type", chosen.type, list(MemoryType), "All types")
        with columns[2]:
            status = _one("Status", chosen.status, [*Status, choices.ANY_STATUS], "")
        with columns[3]:
            confidence = _one("Confidence", chosen.confidence, list(Confidence), "Any confidence")
        with columns[4]:
            privacy = _one("Privacy", chosen.privacy, list(PrivacyStatus), "Any privacy")
        with columns[5]:
            age = _one("Age", chosen.age, list(choices.AGES), "Any age")
        with columns[6]:
            known = tags(store)
            chosen_tags = st.multiselect(
                "Tags",
                [*known, *(tag for tag in chosen.tags if tag not in known)],
                chosen.tags,
                key=state.key("memory-tags"),
                placeholder="Any tags",
            )
    return Filter(kind, status, confidence, privacy, age, tuple(chosen_tags), find or "")


def tags(store: MemoryStore) -> list[str]:
    """Return the tags of the newest entries, sorted."""
    return sorted({tag for item in store.list(EVERYTHING, limit=_TAGS_OF) for tag in item.entry.tags})


def on_entry() -> None:
    """Follow the entry that was selected in the table."""
    found = state.value(TABLE)
    chosen = found.get("chosen") if found is not None else None
    if chosen is not None:
        page = choices.page()
        page.selected, page.turn, page.pinned = chosen["claim"], chosen["turn"], False


def on_lineage(drawn: str) -> None:
    """Look at the entry whose point was chosen in the lineage drawn under this key."""
    chart = state.value(drawn)
    points = chart.selection.points if chart is not None else []
    chosen = next((point["customdata"] for point in points if point.get("customdata")), None)
    if chosen is not None:
        look_at(chosen if isinstance(chosen, str) else chosen[0])


def look_at(entry_id: str) -> None:
    """Look at an entry, be it listed or not."""
    page = choices.page()
    page.selected, page.pinned = entry_id, True
    page.turn += 1


def on_more() -> None:
    """Show more entries."""
    choices.page().n_shown += choices.PAGE_SIZE


def on_act(store: MemoryStore, name: str, entry_id: str) -> None:
    """Archive, delete or restore an entry; it can be undone."""
    page = choices.page()
    act = {"Archive": store.archive, "Delete": store.delete, "Restore": store.restore}[name]
    past = {"Archive": "Archived", "Delete": "Deleted", "Restore": "Restored"}[name]
    page.problem = None
    try:
        page.writes.note(f"{past} {entry_id}", writes.of_entry(store, entry_id, act))
    except MemGuardError as error:
        page.problem = error


def _entry(store: MemoryStore, item: StoredEntry, now: datetime) -> None:
    st.html(markup.entry(item, now))
    with st.container(horizontal=True, gap="small"):
        acts = (("Archive", "inventory_2"), ("Delete", "delete"))
        for name, symbol in acts if item.status is Status.ACTIVE else (("Restore", "restore"),):
            st.button(
                name,
                key=f"memory-{name.lower()}",
                icon=f":material/{symbol}:",
                on_click=on_act,
                args=(store, name, item.id),
                help="A write with a record of its own; Undo takes it back.",
            )
    entries, links, left = lineage.lineage(store, item)
    st.html('<div class="mg-subhead">Lineage</div>')
    if not links:
        st.html('<p class="mg-quiet">It was made of no other entry, and no other entry stands for it.</p>')
        return
    drawn = f"memory-lineage-{zlib.crc32(item.id.encode('utf-8', 'replace'))}-{item.version}"
    st.plotly_chart(
        charts.lineage_chart(entries, links, selected=item.id, dark=shell.is_dark()),
        key=drawn,
        theme=None,
        height=charts.lineage_height(entries, links),
        config=_QUIET,
        alt=charts.describe_lineage(entries, links),
        on_select=lambda: on_lineage(drawn),
        selection_mode="points",
    )
    st.html(markup.legend())
    if left:
        st.html(f'<p class="mg-quiet">{left:,} more entries of this lineage are not drawn.</p>')


def _selected(store: MemoryStore, page: Page, found: list[StoredEntry]) -> StoredEntry | None:
    """Return the entry that is looked at; by default the first of the table, None where there is none."""
    here = next((item for item in found if item.id == page.selected), None)
    if here is None and page.pinned:
        here = store.get_many([page.selected]).get(page.selected)
    return here or next(iter(found), None)


def _count(store: MemoryStore, page: Page, n: int, more: bool) -> str:
    if not more:
        return charts.counted(n, "entry", "entries")
    if page.filter.confidence:  # the store does not count by it
        return f"First {n:,} entries"
    return f"First {n:,} of {charts.counted(store.count(page.filter.wanted()), 'entry', 'entries')}"


def _one(label: str, chosen: str, values: Collection[str], every: str) -> str:
    """Draw a choice of one value; where ``every`` names that no value is asked for, it is the first."""
    options = [*([""] if every else []), *(str(value) for value in values)]

    def shown(value: str) -> str:
        if not value:
            return every
        return choices.AGES.get(value, "Any status" if value == choices.ANY_STATUS else markup.named(value))

    return st.selectbox(
        label,
        options,
        options.index(chosen),
        format_func=shown,
        key=state.key(f"memory-{label.lower()}"),
    )
