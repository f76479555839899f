"""ChatGPT's export: one branch of a tree, and what is chat on it."""

import json

import pytest
from hypothesis import given, settings

from memguard.errors import TranscriptError
from memguard.transcripts import read_text
from memguard.transcripts.document import Document
from memguard.transcripts.exports import ChatGptExport
from tests.unit.transcripts.mutations import mutated, read_or_refuse


def node(parent, text="", role="user", time=None, children=(), **fields):
    message = {
        "author": {"role": role},
        "create_time": time,
        "content": {"content_type": "text", "parts": [text]},
        **fields,
    }
    return {"parent": parent, "children": list(children), "message": message if text else None}


def conversation(mapping, **fields):
    return {"title": "T", "mapping": mapping, **fields}


def read(*conversations, **which):
    return read_text(json.dumps(list(conversations)), **which)


def said(reading):
    return [m.content for m in reading.conversation]


def test_chatgpt_keeps_the_order_of_the_branch_also_where_times_go_back():
    mapping = {
        "a": node(None, "first", time=20),
        "b": node("a", "second", "assistant", time=10),
        "c": node("b", "third", time=30),
    }
    reading = read(conversation(mapping, current_node="c"))
    assert said(reading) == ["first", "second", "third"]
    assert reading.conversation.order == "given"
    assert reading.rule == "followed current_node back to the root"


def test_chatgpt_takes_parents_from_children_where_nodes_do_not_name_them():
    mapping = {
        "a": node(None, "first", children=["b"]),
        "b": {k: v for k, v in node(None, "second", "assistant").items() if k != "parent"},
    }
    assert said(read(conversation(mapping, current_node="b"))) == ["first", "second"]


@pytest.mark.parametrize("current", [None, "gone", 5, ["b"]])
def test_chatgpt_without_a_current_node_takes_the_newest_leaf_and_says_so(current):
    """ING-003, the kind of it: not the last of the file, but the newest."""
    mapping = {
        "a": node(None, "question", time=1),
        "new": node("a", "new answer", "assistant", time=9),
        "old": node("a", "old answer", "assistant", time=5),
    }
    reading = read(conversation(mapping, current_node=current))
    assert said(reading) == ["question", "new answer"]
    assert reading.abandoned_messages == 1
    assert reading.conversation.warnings[0] == "current_node missing: used the newest leaf"


def test_chatgpt_says_where_a_branch_breaks_off():
    mapping = {"b": node("gone", "second"), "c": node("b", "third", "assistant")}
    reading = read(conversation(mapping, current_node="c"))
    assert said(reading) == ["second", "third"]
    assert "mapping node b: the node before it is not in the file" in reading.conversation.warnings[0]


def test_chatgpt_reads_parents_that_go_round():
    mapping = {"a": node("b", "one"), "b": node("a", "two", "assistant")}
    reading = read(conversation(mapping, current_node="b"))
    assert said(reading) == ["one", "two"]
    assert "in a circle" in reading.conversation.warnings[0]
    assert said(read(conversation(mapping))) == []


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"recipient": "python", "role": "assistant"}, "calls of tools (1)"),
        ({"metadata": {"is_visually_hidden_from_conversation": True}}, "hidden messages (1)"),
        ({"role": "system"}, "system messages (1)"),
        ({"content": {"content_type": "thoughts", "thoughts": []}}, "notes of the model (1)"),
        ({"content": {"content_type": "text", "parts": ["", " "]}}, "empty messages (1)"),
    ],
)
def test_chatgpt_tells_what_it_leaves_out_on_purpose(fields, kind):
    role = fields.pop("role", "user")
    mapping = {"a": node(None, "x", role, **fields), "b": node("a", "seen")}
    reading = read(conversation(mapping, current_node="b"))
    assert said(reading) == ["seen"]
    assert reading.rule == f"followed current_node back to the root; left out on purpose: {kind}"


def test_chatgpt_of_several_conversations_lists_and_reads_one():
    first = conversation({"a": node(None, "one", time=5)}, current_node="a", conversation_id="c1")
    second = {**conversation({"a": node(None, "two")}, current_node="a"), "title": "Second"}
    with pytest.raises(
        TranscriptError, match=r"holds 2 conversations; choose one with --conversation: 1 \(T\), 2 \(Second\)"
    ):
        read(first, second)
    for which in ("2", "Second"):
        reading = read(first, second, conversation=which)
        assert said(reading) == ["two"]
        assert reading.n_conversations == 2
        assert reading.conversation.messages[0].origin == "conversation 2, mapping node a"
    assert said(read(first, second, conversation="c1")) == ["one"]
    with pytest.raises(TranscriptError, match="there is no conversation 'c9'; it holds 2"):
        read(first, second, conversation="c9")


def test_chatgpt_names_what_is_no_conversation_in_its_list():
    reading = read({"no": 1}, conversation({"a": node(None, "one")}, current_node="a"), None)
    assert said(reading) == ["one"]
    assert reading.conversation.warnings[0].startswith("2 items of the list are no conversations")


def test_chatgpt_reads_a_single_conversation_object():
    text = json.dumps(conversation({"a": node(None, "one")}, current_node="a"))
    assert read_text(text).format == "chatgpt"


@settings(max_examples=60)
@given(mutated("chatgpt.json"))
def test_chatgpt_raises_nothing_but_transcript_errors(text):
    read_or_refuse(ChatGptExport(), text)


def test_chatgpt_does_not_claim_other_json():
    for text in ('{"mapping": {}}', '{"mapping": {"a": 1}}', '[{"mapping": []}]', "[]", "5", "x"):
        assert ChatGptExport().recognises(Document(text)) == 0.0


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("It is so.\ue200cite\ue202turn0search1\ue202turn0search4\ue201", "It is so."),
        ("It is so \ue200cite\ue202turn0search1\ue201.", "It is so."),
        ("one \ue200filecite\ue202turn0file2\ue201two", "one two"),
        ('in \ue200entity\ue202["city","Leeds","a city"]\ue201 now', "in Leeds now"),
        ("in \ue200entity\ue202[broken\ue201 now", "in  now"),
        ("see \ue200url\ue202The plan\ue202https://a.example\ue201.", "see The plan https://a.example."),
        ("an open \ue200cite mark", "an open \ue200cite mark"),
    ],
)
def test_chatgpt_marks_read_as_the_page_shows_them(written, shown):
    mapping = {"a": node(None, written, "assistant")}
    assert said(read(conversation(mapping, current_node="a"))) == [shown]


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        (
            {"name": "plan", "type": "document", "content": "# Plan\n4 bar"},
            ["[document: plan]\n# Plan\n4 bar"],
        ),
        ({"updates": [{"pattern": "4 bar", "replacement": "5 bar"}]}, ["[document changed]\n5 bar"]),
        ({"comments": [{"pattern": "x", "comment": "y"}]}, []),
        ("no JSON", []),
    ],
)
def test_chatgpt_keeps_a_document_that_the_assistant_wrote_beside_the_chat(call, shown):
    text = call if isinstance(call, str) else json.dumps(call)
    content = {"content_type": "code", "language": "json", "text": text}
    mapping = {"a": node(None, "x", "assistant", recipient="canmore.create_textdoc", content=content)}
    assert said(read(conversation(mapping, current_node="a"))) == shown
