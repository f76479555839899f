"""How a client reaches the server: standard input and output, or HTTP on a port of this machine.

HTTP is for this machine unless asked otherwise. A web page that somebody has open could send requests to
it (DNS rebinding): so the names in Host and Origin must be the server's own, which the SDK checks.
"""

from __future__ import annotations

import hmac
import ipaddress
import logging
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import anyio
import uvicorn
from mcp.server.auth.provider import AccessToken
from mcp.server.auth.settings import AuthSettings
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import AnyHttpUrl

from memguard.errors import InvalidParameterError, MemGuardError

PATH = "/mcp"
LOOPBACK = "127.0.0.1"
MOST_BODY_BYTES = 8 * 2**20
SHORTEST_TOKEN = 16
_LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")
_CLOSING_S = 5


@dataclass(frozen=True, slots=True)
class Address:
    """Where HTTP is served, and to whom.

    Attributes:
        host: An address of this machine.
        port: 0 takes a free one.
        token: What a client must send as ``Authorization: Bearer …``; None asks for nothing.
        names: Host names, beside the address itself, under which clients reach it.
        origins: Origins of web pages that may call it, such as ``https://agent.example``.

    Raises:
        InvalidParameterError: It would be open to other machines without a token or a name, or the token
            is too short.
    """

    host: str = LOOPBACK
    port: int = 0
    token: str | None = None
    names: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what would be open to anybody."""
        if self.token is not None and (len(self.token) < SHORTEST_TOKEN or not self.token.isprintable()):
            raise InvalidParameterError(
                f"the token must hold {SHORTEST_TOKEN} printable characters or more (it holds "
                f"{len(self.token)}); make one with: python -c 'import secrets; print(secrets.token_urlsafe())'"
            )
        if self.is_local:
            return
        if self.token is None:
            raise InvalidParameterError(
                f"{self.host} can be reached from other machines, so a token is needed: "
                "set MEMGUARD_MCP_TOKEN or give --token-file"
            )
        if _is_any(self.host) and not self.names:
            raise InvalidParameterError(
                f"{self.host} stands for every address of this machine, so the name that clients use is "
                "needed: give --allow-host NAME"
            )

    @property
    def is_local(self) -> bool:
        """Whether only this machine reaches it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def security(self, port: int) -> TransportSecuritySettings:
        """Return which names may stand in Host and Origin."""
        written = f"[{self.host}]" if ":" in self.host else self.host
        own = (*(_LOCAL_NAMES if self.is_local else ()), written)
        hosts = [f"{name}:{port}" for name in dict.fromkeys((*own, *self.names))]
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
        return AccessToken(token="", client_id="memguard", scopes=[])  # noqa: S106  nobody reads it again


def serve_stdio(server: Server[Any]) -> None:
    """Serve until standard input ends; standard output carries the protocol and nothing else."""
    _log_to_stderr()

    async def serve() -> None:
        async with stdio_server() as (incoming, outgoing):
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
    _log_to_stderr()
    listening = _listening(address)
    port = listening.getsockname()[1]
    app = http_app(server, address, port)
    config = uvicorn.Config(
        app, log_config=None, access_log=False, timeout_graceful_shutdown=_CLOSING_S, server_header=False
    )
    host = f"[{address.host}]" if ":" in address.host else address.host
    announce(f"http://{host}:{port}{PATH}")
    with listening:
        uvicorn.Server(config).run(sockets=[listening])


def http_app(server: Server[Any], address: Address, port: int) -> Any:
    """Return the ASGI application."""
    auth = {}
    if address.token is not None:
        # The SDK's part for OAuth checks the header; of its settings only the issuer is required.
        issuer = AnyHttpUrl(f"http://{LOOPBACK}:{port}")
        auth = {
            "auth": AuthSettings(issuer_url=issuer, resource_server_url=None),
            "token_verifier": _OneToken(address.token),
        }
    return server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=MOST_BODY_BYTES,
        transport_security=address.security(port),
        host=address.host,
        **auth,
    )


def _listening(address: Address) -> socket.socket:
    try:
        return socket.create_server(
            (address.host, address.port), family=socket.AF_INET6 if ":" in address.host else socket.AF_INET
        )
    except OSError as error:
        raise MemGuardError(
            f"{address.host}, port {address.port}: cannot be opened ({error.strerror or error}); "
            "choose another port with --port"
        ) from error


def _is_any(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def _log_to_stderr() -> None:
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="memguard: %(message)s")
