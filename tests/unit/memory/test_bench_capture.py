"""``memguard bench memory``: capture, search and compression, at small sizes."""

from __future__ import annotations

import os

import pytest

from memguard.bench import capture
from memguard.bench.turns import TURNS
from memguard.memory.providers.detection import ENABLED
from memguard.models import loading
from tests.fakes import FakeEmbedder, FakeSummarizer


def figures(part, quick=True):
    return {figure.name: figure for figure in part(quick)}


def test_capture_is_measured_without_a_model_and_without_duplicates(monkeypatch):
    """A capture that were a duplicate would measure nothing."""
    monkeypatch.setenv(ENABLED, "true")
    found = figures(capture.capture)

    assert {capture.made_turn(n) for n in range(500)}.__len__() == 500
    assert 0 < found["capture, p50"].value <= found["capture, p95"].value
    assert found["capture, p95"].target == 50.0
    assert 2 < found["store growth, a capture"].value < 50
    assert os.environ[ENABLED] == "true"


def test_search_is_exact_and_measured(monkeypatch):
    found = figures(capture.search)

    assert found["search 2,000 entries, p50"].target == 50.0
    assert found["store of 2,000 entries"].value > 2_000 * 768 * 4 / 2**20


def test_embedding_is_measured_beside_it(monkeypatch):
    embedder = FakeEmbedder()
    monkeypatch.setattr(loading, "load_embedder", lambda: embedder)

    assert figures(capture.embedding)["… embedding beside it, p50"].value > 0
    assert len(embedder.calls) == 4


def test_every_turn_of_the_fixture_holds_its_own_facts():
    """D13: so that a note which keeps all has a retention of 1, and an empty one of 0."""
    texts, facts = [turn.text for turn in TURNS], [turn.facts for turn in TURNS]

    assert capture.retention(texts, facts) == 1.0
    assert capture.retention([""] * len(TURNS), facts) == 0.0
    assert len(TURNS) >= 10


def test_both_figures_are_of_what_the_model_wrote(monkeypatch):
    """D13: ratio and retention, before the guard and as stored."""
    first = TURNS[0]
    note = "Launch moved from 3 March to 17 March 2026: Acme Corp can't deliver 40 sensors before the 12th."
    for answer, used, ratio, kept in ((note, "1 of 1", 1.5, 1.0), ("Hello.", "0 of 1", 1.0, 1.0)):
        model = FakeSummarizer(answer)
        monkeypatch.setattr(loading, "load_summarizer", lambda name, m=model: m)
        found = figures(capture.compression)

        assert found["compression by local, ratio"].value > 2
        assert found["… facts retained"].value == (1.0 if answer == note else 0.0)
        assert found["… ratio as stored"].note.startswith(used)
        assert found["… ratio as stored"].value >= ratio
        assert found["… facts retained as stored"].value == kept
        assert model.calls[0][0] == [f"User: {first.text}"]


@pytest.mark.parametrize("part", [capture.embedding, capture.compression])
def test_without_weights_a_part_says_what_to_run(part, monkeypatch, tmp_path):
    monkeypatch.setenv("MEMGUARD_HOME", str(tmp_path))

    [figure] = part(True)
    assert "memguard setup" in figure.note
