"""A client of an OpenAI-compatible API whose long histories are compressed before the call.

Works with any object that has ``chat.completions.create``, such as ``openai.OpenAI``. What is sent is the
instructions at the front, the payload of what follows them, and the recent messages as they are, a tool
call always with its result. On any failure the history is sent as it was given, with a warning.

>>> client = CompressingClient(OpenAI(), limit_tokens=8_000)  # doctest: +SKIP
>>> answer = client.create(model="gpt-6-luna", messages=history)  # doctest: +SKIP
>>> answer.response, answer.context.audit  # doctest: +SKIP
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from memguard.audit import AuditRecord
from memguard.errors import InvalidParameterError, MemGuardError, TranscriptError
from memguard.guard import MemGuard
from memguard.integrations._context import PAYLOAD_ROLE, Histories, NothingToReplaceError
from memguard.trace import Trace

KEEP_LAST = 6
_LOG = logging.getLogger(__name__)
ResponseT = TypeVar("ResponseT")


class _Client(Protocol):
    """What is asked of a client."""

    @property
    def chat(self) -> Any: ...


@dataclass(frozen=True, slots=True)
class Context:
    """What is sent in place of a history.

    Attributes:
        messages: In order, as the API takes them; those that were kept are the given objects themselves.
        tokens: Their length by MemGuard's counter.
        tokens_given: That of the history; -1 where it could not be counted.
        audit: The chain of the run, whose last hash is the head; empty where nothing was compressed.
        trace: The run; None where nothing was compressed.
        warning: Why a history above the limit is sent as it was given; empty where it is not.
    """

    messages: list[Any]
    tokens: int
    tokens_given: int
    audit: tuple[AuditRecord, ...] = ()
    trace: Trace | None = None
    warning: str = ""

    @property
    def is_compressed(self) -> bool:
        """Whether a payload stands in place of earlier messages."""
        return self.trace is not None


@dataclass(frozen=True, slots=True)
class Answer(Generic[ResponseT]):
    """What a call gives: the API's own response, and what was sent for it."""

    response: ResponseT
    context: Context


class ContextWindow:
    """Compresses the messages of one call after another; knows no client."""

    def __init__(
        self, *, limit_tokens: int, keep_last: int = KEEP_LAST, guard: MemGuard | None = None
    ) -> None:
        """Take the limit and, in place of the installed models and the default settings, a guard.

        Args:
            limit_tokens: A history of more tokens is compressed to fit it. Counted by the guard's counter,
                which is GPT-2's; the tools and the answer need room of their own.
            keep_last: How many of the last messages stay as they are; more where a tool call would else be
                parted from its result, fewer where they alone would pass the limit.
            guard: Compresses.

        Raises:
            InvalidParameterError: One of them is out of range.
        """
        if isinstance(limit_tokens, bool) or not isinstance(limit_tokens, int) or limit_tokens < 1:
            raise InvalidParameterError(
                f"limit_tokens must be a whole number of 1 or more; got {limit_tokens!r}"
            )
        self.limit_tokens = limit_tokens
        self._histories = Histories(guard if guard is not None else MemGuard(), keep_last=keep_last)

    def context(self, messages: Iterable[Any]) -> Context:
        """Return what to send in place of these messages; never raises for what they hold.

        Args:
            messages: Dicts as the API takes them, or the API's own message objects.
        """
        given = list(messages)
        try:
            readable = [_readable(message) for message in given]
            n_tokens = self._histories.count(readable)
        except MemGuardError as error:
            return self._as_given(given, -1, error)
        if n_tokens <= self.limit_tokens:
            return Context(given, n_tokens, n_tokens)
        try:
            short = self._histories.shorten(readable, limit_tokens=self.limit_tokens)
        except MemGuardError as error:
            return self._as_given(given, n_tokens, error)
        tail = given[len(given) - short.n_tail :]
        payload = {"role": PAYLOAD_ROLE, "content": short.payload}
        kept = [*given[: short.n_front], payload, *tail]
        return Context(kept, short.tokens, n_tokens, short.audit, short.trace)

    def _as_given(self, messages: list[Any], n_tokens: int, error: MemGuardError) -> Context:
        why = (
            "nothing could be replaced" if isinstance(error, NothingToReplaceError) else "compression failed"
        )
        warning = f"{why}, the history is sent as it was given: {error}"
        _LOG.warning("%s", warning)
        return Context(messages, n_tokens, n_tokens, warning=warning)


class CompressingClient(ContextWindow):
    """A client that compresses what is too long before it calls ``chat.completions.create``."""

    def __init__(
        self, client: _Client, *, limit_tokens: int, keep_last: int = KEEP_LAST, guard: MemGuard | None = None
    ) -> None:
        """Take a client, such as ``openai.OpenAI()``; the rest as ``ContextWindow`` does."""
        super().__init__(limit_tokens=limit_tokens, keep_last=keep_last, guard=guard)
        self.client = client

    def create(self, *, messages: Iterable[Any], **options: Any) -> Answer[Any]:
        """Call ``chat.completions.create`` with these messages, compressed where they are too long.

        Args:
            messages: The history.
            options: Everything else that the call takes, ``stream`` included; passed on as it is.
        """
        context = self.context(messages)
        response = self.client.chat.completions.create(messages=context.messages, **options)
        return Answer(response, context)


class AsyncCompressingClient(ContextWindow):
    """The same for an asynchronous client, such as ``openai.AsyncOpenAI``; compresses on a thread."""

    def __init__(
        self, client: _Client, *, limit_tokens: int, keep_last: int = KEEP_LAST, guard: MemGuard | None = None
    ) -> None:
        """Take a client; the rest as ``ContextWindow`` does."""
        super().__init__(limit_tokens=limit_tokens, keep_last=keep_last, guard=guard)
        self.client = client

    async def create(self, *, messages: Iterable[Any], **options: Any) -> Answer[Any]:
        """Call ``chat.completions.create`` as ``CompressingClient.create`` does."""
        context = await asyncio.to_thread(self.context, list(messages))
        response = await self.client.chat.completions.create(messages=context.messages, **options)
        return Answer(response, context)


def _readable(message: Any) -> Mapping[str, Any]:
    """Return a message in the message form; the API's own objects give theirs.

    Raises:
        TranscriptError: It is neither a dict nor such an object.
    """
    if isinstance(message, Mapping):
        return message
    dump = getattr(message, "model_dump", None)
    if not callable(dump):
        raise TranscriptError(
            f"a message must be a dict or an object of the API; got {type(message).__name__}"
        )
    found: Mapping[str, Any] = dump(exclude_none=True)
    return found


__all__ = [
    "Answer",
    "AsyncCompressingClient",
    "CompressingClient",
    "Context",
    "ContextWindow",
]
