"""Tables with a header that names the columns of a chat."""

import csv
import io
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.errors import InvalidParameterError, TranscriptError
from memguard.transcripts import read_bytes
from memguard.transcripts.document import Document
from memguard.transcripts.table import Table
from tests.unit.transcripts.mutations import read_or_refuse
from tests.unit.transcripts.text_mutations import mutated_text

READER = Table()


def _read(text, conversation=None):
    return READER.read(Document(text, "t"), conversation)


def _rows(text):
    return [(m.role, m.speaker, m.content) for m in _read(text).conversation]


@pytest.mark.parametrize(
    "header",
    [
        "role,content",
        "Speaker;Text",
        "author\tmessage\ttimestamp",
        "from|body|date",
        "\ufeffSender Name,Message Text",
        "senderName,messageText",
        "sender_name,message_text,created_at",
        "timestamp,text",
        "conversation_id,text",
        "prompt,response",
        '"question";"answer"',
    ],
)
def test_table_is_recognised_by_its_header(header):
    assert READER.recognises(Document(f"{header}\na,b,c\n")) == 0.5


@pytest.mark.parametrize(
    "text",
    [
        "text",
        "a,b\nc,d",
        "role,score",
        "id,text",
        "Hello, message",
        "content,text",
        "Ana: text, author",
        '{"role": "a", "content": "b"}',
        "",
        "\n\n",
    ],
)
def test_table_leaves_others_alone(text):
    assert READER.recognises(Document(text)) == 0.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "role,content\nuser,a\nAssistant,b\ntool,c",
            [("user", None, "a"), ("assistant", None, "b"), ("tool", None, "c")],
        ),
        ("role,content\nAgent Ana,a\ncustomer,b", [("user", "Agent Ana", "a"), ("user", "customer", "b")]),
        (
            "speaker,content\nUser,a\nClaude,b\nAna,c",
            [("user", None, "a"), ("assistant", "Claude", "b"), ("user", "Ana", "c")],
        ),
        ("role,speaker,content\nassistant,Ana,a", [("assistant", "Ana", "a")]),
        ("speaker,text\nAna,\nBen,b", [("user", "Ana", ""), ("user", "Ben", "b")]),
        ('speaker;text\nAna;"a ""b"";\nc"\n;d', [("user", "Ana", 'a "b";\nc'), ("user", None, "d")]),
        ("\n\nspeaker,text\n\nAna,a\n,\n", [("user", "Ana", "a")]),
        ("speaker,text\r\nAna,a\r\nBen,b\r\n", [("user", "Ana", "a"), ("user", "Ben", "b")]),
        ("| Speaker | Text |\n|---|:---:|\n| Ana | a |\n", [("user", "Ana", "a")]),
        ("question,answer\nq,a", [("user", None, "q"), ("assistant", None, "a")]),
        ("speaker,text,\nAna,a,\nBen,b,\n", [("user", "Ana", "a"), ("user", "Ben", "b")]),
        ("speaker,text\nAna,a,\nBen,b,\n", [("user", "Ana", "a"), ("user", "Ben", "b")]),
    ],
)
def test_table_rows(text, expected):
    assert _rows(text) == expected


def test_table_names_the_columns_that_it_used():
    """Issue 7: a reader says which rule it used."""
    reading = _read("id,Author,Message,sentiment,Created At\n7,Ana,a,0.5,2026-01-02T03:04:05Z")
    assert reading.rule == (
        "separated by comma; text from 'Message', speaker from 'Author', time from 'Created At', "
        "id from 'id'; not read: 'sentiment'; by timestamp"
    )
    (message,) = reading.conversation
    assert (message.id, message.origin) == ("7", "line 2")
    assert message.timestamp == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_table_says_which_of_two_texts_it_took_and_why():
    reading = _read("speaker,message,text\nAna,x,a longer text\nBen,y,another one")
    assert [m.content for m in reading.conversation] == ["a longer text", "another one"]
    assert "'text' is the text rather than 'message': it has more characters" in reading.rule
    assert "not read: 'message'" in reading.rule


def test_table_finds_the_order_of_day_and_month():
    reading = _read("date;time;speaker;text\n9/14/26;6:05 PM;Ana;a\n9/15/26;07:10;Ben;b")
    assert [m.timestamp.isoformat() for m in reading.conversation] == [
        "2026-09-14T18:05:00+00:00",
        "2026-09-15T07:10:00+00:00",
    ]
    assert "month first: 9/14/26 can be read in no other order" in reading.rule
    assert "the file names no time zone; UTC is assumed" in reading.conversation.warnings


def test_table_warns_of_rows_that_do_not_fit():
    reading = _read("speaker,text,time\nAna,one, two,2026-01-01\nBen\nCleo,three,never")
    assert [m.content for m in reading.conversation] == ["one, two", "", "three"]
    assert reading.conversation.warnings[:2] == (
        "line 2: 4 cells instead of 3; what is too much was joined to 'text'",
        "line 3: 1 cells instead of 3; the missing ones are empty",
    )
    assert "line 4: the time 'never' cannot be read; the message has none" in reading.conversation.warnings


def test_table_several_conversations_are_listed():
    text = "thread,speaker,text\nA,Ana,a\nB,Ben,b\nA,Cleo,c\n"
    heads = READER.conversations(Document(text))
    assert [(h.id, h.title, h.n_messages, h.place) for h in heads] == [
        ("A", "A", 2, "line 2"),
        ("B", "B", 1, "line 3"),
    ]
    with pytest.raises(TranscriptError, match="choose one with --conversation"):
        _read(text)
    reading = _read(text, "A")
    assert [(m.content, m.origin) for m in reading.conversation] == [("a", "line 2"), ("c", "line 4")]
    assert reading.n_conversations == 2


def test_table_takes_a_text_longer_than_the_limit_of_csv():
    long = "x" * 200_000
    assert _rows(f"speaker,text\nAna,{long}\n") == [("user", "Ana", long)]


def test_table_without_known_columns_is_an_error():
    with pytest.raises(TranscriptError, match="no header that names the columns of a chat"):
        _read("a,b\nc,d")


CELLS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=20)
SPEAKERS = st.text(st.characters(codec="utf-8", categories=["L"]), min_size=2, max_size=9).map(
    lambda s: f"Q{s}"
)
TEXTS = st.lists(CELLS, min_size=1, max_size=3).map("\n".join).filter(lambda text: bool(text.strip()))
ZONES = st.integers(-56, 56).map(lambda quarters: timezone(timedelta(minutes=15 * quarters)))
MOMENTS = st.datetimes(
    datetime.fromisoformat("1980-01-01"), datetime.fromisoformat("2090-01-01"), timezones=ZONES
)


@given(
    st.lists(st.tuples(SPEAKERS, TEXTS, MOMENTS), min_size=1, max_size=6),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from(["\n", "\r\n"]),
)
@settings(max_examples=80, deadline=None)
def test_table_a_chat_that_is_written_is_read_again(turns, separator, line_break):
    """With every separator and quoting of Python's csv writer, and times of any zone."""
    turns.sort(key=lambda turn: turn[2])
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator=line_break)
    writer.writerow(["timestamp", "speaker", "text"])
    writer.writerows([moment.isoformat(), speaker, text] for speaker, text, moment in turns)
    reading = _read(out.getvalue())
    found = [(m.speaker, m.content, m.timestamp) for m in reading.conversation]
    assert found == [(" ".join(speaker.split()), text, moment) for speaker, text, moment in turns]


@given(mutated_text("table.csv") | mutated_text("table_pairs.tsv"))
@settings(max_examples=60, deadline=None)
def test_table_raises_nothing_but_transcript_errors(text):
    """Issue 7: no crash other than TranscriptError."""
    read_or_refuse(READER, text)


GERMAN = "Wann;Wer;Nachricht;Kanal\n31.12.2026 10:00;Ida;hallo;a\n01.01.2027 09:00;Tam;ja; b\n"


def test_table_takes_the_columns_that_are_chosen():
    """Issue 7: CSV with chosen columns."""
    chosen = {"text": "Nachricht", "speaker": "Wer", "time": "wann"}
    reading = read_bytes(GERMAN.encode(), columns=chosen)
    assert reading.format == "table"
    assert [(m.speaker, m.content, m.timestamp.isoformat()) for m in reading.conversation] == [
        ("Ida", "hallo", "2026-12-31T10:00:00+00:00"),
        ("Tam", "ja", "2027-01-01T09:00:00+00:00"),
    ]
    assert "not read: 'Kanal'" in reading.rule
    with pytest.raises(TranscriptError, match="holds 2 conversations"):
        read_bytes(GERMAN.encode(), columns={**chosen, "conversation": "Kanal"})


def test_table_a_chosen_column_comes_before_a_known_one():
    text = "role,content,note\nuser,hi,first\nuser,ho,second\n"
    reading = read_bytes(text.encode(), columns={"text": "note"})
    assert [(m.role, m.content) for m in reading.conversation] == [("user", "first"), ("user", "second")]
    pairs = read_bytes(text.encode(), columns={"prompt": "content", "answer": "note"})
    assert [m.content for m in pairs.conversation] == ["hi", "first", "ho", "second"]


def test_table_without_the_chosen_columns_is_refused():
    with pytest.raises(TranscriptError, match="no header with the columns 'Text'; its first line is 'Wann"):
        read_bytes(GERMAN.encode(), columns={"text": "Text"})
    with pytest.raises(TranscriptError, match="archive"):
        read_bytes(b"PK\x03\x04", columns={"text": "Text"})
    with pytest.raises(InvalidParameterError, match="columns are chosen for text, speaker"):
        read_bytes(GERMAN.encode(), columns={"colour": "Wer"})
