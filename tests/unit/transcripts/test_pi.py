"""Sessions of Pi."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.transcripts import read_text
from memguard.transcripts.document import Document
from memguard.transcripts.sessions.pi import Pi
from tests.support import cpu_seconds
from tests.unit.transcripts.mutations import mutated, read_or_refuse

READER = Pi()
HEAD = {"type": "session", "version": 3, "id": "s", "timestamp": "2026-05-01T09:00:00Z", "cwd": "/w"}


def entry(own, parent, role="user", content=None, **message):
    said = {"role": role, "content": own if content is None else content, **message}
    return {"type": "message", "id": own, "parentId": parent, "message": said}


def read(*entries):
    return READER.read(Document("\n".join(map(json.dumps, (HEAD, *entries)))))


def ids(reading):
    return [m.id for m in reading.conversation]


def test_pi_reads_the_branch_of_the_last_message():
    reading = read(entry("a", None), entry("b", "a", "assistant"), entry("c", "a"))
    assert (ids(reading), reading.abandoned_messages) == (["a", "c"], 1)
    assert reading.rule.startswith("the branch of the last message")


def test_pi_reads_its_first_version_without_a_tree():
    rows = [{k: v for k, v in entry(own, None).items() if k not in {"id", "parentId"}} for own in "ab"]
    assert [m.content for m in read(*rows).conversation] == ["a", "b"]


def test_pi_a_result_is_the_tools_and_a_command_the_persons():
    call = [{"type": "toolCall", "id": "c", "name": "look", "arguments": {}}]
    reading = read(
        entry("a", None, "assistant", call),
        entry("b", "a", "toolResult", [{"type": "text", "text": "nine"}], toolCallId="c"),
        {
            "type": "message",
            "id": "d",
            "parentId": "b",
            "message": {"role": "bashExecution", "command": "ls", "output": "x"},
        },
    )
    assert [(m.role, m.content, m.tool_name) for m in reading.conversation] == [
        ("assistant", "look({})", None),
        ("tool", "nine", "look"),
        ("user", "! ls", None),
        ("tool", "x", "bash"),
    ]


@pytest.mark.parametrize("role", ["custom", "hookMessage", "branchSummary", "compactionSummary"])
def test_pi_what_the_program_put_in_is_not_read_and_told(role):
    reading = read(entry("a", None), entry("b", "a", role), entry("c", "b"))
    assert ids(reading) == ["a", "c"]
    assert any("was left out" in warning for warning in reading.conversation.warnings)


@pytest.mark.parametrize(
    "value",
    [
        {"type": "message", "role": "user", "content": [], "id": "m"},
        {"type": "message", "message": {"role": "user", "content": "x"}},
        {"type": "user", "message": {"role": "user", "content": "x"}, "parentId": None},
        {"type": "message", "parentId": None, "message": {"content": "x"}},
        HEAD,
    ],
)
def test_pi_leaves_others_alone(value):
    assert READER.recognises(Document(json.dumps(value))) == 0.0


def test_pi_reads_fifty_thousand_entries_in_linear_time():
    rows = [HEAD, entry("m0", None), *(entry(f"m{i}", f"m{i - 1}") for i in range(1, 50_000))]
    text = "\n".join(map(json.dumps, rows))
    found = []
    assert cpu_seconds(lambda: found.append(read_text(text)), runs=1) < 12
    assert (found[0].format, len(found[0].conversation)) == ("pi", 50_000)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_pi_survives_mutations(data):
    read_or_refuse(READER, data.draw(mutated("pi.jsonl")))
