"""The HTTP server: in process through ASGI, and as a process of its own on a port."""

from __future__ import annotations

import json
import queue
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import jsonschema
import pytest
import schemathesis
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from schemathesis.config import SchemathesisConfig
from starlette.testclient import TestClient

from memguard import audit, wire
from memguard.errors import InvalidParameterError, ModelUnavailableError, StageFailedError
from memguard.guard import MemGuard
from memguard.server.http import http_app
from memguard.server.http_address import HttpAddress
from memguard.server.http_bodies import CheckBody, CompressBody, RunBody
from memguard.server.http_problems import KINDS
from memguard.server.http_turns import HttpLimits
from memguard.server.http_work import NOT_CHECKED, HttpTools
from memguard.server.work import MOST_CHARS, MOST_MESSAGES, MOST_SUMMARY_CHARS, Answer
from memguard.settings import Settings
from tests.fakes import FakeSummarizer
from tests.support import guard

ROOT = Path(__file__).resolve().parents[2]
MESSAGES = [
    {"id": "m1", "role": "user", "speaker": "Ada", "content": "The deposit is 400 euros. " * 20},
    {"id": "m2", "role": "assistant", "content": "The offsite moved to March 19."},
]
SUMMARY = "The deposit is 500 euros. A yacht waits in Rio. The offsite moved to March 19."
TOKEN = "a-token-of-the-tests-0123456789"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
SECRET = "sk-this-must-not-come-back"


def tools(**options: Any) -> HttpTools:
    """Return tools on fakes; one guard a process, as the models are."""
    return HttpTools(guard=lambda settings: guard(settings), **options)


@contextmanager
def client(
    work: HttpTools | None = None, address: HttpAddress | None = None, **limits: Any
) -> Iterator[TestClient]:
    app = http_app(work or tools(), address or HttpAddress(), HttpLimits(**limits))
    with TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False) as made:
        yield made


def problem(response: Any, status: int, code: str) -> dict[str, str]:
    """Return the problem of a response, which must be of the one shape."""
    assert response.status_code == status, response.text
    body = response.json()
    assert set(body) == {"error"}
    assert set(body["error"]) == {"code", "what_happened", "what_is_safe", "what_to_do"}
    assert all(body["error"].values())
    assert body["error"]["code"] == code
    found: dict[str, str] = body["error"]
    return found


# --- what the paths answer


def test_run_answers_the_wire_form_and_the_head_of_its_audit(tmp_path):
    with client(tools(audit_folder=tmp_path)) as http:
        row = http.post("/run", json={"messages": MESSAGES, "preset": "balanced"}).json()

    assert row["schema"] == wire.SCHEMA
    assert row["settings"]["elimination"]["preset"] == "balanced"
    assert re.search(r"^- The deposit is 400 euros\.? \[m1, Ada\]$", row["payload"]["text"], re.MULTILINE)
    [file] = tmp_path.iterdir()
    assert audit.verify(file, expected_head=row["audit_head"]).intact


def test_check_gives_a_verdict_a_claim():
    with client() as http:
        row = http.post("/check", json={"messages": MESSAGES, "summary": SUMMARY}).json()

    assert row["compression"] is None
    stated = [claim["kept"] for claim in row["claims"] if claim["start"] is not None]
    assert stated == [False, False, True]
    assert row["claims"][0]["label"] == "contradicted"


def test_check_answers_as_the_library_does():
    with client() as http:
        row = http.post("/check", json={"messages": MESSAGES, "summary": SUMMARY}).json()

    trace = guard().check(SUMMARY, MESSAGES)
    same = json.loads(json.dumps(wire.result(trace, audit_head=None)))
    assert {**row, "id": "", "audit_head": None} == {**same, "id": ""}


def test_compress_is_stage_one_and_says_that_nothing_was_checked(tmp_path):
    with client(tools(audit_folder=tmp_path)) as http:
        row = http.post("/compress", json={"messages": MESSAGES, "max_tokens": 200}).json()

    assert row["compression"]["paragraph"]
    assert row["settings"]["compression"]["max_tokens"] == 200
    assert row["claims"] == []
    assert row["payload"]["text"] == ""
    assert row["warnings"][-1] == NOT_CHECKED
    assert set(row) == set(wire.Result.__annotations__)
    [file] = tmp_path.iterdir()
    assert audit.verify(file, expected_head=row["audit_head"]).intact


def test_no_messages_are_an_empty_result():
    with client() as http:
        run, compress = (http.post(path, json={"messages": []}).json() for path in ("/run", "/compress"))

    assert run["status"] == compress["status"] == "empty"


def test_verify_shows_an_edit_and_with_the_head_a_recomputed_chain():
    chain = audit.records(guard().check(SUMMARY, MESSAGES))
    text = audit.dumps(chain)
    with client() as http:
        intact = http.post("/verify", json={"audit": text, "head": audit.head(chain)}).json()
        edited = http.post("/verify", json={"audit": text.replace("500 euros", "400 euros")}).json()
        other = http.post("/verify", json={"audit": text, "head": "0" * 64}).json()

    assert intact["intact"] is True
    assert intact["n_records"] == len(chain)
    assert (edited["intact"], edited["broken_at"]) == (False, 1)
    assert other["intact"] is False
    assert "recomputed" in other["message"]


def test_health_tells_the_version_and_asks_for_no_token():
    from memguard import __version__

    with client(address=HttpAddress(token=TOKEN)) as http:
        answer = http.get("/health")

    assert answer.json() == {"status": "ok", "version": __version__, "pending": 0}


# --- who is let in


@pytest.mark.parametrize(
    "headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {TOKEN}"}, {"X": TOKEN}]
)
@pytest.mark.parametrize("path", ["/run", "/openapi.json", "/nowhere"])
def test_without_the_token_nothing_but_health_answers(path, headers):
    with client(address=HttpAddress(token=TOKEN)) as http:
        answer = http.post(path, json={"messages": MESSAGES}, headers=headers)

    assert problem(answer, 401, "token_needed")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_with_the_token_the_paths_answer():
    with client(address=HttpAddress(token=TOKEN)) as http:
        assert http.post("/run", json={"messages": MESSAGES}, headers=BEARER).status_code == 200
        assert http.get("/openapi.json", headers=BEARER).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8724", "127.0.0.1.evil.example", ""])
def test_a_name_that_is_not_the_servers_is_refused(host):
    """DNS rebinding: a web page's own name may lead here."""
    with client() as http:
        assert problem(http.get("/health", headers={"Host": host}), 421, "foreign_host")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:9", "127.0.0.1:1", "[::1]:8724", "[::1]"])
def test_the_servers_own_names_are_let_in(host):
    with client() as http:
        assert http.get("/health", headers={"Host": host}).status_code == 200


def test_a_web_page_is_refused_and_the_servers_own_address_is_not():
    with client() as http:
        assert problem(http.get("/health", headers={"Origin": "https://evil.example"}), 403, "foreign_origin")
        assert problem(http.get("/health", headers={"Origin": "null"}), 403, "foreign_origin")
        assert http.get("/health", headers={"Origin": "http://localhost:8724"}).status_code == 200


def test_other_machines_need_a_token_unless_told():
    with pytest.raises(InvalidParameterError, match="MEMGUARD_TOKEN"):
        HttpAddress("10.0.0.5")
    with pytest.raises(InvalidParameterError, match="--allow-host"):
        HttpAddress("0.0.0.0", token=TOKEN)  # noqa: S104  refused is the point
    with pytest.raises(InvalidParameterError, match="16 or more"):
        HttpAddress(token="short")
    for token in ("schlüssel-schlüssel", "two words of a token"):
        with pytest.raises(InvalidParameterError, match="ASCII without spaces"):
            HttpAddress(token=token)
    with pytest.raises(InvalidParameterError, match="--allow-host"):
        HttpAddress("", token=TOKEN)
    assert HttpAddress("10.0.0.5", is_open=True).known_as("10.0.0.5:8724")
    assert HttpAddress("0.0.0.0", token=TOKEN, names=("guard.example",)).known_as("guard.example")  # noqa: S104


# --- what is refused


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nowhere", 404, "no_such_path"),
        ("GET", "/run", 405, "no_such_method"),
        ("POST", "/health", 405, "no_such_method"),
    ],
)
def test_no_such_path_or_method_is_a_problem(method, path, status, code):
    with client() as http:
        assert problem(http.request(method, path), status, code)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, "not_json"),
        (b"[" * 100_000, 400, "not_json"),
        (b'{"messages": ' + b"1" * 5_000 + b"}", 400, "not_json"),
        (b"\xff\xfe", 400, "not_json"),
        (b"", 422, "not_valid"),
        (b"[]", 422, "not_valid"),
        (b'{"messages": [{"content": NaN}]}', 422, "not_valid"),
    ],
)
def test_a_body_that_cannot_be_read_is_a_problem(body, status, code):
    with client() as http:
        answer = http.post("/run", content=body, headers={"Content-Type": "application/json"})

    assert problem(answer, status, code)


def test_a_body_that_is_not_declared_as_json_is_refused():
    """A web page can post a form or a plain text without being asked; not JSON."""
    with client() as http:
        body = json.dumps({"messages": MESSAGES})
        assert problem(
            http.post("/run", content=body, headers={"Content-Type": "text/plain"}), 415, "not_json_type"
        )
        assert problem(http.post("/run", content=body), 415, "not_json_type")


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({}, "messages is missing"),
        ({"messages": SECRET}, "messages: "),
        ({"messages": [{"role": SECRET}]}, "messages.0.content is missing"),
        ({"messages": [{"content": 1}]}, "messages.0.content"),
        ({"messages": [], "preset": SECRET}, "preset: must be one of contract"),
        ({"messages": [], "min_similarity": 7}, "min_similarity"),
        ({"messages": [], "max_tokens": True}, "max_tokens"),
        ({"messages": [], "tokens": SECRET}, "there is no field tokens"),
    ],
)
def test_a_body_that_is_not_valid_is_named_and_no_value_of_it_repeated(body, told):
    with client() as http:
        answer = http.post("/run", json=body)

    assert told.casefold() in problem(answer, 422, "not_valid")["what_happened"].casefold()
    assert SECRET not in answer.text


def test_a_body_that_is_too_large_is_refused_before_it_is_read():
    with client(body_bytes=1_000) as http:
        told = http.post("/run", json={"messages": [{"content": "x" * 1_000}]})
        chunks = http.post(
            "/run", content=iter([b"x" * 600] * 3), headers={"Content-Type": "application/json"}
        )

    assert problem(told, 413, "too_large")
    assert problem(chunks, 413, "too_large")


@pytest.mark.parametrize(
    "body",
    [
        {"messages": [{"content": "x"}] * (MOST_MESSAGES + 1), "summary": ""},
        {"messages": [{"content": "x" * MOST_CHARS}], "summary": ""},
        {"messages": [], "summary": "x" * (MOST_SUMMARY_CHARS + 1)},
    ],
    ids=["messages", "characters", "summary"],
)
def test_more_than_one_request_may_hold_is_too_large(body):
    with client() as http:
        assert problem(http.post("/check", json=body), 413, "too_large")


def scope_of(path: str) -> dict[str, Any]:
    """Return the scope of a request, for what a client of ASGI cannot do."""
    return {
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")],
    }


def test_a_body_that_trickles_in_is_given_up():
    """In process a body comes at once; what waits is the application."""
    app = http_app(tools(), HttpAddress(), HttpLimits(body_time_s=0.05))
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        await anyio.sleep(5)
        return {"type": "http.request", "body": b"{", "more_body": True}

    async def send(message: Any) -> None:
        sent.append(dict(message))

    started = time.monotonic()
    anyio.run(app, scope_of("/run"), receive, send)

    assert sent[0]["status"] == 408
    assert json.loads(sent[1]["body"])["error"]["code"] == "body_too_slow"
    assert time.monotonic() - started < 4


def test_no_more_bodies_arrive_at_once_than_told():
    """Each may hold the memory of a whole body before anybody has looked at it."""
    limits = HttpLimits(at_once=1, waiting=0, arriving=1)
    app = http_app(tools(), HttpAddress(), limits)
    sent: list[dict[str, Any]] = []

    async def drive() -> None:
        ended, n_arriving = anyio.Event(), 0

        async def receive() -> dict[str, Any]:
            nonlocal n_arriving
            n_arriving += 1
            await ended.wait()
            return {"type": "http.disconnect"}

        async def ignore(_message: Any) -> None:
            """Nobody reads it."""

        async def send(message: Any) -> None:
            sent.append(dict(message))

        async def never() -> dict[str, Any]:
            raise AssertionError("the body was read")

        async with anyio.create_task_group() as group:
            for _ in range(limits.inside):
                group.start_soon(app, scope_of("/run"), receive, ignore)
            while n_arriving < limits.inside:
                await anyio.sleep(0)
            await app(scope_of("/run"), never, send)
            await app({**scope_of("/health"), "method": "GET"}, never, send)
            ended.set()

    anyio.run(drive)

    assert [message["status"] for message in sent if "status" in message] == [503, 200]
    assert json.loads(sent[1]["body"])["error"]["code"] == "busy"


# --- work in turns


class Held(HttpTools):
    """Tools whose run waits until it is let go, and unless silent reports progress while it waits."""

    def __init__(self, *, is_silent: bool = False) -> None:
        super().__init__(guard=guard)
        self.is_silent = is_silent
        self.began, self.go = threading.Semaphore(0), threading.Event()
        self.ended = threading.Semaphore(0)

    def compress_context(self, messages: Any, options: Any, progress: Any) -> Answer:
        self.began.release()
        try:
            while not self.go.wait(0.01):
                if not self.is_silent:
                    progress("compression", 0, 1, "waiting")
        finally:
            self.ended.release()
        return Answer(("",), {"status": "ok"})


ONE = {"messages": [{"content": "The deposit is 400 euros."}]}


def post_aside(http: TestClient, answers: queue.Queue[Any]) -> threading.Thread:
    thread = threading.Thread(target=lambda: answers.put(http.post("/run", json=ONE)))
    thread.start()
    return thread


def test_work_that_takes_too_long_is_stopped_and_the_next_request_is_answered():
    held = Held()
    with client(held, time_s=0.5) as http:
        assert problem(http.post("/run", json=ONE), 504, "time_limit")
        assert held.ended.acquire(timeout=10)  # the thread gave its turn back
        held.go.set()
        assert http.post("/run", json=ONE).status_code == 200


def test_a_request_whose_turn_does_not_come_is_told_that_the_server_is_busy():
    held, answers = Held(is_silent=True), queue.Queue[Any]()
    with client(held, time_s=1.0, waiting=1) as http:
        first = post_aside(http, answers)
        assert held.began.acquire(timeout=10)
        second = post_aside(http, answers)
        while http.get("/health").json()["pending"] < 2:
            time.sleep(0.01)
        third = http.post("/run", json=ONE)
        first.join()
        second.join()
        held.go.set()

    refused = problem(third, 503, "busy")
    assert third.headers["Retry-After"]
    assert "no more can wait" in refused["what_happened"]
    assert sorted(answers.get().status_code for _ in range(2)) == [503, 504]


def test_as_many_are_worked_on_at_once_as_told():
    held, answers = Held(), queue.Queue[Any]()
    with client(held, at_once=2) as http:
        threads = [post_aside(http, answers) for _ in range(2)]
        assert held.began.acquire(timeout=10)
        assert held.began.acquire(timeout=10)
        held.go.set()
        for thread in threads:
            thread.join()

    assert [answers.get().status_code for _ in range(2)] == [200, 200]


def test_work_of_a_client_that_is_gone_is_stopped():
    """A caller that gives up and asks again must not wait for what it no longer wants."""
    held = Held()
    app = http_app(held, HttpAddress(), HttpLimits())

    async def drive() -> None:
        incoming = [{"type": "http.request", "body": json.dumps(ONE).encode()}, {"type": "http.disconnect"}]

        async def receive() -> dict[str, Any]:
            if len(incoming) == 1:
                while not held.began.acquire(blocking=False):
                    await anyio.sleep(0.01)
            return incoming.pop(0)

        async def send(_message: Any) -> None:
            """Nobody reads it."""

        async with app.router.lifespan_context(app):
            await app(scope_of("/run"), receive, send)
            assert await anyio.to_thread.run_sync(held.ended.acquire, True, 10)

    anyio.run(drive)


def test_verify_does_not_wait_for_the_models():
    held, answers = Held(), queue.Queue[Any]()
    with client(held) as http:
        thread = post_aside(http, answers)
        assert held.began.acquire(timeout=10)
        assert http.post("/verify", json={"audit": ""}).json()["intact"] is False
        held.go.set()
        thread.join()


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (ModelUnavailableError("/a/folder/of/the/server has none"), 503, "model_unavailable"),
        (StageFailedError("compression failed: at /a/folder"), 500, "internal"),
        (ZeroDivisionError("at /a/folder"), 500, "internal"),
    ],
)
def test_what_breaks_inside_is_a_problem_that_tells_nothing_of_the_server(error, status, code):
    def broken(_settings: Settings) -> MemGuard:
        raise error

    with client(HttpTools(guard=broken)) as http:
        answer = http.post("/run", json={"messages": MESSAGES})

    assert problem(answer, status, code)
    assert "/a/folder" not in answer.text


def test_an_audit_that_cannot_be_written_is_the_servers_fault_and_names_no_path(tmp_path, caplog):
    folder = tmp_path / "audits"
    folder.mkdir()
    with client(tools(audit_folder=folder)) as http:
        folder.rmdir()
        answers = [http.post(path, json={"messages": MESSAGES}) for path in ("/run", "/compress")]

    for answer in answers:
        assert problem(answer, 500, "internal")
        assert "audits" not in answer.text
    assert "audits" in caplog.text


def test_limits_that_serve_nobody_are_refused():
    for name, value in {"time_s": 0, "body_time_s": -1, "at_once": 0, "body_bytes": 0, "waiting": -1}.items():
        with pytest.raises(InvalidParameterError, match=name):
            HttpLimits(**{name: value})


def test_models_are_loaded_once_and_before_the_first_request(monkeypatch):
    from memguard.models import loading
    from tests.fakes import FakeEmbedder

    loads: list[str] = []
    monkeypatch.setattr(loading, "load_embedder", lambda *_: loads.append("embedder") or FakeEmbedder())
    monkeypatch.setattr(
        loading, "load_summarizer", lambda *_a, **_k: loads.append("summarizer") or FakeSummarizer()
    )
    HttpTools().load()

    assert loads == ["embedder", "summarizer"]


# --- the description


def test_the_description_tells_every_answer_and_is_the_one_of_the_wire_form():
    with client(address=HttpAddress(token=TOKEN)) as http:
        schema = http.get("/openapi.json", headers=BEARER).json()
        row = http.post("/check", json={"messages": MESSAGES, "summary": SUMMARY}, headers=BEARER).json()

    result = {"$ref": "#/components/schemas/Result", "components": schema["components"]}
    jsonschema.Draft202012Validator(result).validate(row)
    told = {
        int(status) for path in schema["paths"].values() for m in path.values() for status in m["responses"]
    }
    assert {kind.status for kind in KINDS} - told == {404, 405}  # of no path of the description
    assert schema["paths"]["/run"]["post"]["security"] == [{"token": []}]


def test_options_have_the_bounds_of_the_settings():
    for body in (CompressBody, CheckBody, RunBody):
        for key in set(body.model_fields) & set(body.SETTINGS):
            schema = body.model_json_schema()["properties"][key]
            bounds = next(part for part in schema["anyOf"] if part["type"] != "null")
            low = bounds.get("minimum", schema.get("minimum"))
            if low is None:
                assert schema["enum"][:-1]
            else:
                Settings().with_value(body.SETTINGS[key], low)
                with pytest.raises(InvalidParameterError):
                    Settings().with_value(body.SETTINGS[key], low - 1)


FUZZED = HttpAddress(token=TOKEN, names=("testserver",))
CONFIG = SchemathesisConfig.from_dict(
    {
        "headers": BEARER,
        "checks": {
            "negative_data_rejection": {"expected-statuses": ["400", "401", "413", "415", "422"]},
            "not_a_server_error": {"expected-statuses": ["2xx", "4xx"]},
        },
    }
)
API = schemathesis.openapi.from_asgi(
    "/openapi.json",
    http_app(tools(), FUZZED, HttpLimits()),
    config=CONFIG,
    headers=BEARER,
)


@API.parametrize()
@hypothesis_settings(
    max_examples=30, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
def test_what_is_generated_from_the_description_is_answered_as_it_says(case):
    """schemathesis: status, content type, headers, body schema, refusal of bad data, ignored tokens."""
    case.call_and_validate(headers=BEARER)
