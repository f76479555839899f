"""The MCP server, driven by the SDK's own client: over standard input and output, and over HTTP."""

from __future__ import annotations

import inspect
import json
import os
import queue
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import anyio
import httpx2
import jsonschema
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from memguard import audit, cli, wire
from memguard.cli.codes import BAD_INPUT, DONE, WRONG_USAGE
from memguard.errors import InvalidParameterError
from memguard.memory.capture import Extras
from memguard.memory.desk import ACTIONS, Memory
from memguard.memory.maintenance import MaintenanceOptions
from memguard.memory.rows import EntryFilter
from memguard.memory.store import MemoryStore
from memguard.server import mcp as server_module
from memguard.server.arguments import Arguments, schema_of
from memguard.server.mcp import Tool, build, context_tools, result_schema
from memguard.server.memory_arguments import MemoryArguments
from memguard.server.progress import TOTAL, Climb
from memguard.server.transports import MOST_BODY_BYTES, Address
from memguard.server.work import Answer, ContextTools

ROOT = Path(__file__).resolve().parents[2]
MESSAGES = [
    {"id": "m1", "role": "user", "speaker": "Ada", "content": "The deposit is 400 euros. " * 20},
    {"id": "m2", "role": "assistant", "content": "The offsite moved to March 19."},
]
SUMMARY = "The deposit is 500 euros. A yacht waits in Rio. The offsite moved to March 19. Hello there!"
TOKEN = "a-token-of-the-tests-0123456789"
HEAD = re.compile(r"audit head ([0-9a-f]{64})")


def command(*arguments: object) -> list[str]:
    return ["-m", "tests.server.fake_server", "mcp", *map(str, arguments)]


def parameters(tmp_path: Path, *arguments: object) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable, args=command(*arguments), env=environment(tmp_path), cwd=str(ROOT)
    )


def environment(tmp_path: Path, **more: str) -> dict[str, str]:
    """Return an environment with a store of the test's own and no provider."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    own = {
        "MEMGUARD_HOME": str(tmp_path),
        "MEMGUARD_MEMORY_URL": str(tmp_path / "memory.db"),
        "MEMGUARD_MCP_TOKEN": "",
        "MEMGUARD_EAGER": "",
        "COMPRESSION_ENABLED": "false",
        "LOG_LEVEL": "",
    }
    return {**kept, **own, **more}


def drive(server: Any, scenario: Callable[[Client], Awaitable[None]], **options: Any) -> None:
    """Run a scenario with a client of the SDK; a server that hangs fails."""

    async def run() -> None:
        with anyio.fail_after(60):
            async with Client(server, **options) as client:
                await scenario(client)

    anyio.run(run)


def texts(result: Any) -> list[str]:
    return [block.text for block in result.content]


@contextmanager
def http_server(tmp_path: Path, *arguments: object, token: str = "") -> Iterator[str]:
    """Start the server on a free port and give its URL."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, *command("--http", "--port", port, *arguments)],
        cwd=ROOT,
        env=environment(tmp_path, MEMGUARD_MCP_TOKEN=token),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    lines: queue.Queue[str] = queue.Queue()
    reading = threading.Thread(target=lambda: [lines.put(line) for line in process.stderr or ()])
    reading.start()
    try:
        line = lines.get(timeout=60)
        assert line == f"MCP server at http://127.0.0.1:{port}/mcp\n", line
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        said, _ = process.stdout.read() if process.stdout else "", process.wait(timeout=30)
        reading.join(timeout=30)
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()
    assert said == ""


def test_a_client_on_standard_input_compresses_checks_and_reads_the_audit(tmp_path):
    """E2E over stdio: payload with citations, verdicts, and an audit whose head is the one told."""
    folder = tmp_path / "audits"
    folder.mkdir()

    async def scenario(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert {"compress_context", "check_summary"} <= set(tools)
        assert tools["compress_context"].input_schema["additionalProperties"] is False
        assert client.server_info is not None
        assert client.server_info.name == "memguard"

        result = await client.call_tool("compress_context", {"messages": MESSAGES, "preset": "balanced"})
        payload, report = texts(result)
        assert not result.is_error
        assert "- The deposit is 400 euros. [m1, Ada]" in payload
        assert "c2 dropped, not found in the transcript: A yacht waits in Rio." in report
        row = result.structured_content
        cited = {c["claim_id"]: c["message_ids"] for c in row["payload"]["citations"]}
        assert cited.pop("c1") == ["m1"]
        assert set(cited) == set(
            row["retention"]["rescued"]
        )  # the other lines are the transcript's own words
        assert row["payload"]["text"] == payload
        head = HEAD.search(report)[1]
        assert row["audit_head"] == head
        assert audit.verify(folder / f"{row['id']}.jsonl", expected_head=head).intact

        result = await client.call_tool("check_summary", {"messages": MESSAGES, "summary": SUMMARY})
        assert texts(result)[0].splitlines() == [
            "c1 dropped, contradicted by m1: The deposit is 500 euros. "
            "(500 euros, where m1 says 400 euros; would be kept at minimum support 0.07)",
            "c2 dropped, not found in the transcript: A yacht waits in Rio. (similarity 0.00 is below the "
            "minimum; would be kept at minimum support 0.21 and similarity 0.00)",
            "c3 kept [m2]: The offsite moved to March 19.",
            "c4 not a claim: Hello there!",
        ]
        assert [claim["kept"] for claim in result.structured_content["claims"]] == [False, False, True, False]
        assert "ok: 1 of 3 claims kept" in texts(result)[1]

    drive(parameters(tmp_path, "--audit", folder), scenario)
    assert len(list(folder.iterdir())) == 2


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_client_over_http_reaches_the_same_tools(tmp_path, mode):
    """E2E over streamable HTTP on loopback, for clients before and after the protocol of 2026-07-28."""

    async def scenario(client: Client) -> None:
        seen: list[tuple[float, float | None, str | None]] = []

        async def progress(value: float, total: float | None, message: str | None) -> None:
            seen.append((value, total, message))

        result = await client.call_tool(
            "compress_context", {"messages": MESSAGES}, progress_callback=progress
        )
        assert "- The deposit is 400 euros. [m1, Ada]" in texts(result)[0]
        assert [value for value, _, _ in seen] == sorted({value for value, _, _ in seen})
        assert len(seen) > 3
        assert seen[-1] == (TOTAL, TOTAL, "reconstruction: claims assembled, 1 of 1")
        result = await client.call_tool("check_summary", {"messages": MESSAGES, "summary": SUMMARY})
        assert "c3 kept [m2]" in texts(result)[0]

    with http_server(tmp_path) as url:
        drive(url, scenario, mode=mode)


def test_the_server_answers_only_to_its_own_names_and_within_its_limits(tmp_path):
    """DNS rebinding: a page of another origin, or another name for this machine, gets nothing."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    with http_server(tmp_path) as url, httpx2.Client(headers=headers, timeout=30) as client:
        port = url.rsplit(":", 1)[1].removesuffix("/mcp")
        assert client.post(url, json=call, headers={"Host": f"evil.example:{port}"}).status_code == 421
        assert client.post(url, json=call, headers={"Host": "127.0.0.1:1"}).status_code == 421
        assert client.post(url, json=call, headers={"Origin": "http://evil.example"}).status_code == 403
        assert client.post(url, json=call, headers={"Origin": "http://localhost:1"}).status_code == 403
        assert client.post(url, content=b"[" + b" " * MOST_BODY_BYTES).status_code == 413
        own = client.post(url, json=call, headers={"Origin": f"http://localhost:{port}"})
        assert own.status_code not in {403, 413, 421}


def test_a_token_is_asked_for_where_one_is_set(tmp_path):
    """The token comes from the environment, is compared whole, and stands in no answer."""

    async def scenario(client: Client) -> None:
        assert (await client.list_tools()).tools

    async def with_token(url: str) -> None:
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}) as http:
            with anyio.fail_after(60):
                async with Client(streamable_http_client(url, http_client=http)) as client:
                    await scenario(client)

    with http_server(tmp_path, token=TOKEN) as url:
        with httpx2.Client(timeout=30) as plain:
            for value in (None, f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", "Bearer é", f"Basic {TOKEN}"):
                given = {} if value is None else {"Authorization": value.encode()}
                answer = plain.post(url, json={}, headers=given)
                assert answer.status_code == 401
                assert TOKEN not in answer.text
        anyio.run(with_token, url)


def test_standard_output_carries_the_protocol_and_nothing_else(tmp_path):
    """What prints inside a call, be it C or a child process, reaches standard error."""
    ask = [
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            },
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "compress_context", "arguments": {"messages": MESSAGES}},
        },
    ]
    broken = r'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"check_summary","arguments":'
    broken += r'{"summary":"A \ud800 \ud83d\ude00 \\ud800.","messages":[{"content":"x"}]}}}'
    process = subprocess.Popen(
        [sys.executable, *command()],
        cwd=ROOT,
        env=environment(tmp_path, NOISY="1"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        bufsize=1,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    answers = []
    for message in ask:
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
        if "id" in message:
            answers.append(json.loads(process.stdout.readline()))
    process.stdin.write(broken + "\n")
    process.stdin.flush()
    answers.append(json.loads(process.stdout.readline()))
    rest, log = process.communicate(timeout=60)

    assert [answer["id"] for answer in answers] == [1, 2, 3]
    # Half a character is replaced, a pair of escapes and an escaped backslash are not.
    assert answers[2]["result"]["structuredContent"]["claims"][0]["text"] == "A \ufffd \U0001f600 \\ud800."
    assert "The deposit is 400 euros." in answers[1]["result"]["content"][0]["text"]
    assert rest == ""
    assert process.returncode == DONE
    for source in ("Python", "a library in C", "a child"):
        assert f"noise from {source}" in log
    assert "memguard: noise in the log" in log


def test_errors_say_what_is_wrong_and_repeat_no_value(tmp_path):
    """Bad input is an answer of the tool, in plain words; the next call works."""
    secret = "hunter2-hunter2"
    cases: list[tuple[str, dict[str, Any], str]] = [
        ("compress_context", {}, "the argument 'messages' is missing"),
        ("compress_context", {"messages": "no list"}, "messages must be a list"),
        ("compress_context", {"messages": [3]}, "message 0 must be an object"),
        ("compress_context", {"messages": MESSAGES, "presett": secret}, "there is no argument 'presett'"),
        ("compress_context", {"messages": MESSAGES, "payload_tokens": 0}, "a whole number from 1 to"),
        ("check_summary", {"messages": MESSAGES, "summary": [secret]}, "input should be a valid string"),
        ("check_summary", {"messages": MESSAGES, "summary": "x" * 100_001}, "at most 100,000 are taken"),
        ("compress_context", {"messages": [{"content": "x" * 1_000_000}]}, "at most 1,000,000 are taken"),
        ("compress_context", {"messages": [{"content": "x"}] * 5_001}, "at most 5,000 are taken"),
        ("compress", {}, "there is no tool 'compress'; known: memory, compress_context, check_summary"),
    ]

    async def scenario(client: Client) -> None:
        for tool, arguments, expected in cases:
            result = await client.call_tool(tool, arguments)
            assert result.is_error
            assert expected in texts(result)[0]
            assert secret not in texts(result)[0]
        result = await client.call_tool("compress_context", {"messages": json.dumps(MESSAGES)})
        assert not result.is_error  # a client that writes every argument as a text of JSON is understood

    drive(parameters(tmp_path), scenario)


def test_a_cancelled_call_stops_at_its_next_report_and_frees_the_turn():
    """Two calls never run the models at once, and one that nobody waits for does not hold up the next."""
    stopped = threading.Event()
    started = threading.Event()

    class Nothing(Arguments):
        """No arguments."""

    def endless(_given: Nothing, progress: Any) -> Answer:
        try:
            started.set()
            for step in range(3_000):  # a minute, so that a server that goes on fails the test and ends
                time.sleep(0.02)
                progress("elimination", step, 3_000, "nothing")
        finally:
            stopped.set()
        return Answer(("done",), {})

    def quick(_given: Nothing, _progress: Any) -> Answer:
        return Answer(("quick",), {})

    hints = server_module.types.ToolAnnotations()
    plain = {"type": "object"}
    server = build(
        (
            Tool("endless", "", "", Nothing, endless, plain, hints, takes_turns=True),
            Tool("quick", "", "", Nothing, quick, plain, hints, takes_turns=True),
        )
    )

    async def scenario(client: Client) -> None:
        with anyio.fail_after(20):
            await cancelled(client)

    async def cancelled(client: Client) -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "endless", {})
            await anyio.to_thread.run_sync(started.wait, 30)
            tasks.cancel_scope.cancel()
        assert texts(await client.call_tool("quick", {})) == ["quick"]
        assert stopped.is_set()

    drive(server, scenario, mode="legacy")


def test_the_result_is_the_wire_form_and_fits_the_schema_that_is_told():
    schema = result_schema()

    assert set(schema["properties"]) == set(wire.Result.__annotations__)
    jsonschema.validate(wire.failure("x", id="1") | {"audit_head": "0" * 64}, schema)
    assert {tool.output["properties"]["schema"]["const"] for tool in context_tools(ContextTools())} == {
        wire.SCHEMA
    }


def test_progress_only_rises():
    seen: list[float] = []
    climb = Climb(lambda value, total, message: seen.append(value))
    for stage, done, total, label in [
        ("models", 0, 1, "loading"),
        ("compression", 0, 9, "embedded"),
        ("compression", 9, 9, "embedded"),
        ("compression", 0, 2, "written"),
        ("compression", 1, 2, "written"),
        ("elimination", 0, 0, "nothing"),
        ("reconstruction", 1, 1, "assembled"),
        ("reconstruction", 0, 1, "again"),
    ]:
        climb(stage, done, total, label)

    assert all(low < high for low, high in pairwise(seen))
    assert seen[-1] == TOTAL


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"host": "192.0.2.7"}, "so a token is needed"),
        ({"host": "agent.example"}, "so a token is needed"),
        ({"host": "0.0.0.0", "token": TOKEN}, "give --allow-host NAME"),  # noqa: S104  refused
        ({"host": "::", "token": TOKEN}, "give --allow-host NAME"),
        ({"token": "short"}, "16 or more printable characters; it has 5"),
    ],
)
def test_what_would_be_open_to_anybody_is_refused(given, expected):
    with pytest.raises(InvalidParameterError, match=expected) as caught:
        Address(**given)
    assert "short" not in str(caught.value)


def test_names_of_this_machine_are_allowed_only_where_it_alone_is_reached():
    local = Address().security(8723)
    assert "localhost:8723" in local.allowed_hosts
    assert local.enable_dns_rebinding_protection

    public = Address("0.0.0.0", token=TOKEN, names=("agent.example",)).security(8723)  # noqa: S104
    assert "agent.example:8723" in public.allowed_hosts
    assert not any(host.startswith(("localhost", "127.")) for host in public.allowed_hosts)


def run(capsys, *arguments):
    code = cli.main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_without_the_sdk_the_command_names_the_extra(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "memguard.server.mcp", None)

    code, out, err = run(capsys, "mcp")

    assert (code, out) == (BAD_INPUT, "")
    assert "pip install 'memguard-context[mcp]'" in err


def test_flags_that_do_not_fit_are_wrong_usage(capsys, tmp_path, monkeypatch):
    monkeypatch.delenv("MEMGUARD_MCP_TOKEN", raising=False)
    for arguments, expected in [
        (("--port", "8000"), "go with --http"),
        (("--http", "--host", "192.0.2.7"), "so a token is needed"),
        (("--http", "--port", "70000"), "from 1 to 65535"),
    ]:
        with pytest.raises(SystemExit) as caught:
            cli.main(["mcp", *arguments])
        assert caught.value.code == WRONG_USAGE
        assert expected in capsys.readouterr().err
    code, _out, err = run(capsys, "mcp", "--http", "--token-file", tmp_path / "none")
    assert (code, "cannot be read" in err) == (BAD_INPUT, True)
    code, _out, err = run(capsys, "mcp", "--audit", tmp_path / "none")
    assert (code, "no such folder" in err) == (BAD_INPUT, True)


def test_a_port_that_is_taken_is_told(capsys, monkeypatch):
    monkeypatch.delenv("MEMGUARD_MCP_TOKEN", raising=False)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        code, _out, err = run(capsys, "mcp", "--http", "--port", taken.getsockname()[1])

    assert code == BAD_INPUT
    assert "choose another port with --port" in err


def test_a_client_captures_finds_and_keeps_memory(tmp_path):
    """D01, D18, F24 over the protocol: stored once, without the secret, found, deleted, restored."""
    secret = "correct-horse-battery-9"

    async def scenario(client: Client) -> None:
        async def memory(action: str, **arguments: Any) -> Any:
            result = await client.call_tool("memory", {"action": action, **arguments})
            assert not result.is_error, texts(result)
            assert secret not in str(result)
            return result

        stored = await memory(
            "capture",
            text=f"The password is {secret}, and the deposit is 400 euros.",
            tags=["money"],
            importance=0.9,
            timestamp="2026-11-01T09:00:00+01:00",
        )
        entry = stored.structured_content["memory_id"]
        assert texts(stored)[0].startswith(f"Stored as {entry}.\nReplaced before it was stored: password.")
        again = await memory("capture", text=f"The password is {secret}, and the deposit is 400 euros.")
        assert again.structured_content["status"] == "duplicate"
        assert again.structured_content["memory_id"] == entry

        found = await memory("search", query="the deposit", k=3, since=0, types=["long_term"])
        assert texts(found)[0].startswith(f"- {entry} (2026-11-01, similarity ")
        assert found.structured_content["entries"][0]["tags"] == ["money"]
        assert "400 euros" in texts(await memory("summarize", max_tokens=50, strategy="recency"))[0]
        assert texts(await memory("get", memory_id=entry))[0].startswith(
            f"{entry} (2026-11-01): The password"
        )
        assert (await memory("compress", memory_id=entry)).structured_content["reason"] == "disabled"
        assert texts(await memory("maintain", dry_run=True)) == ["1 entry: nothing would be changed."]
        assert "too few for maintenance" in texts(await memory("maintain"))[0]

        exported = (await memory("export")).structured_content
        assert exported["count"] == 1
        assert texts(await memory("delete", memory_id=entry)) == [f"{entry} deleted."]
        assert texts(await memory("list")) == ["No entry was found."]
        assert texts(await memory("restore", memory_id=entry)) == [f"{entry} restored."]
        moved = await memory("import", lines=exported["lines"], skip_existing=True)
        assert texts(moved) == ["0 entries imported, 1 were there already."]

    drive(parameters(tmp_path), scenario)
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("memory.db*"))
    assert secret.encode() not in stored
    with MemoryStore(tmp_path / "memory.db") as store:
        assert store.verify().intact


def test_what_a_client_was_given_is_not_captured_as_new(tmp_path):
    """Injected memory is never captured again, whichever action gave it out."""

    async def scenario(client: Client) -> None:
        for number, action in enumerate(["list", "get", "search", "summarize"]):
            text = f"Train number {number + 40} leaves at noon."
            stored = await client.call_tool("memory", {"action": "capture", "text": text})
            entry = stored.structured_content["memory_id"]
            arguments = {"get": {"memory_id": entry}, "search": {"query": text}}.get(action, {})
            given = await client.call_tool("memory", {"action": action, **arguments})
            assert text in texts(given)[0]
            await client.call_tool("memory", {"action": "delete", "memory_id": entry})
            result = await client.call_tool("memory", {"action": "capture", "text": text})
            assert texts(result) == ["Nothing was stored: this text came out of memory."], action

    drive(parameters(tmp_path), scenario)


def test_memory_refuses_what_is_not_its_own_or_too_large(tmp_path):
    """No file, no tenant and no erasing over the protocol; sizes are told; nothing is written."""
    secret = "hunter2-hunter2"
    cases: list[tuple[dict[str, Any], str]] = [
        ({}, "the argument 'action' is missing"),
        ({"action": "forget"}, "the argument 'action': input should be 'capture', 'search'"),
        ({"action": "get"}, "missing a required argument: 'memory_id'"),
        ({"action": "get", "memory_id": "x"}, "has no entry 'x'"),
        ({"action": "get", "memory_id": "x", "text": secret}, "got an unexpected keyword argument 'text'"),
        ({"action": "delete", "memory_id": "x", "purge": True}, "there is no argument 'purge'"),
        ({"action": "export", "path": "x.jsonl"}, "there is no argument 'path'"),
        ({"action": "list", "tenant_id": "ben"}, "there is no argument 'tenant_id'"),
        (
            {"action": "import", "on_unfiltered": "flag"},
            "there is no argument 'on_unfiltered'",
        ),
        ({"action": "import", "lines": ["{}"]}, "nothing was imported"),
        ({"action": "capture", "text": [secret]}, "the argument 'text': input should be a valid string"),
        ({"action": "capture", "text": "x" * 200_001}, "at most 200,000 are taken in one call"),
        ({"action": "capture", "turns": ["x" * 1_000_001]}, "at most 1,000,000 are taken in one call"),
        ({"action": "capture", "text": "A text.", "importance": 7}, "importance must be a number in [0, 1]"),
        ({"action": "capture", "text": "A text.", "timestamp": "soon"}, "must be ISO 8601"),
        ({"action": "search", "query": "x", "k": 101}, "the argument 'k' must be at most 100"),
        ({"action": "list", "limit": 501}, "the argument 'limit' must be at most 500"),
        ({"action": "list", "limit": "5"}, "the argument 'limit': input should be a valid integer"),
    ]

    async def scenario(client: Client) -> None:
        for arguments, expected in cases:
            result = await client.call_tool("memory", arguments)
            assert result.is_error, arguments
            assert expected in texts(result)[0]
            assert secret not in texts(result)[0]
        assert texts(await client.call_tool("memory", {"action": "list"})) == ["No entry was found."]

    drive(parameters(tmp_path), scenario)


def test_a_server_serves_the_tenant_it_was_started_for(tmp_path):
    async def capture(client: Client) -> None:
        await client.call_tool("memory", {"action": "capture", "text": "The deposit is 400 euros."})

    async def look(client: Client) -> None:
        result = await client.call_tool("memory", {"action": "search", "query": "deposit"})
        assert texts(result) == ["No entry was found."]

    drive(parameters(tmp_path, "--tenant", "ada"), capture)
    drive(parameters(tmp_path, "--tenant", "ben"), look)


def test_several_clients_write_at_once_over_http_and_nothing_is_lost(tmp_path):
    async def write(url: str, name: int) -> None:
        async with Client(url) as client:
            for number in range(5):
                text = f"Crate {name * 100 + number} stands in hall {name}."
                result = await client.call_tool("memory", {"action": "capture", "text": text})
                assert result.structured_content["status"] == "stored"

    async def all_at_once(url: str) -> None:
        with anyio.fail_after(120):
            async with anyio.create_task_group() as tasks:
                for name in range(1, 5):
                    tasks.start_soon(write, url, name)

    with http_server(tmp_path) as url:
        anyio.run(all_at_once, url)
    with MemoryStore(tmp_path / "memory.db") as store:
        assert store.count() == 20
        assert store.verify().intact


def test_a_store_that_cannot_be_opened_costs_no_other_tool(tmp_path):
    (tmp_path / "memory.db").write_text("this is no database, and it is long enough to be read as one" * 9)

    async def scenario(client: Client) -> None:
        result = await client.call_tool("memory", {"action": "list"})
        assert result.is_error
        assert "memory.db" in texts(result)[0]
        result = await client.call_tool("check_summary", {"messages": MESSAGES, "summary": SUMMARY})
        assert not result.is_error

    drive(parameters(tmp_path), scenario)


def test_the_actions_and_their_arguments_are_those_of_the_core():
    """Every action of ``memory(action=…)``; of its arguments all but files, tenants and erasing."""
    schema = schema_of(MemoryArguments)
    assert set(schema["properties"]["action"]["enum"]) == set(ACTIONS)
    withheld = {"purge", "path", "give", "compressor", "on_unfiltered", "self"}
    extras = {"extras": Extras, "wanted": EntryFilter, "options": MaintenanceOptions}
    taken: set[str] = set()
    for method in ACTIONS.values():
        for parameter in inspect.signature(getattr(Memory, method)).parameters.values():
            more = extras.get(parameter.name)
            taken |= set(inspect.signature(more).parameters) if more else {parameter.name}
    rare = {"ids", "expired", "compressed", "injected", "embedding_model", "privacy_status", "origin"}
    assert set(schema["properties"]) == (taken | {"action"}) - withheld - rare


@pytest.mark.weights
@pytest.mark.slow
def test_the_installed_models_answer_a_client(tmp_path):
    """The real encoder behind the real command, over standard input."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "memguard", "mcp", "--store", str(tmp_path / "memory.db")],
        env={**os.environ, "COMPRESSION_ENABLED": "false"},
        cwd=str(ROOT),
    )

    async def scenario(client: Client) -> None:
        remember = {"action": "capture", "text": "The user prefers a seat at the window on every flight."}
        stored = (await client.call_tool("memory", remember)).structured_content
        asked = {"action": "search", "query": "where would they like to sit in the plane?"}
        found = (await client.call_tool("memory", asked)).structured_content["entries"]
        assert [entry["id"] for entry in found] == [stored["memory_id"]]
        assert found[0]["similarity"] > 0.3
        result = await client.call_tool("check_summary", {"messages": MESSAGES, "summary": SUMMARY})
        kept = {claim["text"]: claim["kept"] for claim in result.structured_content["claims"]}
        assert kept["The offsite moved to March 19."]
        assert not kept["The deposit is 500 euros."]
        assert not kept["A yacht waits in Rio."]

    async def patient() -> None:
        with anyio.fail_after(300):
            async with Client(server) as client:
                await scenario(client)

    anyio.run(patient)
