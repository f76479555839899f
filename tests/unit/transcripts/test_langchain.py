"""LangChain dumps."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.errors import TranscriptError
from memguard.transcripts import read_text
from memguard.transcripts.apis.langchain import LangChain
from memguard.transcripts.document import Document
from tests.unit.transcripts.mutations import mutated, read_or_refuse

READER = LangChain()
HUMAN = {"type": "human", "data": {"content": "Seeds?"}}


def _lc(name, /, **kwargs):
    return {"lc": 1, "type": "constructor", "id": ["langchain_core", "messages", name], "kwargs": kwargs}


def _read(value):
    return READER.read(Document(json.dumps(value)))


def _said(reading):
    return [(m.role, m.content) for m in reading.conversation]


@pytest.mark.parametrize(
    "value",
    [
        [HUMAN],
        [_lc("HumanMessage", content="Seeds?")],
        [{"type": "human", "content": "Seeds?", "additional_kwargs": {}}],
        {"messages": [HUMAN]},
        {"values": {"messages": [HUMAN]}},
        {"checkpoint": {"channel_values": {"messages": [HUMAN]}}},
        HUMAN,
    ],
)
def test_langchain_reads_each_way_of_dumping(value):
    reading = read_text(json.dumps(value))
    assert reading.format == "langchain"
    assert _said(reading) == [("user", "Seeds?")]


def test_langchain_reads_jsonl():
    text = "\n".join(json.dumps(HUMAN) for _ in range(2)) + '\n{"type": "hum'
    reading = read_text(text)
    assert (reading.format, len(reading.conversation), reading.skipped_lines) == ("langchain", 2, 1)


@pytest.mark.parametrize(
    "value",
    [
        [{"role": "user", "content": "a"}],
        [{"type": "message", "role": "user", "content": "a"}],
        [{"type": "human", "role": "user", "content": "a"}],
        [_lc("PromptTemplate", template="a")],
        [{"type": {}, "data": {}}],
        5,
    ],
)
def test_langchain_leaves_others_alone(value):
    assert READER.recognises(Document(json.dumps(value))) == 0.0


def test_langchain_a_call_that_stands_in_fields_and_content_is_read_once():
    block = {"type": "tool_use", "id": "c1", "name": "sow", "input": {"m": 3}}
    own = {"type": "tool_call", "id": "c2", "name": "water", "args": {}}
    fields = {"content": [block, own], "tool_calls": [{"name": "sow", "args": {"m": 3}, "id": "c1"}]}
    message = _read([{"type": "ai", "data": fields}]).conversation.messages[0]
    assert [(c.name, c.id) for c in message.tool_calls] == [("sow", "c1"), ("water", "c2")]
    assert message.content == 'sow({"m": 3})\nwater({})'


def test_langchain_reads_calls_of_older_versions():
    more = {"function_call": {"name": "sow", "arguments": "{}"}}
    reading = _read(
        [
            _lc("AIMessage", content="", additional_kwargs=more),
            _lc("FunctionMessage", content="done", name="sow"),
        ]
    )
    assert _said(reading) == [("assistant", "sow({})"), ("tool", "done")]
    assert reading.conversation.messages[1].tool_name == "sow"


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["langchain.json", "langchain_dumpd.json"]), st.data())
def test_langchain_survives_mutations(name, data):
    read_or_refuse(READER, data.draw(mutated(name)))


def _state(n_messages, step=None, **more):
    metadata = {} if step is None else {"metadata": {"step": step}}
    return {"values": {"messages": [HUMAN] * n_messages}, "next": [], **metadata, **more}


@pytest.mark.parametrize(
    ("states", "place"),
    [
        ([_state(3, 2), _state(2, 1), _state(1, -1)], "state 0"),
        ([_state(1, 0), _state(3, 7)], "state 1"),
        (
            [_state(1, created_at="2026-01-01T00:00:00Z"), _state(3, created_at="2026-01-02T00:00:00Z")],
            "state 1",
        ),
        ([_state(3), _state(1)], "state 0"),
    ],
)
def test_langgraph_history_is_read_at_its_newest_state(states, place):
    reading = read_text(json.dumps(states))
    assert reading.format == "langchain"
    assert len(reading.conversation) == 3
    assert reading.rule.startswith(f"the newest of {len(states)} states, which is {place}; ")
    assert reading.conversation.messages[0].origin == f"{place}, values.messages[0]"
    lines = read_text("\n".join(map(json.dumps, states)))
    assert len(lines.conversation) == 3
    assert lines.conversation.messages[0].origin.startswith("line ")


def test_langgraph_states_of_several_threads_are_refused():
    with pytest.raises(TranscriptError, match="states of 2 threads"):
        read_text(json.dumps([_state(1, thread_id="a"), _state(2, thread_id="b")]))
