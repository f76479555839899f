"""OpenAI Responses items."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.transcripts import read_text
from memguard.transcripts.apis.openai_responses import OpenAIResponses
from memguard.transcripts.document import Document
from tests.unit.transcripts.mutations import mutated, read_or_refuse

READER = OpenAIResponses()
ASK = {"role": "user", "content": "Weather?"}
CALL = {"type": "function_call", "id": "fc", "call_id": "c1", "name": "weather", "arguments": '{"in": "Ulm"}'}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "rain"}
ANSWER = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Rain."}]}


def _read(value):
    return READER.read(Document(json.dumps(value)))


def _said(reading):
    return [(m.role, m.content) for m in reading.conversation]


def _response(output, **more):
    return {"object": "response", "id": "resp_1", "output": output, **more}


@pytest.mark.parametrize(
    "value",
    [[ASK, CALL, OUTPUT], [ASK, ANSWER], {"input": [ASK, CALL]}, {"object": "list", "data": [ANSWER]}],
)
def test_responses_recognises_items(value):
    assert READER.recognises(Document(json.dumps(value))) == 0.9
    assert read_text(json.dumps(value)).format == "openai_responses"


@pytest.mark.parametrize(
    "value",
    [
        [ASK],
        [{"role": "user", "content": [{"type": "text", "text": "a"}]}],
        [{"role": "assistant", "content": None, "tool_calls": []}],
        {"output": "x"},
        [1],
        None,
    ],
)
def test_responses_leaves_chat_messages_alone(value):
    assert READER.recognises(Document(json.dumps(value))) == 0.0


def test_responses_a_call_and_its_result_stay_together():
    reading = _read([ASK, CALL, OUTPUT, ANSWER])
    assert _said(reading) == [
        ("user", "Weather?"),
        ("assistant", 'weather({"in": "Ulm"})'),
        ("tool", "rain"),
        ("assistant", "Rain."),
    ]
    call, result = reading.conversation.messages[1:3]
    assert call.tool_calls[0].id == result.tool_call_id == "c1"
    assert result.tool_name == "weather"


def test_responses_the_time_of_a_response_is_that_of_its_output_alone():
    reading = _read({**_response([ANSWER], created_at=1795960800), "input": "Weather?"})
    times = [m.timestamp for m in reading.conversation]
    assert times[0] is None
    assert times[1].isoformat() == "2026-11-29T14:00:00+00:00"
    assert "1 of 2 messages have a timestamp" in reading.conversation.warnings[0]


def test_responses_history_that_a_client_sends_again_is_read_once():
    more = {"role": "user", "content": "And tomorrow?"}
    log = [
        {"request": {"input": [ASK], "instructions": "Be brief."}, "response": _response([ANSWER])},
        {
            "request": {"input": [ASK, ANSWER, more], "instructions": "Be brief."},
            "response": _response([CALL]),
        },
    ]
    reading = READER.read(Document("\n".join(map(json.dumps, log))))
    assert [m.role for m in reading.conversation] == ["system", "user", "assistant", "user", "assistant"]
    assert reading.duplicates_dropped == 2
    assert reading.conversation.messages[3].origin == "line 2, item 2"


def test_responses_items_that_hold_their_own_result_give_two_messages():
    item = {
        "type": "code_interpreter_call",
        "id": "ci",
        "code": "1+1",
        "outputs": [{"type": "logs", "logs": "2"}, {"type": "image", "url": "u"}],
    }
    reading = _read([item])
    assert _said(reading) == [("assistant", "code_interpreter(1+1)"), ("tool", "2\n[image]")]
    picture = {"type": "image_generation_call", "id": "ig", "revised_prompt": "a cat", "result": "A" * 5000}
    assert _said(_read([picture])) == [("assistant", "image_generation(a cat)"), ("tool", "[image]")]


def test_responses_what_is_not_said_or_not_known_is_told():
    reading = _read(
        [{"type": "reasoning", "summary": []}, {"type": "warp"}, 5, {**ANSWER, "status": "completed"}]
    )
    assert len(reading.conversation) == 1
    told = "\n".join(reading.conversation.warnings)
    assert "item 0: reasoning was left out" in told
    assert "item 1: an item of type 'warp'" in told
    assert "item 2: this is no item" in told


def test_responses_a_response_that_failed_is_told():
    reading = _read(_response([ANSWER], status="incomplete"))
    assert "the response is incomplete" in reading.conversation.warnings[0]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_responses_survives_mutations(data):
    read_or_refuse(READER, data.draw(mutated("openai_responses.json")))
