"""Every write has its record, and an edit outside MemGuard shows, wherever it was made."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import text

from memguard.memory import MemoryEntry


@pytest.fixture
def written(fresh_url, opened):
    """A store with four records: an addition, an update, a supersession and a gift."""
    store = opened(fresh_url)
    store.add_many([MemoryEntry("a", id="a", embedding=[1.0]), MemoryEntry("b", id="b", tags=["x"])])
    store.update("a", version=1, content="A", importance=0.9)
    store.supersede("a", "b")
    store.mark_given(["b"])
    return store


def test_every_write_has_one_record_with_what_it_changed(written):
    records = written.records()
    assert [(r.seq, r.action) for r in records] == [(0, "add"), (1, "update"), (2, "supersede"), (3, "give")]
    assert [r.prev_hash for r in records[1:]] == [r.hash for r in records[:-1]]
    (change,) = records[1].detail["changes"]
    assert (change["id"], change["from"], change["version"]) == ("a", 1, 2)
    assert change["fields"] == ["content", "importance"]
    assert written.records(after=1, limit=1) == records[2:3]
    assert written.head() == records[-1].hash


def test_an_untouched_store_is_intact_and_a_kept_head_shows_growth(written):
    head = written.head()
    found = written.verify(expected_head=head.upper())
    assert (found.intact, found.n_records, found.head) == (True, 4, head)
    written.delete("b")
    grown = written.verify(expected_head=head)
    assert not grown.intact
    assert "not the expected" in grown.message


EDITS = {
    "content": ("UPDATE memory_entries SET content = '\"other\"' WHERE id = 'a'", "'a' is not what"),
    "no JSON": ("UPDATE memory_entries SET content = 'other' WHERE id = 'a'", "damaged"),
    "importance": ("UPDATE memory_entries SET importance = 0.1 WHERE id = 'b'", "'b' is not what"),
    "status": ("UPDATE memory_entries SET status = 'active' WHERE id = 'a'", "'a' is not what"),
    "version": ("UPDATE memory_entries SET version = 9 WHERE id = 'a'", "'a' is not what"),
    "embedding": ("UPDATE memory_entries SET embedding = NULL WHERE id = 'a'", "'a' is not what"),
    "removed": ("DELETE FROM memory_entries WHERE id = 'a'", "'a' is missing"),
    "unlinked": ("DELETE FROM memory_lineage", "link from 'a' to its successor 'b'"),
    "another's": ("UPDATE memory_entries SET id = 'c' WHERE id = 'a'", "'c' is in the store"),
    "record": ("UPDATE memory_records SET action = 'x' WHERE seq = 1", "record 2 is broken"),
    "detail": ("UPDATE memory_records SET detail = '{\"changes\":[]}' WHERE seq = 2", "record 3 is broken"),
    "middle": ("DELETE FROM memory_records WHERE seq = 1", "record 2 is broken"),
    "end": ("DELETE FROM memory_records WHERE seq = 3", "4 were written"),
    "hash": ("UPDATE memory_records SET prev_hash = hash WHERE seq = 2", "record 3 is broken"),
    "head": ("UPDATE memory_chains SET length = 9", "9 were written"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_outside_memguard_shows(written, edit):
    statement, told = EDITS[edit]
    with written._database.engine.begin() as connection:
        connection.execute(text(statement))
    found = written.verify()
    assert not found.intact
    assert told in found.message


def test_records_hold_no_content(written):
    written.add(MemoryEntry("zanzibar", id="z", metadata={"k": "zanzibar"}, tags=["zanzibar"]))
    assert "zanzibar" not in json.dumps([record.detail for record in written.records()])
