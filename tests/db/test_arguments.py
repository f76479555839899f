"""What is no id, entry, number or store is named as such, and nothing is written."""

from __future__ import annotations

import pytest

from memguard.errors import InvalidParameterError
from memguard.memory import MemoryEntry, MemoryStore, memory


@pytest.mark.parametrize(
    "call",
    [
        lambda store: store.get(None),
        lambda store: store.get(5),
        lambda store: store.get_many("abc"),
        lambda store: store.delete(None),
        lambda store: store.update(None, version=None, importance=0.1),
        lambda store: store.restore(b"x"),
        lambda store: store.list(limit="x"),
        lambda store: store.list(offset=-1),
        lambda store: store.search([1.0], k="x"),
        lambda store: store.search([1.0], k=0),
        lambda store: store.undo("x"),
        lambda store: store.undo(1.5),
        lambda store: store.import_lines(None),
        lambda store: store.import_lines("{}"),
        lambda store: store.add("x"),
        lambda store: store.add(None),
        lambda store: store.add_many([MemoryEntry("A window seat."), "y"]),
        lambda store: memory("get", store=store, memory_id=None),
        lambda store: memory("compress", store=store, memory_id=None),
        lambda store: memory("delete", store=store, memory_id=7),
    ],
)
def test_what_is_none_of_its_kind_is_refused(store: MemoryStore, call) -> None:
    before = store.head()

    with pytest.raises(InvalidParameterError):
        call(store)
    assert store.head() == before
    assert store.count() == 0


@pytest.mark.parametrize("url", [5, ["memory.db"], b"memory.db"])
def test_what_is_no_place_is_no_store(url) -> None:
    with pytest.raises(InvalidParameterError, match="must be a URL or a path"):
        MemoryStore(url)
