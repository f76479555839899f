"""Plain text, the fallback: what was found and mended for other readers' sake."""

import pytest
from hypothesis import given, settings

from memguard.transcripts import read_text
from memguard.transcripts.document import Document
from memguard.transcripts.plain import PlainText, speaker_and_text
from tests.unit.transcripts.mutations import read_or_refuse
from tests.unit.transcripts.text_mutations import mutated_text

READER = PlainText()


def _read(text):
    return READER.read(Document(text))


@pytest.mark.parametrize(
    ("text", "expected", "rule"),
    [
        ("14/9/2026 18:05 Ana: a\n15/9/2026 6:05 PM Ben: b", "2026-09-14T18:05:00+00:00", "day first"),
        ("9/14/2026 18:05 Ana: a\n9/15/2026 6:05 PM Ben: b", "2026-09-14T18:05:00+00:00", "month first"),
        ("[2026-09-14 18:05] Ana: a\n[2026-09-15 18:05] Ben: b", "2026-09-14T18:05:00+00:00", "by timestamp"),
        (
            "2026-09-14T18:05+02:00 Ana: a\n2026-09-15 18:05Z Ben: b",
            "2026-09-14T18:05:00+02:00",
            "by timestamp",
        ),
        (
            "2026-09-14 6:05 PM - Ana: a\n2026-09-15 6:05 PM - Ben: b",
            "2026-09-14T18:05:00+00:00",
            "year first",
        ),
    ],
)
def test_plain_text_reads_dates_in_both_orders(text, expected, rule):
    reading = _read(text)
    assert [(m.speaker, m.content) for m in reading.conversation] == [("Ana", "a"), ("Ben", "b")]
    assert reading.conversation.messages[0].timestamp.isoformat() == expected
    assert reading.rule.startswith(rule)
    no_zone = "the file names no time zone; UTC is assumed" in reading.conversation.warnings
    assert no_zone == ("+02:00" not in text)


def test_plain_text_half_of_the_day_is_no_part_of_a_name():
    reading = _read("10:30 AM - Ana: a\n10:31 PM - Ben: b")
    assert [m.speaker for m in reading.conversation] == ["Ana", "Ben"]
    assert any("times without a date" in w for w in reading.conversation.warnings)
    assert [m.speaker for m in _read("Amy: a\nPm Ode: b").conversation] == ["Amy", "Pm Ode"]


@pytest.mark.parametrize("date", ["99/99/2026", "2026-99-99", "45.1.2026"])
def test_plain_text_a_date_that_does_not_exist_loses_no_words(date):
    reading = _read(f"{date} 10:30 Ana: a\n{date} 10:31 Ben: b")
    assert [(m.speaker, m.content, m.timestamp) for m in reading.conversation] == [
        ("Ana", "a", None),
        ("Ben", "b", None),
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Ana Sol: hi", ("Ana Sol", "hi")),
        ("[SPEAKER_00]: hi", ("SPEAKER_00", "hi")),
        (">> ANA: hi", ("ANA", "hi")),
        ("- Ana: hi", ("Ana", "hi")),
        ("Note: hi", ("", "Note: hi")),
        ("the plan: hi", ("", "the plan: hi")),
        ("10:30: hi", ("", "10:30: hi")),
        ("Ana:", ("", "Ana:")),
        ("", ("", "")),
    ],
)
def test_speaker_and_text(line, expected):
    assert speaker_and_text(line) == expected


@given(mutated_text("plain_text.txt"))
@settings(max_examples=60, deadline=None)
def test_plain_text_raises_nothing_but_transcript_errors(text):
    """Issue 7: no crash other than TranscriptError."""
    read_or_refuse(READER, text)


def test_the_chat_of_a_zoom_meeting_says_who_wrote_to_whom():
    text = (
        "14:02:11 From Ana Sol to Everyone:\n\tthe link is https://a.example\n"
        "14:03:05\t From Ben Ito to Ana Sol(Direct Message): thanks\n"
        "14:04:00 From  Dr. Cy van den Berg : note: 40\n"
    )
    reading = read_text(text)
    assert [(m.speaker, m.content) for m in reading.conversation] == [
        ("Ana Sol", "the link is https://a.example"),
        ("Ben Ito", "[to Ana Sol(Direct Message)] thanks"),
        ("Dr. Cy van den Berg", "note: 40"),
    ]
    dated = read_text("2026-09-14 14:02:11 From Ana Sol to Everyone: hi").conversation.messages[0]
    assert (dated.speaker, dated.content, dated.timestamp.isoformat()) == (
        "Ana Sol",
        "hi",
        "2026-09-14T14:02:11+00:00",
    )
