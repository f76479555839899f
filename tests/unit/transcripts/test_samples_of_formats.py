"""Every sample of a format, through the registry: recognised as its own, and read as expected."""

import json
from datetime import datetime
from pathlib import Path

import pytest

from memguard.transcripts import Document, formats, read_bytes, read_file
from memguard.transcripts.recognition import READERS

FOLDER = Path(__file__).parents[2] / "data" / "transcripts"
EXPECTED = sorted(FOLDER.glob("*.expected.json"))
COMPARED = ("role", "speaker", "content", "origin")
OPTIONAL = ("id", "tool_name", "tool_call_id")
COUNTS = ("abandoned_messages", "duplicates_dropped", "skipped_lines", "n_conversations")


def _sample(expected):
    name = expected.name.removesuffix(".expected.json")
    (found,) = [path for path in FOLDER.glob(f"{name}.*") if not path.name.endswith(".expected.json")]
    return found


def _time(text):
    return None if text is None else datetime.fromisoformat(text)


@pytest.mark.parametrize("path", EXPECTED, ids=lambda path: path.name.removesuffix(".expected.json"))
def test_sample_is_read_as_expected(path):
    """Issue 7: every reader has a sample written for the project, with expected messages."""
    expected = json.loads(path.read_text("utf-8"))
    sample = _sample(path)
    reading = read_file(sample, conversation=expected.get("conversation"))
    assert reading.format == expected["format"]
    assert reading.rule == expected["rule"]
    messages = reading.conversation.messages
    for message, wanted in zip(messages, expected["messages"], strict=True):
        found = {field: getattr(message, field) for field in COMPARED}
        assert found == {field: wanted[field] for field in COMPARED}
        assert message.timestamp == _time(wanted["timestamp"])
        for field in OPTIONAL:
            assert getattr(message, field) == wanted.get(field, None if field != "id" else message.id)
        assert message.timestamp is None or message.timestamp.tzinfo is not None
        assert message.origin
    told = [warning.replace(str(sample), sample.name) for warning in reading.conversation.warnings]
    assert told == expected["warnings"]
    for field in COUNTS:
        assert getattr(reading, field) == expected.get(field, getattr(reading, field))


@pytest.mark.parametrize("path", EXPECTED, ids=lambda path: path.name.removesuffix(".expected.json"))
def test_sample_is_recognised_by_its_content_and_by_one_reader_most(path):
    expected = json.loads(path.read_text("utf-8"))
    data = _sample(path).read_bytes()
    assert read_bytes(data, conversation=expected.get("conversation")).format == expected["format"]
    if data.startswith(b"PK"):
        return
    document = Document(data.decode("utf-8-sig", "replace"))
    scores = sorted(((reader.recognises(document), reader.name) for reader in READERS), reverse=True)
    assert scores[0][1] == expected["format"]
    assert scores[0][0] > scores[1][0], scores[:3]


def test_every_format_has_a_sample():
    assert {json.loads(path.read_text("utf-8"))["format"] for path in EXPECTED} == set(formats())


def test_every_format_stands_in_the_docs():
    """Issue 7: the docs have a table of formats, what is kept and what is not."""
    rows = (Path(__file__).parents[3] / "docs" / "formats.md").read_text("utf-8").splitlines()
    named = {row.split("`")[1] for row in rows if row.startswith("| `") and row.count("|") == 5}
    assert set(formats()) <= named
