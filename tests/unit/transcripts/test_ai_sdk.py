"""Messages of the AI SDK: a tool's part is a call and a result, and the words around stay in order."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.transcripts import read_text
from memguard.transcripts.apis.ai_sdk import AiSdk
from memguard.transcripts.document import Document
from tests.support import cpu_seconds
from tests.unit.transcripts.mutations import mutated, read_or_refuse

READER = AiSdk()
START = {"type": "step-start"}


def said(*parts, role="assistant"):
    reading = read_text(json.dumps([{"id": "a", "role": role, "parts": [START, *parts]}]))
    assert reading.format == "ai_sdk"
    return [(m.role, m.content, m.tool_name) for m in reading.conversation]


def text(words):
    return {"type": "text", "text": words}


@pytest.mark.parametrize(
    "part",
    [
        {
            "type": "tool-look",
            "toolCallId": "c",
            "state": "output-available",
            "input": {"a": 1},
            "output": "nine",
        },
        {"type": "dynamic-tool", "toolName": "look", "toolCallId": "c", "input": {"a": 1}, "output": "nine"},
        {
            "type": "tool-invocation",
            "toolInvocation": {"toolName": "look", "toolCallId": "c", "args": {"a": 1}, "result": "nine"},
        },
    ],
)
def test_ai_sdk_a_result_is_the_tools_in_every_version(part):
    assert said(text("I look."), part, text("Nine.")) == [
        ("assistant", 'I look.\nlook({"a": 1})', None),
        ("tool", "nine", "look"),
        ("assistant", "Nine.", None),
    ]


def test_ai_sdk_a_call_that_failed_or_waits_is_told():
    failed = {"type": "tool-look", "toolCallId": "c", "state": "output-error", "input": {}, "errorText": "no"}
    assert said(failed)[1] == ("tool", "error: no", "look")
    waiting = {"type": "tool-look", "toolCallId": "c", "state": "input-available", "input": {}}
    reading = read_text(json.dumps([{"role": "assistant", "parts": [waiting]}]))
    assert [m.content for m in reading.conversation] == ["look({})"]
    assert any("a tool call has no result" in warning for warning in reading.conversation.warnings)


def test_ai_sdk_thinking_and_sources_are_not_what_was_said():
    parts = (
        {"type": "reasoning", "text": "hm"},
        text("Yes."),
        {"type": "source-url", "url": "u"},
        {"type": "data-x"},
    )
    reading = read_text(json.dumps([{"role": "assistant", "parts": [START, *parts]}]))
    assert [m.content for m in reading.conversation] == ["Yes."]
    told = " ".join(reading.conversation.warnings)
    assert "thinking was left out" in told
    assert "passed over: data-x 1, source-url 1" in told


@pytest.mark.parametrize("frame", [list, lambda m: {"messages": list(m)}, None])
def test_ai_sdk_is_read_in_a_list_in_an_object_and_as_lines(frame):
    rows = ({"role": "user", "parts": [text("q")]}, {"role": "assistant", "parts": [START, text("a")]})
    written = "\n".join(map(json.dumps, rows)) if frame is None else json.dumps(frame(rows))
    reading = read_text(written)
    assert (reading.format, [m.content for m in reading.conversation]) == ("ai_sdk", ["q", "a"])


def test_ai_sdk_reads_parts_inside_a_content_and_plain_content_beside_them():
    rows = [
        {"role": "user", "content": {"format": 2, "parts": [text("q")]}},
        {"role": "assistant", "content": {"format": 2, "parts": [START, text("a")]}},
        {"role": "user", "content": "plain"},
    ]
    assert [m.content for m in read_text(json.dumps(rows)).conversation] == ["q", "a", "plain"]


@pytest.mark.parametrize(
    "value",
    [
        [{"role": "user", "parts": [text("q")]}],
        [{"role": "user", "parts": [{"text": "q"}]}],
        [{"role": "user", "content": "q"}],
        [{"role": "user", "parts": [{"type": "tool-use"}]}],
        {},
    ],
)
def test_ai_sdk_leaves_others_alone(value):
    assert READER.recognises(Document(json.dumps(value))) == 0.0


def test_ai_sdk_reads_a_message_of_fifty_thousand_parts_in_linear_time():
    part = {"type": "tool-look", "toolCallId": "c", "state": "output-available", "input": 1, "output": 2}
    value = json.dumps([{"id": "a", "role": "assistant", "parts": [START, *[part] * 50_000]}])
    found = []
    assert cpu_seconds(lambda: found.append(read_text(value)), runs=1) < 15
    assert len(found[0].conversation) == 100_000


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_ai_sdk_survives_mutations(data):
    read_or_refuse(READER, data.draw(mutated("ai_sdk.json")))
