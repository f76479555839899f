"""Whatever an entry holds, the store gives it back, and an export brings it into another tenant unchanged."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memguard.memory.entries import MemoryEntry, MemoryType
from memguard.memory.rows import EVERYTHING, Details, EntryFilter
from memguard.memory.store import MemoryStore

# Two lone surrogates in a row are one character to JSON, so texts have at most one kind of them.
texts = st.text(
    st.characters(exclude_categories=()).filter(lambda c: not "\udc00" <= c <= "\udfff"), max_size=20
)
names = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), max_size=6)
numbers = st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
dicts = st.dictionaries(texts, json_values, max_size=4)
entries = st.builds(
    MemoryEntry,
    texts | dicts,
    timestamp=st.floats(-6e10, 2e11),
    memory_type=st.sampled_from(MemoryType),
    importance=st.floats(0, 1),
    relevance_score=st.none() | numbers,
    tags=st.lists(names, max_size=3),
    embedding=st.none() | st.lists(st.floats(-100, 100, width=32), min_size=1, max_size=4).map(np.float32),
    metadata=dicts,
)
details = st.builds(Details, text_raw=st.none() | texts, tokens_in=st.none() | st.integers(0, 2**40))


@pytest.fixture(scope="module")
def shared() -> Iterator[MemoryStore]:
    with MemoryStore("sqlite://") as store:
        yield store


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(items=st.lists(st.tuples(entries, details), max_size=4))
def test_what_is_stored_comes_back_and_survives_an_export(shared, items):
    tenant = f"t{shared.stats().n_records}-{test_what_is_stored_comes_back_and_survives_an_export.__name__}"
    shared.add(MemoryEntry("counts the examples"))
    own, copy = shared.for_tenant(tenant), shared.for_tenant(f"{tenant}-copy")
    pairs = [(entry.replace(tenant_id=tenant), detail) for entry, detail in items]
    stored = own.add_many(pairs)
    found = own.get_many(item.id for item in stored)
    assert all(
        found[item.id] == item and item.entry == entry for item, (entry, _) in zip(stored, pairs, strict=True)
    )
    assert own.verify().intact
    copy.import_lines(own.export_lines())
    assert copy.export_lines()[1:] == own.export_lines()[1:]
    assert copy.verify().intact


@settings(max_examples=60, deadline=None)
@given(content=texts, part=st.tuples(st.integers(0, 20), st.integers(0, 20)))
def test_every_part_of_a_text_finds_it(shared, content, part):
    stored = shared.add(MemoryEntry(content))
    piece = content[min(part) : max(part)].replace("\x00", "")
    wanted = EntryFilter(text=piece, ids=[stored.id])
    assert shared.count(wanted) == 1
    assert shared.count(EVERYTHING) > 0
