"""LangChain's messages in the message form: what was said, and which tools were called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "tool"}
_UNSAID = frozenset(
    {
        "reasoning",
        "thinking",
        "redacted_thinking",
        "tool_use",
        "tool_call",
        "tool_call_chunk",
        "function_call",
    }
)
"""Blocks of a content that are no part of what was said, or stand in ``tool_calls`` as well."""


def readable(messages: Iterable[BaseMessage]) -> list[dict[str, Any]]:
    """Return messages in the message form, one for one."""
    return [_read(message) for message in messages]


def _read(message: BaseMessage) -> dict[str, Any]:
    found: dict[str, Any] = {
        "role": _ROLES.get(message.type) or str(getattr(message, "role", message.type)),
        "content": message.content if isinstance(message.content, str) else _parts(message.content),
    }
    if message.name:
        found["name"] = message.name
    if isinstance(message, ToolMessage):
        found["tool_call_id"] = message.tool_call_id
    if isinstance(message, AIMessage):
        calls = [*message.tool_calls, *message.invalid_tool_calls]
        found["tool_calls"] = [
            {"id": call["id"], "function": {"name": call["name"], "arguments": call["args"]}}
            for call in calls
        ]
    return found


def _parts(content: Sequence[str | dict[Any, Any]]) -> list[str | dict[Any, Any]]:
    """Return the blocks of a content that were said.

    The blocks themselves, not ``content_blocks``: its translators raise on what they do not know, and give
    an image another id each time.
    """
    return [block for block in content if isinstance(block, str) or block.get("type") not in _UNSAID]
