"""What can be embedded, and the cache in front of an embedder."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from memguard.errors import InvalidParameterError
from memguard.models.cache import CachedEmbedder
from memguard.models.embedder import _balanced, as_text, embeddable
from tests.fakes import FakeEmbedder

ROW_BYTES = 256 * 4 + 200


def test_embeddable_skips_blank_and_stringifies_numbers() -> None:
    """EMB-003."""
    found = embeddable(["", "   \n", "\u200b", None, 1.0, "ok"])
    assert found.texts == ("1.0", "ok")
    assert found.indexes == (4, 5)
    assert found.skipped == (0, 1, 2, 3)


def test_as_text_takes_nan_as_blank() -> None:
    """EMB-003."""
    assert [as_text(value) for value in (float("nan"), None, 0, True, "x")] == ["", "", "0", "True", "x"]


def test_balanced_cuts_into_the_fewest_equal_chunks_between_words() -> None:
    ids = list(range(10))
    assert _balanced(ids, list(range(10)), 4) == [[0, 1, 2, 3], [4, 5, 6], [7, 8, 9]]
    # Tokens 3 and 4 are one word: the cut moves before it.
    assert _balanced(ids, [0, 1, 2, 3, 3, 4, 5, 6, 7, 8], 5) == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9]]
    assert _balanced(ids, [0, 1, 2, 3, 4, 4, 5, 6, 7, 8], 5) == [[0, 1, 2, 3], [4, 5, 6], [7, 8, 9]]
    # One word without end is cut inside.
    assert [len(chunk) for chunk in _balanced(ids, [0] * 10, 5)] == [5, 5]


def test_cache_computes_each_text_once() -> None:
    inner = FakeEmbedder()
    cached = CachedEmbedder(inner)
    first = cached.embed(["a b", "c", "a b"])
    second = cached.embed(["c", "d", "a b"])
    assert inner.calls == [["a b", "c"], ["d"]]
    np.testing.assert_array_equal(first[0], second[2])
    np.testing.assert_array_equal(second, FakeEmbedder().embed(["c", "d", "a b"]))
    assert cached.misses == 3


def test_cache_is_keyed_by_model() -> None:
    """A cache key without the model gives another model's vectors."""
    inner = FakeEmbedder(table={"x": [1, 0]})
    cached = CachedEmbedder(inner)
    cached.embed(["x"])
    inner.model_id = "fake/other@1"
    cached.embed(["x"])
    assert len(inner.calls) == 2


def test_cache_forgets_the_least_recently_used_within_its_bytes() -> None:
    inner = FakeEmbedder()
    cached = CachedEmbedder(inner, max_bytes=2 * ROW_BYTES)
    cached.embed(["one", "two"])
    cached.embed(["one"])
    cached.embed(["three"])
    assert cached._n_bytes <= 2 * ROW_BYTES
    inner.calls.clear()
    cached.embed(["one", "three"])
    assert inner.calls == []
    cached.embed(["two"])
    assert inner.calls == [["two"]]


def test_cache_without_room_still_answers() -> None:
    cached = CachedEmbedder(FakeEmbedder(), max_bytes=0)
    np.testing.assert_array_equal(cached.embed(["a", "b", "a"]), FakeEmbedder().embed(["a", "b", "a"]))
    assert cached._n_bytes == 0
    with pytest.raises(InvalidParameterError, match="max_bytes must be 0 or more; got -1"):
        CachedEmbedder(FakeEmbedder(), max_bytes=-1)


def test_cache_takes_blank_none_and_surrogates() -> None:
    cached = CachedEmbedder(FakeEmbedder())
    vectors = cached.embed(["", None, "\ud800"])  # type: ignore[list-item]
    assert vectors.shape == (3, 256)
    assert not np.isnan(vectors).any()
    assert cached.embed([]).shape == (0, 256)


def test_cache_reports_known_texts_as_done() -> None:
    cached = CachedEmbedder(FakeEmbedder())
    cached.embed(["a", "b"])
    seen: list[tuple[int, int]] = []
    cached.embed(["a", "b", "c"], progress=lambda done, total: seen.append((done, total)))
    assert seen == [(0, 3), (3, 3), (3, 3)]


def test_cache_has_chunk_counts_of_one_where_the_model_has_none() -> None:
    assert CachedEmbedder(FakeEmbedder()).chunk_counts(["a", "b"]) == [1, 1]


class SlowEmbedder(FakeEmbedder):
    def embed(self, texts, *, progress=lambda done, total: None):
        time.sleep(0.05)
        return super().embed(texts, progress=progress)


def test_cache_under_threads_computes_each_text_once() -> None:
    inner = SlowEmbedder()
    cached = CachedEmbedder(inner)
    threads = [threading.Thread(target=cached.embed, args=([f"text {n % 5}", "same"],)) for n in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(inner.texts) == ["same", *(f"text {n}" for n in range(5))]
    assert cached.misses == 6
