"""The handed cases of ingest, every one through the registry: the format is recognised, not named."""

import io
import json
import zipfile
from datetime import datetime

import pytest

from memguard.transcripts import read_bytes, read_file, read_text

CASES = tuple(f"ING-{number:03}" for number in (3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 19, 21, 25, 27, 28))
FORMATS = {
    "chatgpt_conversations_json": "chatgpt",
    "claude_ai_export": "claude_ai",
    "claude_code_jsonl": "claude_code",
    "claude_code_jsonl_raw": "claude_code",
    "facebook_messenger_json_raw": "messenger",
    "jsonl_raw": "jsonl",
    "jsonl_bytes": "jsonl",
    "messages_json_raw": "messages_json",
    "openai_messages": "messages_json",
    "sharegpt": "sharegpt",
    "slack_export": "slack",
    "whatsapp_txt": "whatsapp",
}
"""What each form of the cases is called here; ``auto`` is left to the case."""


def _read(given, folder):
    """Read the input of a case as a person would give it: as a file where it has a name, else as bytes."""
    if "hex" in given:
        return read_bytes(bytes.fromhex(given["hex"]))
    if "users" in given:
        return read_text(json.dumps({"users": given["users"], "messages": given["data"]}))
    if "data" in given:
        return read_text(json.dumps(given["data"]))
    if "lines" in given:
        return read_text("\n".join(map(json.dumps, given["lines"])))
    text = given["text"].replace("<2 MiB of A>", "A" * (2 << 20))
    path = folder / given.get("filename", "transcript")
    path.write_text(text, encoding="utf-8", newline="")
    return read_file(path)


@pytest.mark.parametrize("case", CASES, indirect=True)
def test_ingest_reads_the_case(case, tmp_path):
    reading = _read(case["input"], tmp_path)
    expected = case["expected"]
    messages = reading.conversation.messages
    assert reading.format == FORMATS.get(case["input"]["format"], "messages_json")
    for message, wanted in zip(messages, expected.get("messages", messages), strict=True):
        if not isinstance(wanted, dict):
            continue
        for field in wanted.keys() & {"role", "content", "speaker"}:
            assert getattr(message, field) == wanted[field]
        if "ts" in wanted:
            wall = datetime.fromisoformat(wanted["ts"]).replace(tzinfo=None)
            assert message.timestamp.replace(tzinfo=None) == wall
    assert [m.role for m in messages] == expected.get("roles", [m.role for m in messages])
    assert [m.content for m in messages] == expected.get("contents", [m.content for m in messages])
    assert len(messages) == expected.get("message_count", len(messages))
    for piece in expected.get("must_not_contain", ()):
        assert all(piece not in message.content for message in messages)
    for field in ("skipped_lines", "abandoned_messages", "duplicates_dropped"):
        assert getattr(reading, field) == expected.get(field, getattr(reading, field))
    if "warnings" in expected:
        assert list(reading.conversation.warnings) == expected["warnings"]
    if "encoding_detected" in expected:
        assert reading.encoding == expected["encoding_detected"]
    assert all(message.content.encode("utf-8") is not None for message in messages)


@pytest.mark.parametrize("case", ["ING-016"], indirect=True)
def test_ingest_keeps_a_call_and_its_result_together(case):
    conversation = read_text(json.dumps(case["input"]["data"])).conversation
    for call, result in case["expected"]["pairs"]:
        ids = [tool_call.id for tool_call in conversation.messages[call].tool_calls]
        assert conversation.messages[result].tool_call_id in ids
    for piece in case["expected"]["evidence_text_of_message_0_contains"]:
        assert piece in conversation.messages[0].content


@pytest.mark.parametrize("case", ["ING-027", "ING-028"], indirect=True)
def test_ingest_reads_the_same_from_the_zip_of_slack(case):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("users.json", json.dumps(case["input"]["users"]))
        archive.writestr("ops/2026-01-05.json", json.dumps(case["input"]["data"]))
    reading = read_bytes(packed.getvalue())
    assert reading.format == "slack"
    said = [{"speaker": m.speaker, "content": m.content} for m in reading.conversation]
    assert said == case["expected"]["messages"]


def test_ingest_runs_every_handed_case(all_cases):
    """A case that is added is not passed over."""
    assert {name for name in all_cases if name.startswith("ING-")} == set(CASES)
