"""Telegram's JSON export."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.errors import TranscriptError
from memguard.transcripts import read_text
from memguard.transcripts.chats.telegram import Telegram, rendered_text
from memguard.transcripts.document import Document
from tests.unit.transcripts.mutations import mutated, read_or_refuse

READER = Telegram()


def _message(number=1, **more):
    fields = {"date": "2026-09-14T08:00:00", "date_unixtime": str(1789365600 + number), "from": "Ana"}
    return {"id": number, "type": "message", "from_id": "user1", "text": "hi"} | fields | more


def _chat(*messages, **more):
    return {"name": "Trip", "type": "personal_chat", "id": 7, "messages": list(messages)} | more


def _read(value, conversation=None):
    return READER.read(Document(json.dumps(value)), conversation)


def _content(**more):
    return _read(_chat(_message(**more))).conversation.messages[0].content


def test_telegram_is_recognised_alone_and_in_a_full_export():
    assert read_text(json.dumps(_chat(_message()))).format == "telegram"
    full = {"chats": {"list": [_chat(_message())]}}
    assert READER.recognises(Document(json.dumps(full))) == 0.9


@pytest.mark.parametrize(
    "value",
    [
        {"messages": [{"role": "user", "content": "a"}]},
        {"messages": [{"type": "message", "content": "a"}]},
        {"messages": []},
        {"chats": {"list": []}},
        {"chats": []},
        [_message()],
        "telegram",
    ],
)
def test_telegram_leaves_others_alone(value):
    assert READER.recognises(Document(json.dumps(value))) == 0.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        (["a ", {"type": "bold", "text": "b"}, " c"], "a b c"),
        ([{"type": "text_link", "text": "here", "href": "https://x.example"}], "here (https://x.example)"),
        ([{"type": "link", "text": "https://x.example"}], "https://x.example"),
        ([{"type": "spoiler"}, None, 7, ["a"]], "7"),
        (None, ""),
        ({"text": "a"}, "a"),
    ],
)
def test_telegram_texts(text, expected):
    assert rendered_text(text) == expected


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"text": "", "text_entities": [{"type": "plain", "text": "from entities"}]}, "from entities"),
        ({"forwarded_from": "Ben"}, "[forwarded from Ben]\nhi"),
        ({"forwarded_from": None}, "[forwarded]\nhi"),
        ({"reply_to_message_id": 1}, "[reply to Ana]\nhi"),
        ({"reply_to_message_id": 99}, "[reply]\nhi"),
        ({"photo": "photos/1.jpg"}, "hi\n[image]"),
        (
            {
                "text": "",
                "poll": {"question": {"text": "When?"}, "answers": [{"text": {"text": "Mon"}, "voters": 1}]},
            },
            "[poll: When? Mon (1 vote)]",
        ),
        ({"file": "files/plan.pdf"}, "hi\n[file: plan.pdf]"),
        ({"file": "(File not included)", "file_name": "plan.pdf"}, "hi\n[file: plan.pdf]"),
        ({"file": "(File not included)"}, "hi\n[file]"),
        ({"media_type": "voice_message", "file": "v.ogg"}, "hi\n[voice message]"),
        ({"media_type": "sticker"}, "hi\n[sticker]"),
        ({"location_information": {"latitude": 1.5, "longitude": 2}}, "hi\n[location 1.5, 2]"),
        ({"contact_information": {"first_name": "Tam", "phone_number": "12"}}, "hi\n[contact: Tam 12]"),
        ({"reactions": [{"type": "emoji", "emoji": "👍", "count": 2}]}, "hi\n[reactions: 👍 × 2]"),
    ],
)
def test_telegram_says_what_is_beside_the_text(more, expected):
    assert _content(**more) == expected


def test_telegram_service_messages_are_of_the_system():
    reading = _read(
        _chat({"id": 1, "type": "service", "date_unixtime": "1", "actor": "Ana", "action": "pin_message"})
    )
    (message,) = reading.conversation
    assert (message.role, message.speaker, message.content) == ("system", None, "Ana: pin message")


def test_telegram_without_unixtime_assumes_utc_and_says_so():
    reading = _read(_chat(_message(date_unixtime=None)))
    assert reading.conversation.messages[0].timestamp.isoformat() == "2026-09-14T08:00:00+00:00"
    assert "the export names no time zone; UTC is assumed" in reading.conversation.warnings
    assert not _read(_chat(_message())).conversation.warnings


def test_telegram_a_damaged_time_is_not_replaced_by_one_of_another_zone():
    reading = _read(_chat(_message(), _message(2, date_unixtime="never"), _message(3)))
    assert [m.timestamp is None for m in reading.conversation] == [False, True, False]
    assert reading.conversation.warnings[0].startswith("messages[1]: the date cannot be read")
    assert reading.rule == "in the order given"


def test_telegram_a_full_export_lists_its_chats():
    full = {
        "chats": {"list": [_chat(_message()), _chat(id=8, name=None, type="saved_messages"), "no chat"]},
        "left_chats": {"list": [_chat(_message(), id=9, name="Old")]},
    }
    heads = READER.conversations(Document(json.dumps(full)))
    assert [(h.id, h.title, h.n_messages, h.place) for h in heads] == [
        ("7", "Trip", 1, "chats.list[0]"),
        ("8", "Saved Messages", 0, "chats.list[1]"),
        ("9", "Old", 1, "left_chats.list[0]"),
    ]
    assert heads[0].first == heads[0].last
    with pytest.raises(TranscriptError, match="choose one with --conversation"):
        _read(full)
    for chosen in ("9", "Old", "3"):
        reading = _read(full, chosen)
        assert (reading.conversation.title, reading.n_conversations) == ("Old", 3)
        assert reading.conversation.messages[0].origin == "left_chats.list[0], messages[0]"


NAMES = st.text(st.characters(codec="utf-8", categories=["L"]), min_size=1, max_size=9)
PIECES = st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=9), max_size=4)


@given(st.lists(st.tuples(NAMES, PIECES, st.integers(0, 2_000_000_000)), min_size=1, max_size=6))
@settings(max_examples=60, deadline=None)
def test_telegram_a_chat_that_is_written_is_read_again(turns):
    """Writing a chat and reading it gives it back, in order of time."""
    turns = sorted(turns, key=lambda turn: turn[2])
    value = _chat(
        *(
            _message(
                i,
                **{"from": name},
                date_unixtime=str(when),
                text=[{"type": "plain", "text": p} for p in pieces],
            )
            for i, (name, pieces, when) in enumerate(turns)
        )
    )
    found = [(m.speaker, m.content.strip(), m.timestamp.timestamp()) for m in _read(value).conversation]
    assert found == [(name, "".join(pieces).strip(), when) for name, pieces, when in turns]


@given(mutated("telegram.json") | mutated("telegram_all.json"))
@settings(max_examples=60, deadline=None)
def test_telegram_raises_nothing_but_transcript_errors(text):
    """Issue 7: no crash other than TranscriptError."""
    read_or_refuse(READER, text)
