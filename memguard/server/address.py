"""Where a server listens, and to whom: this machine alone unless whoever starts it says otherwise.

Knows no protocol and needs no extra.
"""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from typing import ClassVar

from memguard.errors import InvalidParameterError, MemGuardError

LOOPBACK = "127.0.0.1"
SHORTEST_TOKEN = 16
_LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where a server listens, and to whom.

    Attributes:
        host: An address of this machine.
        port: 0 takes a free one.
        token: What a client must send as ``Authorization: Bearer …``; None asks for nothing.
        names: Host names, beside the address itself, under which clients reach it.
        is_open: Whether other machines may call it without a token.

    Raises:
        InvalidParameterError: It would be open to other machines without a token and nobody asked for
            that, it lacks a name, or the token is no token.
    """

    REMEDY: ClassVar[str]
    """What to do where a token is needed."""

    host: str
    port: int
    token: str | None = None
    names: tuple[str, ...] = ()
    is_open: bool = False

    def __post_init__(self) -> None:
        """Refuse what would be open to anybody by oversight, and a token that no header can carry."""
        if self.token is not None:
            _check_token(self.token)
        if self.is_local:
            return
        if self.token is None and not self.is_open:
            raise InvalidParameterError(
                f"{self.host} can be reached from other machines, so a token is needed: {self.REMEDY}"
            )
        if _is_any(self.host) and not self.names:
            raise InvalidParameterError(
                f"{self.host or 'no host'} stands for every address of this machine, so the name that "
                "clients use is needed: give --allow-host NAME"
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

    @property
    def own_names(self) -> tuple[str, ...]:
        """The names of the address itself, without those that were given."""
        return tuple(dict.fromkeys((*(_LOCAL_NAMES if self.is_local else ()), self.written)))

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
                "served: end what uses this port, or choose another port with --port"
            ) from error


def _check_token(token: str) -> None:
    fault = ""
    if len(token) < SHORTEST_TOKEN or not token.isprintable():
        fault = f"must be {SHORTEST_TOKEN} or more printable characters; it has {len(token)}"
    elif not token.isascii() or " " in token:
        fault = "must be ASCII without spaces: a header carries nothing else"
    if fault:
        made = "python -c 'import secrets; print(secrets.token_urlsafe())'"
        raise InvalidParameterError(f"the token {fault}. Make one with: {made}")


def _is_any(host: str) -> bool:
    try:
        return not host or ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False
