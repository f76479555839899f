"""The real embedding code on a tiny random MPNet, and on the installed model."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from memguard.errors import ModelUnavailableError
from memguard.models.cache import CachedEmbedder
from memguard.models.embedder import SentenceEmbedder
from memguard.models.loading import load_embedder
from tests.support import cpu_seconds


@pytest.fixture(scope="module")
def embedder(mpnet_folder: Path) -> SentenceEmbedder:
    return SentenceEmbedder(mpnet_folder, "tiny/mpnet@1", batch_size=4)


def test_embed_agrees_with_plain_encode_on_short_text(embedder: SentenceEmbedder) -> None:
    texts = ["I moved to Lyon", "hello", "the budget is forty euros", "ok", "bus cancelled", "hello"]
    plain = embedder._model.encode(texts)
    np.testing.assert_allclose(embedder.embed(texts), plain, atol=1e-5)


def test_embed_takes_control_tokens_as_text(embedder: SentenceEmbedder) -> None:
    """A message that spells ``<s>`` or ``<mask>`` must not give the model that token."""
    special = set(embedder._tokenizer.all_special_ids) - {embedder._tokenizer.unk_token_id}
    text = "<s> hello </s> <mask> <pad> <|endoftext|>"
    ids = {token for chunk in embedder._chunks([text])[0] for token in chunk}
    assert not ids & special
    assert np.abs(embedder.embed([text]) - embedder.embed(["hello"])).max() > 1e-3


def test_long_text_is_the_normalised_mean_of_its_chunks(embedder: SentenceEmbedder) -> None:
    words = ["lyon", "budget", "bus", "train"] * 7
    text = " ".join(words)
    chunks = embedder._chunks([text])[0]
    assert [len(chunk) for chunk in chunks] == [14, 14]
    halves = embedder.embed([" ".join(words[:14]), " ".join(words[14:])])
    mean = halves.mean(axis=0)
    np.testing.assert_allclose(embedder.embed([text])[0], mean / np.linalg.norm(mean), atol=1e-5)


def test_long_text_is_read_to_its_end(embedder: SentenceEmbedder) -> None:
    """sentence-transformers cuts at the window without a word."""
    start = "the budget is forty euros " * 8
    one, other = embedder.embed([start + "lyon", start + "bus cancelled train"])
    assert np.abs(one - other).max() > 1e-3


def test_chunk_counts_say_what_was_chunked(embedder: SentenceEmbedder) -> None:
    assert embedder.chunk_counts(["hello", "", "\u200b", "lyon " * 14, "lyon " * 15]) == [1, 0, 0, 1, 2]


def test_text_without_tokens_has_a_zero_row(embedder: SentenceEmbedder) -> None:
    assert not embedder.embed(["\x00\x01"]).any()


def test_tokens_stand_at_their_code_points(embedder: SentenceEmbedder) -> None:
    text = "Hello, b\U0001f600s to \ud800 LYON"
    (tokens,) = embedder.embed_tokens([text])
    pieces = [text[start:end] for start, end in tokens.offsets]
    # The lone surrogate has no token: the tokenizer drops what stands in for it.
    assert pieces == ["Hello", ",", "b\U0001f600s", "to", "LYON"]


def test_tokens_are_the_models_own_without_the_special_ones(embedder: SentenceEmbedder) -> None:
    text = "the budget is forty euros"
    own = embedder._model.encode([text], output_value="token_embeddings")[0].numpy()[1:-1]
    (tokens,) = embedder.embed_tokens([text])
    np.testing.assert_allclose(tokens.vectors, own / np.linalg.norm(own, axis=1)[:, None], atol=2e-3)


def test_tokens_of_long_text_come_from_all_of_its_chunks(embedder: SentenceEmbedder) -> None:
    words = ["lyon", "budget", "bus", "train"] * 7
    halves = embedder.embed_tokens([" ".join(words[:14]), " ".join(words[14:])])
    (whole,) = embedder.embed_tokens([" ".join(words)])
    assert len(whole.offsets) == 28
    both = np.concatenate([half.vectors for half in halves]).astype(float)
    np.testing.assert_allclose(whole.vectors.astype(float), both, atol=2e-3)
    assert not embedder.embed_tokens(["\x00\x01"])[0].offsets.size


def test_vectors_beside_tokens_are_those_without(embedder: SentenceEmbedder) -> None:
    texts = ["hello", "", "the budget is forty euros " * 8, "<s> lyon </s>", "hello", None, 4.0]
    vectors, tokens = embedder.embed_with_tokens(texts)  # type: ignore[arg-type]
    np.testing.assert_allclose(vectors, embedder.embed(texts), atol=1e-6)  # type: ignore[arg-type]
    assert [len(found.offsets) for found in tokens] == [1, 0, 40, 8, 1, 0, 3]
    special = ["<", "s", ">", "lyon", "<", "/", "s", ">"]
    assert ["<s> lyon </s>"[a:b] for a, b in tokens[3].offsets] == special


def test_batches_of_long_texts_are_small(embedder: SentenceEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Attention takes the square of the length; the vectors are those of larger batches."""
    texts = ["lyon budget bus " * 4 + str(n) for n in range(6)] + ["hello", "ok"]
    whole = embedder.embed(texts)
    shapes: list[tuple[int, int]] = []
    forward = embedder._model.forward
    monkeypatch.setattr(
        embedder._model, "forward", lambda f: shapes.append(tuple(f["input_ids"].shape)) or forward(f)
    )
    monkeypatch.setattr("memguard.models.embedder._BATCH_TOKENS", 32)
    np.testing.assert_allclose(embedder.embed(texts), whole, atol=1e-5)
    assert all(rows * width <= 32 or rows == 1 for rows, width in shapes)
    assert len(shapes) > 2


def test_vectors_and_tokens_take_one_pass(
    embedder: SentenceEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    passes: list[int] = []
    features = embedder._features

    def counted(pieces):
        passes.append(len(pieces))
        return features(pieces)

    monkeypatch.setattr(embedder, "_features", counted)
    cached = CachedEmbedder(embedder)
    cached.embed_with_tokens(["hello", "bus", "hello"])
    cached.embed(["bus", "hello"])
    cached.embed_tokens(["hello"])
    assert passes == [2]


def test_embed_takes_numbers_none_and_nan(embedder: SentenceEmbedder) -> None:
    """EMB-003."""
    vectors = embedder.embed(["", "   \n", "\u200b", None, 1.0, "ok"])  # type: ignore[list-item]
    assert not np.isnan(vectors).any()
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), [0, 0, 0, 0, 1, 1], atol=1e-5)
    np.testing.assert_allclose(vectors[4], embedder.embed(["1.0"])[0], atol=1e-6)


def test_embed_under_threads_raises_nothing(embedder: SentenceEmbedder) -> None:
    """Fast tokenizers raise "Already borrowed" when threads share one."""
    texts = [f"the budget is {n} euros" for n in range(40)]
    expected = embedder.embed(texts)
    results: list[np.ndarray] = []
    threads = [threading.Thread(target=lambda: results.append(embedder.embed(texts))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 6
    for result in results:
        np.testing.assert_allclose(result, expected, atol=1e-6)


def test_missing_or_broken_folder_names_the_command(tmp_path: Path, mpnet_folder: Path) -> None:
    """OPS-002."""
    with pytest.raises(ModelUnavailableError, match=r"x@1 is not installed in .*run: memguard setup"):
        SentenceEmbedder(tmp_path, "x@1")
    (tmp_path / "modules.json").write_bytes((mpnet_folder / "modules.json").read_bytes())
    with pytest.raises(ModelUnavailableError, match="cannot be loaded"):
        SentenceEmbedder(tmp_path, "x@1")


@pytest.mark.weights
def test_real_embedder_has_the_published_geometry() -> None:
    """A02, EMB-002: all-mpnet-base-v2, 768 dimensions; the design's own measured cosine."""
    embedder = load_embedder()
    assert embedder.model_id == "sentence-transformers/all-mpnet-base-v2@78c0197b6159"
    assert embedder.embed([]).shape == (0, 768)
    near, same, far = embedder.embed(
        ["The invoice is 500 euros.", "The invoice is 400 euros.", "A cat sleeps."]
    )
    assert near @ same > 0.9
    assert near @ far < 0.3


@pytest.mark.weights
def test_real_embedder_agrees_with_plain_encode() -> None:
    inner = load_embedder().inner
    assert isinstance(inner, SentenceEmbedder)
    texts = ["The launch moves to 4 May.", "ok", "She is severely allergic to penicillin, so no amoxicillin."]
    np.testing.assert_allclose(inner.embed(texts), inner._model.encode(texts), atol=1e-4)
    assert inner.window_tokens == 384
    assert inner.chunk_counts(["word " * 1000]) == [3]


@pytest.mark.weights
def test_real_embedder_answers_known_texts_at_once() -> None:
    embedder = load_embedder()
    texts = [f"Fact number {n} stands." for n in range(50)]
    embedder.embed(texts)
    assert cpu_seconds(lambda: embedder.embed(texts)) < 0.1
