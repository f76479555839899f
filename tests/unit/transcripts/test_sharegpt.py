"""ShareGPT."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.errors import TranscriptError
from memguard.transcripts import read_text
from memguard.transcripts.apis.sharegpt import ShareGPT
from memguard.transcripts.document import Document
from tests.unit.transcripts.mutations import mutated, read_or_refuse

READER = ShareGPT()


def _row(*turns, **more):
    return {"conversations": [{"from": who, "value": text} for who, text in turns], **more}


def _said(reading):
    return [(m.role, m.content) for m in reading.conversation]


def test_sharegpt_knows_speakers_by_many_words():
    """ING-018: any case, stray spaces, and the words that other tools write."""
    row = _row(("User", "a"), ("assistant ", "b"), (" HUMAN", "c"), ("GPT", "d"), ("tool", "e"), (None, "f"))
    roles = [m.role for m in read_text(json.dumps([row])).conversation]
    assert roles == ["user", "assistant", "user", "assistant", "tool", "user"]


def test_sharegpt_turns_need_not_alternate():
    """ING-019."""
    row = _row(("gpt", "Welcome."), ("human", "Hi."), ("human", "A room."), ("gpt", "When?"))
    assert [m.content for m in read_text(json.dumps(row)).conversation] == [
        "Welcome.",
        "Hi.",
        "A room.",
        "When?",
    ]


@pytest.mark.parametrize("join", [json.dumps, lambda rows: "\n".join(map(json.dumps, rows))])
def test_sharegpt_many_rows_are_many_conversations(join):
    rows = [_row(("human", "a"), id="first"), _row(("human", "b"), id="second"), {"conversations": [1]}]
    document = Document(join(rows), "s.json")
    assert READER.recognises(document) == 0.9
    assert [h.id for h in READER.conversations(document)] == ["first", "second"]
    with pytest.raises(TranscriptError, match="holds 2 conversations; choose one with --conversation: 1 "):
        READER.read(document)
    reading = READER.read(document, "second")
    assert _said(reading) == [("user", "b")]
    assert reading.n_conversations == 2
    assert "holds no conversation; it was left out" in reading.conversation.warnings[0]


def test_sharegpt_rows_with_one_id_are_told_apart_by_position():
    document = Document(json.dumps([_row(("human", "a"), id="x"), _row(("human", "b"), id="x")]))
    assert [h.id for h in READER.conversations(document)] == ["x", "2"]
    assert _said(READER.read(document, "2")) == [("user", "b")]


def test_sharegpt_a_bare_list_of_turns_is_one_conversation():
    text = json.dumps(_row(("human", "a"), ("gpt", "b"))["conversations"])
    assert READER.conversations(Document(text))[0].n_messages == 2
    assert _said(read_text(text)) == [("user", "a"), ("assistant", "b")]


def test_sharegpt_a_call_written_as_json_is_a_call():
    row = _row(("function_call", '{"name": "rate", "arguments": {"to": "MT"}}'), ("observation", "9 EUR"))
    call, result = read_text(json.dumps([row])).conversation.messages
    assert (call.tool_calls[0].name, call.content) == ("rate", 'rate({"to": "MT"})')
    assert (result.role, result.tool_name) == ("tool", "rate")
    row = _row(("function_call", "call it {"))
    assert _said(read_text(json.dumps([row]))) == [("assistant", "call it {")]


@pytest.mark.parametrize(
    "value",
    [
        {"messages": [{"type": "message", "from": "Ann", "text": "hi"}]},
        [{"role": "user", "content": "a"}],
        {"conversations": []},
        [{"conversations": [{"role": "user", "content": "a"}]}],
        [[]],
    ],
)
def test_sharegpt_leaves_others_alone(value):
    assert READER.recognises(Document(json.dumps(value))) == 0.0


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_sharegpt_survives_mutations(data):
    read_or_refuse(READER, data.draw(mutated("sharegpt.json")))
