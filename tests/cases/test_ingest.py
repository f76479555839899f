"""The handed cases of ingest that the present readers answer; other formats come in their own issue."""

import json

import pytest

from memguard.transcripts import read_bytes, read_file, read_text


def _said(reading):
    return [{"role": m.role, "content": m.content} for m in reading.conversation]


@pytest.mark.parametrize("case", ["ING-008"], indirect=True)
def test_ingest_reads_a_list_in_a_file_named_jsonl(case, tmp_path):
    path = tmp_path / case["input"]["filename"]
    path.write_text(case["input"]["text"], encoding="utf-8")
    reading = read_file(path)
    assert _said(reading) == case["expected"]["messages"]
    assert reading.skipped_lines == case["expected"]["skipped_lines"]


@pytest.mark.parametrize("case", ["ING-009"], indirect=True)
def test_ingest_replaces_half_of_an_emoji(case):
    reading = read_text(case["input"]["text"])
    assert _said(reading) == case["expected"]["messages"]
    assert all(message.content.encode("utf-8") for message in reading.conversation)


@pytest.mark.parametrize("case", ["ING-010"], indirect=True)
def test_ingest_splits_jsonl_at_line_feeds_only(case):
    reading = read_text(case["input"]["text"])
    assert _said(reading) == case["expected"]["messages"]
    assert reading.skipped_lines == case["expected"]["skipped_lines"]
    assert reading.format == "jsonl"


@pytest.mark.parametrize("case", ["ING-012"], indirect=True)
def test_ingest_reads_utf16_with_a_mark(case):
    reading = read_bytes(bytes.fromhex(case["input"]["hex"]))
    assert _said(reading) == case["expected"]["messages"]
    assert reading.encoding == case["expected"]["encoding_detected"]


@pytest.mark.parametrize("case", ["ING-016"], indirect=True)
def test_ingest_keeps_a_call_and_its_result_together(case):
    conversation = read_text(json.dumps(case["input"]["data"])).conversation
    assert len(conversation) == case["expected"]["message_count"]
    for call, result in case["expected"]["pairs"]:
        ids = [tool_call.id for tool_call in conversation.messages[call].tool_calls]
        assert conversation.messages[result].tool_call_id in ids
    for piece in case["expected"]["evidence_text_of_message_0_contains"]:
        assert piece in conversation.messages[0].content
