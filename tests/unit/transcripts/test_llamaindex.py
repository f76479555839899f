"""LlamaIndex chat stores."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.errors import TranscriptError
from memguard.transcripts import read_text
from memguard.transcripts.apis.llamaindex import LlamaIndex
from memguard.transcripts.document import Document
from tests.unit.transcripts.mutations import mutated, read_or_refuse

READER = LlamaIndex()


def _text(text, role="user"):
    return {"role": role, "additional_kwargs": {}, "blocks": [{"block_type": "text", "text": text}]}


STORE = {"store": {"ann": [_text("Hi"), _text("Hello", "assistant")], "bo": [_text("Bread?")]}}


def test_llamaindex_several_keys_are_several_conversations():
    document = Document(json.dumps(STORE), "store.json")
    heads = READER.conversations(document)
    assert [(h.id, h.n_messages, h.place) for h in heads] == [
        ("ann", 2, "store['ann']"),
        ("bo", 1, "store['bo']"),
    ]
    with pytest.raises(TranscriptError, match=r"store.json: holds 2 conversations; choose one with --conv"):
        READER.read(document)
    for chosen in ("bo", "2"):
        reading = READER.read(document, chosen)
        assert [m.content for m in reading.conversation] == ["Bread?"]
        assert reading.n_conversations == 2


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"store": {"a": [_text("Hi")]}, "class_name": "SimpleChatStore"}),
        json.dumps({"token_limit": 9, "chat_store": {"store": {"a": [_text("Hi")]}}}),
        json.dumps({"store": {"a": [{"role": "user", "content": "Hi", "additional_kwargs": {}}]}}),
    ],
)
def test_llamaindex_reads_each_form(text):
    reading = read_text(text)
    assert reading.format == "llamaindex"
    assert [(m.role, m.content) for m in reading.conversation] == [("user", "Hi")]


def test_llamaindex_reads_a_store_inside_a_json_string():
    document = Document(json.dumps(json.dumps({"store": {"a": [_text("Hi")]}})))
    assert READER.recognises(document) == 0.9
    assert READER.read(document).conversation.messages[0].content == "Hi"


@pytest.mark.parametrize(
    "value", [{"store": {}}, {"store": {"a": 1}}, {"store": []}, "store", [], {"messages": []}]
)
def test_llamaindex_leaves_others_alone(value):
    document = Document(json.dumps(value))
    assert READER.recognises(document) == 0.0


def test_llamaindex_without_a_key_is_refused():
    with pytest.raises(TranscriptError, match="no chat store"):
        READER.read(Document('{"store": {}}'))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_llamaindex_survives_mutations(data):
    read_or_refuse(READER, data.draw(mutated("llamaindex.json")))
