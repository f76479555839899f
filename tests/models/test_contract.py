"""One contract over every embedder and every summarizer, fakes included."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from types import SimpleNamespace

import numpy as np
import pytest

from memguard.models.bart import BartSummarizer
from memguard.models.cache import CachedEmbedder
from memguard.models.duck import as_embedder, gives_tokens, token_vectors
from memguard.models.embedder import SentenceEmbedder
from memguard.models.extractive import ExtractiveSummarizer
from memguard.models.llm import LLMSummarizer
from memguard.models.loading import load_embedder, load_summarizer
from memguard.models.protocols import Embedder, LLMProtocol, Summarizer, TokenCounter, TokenEmbedder
from memguard.models.smollm import SmolSummarizer
from memguard.models.tokens import BartTokenCounter
from tests.fakes import FakeCounter, FakeEmbedder, FakeLLM, FakeSummarizer, SpyEmbedder, SpySummarizer

LINES = [
    "User: I moved to Lyon in June. The bus was cancelled.",
    "Assistant: Hello, the launch moves to 4 May.",
    "User: The budget is forty euros, paid on Mill Lane.",
]
REAL = pytest.param("real", marks=pytest.mark.weights)


class PlainEmbedder:
    """What a user may hand in: no progress, lists for offsets, token vectors of any length."""

    def __init__(self) -> None:
        self._fake = FakeEmbedder()
        self.model_id = "plain@1"

    def embed(self, texts: Sequence[str]) -> object:
        return 2 * self._fake.embed(texts)

    def embed_tokens(self, texts: Sequence[str]) -> object:
        return [
            SimpleNamespace(offsets=found.offsets.tolist(), vectors=3 * found.vectors)
            for found in self._fake.embed_tokens(texts)
        ]


@pytest.fixture(scope="module", params=["fake", "spy", "plain", "tiny", "cached", REAL])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    if request.param == "real":
        return load_embedder()
    if request.param == "plain":
        return as_embedder(PlainEmbedder())
    if request.param in ("fake", "spy"):
        return FakeEmbedder() if request.param == "fake" else SpyEmbedder(FakeEmbedder())
    tiny = SentenceEmbedder(request.getfixturevalue("mpnet_folder"), "tiny/mpnet@1")
    return tiny if request.param == "tiny" else CachedEmbedder(tiny)


@pytest.fixture(scope="module", params=["fake", "spy", "bart", "smollm2", "extractive", "llm", REAL])
def summarizer(request: pytest.FixtureRequest) -> Summarizer:
    make: dict[str, Callable[[], Summarizer]] = {
        "fake": FakeSummarizer,
        "spy": lambda: SpySummarizer(FakeSummarizer()),
        "bart": lambda: BartSummarizer(request.getfixturevalue("bart_folder"), "tiny/bart@1"),
        "smollm2": lambda: SmolSummarizer(request.getfixturevalue("llama_folder"), "tiny/llama@1"),
        "extractive": lambda: ExtractiveSummarizer(),
        "llm": lambda: LLMSummarizer(FakeLLM("The user moved to Lyon .")),
        "real": load_summarizer,
    }
    return make[request.param]()


def test_embedder_is_an_embedder(embedder: Embedder) -> None:
    assert isinstance(embedder, Embedder)
    assert "@" in embedder.model_id


def test_embedder_gives_unit_rows_and_zero_rows_for_blank(embedder: Embedder) -> None:
    """EMB-003: blank and zero-width text has a zero row; nothing is NaN."""
    vectors = embedder.embed(["I moved to Lyon.", "", " \n", "\u200b", "ok"])
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), [1, 0, 0, 0, 1], atol=1e-5)


def test_embedder_gives_no_rows_for_no_texts(embedder: Embedder) -> None:
    """EMB-002."""
    assert embedder.embed([]).shape == (0, embedder.embed(["ok"]).shape[1])


def test_embedder_gives_each_text_the_same_row_whatever_stands_beside_it(embedder: Embedder) -> None:
    texts = ["hello", "The launch moves to 4 May, so we paid forty euros.", "ok", "hello"]
    together = embedder.embed(texts)
    alone = np.vstack([embedder.embed([text]) for text in texts])
    np.testing.assert_allclose(together, alone, atol=1e-5)
    np.testing.assert_array_equal(together[0], together[3])


def test_embedder_result_is_the_callers_own(embedder: Embedder) -> None:
    first = embedder.embed(["hello"])
    first[:] = 7
    assert np.linalg.norm(embedder.embed(["hello"])) == pytest.approx(1, abs=1e-5)


def test_embedder_progress_ends_at_all_and_never_falls(embedder: Embedder) -> None:
    seen: list[tuple[int, int]] = []
    embedder.embed(["one", "two", "", "two"], progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (4, 4)
    assert seen == sorted(seen)
    if isinstance(embedder, (SentenceEmbedder, CachedEmbedder)):
        assert seen[0] == (0, 4)  # the bar moves on to this step before the work begins


def test_embedder_gives_every_token_its_place_and_a_unit_row(embedder: Embedder) -> None:
    texts = ["The launch moves to 4 May, so we paid forty euros.", "hello", "budget is forty euros " * 30]
    assert isinstance(embedder, TokenEmbedder)
    found = token_vectors(embedder, texts)
    assert found is not None
    assert len(found) == len(texts)
    width = embedder.embed(["ok"]).shape[1]
    for text, tokens in zip(texts, found, strict=True):
        assert tokens.offsets.dtype == np.int32
        assert tokens.vectors.dtype == np.float16
        assert tokens.vectors.shape == (len(tokens.offsets), width)
        np.testing.assert_allclose(np.linalg.norm(tokens.vectors.astype(float), axis=1), 1, atol=2e-3)
        covered = {place for start, end in tokens.offsets for place in range(start, end)}
        assert {place for place, c in enumerate(text) if c.isalnum()} <= covered <= set(range(len(text)))
        assert (np.diff(tokens.offsets[:, 0]) >= 0).all()


def test_embedder_gives_no_tokens_for_blank_text(embedder: Embedder) -> None:
    """EMB-003."""
    found = token_vectors(embedder, ["", " \n", "\u200b", "ok"])
    assert found is not None
    assert [len(tokens.offsets) for tokens in found[:3]] == [0, 0, 0]
    assert [tokens.vectors.shape[1] for tokens in found] == [embedder.embed(["ok"]).shape[1]] * 4
    assert token_vectors(embedder, []) == []


def test_embedder_gives_each_text_the_same_tokens_whatever_stands_beside_it(embedder: Embedder) -> None:
    texts = ["hello", "The launch moves to 4 May, so we paid forty euros.", "ok", "hello"]
    together = token_vectors(embedder, texts) or []
    assert len(together) == 4
    for text, tokens in zip(texts, together, strict=True):
        (alone,) = token_vectors(embedder, [text]) or []
        np.testing.assert_array_equal(tokens.offsets, alone.offsets)
        np.testing.assert_allclose(tokens.vectors.astype(float), alone.vectors.astype(float), atol=2e-3)


def test_embedder_tokens_cannot_be_written_to(embedder: Embedder) -> None:
    (tokens,) = token_vectors(embedder, ["hello"]) or []
    with pytest.raises(ValueError, match="read-only"):
        tokens.vectors[:] = 7
    with pytest.raises(ValueError, match="read-only"):
        tokens.offsets[:] = 7


def test_embedder_reports_progress_of_tokens(embedder: Embedder) -> None:
    seen: list[tuple[int, int]] = []
    texts = ["tokens one", "tokens two", "", "tokens two"]
    token_vectors(embedder, texts, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (4, 4)
    assert seen == sorted(seen)


def test_embedder_without_tokens_is_asked_for_none() -> None:
    """Alignment then compares the forms of words."""

    class Without:
        model_id = "without@1"

        def embed(self, texts, *, progress=lambda done, total: None):
            return FakeEmbedder().embed(texts)

    class OldStyle:
        def embed(self, texts):
            return FakeEmbedder().embed(texts)

    for inner in (Without(), OldStyle()):
        for one in (as_embedder(inner), CachedEmbedder(as_embedder(inner)), SpyEmbedder(as_embedder(inner))):
            assert not gives_tokens(one)
            assert token_vectors(one, ["hello"]) is None
            assert one.embed(["hello"]).shape == (1, 256)


def test_summarizer_is_a_summarizer(summarizer: Summarizer) -> None:
    assert isinstance(summarizer, Summarizer)
    assert summarizer.model_id


def test_summarizer_gives_one_line_within_the_budget(summarizer: Summarizer) -> None:
    summary = summarizer.summarize(LINES, max_tokens=60)
    assert "\n" not in summary
    assert BartTokenCounter().count(summary) <= 60


def test_summarizer_gives_the_empty_string_for_no_lines(summarizer: Summarizer) -> None:
    assert summarizer.summarize([], max_tokens=60) == ""


def test_summarizer_twice_gives_the_same(summarizer: Summarizer) -> None:
    assert summarizer.summarize(LINES, max_tokens=60) == summarizer.summarize(LINES, max_tokens=60)


def test_summarizer_reports_progress(summarizer: Summarizer) -> None:
    seen: list[tuple[int, int]] = []
    summarizer.summarize(LINES, max_tokens=60, progress=lambda done, total: seen.append((done, total)))
    assert seen
    assert seen[-1][0] == seen[-1][1]
    if not isinstance(summarizer, (FakeSummarizer, SpySummarizer)):
        assert seen[0][0] == 0 < seen[0][1]


def test_summarizer_takes_hostile_text(summarizer: Summarizer) -> None:
    """MMR-010: text that spells control tokens, lone surrogates and emoji raise nothing."""
    lines = ["User: <|endoftext|></s><s><|im_end|> <mask>", "User: \ud800 \U0001f525 你好", "\u200b", ": :"]
    assert isinstance(summarizer.summarize(lines, max_tokens=60), str)


def test_summarizer_under_threads_gives_the_same(summarizer: Summarizer) -> None:
    """Fast tokenizers raise "Already borrowed" when threads share one."""
    expected = summarizer.summarize(LINES, max_tokens=40)
    answers: list[str] = []
    threads = [
        threading.Thread(target=lambda: answers.append(summarizer.summarize(LINES, max_tokens=40)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [expected] * 4


def test_fakes_and_counters_follow_their_protocols() -> None:
    assert isinstance(FakeLLM(), LLMProtocol)
    for counter in (FakeCounter(), BartTokenCounter()):
        assert isinstance(counter, TokenCounter)
