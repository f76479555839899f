"""A real HTTP server on the loopback interface that answers as a test tells it to."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from memguard.memory.providers.detection import API_KEY, BASE_URL, ENABLED, KEYS, MODEL, PROVIDER


@dataclass
class Asked:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class Provider:
    """What the server does: one answer a request, the last one for ever."""

    url: str = ""
    answers: list[Callable[[BaseHTTPRequestHandler], None]] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)


def says(text: str, *, shape: str = "openai", ended: str | None = None) -> Callable[[Any], None]:
    """Answer with a text in the form of a vendor."""
    replies = {
        "openai": {"choices": [{"message": {"content": text}, "finish_reason": ended or "stop"}]},
        "gemini": {"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": ended or "STOP"}]},
        "anthropic": {"content": [{"type": "text", "text": text}], "stop_reason": ended or "end_turn"},
    }
    return sends(json.dumps(replies[shape]).encode())


def sends(body: bytes, status: int = 200, **headers: str) -> Callable[[Any], None]:
    """Answer with these bytes."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answer


def drips(seconds: float) -> Callable[[Any], None]:
    """Send a byte now and then, so that no single read is ever late."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.02)

    return answer


def waits(seconds: float) -> Callable[[Any], None]:
    """Say nothing for a while."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        time.sleep(seconds)

    return answer


def hangs_up(handler: BaseHTTPRequestHandler) -> None:
    """End the connection without an answer."""
    handler.connection.close()


@contextmanager
def serving(*answers: Callable[[Any], None]) -> Iterator[Provider]:
    """Serve until the block is over."""
    provider = Provider(answers=list(answers))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            provider.asked.append(Asked(self.path, dict(self.headers.items()), json.loads(body)))
            answer = provider.answers.pop(0) if len(provider.answers) > 1 else provider.answers[0]
            try:
                answer(self)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: Any, client_address: Any) -> None:
            """A client that hangs up is what some tests are about."""

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        provider.url = f"http://127.0.0.1:{server.server_port}"
        try:
            yield provider
        finally:
            server.shutdown()
            thread.join()


def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every key and setting of a provider out of the environment."""
    for name in (ENABLED, PROVIDER, MODEL, BASE_URL, API_KEY, *sum(KEYS.values(), ())):
        monkeypatch.delenv(name, raising=False)
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
