"""The payload in the forms that other programs take: text, Markdown, JSON, and messages for the next call.

The budget holds for the text. The recent messages that ``compression.keep_last`` keeps stand behind it as
they are, outside the budget. With ``privacy.redact`` all of it holds placeholders.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from enum import StrEnum
from itertools import groupby
from typing import Any

from memguard.messages import Conversation, Message
from memguard.outgoing import view
from memguard.reconstructor import Heading, Piece, Reconstruction, cite
from memguard.selection.tail import tail_of
from memguard.trace import Trace

LAST_MESSAGES = "Last messages:"
_NOT_IN_NAMES = re.compile(r"[^\w-]+", re.ASCII)
_LONGEST_NAME = 64
"""Interfaces take letters, digits, "_" and "-" in the name of who speaks, and so many."""
_SPECIAL = re.compile(r"[\\`*_{}\[\]()#+!|<>~$]|^[-=]|(?<=^\d)\.|(?<=^\d\d)\.")


class Form(StrEnum):
    """A form of the payload."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"
    MESSAGES = "messages"


def payload_in(trace: Trace, form: Form) -> str:
    """Return the payload of a complete trace in one of its forms.

    Raises:
        StageOrderError: Reconstruction has not run.
    """
    return _FORMS[form](trace)


def payload_text(trace: Trace) -> str:
    """Return the payload, and the recent messages after a blank line."""
    trace = view(trace)
    parts = [trace[Reconstruction].text]
    tail = _tail(trace)
    if tail:
        parts.append("\n".join([LAST_MESSAGES, *(message.line for message in tail)]))
    return "\n\n".join(part for part in parts if part)


def payload_markdown(trace: Trace) -> str:
    """Return the payload as Markdown: what the text has, with headings and lists, and nothing interpreted."""
    trace = view(trace)
    result = trace[Reconstruction]
    blocks = []
    if result.pieces:
        blocks.append(escaped(result.text.split("\n", 1)[0]))
    for heading, lines in _sections(result):
        blocks += [f"### {heading}"] if heading is not None else []
        blocks.append("\n".join(f"- {escaped(line)}" for line in lines))
    tail = _tail(trace)
    if tail:
        blocks.append(f"### {LAST_MESSAGES.rstrip(':')}")
        blocks += [f"**{escaped(message.speaker_name)}:** {_quoted(message.content)}" for message in tail]
    return "\n\n".join(blocks)


def payload_json(trace: Trace) -> str:
    """Return the payload as one JSON object: its sections, their lines and the claims and sources of each."""
    return json.dumps(payload_object(trace), ensure_ascii=False, indent=2, allow_nan=False)


def payload_object(trace: Trace) -> dict[str, Any]:
    """Return what ``payload_json`` writes: plain dicts and lists.

    ``marks`` says of a line's claims by id what the text says of them in brackets: that a person keeps one
    which was not found supported, or that it is not verified.
    """
    trace = view(trace)
    result, conversation = trace[Reconstruction], trace.conversation
    return {
        "status": result.status.value,
        "tokens": result.tokens,
        "sections": [
            {
                "heading": heading.value,
                "lines": [_line_object([*pieces], conversation) for _, pieces in groupby(group, _line)],
            }
            for heading, group in _by_heading(result)
        ],
        "messages": [message_object(message) for message in _tail(trace)],
    }


def payload_messages(trace: Trace) -> list[dict[str, Any]]:
    """Return messages ready for the next call: the payload as a user's message, then the recent ones.

    A user's and not the system's: it holds words of people and tools, which have no authority over the
    model. The recent messages are those that ``compression.keep_last`` keeps, as they are; a tool's result
    never stands without its call. Without a payload there is no first message.
    """
    trace = view(trace)
    text = trace[Reconstruction].text
    head: list[dict[str, Any]] = [{"role": "user", "content": text}] if text else []
    return [*head, *map(message_object, _tail(trace))]


def message_object(message: Message) -> dict[str, Any]:
    """Return a message as chat interfaces take it.

    What MemGuard rendered into the content for a tool call is a tool call again, and no text.
    """
    found: dict[str, Any] = {"role": message.role, "content": message.content}
    name = _NOT_IN_NAMES.sub("_", message.tool_name or message.speaker or "").strip("_")[:_LONGEST_NAME]
    if name:
        found["name"] = name
    if message.tool_calls:
        rendered = "\n".join(call.render() for call in message.tool_calls)
        found["content"] = message.content.removesuffix(rendered).rstrip("\n")
        found["tool_calls"] = [
            {
                "id": call.id or f"call_{message.id}_{number}",
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for number, call in enumerate(message.tool_calls)
        ]
    if message.tool_call_id:
        found["tool_call_id"] = message.tool_call_id
    return found


def escaped(text: str) -> str:
    """Return text in which Markdown interprets nothing."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def _quoted(content: str) -> str:
    return "  \n".join(escaped(line) for line in content.splitlines())


def _tail(trace: Trace) -> tuple[Message, ...]:
    return tail_of(trace.conversation.messages, trace.settings.compression.keep_last)


def _sections(result: Reconstruction) -> Iterator[tuple[Heading | None, list[str]]]:
    """Yield the headings of the text with their lines; one without a heading where it has none."""
    shown = set(result.text.split("\n"))
    has_headings = any(f"{heading}:" in shown for heading in Heading)
    groups = _by_heading(result) if has_headings else [(None, list(result.pieces))]
    for heading, pieces in groups:
        if pieces:
            yield heading, [line.removeprefix("- ") for line, _ in groupby(pieces, _line)]


def _by_heading(result: Reconstruction) -> list[tuple[Heading, list[Piece]]]:
    by = {h: [piece for piece in result.pieces if piece.heading is h] for h in Heading}
    return [(heading, pieces) for heading, pieces in by.items() if pieces]


def _line(piece: Piece) -> str:
    return piece.line


def _line_object(pieces: list[Piece], conversation: Conversation) -> dict[str, Any]:
    ids = dict.fromkeys(id for piece in pieces for id in piece.message_ids)
    return {
        "text": " ".join(piece.text for piece in pieces),
        "claims": [piece.claim_id for piece in pieces],
        "marks": {piece.claim_id: piece.mark.strip("[]") for piece in pieces if piece.mark},
        "sources": [{"message_id": id, "cited": cite(conversation.message(id))} for id in ids],
    }


_FORMS: dict[Form, Callable[[Trace], str]] = {
    Form.TEXT: payload_text,
    Form.MARKDOWN: payload_markdown,
    Form.JSON: payload_json,
    Form.MESSAGES: lambda trace: json.dumps(
        payload_messages(trace), ensure_ascii=False, indent=2, allow_nan=False
    ),
}
