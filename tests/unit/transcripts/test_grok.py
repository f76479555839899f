"""Grok's export: responses of both sides, perhaps in a tree; dates of MongoDB."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.transcripts import list_bytes, read_text
from memguard.transcripts.document import Document
from memguard.transcripts.exports import GrokExport
from tests.support import cpu_seconds
from tests.unit.transcripts.mutations import mutated, read_or_refuse

READER = GrokExport()


def response(own, parent, text, second=0, sender="human", **fields):
    time = {"$date": {"$numberLong": str(1_780_000_000_000 + 1000 * second)}}
    inner = {"_id": own, "message": text, "sender": sender, "create_time": time, **fields}
    return {"response": inner if parent is None else {**inner, "parent_response_id": parent}}


def export(*responses):
    return {"conversations": [{"conversation": {"id": "g", "title": "T"}, "responses": list(responses)}]}


def read(*responses):
    return read_text(json.dumps(export(*responses)))


def said(reading):
    return [(m.role, m.content) for m in reading.conversation]


def test_grok_follows_the_parents_of_the_newest_response():
    reading = read(
        response("a", None, "q", 1),
        response("b", "a", "old", 2, "assistant"),
        response("c", "a", "new", 3, "ASSISTANT"),
    )
    assert said(reading) == [("user", "q"), ("assistant", "new")]
    assert (reading.format, reading.abandoned_messages) == ("grok", 1)
    assert reading.rule == "followed parent_response_id back from the newest response"


def test_grok_without_parents_reads_all_and_says_so():
    reading = read(response("a", None, "q", 9), response("b", None, "r", 1, "assistant"))
    assert said(reading) == [("user", "q"), ("assistant", "r")]
    assert reading.rule == "no parent ids: all messages, in the order of the file"


@pytest.mark.parametrize(
    "time",
    [
        {"$date": {"$numberLong": "1780000000000"}},
        {"$date": "2026-05-28T20:26:40Z"},
        "2026-05-28T20:26:40+00:00",
        1_780_000_000_000,
    ],
)
def test_grok_reads_every_form_of_its_times(time):
    (message,) = read(response("a", None, "q", create_time=time)).conversation
    assert message.timestamp == datetime(2026, 5, 28, 20, 26, 40, tzinfo=UTC)


def test_grok_of_a_broken_tree_says_what_is_left():
    circle = read(response("a", "b", "one"), response("b", "a", "two"))
    assert len(circle.conversation) == 2
    assert any("in a circle" in warning for warning in circle.conversation.warnings)
    twice = read(response("a", None, "one"), response("a", None, "two"), response("b", "a", "three", 1))
    assert [text for _, text in said(twice)] == ["one", "three"]
    assert any("its _id occurs before" in warning for warning in twice.conversation.warnings)


def test_grok_lists_conversations_with_times_from_their_responses():
    value = export(response("a", None, "q", 0), response("b", None, "r", 60))
    (head,) = list_bytes(json.dumps(value).encode()).conversations
    assert (head.id, head.title, (head.last - head.first).total_seconds()) == ("g", "T", 60)


@pytest.mark.parametrize(
    "value",
    [{"conversations": [{"from": "a", "value": "b"}]}, {"conversation": {}, "responses": [{"x": 1}]}, []],
)
def test_grok_leaves_others_alone(value):
    assert READER.recognises(Document(json.dumps(value))) == 0.0


def test_grok_reads_fifty_thousand_responses_in_linear_time():
    rows = [response("m0", None, "x"), *(response(f"m{i}", f"m{i - 1}", "x") for i in range(1, 50_000))]
    text = json.dumps(export(*rows))
    found = []
    assert cpu_seconds(lambda: found.append(read_text(text)), runs=1) < 12
    assert len(found[0].conversation) == 50_000


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_grok_survives_mutations(data):
    read_or_refuse(READER, data.draw(mutated("grok.json")))
