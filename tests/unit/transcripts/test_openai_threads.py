"""Threads of the Assistants interface: which end of a list is the beginning, and whose calls are whose."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.errors import TranscriptError
from memguard.transcripts import read_text
from memguard.transcripts.apis.openai_threads import OpenAIThreads
from memguard.transcripts.document import Document
from tests.support import cpu_seconds
from tests.unit.transcripts.mutations import mutated, read_or_refuse

READER = OpenAIThreads()


def message(own, time, text=None, role="user", thread="t", **fields):
    content = [{"type": "text", "text": {"value": text or own, "annotations": []}}]
    return {
        "id": own,
        "object": "thread.message",
        "created_at": time,
        "thread_id": thread,
        "role": role,
        "content": content,
        **fields,
    }


def ids(reading):
    return [m.id for m in reading.conversation]


def read(*messages, **frame):
    return read_text(json.dumps({"object": "list", "data": list(messages), **frame}))


@pytest.mark.parametrize(
    ("times", "order", "rule"),
    [
        ((3, 2, 1), "cba", "the list is newest first: read from its end"),
        ((3, 2, 2), "cba", "the list is newest first: read from its end"),
        ((1, 2, 2), "abc", "the list is oldest first: in the order of the file"),
        ((5, 1, 3), "bca", "by created_at, since the list is in no order of time"),
        ((1, 1, 1), "cba", "no times tell the order: read from the end"),
        ((None, None, None), "cba", "no times tell the order: read from the end"),
        ((1, None, 3), "abc", "the list is oldest first: in the order of the file"),
        ((2, None, 1), "cba", "the list is newest first: read from its end"),
    ],
)
def test_threads_are_read_from_the_oldest_message_by_a_rule_that_is_told(times, order, rule):
    """Issue 7: a reader never guesses between two orders: it says which rule it used."""
    reading = read(*(message(own, time) for own, time in zip("abc", times, strict=True)))
    assert "".join(ids(reading)) == order
    assert reading.rule.startswith(rule)
    is_open = rule.startswith(("by created_at", "no times"))
    assert is_open == any(warning.startswith(rule) for warning in reading.conversation.warnings)


def test_threads_reads_pages_as_jsonl():
    pages = [
        {"object": "list", "data": [message("d", 4), message("c", 3)]},
        {"object": "list", "data": [message("b", 2), message("a", 1)]},
    ]
    reading = read_text("\n".join(map(json.dumps, pages)))
    assert (reading.format, ids(reading)) == ("openai_threads", ["a", "b", "c", "d"])


def test_threads_each_is_a_conversation():
    rows = [message("b", 2, thread="t1"), message("x", 9, thread="t2"), message("a", 1, thread="t1")]
    text = json.dumps(rows)
    assert [h.id for h in READER.conversations(Document(text))] == ["t1", "t2"]
    assert ids(READER.read(Document(text), "t1")) == ["a", "b"]
    with pytest.raises(TranscriptError, match="holds 2 conversations"):
        read_text(text)


def step(own, run, calls, time=5):
    return {
        "id": own,
        "object": "thread.run.step",
        "created_at": time,
        "run_id": run,
        "thread_id": "t",
        "step_details": {"type": "tool_calls", "tool_calls": calls},
    }


CALL = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}", "output": "nine"}}


def test_threads_a_runs_calls_stand_before_its_answer():
    value = {
        "messages": {
            "object": "list",
            "data": [message("b", 6, role="assistant", run_id="r"), message("a", 4)],
        },
        "steps": {"object": "list", "data": [step("s", "r", [CALL])]},
    }
    reading = read_text(json.dumps(value))
    found = [(m.role, m.content, m.tool_name) for m in reading.conversation]
    assert found == [
        ("user", "a", None),
        ("assistant", "look({})", None),
        ("tool", "nine", "look"),
        ("assistant", "b", None),
    ]
    lonely = read_text(
        json.dumps({**value, "steps": {"object": "list", "data": [step("s", "other", [CALL])]}})
    )
    assert [m.role for m in lonely.conversation] == ["user", "assistant", "assistant", "tool"]
    assert any("no message of its run" in warning for warning in lonely.conversation.warnings)


@pytest.mark.parametrize(
    "value",
    [
        {"object": "list", "data": [{"object": "model"}]},
        [{"role": "user", "content": "x"}],
        {"object": "list", "data": [{"type": "message", "role": "user", "content": []}]},
        {"messages": {"data": 1}},
        [],
    ],
)
def test_threads_leaves_others_alone(value):
    assert READER.recognises(Document(json.dumps(value))) == 0.0


def test_threads_reads_fifty_thousand_messages_in_linear_time():
    text = json.dumps([message(f"m{i}", 60_000 - i) for i in range(50_000)])
    found = []
    assert cpu_seconds(lambda: found.append(read_text(text)), runs=1) < 12
    assert ids(found[0])[0] == "m49999"


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_threads_survives_mutations(data):
    read_or_refuse(READER, data.draw(mutated("openai_threads.json")))
