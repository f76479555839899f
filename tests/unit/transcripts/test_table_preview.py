"""A look at a table before it is read, and the columns that a person chooses of it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.errors import TranscriptError
from memguard.transcripts import (
    doubtful_table,
    list_bytes,
    list_conversations,
    open_bytes,
    open_text,
    preview_table,
    read_bytes,
    read_file,
    read_text,
)
from tests.support import cpu_seconds
from tests.unit.transcripts.test_samples_of_formats import EXPECTED, _sample

GERMAN = (
    "Wann;Wer;Nachricht;Kanal\n"
    "2026-03-01 10:00;Ana;Die Kaution beträgt 400 Euro.;a\n"
    "2026-03-01 10:05;Ben;Gut.;b\n"
)
CHOSEN = {"text": "Nachricht", "speaker": "Wer", "time": "Wann"}


def test_a_table_of_unknown_names_is_shown_with_a_doubt():
    preview = preview_table(GERMAN.encode())
    assert preview.header == ("Wann", "Wer", "Nachricht", "Kanal")
    assert preview.rows[0] == ("2026-03-01 10:00", "Ana", "Die Kaution beträgt 400 Euro.", "a")
    assert (preview.separator, dict(preview.columns)) == (";", {})
    assert preview.doubt == "the header has no names that are known"
    assert doubtful_table(open_text(GERMAN), GERMAN) == preview


@pytest.mark.parametrize(
    ("text", "columns", "doubt"),
    [
        ("speaker,text\nAna,hi\n", {"text": "text", "speaker": "speaker"}, ""),
        (
            "role,content,created_at\nuser,hi,2026-01-01\n",
            {"text": "content", "role": "role", "time": "created_at"},
            "",
        ),
        ("prompt,response\nq,a\n", {"prompt": "prompt", "answer": "response"}, ""),
        ("time,text\n10:00,hi\n", {"text": "text", "time": "time"}, ""),
        (
            "time,text,wer\n10:00,hi,Ana\n",
            {"text": "text", "time": "time"},
            "no column is called as one that says who speaks",
        ),
        (
            "author,content,text\nAna,hi,hi there\n",
            {"text": "text", "speaker": "author"},
            "'text' is the text rather than 'content': it has more characters",
        ),
    ],
)
def test_a_doubt_is_told_only_where_the_names_leave_one(text, columns, doubt):
    preview = preview_table(text)
    assert (dict(preview.columns), preview.doubt) == (columns, doubt)
    assert (doubtful_table(open_text(text), text) is not None) == bool(doubt)


@pytest.mark.parametrize(
    "text",
    [
        "Mira: The deposit, 400 euros.\nJonas: I paid, on Monday.",
        "One, two\nthree",
        "First thing, done.\nNext, thing.",
        "a\nb\nc",
        "1,2\n3,4",
        "a,a\nb,c",
        "",
        " \n",
        '[{"role": "user", "content": "a;b"}]',
    ],
)
def test_prose_is_no_table(text):
    assert preview_table(text) is None


def test_four_short_cells_might_be_a_table_and_are_read_as_text_where_nobody_chooses():
    text = "Hello, all\nfine, thanks"
    assert doubtful_table(open_text(text), text) is not None
    assert read_text(text).format == "plain_text"


def test_an_archive_and_what_cannot_be_decoded_are_no_table():
    assert preview_table(b"PK\x03\x04rest") is None
    assert preview_table(b"\x00\x01\x02\x00\xff\xfe\x00") is None


@pytest.mark.parametrize("path", EXPECTED, ids=lambda path: path.name.removesuffix(".expected.json"))
def test_no_sample_of_another_format_asks_for_columns(path):
    data = _sample(path).read_bytes()
    assert doubtful_table(open_bytes(data), data) is None


def test_every_way_to_read_takes_the_columns(tmp_path):
    """Issue 7: CSV with chosen columns."""
    path = tmp_path / "chat.csv"
    path.write_text(GERMAN, encoding="utf-8")
    columns = {**CHOSEN, "conversation": "Kanal"}
    said = [("Ana", "Die Kaution beträgt 400 Euro.")]
    for reading in (
        read_file(path, columns=columns, conversation="a"),
        read_bytes(GERMAN.encode(), columns=columns, conversation="a"),
        read_text(GERMAN, columns=columns, conversation="a"),
    ):
        assert [(m.speaker, m.content) for m in reading.conversation] == said
    for listing in (list_conversations(path, columns=columns), list_bytes(GERMAN.encode(), columns=columns)):
        assert [(head.id, head.first.minute) for head in listing.conversations] == [("a", 0), ("b", 5)]


def test_an_empty_name_says_that_no_column_is_it():
    text = "speaker,text,time\nAna,hi,2026-01-01T10:00:00Z\n"
    (message,) = read_text(text, columns={"text": "text", "time": "", "speaker": ""}).conversation
    assert (message.speaker, message.timestamp, message.role) == (None, None, "user")
    with pytest.raises(TranscriptError, match="has no header with the columns of a chat"):
        read_text("just words", columns={"text": ""})


def test_a_large_text_is_looked_at_in_little_time():
    text = "a;b\n" + "x;y\n" * 1_000_000
    assert preview_table(text) is not None
    assert cpu_seconds(lambda: preview_table(text), runs=1) < 3


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from('ab,;|\t\n"\r :.'), max_size=60))
def test_any_text_is_looked_at_without_a_fault(text):
    preview = preview_table(text)
    if preview is not None:
        assert len(preview.header) >= 1
        assert all(len(row) == len(preview.header) for row in preview.rows)
        assert set(preview.columns.values()) <= set(preview.header)
