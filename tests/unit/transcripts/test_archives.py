"""ZIP archives: limits are named, names never lead out, nothing is written."""

import io
import json
import os
import struct
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memguard.errors import TranscriptError
from memguard.settings import LimitSettings
from memguard.transcripts import list_bytes, read_bytes, read_file
from memguard.transcripts.archives import Archive

TALK = [{"role": "user", "content": "Größe?"}, {"role": "assistant", "content": "42"}]
TEXT = "User: Größe?\nAssistant: 42\n"
MIB = 1 << 20


def packed(*files, method=zipfile.ZIP_DEFLATED):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, content in files:
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return made.getvalue()


def said(reading):
    return [m.content for m in reading.conversation]


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize(
    ("content", "name"),
    [(json.dumps(TALK), "messages_json"), (TEXT, "plain_text"), (TEXT.encode("utf-16"), "plain_text")],
)
def test_archive_with_one_text_is_read_as_that_text(content, name, method, tmp_path):
    data = packed(
        ("in/chat.bin", content), ("in/photo.jpg", b"\xff\xd8\xff" + bytes(range(256))), method=method
    )
    path = tmp_path / "misnamed.txt"
    path.write_bytes(data)
    for reading in (read_bytes(data), read_file(path)):
        assert reading.format == name
        assert said(reading) == ["Größe?", "42"]


def test_archive_takes_what_a_reader_knows_and_leaves_the_rest():
    data = packed(
        ("readme.txt", "Some words."), ("a/user.json", '{"id": 1}'), ("a/chat.json", json.dumps(TALK))
    )
    reading = read_bytes(data)
    assert reading.format == "messages_json"
    assert reading.conversation.warnings == (
        "2 other texts of the archive were not read: a/user.json, readme.txt",
    )


def test_archive_with_several_transcripts_offers_them_by_name():
    other = [{"role": "user", "content": "Bread?"}]
    data = packed(("a/one.json", json.dumps(TALK)), ("two.json", json.dumps(other)))
    assert [head.id for head in list_bytes(data).conversations] == ["a/one.json", "two.json"]
    reading = read_bytes(data, conversation="two.json")
    assert said(reading) == ["Bread?"]
    assert reading.n_conversations == 2
    assert reading.conversation.messages[0].origin == "two.json, message 0"
    with pytest.raises(TranscriptError, match="choose one"):
        read_bytes(data)


def test_archive_joins_the_parts_of_a_large_export():
    """ChatGPT cuts a large export into conversations-000.json and so on."""
    parts = [
        [{"title": t, "conversation_id": t, "current_node": "a", "mapping": {"a": {"message": {
            "author": {"role": "user"}, "content": {"content_type": "text", "parts": [f"{t}?"]}}}}}
         for t in titles]
        for titles in (["p", "q"], ["r", "s"])
    ]  # fmt: skip
    data = packed(*((f"conversations-00{i}.json", json.dumps(part)) for i, part in enumerate(parts)))
    assert [head.id for head in list_bytes(data).conversations] == ["p", "q", "r", "s"]
    for which, expected in (("q", "q?"), ("s", "s?"), ("3", "r?")):
        assert said(read_bytes(data, conversation=which)) == [expected]


@pytest.mark.parametrize(
    "name",
    [
        "../out.json",
        "a/../../out.json",
        "/etc/out.json",
        "..\\out.json",
        "C:\\out.json",
        "c:out.json",
        "\\\\host\\x",
    ],
)
def test_archive_with_a_name_that_leads_out_is_refused(name, tmp_path, monkeypatch):
    """Issue 7: paths inside archives are never written."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TranscriptError, match="leads out of it"):
        read_bytes(packed(("chat.json", json.dumps(TALK)), (name, "[]")))
    assert os.listdir(tmp_path) == []


def test_archive_is_read_without_writing_anything(tmp_path, monkeypatch):
    path = tmp_path / "export.zip"
    path.write_bytes(packed(("chat.json", json.dumps(TALK))))
    monkeypatch.chdir(tmp_path)

    def refuse(*args, **kwargs):
        raise AssertionError("an archive was unpacked to the disk")

    for name in ("extract", "extractall", "_extract_member"):
        monkeypatch.setattr(zipfile.ZipFile, name, refuse)
    assert said(read_file(path)) == ["Größe?", "42"]
    assert os.listdir(tmp_path) == ["export.zip"]


def test_archive_bomb_is_refused_with_the_ratio_named():
    """Issue 7: zip bombs are refused with limits named."""
    data = packed(("bomb.json", b" " * (40 * MIB)))
    with pytest.raises(
        TranscriptError,
        match=r"x: 'bomb\.json' would grow .*more than 200 times \(setting limits\.archive_ratio\)",
    ):
        read_bytes(data, source="x")


def test_archive_with_too_many_files_is_refused_before_it_is_opened(monkeypatch):
    files = [(f"{i}.json", "{}") for i in range(30)]
    with pytest.raises(
        TranscriptError, match=r"30 files; at most 20 are read \(setting limits\.archive_files\)"
    ):
        read_bytes(packed(*files), limits=LimitSettings(archive_files=20))
    long = packed(*((f"{i}{'n' * 900}.json", "{}") for i in range(30)))
    monkeypatch.setattr(zipfile, "ZipFile", None)  # the directory's size is enough
    with pytest.raises(
        TranscriptError, match=r"more files; at most 20 are read \(setting limits\.archive_files\)"
    ):
        read_bytes(long, limits=LimitSettings(archive_files=20))


def test_archive_counts_what_is_unpacked_in_all():
    words = json.dumps([{"role": "user", "content": os.urandom(300_000).hex()}])
    data = packed(*((f"{i}.json", words) for i in range(3)))
    with pytest.raises(
        TranscriptError, match=r"more than 1 MiB would have to be unpacked \(setting limits\.archive_mb\)"
    ):
        read_bytes(data, limits=LimitSettings(archive_mb=1))


def test_archive_refuses_a_text_over_the_limit_of_a_file():
    data = packed(("chat.txt", os.urandom(600_000).hex()))
    with pytest.raises(
        TranscriptError,
        match=r"chat\.txt: holds 1\.1 MiB; at most 1 MiB are read \(setting limits\.file_mb\)",
    ):
        read_bytes(data, limits=LimitSettings(file_mb=1))


def test_archive_that_lies_about_a_size_is_not_unpacked_beyond_it():
    """The directory names 10 bytes, the data holds 30 MiB: no more than named is held."""
    data = bytearray(packed(("chat.txt", b"a" * (30 * MIB))))
    at = data.rfind(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<L", 10)
    with pytest.raises(TranscriptError):
        read_bytes(bytes(data))


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_archive_of_another_method_is_refused_with_what_to_do(method):
    with pytest.raises(TranscriptError, match="pack the archive with the usual method"):
        read_bytes(packed(("chat.json", json.dumps(TALK)), method=method))


def test_archive_with_a_password_is_refused():
    data = bytearray(packed(("chat.json", json.dumps(TALK))))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.rfind(mark) + offset] |= 1
    with pytest.raises(TranscriptError, match=r"holds no transcript that we know|cannot be unpacked"):
        read_bytes(bytes(data))


@pytest.mark.parametrize(
    "data", [b"PK\x03\x04", b"PK\x05\x06" + b"\0" * 18, packed(("a.png", b"\x89PNG\0\0"))]
)
def test_archive_without_a_transcript_says_so(data):
    with pytest.raises(TranscriptError, match="ZIP archive"):
        read_bytes(data, source="x")


def test_archive_of_an_office_document_is_no_transcript():
    files = [("[Content_Types].xml", "<Types/>"), ("word/document.xml", "<w:p>User: hi</w:p>")]
    with pytest.raises(TranscriptError, match="holds no transcript that we know"):
        read_bytes(packed(*files))


def test_archive_names_are_those_of_its_files():
    archive = Archive(io.BytesIO(packed(("b.txt", "x"), ("a/", ""), ("a/c.txt", ""))), "x", LimitSettings())
    assert archive.names() == ("b.txt", "a/c.txt")
    assert archive.text("b.txt") == "x"
    assert (archive.is_text("b.txt"), archive.is_text("a/c.txt")) == (True, False)
    with pytest.raises(TranscriptError, match="has no file 'd'"):
        archive.text("d")


SAMPLE = packed(
    ("users.json", "[]"), ("a/2026-01-05.json", json.dumps([{"type": "message", "ts": "5.1", "text": "x"}]))
)


@settings(max_examples=80)
@given(
    st.lists(st.tuples(st.integers(0, len(SAMPLE) - 1), st.integers(0, 255)), max_size=6), st.integers(0, 40)
)
def test_archive_that_is_damaged_raises_nothing_but_transcript_errors(changes, cut):
    data = bytearray(SAMPLE)
    for at, byte in changes:
        data[at] = byte
    try:
        read_bytes(bytes(data[: len(data) - cut]))
    except TranscriptError:
        return


def test_no_reader_unpacks_by_itself():
    """One home for archives: no module of the readers but this one imports zipfile."""
    package = Path(__file__).parents[3] / "memguard" / "transcripts"
    users = [path.name for path in package.rglob("*.py") if "import zipfile" in path.read_text("utf-8")]
    assert users == ["archives.py"]


def test_links_and_archives_inside_are_not_followed_and_told():
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        link = zipfile.ZipInfo("link.txt")
        link.create_system, link.external_attr = 3, 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("inner.zip", packed(("chat.txt", TEXT)))
        archive.writestr("chat.txt", TEXT)
    reading = read_bytes(made.getvalue())
    assert said(reading) == ["Größe?", "42"]
    assert reading.conversation.warnings == (
        "links in the archive that were not followed: 1",
        "1 archives inside it were not opened: inner.zip",
    )
    with pytest.raises(TranscriptError, match="unpack the archive that is inside it"):
        read_bytes(packed(("inner.zip", packed(("chat.txt", TEXT)))))


def test_what_was_assumed_of_a_text_in_an_archive_is_told():
    reading = read_bytes(packed(("a.txt", TEXT.encode("cp1252"))))
    assert said(reading) == ["Größe?", "42"]
    assert reading.conversation.warnings == ("a.txt: the file is not UTF-8; the encoding cp1252 was assumed",)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_stands_twice_is_told():
    reading = read_bytes(packed(("a.txt", "User: old"), ("a.txt", TEXT)))
    assert said(reading) == ["Größe?", "42"]
    assert "names that stand in the archive again" in reading.conversation.warnings[0]


def test_a_file_without_a_name_is_refused():
    nameless = bytearray(packed(("a", TEXT)))
    nameless[nameless.index(b"PK\x01\x02") + 46] = 0  # zipfile cuts a name at a NUL
    with pytest.raises(TranscriptError, match="holds no transcript that we know"):
        read_bytes(bytes(nameless))
