"""What can be embedded, and the cache in front of an embedder."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

from memguard.errors import InvalidParameterError
from memguard.models.cache import CachedEmbedder
from memguard.models.duck import as_embedder, token_vectors
from memguard.models.embedder import _balanced, as_text, embeddable
from tests.fakes import FakeEmbedder, SpyEmbedder

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


def test_cache_computes_the_tokens_of_a_text_once() -> None:
    inner = FakeEmbedder()
    cached = CachedEmbedder(inner)
    cached.embed(["a b"])
    first = cached.embed_tokens(["a b", "c", "a b"])
    second = cached.embed_tokens(["c", "a b"])
    assert inner.token_calls == [["a b", "c"]]
    assert second == [first[1], first[0]]
    assert [tokens.offsets.tolist() for tokens in first[:2]] == [[[0, 1], [2, 3]], [[0, 1]]]
    assert cached.misses == 3
    inner.calls.clear()
    cached.embed(["a b", "c"])
    assert inner.calls == []


def test_cache_computes_no_known_vector_again_for_the_sake_of_tokens() -> None:
    """Where vectors and tokens take a pass each; one pass that gives both is run whole."""
    inner = FakeEmbedder()
    cached = CachedEmbedder(inner)
    first = cached.embed(["a b", "c"])
    vectors, tokens = cached.embed_with_tokens(["d", "a b", "c"])
    assert inner.calls == [["a b", "c"], ["d"]]
    assert inner.token_calls == [["d", "a b", "c"]]
    np.testing.assert_array_equal(vectors, FakeEmbedder().embed(["d", "a b", "c"]))
    np.testing.assert_array_equal(vectors[1:], first)
    assert [len(each.offsets) for each in tokens] == [1, 2, 1]


def test_cache_keeps_tokens_only_where_they_were_asked_for() -> None:
    cached = CachedEmbedder(FakeEmbedder())
    cached.embed(["a", "b"])
    assert cached._n_bytes == 2 * ROW_BYTES
    cached.embed_tokens(["a"])
    assert cached._n_bytes == 2 * ROW_BYTES + 256 * 2 + 8 + 500


def test_cache_counts_tokens_within_its_bytes_and_drops_them_before_vectors() -> None:
    inner = FakeEmbedder()
    limit = 4 * ROW_BYTES
    cached = CachedEmbedder(inner, max_bytes=limit)
    cached.embed_tokens(["one two", "three four", "five six"])
    assert cached._n_bytes <= limit
    inner.calls.clear()
    cached.embed(["one two", "three four", "five six"])
    assert inner.calls == []
    cached.embed_tokens(["one two"])
    assert inner.token_calls[1:] == [["one two"]]


def test_cache_without_room_still_gives_tokens() -> None:
    cached = CachedEmbedder(FakeEmbedder(), max_bytes=0)
    assert [len(tokens.offsets) for tokens in cached.embed_tokens(["a b", "", "a b"])] == [2, 0, 2]
    assert cached._n_bytes == 0


def test_cache_says_that_the_model_has_no_tokens() -> None:
    cached = CachedEmbedder(SpyEmbedder(as_embedder(SimpleNamespace(embed=FakeEmbedder().embed))))
    assert not cached.gives_tokens
    with pytest.raises(InvalidParameterError, match="embedder must have a method embed_tokens; got "):
        cached.embed_tokens(["a"])


def test_tokens_of_another_shape_are_refused() -> None:
    class Crooked(FakeEmbedder):
        def embed(self, texts):
            return super().embed(texts)

        def embed_tokens(self, texts):
            return [SimpleNamespace(offsets=[(0, 1)], vectors=np.zeros((2, 3)))] * (1 + len(texts[0]))

    crooked = as_embedder(Crooked())
    with pytest.raises(InvalidParameterError, match=r"a vector for each of 1 offsets; got shape \(2, 3\)"):
        token_vectors(crooked, ["a"])
    crooked._inner.embed_tokens = lambda texts: []
    with pytest.raises(InvalidParameterError, match="embed_tokens must return 1 entries; got 0"):
        token_vectors(crooked, ["a"])


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
