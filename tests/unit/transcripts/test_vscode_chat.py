"""Chats of Visual Studio Code: an export, a session, and the log that it is kept in."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.errors import TranscriptError
from memguard.transcripts import open_text, read_text
from memguard.transcripts.document import Document
from memguard.transcripts.sessions.vscode_chat import VsCodeChat
from tests.support import cpu_seconds
from tests.unit.transcripts.mutations import mutated, read_or_refuse

READER = VsCodeChat()


def chat(*requests, **fields):
    return {"responderUsername": "GitHub Copilot", "requests": list(requests), **fields}


def request(*response, text="q", **fields):
    return {"requestId": "r", "message": {"text": text}, "response": list(response), **fields}


def said(value):
    return [(m.role, m.content) for m in read_text(json.dumps(value)).conversation]


def test_vscode_chat_joins_the_texts_of_a_response_as_the_editor_shows_them():
    parts = [
        {"value": "See "},
        {"kind": "inlineReference", "inlineReference": {"uri": {"path": "/w/a/gate.py"}, "range": {}}},
        {"kind": "markdownContent", "content": {"value": " at line 4."}},
    ]
    assert said(chat(request(*parts))) == [("user", "q"), ("assistant", "See gate.py at line 4.")]


def test_vscode_chat_a_call_has_arguments_and_result_from_the_metadata():
    metadata = {
        "toolCallRounds": [{"toolCalls": [{"id": "c1", "name": "look", "arguments": '{"a": 1}'}]}],
        "toolCallResults": {"c1": {"content": [{"value": "nine"}]}},
    }
    call = {"kind": "toolInvocationSerialized", "toolId": "copilot_look", "toolCallId": "c1__vscode-7"}
    value = chat(request({"value": "I look."}, call, {"value": "Nine."}, result={"metadata": metadata}))
    messages = read_text(json.dumps(value)).conversation.messages
    assert [(m.role, m.content, m.tool_name) for m in messages[1:]] == [
        ("assistant", "I look.", None),
        ("tool", "nine", "look"),
        ("assistant", "Nine.", None),
    ]
    assert [(c.name, c.arguments) for c in messages[1].tool_calls] == [("look", '{"a": 1}')]


def test_vscode_chat_without_metadata_a_call_has_what_the_editor_shows():
    call = {
        "kind": "toolInvocationSerialized",
        "toolId": "look",
        "toolCallId": "c",
        "resultDetails": {"input": "a.py", "output": [{"type": "embed", "value": "12 lines"}]},
    }
    assert said(chat(request(call)))[1:] == [("assistant", "look(a.py)"), ("tool", "12 lines")]


def test_vscode_chat_a_response_is_there_when_it_ended():
    value = chat(
        request({"value": "a"}, timestamp=1_780_000_000_000, result={"timings": {"totalElapsed": 2500}})
    )
    asked, answered = read_text(json.dumps(value)).conversation.messages
    assert (answered.timestamp - asked.timestamp).total_seconds() == 2.5


def log(*changes, first=None):
    return "\n".join(map(json.dumps, [{"kind": 0, "v": first or chat(sessionId="s")}, *changes]))


def test_vscode_chat_a_log_is_read_after_its_changes_and_twice_the_same():
    text = log(
        {"kind": 2, "k": ["requests"], "v": [request({"value": "o"}), request(text="gone")]},
        {"kind": 2, "k": ["requests"], "i": 1, "v": [request({"value": "b"}, text="p")]},
        {"kind": 1, "k": ["requests", 0, "response", 0, "value"], "v": "a"},
        {"kind": 3, "k": ["requests", 1, "response"]},
    )
    opened = open_text(text)
    assert opened.format == "vscode_chat"
    expected = [("user", "q"), ("assistant", "a"), ("user", "p")]
    document = Document(text)
    for _ in range(2):
        assert [(m.role, m.content) for m in READER.read(document).conversation] == expected


@pytest.mark.parametrize(
    "change",
    [
        {"kind": 1, "k": ["requests", 9, "x"], "v": 1},
        {"kind": 1, "k": []},
        {"kind": 1, "k": [{"a": 1}], "v": 1},
        {"kind": 2, "k": ["responderUsername"], "v": [1]},
        {"kind": 3, "k": ["nothing"]},
        {"kind": 7, "k": ["requests"]},
        {"kind": True},
        {"kind": 1, "k": ["a"] * 60, "v": 1},
    ],
)
def test_vscode_chat_a_change_that_cannot_be_made_is_told(change):
    reading = READER.read(Document(log(change, first=chat(request({"value": "a"})))))
    assert len(reading.conversation) == 2
    assert any("a change of what the session does not hold" in w for w in reading.conversation.warnings)


def test_vscode_chat_a_log_without_its_first_line_is_refused():
    with pytest.raises(TranscriptError, match="without the session"):
        READER.read(Document('{"kind": 1, "k": ["requests"], "v": []}\n{"kind": 1}'))


@pytest.mark.parametrize(
    "value",
    [
        {"requests": [{"message": {"text": "x"}}]},
        {"responderUsername": "x", "requests": {}},
        {"responderUsername": "x", "requests": [{"other": 1}]},
        {"sessionId": "s", "messages": []},
        [],
    ],
)
def test_vscode_chat_leaves_others_alone(value):
    assert READER.recognises(Document(json.dumps(value))) == 0.0


def test_vscode_chat_reads_a_log_of_fifty_thousand_changes_in_linear_time():
    text = log(*({"kind": 2, "k": ["requests"], "v": [request({"value": f"a{i}"})]} for i in range(25_000)))
    text += "\n" + "\n".join(
        json.dumps({"kind": 2, "k": ["requests", i, "response"], "i": 0, "v": [{"value": "b"}]})
        for i in range(25_000)
    )
    found = []
    assert cpu_seconds(lambda: found.append(read_text(text)), runs=1) < 15
    assert len(found[0].conversation) == 50_000


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_vscode_chat_survives_mutations(data):
    read_or_refuse(
        READER, data.draw(mutated(data.draw(st.sampled_from(["vscode_chat.json", "vscode_chat_log.jsonl"]))))
    )


def test_vscode_chat_a_response_in_very_many_pieces_takes_linear_time():
    text = json.dumps(chat(request(*[{"value": "twenty characters so "}] * 400_000)))
    assert cpu_seconds(lambda: read_text(text), runs=1) < 10
