"""The handed cases about embedding."""

from __future__ import annotations

import numpy as np
import pytest

from memguard import audit
from memguard.eliminator import Elimination
from memguard.models.embedder import embeddable
from memguard.models.loading import load_embedder
from memguard.settings import EliminationSettings, Settings
from tests.support import FakeEmbedder, guard


@pytest.fixture
def embedder():
    """The installed embedder, loaded once a process."""
    return load_embedder()


@pytest.mark.weights
@pytest.mark.parametrize("case", ["EMB-002"], indirect=True)
def test_no_texts_give_no_rows(case, embedder):
    """A02."""
    assert list(embedder.embed(case["input"]["texts"]).shape) == case["expected"]["shape"]


@pytest.mark.weights
@pytest.mark.parametrize("case", ["EMB-003"], indirect=True)
def test_blank_and_missing_texts_are_skipped_and_numbers_are_text(case, embedder):
    """A04: a zero row, whose every cosine is 0.0, and never NaN."""
    texts, expected = case["input"]["texts"], case["expected"]

    split = embeddable(texts)
    vectors = embedder.embed(texts)

    assert list(split.texts) == expected["embedded"]
    assert list(split.skipped) == expected["skipped_indexes"]
    assert not np.isnan(vectors).any()
    assert not vectors[expected["skipped_indexes"]].any()
    assert np.linalg.norm(vectors[list(split.indexes)], axis=1) == pytest.approx(1.0, abs=1e-4)


@pytest.mark.weights
@pytest.mark.parametrize("case", ["EMB-006"], indirect=True)
def test_a_fragment_is_not_a_claim(case, embedder):
    trace = guard(embedder=embedder).check(case["input"]["claim"], case["input"]["messages"])

    assert trace[Elimination].verdicts[0].label.value == case["expected"]["label"]


@pytest.mark.parametrize("case", ["EMB-007"], indirect=True)
def test_a_threshold_of_another_model_is_reported_and_recorded(case):
    """A22."""
    config = case["input"]["config"]
    settings = EliminationSettings(
        min_similarity=config["threshold"], calibrated_for=config["threshold_calibrated_for"]
    )
    made = guard(Settings(elimination=settings), embedder=FakeEmbedder(config["embedding_model"] + "@1"))

    trace = made.check("Ben paid.", [{"content": "Ben paid."}])

    (warning,) = trace[Elimination].warnings
    assert config["embedding_model"] in warning
    assert config["threshold_calibrated_for"] in warning
    record = next(r for r in audit.records(trace) if r.stage == "elimination")
    assert record.model_ids == {"embedder": config["embedding_model"] + "@1"}
    assert record.detail["min_similarity"] == config["threshold"]
    assert record.detail["claims"][0]["similarity"] == 1.0
