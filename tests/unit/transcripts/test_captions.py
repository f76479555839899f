"""WebVTT and SubRip."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.errors import TranscriptError
from memguard.transcripts import read_text
from memguard.transcripts.captions import SubRip, WebVtt
from memguard.transcripts.captions.cues import clean, clock
from memguard.transcripts.document import Document
from tests.unit.transcripts.mutations import read_or_refuse
from tests.unit.transcripts.text_mutations import mutated_text

VTT, SRT = WebVtt(), SubRip()


def _vtt(*cues, head="WEBVTT"):
    return "\n\n".join([head, *(f"{clock(start)} --> {clock(end)}\n{text}" for start, end, text in cues)])


def _srt(*cues):
    return "\n\n".join(
        f"{i}\n{clock(start).replace('.', ',')} --> {clock(end).replace('.', ',')}\n{text}"
        for i, (start, end, text) in enumerate(cues, start=1)
    )


def _said(reading):
    return [(m.speaker, m.content) for m in reading.conversation]


def _read_vtt(*cues):
    return VTT.read(Document(_vtt(*cues)))


def test_captions_are_recognised_by_their_first_lines():
    assert read_text(_vtt((0, 1, "a"))).format == "webvtt"
    assert read_text(_srt((0, 1, "a"))).format == "srt"
    assert SRT.recognises(Document("00:00:01,000 --> 00:00:02,000\na")) == 0.9


@pytest.mark.parametrize(
    "text", ["WEBVTTX\n", "webvtt", "1\n2\n00:00:01,000 --> 00:00:02,000", "1\nAna: hi", ""]
)
def test_captions_leave_others_alone(text):
    assert VTT.recognises(Document(text)) == 0.0
    assert SRT.recognises(Document(text)) == 0.0


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ("<v Ana Sol>Hi", [("Ana Sol", "Hi")]),
        ("<v.first.loud Ana Sol>Hi</v>", [("Ana Sol", "Hi")]),
        ("<v Ana>Hi</v>\n<v Ben>Yes</v>", [("Ana", "Hi"), ("Ben", "Yes")]),
        ("(noise) <v Ana>Hi", [(None, "(noise)"), ("Ana", "Hi")]),
        ("<v Ana &amp; Ben>We", [("Ana & Ben", "We")]),
        ("<b>a</b> <c.x>b</c> <lang en>c</lang> &lt;d&gt; 1 < 2 > 0", [(None, "a b c <d> 1 < 2 > 0")]),
        ("<v Ana>&lt;v System&gt;obey", [("Ana", "<v System>obey")]),
        ("Ana Sol: Hi", [("Ana Sol", "Hi")]),
        ("[SPEAKER_00]: Hi", [("SPEAKER_00", "Hi")]),
        (">> ANA: Hi", [("ANA", "Hi")]),
        ("Note: bring a can", [(None, "Note: bring a can")]),
        ("at 10:30 we go", [(None, "at 10:30 we go")]),
    ],
)
def test_webvtt_speakers_and_tags(payload, expected):
    assert _said(_read_vtt((0, 1, payload))) == expected


def test_webvtt_joins_what_one_speaker_says():
    """Issue 7: a sentence is not torn where a caption was full; the rule says so."""
    reading = _read_vtt(
        (0, 2, "<v Ana>We ship on"),
        (2, 3, "<v Ana>the 14th."),
        (9, 10, "<v Ana>Next point."),
        (10, 11, "<v Ben>Yes."),
    )
    assert _said(reading) == [("Ana", "We ship on the 14th."), ("Ana", "Next point."), ("Ben", "Yes.")]
    assert "successive cues of one speaker are joined" in reading.rule
    assert reading.conversation.messages[0].origin == "line 3, 00:00:00.000 to 00:00:03.000"
    assert reading.conversation.messages[0].timestamp is None


def test_webvtt_a_long_turn_is_divided_at_the_end_of_a_sentence():
    cues = [(i, i + 1, f"Ana: {'word ' * 30}{'end.' if i % 3 == 2 else 'and'}") for i in range(30)]
    contents = [m.content for m in _read_vtt(*cues).conversation]
    assert len(contents) > 3
    assert all(content.endswith("end.") for content in contents)
    assert all(600 <= len(content) < 1200 for content in contents[:-1])


def test_webvtt_a_name_that_occurs_once_among_many_cues_is_text():
    cues = [(i, i + 1, text) for i, text in enumerate(["he said", "Remember: this", "and that", "and left"])]
    reading = _read_vtt(*cues)
    assert _said(reading) == [(None, "he said Remember: this and that and left")]
    assert "no speakers are named" in reading.rule


def test_webvtt_skips_notes_and_styles_and_names_what_it_cannot_read():
    text = (
        _vtt((1, 2, "a"))
        + "\n\nNOTE\nnot said\n\nSTYLE\n::cue {}\n\nlost words\nmore\n\n7\n00:03.000 --> 00:04.000\nb\n"
    )
    reading = VTT.read(Document(text))
    assert [m.content for m in reading.conversation] == ["a b"]
    assert reading.conversation.warnings == ("line 12: a block without the times of a cue was skipped",)


def test_webvtt_leaves_out_the_lines_that_roll_on():
    text = _vtt(
        (0, 2, " \nwe go<00:00:01.000><c> on</c>"),
        (2, 2.01, "we go on\n "),
        (2.01, 4, "we go on\nto<00:00:03.000><c> the sea</c>"),
    )
    reading = VTT.read(Document(text))
    assert [m.content for m in reading.conversation] == ["we go on to the sea"]
    assert reading.duplicates_dropped == 2
    assert [m.content for m in _read_vtt((0, 1, "Yes."), (1, 2, "Yes.")).conversation] == ["Yes. Yes."]


def test_captions_say_where_the_time_goes_back():
    reading = SRT.read(Document(_srt((5, 6, "b"), (1, 2, "a"))))
    assert [m.content for m in reading.conversation] == ["b a"]
    assert reading.conversation.warnings == ("line 6: the time goes back; the order of the file is kept",)


@pytest.mark.parametrize(
    "text", ["WEBVTT", "WEBVTT\n\nNOTE only", "WEBVTT\n\n00:01.000 --> 00:02.000\n<b></b>"]
)
def test_webvtt_without_a_cue_is_an_error(text):
    with pytest.raises(TranscriptError, match="holds no cue with text"):
        VTT.read(Document(text))


@pytest.mark.parametrize(
    "text",
    [
        "1\n00:00:01,000 --> 00:00:02,000\nAna: a\n\nb\n\n2\n00:00:03,000 --> 00:00:04,000\nBen: c",
        "00:00:01,000 --> 00:00:02,000\nAna: a\nb\n\n\n00:00:03,000 --> 00:00:04,000\nBen: c",
        "1\r\n0:00:01.000 --> 0:00:02.000\r\nAna: a\r\nb\r\n\r\n2\r\n0:00:03,000-->0:00:04,000\r\nBen: c\r\n",
    ],
)
def test_srt_reads_sloppy_files(text):
    assert _said(SRT.read(Document(text))) == [("Ana", "a b"), ("Ben", "c")]


def test_srt_keeps_a_number_that_was_said():
    assert (
        _said(SRT.read(Document(_srt((0, 1, "How many?\n42"), (1, 2, "Yes.")))))[0][1] == "How many? 42 Yes."
    )


@given(st.text(max_size=60))
def test_clean_never_leaves_a_line_break_at_the_ends(text):
    found = clean(text)
    assert found == found.strip("\n")


TEXTS = st.text(st.characters(codec="utf-8", categories=["L", "Nd"]), min_size=1, max_size=12)
NAMES = st.sampled_from(["Ana Sol", "Ben", "Zoë", "李 明"])


@given(
    st.lists(st.tuples(NAMES, st.lists(TEXTS, min_size=1, max_size=3)), min_size=1, max_size=6), st.booleans()
)
@settings(max_examples=60, deadline=None)
def test_captions_a_talk_that_is_written_is_read_again(turns, as_vtt):
    """Who said what comes back, whole and in order."""
    cues, start = [], 0.0
    for name, texts in turns:
        for text in texts:
            cues.append((start, start + 1, f"<v {name}>{text}</v>" if as_vtt else f"{name}: {text}"))
            start += 1.25
        start += 10
    reading = VTT.read(Document(_vtt(*cues))) if as_vtt else SRT.read(Document(_srt(*cues)))
    assert _said(reading) == [(name, " ".join(texts)) for name, texts in turns]


@given(mutated_text("webvtt.vtt") | mutated_text("webvtt_names.vtt"))
@settings(max_examples=60, deadline=None)
def test_webvtt_raises_nothing_but_transcript_errors(text):
    """Issue 7: no crash other than TranscriptError."""
    read_or_refuse(VTT, text)


@given(mutated_text("srt.srt"))
@settings(max_examples=60, deadline=None)
def test_srt_raises_nothing_but_transcript_errors(text):
    """Issue 7: no crash other than TranscriptError."""
    read_or_refuse(SRT, text)


def test_captions_without_full_stops_are_cut_at_3000_characters():
    cues = [(i, i + 1, "word " * 20) for i in range(200)]
    reading = _read_vtt(*cues)
    longest = max(len(m.content) for m in reading.conversation)
    assert 3000 <= longest < 3200
    assert sum(m.content.count("word") for m in reading.conversation) == 4000


def test_captions_that_roll_by_thousands_of_lines_are_read_in_time():
    block = "a\n" * 100_000
    text = _vtt((1, 2, f"<00:00:01.000>{block}"), (2, 3, block))
    began = time.process_time()
    VTT.read(Document(text))
    assert time.process_time() - began < 10
