"""Messenger and Instagram exports."""

import io
import json
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.errors import TranscriptError
from memguard.settings import LimitSettings
from memguard.transcripts import read_bytes, read_text
from memguard.transcripts.archives import Archive
from memguard.transcripts.chats.messenger import Messenger, repaired
from memguard.transcripts.document import Document
from tests.unit.transcripts.mutations import mutated, read_or_refuse

READER = Messenger()


def _message(number=1, **more):
    return {"sender_name": "Ana", "timestamp_ms": 1789365600000 + number, "content": f"m{number}"} | more


def _thread(*messages, **more):
    return {"participants": [{"name": "Ana"}], "messages": list(messages), "title": "Trip"} | more


def _read(*messages):
    return READER.read(Document(json.dumps(_thread(*messages))))


def test_messenger_is_recognised():
    assert read_text(json.dumps(_thread(_message()))).format == "messenger"


@pytest.mark.parametrize(
    "value",
    [
        {"messages": [_message()]},
        {"participants": [], "messages": []},
        {"participants": ["Ana"], "messages": [{"role": "user", "content": "a"}]},
        {"participants": {}, "messages": [_message()]},
        [_message()],
    ],
)
def test_messenger_leaves_others_alone(value):
    assert READER.recognises(Document(json.dumps(value))) == 0.0


@pytest.mark.parametrize("text", ["Größe", "é", "Ana", "Café 😀", "naïve – yes", "Ã", "日本", ""])
def test_repaired_leaves_correct_text_untouched(text):
    """ING-014: correctly encoded text passes through unchanged."""
    assert repaired(text) == text


@given(st.text(st.characters(codec="utf-8"), max_size=40))
def test_repaired_undoes_bytes_written_as_characters(text):
    """ING-014."""
    assert repaired(text.encode().decode("latin-1")) == text


@pytest.mark.parametrize(
    ("order", "rule"),
    [
        ((3, 2, 1), "newest first in the file, turned; by timestamp"),
        ((1, 2, 3), "oldest first in the file; by timestamp"),
    ],
)
def test_messenger_says_whether_it_turned_the_order(order, rule):
    reading = _read(*map(_message, order))
    assert [m.content for m in reading.conversation] == ["m1", "m2", "m3"]
    assert reading.rule == rule


def test_messenger_equal_times_are_turned_as_meta_writes_them():
    reading = _read(*(_message(1, content=text) for text in ("last", "middle", "first")))
    assert [m.content for m in reading.conversation] == ["first", "middle", "last"]


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"photos": [{"uri": "a/b.jpg"}, {"uri": "c"}]}, "m1\n[image]\n[image]"),
        ({"files": [{"uri": "a/plan.pdf"}]}, "m1\n[file: plan.pdf]"),
        ({"sticker": {"uri": "s"}}, "m1\n[sticker]"),
        ({"share": {"link": "https://x.example"}}, "m1\n[link: https://x.example]"),
        (
            {"content": "see https://x.example", "share": {"link": "https://x.example"}},
            "see https://x.example",
        ),
        ({"content": None, "is_unsent": True}, "[message deleted]"),
        ({"missed": True, "call_duration": 0}, "m1\n[missed call]"),
        ({"call_duration": 61}, "m1\n[call of 61 s]"),
        ({"reactions": [{"reaction": "â¤", "actor": "Ben"}, {"reaction": "x", "actor": 5}]}, None),
    ],
)
def test_messenger_says_what_is_beside_the_text(more, expected):
    content = _read(_message(1, **more)).conversation.messages[0].content
    assert content == expected if expected else content.startswith("m1\n[reactions: ")


def _archive(**files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, value in files.items():
            archive.writestr(name, value if isinstance(value, str) else json.dumps(value))
    return data.getvalue(), Document(
        "", "m.zip", members=Archive.of_bytes(data.getvalue(), "m.zip", LimitSettings())
    )


FILES = {
    "messages/inbox/trip_1/message_2.json": _thread(_message(1)),
    "messages/inbox/trip_1/message_10.json": _thread(_message(0)),
    "messages/inbox/trip_1/message_1.json": _thread(_message(3), _message(2)),
    "messages/inbox/ben_2/message_1.json": _thread(_message(5), title="Ben"),
}


def test_messenger_an_archive_joins_the_files_of_a_conversation():
    data, document = _archive(**FILES)
    assert READER.recognises(document) == 0.9
    assert [(head.id, head.title, head.n_messages) for head in READER.conversations(document)] == [
        ("trip_1", "Trip", 4),
        ("ben_2", "Ben", 1),
    ]
    with pytest.raises(TranscriptError, match="choose one with --conversation"):
        READER.read(document)
    reading = read_bytes(data, conversation="Trip")
    assert (reading.format, reading.n_conversations) == ("messenger", 2)
    assert [(m.content, m.origin) for m in reading.conversation] == [
        ("m0", "message_10.json, messages[0]"),
        ("m1", "message_2.json, messages[0]"),
        ("m2", "message_1.json, messages[1]"),
        ("m3", "message_1.json, messages[0]"),
    ]


@pytest.mark.parametrize("text", ["{", "[" * 200])
def test_messenger_a_damaged_file_is_an_error_with_its_name(text):
    _, document = _archive(**{**FILES, "messages/inbox/ben_2/message_1.json": text})
    with pytest.raises(TranscriptError, match=r"m\.zip: messages/inbox/ben_2/message_1\.json: .*JSON"):
        READER.conversations(document)


@given(mutated("messenger.json") | mutated("messenger_encrypted.json"))
@settings(max_examples=60, deadline=None)
def test_messenger_raises_nothing_but_transcript_errors(text):
    """Issue 7: no crash other than TranscriptError."""
    read_or_refuse(READER, text)
