"""A file is replaced in one step, or not at all."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from memguard.files import replace_text


def test_a_failed_write_leaves_the_earlier_file_and_nothing_else(tmp_path):
    path = tmp_path / "audit.jsonl"
    replace_text(path, "earlier\n")

    with pytest.raises(UnicodeEncodeError):
        replace_text(path, "half \ud800")

    assert path.read_text() == "earlier\n"
    assert list(tmp_path.iterdir()) == [path]


def test_a_written_file_has_the_usual_rights(tmp_path):
    """Not 0600, as temporary files have: an audit is there to be read."""
    replace_text(tmp_path / "audit.jsonl", "x\n")
    (tmp_path / "plain").write_text("x\n")

    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("audit.jsonl", "plain")]
    assert modes[0] == modes[1]


def test_a_symbolic_link_stays_one(tmp_path):
    real = tmp_path / "real.jsonl"
    real.write_text("earlier\n")
    link = tmp_path / "link.jsonl"
    link.symlink_to(real)

    replace_text(link, "later\n")

    assert link.is_symlink()
    assert real.read_text() == "later\n"


def test_a_process_killed_while_it_writes_leaves_the_earlier_file(tmp_path):
    """Killed many times as soon as it has begun: the file is always one whole version."""
    path = tmp_path / "audit.jsonl"
    n_chars = 8_000_000
    replace_text(path, "a" * n_chars + "\n")
    script = textwrap.dedent(
        f"""
        import sys
        from pathlib import Path
        from memguard.files import replace_text
        texts = [letter * {n_chars} + "\\n" for letter in "ab"]
        print("ready", flush=True)
        while True:
            for text in texts:
                replace_text(Path(sys.argv[1]), text)
        """
    )
    root = Path(__file__).resolve().parents[2]
    inside = 0
    for _ in range(8):
        with subprocess.Popen(
            [sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, cwd=root
        ) as process:
            assert process.stdout.readline() == b"ready\n"
            until = time.monotonic() + 0.5
            while time.monotonic() < until and len(os.listdir(tmp_path)) == 1:
                pass
            os.kill(process.pid, signal.SIGKILL)
        content = path.read_bytes()
        assert len(content) == n_chars + 1
        assert set(content) in ({ord("a"), ord("\n")}, {ord("b"), ord("\n")})
        left = [p for p in tmp_path.iterdir() if p != path]
        inside += len(left)
        for p in left:
            p.unlink()
    assert inside, "no process was killed while it wrote: the test proves nothing"


def test_an_existing_file_keeps_its_mode(tmp_path):
    path = tmp_path / "audit.jsonl"
    path.write_text("earlier\n")
    path.chmod(0o640)

    replace_text(path, "later\n")

    assert path.read_text() == "later\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_pipe_is_written_to_and_stays_one(tmp_path):
    """What is no regular file, such as /dev/null, is never replaced by one."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()

    replace_text(pipe, "through\n")
    reader.join(10)

    assert read == ["through\n"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]
