"""What a store does with entries, on each database alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from memguard.errors import (
    EntryExistsError,
    EntryNotFoundError,
    InvalidParameterError,
    StaleEntryError,
    StoreError,
)
from memguard.memory import EntryFilter, MemoryType, Status
from memguard.memory.rows import EVERYTHING, Details, Order

DAY = 86400.0


def contents(found):
    return [stored.entry.content for stored in found]


def test_an_added_entry_comes_back_as_it_was_stored(store, entry):
    given = entry(
        {"input": "Bücher?", "output": "日本語 \x00 \ud800 'quoted' \"too\"", "list": [1, 2.5, None, True]},
        timestamp=1767225600.123457,
        memory_type=MemoryType.EPISODIC,
        importance=0.7,
        relevance_score=-2.5,
        tags=["travel", "a,b", 'c"d'],
        embedding=np.array([0.1, -0.2, 0.3], dtype=np.float32),
        metadata={"source": {"page": 3}},
    )
    details = Details(
        text_raw="raw \x00 text",
        compressed=True,
        compression_provider="local",
        tokens_in=30,
        tokens_out=10,
        embedding_model="mpnet@1",
        earliest_source_at=1.5,
        latest_source_at=2.5,
        expires_at=4e9,
        confidence="high",
        durability="durable",
        staleness_risk="fresh",
        privacy_status="internal",
        compression="semantic-summarization",
        injected=True,
        origin="capture",
    )
    stored = store.add(given, details)
    assert store.get(given.id) == stored
    assert stored.entry == given
    assert stored.details == details
    assert (stored.status, stored.version) == (Status.ACTIVE, 1)


def test_embeddings_are_kept_as_4_byte_floats(store, entry):
    stored = store.add(entry("a", embedding=[0.1, 0.2]))
    assert list(store.get(stored.id).entry.embedding) == np.array([0.1, 0.2], dtype=np.float32).tolist()
    assert store.add(entry("b", embedding=[])).entry.embedding is None


@pytest.mark.parametrize(
    "fields",
    [
        {"content": {"when": object()}},
        {"content": {1: "a"}},
        {"content": {"x": float("nan")}},
        {"metadata": {"x": {1, 2}}},
        {"id": "a\x00b"},
        {"tags": ["\ud800"]},
        {"embedding": [1e39]},
    ],
)
def test_what_the_store_cannot_hold_exactly_is_refused_and_nothing_is_written(store, entry, fields):
    with pytest.raises(InvalidParameterError):
        store.add_many([entry("good"), entry(**({"content": "a"} | fields))])
    assert store.count(EVERYTHING) == 0
    assert store.records() == ()


def test_an_id_is_unique_in_a_tenant_in_whatever_state(store, entry):
    store.add(entry("a", id="m"))
    store.delete("m")
    with pytest.raises(EntryExistsError, match="deleted entry has the id 'm'"):
        store.add(entry("b", id="m"))
    with pytest.raises(EntryExistsError, match="same write"):
        store.add_many([entry("b", id="n"), entry("c", id="n")])
    assert contents(store.list(EVERYTHING)) == ["a"]


def test_an_update_changes_what_it_names_and_keeps_the_history(store, entry):
    first = store.add(entry("old", tags=["x"], importance=0.1))
    second = store.update(first.id, version=1, content="new", tags=["y", "z"], confidence="low")
    assert (second.version, second.entry.content, second.entry.tags) == (2, "new", ["y", "z"])
    assert (second.details.confidence, second.entry.importance) == ("low", 0.1)
    assert store.get(first.id) == second
    assert store.history(first.id) == (first,)
    assert store.list(EntryFilter(tags=["x"])) == ()
    assert store.list(EntryFilter(tags=["z", "y"])) == (second,)


def test_a_stale_write_is_refused_and_says_which_version_is_there(store, entry):
    stored = store.add(entry("a"))
    store.update(stored.id, version=1, importance=0.9)
    for write in (
        lambda: store.update(stored.id, version=1, importance=0.1),
        lambda: store.delete(stored.id, version=1),
        lambda: store.archive(stored.id, version=1),
    ):
        with pytest.raises(StaleEntryError, match="version 2 by now, not 1"):
            write()
    assert store.get(stored.id).entry.importance == 0.9
    assert store.update(stored.id, version=None, importance=0.2).version == 3


@pytest.mark.parametrize(
    "changes", [{"id": "n"}, {"tenant_id": "t"}, {"status": "deleted"}, {"no": 1}, {"importance": 7}]
)
def test_an_update_of_what_cannot_change_is_refused(store, changes, entry):
    stored = store.add(entry("a"))
    with pytest.raises(InvalidParameterError):
        store.update(stored.id, version=1, **changes)
    assert store.get(stored.id) == stored


def test_delete_is_soft_and_restore_brings_the_entry_back(store, entry):
    stored = store.add(entry("a"))
    assert store.delete(stored.id).status is Status.DELETED
    assert store.list() == ()
    assert contents(store.list(EntryFilter(status=Status.DELETED))) == ["a"]
    assert store.delete(stored.id).version == 2  # already so: nothing is written
    assert store.restore(stored.id).status is Status.ACTIVE
    assert contents(store.list()) == ["a"]
    assert store.archive(stored.id).status is Status.ARCHIVED
    assert [record.action for record in store.records()] == ["add", "delete", "restore", "archive"]


def test_a_purge_erases_the_text_everywhere_and_the_chain_holds(store, entry):
    stored = store.add(entry("secret words", tags=["x"]))
    store.update(stored.id, version=1, content="other secret words")
    store.mark_given([stored.id])
    store.purge(stored.id)
    with pytest.raises(EntryNotFoundError):
        store.get(stored.id)
    assert not store.was_given("other secret words")
    assert "secret" not in str(store.records())
    assert store.verify().intact
    store.add(entry("again", id=stored.id))
    assert store.history(stored.id) == ()
    assert store.verify().intact


def test_an_unknown_id_is_a_clear_error(store):
    for call in (store.get, store.delete, store.restore, store.archive, store.purge, store.history):
        with pytest.raises(EntryNotFoundError, match="has no entry 'nobody'"):
            call("nobody")
    with pytest.raises(LookupError):
        store.update("nobody", version=1, importance=0.1)
    with pytest.raises(StoreError):
        store.mark_given(["nobody"])
    assert store.get_many(["nobody"]) == {}
    assert store.records() == ()


def test_superseding_keeps_the_old_entry_as_history(store, entry):
    """MEM-004, MEM-005: the new fact is active, the old one is kept as superseded; nothing is lost."""
    old = store.add(entry("Imani works at Borealis.", id="old"))
    new = store.supersede("old", entry("Imani has just joined Helio.", id="new"))
    assert new.supersedes == ("old",)
    assert contents(store.list()) == ["Imani has just joined Helio."]
    kept = store.get("old")
    assert (kept.status, kept.superseded_by, kept.entry) == (Status.SUPERSEDED, ("new",), old.entry)


def test_many_entries_may_be_replaced_by_one_and_one_by_many(store, entry):
    store.add_many([entry(name, id=name) for name in "abcd"])
    store.supersede(["a", "b"], "c")
    store.supersede(["a"], "d")
    assert store.get("c").supersedes == ("a", "b")
    assert store.get("a").superseded_by == ("c", "d")
    assert store.verify().intact


def test_lineage_has_no_circle(store, entry):
    store.add_many([entry(name, id=name) for name in "abc"])
    store.supersede("a", "b")
    store.supersede("b", "c")
    for old, new in (("a", "a"), ("c", "a"), ("b", "a")):
        with pytest.raises(InvalidParameterError, match="cannot supersede"):
            store.supersede(old, new)
    assert store.get("c").status is Status.ACTIVE


def test_superseding_what_does_not_exist_adds_nothing(store, entry):
    with pytest.raises(EntryNotFoundError):
        store.supersede("nobody", entry("new", id="new"))
    assert store.count(EVERYTHING) == 0


def filtered(store, entry):
    store.add_many(
        [
            (
                entry("Uses PORT 8443", id="a", timestamp=1 * DAY, importance=0.2, tags=["net", "x"]),
                Details(origin="capture", privacy_status="public"),
            ),
            (
                entry(
                    {"input": "Straße", "output": "50%_\\"},
                    id="b",
                    timestamp=2 * DAY,
                    importance=0.9,
                    tags=["x"],
                ),
                Details(compressed=True, expires_at=3 * DAY),
            ),
            (
                entry("日本語", id="c", timestamp=3 * DAY, memory_type="semantic"),
                Details(injected=True, embedding_model="m@1"),
            ),
        ]
    )


@pytest.mark.parametrize(
    ("wanted", "ids"),
    [
        (EntryFilter(), "ca"),
        (EVERYTHING, "cba"),
        (EntryFilter(expired=True), "b"),
        (EntryFilter(expired=None, types=["semantic"]), "c"),
        (EntryFilter(expired=None, types="long_term"), "ba"),
        (EntryFilter(expired=None, tags=["x"]), "ba"),
        (EntryFilter(expired=None, tags=["x", "net"]), "a"),
        (EntryFilter(expired=None, tags=["X"]), ""),
        (EntryFilter(expired=None, min_importance=0.5), "cb"),
        (EntryFilter(expired=None, since=2 * DAY), "cb"),
        (EntryFilter(expired=None, until=2 * DAY), "a"),
        (EntryFilter(expired=None, text="port"), "a"),
        (EntryFilter(expired=None, text="STRASSE"), "b"),
        (EntryFilter(expired=None, text="%_\\"), "b"),
        (EntryFilter(expired=None, text="_"), "b"),
        (EntryFilter(expired=None, text="本"), "c"),
        (EntryFilter(expired=None, ids=["a", "c", "zz"]), "ca"),
        (EntryFilter(expired=None, ids=[]), ""),
        (EntryFilter(expired=None, compressed=True), "b"),
        (EntryFilter(expired=None, injected=False), "ba"),
        (EntryFilter(expired=None, embedding_model="m@1"), "c"),
        (EntryFilter(expired=None, privacy_status="public"), "a"),
        (EntryFilter(expired=None, origin="capture"), "a"),
        (EntryFilter(status=["deleted", "archived"]), ""),
        (EntryFilter(expired=None, tags=["x\x00"]), ""),
        (EntryFilter(expired=None, origin="\ud800"), ""),
        (EntryFilter(expired=None, ids=["a", "a\x00", "\udfff"]), "a"),
        (EntryFilter(expired=None, text="po\x00rt"), "a"),
    ],
)
def test_a_filter_means_these_entries(store, entry, wanted, ids):
    filtered(store, entry)
    assert "".join(stored.id for stored in store.list(wanted)) == ids
    assert store.count(wanted) == len(ids)


def test_lists_are_sorted_and_paged_the_same_way_everywhere(store, entry):
    filtered(store, entry)
    assert [s.id for s in store.list(EVERYTHING, order=Order.OLDEST)] == ["a", "b", "c"]
    assert [s.id for s in store.list(EVERYTHING, order=Order.IMPORTANCE)] == ["b", "c", "a"]
    store.update("a", version=1, importance=0.3)
    assert store.list(EVERYTHING, order=Order.UPDATED)[0].id == "a"
    assert [s.id for s in store.list(EVERYTHING, limit=1, offset=1)] == ["b"]
    assert [s.id for s in store.list(EVERYTHING, offset=2)] == ["a"]
    assert store.list(EVERYTHING, limit=0) == ()
    store.add_many([entry("t", id=name, timestamp=0) for name in ("É", "e", "E", "z")])
    assert [s.id for s in store.list(EntryFilter(until=1.0))] == ["E", "e", "z", "É"]


@pytest.mark.parametrize("wrong", [{"limit": -1}, {"offset": -1}])
def test_a_negative_page_is_refused(store, wrong):
    with pytest.raises(InvalidParameterError):
        store.list(**wrong)


@pytest.mark.parametrize("wrong", [{"status": "gone"}, {"types": "eternal"}, {"since": "monday"}])
def test_a_filter_that_cannot_be_meant_is_refused(wrong):
    with pytest.raises(InvalidParameterError):
        EntryFilter(**wrong)


def test_a_transaction_is_one_record_and_an_exception_leaves_nothing(store, entry):
    store.add(entry("kept", id="k"))
    before = store.export_lines()

    def fail_half_way():
        with store.transaction("merge") as transaction:
            transaction.add(entry("new"))
            transaction.set_status("k", Status.ARCHIVED)
            _ = 1 / 0

    with pytest.raises(ZeroDivisionError):
        fail_half_way()
    assert store.export_lines() == before
    with store.transaction("merge") as transaction:
        transaction.add(entry("m", id="m"))
        transaction.supersede(["k"], "m")
        transaction.note(threshold=0.92, why="cosine 0.97")
    record = store.records()[-1]
    assert (record.seq, record.action, record.detail["threshold"]) == (1, "merge", 0.92)
    assert [change["change"] for change in record.detail["changes"]] == ["add", "link", "update"]
    with store.transaction("nothing"):
        pass
    assert len(store.records()) == 2
    assert store.verify().intact


def test_undo_takes_back_a_whole_write_and_can_itself_be_undone(store, entry):
    store.add_many([entry("a", id="a", tags=["x"]), entry("b", id="b")])
    with store.transaction("merge") as transaction:
        transaction.add(entry("ab", id="ab"))
        transaction.supersede(["a", "b"], "ab")
        transaction.update("a", version=None, content="changed", tags=["y"])
    merged = contents(store.list())
    record = store.undo(1)
    assert contents(store.list(order=Order.OLDEST)) == ["a", "b"]
    assert (store.get("a").entry.tags, store.get("a").superseded_by) == (["x"], ())
    assert store.get("ab").status is Status.DELETED
    assert record.detail["undoes"] == 1
    assert store.verify().intact
    store.undo(record.seq)
    assert contents(store.list()) == merged
    assert store.get("a").superseded_by == ("ab",)
    assert store.verify().intact


def test_undo_loses_nothing_that_was_done_since(store, entry):
    store.add(entry("a", id="a"))
    store.update("a", version=1, content="b")
    store.update("a", version=2, content="c")
    with pytest.raises(StaleEntryError):
        store.undo(1)
    assert store.get("a").entry.content == "c"
    for seq in (-1, 3):
        with pytest.raises(InvalidParameterError, match="has no record"):
            store.undo(seq)
    store.purge("a")
    with pytest.raises(InvalidParameterError, match="erased"):
        store.undo(3)


def test_what_was_given_out_is_known_again(store, entry):
    store.add_many([entry("Window seats only.", id="a"), entry({"input": "x", "output": "y"}, id="b")])
    store.mark_given(["a", "b"], whole="You know: Window seats only.")
    assert store.was_given("  window SEATS\nonly. ")
    assert store.was_given("x y")
    assert store.was_given("You know: window seats only.")
    assert not store.was_given("Window seats.")
    assert not store.for_tenant("other").was_given("Window seats only.")
    store.mark_given(["a"])
    assert store.verify().intact


def test_stats_count_what_is_there(store, entry):
    store.add_many([entry("a", id="a", embedding=[1.0]), entry("b", id="b", memory_type="working")])
    store.delete("b")
    stats = store.stats()
    assert (stats.n_entries, stats.n_embedded, stats.n_versions, stats.n_records) == (2, 1, 1, 2)
    assert stats.by_status == {"active": 1, "deleted": 1}
    assert stats.by_type == {"long_term": 1, "working": 1}
    assert stats.head == store.head()
    assert stats.store_bytes > 0


def test_a_vacuum_changes_nothing_but_the_size(store, entry):
    store.add_many([entry("x" * 2000, id=f"m{n}") for n in range(300)])
    for number in range(299):
        store.purge(f"m{number}")
    before, size = store.export_lines(), store.stats().store_bytes
    store.vacuum()
    assert store.export_lines() == before
    assert store.stats().store_bytes < size or store.backend != "sqlite"
    assert store.verify().intact


def test_a_store_that_is_opened_again_is_the_same(store, shared_url, opened, entry):
    stored = store.add(entry("a", embedding=[1.0, 2.0]))
    again = opened(shared_url, tenant_id=store.tenant_id)
    assert again.get(stored.id) == stored
    assert again.head() == again.records()[-1].hash


def test_details_refuse_what_is_not_of_their_type():
    for wrong in (
        {"compressed": 1},
        {"tokens_in": -1},
        {"tokens_in": True},
        {"origin": 3},
        {"expires_at": "x"},
    ):
        with pytest.raises(InvalidParameterError, match=next(iter(wrong))):
            Details(**wrong)
    assert replace(Details(), origin=MemoryType.SEMANTIC).origin == "semantic"
