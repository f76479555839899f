"""Where HTTP is served, and to whom: this machine alone unless whoever starts it says otherwise.

Knows no protocol and needs no extra.
"""

from __future__ import annotations

import hmac
import ipaddress
import socket
from dataclasses import dataclass

from memguard.errors import InvalidParameterError, MemGuardError

LOOPBACK = "127.0.0.1"
PORT = 8724
SHORTEST_TOKEN = 16
TOKEN_VARIABLE = "MEMGUARD_TOKEN"  # noqa: S105  the variable's name
_LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, slots=True)
class HttpAddress:
    """Where HTTP is served, and to whom.

    Attributes:
        host: An address of this machine.
        port: 0 takes a free one.
        token: What a client must send as ``Authorization: Bearer …``; None asks for nothing.
        names: Host names, beside the address itself, under which clients reach it.
        is_open: Whether other machines may call it without a token.

    Raises:
        InvalidParameterError: It would be open to other machines without a token and nobody asked for
            that, it lacks a name, or the token is too short.
    """

    host: str = LOOPBACK
    port: int = PORT
    token: str | None = None
    names: tuple[str, ...] = ()
    is_open: bool = False

    def __post_init__(self) -> None:
        """Refuse what would be open to anybody by oversight."""
        if self.token is not None and (len(self.token) < SHORTEST_TOKEN or not self.token.isprintable()):
            raise InvalidParameterError(
                f"the token must be {SHORTEST_TOKEN} or more printable characters; it has {len(self.token)}. "
                "Make one with: python -c 'import secrets; print(secrets.token_urlsafe())'"
            )
        if self.is_local:
            return
        if self.token is None and not self.is_open:
            raise InvalidParameterError(
                f"{self.host} can be reached from other machines, so a token is needed: set {TOKEN_VARIABLE} "
                "or give --token-file. Nothing is served yet; --without-token serves anybody who reaches it"
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

    @property
    def written(self) -> str:
        """The host as it stands in a URL."""
        return f"[{self.host}]" if ":" in self.host else self.host

    def known_as(self, host: str) -> bool:
        """Return whether a request's ``Host`` is one of the server's own names, whatever its port.

        A web page that somebody has open can make its own name lead to this machine (DNS rebinding),
        and would be read as the server itself; its name is not one of these.
        """
        own = (*(_LOCAL_NAMES if self.is_local else ()), self.written, *self.names)
        name = host[: host.rfind(":")] if _has_port(host) else host
        return name.casefold() in {known.casefold() for known in own}

    def admits(self, authorization: str | None) -> bool:
        """Return whether a request's ``Authorization`` holds the token, in constant time."""
        if self.token is None:
            return True
        scheme, _, given = (authorization or "").partition(" ")
        fits = hmac.compare_digest(given.strip().encode(), self.token.encode())
        return fits and scheme.casefold() == "bearer"

    def listen(self) -> socket.socket:
        """Open the port.

        Raises:
            MemGuardError: It cannot be opened.
        """
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        try:
            return socket.create_server((self.host, self.port), family=family)
        except OSError as error:
            raise MemGuardError(
                f"{self.host}, port {self.port}: cannot be opened ({error.strerror or error}); nothing is "
                "served. Choose another port with --port, or end what uses this one"
            ) from error


def _has_port(host: str) -> bool:
    return ":" in host and not host.endswith("]")


def _is_any(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False
