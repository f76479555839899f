"""Claude.ai's export: the branch of the newest message; calls and results apart from words."""

import json

import pytest
from hypothesis import given, settings

from memguard.transcripts import read_text
from memguard.transcripts.exports import ClaudeAiExport
from tests.unit.transcripts.mutations import mutated, read_or_refuse

ROOT = "00000000-0000-4000-8000-000000000000"


def row(uuid, parent, text, second, sender="human", **fields):
    return {
        "uuid": uuid,
        "parent_message_uuid": parent,
        "sender": sender,
        "text": text,
        "created_at": f"2026-02-01T09:00:{second:02}Z",
        **fields,
    }


def read(*rows, **fields):
    return read_text(json.dumps([{"name": "N", "chat_messages": list(rows), **fields}]))


def said(reading):
    return [(m.role, m.content) for m in reading.conversation]


def test_claude_ai_follows_the_leaf_that_the_export_names():
    rows = [
        row("a", ROOT, "q", 1),
        row("b", "a", "old", 2, "assistant"),
        row("c", "a", "new", 3, "assistant"),
    ]
    assert said(read(*rows)) == [("user", "q"), ("assistant", "new")]
    reading = read(*rows, current_leaf_message_uuid="b")
    assert said(reading) == [("user", "q"), ("assistant", "old")]
    assert reading.abandoned_messages == 1
    assert reading.rule == "followed parent_message_uuid back from current_leaf_message_uuid"


def test_claude_ai_without_parent_ids_reads_all_and_says_so():
    rows = [
        {k: v for k, v in row(u, None, u, 9 - i).items() if k != "parent_message_uuid"}
        for i, u in enumerate("abc")
    ]
    reading = read(*rows)
    assert [m.content for m in reading.conversation] == ["a", "b", "c"]
    assert reading.rule == "no parent ids: all messages, in the order of the file"
    assert reading.abandoned_messages == 0


def test_claude_ai_of_parents_in_a_circle_reads_all_with_a_warning():
    reading = read(row("a", "b", "one", 1), row("b", "a", "two", 2))
    assert len(reading.conversation) == 2
    assert "in a circle" in reading.conversation.warnings[0]


def test_claude_ai_cuts_a_message_at_the_results_of_its_tools():
    blocks = [
        {"type": "text", "text": "Two calls."},
        {"type": "tool_use", "id": "t1", "name": "search", "input": {"q": "a"}},
        {"type": "tool_use", "id": "t2", "name": "search", "input": {"q": "b"}},
        {"type": "tool_result", "tool_use_id": "t2", "content": "B"},
        {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "A"}]},
        {"type": "text", "text": "Done."},
    ]
    conversation = read(row("m", ROOT, "", 1, "assistant", content=blocks)).conversation
    assert [m.role for m in conversation] == ["assistant", "tool", "tool", "assistant"]
    assert [call.id for call in conversation.messages[0].tool_calls] == ["t1", "t2"]
    assert [(m.tool_call_id, m.tool_name) for m in conversation][1:3] == [("t2", "search"), ("t1", "search")]
    assert [m.id for m in conversation] == ["m", "m/2", "m/3", "m/4"]


def test_claude_ai_pairs_calls_without_ids_in_their_order():
    use = {"type": "tool_use", "id": None, "input": {}}
    result = {"type": "tool_result", "tool_use_id": None}
    blocks = [
        {**use, "name": "a"},
        {**use, "name": "b"},
        {**use, "name": "a"},
        {**result, "name": "b", "content": "1"},
        {**result, "content": "2"},
        {**result, "name": "a", "content": "3"},
    ]
    conversation = read(row("m", ROOT, "", 1, "assistant", content=blocks)).conversation
    ids = [call.id for call in conversation.messages[0].tool_calls]
    told = [(m.content, m.tool_call_id, m.tool_name) for m in conversation.messages[1:]]
    assert told == [("1", ids[1], "b"), ("2", ids[0], "a"), ("3", ids[2], "a")]


def test_claude_ai_tells_a_result_without_a_call():
    blocks = [{"type": "tool_result", "content": "A"}]
    reading = read(row("m", ROOT, "", 1, "assistant", content=blocks))
    assert "chat_messages[0]: a result of a tool names no call" in reading.conversation.warnings


@pytest.mark.parametrize("content", [[], None, "x", [{"type": "text", "text": ""}]])
def test_claude_ai_takes_the_text_where_blocks_hold_none(content):
    assert said(read(row("m", ROOT, "words", 1, content=content))) == [("user", "words")]


def test_claude_ai_keeps_a_sender_that_it_does_not_know():
    reading = read(row("m", ROOT, "words", 1, "moderator"))
    assert said(reading) == [("moderator", "words")]
    assert "the sender 'moderator'" in reading.conversation.warnings[0]


@settings(max_examples=60)
@given(mutated("claude_ai.json"))
def test_claude_ai_raises_nothing_but_transcript_errors(text):
    read_or_refuse(ClaudeAiExport(), text)


def test_claude_ai_a_result_names_its_source_and_its_words():
    found = {"type": "knowledge", "title": "Deposit cap", "url": "https://gov.example", "text": "Five weeks."}
    block = {"type": "tool_result", "name": "web_search", "content": [found]}
    chat = {"uuid": "c", "name": "T", "chat_messages": [{"sender": "assistant", "content": [block]}]}
    reading = read_text(json.dumps([chat]))
    assert reading.conversation.messages[0].content == "Deposit cap https://gov.example\nFive weeks."
