"""``memguard bench retention --summarizers``, on values one can check by hand."""

from __future__ import annotations

import json

import pytest

from memguard.bench.retention import summarizers as bench
from memguard.bench.retention.references import PRIMOCK, SAMPLES, Reference
from memguard.guard import MemGuard
from memguard.messages import Conversation
from memguard.models import loading
from memguard.models.cache import CachedEmbedder
from memguard.settings import Settings
from memguard.transcripts import Fact
from tests.fakes import FakeEmbedder, FakeSummarizer

TALK = Conversation.from_messages(
    [
        {"role": "user", "speaker": "Ben", "content": "The boat Marina costs 4,200 euros and is blue."},
        {"role": "user", "speaker": "Ada", "content": "Then we sell the boat on 3 May 2026 in Brest."},
    ]
)
TOLD = Reference(SAMPLES, "boat", TALK, facts=(Fact("The boat costs 4,200 euros.", ("0",)),))


@pytest.fixture(autouse=True)
def fake_embedder(monkeypatch):
    embedder = CachedEmbedder(FakeEmbedder(dimension=768))
    monkeypatch.setattr(loading, "load_embedder", lambda: embedder)
    return embedder


def report(texts, references=(TOLD,), embedder=None):
    variants = {name: (lambda text=text: FakeSummarizer(text)) for name, text in texts.items()}
    guard = MemGuard(Settings(), embedder=embedder, summarizer=FakeSummarizer("unused"))
    return bench.measure(guard, Settings(), variants, references, progress=lambda _label: None)


def test_a_true_text_keeps_its_claim_and_a_false_one_does_not(fake_embedder):
    texts = {"true": "The boat Marina costs 4,200 euros.", "false": "The boat Marina costs 9,900 euros."}
    true, false = report(texts, embedder=fake_embedder).rows
    assert (true.n_claims, true.n_kept) == (1, 1)
    assert true.recalled == (1.0,)
    assert true.kept_facts > 0
    assert (false.n_claims, false.n_kept) == (1, 0)
    assert false.recalled == (0.0,)
    assert false.kept_facts == 0.0
    assert true.tokens == false.tokens > 5


def test_every_summarizer_gets_the_selected_lines_and_the_summarys_budget(fake_embedder):
    summarizer = FakeSummarizer("Nothing.")
    guard = MemGuard(Settings(), embedder=fake_embedder, summarizer=FakeSummarizer("unused"))
    bench.measure(guard, Settings(), {"one": lambda: summarizer}, (TOLD,), progress=lambda _label: None)
    ((lines, max_tokens),) = summarizer.calls
    assert lines == ["Ben: " + TALK.messages[0].content, "Ada: " + TALK.messages[1].content]
    assert max_tokens == Settings().compression.summary_tokens


def test_the_tables_hold_all_and_each_set(fake_embedder, tmp_path):
    other = Reference(PRIMOCK, "c1", TALK)
    made = report({"one": "The boat Marina costs 4,200 euros."}, (TOLD, other), embedder=fake_embedder)
    text = made.to_markdown()
    assert "### all: 2 conversations" in text
    assert "### samples: 1 conversations" in text
    assert "| one | 2 | 1.00 |" in text
    bench.write_texts(tmp_path / "texts.jsonl", made)
    rows = [json.loads(line) for line in (tmp_path / "texts.jsonl").read_text().splitlines()]
    assert [row["name"] for row in rows] == ["boat", "c1"]
    assert made.to_dict()["rows"][0]["system"] == "one"


def test_references_are_cut_and_limited(tmp_path):
    found = bench.references(folder=tmp_path, limit=2)
    assert [r.dataset for r in found] == [SAMPLES, SAMPLES]
    (cut,) = [bench._cut(Reference(PRIMOCK, "c", TALK), 1)]
    assert len(cut.conversation) == 1
    assert cut.conversation.messages[0].speaker_name == "Ben"
