"""WhatsApp's text export."""

import io
import zipfile
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.errors import TranscriptError
from memguard.transcripts import read_bytes
from memguard.transcripts.chats.whatsapp import WhatsApp
from memguard.transcripts.document import Document
from tests.unit.transcripts.mutations import read_or_refuse
from tests.unit.transcripts.text_mutations import mutated_text

READER = WhatsApp()


def _read(text):
    return READER.read(Document(text))


def _rows(text):
    return [(m.role, m.speaker, m.content) for m in _read(text).conversation]


def _times(text):
    return [m.timestamp.isoformat() for m in _read(text).conversation]


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("14/9/2026, 18:05 - Ida: ok", "18:05:00"),
        ("14/9/26, 6:05 pm - Ida: ok", "18:05:00"),
        ("14/9/2026 6:05 p. m. - Ida: ok", "18:05:00"),
        ("14/9/26, 6:05\u202fPM - Ida: ok", "18:05:00"),
        ("14.09.26, 18:05 - Ida: ok", "18:05:00"),
        ("2026-09-14 18:05 - Ida: ok", "18:05:00"),
        ("[14/09/2026, 18:05:02] Ida: ok", "18:05:02"),
        ("[14/09/2026, 6:05:02\u202fPM] Ida: ok", "18:05:02"),
        ("\u200e[14.09.26, 18:05:02] Ida: ok", "18:05:02"),
        ("[14.9.2026 klo 18.05.02] Ida: ok", "18:05:02"),
        ("[2026/9/14 下午6:05:02] Ida: ok", "18:05:02"),
        ("2026/9/14 下午6:05 - Ida: ok", "18:05:00"),
        ("2026. 9. 14. 오후 6:05, Ida : ok", "18:05:00"),
        ("\u200f14\u200f/9\u200f/2026، 6:05 م - Ida: ok", "18:05:00"),
        ("14/9/2026 at 18:05 - Ida: ok", "18:05:00"),
    ],
)
def test_whatsapp_reads_the_headers_that_phones_write(header, expected):
    """ING-021: clocks of 12 and 24 hours, odd blanks, marks of direction, other scripts."""
    assert READER.recognises(Document(header)) >= 0.5
    assert _rows(header) == [("user", "Ida", "ok")]
    assert _times(header) == [f"2026-09-14T{expected}+00:00"]


@pytest.mark.parametrize(
    "line",
    [
        "12:00 - lunch: soup",
        "5/10 - away day",
        "14/9/2026 - Tam: no clock",
        "14/9/2026, 18:05 Tam: no divider",
        "(14/9/2026, 18:05) Tam: round",
        "14/9/2026, 25:05 - Tam: an hour too many",
        "45/45/2026, 18:05 - Tam: no date",
        "[14/9/2026, 18:05 - Tam: half a bracket",
        "14/9/2026, 18:05] Tam: half a bracket",
        "Note: 14/9/2026, 18:05 - Tam: inside",
    ],
)
def test_whatsapp_other_lines_go_on_with_the_message(line):
    """ING-025: a line that only resembles a header belongs to the message before it."""
    text = f"14/9/2026, 18:00 - Ida: first\n{line}\n14/9/2026, 19:00 - Tam: last"
    assert _rows(text) == [("user", "Ida", f"first\n{line}"), ("user", "Tam", "last")]


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ("Ida: a: b", ("user", "Ida", "a: b")),
        ("Ida:", ("user", "Ida", "")),
        ("~\u202fIda: ok", ("user", "Ida", "ok")),
        ("\u202a+44 7700 900123\u202c: ok", ("user", "+44 7700 900123", "ok")),
        ("Ida left", ("system", None, "Ida left")),
        ('Ida changed the group name from "a: b" to "c: d"', ("system", None, None)),
        ("Ida created group “A: b”", ("system", None, None)),
        ("Ida: \u200eIda changed this group's icon", ("system", "Ida", "Ida changed this group's icon")),
        ("Ida: \u200eimage omitted", ("user", "Ida", "[image]")),
        ("Ida: look \u200eGIF omitted", ("user", "Ida", "look [gif]")),
        ("Ida: \u200eBild weggelassen", ("user", "Ida", "[image]")),
        ("Ida: \u200eHologramm weggelassen", ("user", "Ida", "[media]")),
        ("Ida: nothing omitted", ("user", "Ida", "nothing omitted")),
        ("Ida: ja <Diese Nachricht wurde bearbeitet.>", ("user", "Ida", "ja")),
        ("Ida: we have an image omitted", ("user", "Ida", "we have an image omitted")),
        ("Ida: <Media omitted>", ("user", "Ida", "[media]")),
        ("Ida: <Medien ausgeschlossen>", ("user", "Ida", "[media]")),
        ("Ida: \u200e<attached: 1-PHOTO.jpg>", ("user", "Ida", "[file: 1-PHOTO.jpg]")),
        ("Ida: IMG-1.jpg (file attached)", ("user", "Ida", "[file: IMG-1.jpg]")),
        ("Ida: \u200eThis message was deleted.", ("user", "Ida", "[message deleted]")),
        ("Ida: This message was deleted by me", ("user", "Ida", "This message was deleted by me")),
        ("Ida: Mensagem apagada", ("user", "Ida", "[message deleted]")),
        ("Ida: Missed voice call", ("system", "Ida", "Missed voice call")),
        ("Ida: Missed voice call from you, why?", ("user", "Ida", "Missed voice call from you, why?")),
        ("Ida: \u200eVerpasster Sprachanruf.", ("system", "Ida", "Verpasster Sprachanruf.")),
        ("Ida: ok \u200e<This message was edited>", ("user", "Ida", "ok")),
        ("Ida: @\u2068Tam Ode\u2069 ok", ("user", "Ida", "@Tam Ode ok")),
        ("Ida: \u200ePOLL:", ("user", "Ida", "POLL:")),
        ("ندى: مرحبا", ("user", "ندى", "مرحبا")),
    ],
)
def test_whatsapp_tells_the_app_from_people(rest, expected):
    (row,) = [
        row
        for row in _rows(f"14/9/2026, 18:00 - {rest}\n14/9/2026, 19:00 - Tam: last")
        if row != ("user", "Tam", "last")
    ]
    wanted = expected if expected[2] is not None else (*expected[:2], rest)
    assert row == wanted


def test_whatsapp_counts_what_is_not_in_the_export():
    text = "".join(f"14/9/2026, 18:0{i} - Ida: <Media omitted>\n" for i in range(9))
    text += "14/9/2026, 19:00 - Ida: ok <This message was edited>\n"
    text += "14/9/2026, 19:01 - Ida: You deleted this message"
    warnings = _read(text).conversation.warnings
    assert (
        "the media of 9 messages are not in the export; the text says which kind, such as [image]" in warnings
    )
    assert "1 message had been edited; the text is the last version" in warnings
    assert "1 message had been deleted; the text says [message deleted]" in warnings


def test_whatsapp_says_where_the_time_goes_back():
    text = "25/10/2026, 02:59 - Ida: a\n25/10/2026, 02:01 - Tam: b\n25/10/2026, 03:00 - Ida: c"
    reading = _read(text)
    assert [m.content for m in reading.conversation] == ["b", "a", "c"]
    assert reading.rule.endswith("by timestamp")
    assert any(w.startswith("line 2: the time goes back") for w in reading.conversation.warnings)


def test_whatsapp_a_part_of_a_chat_keeps_its_first_lines():
    text = "the end of a message\n14/9/2026, 18:00 - Ida: a\n14/9/2026, 18:01 - Tam: b"
    assert READER.recognises(Document(text)) == 0.5
    reading = _read(text)
    assert [m.content for m in reading.conversation] == ["the end of a message", "a", "b"]
    assert [m.origin for m in reading.conversation] == ["line 1", "line 2", "line 3"]
    assert any("before the first date" in w for w in reading.conversation.warnings)


@pytest.mark.parametrize(
    "text",
    [
        "Ana: hi\nBen: yo",
        "[10:30] Ana: hi",
        "2026-03-02 10:30 - User: a\n2026-03-02 10:31 - Assistant: b",
        "14/9/2026, 18:00 - nobody said a word",
        "Shopping\n14/9/2026, 18:00 - Ida: a\nmilk\nbread\neggs",
        '[{"role": "user", "content": "14/9/2026, 18:00 - Ida: a"}]',
        "",
    ],
)
def test_whatsapp_leaves_others_alone(text):
    assert READER.recognises(Document(text)) == 0.0


def test_whatsapp_without_a_header_is_an_error():
    with pytest.raises(TranscriptError, match="no line begins with a date"):
        _read("Ana: hi")


WORDS = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=30)
CONTENTS = st.lists(WORDS, min_size=1, max_size=3).map("\n".join).map(str.strip).filter(bool)
BEFORE = datetime.fromisoformat("2015-12-25T07:00")
"""Its day can be no month: it tells the order of all dates."""
NAMES = st.from_regex(r"[A-ZÀ-Ý][a-zà-ý]{1,8}( [A-Z][a-z]{1,8})?", fullmatch=True)


def _android(moment, month_first, half):
    day, month = (moment.month, moment.day) if month_first else (moment.day, moment.month)
    clock = f"{moment:%I:%M}\u202f{moment:%p}" if half else f"{moment:%H:%M}"
    return f"{day}/{month}/{moment:%y}, {clock} - "


def _ios(moment, month_first, half):
    day, month = (moment.month, moment.day) if month_first else (moment.day, moment.month)
    clock = f"{moment:%I:%M:%S}\u202f{moment:%p}" if half else f"{moment:%H:%M:%S}"
    return f"[{day:02}/{month:02}/{moment:%Y}, {clock}] "


@given(
    st.lists(st.tuples(NAMES, CONTENTS, st.integers(60, 40 * 86_400)), min_size=1, max_size=8),
    st.datetimes(datetime.fromisoformat("2016-01-01"), datetime.fromisoformat("2030-01-01")),
    st.sampled_from([_android, _ios]),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["\n", "\r\n"]),
)
@settings(max_examples=80, deadline=None)
def test_whatsapp_a_chat_that_is_written_is_read_again(turns, start, form, month_first, half, line_break):
    """ING-021: senders, texts of several lines and times come back, in both orders and with both clocks."""
    moment = start.replace(second=0, microsecond=0)
    lines, expected = [f"{form(BEFORE, month_first, half)}Zoe: start"], []
    for name, content, pause_s in turns:
        moment += timedelta(seconds=pause_s - pause_s % 60)
        lines.append(f"{form(moment, month_first, half)}{name}: {content}")
        expected.append((name, content, moment.replace(tzinfo=UTC)))
    reading = _read(
        line_break.join(lines).replace("\n", line_break) if line_break == "\n" else "\r\n".join(lines)
    )
    found = [(m.speaker, m.content, m.timestamp) for m in reading.conversation][1:]
    assert found == expected
    assert reading.rule.startswith("month first" if month_first else "day first")


@given(
    st.text("abcÄÖÜßéñçø ", min_size=1, max_size=30).filter(lambda text: bool(text.strip())),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]),
    st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_whatsapp_is_read_in_every_encoding_that_is_detected(content, encoding, zipped):
    """ING-012: UTF-8, UTF-16 and UTF-32, with a mark and without; alone and in the archive of the app."""
    text = "".join(f"14/09/2026, 18:{i:02} - Zoë: {content.strip()} {i}\n" for i in range(9))
    data = text.encode(encoding)
    if zipped:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("_chat.txt", data)
            archive.writestr("00000001-PHOTO.jpg", b"\xff\xd8\xff\x00")
        data = file.getvalue()
    reading = read_bytes(data)
    assert reading.format == "whatsapp"
    assert [(m.speaker, m.content) for m in reading.conversation] == [
        ("Zoë", f"{content.strip()} {i}") for i in range(9)
    ]


@given(mutated_text("whatsapp.txt") | mutated_text("whatsapp_ios.txt"))
@settings(max_examples=60, deadline=None)
def test_whatsapp_raises_nothing_but_transcript_errors(text):
    """Issue 7: no crash other than TranscriptError."""
    read_or_refuse(READER, text)
