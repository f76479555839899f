"""Exports that are too large to be held: listed and read one conversation at a time."""

import io
import json
import subprocess
import sys
import zipfile

import pytest

from memguard.errors import TranscriptError
from memguard.settings import LimitSettings
from memguard.transcripts import list_bytes, list_conversations, read_bytes, read_file
from memguard.transcripts.registry import open_path
from memguard.transcripts.streaming import Stream

ONE = LimitSettings(file_mb=1)
WORDS = "some words about a plan. " * 40


def conversation(number, n_messages=40):
    """Return one conversation of a ChatGPT export, of about 1.4 kB a message."""
    mapping = {"root": {"id": "root", "message": None, "parent": None, "children": ["n0"]}}
    for k in range(n_messages):
        mapping[f"n{k}"] = {
            "id": f"n{k}",
            "parent": f"n{k - 1}" if k else "root",
            "children": [f"n{k + 1}"] if k < n_messages - 1 else [],
            "message": {
                "id": f"m{number}-{k}",
                "author": {"role": "assistant" if k % 2 else "user", "name": None, "metadata": {}},
                "create_time": 1_760_000_000.5 + 1000 * number + k,
                "content": {"content_type": "text", "parts": [f"Talk {number}, message {k}: {WORDS}"]},
                "status": "finished_successfully",
                "recipient": "all",
                "metadata": {},
            },
        }
    return {
        "title": f"Plan {number} ünï",
        "create_time": 1_760_000_000.5 + 1000 * number,
        "update_time": 1_760_000_100.5 + 1000 * number,
        "mapping": mapping,
        "current_node": f"n{n_messages - 1}",
        "conversation_id": f"c{number}",
    }


def written(path, n_bytes, start=b"["):
    """Write an export of at least this many bytes and return how many conversations it holds."""
    number = 0
    with path.open("wb") as file:
        file.write(start)
        while file.tell() < n_bytes:
            file.write(b",\n" if number else b"")
            file.write(json.dumps(conversation(number), ensure_ascii=False).encode())
            number += 1
        file.write(b"]")
    return number


@pytest.fixture
def large(tmp_path):
    path = tmp_path / "conversations.json"
    return path, written(path, 3 << 20, start=b"\xef\xbb\xbf[ ")


def test_stream_lists_and_reads_what_reading_whole_does(large):
    path, n = large
    streamed, whole = list_conversations(path, limits=ONE), list_conversations(path)
    assert streamed == whole
    assert len(streamed.conversations) == n
    assert (streamed.format, streamed.encoding) == ("chatgpt", "utf-8")
    for which in ("c3", "4", "Plan 3 ünï"):
        assert read_file(path, conversation=which, limits=ONE) == read_file(path, conversation=which)
    with open_path(path, limits=ONE) as opened:
        assert isinstance(opened, Stream)


def test_stream_asks_which_conversation_is_meant(large):
    path, n = large
    with pytest.raises(TranscriptError, match=f"holds {n} conversations; choose one with --conversation: 1"):
        read_file(path, limits=ONE)
    with pytest.raises(TranscriptError, match="there is no conversation 'c999'"):
        read_file(path, conversation="c999", limits=ONE)


def test_stream_reads_a_large_file_inside_a_zip(large, tmp_path):
    path, n = large
    packed = tmp_path / "export.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(path, "conversations.json")
        archive.writestr("user.json", '{"id": "u"}')
    assert len(list_conversations(packed, limits=ONE).conversations) == n
    assert len(list_bytes(packed.read_bytes(), limits=ONE).conversations) == n
    reading = read_bytes(packed.read_bytes(), conversation="c3", limits=ONE)
    assert reading.conversation.messages[0].content.startswith("Talk 3, message 0")
    assert reading.n_conversations == n


def test_stream_reads_claude_ai_too(tmp_path):
    rows = [
        {"uuid": f"u{i}", "name": f"N{i}", "chat_messages": [{"uuid": "m", "sender": "human", "text": WORDS}]}
        for i in range(1200)
    ]
    path = tmp_path / "claude"
    path.write_text(json.dumps([*rows, {"no": "conversation"}]), encoding="utf-8")
    assert path.stat().st_size > 1 << 20
    assert list_conversations(path, limits=ONE).format == "claude_ai"
    reading = read_file(path, conversation="N7", limits=ONE)
    assert reading.conversation.messages[0].origin == "conversation 8, chat_messages[0]"
    assert "1 items of the list are no conversations" in reading.conversation.warnings[0]


@pytest.mark.parametrize("start", [b"[1, 2, ", b'{"a": [', b"User: hi\n", b"[[[", b"\xff\xfe["])
def test_a_large_file_of_another_form_is_refused_with_the_limit(start, tmp_path):
    path = tmp_path / "large"
    path.write_bytes(start + b'"word", ' * 200_000 + b'"end"]')
    with pytest.raises(TranscriptError, match=r"large: holds 1\.5 MiB; at most 1 MiB .*limits\.file_mb"):
        list_conversations(path, limits=ONE)


def test_stream_refuses_one_conversation_over_the_limit(tmp_path):
    path = tmp_path / "large"
    path.write_text(json.dumps([conversation(0), conversation(1, n_messages=1500)]), encoding="utf-8")
    with pytest.raises(
        TranscriptError, match=r"one conversation holds more than 1 MiB \(setting limits\.file_mb\)"
    ):
        list_conversations(path, limits=ONE)


def test_stream_refuses_what_is_nested_too_deeply(large, tmp_path):
    text = large[0].read_text("utf-8-sig")
    path = tmp_path / "deep"
    deep = "[" * 5000 + "]" * 5000
    path.write_text(f'{text[:-1]}, {{"mapping": {deep}}}]', encoding="utf-8")
    with pytest.raises(
        TranscriptError, match=r"nested too deeply: more than 100 levels \(setting limits\.json_levels\)"
    ):
        list_conversations(path, limits=ONE)


@pytest.mark.parametrize("end", [b"", b"}}", b"\xff]", b', {"mapping": NaN}]', b", " + b"1" * 5000 + b"]"])
def test_stream_says_where_a_file_is_damaged(end, large, tmp_path):
    path = tmp_path / "damaged"
    path.write_bytes(large[0].read_bytes()[:-1] + end)
    try:
        assert list_conversations(path, limits=ONE).format == "chatgpt"  # a long number is no fault
    except TranscriptError as error:
        assert "near byte" in str(error)  # noqa: PT017 - either is right, nothing else is
    else:
        assert end.startswith(b", 1")


def test_stream_of_a_zip_that_is_damaged_says_so(large, tmp_path):
    path, _ = large
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(path, "conversations.json")
    data = bytearray(made.getvalue())
    middle = len(data) // 2
    data[middle : middle + 64] = b"\0" * 64
    with pytest.raises(TranscriptError):
        list_bytes(bytes(data), limits=ONE)


_MEASURED = """
import sys, time
from memguard.transcripts import list_conversations, read_file
started = time.perf_counter()
listing = list_conversations(sys.argv[1])
elapsed = time.perf_counter() - started
reading = read_file(sys.argv[1], conversation="c100")
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
peak = int(status["VmHWM"].split()[0]) / 1024  # ru_maxrss would count the process that started this one
print(len(listing.conversations), len(reading.conversation), elapsed, peak)
"""


@pytest.mark.slow
def test_an_export_of_200_mb_is_listed_in_20_s_and_300_mb(tmp_path):
    """Issue 7: a ChatGPT export of 200 MB made by a test is listed in under 20 s and 300 MB of memory."""
    path = tmp_path / "conversations.json"
    n = written(path, 200_000_000)
    ran = subprocess.run(
        [sys.executable, "-c", _MEASURED, str(path)], capture_output=True, text=True, timeout=180, check=True
    )
    n_listed, n_messages, elapsed_s, peak_mb = map(float, ran.stdout.split())
    assert (n_listed, n_messages) == (n, 40)
    assert elapsed_s < 20
    assert peak_mb < 300
