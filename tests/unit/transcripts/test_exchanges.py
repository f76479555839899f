"""Logs of requests and responses of chat interfaces."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.transcripts import list_bytes, read_text
from memguard.transcripts.apis.exchanges import Exchanges
from memguard.transcripts.document import Document
from tests.unit.transcripts.mutations import mutated, read_or_refuse

READER = Exchanges()
ASKED = {"role": "user", "content": "Is crane 2 free?"}
ANSWER = {"role": "assistant", "content": "Yes."}
CHOICES = {"object": "chat.completion", "choices": [{"index": 0, "message": ANSWER}]}
MESSAGE = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "Yes."}]}
BOTH = [("user", "Is crane 2 free?"), ("assistant", "Yes.")]


def _said(reading):
    return [(m.role, m.content) for m in reading.conversation]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (CHOICES, BOTH[1:]),
        ({"request": {"model": "m", "messages": [ASKED]}, "response": CHOICES}, BOTH),
        ({"messages": [ASKED], **CHOICES}, BOTH),
        ({"messages": [ASKED], "response": CHOICES}, BOTH),
        ({"custom_id": "a", "body": {"messages": [ASKED]}}, BOTH[:1]),
        ({"custom_id": "a", "params": {"messages": [ASKED]}, "result": {"message": MESSAGE}}, BOTH),
        ({"custom_id": "a", "response": {"status_code": 200, "body": CHOICES}}, BOTH[1:]),
    ],
)
def test_exchanges_reads_what_was_asked_and_answered(value, expected):
    reading = read_text(json.dumps(value))
    assert reading.format == "chat_log"
    assert _said(reading) == expected
    assert all(message.origin for message in reading.conversation)


def test_exchanges_lines_are_conversations_with_their_system_prompt():
    """A request a line: its system prompt belongs to it, as text or in blocks."""
    rows = [
        {"model": "m", "system": [{"type": "text", "text": "Be brief."}], "messages": [ASKED]},
        {"model": "m", "system": "Be kind.", "messages": [ASKED, ANSWER]},
    ]
    text = "\n".join(map(json.dumps, rows))
    assert [head.n_messages for head in list_bytes(text.encode()).conversations] == [2, 3]
    assert _said(read_text(text, conversation="1")) == [("system", "Be brief."), BOTH[0]]
    assert _said(read_text(text, conversation="2")) == [("system", "Be kind."), *BOTH]


def test_exchanges_a_result_in_a_request_is_the_tools():
    call = {"type": "tool_use", "id": "t", "name": "tide", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t", "content": "14:20"}
    messages = [ASKED, {"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    row = json.dumps({"custom_id": "a", "params": {"messages": messages}})
    reading = read_text(f"{row}\n{row}\n", conversation="1")
    last = reading.conversation.messages[-1]
    assert (last.role, last.content, last.tool_name, last.tool_call_id) == ("tool", "14:20", "tide", "t")


@pytest.mark.parametrize(
    "value",
    [
        {"model": "m", "messages": [ASKED]},
        [ASKED],
        {"choices": []},
        {"choices": [{"text": "old"}]},
        [{"messages": [ASKED, ANSWER]}],
        {"response": "text", "body": 7},
        [{"type": "message", "role": "user", "content": [{"type": "text", "text": "hi"}]}],
    ],
)
def test_exchanges_leaves_others_alone(value):
    assert READER.recognises(Document(json.dumps(value))) == 0.0


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_exchanges_raises_nothing_but_transcript_errors(data):
    read_or_refuse(READER, data.draw(mutated("chat_log.jsonl")))
