"""The handed cases about memory that maintenance, the merge guard and the rules of noise decide.

MEM-008, MEM-013, MEM-014, MEM-017 and MEM-019 are decided where turns are captured and rewritten.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memguard.memory.compressor import MemoryCompressor
from memguard.memory.entries import MemoryEntry
from memguard.memory.maintenance import MaintenanceOptions
from memguard.memory.manager import AIMemoryManager
from memguard.memory.noise import kept_turns
from memguard.memory.rows import EVERYTHING, Status
from memguard.memory.store import MemoryStore
from memguard.models import loading


def texts_of(case):
    """Return every text of a case in the order in which it comes."""
    given = case["input"]
    added = given["add"] if isinstance(given["add"], list) else [given["add"]]
    return [*given.get("store", []), *added, *given.get("also_add", [])]


def alike(texts):
    """Return entries whose vectors are all the same: no cosine tells them apart."""
    return [MemoryEntry(text, embedding=[1.0, 0.0], timestamp=float(i)) for i, text in enumerate(texts)]


def first_texts(entries):
    """Return the text of each entry, of a merged one that which it keeps first."""
    contents = [entry.content for entry in entries]
    return [c["merged"].split("\n")[0] if isinstance(c, dict) else c for c in contents]


@pytest.mark.parametrize("strategy", ["greedy", "clusters"])
@pytest.mark.parametrize("case", ["MEM-001"], indirect=True)
def test_facts_that_differ_in_a_figure_never_merge_on_cosine(case, strategy):
    """F19: though their vectors were the same."""
    given = alike(texts_of(case))

    kept, merges = MemoryCompressor(merge_guard=True, merge_strategy=strategy).merge_duplicates(given)

    assert merges == case["expected"]["merged"]
    assert len(kept) == case["expected"]["stored_count"]
    assert kept == given
    assert MemoryCompressor().merge_duplicates(given)[1] == 3, "without the guard they would"


@pytest.mark.parametrize("case", ["MEM-002"], indirect=True)
def test_another_decision_in_the_same_words_is_no_duplicate(case):
    given = alike(texts_of(case))

    kept, merges = MemoryCompressor(merge_guard=True).merge_duplicates(given)

    assert (len(kept), merges) == (case["expected"]["stored_count"], 0)


@pytest.mark.parametrize("case", ["MEM-003"], indirect=True)
def test_dated_readings_stay_and_a_paraphrase_merges(case):
    """The guard alone decides: all vectors are the same."""
    kept, merges = MemoryCompressor(merge_guard=True, merge_strategy="clusters").merge_duplicates(
        alike(texts_of(case))
    )

    assert merges == case["expected"]["merged"]
    assert first_texts(kept) == case["expected"]["stored"]


@pytest.mark.weights
@pytest.mark.parametrize("case", ["MEM-003"], indirect=True)
def test_the_paraphrase_is_found_by_the_installed_model(case):
    """The readings' cosine is 0.95 and that of the paraphrases 0.89: no threshold does without the guard."""
    texts = texts_of(case)
    vectors = loading.load_embedder().embed(texts)
    entries = [MemoryEntry(text, embedding=row) for text, row in zip(texts, vectors, strict=True)]

    kept, merges = MemoryCompressor(None, 0.85, merge_guard=True).merge_duplicates(entries)

    assert merges == case["expected"]["merged"]
    assert first_texts(kept) == case["expected"]["stored"]


@pytest.fixture
def store(tmp_path):
    with MemoryStore(tmp_path / "memory.db") as opened:
        yield opened


def maintained(store, told):
    """Store texts with their moments, run maintenance, and return what is active and what is history."""
    store.add_many(MemoryEntry(text, timestamp=moment, embedding=[1.0, 0.0]) for text, moment in told)
    options = MaintenanceOptions(above=0, steps=("contradictions", "merge"))
    AIMemoryManager(store, options=options).run_maintenance()
    stored = store.list(EVERYTHING)
    return tuple(
        [item.entry.content for item in stored if item.status is status]
        for status in (Status.ACTIVE, Status.SUPERSEDED)
    )


@pytest.mark.parametrize("case", ["MEM-004"], indirect=True)
def test_an_update_supersedes_what_it_updates(case, store):
    told = [
        (fact["text"], datetime.fromisoformat(fact["ts"]).replace(tzinfo=UTC).timestamp())
        for fact in (*case["input"]["store"], case["input"]["add"])
    ]

    active, superseded = maintained(store, told)

    assert active == case["expected"]["active"]
    assert superseded == case["expected"]["superseded"]


@pytest.mark.parametrize("case", ["MEM-005"], indirect=True)
def test_of_a_contradiction_the_new_one_stays_and_the_old_one_is_history(case, store):
    active, superseded = maintained(store, [(text, float(i)) for i, text in enumerate(texts_of(case))])

    assert active == case["expected"]["active"]
    assert len(active) == case["expected"]["active_count"]
    assert superseded == case["expected"]["history"]


@pytest.mark.parametrize("case", ["MEM-010"], indirect=True)
def test_a_filler_word_does_not_hide_a_sentence_and_a_short_answer_stays(case):
    turns = [turn["content"] for turn in case["input"]["turns"]]

    kept = kept_turns(turns)

    assert list(kept) == case["expected"]["kept_indexes"]
    assert sorted({*range(len(turns))} - {*kept}) == case["expected"]["dropped_indexes"]


@pytest.mark.parametrize("case", ["MEM-011"], indirect=True)
def test_what_machines_wrote_is_no_memory(case):
    assert list(kept_turns(case["input"]["turns"])) == case["expected"]["kept_indexes"]
