"""Every reader on mutated samples: nothing but ``TranscriptError`` leaves it, for bounded time."""

from __future__ import annotations

import io
import json
import os
import random
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memguard.errors import TranscriptError
from memguard.transcripts import read_bytes
from memguard.transcripts.document import Document
from memguard.transcripts.recognition import READERS

SAMPLES = Path(__file__).parents[1] / "data" / "transcripts"
FILES = sorted(path for path in SAMPLES.iterdir() if not path.name.endswith(".expected.json"))
HARNESS = Path(__file__).with_name("fuzz_readers.py")
SECONDS = 20
HOSTILE = (
    b"\x00", b"\xff", b"\xef\xbb\xbf", b"\r", b"\n", b"{", b"[" * 40, b'"', b"null", b"-1e999", b"9" * 30,
    b"true", b'"\\ud83d"', "\u202e".encode(), b"PK\x03\x04", b"99/99/9999", b"::", b"<!ENTITY", b"&#x0;",
)  # fmt: skip


def mutated(data: bytes, seed: int) -> bytes:
    """Return ``data`` with a few pieces cut, doubled, swapped or replaced."""
    chance = random.Random(seed)
    for _ in range(chance.randint(1, 6)):
        start = chance.randrange(len(data) + 1)
        end = min(len(data), start + chance.choice((1, 2, 8, 60, 400)))
        piece = chance.choice((b"", data[start:end] * 2, chance.choice(HOSTILE), data[-60:]))
        data = data[:start] + piece + data[end:]
    return data


def deleted(value: object, chance: random.Random) -> object:
    """Return a JSON value in which something was taken out, or became of another kind."""
    if chance.random() < 0.04:
        return chance.choice((None, True, -1, 1e300, "", "x", [], {}, [[]], {"role": []}))
    if isinstance(value, dict):
        return {k: deleted(v, chance) for k, v in value.items() if chance.random() > 0.03}
    if isinstance(value, list):
        return [deleted(v, chance) for v in value if chance.random() > 0.03]
    return value


def read_by_all(data: bytes) -> None:
    for read in (lambda: read_bytes(data), *_by_each(data)):
        try:
            read()
        except TranscriptError as error:
            told = str(error)
        else:
            told = "read"
        assert told


def _by_each(data: bytes):
    document = Document(data.decode("utf-8", "replace"))
    for reader in READERS:
        if reader.recognises(document) > 0:
            yield lambda reader=reader: reader.read(document)


@pytest.mark.parametrize("path", FILES, ids=[path.name for path in FILES])
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(seed=0)
@given(seed=st.integers(0, 2**32))
def test_a_mutated_file_is_read_or_refused(path, seed):
    read_by_all(mutated(path.read_bytes(), seed))


@pytest.mark.parametrize("path", FILES, ids=[path.name for path in FILES])
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(seed=0)
@given(seed=st.integers(0, 2**32))
def test_a_file_whose_values_are_missing_or_of_another_kind_is_read_or_refused(path, seed):
    chance = random.Random(seed)
    text = path.read_bytes().decode("utf-8", "replace")
    try:
        changed = json.dumps(deleted(json.loads(text), chance))
    except ValueError:
        rows = []
        for line in text.splitlines():
            try:
                rows.append(json.dumps(deleted(json.loads(line), chance)))
            except ValueError:
                rows.append(line)
        changed = "\n".join(rows)
    read_by_all(changed.encode())


def packed(files):
    """Return a ZIP archive of names and contents."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return made.getvalue()


SLACK = [
    ("users.json", '[{"id": "U1", "profile": {"display_name": "Ines"}}]'),
    ("channels.json", '[{"id": "C1", "name": "general", "members": ["U1"]}]'),
    (
        "general/2026-01-05.json",
        '[{"type": "message", "user": "U1", "text": "hi", "ts": "1767603600.000100"}]',
    ),
]
PACKAGE = [
    ("account/user.json", '{"username": "ida"}'),
    ("messages/c7/channel.json", '{"id": "7", "name": "plans"}'),
    ("messages/c7/messages.json", '[{"ID": "1", "Timestamp": "2026-01-05 10:00:00", "Contents": "hi"}]'),
]
ARCHIVES = {
    "slack": SLACK,
    "discord": PACKAGE,
    "samples": [(path.name, path.read_bytes()) for path in FILES[:6]],
}


@pytest.mark.parametrize("name", ARCHIVES)
@settings(max_examples=60, deadline=None)
@example(seed=0)
@given(seed=st.integers(0, 2**32))
def test_an_archive_with_changed_files_or_bytes_is_read_or_refused(name, seed):
    chance = random.Random(seed)
    files = {}
    for member, content in ARCHIVES[name]:
        data = content if isinstance(content, bytes) else content.encode()
        odd = (f"x/{member}", "../a", member.upper(), "a\0b", "/a", "C:\\a", "x/", "e")
        changed = mutated(data, chance.randrange(2**32)) if chance.random() < 0.5 else data
        files[member if chance.random() < 0.6 else chance.choice(odd)] = changed
    data = packed(files.items())
    for whole in (data, mutated(data, seed), packed([("inner.zip", data), ("chat.txt", "User: hi")])):
        for which in (None, "1"):
            assert read_or_told(whole, which)


def read_or_told(data, which):
    """Return the format that was read, or the words of the refusal."""
    try:
        return read_bytes(data, conversation=which).format
    except TranscriptError as error:
        return str(error)


@pytest.mark.slow
def test_a_coverage_guided_fuzzer_finds_no_crash(tmp_path):
    pytest.importorskip("atheris", reason="atheris has no wheel for this Python")
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for number, path in enumerate(FILES):
        data = path.read_bytes()[:20_000]
        (corpus / f"any-{number}").write_bytes(b"\xff" + data)
        (corpus / f"zip-{number}").write_bytes(bytes([0xF8 + number % 5]) + data)
        for which, reader in enumerate(READERS):
            if reader.recognises(Document(data.decode("utf-8", "replace"))) >= 0.5:
                (corpus / f"{which}-{number}").write_bytes(bytes([which]) + data)
    command = [sys.executable, str(HARNESS), str(corpus), f"-max_total_time={SECONDS}", "-timeout=20"]
    command += ["-rss_limit_mb=3000", f"-artifact_prefix={tmp_path}/"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=SECONDS * 8, check=False, env=environment
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    assert "Done" in done.stderr
