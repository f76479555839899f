"""MemGuard over HTTP: compress, check, run and verify, described by OpenAPI; needs the extra ``http``."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, TypeVar

import uvicorn
from fastapi import FastAPI, Request
from fastapi.telemetry import TelemetryConfig
from starlette.responses import JSONResponse

from memguard import __version__
from memguard.server.http_address import HttpAddress
from memguard.server.http_bodies import (
    CheckBody,
    CompressBody,
    RunBody,
    VerifyBody,
    answer_schemas,
    answers,
)
from memguard.server.http_door import Door
from memguard.server.http_problems import BUSY, RefusedError, handle_in
from memguard.server.http_turns import HttpLimits, Turns
from memguard.server.http_work import HttpTools

T = TypeVar("T")

_CLOSING_S = 20
# Its logs would hold what a request holds.
_NO_TELEMETRY: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}
_EVERY_PATH = (401, 403, 421, 500)
_WITH_BODY = (400, 408, 413, 415, 422, *_EVERY_PATH)
_WITH_MODELS = (*_WITH_BODY, 503, 504)
_ABOUT = (
    "Compresses a conversation, drops what the messages do not support, and keeps an audit. Results are "
    "memguard.result/1; every error has one shape."
)


def http_app(tools: HttpTools, address: HttpAddress, limits: HttpLimits) -> FastAPI:
    """Return the ASGI application.

    Args:
        tools: What the paths do.
        address: To whom: names and token.
        limits: How much a request may ask for.
    """
    turns = Turns(limits)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        turns.open()
        yield
        turns.close()

    app = FastAPI(
        title="MemGuard",
        version=__version__,
        description=_ABOUT,
        docs_url=None,  # both pages would load scripts from another server
        redoc_url=None,
        lifespan=lifespan,
        telemetry=_NO_TELEMETRY,
    )
    handle_in(app)
    app.add_middleware(Door, address=address, limits=limits)
    _add_paths(app, tools, turns)
    _describe(app, needs_token=address.token is not None)
    return app


def serve(
    tools: HttpTools, address: HttpAddress, limits: HttpLimits, announce: Callable[[str], None]
) -> None:
    """Load the models, then serve until interrupted; requests that are being worked on are finished first.

    Args:
        tools: What the paths do.
        address: Where and to whom.
        limits: How much a request may ask for.
        announce: Called with the URL once the port is open.

    Raises:
        ModelUnavailableError: A model is not installed.
        MemGuardError: The address cannot be opened.
    """
    with address.listen() as listening:
        tools.load()
        config = uvicorn.Config(
            http_app(tools, address, limits),
            log_config=None,
            access_log=False,
            timeout_graceful_shutdown=_CLOSING_S,
            server_header=False,
        )
        announce(f"http://{address.written}:{listening.getsockname()[1]}")
        uvicorn.Server(config).run(sockets=[listening])


def _add_paths(app: FastAPI, tools: HttpTools, turns: Turns) -> None:
    result = "The wire form, memguard.result/1."

    @app.get("/health", responses=answers("Health", "The server answers.", 403, 421, 500))
    async def health() -> JSONResponse:
        """Tell that the server answers; asks for no token."""
        return JSONResponse({"status": "ok", "version": __version__, "pending": turns.pending})

    @app.post("/compress", responses=answers("Result", result, *_WITH_MODELS))
    async def compress(request: Request, body: CompressBody) -> JSONResponse:
        """Select messages and summarise them: stage 1 alone, nothing of it checked."""
        work = partial(tools.compress, body.raw_messages(), body.options())
        return JSONResponse(await _while_wanted(request, turns.take(work)))

    @app.post("/check", responses=answers("Result", result, *_WITH_MODELS))
    async def check(request: Request, body: CheckBody) -> JSONResponse:
        """Check a summary from anywhere against the messages: a verdict a claim."""
        work = partial(tools.check_summary, body.summary, body.raw_messages(), body.options())
        return JSONResponse((await _while_wanted(request, turns.take(work))).result)

    @app.post("/run", responses=answers("Result", result, *_WITH_MODELS))
    async def run(request: Request, body: RunBody) -> JSONResponse:
        """Take messages through compression, elimination and reconstruction."""
        work = partial(tools.compress_context, body.raw_messages(), body.options())
        return JSONResponse((await _while_wanted(request, turns.take(work))).result)

    @app.post("/verify", responses=answers("Verification", "What was found.", *_WITH_BODY))
    def verify(body: VerifyBody) -> JSONResponse:
        """Check an audit: any edit that does not recompute its chain, and with a head any edit."""
        return JSONResponse(tools.verify(body.audit, body.head))


async def _while_wanted(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Return what work gives; end it where the client goes away, so that its turn is free again."""
    working, watching = asyncio.ensure_future(work), asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait((working, watching), return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise RefusedError(BUSY, "The client is gone.")
    finally:
        for task in (working, watching):
            task.cancel()
        await asyncio.gather(working, watching, return_exceptions=True)


async def _gone(request: Request) -> None:
    """Return when the client has gone away; what else it sends is not read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _describe(app: FastAPI, *, needs_token: bool) -> None:
    """Add to the schema what the paths answer, and the token where one is asked for."""
    schema = app.openapi()
    components = schema["components"]["schemas"]
    components |= answer_schemas()
    for unused in ("HTTPValidationError", "ValidationError"):
        components.pop(unused, None)
    if needs_token:
        schema["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        for path, methods in schema["paths"].items():
            for operation in methods.values():
                operation["security"] = [] if path == "/health" else [{"token": []}]
