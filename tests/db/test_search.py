"""Search is exact on every database: it is compared with cosines computed here, entry by entry."""

from __future__ import annotations

import numpy as np
import pytest

from memguard.errors import InvalidParameterError
from memguard.geometry.similarity import cosine
from memguard.memory import EntryFilter, MemoryEntry
from memguard.memory.rows import EVERYTHING, Details
from memguard.memory.vectors import Caches, Vectors, _portions, _Space


def pairs(hits):
    return [(hit.stored.id, round(hit.similarity, 5)) for hit in hits]


def test_the_nearest_come_first_with_their_cosine(store, entry):
    store.add_many(
        [
            entry("east", id="east", embedding=[2.0, 0.0]),
            entry("north", id="north", embedding=[0.0, 3.0]),
            entry("west", id="west", embedding=[-1.0, 0.0]),
            entry("zero", id="zero", embedding=[0.0, 0.0]),
            entry("cube", id="cube", embedding=[1.0, 0.0, 0.0]),
            entry("none", id="none"),
        ]
    )
    hits = store.search([1.0, 0.0])
    assert pairs(hits) == [("east", 1.0), ("north", 0.0), ("zero", 0.0), ("west", -1.0)]
    assert hits[0].stored.entry.relevance_score == hits[0].similarity
    assert pairs(store.search([1.0, 0.0], 2)) == [("east", 1.0), ("north", 0.0)]
    assert pairs(store.search([1.0, 0.0, 0.0])) == [("cube", 1.0)]
    assert store.search([1.0] * 5) == ()
    assert pairs(store.search([0.0, 0.0], 1)) == [("east", 0.0)]


def test_search_takes_the_decisions_of_a_plain_scan(store, entry):
    generator = np.random.default_rng(0)
    rows = generator.standard_normal((400, 16)).astype(np.float32)
    rows[100:140] = rows[7]  # equal ones, which come by id
    store.add_many(
        [
            (
                entry(
                    "x", id=f"m{n:03}", embedding=row, tags=["odd"] if n % 2 else ["even"], importance=n / 400
                ),
                Details(embedding_model="a" if n % 3 else "b"),
            )
            for n, row in enumerate(rows)
        ]
    )
    store.delete("m007")
    for query, k, wanted in (
        (rows[7], 20, EntryFilter()),
        (rows[7], 500, EntryFilter(tags=["odd"])),
        (generator.standard_normal(16), 30, EntryFilter(tags=["even"], min_importance=0.9)),
        (generator.standard_normal(16), 10, EntryFilter(embedding_model="b")),
        (rows[7], 3, EntryFilter(status=["deleted"])),
        (rows[7], 45, EVERYTHING),
    ):
        meant = [stored for stored in store.list(wanted) if stored.entry.embedding]
        similar = {
            s.id: float(cosine(np.asarray(query, np.float32), np.asarray(s.entry.embedding))) for s in meant
        }
        hits = store.search(query, k, wanted)
        assert [hit.similarity for hit in hits] == pytest.approx(
            sorted(similar.values(), reverse=True)[:k], abs=1e-6
        )
        assert all(similar[hit.stored.id] == pytest.approx(hit.similarity, abs=1e-6) for hit in hits)
    equal = [hit.stored.id for hit in store.search(rows[7], 5)]
    assert equal == ["m100", "m101", "m102", "m103", "m104"]


def test_search_follows_every_write_of_this_and_of_other_processes(store, entry, shared_url, opened):
    other = opened(shared_url, tenant_id=store.tenant_id)
    store.add(entry("a", id="a", embedding=[1.0, 0.0]))
    assert pairs(other.search([1.0, 0.0])) == [("a", 1.0)]
    store.update("a", version=1, embedding=[0.0, 1.0])
    assert pairs(other.search([1.0, 0.0])) == [("a", 0.0)]
    store.add(entry("b", id="b", embedding=[1.0, 0.0]))
    store.update("a", version=2, embedding=[1.0, 0.0, 0.0])
    assert pairs(other.search([1.0, 0.0])) == [("b", 1.0)]
    assert pairs(other.search([1.0, 0.0, 0.0])) == [("a", 1.0)]
    store.update("a", version=3, embedding=None)
    assert other.search([1.0, 0.0, 0.0]) == ()
    store.delete("b")
    assert other.search([1.0, 0.0]) == ()
    store.restore("b")
    store.purge("b")
    assert other.search([1.0, 0.0], 3, EVERYTHING) == ()


def test_expired_entries_are_not_found(store, entry):
    store.add(entry("a", embedding=[1.0]), Details(expires_at=10.0))
    assert store.search([1.0]) == ()
    assert len(store.search([1.0], wanted=EntryFilter(expired=True))) == 1


@pytest.mark.parametrize("query", [[], [[1.0]], ["x"], [float("nan")], [float("inf")], 1.0, None])
def test_a_query_that_is_no_vector_is_refused(store, query):
    with pytest.raises(InvalidParameterError, match="embedding"):
        store.search(query)


def test_k_is_at_least_one(store):
    with pytest.raises(InvalidParameterError, match="k must"):
        store.search([1.0], 0)


def test_portions_hold_everything_once_and_never_part_equals():
    similarities = np.repeat(np.float32([0.5, 0.9, 0.1]), 500)
    ids = [f"m{n:04}" for n in range(1500)]
    found = list(_portions(ids, similarities))
    assert [key for part, _ in found for key in part] == ids[500:1000] + ids[:500] + ids[1000:]
    assert [len(part) for part, _ in found] == [500, 500, 500]
    assert all(np.unique(values).size == 1 for _, values in found)


def test_a_space_grows_and_forgets():
    space = _Space(2)
    space.reserve(3)
    ids = [f"m{n}" for n in range(500)]
    space.put(ids[:2], np.tile(np.float32([1, 0]), (2, 1)))
    space.put(ids, np.tile(np.float32([1, 0]), (500, 1)))
    space.put(["m5"], np.float32([[0, 1]]))
    for gone in ("m0", "m0", "m499", "m498", "never there"):
        space.drop(gone)
    assert sorted(space.ids) == sorted(ids[1:498])
    values = dict(zip(space.ids, space.similarities(np.float32([0, 1])), strict=True))
    assert values.pop("m5") == 1
    assert set(values.values()) == {0}


def test_the_caches_of_the_longest_unused_tenants_are_dropped(opened, tmp_path):
    store = opened(tmp_path / "m.db")
    store._vectors = caches = Caches(limit_bytes=1)
    for tenant in ("a", "b"):
        own = store.for_tenant(tenant)
        own.add(MemoryEntry("x", tenant_id=tenant, embedding=[1.0]))
        assert len(own.search([1.0])) == 1
    assert (caches.n_bytes("a"), caches.n_bytes("b") > 0) == (0, True)
    assert len(store.for_tenant("a").search([1.0])) == 1
    assert isinstance(Vectors().n_bytes, int)
