"""How a client reaches the server: standard input and output, or HTTP on a port of this machine.

HTTP is for this machine unless asked otherwise. A web page that somebody has open could send requests to
it (DNS rebinding): so the names in Host and Origin must be the server's own, which the SDK checks.
"""

from __future__ import annotations

import hmac
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import anyio
import uvicorn
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import AnyHttpUrl

from memguard.server.address import LOOPBACK, ServerAddress

PATH = "/mcp"
PORT = 8723
MOST_BODY_BYTES = 8 * 2**20
_CLOSING_S = 5
_SURROGATE = re.compile(r"\\\\|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u[dD][89a-fA-F]..")
"""An escaped backslash, a pair of surrogates, or one alone."""
_ONE_ESCAPE = len(r"\ud800")


@dataclass(frozen=True, slots=True)
class Address(ServerAddress):
    """Where MCP is served over HTTP, and to whom.

    Attributes:
        origins: Origins of web pages that may call it, such as ``https://agent.example``.
    """

    REMEDY: ClassVar[str] = "set MEMGUARD_MCP_TOKEN or give --token-file"

    host: str = LOOPBACK
    port: int = PORT
    origins: tuple[str, ...] = ()

    def security(self, port: int) -> TransportSecuritySettings:
        """Return which names may stand in Host and Origin."""
        hosts = [f"{name}:{port}" for name in dict.fromkeys((*self.own_names, *self.names))]
        pages = [f"http://{host}" for host in hosts]
        return TransportSecuritySettings(
            enable_dns_rebinding_protection=True,
            allowed_hosts=[*hosts, *self.names],
            allowed_origins=[*pages, *self.origins],
        )


class _OneToken:
    """Knows one token."""

    def __init__(self, token: str) -> None:
        self._token = token.encode()

    async def verify_token(self, token: str) -> AccessToken | None:
        """Accept that token, in a time that does not depend on where another one differs."""
        if not hmac.compare_digest(token.encode(), self._token):
            return None
        return AccessToken(token="", client_id="memguard", scopes=[])


def serve_stdio(server: Server[Any]) -> None:
    """Serve until standard input ends; standard output carries the protocol and nothing else."""

    async def serve() -> None:
        async with stdio_server(stdin=_taken_input()) as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(serve)


def serve_http(server: Server[Any], address: Address, announce: Callable[[str], None]) -> None:
    """Serve streamable HTTP until interrupted.

    Args:
        server: The server.
        address: Where and to whom.
        announce: Called with the URL once the port is open.

    Raises:
        MemGuardError: The address cannot be opened.
    """
    listening = address.listen()
    port = listening.getsockname()[1]
    app = http_app(server, address, port)
    config = uvicorn.Config(
        app, log_config=None, access_log=False, timeout_graceful_shutdown=_CLOSING_S, server_header=False
    )
    announce(f"http://{address.written}:{port}{PATH}")
    with listening:
        uvicorn.Server(config).run(sockets=[listening])


def http_app(server: Server[Any], address: Address, port: int) -> Any:
    """Return the ASGI application."""
    # The SDK's part for OAuth checks the header; of its settings only the issuer is required.
    issuer = AnyHttpUrl(f"http://{LOOPBACK}:{port}")
    verifier = None if address.token is None else _OneToken(address.token)
    return server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=MOST_BODY_BYTES,
        transport_security=address.security(port),
        host=address.host,
        auth=AuthSettings(issuer_url=issuer, resource_server_url=None) if verifier else None,
        token_verifier=verifier,
    )


class _WellFormedLines(anyio.AsyncFile[str]):
    """Lines of JSON in which half a character, which some clients send, is U+FFFD, lest the SDK drop them."""

    async def readline(self) -> str:
        """Return the next line."""
        return _SURROGATE.sub(_mended, await super().readline())


def _mended(match: re.Match[str]) -> str:
    return "\\ufffd" if len(match.group()) == _ONE_ESCAPE else match.group()


def _taken_input() -> _WellFormedLines:
    """Return standard input; for everybody else in this process it is empty from now on."""
    own = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    # Not closed with the wrapper: a thread may still wait on it when the server ends.
    return _WellFormedLines(open(own, encoding="utf-8", errors="replace", closefd=False))
