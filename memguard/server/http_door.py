"""Who is let in, before anything of a request is read: by its names, then by its token.

A middleware of plain ASGI, so that it stands before the body is read.
"""

from __future__ import annotations

import asyncio

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from memguard.server.http_address import HttpAddress
from memguard.server.http_problems import (
    BUSY,
    FOREIGN_HOST,
    FOREIGN_PAGE,
    NO_TOKEN,
    TOO_LARGE,
    TOO_SLOW,
    Kind,
    answer,
)
from memguard.server.http_turns import HttpLimits

OPEN_PATHS = frozenset({"/health"})
"""Ask for no token: they tell nothing of anybody's."""
_DIGITS = 18
"""Of a length: more are not read, and are too many either way."""


class Door:
    """Refuses requests for foreign names, from web pages, without the token, too large or too many."""

    def __init__(self, app: ASGIApp, address: HttpAddress, limits: HttpLimits) -> None:
        self._app = app
        self._address = address
        self._limits = limits
        self._n_inside = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with a problem."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refused = self._refused(scope["path"], Headers(scope=scope))
        if refused is not None:
            await answer(refused)(scope, receive, send)
            return
        self._n_inside += 1
        try:
            await self._app(scope, _bounded(receive, self._limits), send)
        finally:
            self._n_inside -= 1

    def _refused(self, path: str, headers: Headers) -> Kind | None:
        if not self._address.known_as(headers.get("host", "")):
            return FOREIGN_HOST
        if "origin" in headers and not self._own_page(headers["origin"]):
            return FOREIGN_PAGE
        if path not in OPEN_PATHS and not self._address.admits(headers.get("authorization")):
            return NO_TOKEN
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length[:_DIGITS]) > self._limits.body_bytes:
            return TOO_LARGE
        is_crowded = self._n_inside >= self._limits.inside and path not in OPEN_PATHS
        return BUSY if is_crowded else None

    def _own_page(self, origin: str) -> bool:
        scheme, _, host = origin.partition("://")
        return scheme in {"http", "https"} and self._address.known_as(host)


def _bounded(receive: Receive, limits: HttpLimits) -> Receive:
    """Return a ``receive`` that gives up on a body that is too large or does not come in time."""
    deadline = asyncio.get_running_loop().time() + limits.body_time_s
    n_bytes = 0
    is_whole = False

    async def receive_bounded() -> Message:
        nonlocal n_bytes, is_whole
        if is_whole:
            return await receive()
        try:
            async with asyncio.timeout_at(deadline):
                message = await receive()
        except TimeoutError:
            raise HTTPException(TOO_SLOW.status) from None
        n_bytes += len(message.get("body", b""))
        if n_bytes > limits.body_bytes:
            raise HTTPException(TOO_LARGE.status)
        is_whole = not message.get("more_body", False)
        return message

    return receive_bounded
