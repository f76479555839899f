"""A JSON list of messages, alone or under ``messages`` of an object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memguard.errors import TranscriptError
from memguard.messages import Conversation
from memguard.transcripts.document import ACCEPTED, Document, Reading
from memguard.transcripts.tool_names import with_tool_names

_MESSAGE_KEYS = frozenset({"role", "content", "tool_calls"})
_LOOKED_AT = 50
REPEATED_KEYS = "an object has a key more than once; the last value was read"


def is_message(value: Any) -> bool:
    """Return whether a JSON value has the shape of a message: an object with ``role`` or ``content``."""
    return isinstance(value, dict) and not _MESSAGE_KEYS.isdisjoint(value)


def to_conversation(
    messages: Sequence[Any],
    *,
    source: str | None,
    title: Any = None,
    origins: Sequence[str] | None = None,
    warnings: Sequence[str] = (),
    ordered: bool = False,
) -> Conversation:
    """Build the conversation, as ``Conversation.from_messages``; an error names ``source``.

    A result of a tool without a name takes it from the call that it answers (``tool_names.py``).
    """
    name = title.strip() if isinstance(title, str) and title.strip() else None
    try:
        built = Conversation.from_messages(
            messages, title=name, origins=origins, warnings=warnings, ordered=ordered
        )
        return with_tool_names(built)
    except TranscriptError as error:
        raise TranscriptError(str(error), source=source) from error


def rule_of(conversation: Conversation) -> str:
    """Return in words which order a conversation is in."""
    return "by timestamp" if conversation.order == "timestamp" else "in the order given"


class MessagesJson:
    """``[{"role", "content"}, …]``, ``{"messages": […], "title"?}``, or one message alone."""

    name = "messages_json"

    def recognises(self, document: Document) -> float:
        """Return 0.5 where most of the first objects are messages or the list is empty."""
        messages = _messages(document.value)
        if messages is None:
            return 0.0
        looked_at = messages[:_LOOKED_AT]
        return 0.5 if 2 * sum(map(is_message, looked_at)) >= len(looked_at) else 0.0

    def read(self, document: Document) -> Reading:
        """Read the messages; an empty list is an empty conversation with a warning."""
        messages = _messages(document.value)
        if messages is None:
            raise TranscriptError(f"no list of messages; expected {ACCEPTED}", source=document.source)
        value = document.value
        warnings = [REPEATED_KEYS] if document.has_repeated_keys else []
        if not messages:
            warnings.append("the list of messages is empty; there is nothing to compress")
        conversation = to_conversation(
            messages,
            source=document.source,
            title=value.get("title") if isinstance(value, dict) and "messages" in value else None,
            origins=[f"message {i}" for i in range(len(messages))],
            warnings=warnings,
        )
        return Reading(conversation, self.name, rule=rule_of(conversation))


def _messages(value: Any) -> list[Any] | None:
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        inner = value.get("messages")
        if isinstance(inner, list):
            return inner
        if "messages" not in value and is_message(value) and not {"content", "tool_calls"}.isdisjoint(value):
            return [value]
    return None
