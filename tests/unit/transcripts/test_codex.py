"""Codex rollouts."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.transcripts import read_text
from memguard.transcripts.document import Document
from memguard.transcripts.sessions.codex import Codex
from tests.unit.transcripts.mutations import mutated, read_or_refuse

READER = Codex()


def _message(role, text):
    part = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": part, "text": text}]}


def _item(payload, second=0):
    return {"timestamp": f"2026-05-01T09:00:{second:02d}Z", "type": "response_item", "payload": payload}


def _event(kind, **more):
    return {"timestamp": "2026-05-01T09:00:00Z", "type": "event_msg", "payload": {"type": kind, **more}}


def _read(records):
    return READER.read(Document("\n".join(map(json.dumps, records))))


def _said(reading):
    return [(m.role, m.content) for m in reading.conversation]


ASK, ANSWER = _message("user", "Count"), _message("assistant", "Three.")
HEAD = {"id": "019a", "timestamp": "2026-05-01T09:00:00Z", "instructions": None}


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(map(json.dumps, [_item(ASK), _item(ANSWER, 1)])),
        "\n".join(map(json.dumps, [HEAD, {"record_type": "state"}, ASK, ANSWER])),
        json.dumps({"session": {"id": "s"}, "items": [ASK, ANSWER]}),
    ],
)
def test_codex_reads_each_form(text):
    reading = read_text(text)
    assert reading.format == "codex"
    assert _said(reading) == [("user", "Count"), ("assistant", "Three.")]


@pytest.mark.parametrize(
    "text",
    [
        '{"type": "message", "payload": {}}',
        json.dumps([ASK, ANSWER]),
        '{"session": {}, "items": [1]}',
        "[]",
        "x",
    ],
)
def test_codex_leaves_others_alone(text):
    assert READER.recognises(Document(text)) == 0.0


def test_codex_what_the_program_put_in_is_left_out():
    reading = _read(
        [
            _item(_message("developer", "Obey.")),
            _item(_message("user", "<environment_context>x</environment_context>")),
            _item(_message("user", "# AGENTS.md instructions for here\nbe quick")),
            _item(_message("user", "<p>mine</p>")),
        ]
    )
    assert _said(reading) == [("user", "<p>mine</p>")]
    assert sum("was left out" in w or "were left out" in w for w in reading.conversation.warnings) == 3


def test_codex_turns_that_were_rolled_back_are_left_out():
    records = [
        _item(ASK),
        _item(ANSWER, 1),
        _item(_message("user", "Delete"), 2),
        _item(_message("assistant", "Ok"), 3),
    ]
    reading = _read([*records, _event("thread_rolled_back", num_turns=1), _item(_message("user", "Stop"), 5)])
    assert [m.content for m in reading.conversation] == ["Count", "Three.", "Stop"]
    assert (reading.abandoned_messages, reading.rule) == (2, "what was rolled back is left out; by timestamp")
    untold = _read([*records, _event("thread_rolled_back", num_turns="one")])
    assert len(untold.conversation) == 4
    assert any("does not say how many" in w for w in untold.conversation.warnings)
    assert len(_read([*records, _event("thread_rolled_back", num_turns=99)]).conversation) == 0


def test_codex_events_are_read_where_items_hold_no_messages():
    events = [_event("user_message", message="Count"), _event("agent_message", message="Three.")]
    reading = _read(events)
    assert _said(reading) == [("user", "Count"), ("assistant", "Three.")]
    assert reading.rule.startswith("the events")
    assert _said(_read([*events, _item(ASK)])) == [("user", "Count")]


def test_codex_a_tools_output_is_what_it_printed():
    call = {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c"}
    output = {
        "type": "function_call_output",
        "call_id": "c",
        "output": json.dumps({"output": "3 files", "metadata": {}}),
    }
    reading = _read([_item(_message("assistant", "I look.")), _item(call, 1), _item(output, 2)])
    assert _said(reading) == [("assistant", "I look."), ("assistant", "shell({})"), ("tool", "3 files")]
    assert reading.conversation.messages[2].tool_name == "shell"
    assert _said(_read([_item({**output, "output": '{"output" broken'})])) == [("tool", '{"output" broken')]


def test_codex_an_item_that_stands_twice_is_read_once():
    reading = _read([_item(ASK), _item(ASK), _item(ASK, 1)])
    assert (len(reading.conversation), reading.duplicates_dropped) == (2, 1)


def test_codex_takes_the_threads_name():
    assert (
        _read([_event("thread_name_updated", thread_name="Sacks"), _item(ASK)]).conversation.title == "Sacks"
    )


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_codex_survives_mutations(data):
    read_or_refuse(READER, data.draw(mutated("codex.jsonl")))


def test_codex_items_of_one_time_are_read_in_time():
    began = time.process_time()
    items = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": f"text {i}"}]}
        for i in range(10_000)
    ]
    lines = [{"timestamp": "t", "type": "session_meta", "payload": {"id": "s"}}]
    lines += [{"timestamp": "t", "type": "response_item", "payload": item} for item in items]
    reading = READER.read(Document("\n".join(map(json.dumps, lines))))
    assert len(reading.conversation) == 10_000
    assert time.process_time() - began < 10
