"""Conversations written in other forms: OpenAI messages, JSONL, Markdown.

What is written is read again as the same messages, as far as the target can hold them; what it
cannot hold is told in ``Written.warnings``.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from memguard.errors import InvalidParameterError
from memguard.message_form import ToolCall
from memguard.messages import Conversation, Message
from memguard.transcripts.markdown_log import escaped, heading, role_name

_OPENAI_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_NOT_IN_A_NAME = re.compile(r"[\s<|\\/>]+")
"""What OpenAI's ``name`` may not hold."""
_LONGEST_NAME = 64


@dataclass(frozen=True, slots=True)
class Written:
    """A conversation in another form.

    Attributes:
        text: What to put into a file; ends with a line break.
        warnings: What the form cannot hold, with counts.
    """

    text: str
    warnings: tuple[str, ...]


def written(conversation: Conversation, form: str) -> Written:
    """Return a conversation in one of ``FORMS``.

    Raises:
        InvalidParameterError: There is no such form.
    """
    if form not in FORMS:
        raise InvalidParameterError(f"form must be one of {', '.join(FORMS)}; got {form!r}")
    return FORMS[form](conversation)


def to_openai(conversation: Conversation) -> Written:
    """Return a JSON list of messages of OpenAI's chat interface."""
    lost = _lost(conversation, title=True)
    rows = [_openai_row(position, message, lost) for position, message in enumerate(conversation)]
    return Written(json.dumps(rows, ensure_ascii=False, indent=2) + "\n", _told(lost, "OpenAI messages"))


def to_jsonl(conversation: Conversation) -> Written:
    """Return one message a line, in the form that this package reads."""
    lost = _lost(conversation, title=True)
    lines = [json.dumps(_row(message, lost), ensure_ascii=False) for message in conversation]
    if conversation.order == "given" and all(m.timestamp is not None for m in conversation):
        times = [m.timestamp for m in conversation]
        if times != sorted(times, key=lambda time: time.timestamp() if time else 0.0):
            lost["an order other than that of the timestamps"] += 1
    return Written("".join(f"{line}\n" for line in lines), _told(lost, "JSONL"))


def to_markdown(conversation: Conversation) -> Written:
    """Return a chat log to be read by people: a heading and the text of each message."""
    lost: Counter[str] = Counter()
    pieces = [f"# {' '.join(conversation.title.split())}\n"] if conversation.title else []
    if not conversation.messages:
        lost["a conversation without messages"] += 1
    for position, message in enumerate(conversation):
        lost["ids"] += message.id != str(position)
        lost["speakers who are called as their role"] += message.speaker == role_name(message.role)
        lost["carriage returns"] += "\r" in message.content
        lost["tool calls apart from the text"] += bool(message.tool_calls)
        lost["ids of the calls that tools answered"] += bool(message.tool_call_id)
        lost["names of the tools that answered"] += bool(message.tool_name)
        lost["blank lines around a text"] += message.content != message.content.strip("\n")
        role = re.sub(r"[(),\s]+", " ", message.role).strip() or "user"
        lost["roles with brackets or commas"] += role != message.role
        text = escaped(message.content.strip("\n"))
        pieces.append(f"{heading(message.speaker_name, role, message.timestamp)}\n\n{text}\n")
    return Written("\n".join(pieces), _told(lost, "Markdown"))


FORMS: Mapping[str, Callable[[Conversation], Written]] = MappingProxyType(
    {"openai": to_openai, "jsonl": to_jsonl, "markdown": to_markdown}
)
"""The forms by name."""


def _lost(conversation: Conversation, *, title: bool) -> Counter[str]:
    return Counter({"the title": 1} if title and conversation.title else {})


def _told(lost: Counter[str], form: str) -> tuple[str, ...]:
    return tuple(f"{form} cannot hold {kind} ({n})" for kind, n in sorted(lost.items()) if n)


def _row(message: Message, lost: Counter[str]) -> dict[str, Any]:
    row: dict[str, Any] = {"id": message.id, "role": message.role}
    if message.speaker is not None:
        row["speaker"] = message.speaker
    if message.timestamp is not None:
        row["timestamp"] = message.timestamp.isoformat()
    row["content"] = _own_text(message, lost)
    if message.tool_calls:
        row["tool_calls"] = [_call(call) for call in message.tool_calls]
    if message.tool_call_id is not None:
        row["tool_call_id"] = message.tool_call_id
    if message.tool_name is not None:
        row["tool_name"] = message.tool_name
    return row


def _openai_row(position: int, message: Message, lost: Counter[str]) -> dict[str, Any]:
    role = message.role if message.role in _OPENAI_ROLES else "user"
    row: dict[str, Any] = {"role": role}
    name = message.tool_name if role == "function" else message.speaker
    if name and role != "tool":
        row["name"] = _NOT_IN_A_NAME.sub("_", name)[:_LONGEST_NAME]
        lost["speakers' names as they are"] += row["name"] != name
    row["content"] = _own_text(message, lost) or (None if message.tool_calls else "")
    if message.tool_calls:
        row["tool_calls"] = [_call(call) for call in message.tool_calls]
    if message.tool_call_id is not None:
        row["tool_call_id"] = message.tool_call_id
    lost["ids"] += message.id != str(position)
    lost["timestamps"] += message.timestamp is not None
    lost["roles of other names, which became user"] += role != message.role
    is_named = role == "function"  # there the name is that of the tool, and reads as the speaker too
    lost["names of the tools that answered"] += message.tool_name != (row.get("name") if is_named else None)
    if role in ("tool", "function"):
        lost["the speaker of a tool's result"] += message.speaker != row.get("name")
    lost["ids of calls, which were not there"] += any(call.id is None for call in message.tool_calls)
    return row


def _call(call: ToolCall) -> dict[str, Any]:
    found: dict[str, Any] = {"type": "function", "function": {"name": call.name, "arguments": call.arguments}}
    return found if call.id is None else {"id": call.id, **found}


def _own_text(message: Message, lost: Counter[str]) -> str:
    """Return the content without the calls that reading puts below it; where they are not, that is told."""
    if not message.tool_calls:
        return message.content
    calls = "\n".join(call.render() for call in message.tool_calls)
    lost["calls that the text leaves out: reading puts them below it"] += not message.content.endswith(calls)
    return message.content.removesuffix(calls).removesuffix("\n")
