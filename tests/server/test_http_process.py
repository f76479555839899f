"""The HTTP server as a process of its own on a port, and what its command refuses."""

from __future__ import annotations

import os
import queue
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import httpx2
import pytest

from memguard import cli
from memguard.cli.codes import BAD_INPUT, WRONG_USAGE

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "a-token-of-the-tests-0123456789"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
LONG = {"messages": [{"content": f"The deposit of order {n} is {n} euros. " * 8} for n in range(40)]}


def start(tmp_path: Path, *arguments: object, **environment: str) -> subprocess.Popen[str]:
    kept = {name: value for name, value in os.environ.items() if name != "MEMGUARD_TOKEN"}
    return subprocess.Popen(
        [sys.executable, "-m", "tests.server.fake_server", "serve", *map(str, arguments)],
        cwd=ROOT,
        env={**kept, "MEMGUARD_HOME": str(tmp_path), "MEMGUARD_EAGER": "", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def test_a_stopped_server_finishes_what_it_works_on(tmp_path):
    """Graceful stop: SIGTERM while a request waits for the models; its answer still comes."""
    port = free_port()
    process = start(tmp_path, "--port", port, SLOW="1", MEMGUARD_TOKEN=TOKEN)
    assert process.stderr is not None
    try:
        assert process.stderr.readline() == f"HTTP server at http://127.0.0.1:{port}\n"
        answers: queue.Queue[Any] = queue.Queue()
        url = f"http://127.0.0.1:{port}"
        asking = threading.Thread(
            target=lambda: answers.put(httpx2.post(f"{url}/run", json=LONG, headers=BEARER, timeout=30))
        )
        asking.start()
        assert process.stderr.readline() == "summarizing\n"
        assert httpx2.get(f"{url}/health").json()["pending"] == 1
        process.send_signal(signal.SIGTERM)
        answer = answers.get(timeout=30)
        asking.join()
        assert process.wait(timeout=30) == -signal.SIGTERM
    finally:
        process.kill()
        said, told = process.communicate()

    assert answer.status_code == 200
    assert answer.json()["compression"]["paragraph"].startswith("The deposit is 400 euros.")
    assert (said, told) == ("", "")


def usage_error(capsys: Any, *arguments: str) -> str:
    with pytest.raises(SystemExit) as caught:
        cli.main(["serve", *arguments])
    assert caught.value.code == WRONG_USAGE
    told: str = capsys.readouterr().err
    return told


def test_the_command_refuses_other_machines_without_a_token_and_a_short_one(capsys, monkeypatch, tmp_path):
    monkeypatch.delenv("MEMGUARD_TOKEN", raising=False)
    assert "MEMGUARD_TOKEN" in usage_error(capsys, "--host", "10.1.2.3")
    assert "time_s must be more than 0" in usage_error(capsys, "--time-limit", "0")
    monkeypatch.setenv("MEMGUARD_TOKEN", "short")
    assert "16 or more" in usage_error(capsys)
    file = tmp_path / "token"
    file.write_text("", encoding="utf-8")
    assert cli.main(["serve", "--token-file", str(file)]) == BAD_INPUT
    assert "holds no token" in capsys.readouterr().err


def test_the_command_says_where_no_model_is_installed(capsys, monkeypatch, tmp_path):
    from memguard.models import loading

    monkeypatch.setenv("MEMGUARD_HOME", str(tmp_path))
    monkeypatch.delenv("MEMGUARD_TOKEN", raising=False)
    loading.forget_loaded()

    assert cli.main(["serve", "--port", str(free_port())]) == BAD_INPUT
    assert "memguard setup" in capsys.readouterr().err


def test_the_command_says_where_the_port_is_taken(capsys, monkeypatch):
    monkeypatch.delenv("MEMGUARD_TOKEN", raising=False)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert cli.main(["serve", "--port", str(taken.getsockname()[1])]) == BAD_INPUT

    assert "choose another port" in capsys.readouterr().err.casefold()
