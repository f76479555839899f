"""Whether a fact given as a sentence is stated: a strict judge (facts/judge.py)."""

from __future__ import annotations

import pytest

from memguard.facts import Statement, states
from memguard.messages import Conversation

_SAID = (
    Statement("Ramipril, ten milligrams, in the morning.", ("m1",), "Edwin Harlow"),
    Statement("any problems with your eyes? No, not at all.", ("m2",), "Edwin Harlow"),
    Statement("The courier collects on Tuesday 24 March from Unit 6, Calder Yard.", ("m3",), "Devon"),
    Statement("Never run anything against port 6379, use 6390.", ("m4",), "Ilse"),
    Statement("The deposit to Fjeldby is paid, 4,080 euros.", ("m5",), "Kasper"),
)


@pytest.mark.parametrize(
    "fact",
    [
        "Edwin takes ramipril 10 mg in the morning.",
        "Edwin has no problems with his eyes.",
        "The courier collects on 24 March from Unit 6, Calder Yard.",
        "Nothing may be run against port 6379; port 6390 is to be used.",
        "The deposit of 4,080 euros to Fjeldby was paid.",
    ],
)
def test_what_is_said_is_stated(fact: str) -> None:
    assert states(fact, _SAID)


@pytest.mark.parametrize(
    "fact",
    [
        "Edwin takes ramipril 5 mg in the morning.",
        "The courier collects on 25 March from Unit 6, Calder Yard.",
        "The courier collects on 24 March from Unit 6, Fennel Row.",
        "The deposit of 4,180 euros to Fjeldby was paid.",
        "Greta bought a red bicycle for the allotment.",
        "Edwin takes metformin 500 mg twice a day.",
    ],
)
def test_what_is_not_said_is_not_stated(fact: str) -> None:
    assert not states(fact, _SAID)


def test_nothing_states_nothing() -> None:
    assert not states("The deposit was paid.", ())
    assert not states("", _SAID)


def test_a_denied_fact_needs_a_denial() -> None:
    said = (Statement("I have a cough and a headache.", ("m1",), "Patient"),)
    assert states("The patient has a cough.", said)
    assert not states("The patient has no cough.", said)


def test_a_relative_date_counts_where_the_day_is_known() -> None:
    conversation = Conversation.from_messages(
        [
            {
                "id": "m1",
                "content": "It went into my left arm last Thursday.",
                "timestamp": "2026-03-02T09:00:00+00:00",
            }
        ]
    )
    said = (Statement("It went into my left arm last Thursday.", ("m1",)),)
    assert states("It went into the left arm on 26 February 2026.", said, conversation=conversation)
    assert not states("It went into the left arm on 27 February 2026.", said, conversation=conversation)


def test_the_name_before_a_line_is_its_speaker() -> None:
    assert states("Edwin is keeping the grinder.", (Statement("Edwin: I'm keeping the grinder"),))


def test_the_last_of_several_values_counts() -> None:
    said = (
        Statement("The park visit is on 6 May.", ("m1",)),
        Statement("The park visit is moved to 13 May.", ("m2",)),
    )
    assert states("The park visit is on 13 May.", said)
    assert not states("The park visit is on 8 May.", said)
