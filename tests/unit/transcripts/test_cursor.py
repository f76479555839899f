"""Transcripts of Cursor's agent."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.transcripts import read_text
from memguard.transcripts.document import Document
from memguard.transcripts.sessions.cursor import Cursor
from tests.support import cpu_seconds
from tests.unit.transcripts.mutations import mutated, read_or_refuse

READER = Cursor()


def line(role, content):
    return {"role": role, "message": {"content": content}}


def read(*lines):
    reading = read_text("\n".join(map(json.dumps, lines)))
    assert reading.format == "cursor"
    return reading


def typed(text):
    reading = read(line("user", [{"type": "text", "text": text}]))
    (message,) = reading.conversation
    return message.content, any("the program put in" in warning for warning in reading.conversation.warnings)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<user_query>\nWhy?\n</user_query>", ("Why?", False)),
        ("<rules>x</rules>\n<user_query>Why?</user_query>", ("Why?", True)),
        ("<user_query>a</user_query>\n<user_query>b</user_query>", ("a\nb", False)),
        ("Why <b>not</b>?", ("Why <b>not</b>?", False)),
        ("<user_query>never closed", ("<user_query>never closed", False)),
    ],
)
def test_cursor_keeps_what_the_person_typed(text, found):
    assert typed(text) == found


def test_cursor_a_result_is_the_tools():
    use = {"type": "tool_use", "id": "c", "name": "Read", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "c", "content": "nine"}
    reading = read(line("assistant", [{"type": "text", "text": "I look."}, use]), line("user", [result]))
    assert [(m.role, m.content, m.tool_name) for m in reading.conversation] == [
        ("assistant", "I look.", None),
        ("tool", "nine", "Read"),
    ]


def test_cursor_an_assistants_tags_stay_text():
    text = "<user_query>is what you typed</user_query> and more"
    assert [m.content for m in read(line("assistant", text)).conversation] == [text]


@pytest.mark.parametrize(
    "value",
    [
        {"role": "user", "content": "x"},
        {"type": "user", "role": "user", "message": {"content": "x"}},
        {"role": "user", "message": "x"},
        {"role": "narrator", "message": {"content": "x"}},
    ],
)
def test_cursor_leaves_others_alone(value):
    assert READER.recognises(Document(json.dumps(value))) == 0.0


def test_cursor_reads_many_queries_in_linear_time():
    text = "<user_query>a</user_query>" * 100_000
    value = json.dumps(line("user", text)) + "\n" + json.dumps(line("user", "<user_query>" * 100_000))
    assert cpu_seconds(lambda: read_text(value), runs=1) < 5


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_cursor_survives_mutations(data):
    read_or_refuse(READER, data.draw(mutated("cursor.jsonl")))
