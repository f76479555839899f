"""The handed cases of ingest about chats of applications, through the registry."""

import pytest

from memguard.transcripts import read_text


@pytest.mark.parametrize("case", ["ING-014", "ING-021", "ING-025"], indirect=True)
def test_ingest_reads_chats_of_applications(case):
    """ING-014 bytes written as characters, ING-021 odd blanks, ING-025 lines that look like headers."""
    reading = read_text(case["input"]["text"])
    assert reading.format == ("messenger" if case["id"] == "ING-014" else "whatsapp")
    for message, wanted in zip(reading.conversation, case["expected"]["messages"], strict=True):
        assert (message.speaker, message.content) == (wanted["speaker"], wanted["content"])
        if "ts" in wanted:
            # A case without a zone compares the wall time: the reader assumes UTC and says so.
            assert message.timestamp.isoformat().removesuffix("+00:00") == wanted["ts"].removesuffix("Z")
    no_zone = "the file names no time zone; UTC is assumed" in reading.conversation.warnings
    assert no_zone == (reading.format == "whatsapp")
