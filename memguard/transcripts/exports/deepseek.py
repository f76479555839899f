"""DeepSeek's export: ``conversations.json``, in which each conversation is a tree of nodes like ChatGPT's.

A message has no author: its ``fragments`` say what it is (``REQUEST``, ``THINK``, ``RESPONSE``). An
earlier form has ``content`` and ``reasoning_content`` alone; there a person and the assistant take
turns along the branch. The export names no current node, so the branch of the newest leaf is read.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from memguard.message_form import Notes
from memguard.transcripts.document import ConversationHead, Document, Reading
from memguard.transcripts.exports.listed import ListedExport, counted, seconds, span
from memguard.transcripts.exports.tree import Node, branch, newest_leaf
from memguard.transcripts.labels import file_label
from memguard.transcripts.messages_json import to_conversation
from memguard.transcripts.values import fields_of, items_of, moment_of, objects_of, text_of, title_of

_NEWEST = "followed parent back from the newest leaf"
_ALTERNATING = "; without fragments, the first message is the user's and they take turns"
_LOOKED_AT = 5


class DeepSeekExport(ListedExport):
    """``[{"mapping", "inserted_at", "title", …}, …]``, or one such conversation."""

    name = "deepseek"

    def recognises(self, document: Document) -> float:
        """Return 0.95, which is surer than ChatGPT's reader, whose export has the same tree."""
        return 0.95 if super().recognises(document) else 0.0

    def holds(self, value: Any) -> bool:
        """Return whether ``mapping`` holds messages of DeepSeek, which have no author."""
        nodes = fields_of(fields_of(value).get("mapping"))
        if not isinstance(value, dict) or not isinstance(value.get("mapping"), dict):
            return False
        looked_at = [node for _, node in zip(range(_LOOKED_AT), nodes.values(), strict=False)]
        messages = [message for node in looked_at if (message := _message_of(node))]
        if any("author" in message for message in messages):
            return False
        if any("fragments" in message or "inserted_at" in message for message in messages):
            return True
        return not messages and "inserted_at" in value

    def head(self, value: dict[str, Any], position: int) -> ConversationHead:
        """Return id, title, count and span; the count is of all branches."""
        messages = [message for node in value["mapping"].values() if (message := _message_of(node))]
        first, last = moment_of(value.get("inserted_at")), moment_of(value.get("updated_at"))
        if first is None or last is None:
            started, ended = span(seconds(message.get("inserted_at")) for message in messages)
            first, last = first or started, last or ended
        return ConversationHead(
            id=text_of(value.get("id")) or str(position),
            title=title_of(value.get("title")),
            n_messages=len(messages),
            first=first,
            last=last,
            place=f"conversation {position}",
        )

    def read_one(self, value: dict[str, Any], source: str | None, place: str) -> Reading:
        """Read the branch of the newest leaf."""
        mapping = value["mapping"]
        nodes = _nodes(mapping)
        leaf = newest_leaf(nodes)
        path = branch(nodes, leaf) if leaf is not None else ()
        notes = Notes()
        if nodes and leaf is None:
            notes.add("the parents go round in a circle; no message is read")
        elif path and nodes[path[0]].parent is not None:
            notes.add("the node before it is not in the file", f"{place}mapping node {text_of(path[0])}")
        left_out: Counter[str] = Counter()
        messages: list[dict[str, Any]] = []
        origins: list[str] = []
        rule, role = _NEWEST, "user"
        for name in path:
            message = _message_of(mapping[name])
            if not message:
                continue
            origin = f"{place}mapping node {text_of(name)}"
            if "fragments" not in message:
                rule = _NEWEST + _ALTERNATING
            found = _messages(message, role, origin, notes, left_out)
            role = "assistant" if (found[-1]["role"] if found else role) == "user" else "user"
            for number, piece in enumerate(found, start=1):
                piece["id"] = name if number == 1 else f"{name}/{number}"
                piece["timestamp"] = _time(message, origin, notes)
                messages.append(piece)
                origins.append(origin)
        n_all = sum(bool(_message_of(node)) for node in mapping.values())
        n_read = sum(bool(_message_of(mapping[name])) for name in path)
        conversation = to_conversation(
            messages,
            source=source,
            title=title_of(value.get("title")),
            origins=origins,
            warnings=notes.texts(),
            ordered=True,
        )
        rule = counted(rule, left_out)
        return Reading(conversation, self.name, rule=rule, abandoned_messages=n_all - n_read)


def _message_of(node: Any) -> dict[str, Any]:
    return fields_of(fields_of(node).get("message"))


def _nodes(mapping: dict[str, Any]) -> dict[str, Node]:
    nodes = {}
    for name, node in mapping.items():
        parent = fields_of(node).get("parent")
        time = seconds(_message_of(node).get("inserted_at"))
        nodes[name] = Node(parent if isinstance(parent, str) else None, time)
    return nodes


def _time(message: dict[str, Any], place: str, notes: Notes) -> Any:
    time = message.get("inserted_at")
    if isinstance(time, str | int | float | None) and not isinstance(time, bool):
        return time
    notes.add("inserted_at is no time; the message has none", place)
    return None


def _messages(
    message: dict[str, Any], role: str, place: str, notes: Notes, left_out: Counter[str]
) -> list[dict[str, Any]]:
    """Return what a node says: a person's words with labels of the files, an answer, or both."""
    files = [file_label(text_of(item.get("file_name"))) for item in objects_of(message.get("files"))]
    found: list[dict[str, Any]] = []
    if "fragments" not in message:
        left_out.update(["thinking"] if text_of(message.get("reasoning_content")).strip() else [])
        text = "\n".join(part for part in (*files, text_of(message.get("content"))) if part)
        if not text.strip():
            left_out["empty messages"] += 1
        return [{"role": role, "content": text}] if text.strip() else []
    for fragment in items_of(message["fragments"]):
        kind, text = text_of(fields_of(fragment).get("type")), text_of(fields_of(fragment).get("content"))
        if kind == "THINK":
            left_out["thinking"] += 1
        elif kind in {"REQUEST", "RESPONSE"}:
            speaks = "user" if kind == "REQUEST" else "assistant"
            if not found or found[-1]["role"] != speaks:
                found.append({"role": speaks, "content": []})
            found[-1]["content"].append(text)
        elif kind:
            left_out[f"fragments of type {kind[:30].lower()}"] += 1
        else:
            notes.add("a fragment has no type; it was left out", place)
    if files:
        if not found:
            found.append({"role": role, "content": []})
        found[0]["content"][:0] = files
    if not found:
        left_out["empty messages"] += 1
    return [{**piece, "content": "\n".join(filter(None, piece["content"]))} for piece in found]
