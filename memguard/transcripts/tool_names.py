"""The name of the tool that a result comes from, where a format gives the result the id of its call alone.

OpenAI's and Anthropic's interfaces, Responses items and the frameworks around them name the tool in the
call; the result repeats the id of the call. An id that calls of two tools share names neither of them:
which one is meant would be a guess, so the result has no name and a warning says why.
"""

from __future__ import annotations

from dataclasses import replace

from memguard.message_form import Notes
from memguard.messages import Conversation, Message

_RESULTS = frozenset({"tool", "function"})
_NO_NAMES = frozenset({"", "tool", "function", "custom"})
"""What a call reads as that has no name of its own."""
_SHARED = "a call id that calls of several tools share"


def with_tool_names(conversation: Conversation) -> Conversation:
    """Return the conversation with each result named after the tool that the call with its id names.

    A name that the file gives is kept. A call counts wherever it stands: a file may give the result first.
    """
    if not any(map(_is_nameless, conversation.messages)):
        return conversation
    names: dict[str, set[str]] = {}
    for message in conversation.messages:
        for call in message.tool_calls:
            if call.id is not None:
                names.setdefault(" ".join(call.id.split()), set()).add(" ".join(call.name.split()))
    notes = Notes(conversation.warnings)
    messages = tuple(_named(message, names, notes) for message in conversation.messages)
    return replace(conversation, messages=messages, warnings=notes.texts())


def _is_nameless(message: Message) -> bool:
    return message.role in _RESULTS and message.tool_name is None and message.tool_call_id is not None


def _named(message: Message, names: dict[str, set[str]], notes: Notes) -> Message:
    if not _is_nameless(message):
        return message
    found = names.get(message.tool_call_id or "", set())
    if len(found) > 1:
        told = ", ".join(repr(name[:40]) for name in sorted(found)[:3]) + (", …" if len(found) > 3 else "")
        notes.add(
            f"calls of several tools ({told}) have the id {(message.tool_call_id or '')[:60]!r}; "
            "the result has no tool name",
            message.origin or f"message {message.index}",
            _SHARED,
        )
        return message
    name = next(iter(found), "")
    return message if name in _NO_NAMES else replace(message, tool_name=name)
