"""Pins: by id, role and pattern; they enter first, while the budget lasts."""

from __future__ import annotations

import pytest

from memguard.errors import SettingsError
from memguard.messages import Conversation
from memguard.selection import Decision, Reason
from memguard.selection.pins import pins
from memguard.settings import CompressionSettings, Settings
from tests.unit.selection.compressing import compress_with

TALK = [
    {"id": "m0", "role": "system", "content": "answer in short sentences"},
    *({"id": f"m{i}", "role": "user", "content": "soup soup soup again"} for i in range(1, 9)),
    {"id": "m9", "role": "user", "content": "Nora is ALLERGIC to penicillin"},
]


def reasons(**settings):
    found = pins(Conversation.from_messages(TALK).messages, CompressionSettings(**settings))
    return list(found.items())


def test_the_most_specific_pin_comes_first():
    """Issue 5, 4."""
    pinned = reasons(pin_ids=" m3 ,m3,, m9", pin_roles="SYSTEM", pin_pattern="allerg")

    assert pinned == [(3, Reason.PINNED_ID), (9, Reason.PINNED_ID), (0, Reason.PINNED_ROLE)]
    assert reasons(pin_pattern="allerg") == [(9, Reason.PINNED_PATTERN)]
    assert reasons() == []


@pytest.mark.parametrize("pattern", ["(", "*a", r"(?=x)", r"(a)\1", "[z-a]"])
def test_an_invalid_pattern_is_refused_when_the_settings_are_made(pattern):
    with pytest.raises(SettingsError, match="pin_pattern must be a pattern that RE2 takes") as caught:
        Settings().with_value("compression.pin_pattern", pattern)
    assert f"got {pattern!r}" in str(caught.value)


def test_a_pattern_that_would_take_for_ever_elsewhere_does_not():
    assert reasons(pin_pattern="(a+)+$x|(s|so|soup| )+nothing") == []


def test_a_pinned_message_enters_whatever_its_relevance():
    """Issue 5, 4: the lone line that MMR leaves out."""
    without = compress_with(TALK, max_tokens=12)
    pinned = compress_with(TALK, max_tokens=12, pin_pattern="allergic")

    assert 9 not in without.picked
    assert 9 in pinned.picked
    decision = pinned.messages[9]
    assert (decision.decision, decision.reason, decision.rank) == (Decision.PICKED, Reason.PINNED_PATTERN, 1)
    assert decision.mmr_score is None
    assert pinned.tokens_selected <= 12


def test_after_a_pin_the_next_pick_is_compared_with_it():
    """A05: the penalty counts what is pinned."""
    talk = [{"content": text} for text in ("red car", "red car", "blue sky", "blue sky")]

    result = compress_with(talk, pin_ids="0", lambda_mmr=0.0, max_tokens=6)

    assert result.picked == (0, 2)


def test_pins_end_with_the_budget_and_a_warning_names_the_rest():
    result = compress_with(TALK, max_tokens=12, pin_roles="user")

    assert result.tokens_selected <= 12
    assert result.picked == (1, 2)
    assert [m.rank for m in result.messages[:4]] == [None, 1, 2, 3]
    assert result.messages[3].decision is Decision.OVER_BUDGET
    assert result.warnings == (
        "pinned, but the selection's budget of 12 tokens was full: m3, m4, m5, m6, m7 and 2 more; "
        "raise max_tokens, or pin less",
    )


def test_an_unknown_id_or_role_is_named_in_a_warning():
    result = compress_with(TALK, pin_ids="m9, m77", pin_roles="tool")

    assert result.warnings == (
        "pinned, but no message of this conversation has it: the id 'm77', the role 'tool'",
    )
    assert 9 in result.picked


def test_noise_that_is_pinned_enters():
    talk = [{"id": "a", "content": "The boat leaves at nine."}, {"id": "b", "content": "lol ok"}]

    assert compress_with(talk).picked == (0,)
    assert compress_with(talk, pin_ids="b").picked == (0, 1)
