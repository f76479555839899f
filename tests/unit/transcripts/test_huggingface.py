"""Hugging Face chat data sets."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.errors import TranscriptError
from memguard.transcripts import read_text
from memguard.transcripts.apis.huggingface import HuggingFace
from memguard.transcripts.document import Document
from tests.unit.transcripts.mutations import mutated, read_or_refuse

READER = HuggingFace()
ASK = {"role": "user", "content": "Late?"}
YES = {"role": "assistant", "content": "Yes."}
NO = {"role": "assistant", "content": "No."}


def _said(reading):
    return [(m.role, m.content) for m in reading.conversation]


@pytest.mark.parametrize("key", ["messages", "conversation", "conversations"])
def test_huggingface_rows_are_conversations(key):
    rows = [{key: [ASK, YES], "id": "a"}, {key: [ASK, NO], "id": "b"}, {"other": 1}]
    for text in (json.dumps(rows), "\n".join(map(json.dumps, rows))):
        document = Document(text, "d.jsonl")
        assert READER.recognises(document) == 0.8
        assert [(h.id, h.n_messages) for h in READER.conversations(document)] == [("a", 2), ("b", 2)]
        with pytest.raises(TranscriptError, match="choose one with --conversation"):
            READER.read(document)
        assert _said(READER.read(document, "b")) == [("user", "Late?"), ("assistant", "No.")]


def test_huggingface_reads_the_answer_of_a_viewer():
    value = {
        "features": [],
        "rows": [{"row_idx": 0, "row": {"conversation": [ASK, YES]}, "truncated_cells": []}],
    }
    reading = read_text(json.dumps(value))
    assert (reading.format, _said(reading)) == ("huggingface", [("user", "Late?"), ("assistant", "Yes.")])
    assert reading.conversation.messages[0].origin == "rows[0], conversation[0]"


def test_huggingface_one_object_with_messages_is_not_a_row():
    assert READER.recognises(Document(json.dumps({"messages": [ASK]}))) == 0.0
    assert read_text(json.dumps({"messages": [ASK]})).format == "messages_json"


@pytest.mark.parametrize(
    ("row", "abandoned"),
    [
        ({"prompt": "Late?", "chosen": [ASK, YES], "rejected": [ASK, NO]}, 1),
        ({"prompt": [ASK], "chosen": [YES], "rejected": [NO]}, 1),
        ({"prompt": "Late?", "chosen": "Yes.", "rejected": "No."}, 1),
        ({"chosen": [ASK, YES], "rejected": [ASK, NO]}, 1),
        (
            {
                "chosen": "\n\nHuman: Late?\n\nAssistant: Yes.",
                "rejected": "\n\nHuman: Late?\n\nAssistant: No.",
            },
            1,
        ),
    ],
)
def test_huggingface_of_a_preference_the_chosen_answer_is_read(row, abandoned):
    reading = READER.read(Document(json.dumps([row])))
    assert _said(reading) == [("user", "Late?"), ("assistant", "Yes.")]
    assert reading.abandoned_messages == abandoned
    assert reading.rule.startswith("the chosen answer, with the rejected one left out")


@pytest.mark.parametrize("key", ["completion", "response"])
def test_huggingface_reads_a_prompt_with_its_answer(key):
    reading = read_text(json.dumps([{"prompt": "Late?", key: "Yes."}]))
    assert _said(reading) == [("user", "Late?"), ("assistant", "Yes.")]


def test_huggingface_rows_may_hold_blocks_of_anthropic():
    result = {"type": "tool_result", "tool_use_id": "t", "content": "rain"}
    reading = READER.read(Document(json.dumps([{"messages": [{"role": "user", "content": [result]}]}])))
    assert _said(reading) == [("tool", "rain")]


def test_huggingface_keeps_calls_and_times():
    call = {"id": "c", "function": {"name": "f", "arguments": "{}"}}
    rows = [
        {
            "conversation": [
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [call],
                    "timestamp": "2026-05-01T09:00:00Z",
                },
                {"role": "tool", "content": "x", "tool_call_id": "c", "timestamp": "2026-05-01T09:01:00Z"},
            ]
        }
    ]
    reading = READER.read(Document(json.dumps(rows)))
    assert _said(reading) == [("assistant", "f({})"), ("tool", "x")]
    assert (reading.conversation.messages[1].tool_name, reading.rule) == ("f", "by timestamp")


def test_huggingface_without_a_row_is_refused():
    with pytest.raises(TranscriptError, match="no row holds a conversation"):
        READER.read(Document("[]"))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_huggingface_survives_mutations(data):
    read_or_refuse(READER, data.draw(mutated("huggingface.jsonl")))
