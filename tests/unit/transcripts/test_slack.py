"""Slack's export: channels of a ZIP, names in place of ids, edits and deletions applied."""

import io
import json
import zipfile

import pytest
from hypothesis import given, settings

from memguard.errors import TranscriptError
from memguard.message_form import Notes
from memguard.transcripts import list_bytes, read_bytes, read_text
from memguard.transcripts.exports import SlackExport
from memguard.transcripts.exports.slack_text import Names, content_of, shown
from tests.unit.transcripts.mutations import mutated, read_or_refuse

USERS = [
    {"id": "U1", "name": "ines", "profile": {"display_name": "Ines", "real_name": "Ines Duarte"}},
    {"id": "U2", "name": "tom", "profile": {"display_name": "", "real_name": "Tom Okafor"}},
]
NAMES = Names.of_rows(USERS, [{"id": "C9", "name": "ops"}])


def message(user, text, ts, **fields):
    return {"type": "message", "user": user, "text": text, "ts": ts, **fields}


def packed(files):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in files.items():
            archive.writestr(name, value if isinstance(value, str) else json.dumps(value))
    return made.getvalue()


EXPORT = {
    "users.json": USERS,
    "channels.json": [{"id": "C1", "name": "general", "members": ["U1", "U2"]}],
    "dms.json": [{"id": "D1", "members": ["U1", "U2"]}],
    "general/2026-01-06.json": [message("U2", "later", "1767690000.000100")],
    "general/2026-01-05.json": [message("U1", "<@U2> hi", "1767603600.000100")],
    "general/canvas_in_the_conversation.json": [{"id": "x"}],
    "D1/2026-01-05.json": [message("U2", "between us", "1767603700.000100")],
}


def test_slack_lists_the_channels_of_a_zip_and_reads_one():
    listing = list_bytes(packed(EXPORT))
    assert listing.format == "slack"
    told = [(h.id, h.title, h.n_messages, f"{h.first:%d}", f"{h.last:%d}") for h in listing.conversations]
    assert told == [
        ("D1", "direct messages: Ines, Tom Okafor", None, "05", "05"),
        ("general", "#general", None, "05", "06"),
    ]
    reading = read_bytes(packed(EXPORT), conversation="general")
    assert [(m.speaker, m.content) for m in reading.conversation] == [
        ("Ines", "@Tom Okafor hi"),
        ("Tom Okafor", "later"),
    ]
    assert reading.conversation.messages[1].origin == "general/2026-01-06.json, message 1"
    assert reading.n_conversations == 2
    with pytest.raises(TranscriptError, match="holds 2 conversations; choose one"):
        read_bytes(packed(EXPORT))


def test_slack_reads_an_export_that_lies_in_a_folder_of_its_own():
    nested = {f"My export/{name}": value for name, value in EXPORT.items()}
    reading = read_bytes(packed(nested), conversation="general")
    assert reading.conversation.messages[0].content == "@Tom Okafor hi"


def test_slack_tells_a_damaged_day_and_reads_the_others():
    files = {**EXPORT, "general/2026-01-07.json": {"no": "list"}}
    reading = read_bytes(packed(files), conversation="#general")
    assert len(reading.conversation) == 2
    assert "general/2026-01-07.json: not a list of messages" in reading.conversation.warnings[0]
    with pytest.raises(TranscriptError, match=r"general/2026-01-04\.json.*not valid JSON"):
        read_bytes(packed({**EXPORT, "general/2026-01-04.json": "[broken"}), conversation="general")


@pytest.mark.parametrize(
    ("given_text", "expected"),
    [
        ("<@U2> and <@U2|tom>", "@Tom Okafor and @Tom Okafor"),
        ("<@W7|eva>", "@eva"),
        ("<#C9> <#C7|plans> <#C8>", "#ops #plans #C8"),
        ("<!here> <!subteam^S1|@devs> <!date^1392734382^{date}|18 Feb>", "@here @devs 18 Feb"),
        ("<https://a.example/x|a.example/x> <https://b.example>", "https://a.example/x https://b.example"),
        ("<mailto:a@b.example|a@b.example>", "a@b.example"),
        ("<https://a.example|the plan>", "the plan https://a.example"),
        ("1 &lt; 2 &amp;&amp; x &gt; y &amp;amp;", "1 < 2 && x > y &amp;"),
        ("<odd>", "<odd>"),
    ],
)
def test_slack_text_reads_as_slack_shows_it(given_text, expected):
    """ING-028, the kind of it: who was asked to do what."""
    assert shown(given_text, NAMES) == expected


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"text": "", "attachments": [{"fallback": "F"}]}, "F"),
        ({"text": "see", "attachments": [{"text": "a preview", "from_url": "https://a"}]}, "see"),
        ({"text": "see", "attachments": [{"text": "shared", "is_share": True}]}, "see\nshared"),
        (
            {"text": "", "attachments": [{"text": "40 euros", "author_name": "Tom", "is_msg_unfurl": True}]},
            "[message of Tom]\n40 euros",
        ),
        ({"text": "Build 88", "attachments": [{"title": "failed", "text": "x"}]}, "Build 88\nfailed\nx"),
        ({"text": "x", "blocks": [{"type": "section", "text": {"text": "disk is full"}}]}, "disk is full"),
        ({"text": "as sent", "blocks": [{"type": "rich_text", "elements": []}]}, "as sent"),
        ({"files": [{"name": "log.txt", "mode": "snippet", "preview": "ERR 17"}]}, "[file: log.txt]\nERR 17"),
        (
            {"text": "ship it?", "reactions": [{"name": "+1", "users": ["U1", "U2"], "count": 2}]},
            "ship it?\n[reactions: :+1: Ines, Tom Okafor]",
        ),
        ({"files": [{"name": "a.png", "mimetype": "image/png"}, {"name": "b"}]}, "[image]\n[file: b]"),
        ({"blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "<@U1> *now*"}}]}, "@Ines *now*"),
        ({"blocks": [{"type": "rich_text", "elements": [{"type": "rich_text_list", "elements": [
            {"type": "rich_text_section", "elements": [{"type": "text", "text": "one"}]},
            {"type": "rich_text_section", "elements": [{"type": "link", "url": "https://a.example"}]},
        ]}]}]}, "one\nhttps://a.example"),
    ],
)  # fmt: skip
def test_slack_finds_what_a_message_says(row, expected):
    """ING-027, the kind of it: text in attachments, blocks and files."""
    notes = Notes()
    assert content_of(row, NAMES, notes, "here") == expected
    assert notes.texts() == ()


def test_slack_keeps_the_last_wording_and_drops_what_was_deleted_or_is_there_twice():
    rows = [
        message("U1", "40 euros", "1767603600.000100"),
        {"type": "message", "subtype": "message_changed", "ts": "1767603601.000100",
         "message": {"user": "U1", "text": "45 euros", "ts": "1767603600.000100"}},
        message("U1", "gone", "1767603602.000100"),
        {"type": "message", "subtype": "message_deleted", "deleted_ts": "1767603602.000100", "ts": "9.1"},
        message("U2", "twice", "1767603604.000100"),
        message("U2", "twice", "1767603604.000100", subtype="thread_broadcast"),
    ]  # fmt: skip
    reading = read_text(json.dumps({"users": USERS, "messages": rows}))
    assert [m.content for m in reading.conversation] == ["45 euros", "twice"]
    assert reading.duplicates_dropped == 1
    assert "of 1 edited messages the last wording" in reading.rule
    assert "deleted messages (1)" in reading.rule


def test_slack_orders_threads_by_time_and_says_so():
    rows = [
        message("U1", "root", "1767603600.000100", thread_ts="1767603600.000100"),
        message("U2", "between", "1767603650.000100"),
        message("U2", "reply", "1767603700.000100", thread_ts="1767603600.000100"),
        message("U2", "lost", "1767603800.000100", thread_ts="1767000000.000100"),
    ]
    reading = read_text(json.dumps(rows[::-1]))
    assert [m.content for m in reading.conversation] == ["root", "between", "reply", "lost"]
    assert reading.rule == "by timestamp; a reply in a thread stands at its own time"
    assert any("answers a message that is not in the file" in w for w in reading.conversation.warnings)
    assert any("2 people are not among the users" in w for w in reading.conversation.warnings)


@settings(max_examples=60)
@given(mutated("slack.json"))
def test_slack_raises_nothing_but_transcript_errors(text):
    read_or_refuse(SlackExport(), text)


@settings(max_examples=30)
@given(mutated("slack.json"))
def test_slack_raises_nothing_but_transcript_errors_on_a_zip(text):
    files = {"users.json": USERS, "a/2026-01-05.json": text, "dms.json": text, "b/2026-01-05.json": "[]"}
    try:
        read_bytes(packed(files), conversation="1")
    except TranscriptError:
        return


def test_slack_takes_names_from_the_profiles_beside_messages():
    profile = {"display_name": "ines", "real_name": "Ines Duarte"}
    rows = [
        message("U1", "for <@U1>", "1767603600.000100"),
        message("U1", "again", "1767603601.000100", user_profile=profile),
    ]
    reading = read_text(json.dumps(rows))
    assert [(m.speaker, m.content) for m in reading.conversation] == [
        ("ines", "for @ines"),
        ("ines", "again"),
    ]
    assert reading.conversation.warnings == ()
