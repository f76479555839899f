"""Claude.ai's export: ``conversations.json``, in which parent ids make each conversation a tree.

The branch of the newest message is read: an edited prompt and what it replaced would otherwise both
stand in one history. A message that calls tools is read as several, so that a result is tool output
and never the assistant's words.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any

from memguard.message_form import Notes
from memguard.transcripts.document import ConversationHead, Reading
from memguard.transcripts.exports.listed import ListedExport, counted, seconds, span
from memguard.transcripts.exports.tree import Node, branch, newest_leaf
from memguard.transcripts.labels import file_label
from memguard.transcripts.messages_json import to_conversation
from memguard.transcripts.values import fields_of, moment_of, objects_of, text_of, title_of

_ROLES = {"human": "user", "user": "user", "assistant": "assistant"}
_THINKING = frozenset({"thinking", "redacted_thinking", "token_budget", "flag"})
_LEAF = "current_leaf_message_uuid"
_FLAT = "no parent ids: all messages, in the order of the file"
_NEWEST = "followed parent_message_uuid back from the newest message"
_GIVEN = f"followed parent_message_uuid back from {_LEAF}"


@dataclass(slots=True)
class _Out:
    """What was read so far of one conversation."""

    notes: Notes = field(default_factory=Notes)
    messages: list[dict[str, Any]] = field(default_factory=list)
    origins: list[str] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


class ClaudeAiExport(ListedExport):
    """``[{"chat_messages", "name", …}, …]``, or one such conversation."""

    name = "claude_ai"

    def holds(self, value: Any) -> bool:
        """Return whether ``chat_messages`` is a list whose first objects have a sender."""
        if not isinstance(value, dict) or not isinstance(value.get("chat_messages"), list):
            return False
        first = objects_of(value["chat_messages"][:5])
        if not value["chat_messages"]:
            return not {"uuid", "name"}.isdisjoint(value)
        return any("sender" in message for message in first)

    def head(self, value: dict[str, Any], position: int) -> ConversationHead:
        """Return id, name, count and span; the count is of all branches."""
        messages = objects_of(value["chat_messages"])
        first, last = moment_of(value.get("created_at")), moment_of(value.get("updated_at"))
        if first is None or last is None:
            started, ended = span(seconds(message.get("created_at")) for message in messages)
            first, last = first or started, last or ended
        return ConversationHead(
            id=text_of(value.get("uuid")) or str(position),
            title=title_of(value.get("name")),
            n_messages=len(messages),
            first=first,
            last=last,
            place=f"conversation {position}",
        )

    def read_one(self, value: dict[str, Any], source: str | None, place: str) -> Reading:
        """Read the branch of the newest message; where no message names its parent, all of them."""
        rows = value["chat_messages"]
        out = _Out()
        kept, rule = self._branch(value, out.notes)
        for index in kept:
            _read_message(rows[index], f"{place}chat_messages[{index}]", out)
        conversation = to_conversation(
            out.messages,
            source=source,
            title=title_of(value.get("name")),
            origins=out.origins,
            warnings=out.notes.texts(),
            ordered=True,
        )
        return Reading(
            conversation,
            self.name,
            rule=counted(rule, out.left_out),
            abandoned_messages=len(objects_of(rows)) - len(kept),
        )

    def _branch(self, value: dict[str, Any], notes: Notes) -> tuple[list[int], str]:
        """Return the indexes of the messages to read, in order, and the rule that chose them."""
        rows = value["chat_messages"]
        nodes: dict[str, Node] = {}
        place_of: dict[str, int] = {}
        known = []
        for index, row in enumerate(rows):
            if not isinstance(row, dict):
                notes.add("not an object; it was left out", f"chat_messages[{index}]")
                continue
            known.append(index)
            name = text_of(row.get("uuid")) or f"chat_messages[{index}]"
            if name in nodes:
                notes.add("its uuid occurs before; it was left out", f"chat_messages[{index}]")
                continue
            parent = row.get("parent_message_uuid")
            nodes[name] = Node(parent if isinstance(parent, str) else None, seconds(row.get("created_at")))
            place_of[name] = index
        if not any("parent_message_uuid" in rows[index] for index in known):
            return known, _FLAT
        leaf = value.get(_LEAF)
        given = isinstance(leaf, str) and leaf in nodes
        if not given:
            leaf = newest_leaf(nodes)
            if leaf is None:
                notes.add("the parent ids go round in a circle: all messages are read, as the file has them")
                return known, _FLAT
        return [place_of[name] for name in branch(nodes, str(leaf))], _GIVEN if given else _NEWEST


def _read_message(row: dict[str, Any], place: str, out: _Out) -> None:
    sender = text_of(row.get("sender"))
    if sender not in _ROLES:
        out.notes.add(f"the sender {sender[:40]!r} is not one that we know; it is kept as a role", place)
    fields = {"role": _ROLES.get(sender) or sender or "user", "timestamp": row.get("created_at")}
    if not isinstance(fields["timestamp"], str | int | float | None):
        out.notes.add("created_at is no time; the message has none", place)
        fields["timestamp"] = None
    uuid = text_of(row.get("uuid")) or None
    pieces = _pieces(row, uuid or place, place, out)
    files = _files(row)
    if files:
        first = pieces[0] if pieces and pieces[0].get("role") != "tool" else {"content": ""}
        if not pieces or pieces[0] is not first:
            pieces.insert(0, first)
        first["content"] = "\n".join(text for text in (files, first["content"]) if text)
    if not pieces:
        out.left_out["empty messages"] += 1
    for number, piece in enumerate(pieces, start=1):
        name = uuid if number == 1 or uuid is None else f"{uuid}/{number}"
        out.messages.append({**fields, "id": name, **piece})
        out.origins.append(place)


def _pieces(row: dict[str, Any], uuid: str, place: str, out: _Out) -> list[dict[str, Any]]:
    """Return the message cut at the results of tools: words and calls, a result, words again."""
    blocks = objects_of(row.get("content"))
    kinds = {text_of(block.get("type")) for block in blocks}
    if kinds <= _THINKING | {"text"} and not any(text_of(b.get("text")).strip() for b in blocks):
        text = text_of(row.get("text"))
        out.left_out.update(["notes of the model"] if kinds & _THINKING else [])
        return [{"content": text}] if text.strip() else []
    pieces: list[dict[str, Any]] = []
    calls = _OpenCalls()
    for number, block in enumerate(blocks):
        kind = text_of(block.get("type"))
        if kind in _THINKING:
            out.left_out["notes of the model"] += 1
        elif kind == "tool_use":
            name = text_of(block.get("name")) or "tool"
            call_id = text_of(block.get("id")) or f"{uuid}:{number}"
            calls.add(call_id, name)
            _turn(pieces).setdefault("tool_calls", []).append(
                {"id": call_id, "name": name, "input": block.get("input", "")}
            )
        elif kind == "tool_result":
            pieces.append(_result(block, calls, place, out.notes))
        elif text := _text_of_block(block, kind, place, out.notes):
            words = _turn(pieces, for_words=True)
            words["content"] = "\n\n".join(part for part in (words["content"], text) if part)
    return pieces


def _turn(pieces: list[dict[str, Any]], *, for_words: bool = False) -> dict[str, Any]:
    """Return the piece to add to; words that follow a call or a result begin another one."""
    if not pieces or "role" in pieces[-1] or (for_words and "tool_calls" in pieces[-1]):
        pieces.append({"content": ""})
    return pieces[-1]


class _OpenCalls:
    """The calls of a message that no result has answered yet, in order; some exports give them no ids."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._by_name: dict[str, deque[str]] = {}

    def add(self, call_id: str, name: str) -> None:
        self._names[call_id] = name
        for key in {name, ""}:
            self._by_name.setdefault(key, deque()).append(call_id)

    def answered(self, call_id: str, name: str) -> tuple[str, str]:
        """Return id and name of the call that a result answers: the one it names, else the first open one."""
        waiting = self._by_name.get(name, deque())
        while not call_id and waiting:
            first = waiting.popleft()
            call_id = first if first in self._names else ""
        known = self._names.pop(call_id, "")
        return call_id, name or known


def _result(block: dict[str, Any], calls: _OpenCalls, place: str, notes: Notes) -> dict[str, Any]:
    call_id, name = calls.answered(text_of(block.get("tool_use_id")), text_of(block.get("name")))
    if not call_id:
        notes.add("a result of a tool names no call", place)
    content = block.get("content")
    if isinstance(content, str):
        text = text_of(content)
    else:
        parts = [_text_of_block(b, text_of(b.get("type")), place, notes) for b in objects_of(content)]
        text = "\n".join(part for part in parts if part)
    return {"role": "tool", "content": text, "tool_call_id": call_id or None, "tool_name": name or None}


def _text_of_block(block: dict[str, Any], kind: str, place: str, notes: Notes) -> str:
    source = fields_of(block.get("source"))
    if kind == "knowledge" and isinstance(block.get("title"), str):
        found = f"{text_of(block['title'])} {text_of(block.get('url'))}".rstrip()
        return "\n".join(piece for piece in (found, text_of(block.get("text"))) if piece)
    for key in ("text", "transcript"):
        if isinstance(block.get(key), str):
            return text_of(block[key])
    mark = "image" if kind == "image" or text_of(source.get("media_type")).startswith("image/") else kind[:40]
    if mark != "image":
        notes.add(f"a block of type {mark or 'unknown'!r} holds no text; it reads [{mark or 'part'}]", place)
    return f"[{mark or 'part'}]"


def _files(row: dict[str, Any]) -> str:
    """Return a mark for each file, and the text that the export has of it."""
    told = []
    for item in objects_of(row.get("attachments")):
        name = text_of(item.get("file_name"))
        told.append("\n".join(t for t in (file_label(name), text_of(item.get("extracted_content"))) if t))
    seen = {text_of(item.get("file_name")) for item in objects_of(row.get("attachments"))}
    for item in objects_of(row.get("files")):
        name = text_of(item.get("file_name"))
        if name not in seen or not name:
            told.append(file_label(name))
    return "\n".join(told)
