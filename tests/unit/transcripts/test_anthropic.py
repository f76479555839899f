"""Anthropic messages."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.errors import TranscriptError
from memguard.transcripts import read_text
from memguard.transcripts.apis.anthropic import Anthropic
from memguard.transcripts.document import Document
from tests.unit.transcripts.mutations import mutated, read_or_refuse

READER = Anthropic()
CALL = {"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}}
RESULT = {"type": "tool_result", "tool_use_id": "t", "content": "42"}


def _read(value):
    return READER.read(Document(json.dumps(value)))


def _said(reading):
    return [(m.role, m.content) for m in reading.conversation]


@pytest.mark.parametrize("block", [CALL, RESULT, {"type": "thinking", "thinking": "x"}])
def test_anthropic_is_surer_than_the_reader_of_plain_messages(block):
    text = json.dumps([{"role": "user", "content": "a"}, {"role": "assistant", "content": [block]}])
    assert READER.recognises(Document(text)) == 0.9
    assert read_text(text).format == "anthropic"


@pytest.mark.parametrize(
    "value",
    [
        [{"role": "user", "content": "a"}, {"role": "assistant", "content": [{"type": "text", "text": "b"}]}],
        [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "u"}}]}],
        [{"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "f"}}]}],
        {"messages": [{"role": "user", "content": "a"}]},
        [],
        {},
        7,
    ],
)
def test_anthropic_leaves_plain_messages_alone(value):
    assert READER.recognises(Document(json.dumps(value))) == 0.0


def test_anthropic_a_result_is_never_the_users_words():
    """ING-006 of the interface: the result is cut out of the user's message, which keeps its own text."""
    reading = _read(
        [
            {"role": "assistant", "content": [{"type": "text", "text": "I ask."}, CALL]},
            {"role": "user", "content": [RESULT, {"type": "text", "text": "And now?"}], "id": "u"},
        ]
    )
    assert _said(reading) == [("assistant", 'I ask.\nf({"a": 1})'), ("tool", "42"), ("user", "And now?")]
    _, tool, user = reading.conversation.messages
    assert (tool.tool_call_id, tool.tool_name, tool.id, user.id) == ("t", "f", "u", "u.2")


def test_anthropic_thinking_is_left_out_with_its_place():
    reading = _read([{"role": "assistant", "content": [{"type": "thinking", "thinking": "secret plan"}]}])
    assert len(reading.conversation) == 0
    assert "message 0: thinking was left out" in reading.conversation.warnings[0]


def test_anthropic_text_around_a_citation_is_one_sentence():
    blocks = [
        {"type": "text", "text": "The pass opens "},
        {"type": "text", "text": "on 3 May", "citations": [{"type": "char_location"}]},
        {"type": "text", "text": "."},
    ]
    assert _said(_read([{"role": "assistant", "content": blocks}])) == [
        ("assistant", "The pass opens on 3 May.")
    ]


def test_anthropic_reads_a_request_with_its_response_in_order():
    reading = _read(
        {
            "request": {"system": "Be kind.", "messages": [{"role": "user", "content": "Hi"}]},
            "response": {
                "type": "message",
                "role": "assistant",
                "stop_reason": "end_turn",
                "content": [{"type": "text", "text": "Hello"}],
            },
        }
    )
    assert _said(reading) == [("system", "Be kind."), ("user", "Hi"), ("assistant", "Hello")]
    assert [m.origin for m in reading.conversation] == ["system", "messages[0]", "response"]


def test_anthropic_reads_jsonl_and_counts_a_line_that_is_cut():
    rows = [json.dumps({"role": "assistant", "content": [CALL]}), '{"role": "user", "cont']
    text = "\n".join(rows)
    assert READER.recognises(Document(text)) == 0.9
    reading = READER.read(Document(text))
    assert _said(reading) == [("assistant", 'f({"a": 1})')]
    assert reading.skipped_lines == 1
    assert "line 2 was skipped" in reading.conversation.warnings[0]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"type": "code_execution_result", "stdout": "a\n", "stderr": "b", "return_code": 1}, "a\n\nb"),
        (
            {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"},
            "error: max_uses_exceeded",
        ),
        ([{"type": "search_result", "title": "T", "content": [{"type": "text", "text": "found"}]}], "found"),
        (None, ""),
    ],
)
def test_anthropic_renders_what_tools_give_back(content, said):
    block = {"type": "x_tool_result", "tool_use_id": "t", "content": content}
    assert _said(_read([{"role": "user", "content": [block]}])) == [("tool", said)]


def test_anthropic_refuses_what_is_no_list():
    with pytest.raises(TranscriptError, match="no messages of Anthropic's interface"):
        READER.read(Document("7"))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_anthropic_survives_mutations(data):
    read_or_refuse(READER, data.draw(mutated("anthropic.json")))
