"""``memguard mcp`` and ``memguard serve``: the servers of the Model Context Protocol and of HTTP."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from memguard.cli.codes import DONE
from memguard.cli.memory_inputs import add_store, exclusions
from memguard.cli.setting_flags import settings_file
from memguard.errors import InvalidParameterError, MemGuardError, how_to_install
from memguard.server import http_address
from memguard.server.address import LOOPBACK

if TYPE_CHECKING:
    from memguard.server.mcp import Tool

MCP_TOKEN_VARIABLE = "MEMGUARD_MCP_TOKEN"  # noqa: S105  the variable's name
_HTTP_ONLY = ("host", "port", "token_file", "allow_host", "allow_origin")


def mcp(arguments: argparse.Namespace) -> int:
    """Serve memory, compress_context and check_summary to MCP clients, on standard input or on a port."""
    if not arguments.http and any(getattr(arguments, name) for name in _HTTP_ONLY):
        arguments.parser.error("--host, --port, --token-file and --allow-… go with --http")
    try:
        from memguard.server.mcp import build
        from memguard.server.transports import PORT, Address, serve_http, serve_stdio
    except ImportError as error:
        raise MemGuardError(
            f"the MCP server needs the SDK of the protocol, which is not installed or too old ({error}); "
            f"{how_to_install('mcp')}"
        ) from error
    address = None
    if arguments.http:
        try:
            address = Address(
                arguments.host or LOOPBACK,
                arguments.port or PORT,
                _token(arguments.token_file, MCP_TOKEN_VARIABLE),
                tuple(arguments.allow_host or ()),
                origins=tuple(arguments.allow_origin or ()),
            )
        except InvalidParameterError as error:
            arguments.parser.error(str(error))
    _log_to_stderr()
    server = build(_tools(arguments))
    if address is None:
        serve_stdio(server)
    else:
        serve_http(server, address, lambda url: print(f"MCP server at {url}", file=sys.stderr, flush=True))
    return DONE


def serve(arguments: argparse.Namespace) -> int:
    """Serve compress, check, run and verify over HTTP, described by OpenAPI."""
    try:
        from memguard.server.http import serve as serve_app
        from memguard.server.http_turns import HttpLimits
        from memguard.server.http_work import HttpTools
    except ImportError as error:
        raise MemGuardError(
            f"the HTTP server needs FastAPI and uvicorn, which are not installed or too old ({error}); "
            f"{how_to_install('http')}"
        ) from error
    try:
        address = http_address.HttpAddress(
            arguments.host or LOOPBACK,
            arguments.port or http_address.PORT,
            _token(arguments.token_file, http_address.TOKEN_VARIABLE),
            tuple(arguments.allow_host or ()),
            arguments.without_token,
        )
        given = {name: getattr(arguments, name) for name in ("time_s", "at_once", "waiting")}
        limits = HttpLimits(**{name: value for name, value in given.items() if value is not None})
    except InvalidParameterError as error:
        arguments.parser.error(str(error))
    settings = settings_file(arguments.settings)
    tools = HttpTools(settings, audit_folder=arguments.audit)
    _log_to_stderr()
    serve_app(tools, address, limits, lambda url: print(f"HTTP server at {url}", file=sys.stderr, flush=True))
    return DONE


def add_serve(
    parser: argparse.ArgumentParser, port: Callable[[str], int], count: Callable[[str], int]
) -> None:
    """Add the flags of ``serve``."""
    parser.add_argument("--host", metavar="ADDRESS", help="default: 127.0.0.1, this machine alone")
    parser.add_argument("--port", type=port, metavar="PORT", help=f"default: {http_address.PORT}")
    parser.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help="holds the bearer token that clients must send; default: "
        f"{http_address.TOKEN_VARIABLE}, else none",
    )
    parser.add_argument(
        "--without-token", action="store_true", help="serve other machines, with --host, to anybody"
    )
    parser.add_argument(
        "--allow-host", action="append", metavar="NAME", help="a name under which clients reach it"
    )
    parser.add_argument("--settings", metavar="FILE", help="a TOML file of settings")
    parser.add_argument(
        "--audit", type=Path, metavar="DIR", help="write the audit of every run into this folder"
    )
    parser.add_argument(
        "--time-limit",
        type=float,
        dest="time_s",
        metavar="SECONDS",
        help="longest that a request may wait and work; default: 300",
    )
    parser.add_argument(
        "--at-once", type=count, metavar="N", help="requests that are worked on at once; default: 1"
    )
    parser.add_argument(
        "--waiting", type=count, metavar="N", help="requests that may wait for their turn; default: 8"
    )


def add_mcp(parser: argparse.ArgumentParser, port: Callable[[str], int]) -> None:
    """Add the flags of ``mcp``."""
    add_store(parser)
    parser.add_argument("--settings", metavar="FILE", help="a TOML file of settings")
    parser.add_argument(
        "--audit", type=Path, metavar="DIR", help="write the audit of every run into this folder"
    )
    http = parser.add_argument_group("HTTP")
    http.add_argument("--http", action="store_true", help="serve streamable HTTP in place of standard input")
    http.add_argument("--host", metavar="ADDRESS", help="default: 127.0.0.1, this machine alone")
    http.add_argument("--port", type=port, metavar="PORT", help="default: 8723")
    http.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help=f"holds the bearer token that clients must send; default: {MCP_TOKEN_VARIABLE}, else none",
    )
    http.add_argument(
        "--allow-host", action="append", metavar="NAME", help="a name under which clients reach it"
    )
    http.add_argument(
        "--allow-origin", action="append", metavar="ORIGIN", help="a web page's origin that may call it"
    )


def _tools(arguments: argparse.Namespace) -> tuple[Tool, ...]:
    from memguard.memory.actions import follow_log_level
    from memguard.memory.desk import Memory
    from memguard.memory.gate import PrivacyGate
    from memguard.server.mcp import context_tools, memory_tool
    from memguard.server.memory_work import MemoryTool
    from memguard.server.work import ContextTools

    follow_log_level()
    settings = settings_file(arguments.settings)
    gate = PrivacyGate(exclusions(arguments.exclusions))

    def open_memory() -> Memory:
        return Memory(arguments.store, tenant_id=arguments.tenant, gate=gate)

    work = ContextTools(settings, audit_folder=arguments.audit)
    return memory_tool(MemoryTool(open_memory)), *context_tools(work)


def _token(file: Path | None, variable: str) -> str | None:
    if file is None:
        return os.environ.get(variable, "").strip() or None
    try:
        token = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise MemGuardError(f"{file}: the token cannot be read from it ({type(error).__name__})") from error
    if not token:
        raise MemGuardError(f"{file}: holds no token")
    return token


def _log_to_stderr() -> None:
    """Show warnings on standard error, of MemGuard itself what ``LOG_LEVEL`` asks for.

    The level of the root logger is not enough: some libraries lower that of their own.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(lambda record: record.levelno >= logging.WARNING or record.name.startswith("memguard."))
    logging.basicConfig(handlers=[handler], format="memguard: %(message)s")
