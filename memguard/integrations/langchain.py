"""LangChain and LangGraph: a summarization middleware for agents, and a chat history, both with an audit.

Both stand where LangChain's own stand (``SummarizationMiddleware``, ``BaseChatMessageHistory``) and differ in
what they put in place of earlier messages: the payload, in which every line cites the message that supports
it. The raw messages are never lost, and on any failure the model gets what it would have got without.

>>> agent = create_agent(model, tools, middleware=[MemGuardMiddleware()])  # doctest: +SKIP
>>> state = agent.invoke({"messages": messages})  # doctest: +SKIP
>>> state["memguard_audit"][-1]["hash"]  # the head  # doctest: +SKIP
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal, NotRequired

from langchain.agents.middleware.types import AgentMiddleware, AgentState, OmitFromInput
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import AnyMessage, BaseMessage, HumanMessage, RemoveMessage
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.runtime import Runtime

from memguard.audit import AuditRecord
from memguard.errors import InvalidParameterError, MemGuardError
from memguard.guard import MemGuard
from memguard.integrations._context import Histories, Shortened
from memguard.integrations._langchain_messages import readable

Trigger = tuple[Literal["tokens", "messages"], int]
Keep = tuple[Literal["messages"], int]

TRIGGER: Trigger = ("tokens", 4_000)
KEEP: Keep = ("messages", 20)
_PAYLOAD_SHARE = 0.5
"""Of what front and tail leave; the rest is for messages to come, else every call would compress anew."""
_SOURCE = "memguard"
_LOG = logging.getLogger(__name__)


class MemGuardState(AgentState[Any]):
    """What the middleware adds to an agent's state.

    Attributes:
        memguard_history: The raw messages that a payload stands for, in order; they are the evidence of every
            later round.
        memguard_audit: The records of the last compression; the last one's ``hash`` is the head.
        memguard_warning: Why the history was left as it is although it is too long; empty where it was not.
    """

    memguard_history: NotRequired[Annotated[list[AnyMessage], OmitFromInput]]
    memguard_audit: NotRequired[Annotated[list[dict[str, Any]], OmitFromInput]]
    memguard_warning: NotRequired[Annotated[str, OmitFromInput]]


class MemGuardMiddleware(AgentMiddleware[MemGuardState, Any, Any]):
    """Replaces earlier messages by a payload that the raw history supports, before the model is called."""

    state_schema = MemGuardState

    def __init__(
        self,
        *,
        trigger: Trigger | Sequence[Trigger] = TRIGGER,
        keep: Keep = KEEP,
        guard: MemGuard | None = None,
    ) -> None:
        """Take when and how much; in place of the installed models and the default settings, a guard.

        Args:
            trigger: ``("tokens", n)`` or ``("messages", n)``: at how many the history is made short; of
                several any one is enough. Tokens are also what the whole will fit in, by the guard's counter.
            keep: ``("messages", n)``: how many of the last messages stay as they are; more where a tool call
                would else be parted from its result, fewer where they alone would pass the limit.
            guard: Compresses.

        Raises:
            InvalidParameterError: One of them is out of range.
        """
        super().__init__()
        self._window = _Window(trigger, keep, guard)

    def before_model(
        self,
        state: MemGuardState,
        runtime: Runtime[Any],  # noqa: ARG002  the interface's
    ) -> dict[str, Any] | None:
        """Return a shorter history, or None where it is short enough or cannot be made shorter."""
        return self._update(state)

    async def abefore_model(
        self,
        state: MemGuardState,
        runtime: Runtime[Any],  # noqa: ARG002  the interface's
    ) -> dict[str, Any] | None:
        """Do the same on a thread."""
        return await asyncio.to_thread(self._update, state)

    def _update(self, state: MemGuardState) -> dict[str, Any] | None:
        if not self._window.is_full(state["messages"]):
            return {"memguard_warning": ""} if state.get("memguard_warning") else None
        whole = _whole(state)
        try:
            short = self._window.shorten(whole, payload_share=_PAYLOAD_SHARE)
        except MemGuardError as error:
            return {"memguard_warning": _warned(error)}
        cut = len(whole) - short.n_tail
        return {
            "messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), *_replaced(whole, short)],
            "memguard_history": whole[short.n_front : cut],
            "memguard_audit": [asdict(record) for record in short.audit],
            "memguard_warning": "",
        }


class MemGuardChatMessageHistory(BaseChatMessageHistory):
    """A chat history whose ``messages`` are short; the raw ones stay in the history behind it.

    Attributes:
        inner: Keeps every message as it came.
        audit: The records of the last time that ``messages`` were made short; empty before.
        warning: Why they were left as they are although too long; empty where they were not.
    """

    def __init__(
        self,
        inner: BaseChatMessageHistory,
        *,
        trigger: Trigger | Sequence[Trigger] = TRIGGER,
        keep: Keep = KEEP,
        guard: MemGuard | None = None,
    ) -> None:
        """Take the history that keeps the messages; the rest as ``MemGuardMiddleware`` does."""
        super().__init__()
        self.inner = inner
        self.audit: tuple[AuditRecord, ...] = ()
        self.warning = ""
        self._window = _Window(trigger, keep, guard)

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]  # LangChain's own example is a property
        """The messages for the next call: the raw ones, or a payload and the recent ones."""
        return self._view(self.inner.messages)

    @property
    def raw_messages(self) -> list[BaseMessage]:
        """Every message as it came."""
        return self.inner.messages

    async def aget_messages(self) -> list[BaseMessage]:
        """Return ``messages``; compresses on a thread."""
        return await asyncio.to_thread(self._view, await self.inner.aget_messages())

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Add messages to the raw history."""
        self.inner.add_messages(messages)

    async def aadd_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Add messages to the raw history."""
        await self.inner.aadd_messages(messages)

    def clear(self) -> None:
        """Remove every message."""
        self.inner.clear()
        self.audit, self.warning = (), ""

    async def aclear(self) -> None:
        """Remove every message."""
        await self.inner.aclear()
        self.audit, self.warning = (), ""

    def _view(self, raw: Sequence[BaseMessage]) -> list[BaseMessage]:
        if not self._window.is_full(raw):
            return list(raw)
        try:
            short = self._window.shorten(raw)
        except MemGuardError as error:
            self.warning = _warned(error)
            return list(raw)
        self.audit, self.warning = short.audit, ""
        return _replaced(raw, short)


class _Window:
    """When a history is too long, and what then stands in its place."""

    def __init__(self, trigger: Trigger | Sequence[Trigger], keep: Keep, guard: MemGuard | None) -> None:
        is_one = isinstance(trigger, tuple) and isinstance(trigger[0], str)
        triggers = [trigger] if is_one else list(trigger)
        limits: dict[str, int] = {}
        for kind, value in map(_checked, triggers):
            if kind not in {"tokens", "messages"}:
                raise InvalidParameterError(
                    f"trigger must be ('tokens', n) or ('messages', n); got {kind!r}. A fraction of a "
                    "model's window is not known here: give its tokens"
                )
            limits[kind] = min(value, limits.get(kind, value))
        kind, keep_last = _checked(keep)
        if kind != "messages":
            raise InvalidParameterError(f"keep must be ('messages', n); got {kind!r}")
        if keep_last + 1 >= limits.get(kind, keep_last + 2):
            raise InvalidParameterError(
                f"keep must be fewer messages than the trigger, less one for the payload; got {keep_last} at "
                f"{limits[kind]}: every call would compress anew"
            )
        self._limits = limits
        self._histories = Histories(guard if guard is not None else MemGuard(), keep_last=keep_last)

    def is_full(self, messages: Sequence[BaseMessage]) -> bool:
        """Return whether a history is too long; one that cannot be read is, so that it is told why."""
        if len(messages) >= self._limits.get("messages", len(messages) + 1):
            return True
        if "tokens" not in self._limits:
            return False
        try:
            return self._histories.count(readable(messages)) >= self._limits["tokens"]
        except MemGuardError:
            return True

    def shorten(self, messages: Sequence[BaseMessage], *, payload_share: float = 1.0) -> Shortened:
        """Return what may stand in place of a history; the arguments are those of ``Histories.shorten``.

        Raises:
            MemGuardError: It cannot be made shorter, or compression failed.
        """
        limit = self._limits.get("tokens")
        return self._histories.shorten(readable(messages), limit_tokens=limit, payload_share=payload_share)


def _checked(size: Any) -> tuple[str, int]:
    """Return a size; a number that is none is refused."""
    kind, value = size if isinstance(size, tuple) and len(size) == 2 else (size, None)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidParameterError(f"a size must be a word and a whole number of 1 or more; got {size!r}")
    return str(kind), value


def _replaced(messages: Sequence[BaseMessage], short: Shortened) -> list[BaseMessage]:
    # A human message, as LangChain's own: see PAYLOAD_ROLE; and several providers take system messages only
    # at the front.
    payload = HumanMessage(
        short.payload, id=_payload_id(short.audit[-1].hash), additional_kwargs={"lc_source": _SOURCE}
    )
    return [*messages[: short.n_front], payload, *messages[len(messages) - short.n_tail :]]


def _payload_id(head: str) -> str:
    return f"{_SOURCE}-{head}"


def _whole(state: MemGuardState) -> list[AnyMessage]:
    """Return the raw history: the messages with those that the payload stands for in its place.

    The payload is known by the head of its audit, not by a mark that a client could put on any message.
    Where somebody took it out of the messages, what it stood for went with it.
    """
    messages, records = state["messages"], state.get("memguard_audit")
    id = _payload_id(records[-1]["hash"]) if records else None
    place = next((i for i, m in enumerate(messages) if id is not None and m.id == id), None)
    if place is None:
        return list(messages)
    return [*messages[:place], *state.get("memguard_history", []), *messages[place + 1 :]]


def _warned(error: MemGuardError) -> str:
    warning = f"the history is left as it is: {error}"
    _LOG.warning("%s", warning)
    return warning
