"""Every sample of every format, written in each form and read again."""

import json
from pathlib import Path

import pytest

from memguard.transcripts import read_file, read_text
from memguard.transcripts.writers import FORMS, written

FOLDER = Path(__file__).parents[2] / "data" / "transcripts"
SAMPLES = sorted(
    path for path in FOLDER.iterdir() if path.is_file() and not path.name.endswith(".expected.json")
)


def _which(path):
    expected = path.with_name(f"{path.name.partition('.')[0]}.expected.json")
    return json.loads(expected.read_text("utf-8")).get("conversation") if expected.exists() else None


@pytest.mark.parametrize("form", sorted(FORMS))
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_sample_comes_back_from_every_form(path, form):
    """Issue 7: convert, then read again: the same messages, for what the form can hold."""
    conversation = read_file(path, conversation=_which(path)).conversation
    result = written(conversation, form)
    back = read_text(result.text).conversation
    told = " ".join(result.warnings)
    assert [m.role for m in back] == [m.role for m in conversation] or "roles" in told
    if "calls that the text leaves out" in told:
        assert form != "markdown"
    else:
        strip = str.strip if form == "markdown" else str
        assert [strip(m.content) for m in back] == [strip(m.content) for m in conversation]
    if form == "jsonl" and not told:
        assert back.digest() == conversation.digest()
    if form != "openai":
        assert [m.speaker for m in back] == [m.speaker for m in conversation] or "speaker" in told
        assert [m.timestamp for m in back] == [m.timestamp for m in conversation] or "order" in told
