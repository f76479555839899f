"""Discord: DiscordChatExporter's JSON, and Discord's own data package."""

import io
import json
import zipfile

import pytest
from hypothesis import given, settings

from memguard.errors import TranscriptError
from memguard.settings import LimitSettings
from memguard.transcripts import read_bytes, read_text
from memguard.transcripts.archives import Archive
from memguard.transcripts.chats.discord import Discord
from memguard.transcripts.chats.discord_package import DiscordPackage
from memguard.transcripts.document import Document
from tests.unit.transcripts.mutations import mutated, read_or_refuse

READER, PACKAGE = Discord(), DiscordPackage()


def _message(number=1, **more):
    author = {"id": "1", "name": "ana.s", "nickname": "Ana", "isBot": False}
    fields = {"timestamp": f"2026-09-14T08:00:{number:02}+02:00", "content": "hi", "author": author}
    return {"id": str(number), "type": "Default"} | fields | more


def _channel(*messages):
    return {
        "guild": {"id": "9", "name": "Shop"},
        "channel": {"id": "8", "name": "orders"},
        "messages": list(messages),
    }


def _read(*messages):
    return READER.read(Document(json.dumps(_channel(*messages))))


def test_discord_is_recognised():
    assert read_text(json.dumps(_channel(_message()))).format == "discord"
    assert READER.recognises(Document(json.dumps(_channel()))) == 0.9


@pytest.mark.parametrize(
    "value",
    [
        {"messages": [_message()]},
        {"channel": "orders", "messages": [_message()]},
        {"channel": {}, "messages": [{"role": "user", "content": "a"}]},
        {"channel": {}, "messages": []},
        {"channel": {}, "guild": {}, "messages": None},
        [],
    ],
)
def test_discord_leaves_others_alone(value):
    assert READER.recognises(Document(json.dumps(value))) == 0.0


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"content": "<@2> and <@!3>", "mentions": [{"id": "2", "name": "ben"}]}, "@ben and <@!3>"),
        ({"content": "ok <a:party:123>"}, "ok :party:"),
        ({"attachments": [{"fileName": "a.pdf"}, {}]}, "hi\n[file: a.pdf]\n[file]"),
        ({"stickers": [{"name": "wave"}]}, "hi\n[sticker wave]"),
        (
            {"embeds": [{"title": "T", "description": "D", "fields": [{"name": "a", "value": "b"}]}]},
            "hi\nT\nD\na: b",
        ),
        (
            {"embeds": [{"author": {"name": "ana"}, "title": "1 new commit", "footer": {"text": "main"}}]},
            "hi\nana\n1 new commit\nmain",
        ),
        (
            {"content": "https://x.example", "embeds": [{"url": "https://x.example", "title": "T"}]},
            "https://x.example",
        ),
        ({"type": "Reply", "reference": {"messageId": "1"}}, "[reply to Ana]\nhi"),
        ({"type": "Reply", "reference": {"messageId": "77"}}, "[reply]\nhi"),
        ({"content": "", "forwardedMessage": {"content": "far"}}, "[forwarded]\nfar"),
        ({"reactions": [{"emoji": {"name": "👍"}, "count": 3}]}, "hi\n[reactions: 👍 × 3]"),
        ({"poll": {"question": {"text": "When?"}, "answers": [{"text": "now"}]}}, "hi\n[poll: When? now]"),
    ],
)
def test_discord_says_what_is_beside_the_text(more, expected):
    assert _read(_message(**more)).conversation.messages[0].content == expected


def test_discord_roles_are_those_of_people_bots_and_the_service():
    bot = {"author": {"id": "2", "name": "bot", "isBot": True}}
    reading = _read(_message(1), _message(2, **bot), _message(3, type="ChannelPinnedMessage", content=""))
    assert [(m.role, m.speaker, m.content) for m in reading.conversation] == [
        ("user", "Ana", "hi"),
        ("assistant", "bot", "hi"),
        ("system", None, "Ana: ChannelPinnedMessage"),
    ]
    assert reading.conversation.title == "Shop / orders"
    assert reading.rule == "by timestamp"


@given(mutated("discord.json"))
@settings(max_examples=60, deadline=None)
def test_discord_raises_nothing_but_transcript_errors(text):
    """Issue 7: no crash other than TranscriptError."""
    read_or_refuse(READER, text)


def _zip(**files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "/"), text)
    return data.getvalue()


ROWS = [
    {
        "ID": 2,
        "Timestamp": "2026-09-14 08:05:00",
        "Contents": "newer",
        "Attachments": "https://x.example/1/a.png?ex=1",
    },
    {"ID": 1, "Timestamp": "2026-09-14 08:00:00", "Contents": "older", "Attachments": ""},
]
CSV = 'ID,Timestamp,Contents,Attachments\n9,2026-09-14 08:00:00+00:00,"two\nlines",\n'


def _package(**more):
    files = {
        "messages__index.json": "{}",
        "messages__c10__messages.json": json.dumps(ROWS),
        "messages__c10__channel.json": json.dumps({"id": "10", "name": "orders", "guild": {"name": "Shop"}}),
        "messages__c11__messages.csv": CSV,
        "messages__c11__channel.json": "{damaged",
        "account__user.json": json.dumps({"username": "ana.s", "global_name": "Ana"}),
    }
    data = _zip(**(files | more))
    return data, Document("", "p.zip", members=Archive.of_bytes(data, "p.zip", LimitSettings()))


def test_discord_package_lists_its_channels_and_reads_one():
    data, document = _package()
    assert PACKAGE.recognises(document) == 0.9
    heads = PACKAGE.conversations(document)
    assert [(head.id, head.title, head.place) for head in heads] == [
        ("10", "Shop / orders", "messages/c10/"),
        ("11", None, "messages/c11/"),
    ]
    with pytest.raises(TranscriptError, match="choose one with --conversation"):
        PACKAGE.read(document)
    reading = read_bytes(data, conversation="Shop / orders")
    assert reading.format == "discord_package"
    assert [(m.speaker, m.content, m.id) for m in reading.conversation] == [
        ("Ana", "older", "1"),
        ("Ana", "newer\n[file: a.png]", "2"),
    ]
    assert "only what its owner wrote" in reading.conversation.warnings[0]
    (message,) = PACKAGE.read(document, "11").conversation
    assert (message.content, message.origin) == ("two\nlines", "messages/c11/, message 1")


@pytest.mark.parametrize("text", ["[", "[" * 100_000])
def test_discord_package_a_damaged_channel_is_an_error_with_its_name(text):
    _, document = _package(**{"messages__c10__messages.json": text})
    with pytest.raises(TranscriptError, match=r"p\.zip: messages/c10/messages\.json: not a list of messages"):
        PACKAGE.read(document, "10")


@given(mutated("discord_package.json"))
@settings(max_examples=60, deadline=None)
def test_discord_package_raises_nothing_but_transcript_errors(text):
    """Issue 7: no crash other than TranscriptError."""
    read_or_refuse(PACKAGE, text)
