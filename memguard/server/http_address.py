"""Where HTTP is served, and to whom; which names and which token a request may bear.

Needs no extra.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import ClassVar

from memguard.server.address import LOOPBACK, ServerAddress

PORT = 8724
TOKEN_VARIABLE = "MEMGUARD_TOKEN"  # noqa: S105  the variable's name


@dataclass(frozen=True, slots=True)
class HttpAddress(ServerAddress):
    """Where HTTP is served, and to whom."""

    REMEDY: ClassVar[str] = (
        f"set {TOKEN_VARIABLE} or give --token-file. Nothing is served yet; --without-token serves anybody "
        "who reaches it"
    )

    host: str = LOOPBACK
    port: int = PORT

    def known_as(self, host: str) -> bool:
        """Return whether a request's ``Host`` is one of the server's own names, whatever its port.

        A web page that somebody has open can make its own name lead to this machine (DNS rebinding),
        and would be read as the server itself; its name is not one of these.
        """
        name = host[: host.rfind(":")] if _has_port(host) else host
        return name.casefold() in {known.casefold() for known in (*self.own_names, *self.names)}

    def admits(self, authorization: str | None) -> bool:
        """Return whether a request's ``Authorization`` holds the token, in constant time."""
        if self.token is None:
            return True
        scheme, _, given = (authorization or "").partition(" ")
        fits = hmac.compare_digest(given.strip().encode(), self.token.encode())
        return fits and scheme.casefold() == "bearer"


def _has_port(host: str) -> bool:
    return ":" in host and not host.endswith("]")
