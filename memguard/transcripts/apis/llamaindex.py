"""LlamaIndex chat stores: ``{"store": {key: [messages]}}``, a key a conversation.

Read are a ``SimpleChatStore`` as its ``persist`` and ``json`` write it (also as a JSON text in a JSON
string, which some versions wrote) and a memory buffer around one. A message has ``blocks`` or, in older
versions, ``content``.
"""

from __future__ import annotations

import json
from typing import Any

from memguard.errors import TranscriptError
from memguard.message_form import Notes
from memguard.transcripts.apis.parts import part_text
from memguard.transcripts.apis.turns import NOT_SAID, Told, Turn, finish, role_of
from memguard.transcripts.document import ConversationHead, Document, Reading, choose
from memguard.transcripts.json_text import is_deeper, parse_json
from memguard.transcripts.values import fields_of, items_of, text_id, words

_ROLES = {"chatbot": "assistant", "model": "assistant", "function": "tool"}


class LlamaIndex:
    """A chat store, each key of it one conversation."""

    name = "llamaindex"

    def recognises(self, document: Document) -> float:
        """Return 0.9 where there is a store with lists of messages."""
        store = _store(document)
        if not store or not all(isinstance(value, list) for value in store.values()):
            return 0.0
        found = [message for value in store.values() for message in value[:20]]
        return 0.9 if any(isinstance(m, dict) and "role" in m for m in found) else 0.0

    def conversations(self, document: Document) -> tuple[ConversationHead, ...]:
        """Return the keys of the store with their numbers of messages."""
        return tuple(
            ConversationHead(key, None, len(items_of(value)), None, None, f"store[{key!r}]")
            for key, value in (_store(document) or {}).items()
        )

    def read(self, document: Document, conversation: str | None = None) -> Reading:
        """Read the messages of one key in the order given."""
        store = _store(document)
        if not store:
            raise TranscriptError("no chat store, or one without a key", source=document.source)
        heads = self.conversations(document)
        head = heads[choose(heads, conversation, document.source)]
        notes = Notes()
        turns: list[Turn] = []
        messages = store[head.id]
        if not isinstance(messages, list):
            notes.add("this is no list of messages", head.place)
        for index, message in enumerate(items_of(messages)):
            turns += _turns(message, f"{head.place}[{index}]", notes)
        return finish(self.name, document, turns, notes, Told(n_conversations=len(heads)))


def _store(document: Document) -> dict[str, Any] | None:
    value = document.value
    if isinstance(value, str) and '"store"' in value:
        value = _within_text(value, document)
    if not isinstance(value, dict):
        return None
    inner = fields_of(value.get("chat_store"))
    store = value.get("store", inner.get("store"))
    return store if isinstance(store, dict) else None


def _within_text(text: str, document: Document) -> Any:
    try:
        value, _ = parse_json(text)
    except (json.JSONDecodeError, RecursionError):
        return None
    return None if is_deeper(value, document.limits.json_levels) else value


def _turns(message: Any, place: str, notes: Notes) -> list[Turn]:
    if not isinstance(message, dict):
        notes.add("this is no message, which is an object with a role; it was left out", place)
        return []
    more = fields_of(message.get("additional_kwargs"))
    turn = Turn(place, role_of(message.get("role"), _ROLES, place, notes), id=message.get("id"))
    name = words(more.get("name")) or None
    if turn.role == "tool":
        turn.tool_name, turn.call_id = name, text_id(more.get("tool_call_id"))
    else:
        turn.speaker = name
    thought = _add_blocks(turn, message, notes)
    _add_calls(turn, more)
    return [] if thought and turn.is_empty else [turn]


def _add_blocks(turn: Turn, message: dict[str, Any], notes: Notes) -> bool:
    """Add text and calls of the message; return whether it held thinking."""
    blocks = message.get("blocks")
    thought = False
    if not isinstance(blocks, list):
        content = message.get("content")
        blocks = content if isinstance(content, list) else [content]
    for block in blocks:
        kind = words(block.get("block_type", block.get("type"))) if isinstance(block, dict) else ""
        if kind == "thinking":
            notes.add(f"thinking was left out: {NOT_SAID}", turn.place)
            thought = True
        elif kind == "tool_call":
            turn.call(block.get("tool_name"), block.get("tool_kwargs", {}), block.get("tool_call_id"))
        elif block is not None:
            turn.texts.append(part_text(block, turn.place, notes))
    return thought


def _add_calls(turn: Turn, more: dict[str, Any]) -> None:
    known = {call["id"] for call in turn.calls}
    for call in items_of(more.get("tool_calls")):
        function = fields_of(fields_of(call).get("function")) or fields_of(call)
        call_id = text_id(fields_of(call).get("id")) or text_id(fields_of(call).get("tool_id"))
        if function and (call_id is None or call_id not in known):
            name = function.get("name", function.get("tool_name"))
            arguments = next(
                (function[k] for k in ("arguments", "tool_kwargs", "input") if k in function), ""
            )
            turn.call(name, arguments, call_id)
