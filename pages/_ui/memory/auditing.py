"""The Store view: what the store holds, and its chain of records, checked on the spot."""

from __future__ import annotations

import streamlit as st

from memguard.memory.store import MemoryStore
from pages._ui import render
from pages._ui.memory import markup
from pages._ui.memory.choices import Page

_RECORDS = 100


def draw(store: MemoryStore, page: Page) -> None:
    """Draw figures, the verdict on the chain, and the newest records."""
    stats = store.stats()
    st.html(markup.figures(stats))
    with st.container(horizontal=True, vertical_alignment="center", key="memory-chain"):
        st.html(
            '<div class="mg-subhead">Chain of records</div>'
            '<p class="mg-description">Each write is one record that holds the hash of the one before, the '
            "entries it changed and the digests of what they then held. It was checked just now, against "
            "every entry.</p>"
        )
        st.button("Check again", key="memory-verify", icon=":material/verified_user:")
    with st.spinner("Checking every record and entry"):
        st.html(markup.verified(store.verify()))
    st.html(markup.records(store.records(after=stats.n_records - 1 - _RECORDS)))
    where = (
        "In a temporary file of this session; it goes with the session, and no other session sees it."
        if page.which == "demo"
        else f"{store.location} ({store.backend}), tenant {store.tenant_id}."
    )
    st.html(f'<p class="mg-quiet">{render.text(where)}</p>')
