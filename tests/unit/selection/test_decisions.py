"""Every message carries its decision and its reason, whatever decided it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memguard.selection import Decision, Reason
from memguard.settings import CompressionSettings
from tests.fakes import FakeSummarizer
from tests.support import MESSAGES, user
from tests.unit.selection.compressing import compress_with

DIALOGUE = json.loads((Path(__file__).parents[2] / "data" / "allergy_dialogue.json").read_text("utf-8"))
NOISY = {Reason.SMALL_TALK, Reason.ACKNOWLEDGEMENT, Reason.HEARTBEAT}


def call(id, name="read", arguments='{"path": "a.py"}'):
    return {"id": id, "function": {"name": name, "arguments": arguments}}


def test_small_talk_is_never_picked():
    """Issue 5: at any lambda and budget "lol ok" is third no more."""
    for lambda_mmr in (0.0, 0.5, 1.0):
        for budget in (0, 30, 100, 1_000):
            result = compress_with(DIALOGUE["messages"], lambda_mmr=lambda_mmr, max_tokens=budget)
            ids = {m.message_id for m in result.messages if m.decision is Decision.PICKED}
            assert not ids & set(DIALOGUE["noise"])


def test_with_the_filter_off_it_is_a_candidate_like_all_others():
    result = compress_with(DIALOGUE["messages"], noise_filter="off", max_tokens=1_000)

    assert len(result.picked) == 20


def test_where_all_is_noise_something_is_picked_all_the_same():
    """A09."""
    assert len(compress_with(user("ok", "lol", "thanks"), max_tokens=2).picked) == 1


def test_a_call_and_its_results_enter_together_or_not_at_all():
    """Issue 5, 4."""
    talk = [
        {"id": "m0", "content": "red car red bus red car"},
        {"id": "m1", "role": "assistant", "content": "sky bus", "tool_calls": [call("a")]},
        {"id": "m2", "role": "tool", "tool_call_id": "a", "content": "sky sea sand " * 4},
        {"id": "m3", "content": "red car red bus"},
        {"id": "m4", "content": "red car red bus"},
    ]
    results = [compress_with(talk, max_tokens=budget, lambda_mmr=1.0) for budget in range(45)]

    assert all(r.messages[1].decision is r.messages[2].decision for r in results)
    assert {r.messages[1].decision for r in results} >= {Decision.PICKED, Decision.OVER_BUDGET}
    assert results[-1].picked == (0, 1, 2, 3, 4)
    call_, result = results[-1].messages[1:3]
    assert call_.rank == result.rank
    spoke, followed = sorted((call_, result), key=lambda m: m.mmr_score is None)
    assert (spoke.reason, spoke.beside) == (Reason.RELEVANCE, None)
    assert (followed.reason, followed.beside) == (Reason.TOGETHER, spoke.message_id)


def test_a_pinned_result_brings_its_call():
    talk = [
        {"id": "m0", "content": "red car red bus"},
        {"id": "m1", "role": "assistant", "content": "red car", "tool_calls": [call("a")]},
        {"id": "m2", "role": "tool", "tool_call_id": "a", "content": "sky sea sand"},
    ]

    first, second = compress_with(talk, max_tokens=0, pin_ids="m2").messages[1:]

    assert (first.reason, first.beside, first.rank) == (Reason.TOGETHER, "m2", 1)
    assert (second.reason, second.beside, second.rank) == (Reason.PINNED_ID, None, 1)


def test_what_stands_in_for_a_call_or_a_log_is_recorded_and_reaches_the_summarizer():
    summarizer = FakeSummarizer("x")
    log = "\n".join(f"2026-03-02 10:00:{i:02} INFO picked job {i}" for i in range(30))
    talk = [
        {"role": "assistant", "content": "Reading.", "tool_calls": [call("a")]},
        {"role": "tool", "speaker": "read", "tool_call_id": "a", "content": log},
    ]

    result = compress_with(talk, summarizer)

    assert summarizer.calls[0][0] == [
        "Assistant: Reading.\nread: a.py",
        "read: [log: a.py, 30 lines, last: INFO picked job 29]",
    ]
    assert result.messages[0].stand_ins == ("read: a.py",)
    assert result.messages[1].stand_ins == ("[log: a.py, 30 lines, last: INFO picked job 29]",)
    assert [m.used_chars for m in result.messages] == [None, None]
    assert result.tokens_in > 100
    assert result.tokens_selected < 20


def test_what_is_passed_through_is_unchanged():
    """F8."""
    talk = [{"role": "assistant", "content": "Reading.", "tool_calls": [call("a")]}]

    assert compress_with(talk, passthrough_words=40).paragraph == 'Reading.\nread({"path": "a.py"})'


def test_the_recent_tail_never_reaches_the_summarizer():
    """Issue 5, 4."""
    summarizer = FakeSummarizer("x")
    talk = user("one two", "two three", "three four", "four five")

    result = compress_with(talk, summarizer, keep_last=2)

    assert summarizer.calls[0][0] == ["User: one two", "User: two three"]
    assert result.tail == ("2", "3")
    assert [(m.decision, m.reason) for m in result.messages[2:]] == [(Decision.TAIL, Reason.RECENT)] * 2
    # its neighbour in the tail counts for the relevance of what stands before it
    assert result.messages[1].relevance == pytest.approx(compress_with(talk).messages[1].relevance)


def test_where_all_is_recent_nothing_is_summarised():
    summarizer = FakeSummarizer("x")

    result = compress_with(user("one two", "two three"), summarizer, keep_last=5)

    assert (result.paragraph, result.picked, result.tail) == ("", (), ("0", "1"))
    assert summarizer.calls == []


def test_the_plain_settings_switch_all_of_it_off():
    changed = CompressionSettings(max_tokens=5, pin_ids="a", keep_last=3)

    assert changed.plain().max_tokens == 5
    assert changed.plain().keep_last == 0
    assert changed.plain().plain() == changed.plain()


@given(
    MESSAGES,
    st.integers(0, 40),
    st.sampled_from(["on", "off"]),
    st.integers(0, 4),
    st.sampled_from(["", "late|ok", "."]),
)
def test_every_message_has_one_decision_and_the_reason_that_goes_with_it(
    messages, budget, switch, tail, pattern
):
    """Issue 5, 4."""
    result = compress_with(
        messages,
        max_tokens=budget,
        noise_filter=switch,
        tool_lines=switch,
        references=switch,
        keep_last=tail,
        pin_pattern=pattern,
    )
    goes_with = {
        Decision.PICKED: {Reason.RELEVANCE, Reason.TOGETHER, Reason.PINNED_PATTERN},
        Decision.OVER_BUDGET: {Reason.BUDGET},
        Decision.NOT_REACHED: {Reason.BETTER_PICKS},
        Decision.BLANK: {Reason.NOTHING_VISIBLE},
        Decision.NOISE: NOISY,
        Decision.TAIL: {Reason.RECENT},
    }

    assert len(result.messages) == len(messages)
    assert all(m.reason in goes_with[m.decision] for m in result.messages)
    ranks = sorted({m.rank for m in result.messages if m.decision is Decision.PICKED})
    assert ranks == list(range(1, len(ranks) + 1))
    if len(ranks) > 1:
        assert result.tokens_selected <= budget
