"""Gemini contents."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.errors import TranscriptError
from memguard.transcripts import read_text
from memguard.transcripts.apis.gemini import Gemini
from memguard.transcripts.document import Document
from tests.unit.transcripts.mutations import mutated, read_or_refuse

READER = Gemini()
ASK = {"role": "user", "parts": [{"text": "When?"}]}
ANSWER = {"role": "model", "parts": [{"text": "At two."}]}


def _read(value, conversation=None):
    return READER.read(Document(json.dumps(value)), conversation)


def _said(reading):
    return [(m.role, m.content) for m in reading.conversation]


def _answer(*parts, **more):
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, **more}]}


@pytest.mark.parametrize(
    "value", [[ASK, ANSWER], {"contents": [ASK]}, {"history": [ASK]}, _answer({"text": "x"})]
)
def test_gemini_recognises_contents(value):
    assert READER.recognises(Document(json.dumps(value))) == 0.9
    assert read_text(json.dumps(value)).format == "gemini"


@pytest.mark.parametrize(
    "value",
    [
        [{"role": "user", "content": "a"}],
        [{"role": "user", "parts": [{"type": "text", "text": "a"}]}],
        [{"role": "assistant", "parts": [{"text": "a"}]}],
        {"parts": []},
        [{"role": ["user"], "parts": [{}]}],
        "parts",
    ],
)
def test_gemini_leaves_others_alone(value):
    assert READER.recognises(Document(json.dumps(value))) == 0.0


def test_gemini_reads_snake_case_as_camel_case():
    value = {
        "system_instruction": {"parts": [{"text": "Be brief."}]},
        "contents": [
            ASK,
            {"role": "model", "parts": [{"function_call": {"name": "clock", "args": {}}}]},
            {"role": "function", "parts": [{"function_response": {"name": "clock", "response": {"h": 2}}}]},
        ],
    }
    assert _said(_read(value)) == [
        ("system", "Be brief."),
        ("user", "When?"),
        ("assistant", "clock({})"),
        ("tool", '{"h": 2}'),
    ]
    assert _read(value).conversation.messages[3].tool_name == "clock"


def test_gemini_a_stream_is_one_answer():
    pieces = [
        _answer({"text": "At "}),
        _answer({"text": "t", "thought": True}),
        _answer({"text": "two."}, finishReason="STOP"),
    ]
    reading = READER.read(Document("\n".join(map(json.dumps, pieces))))
    assert _said(reading) == [("assistant", "At two.")]
    assert "thinking was left out" in reading.conversation.warnings[0]


def test_gemini_of_several_candidates_the_first_is_read():
    value = {"candidates": [{"content": ANSWER, "finishReason": "SAFETY"}, {"content": ASK}]}
    reading = _read(value)
    assert _said(reading) == [("assistant", "At two.")]
    assert (reading.abandoned_messages, reading.rule) == (
        1,
        "the first candidate of each answer; in the order of the file",
    )
    assert any("SAFETY" in warning for warning in reading.conversation.warnings)


def test_gemini_rows_are_conversations():
    rows = [
        {"contents": [ASK, ANSWER]},
        {"request": {"contents": [ASK]}, "response": _answer({"text": "Late."})},
    ]
    text = "\n".join(map(json.dumps, rows))
    document = Document(text)
    assert READER.recognises(document) == 0.9
    assert [(h.id, h.n_messages, h.place) for h in READER.conversations(document)] == [
        ("1", 2, "line 1"),
        ("2", 2, "line 2"),
    ]
    with pytest.raises(TranscriptError, match="choose one with --conversation"):
        READER.read(document)
    reading = READER.read(document, "2")
    assert _said(reading) == [("user", "When?"), ("assistant", "Late.")]
    assert reading.conversation.messages[1].origin == "line 2, candidates[0]"
    assert reading.n_conversations == 2


def test_gemini_reads_a_prompt_saved_by_ai_studio():
    chunks = [
        {"role": "user", "text": "When?", "createTime": "2026-05-01T09:00:00Z", "tokenCount": 2},
        {"role": "model", "text": "Think.", "isThought": True},
        {"role": "user", "driveImage": {"id": "x"}, "createTime": "2026-05-01T09:01:00Z"},
        {"role": "model", "text": "At two.", "createTime": "2026-05-01T09:02:00Z"},
    ]
    reading = _read({"chunkedPrompt": {"chunks": chunks}, "systemInstruction": {}})
    assert _said(reading) == [("user", "When?"), ("user", "[image]"), ("assistant", "At two.")]
    assert reading.rule == "by timestamp"


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_gemini_survives_mutations(data):
    read_or_refuse(READER, data.draw(mutated("gemini.json")))
