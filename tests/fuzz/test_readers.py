"""Every reader on mutated samples: nothing but ``TranscriptError`` leaves it, for bounded time."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memguard.errors import TranscriptError
from memguard.transcripts import read_bytes
from memguard.transcripts.document import Document
from memguard.transcripts.registry import READERS

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


@pytest.mark.slow
def test_a_coverage_guided_fuzzer_finds_no_crash(tmp_path):
    pytest.importorskip("atheris", reason="atheris has no wheel for this Python")
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for number, path in enumerate(FILES):
        data = path.read_bytes()[:20_000]
        (corpus / f"any-{number}").write_bytes(b"\xff" + data)
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
