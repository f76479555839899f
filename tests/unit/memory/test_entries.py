"""``MemoryEntry``: what it accepts, what it makes of it, and what it refuses."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from array import array
from dataclasses import FrozenInstanceError
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest

from memguard import memory
from memguard.errors import InvalidParameterError
from memguard.memory.entries import MemoryEntry, MemoryType


def test_defaults_are_the_documented_ones():
    entry = MemoryEntry("Noor prefers trains.")
    assert (entry.memory_type, entry.importance, entry.relevance_score) == (MemoryType.LONG_TERM, 0.5, None)
    assert (entry.tags, entry.embedding, entry.metadata, entry.tenant_id) == ([], None, {}, "default")
    assert abs(datetime.now(UTC) - entry.created_at) < timedelta(minutes=1)


def test_a_fresh_id_is_taken_each_time_and_key_is_the_id():
    first, second = MemoryEntry("a"), MemoryEntry("a")
    assert first.id != second.id
    assert first.key == first.id
    assert MemoryEntry("a", id="m1").key == "m1"


@pytest.mark.parametrize(
    "moment",
    [
        1767225600,
        1767225600.0,
        datetime(2026, 1, 1, tzinfo=UTC),
        datetime(2026, 1, 1),  # noqa: DTZ001 (without a zone on purpose)
        datetime(2026, 1, 1, 2, tzinfo=timezone(timedelta(hours=2))),
    ],
)
def test_a_moment_is_seconds_and_an_aware_view_and_without_a_zone_it_is_utc(moment):
    entry = MemoryEntry("a", timestamp=moment)
    assert entry.timestamp == 1767225600.0
    assert entry.created_at == datetime(2026, 1, 1, tzinfo=UTC)
    assert entry.created_at.tzinfo is UTC


def test_a_datetime_comes_back_to_the_microsecond():
    moment = datetime(2026, 11, 30, 16, 55, 59, 123457, tzinfo=UTC)
    assert MemoryEntry("a", timestamp=moment).created_at == moment


@pytest.mark.parametrize(
    "given", [["b", "a", "b"], ("b", "a"), {"a", "b"}, iter(["b", "a"]), {"b": 1, "a": 2}]
)
def test_tags_of_any_iterable_are_kept_sorted_and_once(given):
    assert MemoryEntry("a", tags=given).tags == ["a", "b"]


@pytest.mark.parametrize(
    "given",
    [[1.0, 0.5], (1, 0.5), np.array([1, 0.5]), np.array([1, 0.5], dtype=np.float32), array("d", [1, 0.5])],
)
def test_an_embedding_of_any_sequence_is_kept_by_value(given):
    entry = MemoryEntry("a", id="m", timestamp=0, embedding=given)
    assert list(entry.embedding) == [1.0, 0.5]
    assert entry == MemoryEntry("a", id="m", timestamp=0, embedding=[1.0, 0.5])
    assert entry != MemoryEntry("a", id="m", timestamp=0, embedding=[1.0, 0.25])
    assert entry != MemoryEntry("a", id="m", timestamp=0)


def test_a_list_of_floats_stays_one_and_an_empty_embedding_is_false():
    assert MemoryEntry("a", embedding=[0.1, 0.2]).embedding == [0.1, 0.2]
    assert not MemoryEntry("a", embedding=[]).embedding
    assert not MemoryEntry("a", embedding=np.zeros(0)).embedding


def test_the_embedding_does_not_follow_the_array_it_came_from():
    row = np.ones(2)
    entry = MemoryEntry("a", embedding=row)
    row[0] = 5
    assert list(entry.embedding) == [1.0, 1.0]


def test_content_is_a_text_or_a_dict_and_the_dict_is_copied():
    given = {"input": "hi", "output": "there"}
    entry = MemoryEntry(given)
    given["input"] = "changed"
    assert entry.content == {"input": "hi", "output": "there"}
    assert type(entry.content) is dict
    assert MemoryEntry("").content == ""


@pytest.mark.parametrize("score", [-3, 0, 1.5, 1e9])
def test_a_relevance_score_is_any_finite_number(score):
    assert MemoryEntry("a", relevance_score=score).relevance_score == score


def test_zero_has_no_sign():
    entry = MemoryEntry("a", relevance_score=-0.0, timestamp=-0.0)
    assert [str(entry.relevance_score), str(entry.timestamp)] == ["0.0", "0.0"]


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"content": 3}, "content"),
        ({"content": None}, "content"),
        ({"id": " "}, "id"),
        ({"id": 7}, "id"),
        ({"timestamp": "2026-01-01"}, "timestamp"),
        ({"timestamp": True}, "timestamp"),
        ({"timestamp": 1767225600000}, "timestamp"),
        ({"timestamp": float("nan")}, "timestamp"),
        ({"memory_type": "eternal"}, "memory_type"),
        ({"importance": 1.01}, "importance"),
        ({"importance": -0.1}, "importance"),
        ({"importance": None}, "importance"),
        ({"relevance_score": float("nan")}, "relevance_score"),
        ({"relevance_score": "high"}, "relevance_score"),
        ({"tags": "travel"}, "tags"),
        ({"tags": [1]}, "tags"),
        ({"tags": None}, "tags"),
        ({"embedding": "0.1"}, "embedding"),
        ({"embedding": [0.1, "x"]}, "embedding"),
        ({"embedding": [0.1, float("inf")]}, "embedding"),
        ({"embedding": np.ones((2, 2))}, "embedding"),
        ({"embedding": 3}, "embedding"),
        ({"metadata": [1]}, "metadata"),
        ({"tenant_id": ""}, "tenant_id"),
    ],
)
def test_what_is_not_valid_is_refused_by_name(fields, named):
    with pytest.raises(InvalidParameterError, match=named):
        MemoryEntry(**({"content": "a"} | fields))


def test_an_entry_is_a_value():
    entry = MemoryEntry({"a": [1]}, id="m", timestamp=1, tags=["x"], embedding=[1.0], metadata={"k": 1})
    assert copy.deepcopy(entry) == entry
    assert pickle.loads(pickle.dumps(entry)) == entry  # noqa: S301 (made on the line itself)
    assert len({entry, copy.copy(entry)}) == 1
    assert entry != "m"
    with pytest.raises(FrozenInstanceError):
        entry.importance = 1.0


def test_replace_makes_a_checked_copy():
    entry = MemoryEntry("a", id="m", importance=0.2)
    assert entry.replace(importance=0.9).importance == 0.9
    assert (entry.importance, entry.replace(content="b").id) == (0.2, "m")
    with pytest.raises(InvalidParameterError, match="importance"):
        entry.replace(importance=9)


def test_every_public_name_has_a_home():
    assert set(memory._HOMES) == set(memory.__all__)
    with pytest.raises(AttributeError, match="nothing"):
        _ = memory.nothing


def test_importing_memory_and_an_entry_loads_no_database_and_no_model():
    program = (
        "import sys, memguard.memory\nfrom memguard.memory import MemoryEntry\nMemoryEntry('a')\n"
        "print([m for m in ('sqlalchemy', 'psycopg', 'torch', 'transformers', 'pandas') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_importing_the_store_loads_no_model():
    program = (
        "import sys\nfrom memguard.memory import MemoryStore\n"
        "print([m for m in ('torch', 'transformers', 'streamlit', 'umap') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "field",
    [
        {"timestamp": datetime.max.replace(tzinfo=UTC)},
        {"timestamp": datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=5)))},
        {"timestamp": 10**400},
        {"relevance_score": 10**400},
        {"importance": 10**400},
    ],
)
def test_a_number_or_a_moment_that_nothing_holds_is_refused(field):
    """What is taken can be read again: ``created_at`` never fails."""
    with pytest.raises(InvalidParameterError, match=next(iter(field))):
        MemoryEntry("x", **field)
