"""The handed cases about selection under a budget."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import memguard.compressor
from memguard.compressor import Compression, Compressor, Decision, compress
from memguard.geometry.mmr import mmr_order
from memguard.messages import Conversation
from memguard.models.extractive import ExtractiveSummarizer
from memguard.models.tokens import BartTokenCounter, Cl100kTokenCounter
from memguard.reconstructor import Reconstruction, Status
from memguard.settings import Settings
from memguard.trace import Trace
from tests.support import FakeCounter, FakeEmbedder, FakeSummarizer, guard, with_values


def matrix(case, names):
    """Return relevance and similarity of a case in the order of ``names``."""
    given = case["input"]["similarity"]
    similarity = [[1.0 if a == b else given.get(a + b, given.get(b + a)) for b in names] for a in names]
    return [case["input"]["relevance"][n] for n in names], np.array(similarity)


@pytest.mark.parametrize("case", ["MMR-003"], indirect=True)
def test_ranks_are_those_of_mmr_and_the_context_is_chronological(case):
    """A05, A11."""
    names = case["input"]["message_order"]
    relevance, similarity = matrix(case, names)

    picks = list(mmr_order(relevance, lambda i: similarity[i], case["input"]["lambda"]))[: case["input"]["k"]]

    assert [names[p.index] for p in picks] == case["expected"]["selection_rank"]
    assert [names[i] for i in sorted(p.index for p in picks)] == case["expected"]["context_order"]


@pytest.mark.parametrize("case", ["MMR-004"], indirect=True)
def test_near_copies_do_not_fill_the_budget(case, monkeypatch):
    """A08: exactly the budget is allowed, and the near-copy, the next best, stops the loop."""
    names = sorted(case["input"]["relevance"])
    relevance, similarity = matrix(case, names)
    messages = [{"id": n, "content": " ".join([n] * (case["input"]["tokens"][n] - 1))} for n in names]
    vectors = np.linalg.cholesky(similarity)  # rows whose dot products are the similarities
    table = {m["content"]: row for m, row in zip(messages, vectors, strict=True)}
    monkeypatch.setattr(memguard.compressor, "window_relevance", lambda rows, window: np.array(relevance))
    stage = Compressor(FakeEmbedder(table=table), lambda name: FakeSummarizer("x"), FakeCounter())
    settings = with_values(
        compression__max_tokens=case["input"]["budget"], compression__lambda_mmr=case["input"]["lambda"]
    )

    result = stage.run(Trace(Conversation.from_messages(messages), settings))

    assert [names[i] for i in result.picked] == case["expected"]["selected"]
    assert result.tokens_selected == case["expected"]["tokens_used"]
    assert result.messages[names.index("b")].decision is Decision.OVER_BUDGET


@pytest.mark.parametrize("case", ["MMR-005"], indirect=True)
def test_an_empty_history_is_no_error(case):
    """A34."""
    messages, budget = case["input"]["messages"], case["input"]["budget"]

    trace = guard(with_values(compression__max_tokens=budget)).run(messages)

    assert compress(messages, budget, embedder=FakeEmbedder(), summarizer=FakeSummarizer()) == ""
    assert list(trace[Compression].picked) == case["expected"]["selected"]
    assert trace[Reconstruction].status is Status.EMPTY


@pytest.mark.parametrize("case", ["MMR-007"], indirect=True)
@pytest.mark.parametrize("counter", [FakeCounter(), BartTokenCounter()], ids=["words", "bart"])
def test_a_history_under_the_limit_is_selected_whole(case, counter):
    """A08: its tool calls and results as well."""
    settings = with_values(compression__max_tokens=case["input"]["budget"], compression__passthrough_words=0)

    trace = guard(settings, counter=counter).run(case["input"]["messages"])

    assert list(trace[Compression].picked) == case["expected"]["selected_indexes"]


@pytest.mark.parametrize("case", ["MMR-009"], indirect=True)
def test_a_rolling_context_block_stays_inside_its_budget(case):
    """A27, A31: twenty rounds of ten messages, the block counted with its heading."""
    assert "20 rounds" in case["input"]["run"]
    counter, embedder = BartTokenCounter(), FakeEmbedder()
    made = guard(
        Settings().with_value("reconstruction.payload_tokens", 600),
        embedder=embedder,
        summarizer=ExtractiveSummarizer(embedder),
        counter=counter,
    )

    trace, largest = made.run([]), 0
    for number in range(20):
        new = [
            {"content": f"In round {number} guest {i} ordered {3 * number + i} plates of soup number {i}."}
            for i in range(10)
        ]
        trace = made.extend(trace, new)
        payload = trace[Reconstruction]
        assert payload.status is Status.OK
        assert counter.count(payload.text) == payload.tokens <= 600
        largest = max(largest, payload.tokens)

    assert len(trace.conversation) == 200
    assert largest > 100


@pytest.mark.parametrize("case", ["MMR-010"], indirect=True)
def test_text_that_spells_a_special_token_is_counted_as_text(case):
    """A07."""
    messages = case["input"]["messages"]

    trace = guard(counter=BartTokenCounter()).run(messages)

    assert trace[Compression].tokens_in > case["expected"]["tokens_greater_than"]
    assert trace[Compression].paragraph == messages[0]["content"]


@pytest.mark.parametrize("case", ["MMR-011"], indirect=True)
def test_no_script_is_counted_short(case):
    """A07, F21: never fewer than expected, nor than a tenth below another real tokenizer."""
    bart, cl100k = BartTokenCounter(), Cl100kTokenCounter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # bpe-openai's, when it first reads its table
        cl100k.count("x")

    for text, at_least in zip(case["input"]["texts"], case["expected"]["estimate_at_least"], strict=True):
        assert bart.count(text) >= at_least
        assert bart.count(text) >= 0.9 * cl100k.count(text)


@pytest.mark.parametrize("case", ["MMR-013"], indirect=True)
def test_a_message_larger_than_the_budget_is_cut_and_the_other_still_chosen(case):
    """F7."""
    counter, budget = BartTokenCounter(), case["input"]["budget"]
    line = "2026-03-02 10:00:01 WARN db-2 the disk is filling up. "
    log = line * 600 + "FATAL: disk full on db-2"
    assert counter.count(log) > case["input"]["messages"][0]["tokens"]
    messages = [{"content": log}, {"content": case["input"]["messages"][1]["content"]}]

    result = guard(with_values(compression__max_tokens=budget), counter=counter).run(messages)[Compression]

    assert set(case["expected"]["selected_includes"]) <= set(result.picked)
    assert result.tokens_selected <= budget
    first = result.messages[0]
    assert first.decision is Decision.PICKED
    assert first.n_tokens <= budget // 2
    assert log[: first.used_chars].endswith("filling up.")
