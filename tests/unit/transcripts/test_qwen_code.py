"""Qwen Code sessions."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.transcripts import read_text
from memguard.transcripts.document import Document
from memguard.transcripts.sessions.qwen_code import QwenCode
from tests.support import cpu_seconds
from tests.unit.transcripts.mutations import mutated, read_or_refuse

READER = QwenCode()


def record(own, parent, text="", kind="user", **fields):
    role = "model" if kind == "assistant" else "user"
    parts = fields.pop("parts", [{"text": text or own}])
    return {
        "uuid": own,
        "parentUuid": parent,
        "sessionId": "s",
        "type": kind,
        "message": {"role": role, "parts": parts},
        **fields,
    }


def read(*records):
    return READER.read(Document("\n".join(map(json.dumps, records))))


def ids(reading):
    return [m.id for m in reading.conversation]


def test_qwen_code_reads_the_branch_of_the_last_message():
    reading = read(record("a", None), record("b", "a", kind="assistant"), record("c", "a"))
    assert ids(reading) == ["a", "c"]
    assert reading.abandoned_messages == 1
    assert reading.rule.startswith("the branch of the last message")


def test_qwen_code_a_result_is_the_tools():
    call = [{"functionCall": {"id": "c", "name": "look", "args": {}}}]
    response = [{"functionResponse": {"id": "c", "response": {"output": "nine"}}}]
    reading = read(
        record("a", None),
        record("b", "a", kind="assistant", parts=call),
        record("r", "b", kind="tool_result", parts=response),
    )
    result = reading.conversation.messages[-1]
    assert (result.role, result.content, result.tool_name, result.tool_call_id) == (
        "tool",
        "nine",
        "look",
        "c",
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"subtype": "cron"},
        {"subtype": "notification"},
        {"provenance": "system"},
        {"provenance": "goal_runtime"},
    ],
)
def test_qwen_code_what_the_program_put_in_is_not_the_persons(fields):
    reading = read(record("a", None), record("b", "a", **fields), record("c", "b"))
    assert ids(reading) == ["a", "c"]
    assert any("the program put in" in warning for warning in reading.conversation.warnings)


def test_qwen_code_what_was_typed_while_the_agent_worked_is_the_persons():
    assert ids(read(record("a", None), record("b", "a", subtype="mid_turn_user_message"))) == ["a", "b"]


def test_qwen_code_a_sub_agents_own_session_is_read():
    reading = read(record("a", None, isSidechain=True), record("b", "a", isSidechain=True))
    assert ids(reading) == ["a", "b"]
    assert reading.rule.startswith("a sub-agent's own session")


def test_qwen_code_of_parents_in_a_circle_and_ids_that_repeat_ends():
    reading = read(record("a", "b"), record("b", "a"), record("b", "a", "other"), record("c", "c"))
    assert set(ids(reading)) >= {"c"}


@pytest.mark.parametrize(
    "value",
    [
        {"type": "user", "message": {"content": "x"}, "sessionId": "s", "uuid": "u"},
        {"role": "user", "parts": [{"text": "x"}]},
        {"type": "user", "content": "x", "sessionId": "s"},
        {"type": "user", "message": {"parts": [{"text": "x"}]}},
    ],
)
def test_qwen_code_leaves_others_alone(value):
    assert READER.recognises(Document(json.dumps(value))) == 0.0


def test_qwen_code_reads_fifty_thousand_records_in_linear_time():
    rows = [record("m0", None), *(record(f"m{i}", f"m{i - 1}") for i in range(1, 50_000))]
    text = "\n".join(map(json.dumps, rows))
    found = []
    assert cpu_seconds(lambda: found.append(read_text(text)), runs=1) < 12
    assert len(found[0].conversation) == 50_000


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_qwen_code_survives_mutations(data):
    read_or_refuse(READER, data.draw(mutated("qwen_code.jsonl")))
