"""The handed cases about selection under a budget."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import memguard.selection.core
from memguard import audit
from memguard.compressor import Compression, compress
from memguard.models.extractive import ExtractiveSummarizer
from memguard.models.tokens import BartTokenCounter
from memguard.reconstructor import HEADING, SHORT_HEADING, Reconstruction, Status
from memguard.selection import Decision
from tests.app.conftest import app as app
from tests.app.conftest import fakes as fakes
from tests.app.conftest import paste, results
from tests.support import FakeCounter, FakeEmbedder, FakeSummarizer, guard, with_values


def selecting(monkeypatch, case, names, texts, **values):
    """Return the trace of messages that have the relevance and the similarities of a case."""
    relevance, similarity = matrix(case, names)
    vectors = np.linalg.cholesky(similarity)  # unit rows whose dot products are the similarities
    monkeypatch.setattr(memguard.selection.core, "window_relevance", lambda rows, window: np.array(relevance))
    settings = with_values(compression__lambda_mmr=case["input"]["lambda"], **values)
    embedder = FakeEmbedder(table=dict(zip(texts, vectors, strict=True)))
    messages = [{"id": n, "content": text} for n, text in zip(names, texts, strict=True)]
    return guard(settings, embedder=embedder).run(messages)


def matrix(case, names):
    """Return relevance and similarity of a case in the order of ``names``."""
    given = case["input"]["similarity"]
    similarity = [[1.0 if a == b else given.get(a + b, given.get(b + a)) for b in names] for a in names]
    return [case["input"]["relevance"][n] for n in names], np.array(similarity)


@pytest.mark.parametrize("case", ["MMR-003"], indirect=True)
def test_ranks_are_those_of_mmr_and_the_context_is_chronological(case, monkeypatch):
    """A05, A11: the audit shows rank and score, by which the order explains itself."""
    names, k = case["input"]["message_order"], case["input"]["k"]
    budget = 2 * k  # "User: a" is two words

    trace = selecting(monkeypatch, case, names, names, compression__max_tokens=budget)

    result = trace[Compression]
    assert [names[i] for i in result.picked] == case["expected"]["context_order"]
    assert result.paragraph.split() == case["expected"]["context_order"]
    detail = next(r.detail for r in audit.records(trace) if r.stage == "compression")
    rows = {row["id"]: row for row in detail["messages"]}
    picked = sorted((r for r in rows.values() if r["decision"] == "picked"), key=lambda row: row["rank"])
    assert [row["id"] for row in picked] == case["expected"]["selection_rank"]
    assert [row["rank"] for row in picked] == list(range(1, k + 1))
    weight, given = case["input"]["lambda"], case["input"]["relevance"]
    for rank, row in enumerate(picked):
        earlier = [p["id"] for p in picked[:rank]]
        near = [case["input"]["similarity"]["".join(sorted(e + row["id"]))] for e in earlier]
        assert row["relevance"] == given[row["id"]]
        assert row["mmr_score"] == pytest.approx(
            weight * given[row["id"]] - (1 - weight) * max(near, default=0.0), abs=1e-6
        )
        assert row["max_similarity"] == (pytest.approx(max(near), abs=1e-6) if near else None)


@pytest.mark.parametrize("case", ["MMR-004"], indirect=True)
def test_near_copies_do_not_fill_the_budget(case, monkeypatch):
    """A08: exactly the budget is allowed, and the near-copy, the next best, stops the loop."""
    names = sorted(case["input"]["relevance"])
    texts = [" ".join([n] * (case["input"]["tokens"][n] - 1)) for n in names]

    trace = selecting(monkeypatch, case, names, texts, compression__max_tokens=case["input"]["budget"])

    result = trace[Compression]
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


@pytest.mark.parametrize("case", ["MMR-005"], indirect=True)
def test_the_app_says_of_an_empty_history_that_nothing_is_there(case, app):
    """A34, in the words of the case."""
    paste(app, json.dumps(case["input"]["messages"]))
    app.button(key="finish").click().run()

    assert not app.exception
    assert not app.error
    assert case["expected"]["ui"] in results(app).lower()


@pytest.mark.parametrize("case", ["MMR-007"], indirect=True)
@pytest.mark.parametrize("counter", [FakeCounter(), BartTokenCounter()], ids=["words", "bart"])
def test_a_history_under_the_limit_is_selected_whole(case, counter):
    """A08: its tool calls and results as well."""
    settings = with_values(compression__max_tokens=case["input"]["budget"], compression__passthrough_words=0)

    trace = guard(settings, counter=counter).run(case["input"]["messages"])

    assert list(trace[Compression].picked) == case["expected"]["selected_indexes"]


@pytest.mark.parametrize("case", ["MMR-009"], indirect=True)
def test_a_rolling_context_block_stays_inside_its_budget(case):
    """A27, A31: after every round the summary that is made anew, and the block with its heading."""
    rounds, n_new, budget = map(int, re.findall(r"\d+", case["input"]["run"]))
    counter, embedder = BartTokenCounter(), FakeEmbedder()
    made = guard(
        with_values(
            compression__max_tokens=2 * budget,
            compression__summary_tokens=budget,
            reconstruction__payload_tokens=budget,
        ),
        embedder=embedder,
        summarizer=ExtractiveSummarizer(ratio=1.0),
        counter=counter,
    )

    trace, blocks, summaries = made.run([]), [], []
    for number in range(rounds):
        new = [
            {"content": f"In round {number} guest {i} ordered {3 * number + i} plates of soup number {i}."}
            for i in range(n_new)
        ]
        trace = made.extend(trace, new)
        summary, payload = trace[Compression], trace[Reconstruction]
        assert counter.count(summary.paragraph) == summary.tokens_out <= budget
        assert summary.tokens_selected <= 2 * budget
        assert payload.status is Status.OK
        assert payload.text.startswith((HEADING, SHORT_HEADING))
        assert counter.count(payload.text) == payload.tokens <= budget
        blocks.append(payload.tokens)
        summaries.append(summary.tokens_out)

    assert len(trace.conversation) == rounds * n_new
    assert trace[Compression].tokens_in > 5 * budget
    assert min(max(blocks), max(summaries)) > 0.9 * budget, "neither budget was ever felt"
    assert trace[Reconstruction].omitted


@pytest.mark.parametrize("case", ["MMR-010"], indirect=True)
def test_text_that_spells_a_special_token_is_counted_as_text(case):
    """A07."""
    messages = case["input"]["messages"]

    trace = guard(counter=BartTokenCounter()).run(messages)

    assert trace[Compression].tokens_in > case["expected"]["tokens_greater_than"]
    assert trace[Compression].paragraph == messages[0]["content"]


@pytest.mark.parametrize("case", ["MMR-011"], indirect=True)
def test_no_script_is_counted_short(case):
    """A07, F21."""
    bart = BartTokenCounter()

    for text, at_least in zip(case["input"]["texts"], case["expected"]["estimate_at_least"], strict=True):
        assert bart.count(text) >= at_least


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
