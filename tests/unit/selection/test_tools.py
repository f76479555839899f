"""Tool calls: short lines, and a call that is never parted from its result."""

from __future__ import annotations

import pytest

from memguard.message_form import ToolCall
from memguard.messages import Conversation
from memguard.selection import tail_of
from memguard.selection.tools import calls_answered, short_line, together


def call(name, arguments, id):
    return {"id": id, "function": {"name": name, "arguments": arguments}}


TALK = [
    {"id": "m0", "role": "user", "content": "Book a table."},
    {
        "id": "m1",
        "role": "assistant",
        "content": "",
        "tool_calls": [call("find", "{}", "a"), call("ask", "{}", "b")],
    },
    {"id": "m2", "role": "tool", "tool_call_id": "b", "content": "Yes."},
    {"id": "m3", "role": "user", "content": "By the window, please."},
    {"id": "m4", "role": "tool", "tool_call_id": "a", "content": "Bella Vista"},
    {"id": "m5", "role": "assistant", "content": "Booked."},
    {"id": "m6", "role": "assistant", "content": "", "tool_calls": [{"name": "log", "arguments": ""}]},
    {"id": "m7", "role": "tool", "content": "written"},
    {"id": "m8", "role": "user", "content": "Thanks, that was quick."},
    {"id": "m9", "role": "tool", "content": "nobody called"},
]


def messages():
    return Conversation.from_messages(TALK).messages


def test_a_result_belongs_to_its_call_by_id_or_by_place():
    assert calls_answered(messages()) == {2: 1, 4: 1, 7: 6}
    assert together(messages()) == [(1, 2, 4), (6, 7)]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ('{"place": "Bella Vista", "guests": 4, "at": "19:30"}', "book: Bella Vista, guests 4, 19:30"),
        ('{"path": "kestrel/lease.py"}', "book: kestrel/lease.py"),
        ('{"on": true, "tags": ["a", "b"], "by": {"name": "Noor"}}', "book: on true, a, b, Noor"),
        ("ls -la | head", "book: ls -la | head"),
        ("", "book"),
        ("{}", "book"),
    ],
)
def test_a_call_is_one_line_of_name_and_values(arguments, line):
    """Issue 5, 4."""
    assert short_line(ToolCall("book", arguments)) == line


def test_a_long_value_is_cut_and_marked():
    line = short_line(ToolCall("write", '{"text": "' + "word " * 100 + '", "n": 1}'))

    assert line.endswith("…, n 1")
    assert len(line) < 100
    assert len(short_line(ToolCall("write", str([1000] * 200)))) <= 240


@pytest.mark.parametrize("arguments", ["[" * 3000, '{"a": [[[["deep"]]]]}', "[null, [], {}]", '"\ud83d"'])
def test_arguments_of_any_form_are_one_line(arguments):
    assert "\n" not in short_line(ToolCall("f", arguments))


@pytest.mark.parametrize(
    ("keep_last", "first"),
    [(1, "m9"), (2, "m8"), (3, "m6"), (4, "m6"), (5, "m5"), (6, "m1"), (9, "m1"), (10, "m0"), (99, "m0")],
)
def test_the_tail_holds_as_many_as_asked_and_parts_no_call_from_its_result(keep_last, first):
    """Issue 5, 4 and 6."""
    tail = tail_of(messages(), keep_last)

    assert tail[0].id == first
    assert tail == messages()[-len(tail) :]
    assert len(tail) >= min(keep_last, 10)


def test_no_tail_is_kept_unless_asked_for():
    assert tail_of(messages(), 0) == tail_of((), 3) == ()
