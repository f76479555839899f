"""From the lifecycle into the store: only what passed, with the supersession map (E13, E14)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from memguard.errors import InvalidParameterError
from memguard.memory.entries import MemoryEntry
from memguard.memory.keeping import keep, kept, observe
from memguard.memory.lifecycle import Lifecycle
from memguard.memory.observations import Observation
from memguard.memory.rows import EVERYTHING, Status
from memguard.memory.store import MemoryStore
from memguard.privacy import PrivacyStatus
from tests.fakes import FakeEmbedder

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def seen(id, text, *, days=0, status=PrivacyStatus.INTERNAL):
    return Observation(id, text, f"m-{id}", NOW - timedelta(days=days), "user", status)


@pytest.fixture
def store(tmp_path):
    with MemoryStore(tmp_path / "memory.db") as opened:
        yield opened


def test_e13_only_what_passed_every_gate_is_stored(store):
    """E13: unfiltered input and a secret stay out; the fact is in with all of its ratings."""
    result, stored = observe(
        [
            seen("o1", "We decided to use Postgres because Redis lost jobs.", days=9),
            seen("o2", "The staging host is db-2.internal.", status=None),
            seen("o3", "The deploy key is hunter22-Kq9, my password is hunter22-Kq9."),
        ],
        store=store,
        now=NOW,
    )

    assert [item.entry.content for item in stored] == [entry.summary for entry in result.entries]
    assert [item.id for item in store.list(EVERYTHING)] == [entry.id for entry in result.entries]
    assert "hunter22" not in "".join(str(item) for item in store.list(EVERYTHING))
    [only] = stored
    assert only.entry.metadata["source_ids"] == ["o1"]
    assert (only.details.privacy_status, only.details.origin) == ("internal", "lifecycle")
    assert only.details.confidence == result.entries[0].confidence
    assert only.details.earliest_source_at == (NOW - timedelta(days=9)).timestamp()
    assert store.verify().intact


def test_e13_what_the_store_keeps_reads_back_as_it_was(store):
    """E13, E11: the next run sees the same entries that this one gave."""
    result, _stored = observe([seen("o1", "The deadline is 3 May.", days=9)], store=store, now=NOW)

    assert kept(store) == result.entries


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"summary": "my password is hunter22-Kq9"}, "still holds password"),
        ({"privacy_status": None}, "no privacy status"),
        ({"source_ids": ()}, "cites no source"),
    ],
)
def test_e13_a_result_changed_by_hand_is_refused_whole(store, changes, reason):
    """E13: the last gate stands before the store as well."""
    result = Lifecycle().run([seen("o1", "The deadline is 3 May."), seen("o2", "Noor likes tea.")], now=NOW)
    first, *others = result.entries
    tampered = replace(result, entries=(*others, replace(first, **changes)))

    with pytest.raises(InvalidParameterError, match=reason):
        keep(store, tampered)

    assert store.count(EVERYTHING) == 0


def test_e14_a_later_fact_supersedes_the_stored_one_and_the_record_holds_the_map(store):
    """E14."""
    [old] = observe([seen("o1", "The deadline is 3 May.", days=9)], store=store, now=NOW)[1]
    result, [new] = observe([seen("o2", "The deadline was moved to 10 May.")], store=store, now=NOW)

    assert [item.id for item in store.list()] == [new.id]
    history = store.get(old.id)
    assert (history.status, history.superseded_by) == (Status.SUPERSEDED, (new.id,))
    assert new.supersedes == (old.id,)
    assert store.records()[-1].detail["supersession"] == [
        [link.old, link.new, link.reason.value] for link in result.supersession
    ]
    assert result.replaced[0].id == old.id
    assert store.verify().intact


def test_e14_merged_observations_are_in_the_map_and_superseded_where_the_store_has_them(store):
    """E14: raw entries of which one fact was made become history."""
    texts = {"r1": "We decided to use Postgres.", "r2": "I think we decided to use Postgres."}
    store.add_many(MemoryEntry(text, id=id) for id, text in texts.items())

    result, [fact] = observe([seen(id, text) for id, text in texts.items()], store=store, now=NOW)

    assert {(link.old, link.new) for link in result.supersession} == {("r1", fact.id), ("r2", fact.id)}
    assert [item.id for item in store.list()] == [fact.id]
    assert store.get("r1").superseded_by == (fact.id,)


def test_e14_an_edited_fact_is_still_found_and_superseded(store):
    """E14: its id in the store stays, though its words no longer give that digest."""
    [old] = observe([seen("o1", "The deadline is 3 May.", days=9)], store=store, now=NOW)[1]
    store.update(old.id, version=None, content="The deadline is 4 May.")

    [new] = observe([seen("o2", "The deadline was moved to 10 May.")], store=store, now=NOW)[1]

    assert store.get(old.id).superseded_by == (new.id,)


def test_the_same_run_twice_stores_nothing_twice_and_a_deletion_stands(store):
    run = Lifecycle().run([seen("o1", "The deadline is 3 May.")], now=NOW)
    [first] = keep(store, run)
    store.delete(first.id)

    [again] = keep(store, run)

    assert again.status is Status.DELETED
    assert store.count(EVERYTHING) == 1


def test_a_write_can_be_undone(store):
    observe([seen("o1", "The deadline is 3 May.", days=9)], store=store, now=NOW)
    [new] = observe([seen("o2", "The deadline was moved to 10 May.")], store=store, now=NOW)[1]

    store.undo(store.records()[-1].seq)

    assert [item.entry.content for item in store.list()] == ["The deadline is 3 May."]
    assert store.get(new.id).status is not Status.ACTIVE


def test_what_is_kept_has_a_vector_where_there_is_an_embedder(store):
    embedder = FakeEmbedder()
    [fact] = observe([seen("o1", "The deadline is 3 May.")], store=store, embedder=embedder, now=NOW)[1]

    assert fact.details.embedding_model == embedder.model_id
    assert store.search(embedder.embed(["The deadline is 3 May."])[0], 1)[0].stored.id == fact.id


def test_nothing_observed_writes_nothing(store):
    assert observe([], store=store, now=NOW)[1] == ()
    assert store.records() == () or store.records()[-1].action != "lifecycle"
