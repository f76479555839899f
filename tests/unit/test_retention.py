"""The sweep over budgets and the plain ways beside it: figures that can be counted by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memguard.baselines import last_messages, truncation
from memguard.compressor import Compression, joined
from memguard.eliminator import Elimination
from memguard.errors import InvalidParameterError, StageOrderError
from memguard.facts import ClassRecall, FactClass
from memguard.messages import Conversation
from memguard.models.tokens import BartTokenCounter
from memguard.reconstructor import Reconstruction, Reconstructor
from memguard.retention import Retained, budget_sweep, budgets_of, plain_sweep, retained, tokens_in
from memguard.settings import Settings
from memguard.trace import Trace
from tests.fakes import FakeCounter, FakeSummarizer
from tests.support import guard

DATA = Path(__file__).parents[1] / "data"
COUNTER = FakeCounter()
TALK = [
    {"role": "user", "speaker": "Ada", "content": "Good morning to you all on this fine day."},
    {"role": "user", "speaker": "Ben", "content": "The boat Marina costs 4,200 euros and it is blue."},
    {"role": "user", "speaker": "Ada", "content": "I am severely allergic to penicillin."},
    {"role": "user", "speaker": "Ben", "content": "Then we sell the boat on 3 May 2026."},
    {"role": "user", "speaker": "Ada", "content": "Fine, that suits me very well indeed."},
]
CONVERSATION = Conversation.from_messages(TALK)


@pytest.fixture(scope="module")
def trace() -> Trace:
    return guard(summarizer=FakeSummarizer("The boat Marina costs 4,200 euros.")).run(TALK)


@pytest.mark.parametrize(("budget", "expected"), [(0, 0), (7, 0), (8, 1), (17, 1), (18, 2), (1_000, 5)])
def test_the_last_messages_are_whole_and_as_many_as_fit(budget: int, expected: int) -> None:
    """The last line has 8 words with its speaker, the one before it 10."""
    found = last_messages(COUNTER)(CONVERSATION, budget)

    assert found.text == "\n".join(message.line for message in CONVERSATION.messages[5 - expected :])
    assert {id for said in found.statements for id in said.message_ids} == {
        str(i) for i in range(5 - expected, 5)
    }


@given(st.integers(0, 60))
def test_truncation_is_a_beginning_that_could_not_be_longer(budget: int) -> None:
    text = joined(CONVERSATION)
    found = truncation(COUNTER)(CONVERSATION, budget)

    assert text.startswith(found.text)
    assert COUNTER.count(found.text) <= budget
    longer = text[: len(found.text) + 1]
    assert longer == text == found.text or COUNTER.count(longer) > budget
    assert "".join("".join(s.text.split()) for s in found.statements) == "".join(found.text.split())


def test_budgets_rise_and_come_once() -> None:
    assert budgets_of(100) == (10, 15, 20, 25, 30, 33, 40, 50, 70, 100)
    assert budgets_of(3, (0.1, 0.2, 1.0)) == (1, 3)


@pytest.mark.parametrize("shares", [(), (0.0,), (0.5, 1.1), (-0.2,), (float("nan"),)])
def test_a_share_outside_its_range_is_refused(shares: tuple[float, ...]) -> None:
    with pytest.raises(InvalidParameterError, match="above 0 and at most 1"):
        budgets_of(100, shares)


def test_each_budget_is_that_of_a_run_of_its_own(trace: Trace) -> None:
    """Issue 5: what the sweep says of a budget is what reconstruction gives under it."""
    found = budget_sweep(trace, Reconstructor(COUNTER).run, COUNTER)

    assert found.tokens_in == trace[Compression].tokens_in == COUNTER.count(joined(CONVERSATION))
    assert [at.budget for at in found.payload] == list(budgets_of(found.tokens_in))
    for at in found.payload:
        settings = trace.settings.with_value("reconstruction.payload_tokens", at.budget)
        alone = guard(settings, summarizer=FakeSummarizer("The boat Marina costs 4,200 euros.")).run(TALK)
        report = alone[Reconstruction].omissions
        assert report is not None
        assert (at.tokens, at.recall, at.by_class) == (
            alone[Reconstruction].tokens,
            report.recall,
            report.by_class,
        )
        assert at.n_kept == len(report.kept)


def test_no_budget_is_passed_and_the_whole_conversation_keeps_every_fact(trace: Trace) -> None:
    found = budget_sweep(trace, Reconstructor(COUNTER).run, COUNTER)

    for kept in (found.payload, found.plain.last_messages, found.plain.truncation):
        assert all(at.tokens <= at.budget for at in kept)
        assert all(sum(row.total for row in at.by_class) == found.n_facts for at in kept)
    assert found.n_facts == sum(fact.superseded_by is None for fact in trace[Elimination].facts) > 0
    assert found.plain.last_messages[-1].recall == found.plain.truncation[-1].recall == 1.0
    assert found.plain.last_messages[0].recall == 0.0


def test_the_allergy_outlives_what_the_plain_ways_keep() -> None:
    """Issue 5: at a third of the tokens the payload states the condition; neither plain way does."""
    counter = BartTokenCounter()
    dialogue = json.loads((DATA / "allergy_dialogue.json").read_text("utf-8"))["messages"]
    run = guard(summarizer=FakeSummarizer("They talk about groceries."), counter=counter).run(dialogue)
    found = budget_sweep(run, Reconstructor(counter).run, counter, shares=(1 / 3,))

    def conditions(at: Retained) -> list[ClassRecall]:
        return [row for row in at.by_class if row.kind is FactClass.CONDITION]

    assert conditions(found.payload[0]) == [ClassRecall(FactClass.CONDITION, 1, 1)]
    for plain in (found.plain.last_messages, found.plain.truncation):
        assert conditions(plain[0]) == [ClassRecall(FactClass.CONDITION, 0, 1)]


def test_lines_quoted_and_claims_are_counted_apart(trace: Trace) -> None:
    result = trace[Reconstruction]
    quotes = {verdict.claim.id for verdict in result.verbatim}
    made = retained(replace(result, budget=77))

    assert made.budget == 77
    assert made.n_quoted == len({p.line for p in result.pieces if p.claim_id in quotes}) > 0
    assert made.n_claims == len([p for p in result.pieces if p.claim_id not in quotes])
    off = Reconstructor(COUNTER).run(
        replace(trace.rewind(), settings=trace.settings.with_value("retention.rescue", "off"))
    )
    assert retained(replace(off, verbatim=())).n_quoted == 0


def test_what_is_known_of_the_plain_ways_is_taken_over(trace: Trace) -> None:
    plain = plain_sweep(trace, COUNTER)
    assert budget_sweep(trace, Reconstructor(COUNTER).run, COUNTER, plain=plain).plain is plain
    assert budget_sweep(trace, Reconstructor(COUNTER).run, COUNTER).plain == plain


def test_a_sweep_needs_elimination() -> None:
    with pytest.raises(StageOrderError):
        budget_sweep(Trace(CONVERSATION, Settings()), Reconstructor(COUNTER).run, COUNTER)


@pytest.mark.parametrize("messages", [[], [{"role": "user", "content": "Hello."}]])
def test_a_conversation_without_facts_has_no_recall(messages: list[dict[str, Any]]) -> None:
    run = guard().run(messages)
    found = budget_sweep(run, Reconstructor(COUNTER).run, COUNTER)

    assert found.n_facts == 0
    assert {at.recall for at in (*found.payload, *found.plain.truncation)} == {None}
    assert found.tokens_in == tokens_in(run, COUNTER)
    assert all(found.ratio(at) is None for at in found.payload if not at.tokens)
