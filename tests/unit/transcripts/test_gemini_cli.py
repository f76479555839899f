"""Gemini CLI sessions."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.transcripts import read_text
from memguard.transcripts.document import Document
from memguard.transcripts.sessions.gemini_cli import GeminiCli
from tests.unit.transcripts.mutations import mutated, read_or_refuse

READER = GeminiCli()
HEAD = {"sessionId": "s", "projectHash": "p", "startTime": "2026-05-01T09:00:00Z"}


def _message(own_id, kind, content, second=0, **more):
    return {
        "id": own_id,
        "type": kind,
        "content": content,
        "timestamp": f"2026-05-01T09:00:{second:02d}Z",
        **more,
    }


def _read(records):
    return READER.read(Document("\n".join(map(json.dumps, records))))


def _said(reading):
    return [(m.role, m.content) for m in reading.conversation]


def test_gemini_cli_reads_one_object():
    value = {
        **HEAD,
        "messages": [_message("1", "user", "Wheel?"), _message("2", "gemini", "Two.", 1)],
        "summary": "W",
    }
    reading = read_text(json.dumps(value))
    assert (reading.format, reading.conversation.title) == ("gemini_cli", "W")
    assert _said(reading) == [("user", "Wheel?"), ("assistant", "Two.")]
    assert reading.conversation.messages[0].origin == "messages[0]"


def test_gemini_cli_the_latest_copy_of_a_message_counts():
    reading = _read(
        [HEAD, _message("1", "gemini", "Tw"), _message("2", "user", "?", 1), _message("1", "gemini", "Two.")]
    )
    assert _said(reading) == [("assistant", "Two."), ("user", "?")]
    assert reading.duplicates_dropped == 1
    assert reading.format == "gemini_cli"


def test_gemini_cli_what_was_rewound_is_left_out():
    records = [
        HEAD,
        _message("1", "user", "a"),
        _message("2", "gemini", "b", 1),
        _message("3", "user", "c", 2),
    ]
    reading = _read([*records, {"$rewindTo": "2"}, _message("4", "user", "d", 3)])
    assert [m.content for m in reading.conversation] == ["a", "d"]
    assert (reading.abandoned_messages, reading.rule) == (2, "what was rewound is left out; by timestamp")
    kept = _read([*records, {"$rewindTo": "gone"}])
    assert len(kept.conversation) == 3
    assert any("does not hold" in w for w in kept.conversation.warnings)


def test_gemini_cli_set_replaces_all_messages():
    reading = _read([HEAD, _message("1", "user", "a"), {"$set": {"messages": [_message("2", "user", "b")]}}])
    assert [(m.content, m.origin) for m in reading.conversation] == [("b", "line 3, messages[0]")]
    assert reading.abandoned_messages == 1


def test_gemini_cli_a_calls_result_is_the_tools():
    answer = {"functionResponse": {"id": "w", "name": "measure", "response": {"output": "3 rpm"}}}
    calls = [
        {"id": "w", "name": "measure", "args": {"wheel": 2}, "result": [answer], "resultDisplay": "shown"},
        {"id": "x", "name": "look", "args": {}, "result": None, "resultDisplay": "dark"},
    ]
    reading = _read([HEAD, _message("1", "gemini", "", toolCalls=calls)])
    assert _said(reading) == [
        ("assistant", 'measure({"wheel": 2})\nlook({})'),
        ("tool", "3 rpm"),
        ("tool", "dark"),
    ]
    assert [(m.tool_name, m.tool_call_id) for m in reading.conversation.messages[1:]] == [
        ("measure", "w"),
        ("look", "x"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"messages": [{"type": "user", "content": "a"}]}),
        json.dumps({"sessionId": "s", "messages": [{"role": "user", "content": "a"}]}),
        json.dumps({"sessionId": "s"}),
        "[]",
        "{",
    ],
)
def test_gemini_cli_leaves_others_alone(text):
    assert READER.recognises(Document(text)) == 0.0


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_gemini_cli_survives_mutations(data):
    read_or_refuse(READER, data.draw(mutated("gemini_cli.jsonl")))
