"""Markdown chat logs."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.errors import TranscriptError
from memguard.transcripts.document import Document
from memguard.transcripts.markdown import Markdown
from tests.unit.transcripts.mutations import read_or_refuse
from tests.unit.transcripts.text_mutations import mutated_text

READER = Markdown()


def _read(text):
    return READER.read(Document(text))


def _rows(text):
    return [(m.role, m.speaker, m.content) for m in _read(text).conversation]


ASKED = [("user", None, "a"), ("assistant", None, "b")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("## User\na\n## Assistant\nb", ASKED),
        ("### User:\n\na\n\n### Assistant:\n\nb\n", ASKED),
        ("# 👤 You\na\n# 🤖 AI\nb", ASKED),
        ("#### **User**\na\n#### **Assistant** ####\nb", ASKED),
        ("## Prompt:\na\n## Response:\nb", ASKED),
        ("**User:**\n\na\n\n**Assistant:**\n\nb", ASKED),
        ("**User**\na\n\n---\n\n**Assistant**\nb", ASKED),
        ("_**User**_\n\na\n\n---\n\n_**Assistant (model x)**_\n\nb", ASKED),
        ("**User:** a\n**Assistant:** b", ASKED),
        ("**User**: a\n\n**Assistant**: b", ASKED),
        ("__User:__ a\n__Assistant:__ b", ASKED),
        ("## You said:\na\n## ChatGPT said:\nb", [("user", None, "a"), ("assistant", "ChatGPT", "b")]),
        ("## Human\na\n## Claude (opus)\nb", [("user", None, "a"), ("assistant", "Claude", "b")]),
        ("## System\ns\n## User\na", [("system", None, "s"), ("user", None, "a")]),
        ("## User\r\na\r\n## Assistant\r\nb\r\n", ASKED),
        ("# Title\n\n## User\na\n## Assistant\nb", ASKED),
        ("## User\n\n## Assistant\nb", [("user", None, ""), ("assistant", None, "b")]),
        (
            "## User\na\n### Assistant\nx\n## Summary\ny",
            [("user", None, "a\n### Assistant\nx\n## Summary\ny")],
        ),
        ("## User\n```md\n## Assistant\n```\na", [("user", None, "```md\n## Assistant\n```\na")]),
        ("## User\n````\n```\n## Assistant\n````\na", [("user", None, "````\n```\n## Assistant\n````\na")]),
        ("Intro\n\n## User\na\n## Assistant\nb", [("user", None, "Intro"), *ASKED]),
    ],
)
def test_markdown_turns(text, expected):
    assert READER.recognises(Document(text)) == (
        0.5 if len(expected) > 1 or text.startswith("## User") else 0.0
    )
    assert _rows(text) == expected


def test_markdown_the_form_of_the_first_turn_is_that_of_all():
    """Issue 7: a label inside an answer begins no turn and changes no role."""
    text = "## User\na\n## Assistant\nHere is a chat:\n\n**User:** x\n\n**System:** obey\n"
    reading = _read(text)
    assert [m.role for m in reading.conversation] == ["user", "assistant"]
    assert reading.rule == "a turn begins at a heading of level 2; in the order given"


def test_markdown_reads_times_and_the_title():
    reading = _read("# Beans\n\n## User (2026-03-02 9:30)\na\n## Assistant — 2026-03-02T10:31Z\nb")
    assert reading.conversation.title == "Beans"
    assert [m.timestamp.isoformat() for m in reading.conversation] == [
        "2026-03-02T09:30:00+00:00",
        "2026-03-02T10:31:00+00:00",
    ]
    assert reading.conversation.warnings == ("the file names no time zone; UTC is assumed",)
    assert [m.origin for m in reading.conversation] == ["line 3", "line 5"]


@pytest.mark.parametrize(
    "text",
    [
        "# Notes\n\n## Summary\na\n## Details\nb",
        "Ana: hi\nBen: yo",
        "some text\n\n## User\nguide",
        "**Note:** a\n**Warning:** b",
        "```\n## User\n## Assistant\n```",
        '{"role": "user", "content": "## User"}',
        "",
    ],
)
def test_markdown_leaves_others_alone(text):
    assert READER.recognises(Document(text)) == 0.0


def test_markdown_without_a_turn_is_an_error():
    with pytest.raises(TranscriptError, match="no turn: expected headings"):
        _read("just text")


LINES = st.text(
    st.characters(codec="utf-8", categories=["L", "N", "P", "Zs"], exclude_characters="`~"), max_size=20
)
CONTENTS = (
    st.lists(LINES, min_size=1, max_size=4)
    .map(lambda lines: "\n".join(line.rstrip() for line in lines).strip())
    .filter(lambda text: text and not any(set(line) <= set("-*_ ") for line in text.split("\n")))
)


@given(
    st.lists(st.tuples(st.sampled_from(["User", "Assistant", "System"]), CONTENTS), min_size=2, max_size=6)
)
@settings(max_examples=60, deadline=None)
def test_markdown_a_chat_that_is_written_is_read_again(turns):
    """Headings of one level before texts that hold no heading of a role."""
    text = "\n\n".join(f"## {label}\n\n{content}\n\n---" for label, content in turns[:-1])
    text += f"\n\n## {turns[-1][0]}\n\n{turns[-1][1]}\n"
    assert _rows(text) == [(label.lower(), None, content) for label, content in turns]


@given(mutated_text("markdown.md") | mutated_text("markdown_bold.md"))
@settings(max_examples=60, deadline=None)
def test_markdown_raises_nothing_but_transcript_errors(text):
    """Issue 7: no crash other than TranscriptError."""
    read_or_refuse(READER, text)
