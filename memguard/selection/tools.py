"""Tool calls and their results: which belong together, and how a call enters as one short line."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from memguard.message_form import ToolCall
from memguard.messages import Message

_TOOL_ROLES = frozenset({"tool", "function"})
_VALUE_CHARS = 80
_LINE_CHARS = 240


def calls_answered(messages: Sequence[Message]) -> dict[int, int]:
    """Return for every tool result the position of the message that called for it.

    By the id of the call, the latest of that id before the result; a result without an id, or with
    one that nobody called, answers the last message with calls if only results stand between.

    Args:
        messages: In conversation order.
    """
    called: dict[str, int] = {}
    found: dict[int, int] = {}
    last: int | None = None
    for position, message in enumerate(messages):
        if message.tool_calls:
            last = position
            called.update((call.id, position) for call in message.tool_calls if call.id is not None)
        elif message.tool_call_id is not None and message.tool_call_id in called:
            found[position] = called[message.tool_call_id]
        elif message.role in _TOOL_ROLES:
            if last is not None:
                found[position] = last
        else:
            last = None
    return found


def together(messages: Sequence[Message]) -> list[tuple[int, ...]]:
    """Return the positions of each call and its results, in conversation order; single ones are left out."""
    groups: dict[int, list[int]] = {}
    for result, call in calls_answered(messages).items():
        groups.setdefault(call, [call]).append(result)
    return [tuple(sorted(group)) for group in groups.values()]


def short_line(call: ToolCall) -> str:
    """Return a call as ``name: values``.

    A number, a truth value or nothing says little without its name and keeps it
    (``book_table: Bella Vista, guests 4``). Long values are cut, and marked where they are.
    """
    values = _values(call.arguments)
    return _cut(f"{call.name}: {', '.join(values)}" if values else call.name, _LINE_CHARS)


def arguments_of(call: ToolCall) -> Mapping[str, object]:
    """Return a call's arguments by name; empty where they are no JSON object."""
    try:
        value = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, Mapping) else {}


def without_calls(message: Message) -> tuple[str, str]:
    """Return a message's content before its rendered tool calls, and the calls as they stand there.

    The message form appends the calls on lines of their own; where the content does not end with
    them, nothing is taken off.
    """
    calls = "\n".join(call.render() for call in message.tool_calls)
    if calls and message.content.endswith(calls):
        return message.content[: -len(calls)].rstrip("\n"), calls
    return message.content, ""


def _values(arguments: str) -> list[str]:
    """Return what a call was given, value by value; arguments that are no JSON are one value."""
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return [_short(arguments)] if arguments.strip() else []
    found: list[str] = []
    open_values: list[tuple[str, object]] = [("", value)]
    while open_values:
        name, item = open_values.pop()
        if isinstance(item, Mapping):
            open_values.extend(reversed([(str(key), inner) for key, inner in item.items()]))
        elif isinstance(item, list):
            open_values.extend(reversed([(name, inner) for inner in item]))
        elif isinstance(item, str):
            if item.strip():
                found.append(_short(item))
        else:
            found.append(_short(f"{name} {json.dumps(item)}".strip()))
    return found


def _short(text: str) -> str:
    return _cut(" ".join(text.split()), _VALUE_CHARS)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"
