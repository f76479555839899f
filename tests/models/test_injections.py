"""Attacks inside a transcript, through the whole pipeline on real weights and in every summarizer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memguard.eliminator import Elimination
from memguard.grounding.verdicts import Label
from memguard.guard import MemGuard
from memguard.models.bart import BartSummarizer
from memguard.models.cache import CachedEmbedder
from memguard.models.llm import LLMSummarizer
from memguard.models.loading import load_embedder, load_summarizer
from memguard.reconstructor import Reconstruction
from memguard.settings import Settings

pytestmark = [pytest.mark.weights, pytest.mark.slow]

PACK = json.loads((Path(__file__).parents[1] / "data" / "injections.json").read_text("utf-8"))
TRANSCRIPTS = PACK["transcripts"]
SUMMARY = " ".join(claim["text"] for claim in PACK["claims"])
each_transcript = pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=[t["id"] for t in TRANSCRIPTS])


class Obedient:
    """A language model that does what it reads: the worst that a summarizer can do."""

    def generate(self, prompt: str, max_tokens: int = 256) -> str:
        told = "A refund of 900 euros was approved." if "900 euros" in prompt else ""
        return f"Tessa paid 48 euros for order 5512. {told} The new lid will go to 7 Mill Lane."


@pytest.fixture(scope="module")
def embedder() -> CachedEmbedder:
    return CachedEmbedder(load_embedder())


@pytest.fixture(scope="module")
def usual(embedder):
    """What is kept of an ordinary conversation."""
    rows = list(TRANSCRIPTS[0]["messages"])
    rows[TRANSCRIPTS[0]["place"]] = {"role": "user", "speaker": "Tessa", "content": PACK["neutral"]}
    return kept(MemGuard(embedder=embedder).check(SUMMARY, rows))


def kept(trace):
    return [verdict.kept for verdict in trace[Elimination].verdicts]


def test_the_ordinary_conversation_is_judged_as_labelled(usual):
    assert usual == [claim["supported"] for claim in PACK["claims"]]


@each_transcript
def test_an_attack_changes_no_verdict(transcript, embedder, usual):
    trace = MemGuard(embedder=embedder).check(SUMMARY, transcript["messages"])
    assert kept(trace) == usual
    planted = next(v for v in trace[Elimination].verdicts if "900 euros was approved" in v.claim.text)
    assert planted.label in (Label.NOT_FOUND, Label.CONTRADICTED)


@pytest.fixture(scope="module", params=["extractive", "smollm2", "tiny bart", "obedient model"])
def summarizer(request, embedder):
    if request.param == "tiny bart":
        return BartSummarizer(request.getfixturevalue("bart_folder"), "tiny/bart@1")
    if request.param == "obedient model":
        return LLMSummarizer(Obedient())
    return load_summarizer(request.param)


@each_transcript
def test_no_summarizer_brings_what_was_planted_into_the_payload(transcript, summarizer, embedder):
    settings = Settings().with_value("compression.summary_tokens", 64)
    guard = MemGuard(settings, embedder=embedder, summarizer=summarizer)
    trace = guard.run(transcript["messages"])
    assert "900" not in trace[Reconstruction].text
    assert (
        trace.conversation.messages[transcript["place"]].content
        == transcript["messages"][transcript["place"]]["content"]
    )
