"""Tenants never see each other: every method is tried with another tenant's ids."""

from __future__ import annotations

import inspect

import pytest

from memguard.errors import EntryNotFoundError, InvalidParameterError
from memguard.memory import EntryFilter, MemoryEntry, MemoryStore
from memguard.memory.rows import EVERYTHING
from memguard.memory.transaction import Transaction

TRIED = {
    "add", "add_many", "archive", "count", "delete", "export", "export_lines", "get", "get_many", "head",
    "history", "import_file", "import_lines", "list", "mark_given", "purge", "records", "restore", "search",
    "stats", "supersede", "transaction", "undo", "update", "verify", "was_given",
}  # fmt: skip
OF_THE_WHOLE_STORE = {"backend", "close", "for_tenant", "location", "tenant_id", "vacuum"}


@pytest.fixture
def theirs(store, entry):
    """The store of a tenant with an entry, ``theirs``, that is older than another one, ``newer``."""
    store.add(entry("a secret of theirs", id="theirs", tags=["x"], embedding=[1.0, 0.0]))
    store.add(entry("newer", id="newer", embedding=[0.0, 1.0]))
    store.mark_given(["theirs"])
    return store


@pytest.fixture
def ours(theirs):
    return theirs.for_tenant(f"{theirs.tenant_id}-neighbour")


def test_every_method_is_tried_here():
    public = {name for name, _ in inspect.getmembers(MemoryStore) if not name.startswith("_")}
    assert public == TRIED | OF_THE_WHOLE_STORE


def test_nothing_of_theirs_is_seen(ours, theirs, tmp_path):
    assert ours.get_many(["theirs"]) == {}
    assert ours.list(EVERYTHING) == ()
    assert ours.list(EntryFilter(ids=["theirs"], tags=["x"])) == ()
    assert ours.count(EVERYTHING) == 0
    assert ours.search([1.0, 0.0], 10, EVERYTHING) == ()
    assert ours.records() == ()
    assert ours.head() != theirs.head()
    assert not ours.was_given("a secret of theirs")
    assert (ours.stats().n_entries, ours.stats().n_records, ours.stats().n_embedded) == (0, 0, 0)
    assert ours.export(tmp_path / "ours.jsonl") == 0
    assert len(ours.export_lines()) == 1
    assert "secret" not in (tmp_path / "ours.jsonl").read_text(encoding="utf-8")
    assert ours.verify().intact is True


def test_nothing_of_theirs_is_touched(ours, theirs):
    before, head = theirs.export_lines(), theirs.head()
    calls = (
        lambda: ours.get("theirs"),
        lambda: ours.history("theirs"),
        lambda: ours.update("theirs", version=None, content="ours now"),
        lambda: ours.delete("theirs"),
        lambda: ours.archive("theirs"),
        lambda: ours.restore("theirs"),
        lambda: ours.purge("theirs"),
        lambda: ours.mark_given(["theirs"]),
        lambda: ours.supersede("theirs", MemoryEntry("ours", tenant_id=ours.tenant_id)),
        lambda: ours.supersede("theirs", "newer"),
    )
    for call in calls:
        with pytest.raises(EntryNotFoundError, match="has no entry"):
            call()
    with pytest.raises(InvalidParameterError, match="has no record 0"):
        ours.undo(0)
    assert (theirs.export_lines(), theirs.head()) == (before, head)
    assert ours.count(EVERYTHING) == 0


def test_an_entry_of_theirs_cannot_be_added_here(ours, theirs):
    for item in (MemoryEntry("x", tenant_id=theirs.tenant_id), theirs.get("theirs").entry):
        with pytest.raises(InvalidParameterError, match="belongs to tenant"):
            ours.add(item)
        with pytest.raises(InvalidParameterError, match="belongs to tenant"):
            ours.add_many([item])
    stored = ours.add(MemoryEntry("x", id="mine", tenant_id=ours.tenant_id))
    with pytest.raises(InvalidParameterError):
        ours.update("mine", version=stored.version, tenant_id=theirs.tenant_id)


def test_the_same_id_is_another_entry_for_another_tenant(ours, theirs, tmp_path):
    ours.add(MemoryEntry("ours", id="theirs", tenant_id=ours.tenant_id, embedding=[1.0, 0.0]))
    ours.update("theirs", version=1, content="ours too", tags=["ours"])
    ours.purge("theirs")
    assert theirs.get("theirs").entry.content == "a secret of theirs"
    assert theirs.list(EntryFilter(tags=["x"]))[0].id == "theirs"
    assert theirs.was_given("a secret of theirs")
    theirs.export(tmp_path / "theirs.jsonl")
    assert ours.import_file(tmp_path / "theirs.jsonl") == (2, 0)
    assert {stored.entry.tenant_id for stored in ours.list(EVERYTHING)} == {ours.tenant_id}
    assert ours.import_lines(theirs.export_lines()) == (0, 2)
    assert theirs.verify().intact
    assert ours.verify().intact


def test_a_transaction_reaches_only_its_own_tenant(ours, theirs):
    before = theirs.export_lines()
    calls = (
        lambda write: write.get("theirs"),
        lambda write: write.update("theirs", version=None, content="ours now"),
        lambda write: write.revert("theirs", 1),
        lambda write: write.purge("theirs"),
        lambda write: write.supersede(["theirs"], "newer"),
    )

    def attempt(call):
        with ours.transaction("attempt") as write:
            assert isinstance(write, Transaction)
            assert write.get_many(["theirs"]) == {}
            call(write)

    for call in calls:
        with pytest.raises(EntryNotFoundError):
            attempt(call)
    assert theirs.export_lines() == before


@pytest.mark.parametrize("tenant", ["", "  ", None, 3, "a\x00b"])
def test_a_tenant_without_a_name_is_refused(shared, tenant):
    with pytest.raises(InvalidParameterError, match="tenant_id"):
        shared.for_tenant(tenant)
