"""What went wrong, as an answer over HTTP: one shape for every error, whoever raised it.

No answer repeats a value of a request, nor a path of the server: a value may hold a secret.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from memguard.errors import InvalidParameterError, MemGuardError, ModelError, TranscriptError

_LOG = logging.getLogger(__name__)
_TOLD = 3
_NOTHING_KEPT = "Nothing of the request was kept, and the server goes on."
_OF_THE_REQUEST = (InvalidParameterError, TranscriptError)
"""Whatever else goes wrong is the server's own fault, and its message may name a path."""
_MADE_TOO_LONG = frozenset({"too_long", "string_too_long"})


class Problem(TypedDict):
    """What went wrong.

    ``code`` is for programs and stays the same for the same fault; the rest is for people.
    """

    code: str
    what_happened: str
    what_is_safe: str
    what_to_do: str


class ProblemAnswer(TypedDict):
    """The body of every answer that is not a result."""

    error: Problem


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of error: its status, its code, and what to do when nothing more is known."""

    status: int
    code: str
    what_to_do: str
    what_happened: str = ""


NOT_JSON = Kind(400, "not_json", "Send one JSON object.", "The body is not JSON that can be read.")
NO_TOKEN = Kind(
    401,
    "token_needed",
    "Send the server's token as the header Authorization: Bearer TOKEN.",
    "The request has no token, or not the server's.",
)
FOREIGN_PAGE = Kind(
    403,
    "foreign_origin",
    "Call the server from a program; a web page is not let in.",
    "The request comes from a web page.",
)
NO_PATH = Kind(404, "no_such_path", "GET /openapi.json lists the paths.", "There is no such path.")
NO_METHOD = Kind(
    405, "no_such_method", "GET /openapi.json lists the paths and methods.", "This path has no such method."
)
TOO_SLOW = Kind(
    408, "body_too_slow", "Send the request again, in one go.", "The body did not arrive in time."
)
TOO_LARGE = Kind(
    413,
    "too_large",
    "Send less in one request, or use memguard run on a file.",
    "The body is larger than one request may be.",
)
NOT_JSON_TYPE = Kind(
    415,
    "not_json_type",
    "Send the header Content-Type: application/json.",
    "The body is not declared as JSON.",
)
FOREIGN_HOST = Kind(
    421,
    "foreign_host",
    "Use a name that the server was started with, or start it with --allow-host NAME.",
    "The name in the header Host is not one of the server's.",
)
NOT_VALID = Kind(422, "not_valid", "Mend what is named and send it again; GET /openapi.json has the form.")
BROKEN = Kind(
    500,
    "internal",
    "Send it again; if that fails too, the server's log names the fault.",
    "Something unforeseen broke inside the server.",
)
NO_MODEL = Kind(
    503,
    "model_unavailable",
    "On the server's machine, run memguard setup; its log names the model.",
    "A model that this needs is not installed, or is not what was installed.",
)
BUSY = Kind(
    503,
    "busy",
    "Send it again in a while.",
    "Other requests are being worked on, and no more can wait.",
)
TOO_LONG = Kind(
    504,
    "time_limit",
    "Send fewer messages, or start the server with a longer --time-limit.",
    "The work was not done within the server's time limit and was stopped.",
)
KINDS = (
    *(NOT_JSON, NO_TOKEN, FOREIGN_PAGE, NO_PATH, NO_METHOD, TOO_SLOW, TOO_LARGE, NOT_JSON_TYPE),
    *(FOREIGN_HOST, NOT_VALID, BROKEN, NO_MODEL, BUSY, TOO_LONG),
)
_HEADERS: dict[Kind, dict[str, str]] = {NO_TOKEN: {"WWW-Authenticate": "Bearer"}, BUSY: {"Retry-After": "5"}}
_BY_STATUS = {kind.status: kind for kind in KINDS if kind is not NO_MODEL}


class RefusedError(MemGuardError):
    """A request that is answered with a problem of this kind."""

    def __init__(self, kind: Kind, what_happened: str = "") -> None:
        super().__init__(what_happened or kind.what_happened)
        self.kind = kind


def answer(kind: Kind, what_happened: str = "", *, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Return a problem as a response."""
    body: ProblemAnswer = {
        "error": {
            "code": kind.code,
            "what_happened": what_happened or kind.what_happened,
            "what_is_safe": _NOTHING_KEPT,
            "what_to_do": kind.what_to_do,
        }
    }
    return JSONResponse(body, kind.status, headers={**(headers or {}), **_HEADERS.get(kind, {})})


def handle_in(app: FastAPI) -> None:
    """Make every error of an application a problem."""
    app.add_exception_handler(RequestValidationError, _not_valid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(MemGuardError, _deliberate)
    app.add_exception_handler(Exception, _unforeseen)


async def _not_valid(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, RequestValidationError):
        raise error
    faults = error.errors()
    if any(fault["type"] == "json_invalid" for fault in faults):
        return answer(NOT_JSON)
    if not _declares_json(request.headers.get("content-type", "")):
        return answer(NOT_JSON_TYPE)
    told = "; ".join(_fault(fault) for fault in faults[:_TOLD])
    told += f"; and {len(faults) - _TOLD} more" if len(faults) > _TOLD else ""
    too_long = any(fault["type"] in _MADE_TOO_LONG for fault in faults)
    return answer(TOO_LARGE if too_long else NOT_VALID, _sentence(told))


async def _http(_request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, HTTPException):
        raise error
    kind = _BY_STATUS.get(error.status_code, BROKEN)
    told = "" if kind.what_happened else _sentence(str(error.detail))
    return answer(kind, told, headers=error.headers)


async def _deliberate(_request: Request, error: Exception) -> JSONResponse:
    if isinstance(error, RefusedError):
        return answer(error.kind, str(error))
    if isinstance(error, ModelError):
        _LOG.error("%s", error)
        return answer(NO_MODEL)
    if isinstance(error, _OF_THE_REQUEST):
        return answer(NOT_VALID, _sentence(str(error)))
    _LOG.error("%s", error, exc_info=error)
    return answer(BROKEN)


async def _unforeseen(_request: Request, _error: Exception) -> JSONResponse:
    return answer(BROKEN)  # the error itself goes on to the server's log


def _declares_json(content_type: str) -> bool:
    kind = content_type.partition(";")[0].strip().casefold()
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


def _fault(fault: Mapping[str, Any]) -> str:
    """Return one fault of a body: where it is, and what is expected there."""
    name = ".".join(_place(part) for part in fault["loc"][1:])
    code, message = fault["type"], fault["msg"]
    if code == "extra_forbidden":
        return f"there is no field {name}"
    if code == "missing":
        return f"the field {name} is missing" if name else "the body is missing"
    message = message.removeprefix("Value error, ")
    where = f"the field {name}" if name else "the body"
    return f"{where}: {message[:1].lower()}{message[1:]}"


def _place(part: object) -> str:
    """Return a part of a place on one short line: a client chooses the names of its fields."""
    return ascii(str(part)[:40])[1:-1]


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"
