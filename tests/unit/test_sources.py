"""The sentences of the transcript as a guard sees them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memguard.grounding.sources import is_evidence, sources_of, speakers_of
from memguard.messages import Conversation

TALK = Conversation.from_messages(
    [
        {"id": "s", "role": "system", "content": "Ben lives in Rio."},
        {
            "id": "a",
            "speaker": "Ada",
            "content": "  I paid. It rained. ",
            "timestamp": "2026-03-02T09:00:00Z",
        },
        {"id": "b", "role": "assistant", "content": " \n"},
        {"id": "c", "role": "tool", "content": "🔥 Done."},
    ]
)


def test_every_sentence_has_its_place_its_speaker_and_its_time():
    """A22: role and speaker stay on every span."""
    said = datetime(2026, 3, 2, 9, tzinfo=UTC)

    found = sources_of(TALK)

    assert [(s.text, s.turn, s.number, s.speaker, s.role) for s in found] == [
        ("I paid.", 1, 0, "Ada", "user"),
        ("It rained.", 1, 1, "Ada", "user"),
        ("🔥 Done.", 3, 2, "Tool", "tool"),
    ]
    assert [TALK.text(s.span) for s in found] == [s.text for s in found]
    assert [s.timestamp for s in found] == [said, said, None]


def test_a_part_of_a_sentence_is_a_span_of_its_message():
    rained = sources_of(TALK)[1]

    assert TALK.text(rained.at(3, 9)) == "rained"


@pytest.mark.parametrize("role", ["system", "System", "developer", "memory", "context"])
def test_injected_text_grounds_nothing(role):
    """Issue 3: recalled memory is never evidence for itself."""
    injected = Conversation.from_messages([{"role": role, "content": "Ben paid."}, {"content": "Ben left."}])

    assert [is_evidence(m) for m in injected] == [False, True]
    assert [s.text for s in sources_of(injected)] == ["Ben left."]
    assert sources_of(injected)[0].number == 0


def test_who_speaks_is_named_once_in_order():
    """Injected and blank messages have a speaker too: a claim may name them."""
    assert speakers_of(TALK) == ("System", "Ada", "Assistant", "Tool")
    again = Conversation.from_messages(
        [{"speaker": "Ben", "content": "a"}, {"speaker": "Ben", "content": "b"}]
    )
    assert speakers_of(again) == ("Ben",)


def test_nothing_said_has_no_sources():
    assert sources_of(Conversation.from_messages([])) == ()
    assert speakers_of(Conversation.from_messages([])) == ()
