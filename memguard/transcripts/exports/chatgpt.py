"""ChatGPT's export: ``conversations.json``, in which each conversation is a tree of nodes.

The branch from ``current_node`` back to the root is what a person saw last. Of it, what the page
showed as chat is kept, and the results of tools, on which claims may rest.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from memguard.message_form import Notes
from memguard.text import well_formed
from memguard.transcripts.document import ConversationHead, Reading
from memguard.transcripts.exports.listed import ListedExport, counted, seconds, span
from memguard.transcripts.exports.tree import Node, branch, newest_leaf
from memguard.transcripts.json_text import parse_json
from memguard.transcripts.labels import file_label
from memguard.transcripts.messages_json import to_conversation
from memguard.transcripts.values import fields_of, moment_of, objects_of, text_of, title_of

_KEPT_ROLES = frozenset({"user", "assistant", "tool"})
_TO_ALL = frozenset({"", "all", "assistant", "user"})
"""What is addressed to anything else is a call of a tool, not chat."""
_THINKING = frozenset({"thoughts", "reasoning_recap", "model_editable_context", "user_editable_context"})
_RICH = re.compile(
    "(?P<blank>[ ]?)\ue200(?P<kind>[^\ue200-\ue202]{1,40})(?P<fields>[^\ue200\ue201]{0,2000})\ue201"
)
"""Marks that the page replaces, in characters that no font shows: a kind, and fields."""
_CANVAS = "canmore."
"""Begins the address of a document that is written beside the chat and shown to the person."""
_MARKS = (("image", "image"), ("audio_video", "video"), ("video", "video"), ("audio", "audio"))
"""What a part without text reads as, by a word in its type."""
_MARK = re.compile(r"\[[^\[\]\n]{1,400}\]")
_BRANCH = "followed current_node back to the root"
_NO_CURRENT = "current_node missing: used the newest leaf"


class ChatGptExport(ListedExport):
    """``[{"mapping", "current_node", "title", …}, …]``, or one such conversation."""

    name = "chatgpt"

    def holds(self, value: Any) -> bool:
        """Return whether ``mapping`` is an object of nodes."""
        if not isinstance(value, dict) or not isinstance(value.get("mapping"), dict):
            return False
        nodes = value["mapping"]
        if not nodes:
            return not {"current_node", "create_time"}.isdisjoint(value)
        looked_at = [node for _, node in zip(range(5), nodes.values(), strict=False)]
        return any(
            isinstance(node, dict) and not {"parent", "children", "message"}.isdisjoint(node)
            for node in looked_at
        )

    def head(self, value: dict[str, Any], position: int) -> ConversationHead:
        """Return id, title, count and span; the count is of all branches."""
        shown = [
            m
            for node in value["mapping"].values()
            if not _why_not(m := fields_of(fields_of(node).get("message")))
        ]
        first, last = moment_of(value.get("create_time")), moment_of(value.get("update_time"))
        if first is None or last is None:
            started, ended = span(seconds(message.get("create_time")) for message in shown)
            first, last = first or started, last or ended
        return ConversationHead(
            id=text_of(value.get("conversation_id")) or text_of(value.get("id")) or str(position),
            title=title_of(value.get("title")),
            n_messages=len(shown),
            first=first,
            last=last,
            place=f"conversation {position}",
        )

    def read_one(self, value: dict[str, Any], source: str | None, place: str) -> Reading:
        """Read the branch that ``current_node`` ends; without one, that of the newest leaf."""
        mapping = value["mapping"]
        nodes = _nodes(mapping)
        notes = Notes()
        leaf, rule = value.get("current_node"), _BRANCH
        if not isinstance(leaf, str) or leaf not in nodes:
            leaf, rule = newest_leaf(nodes), _NO_CURRENT
            if nodes:
                notes.add(_NO_CURRENT)
        path = branch(nodes, leaf) if leaf is not None else ()
        if path and nodes[path[0]].parent is not None:
            notes.add(
                "the node before it is not in the file, or in a circle",
                f"{place}mapping node {well_formed(path[0])}",
            )
        left_out: Counter[str] = Counter()
        messages, origins = [], []
        for name in path:
            message = fields_of(fields_of(mapping[name]).get("message"))
            why_not = _why_not(message)
            if why_not:
                left_out.update([why_not] if why_not != "without a message" else [])
                continue
            origin = f"{place}mapping node {well_formed(name)}"
            messages.append(_message(message, name, origin, notes))
            origins.append(origin)
        others = [fields_of(mapping[name]) for name in mapping.keys() - set(path)]
        abandoned = sum(not _why_not(fields_of(node.get("message"))) for node in others)
        conversation = to_conversation(
            messages,
            source=source,
            title=title_of(value.get("title")),
            origins=origins,
            warnings=notes.texts(),
            ordered=True,
        )
        return Reading(conversation, self.name, rule=counted(rule, left_out), abandoned_messages=abandoned)


def _nodes(mapping: dict[str, Any]) -> dict[str, Node]:
    """Return the tree; a parent that a node does not name is taken from the lists of children."""
    by_child: dict[str, str] = {}
    for name, node in mapping.items():
        children = fields_of(node).get("children")
        for child in children if isinstance(children, list) else []:
            if isinstance(child, str):
                by_child.setdefault(child, name)
    nodes = {}
    for name, raw in mapping.items():
        node = fields_of(raw)
        parent = node.get("parent")
        if not isinstance(parent, str) or parent not in mapping:
            parent = by_child.get(name, parent if isinstance(parent, str) else None)
        nodes[name] = Node(parent, seconds(fields_of(node.get("message")).get("create_time")))
    return nodes


def _why_not(message: dict[str, Any]) -> str:
    """Return why a message is not chat; an empty text if it is."""
    if not message:
        return "without a message"
    role = text_of(fields_of(message.get("author")).get("role"))
    if role not in _KEPT_ROLES:
        return "system messages" if role == "system" else "messages of unknown roles"
    if fields_of(message.get("metadata")).get("is_visually_hidden_from_conversation") is True:
        return "hidden messages"
    if text_of(fields_of(message.get("content")).get("content_type")) in _THINKING:
        return "notes of the model"
    if role == "assistant" and text_of(message.get("recipient")) not in _TO_ALL and not _document(message):
        return "calls of tools"
    return "" if _has_content(message) else "empty messages"


def _has_content(message: dict[str, Any]) -> bool:
    content = fields_of(message.get("content"))
    parts = content.get("parts")
    values = parts if isinstance(parts, list) else [content.get(key) for key in ("text", "result", "content")]
    if any(value.strip() if isinstance(value, str) else isinstance(value, dict) for value in values):
        return True
    return bool(objects_of(fields_of(message.get("metadata")).get("attachments")))


def _message(message: dict[str, Any], name: str, place: str, notes: Notes) -> dict[str, Any]:
    author = fields_of(message.get("author"))
    found = {
        "id": text_of(message.get("id")) or name,
        "role": author["role"],
        "timestamp": message.get("create_time"),
        "content": _content(message, place, notes),
    }
    if author["role"] == "tool":
        found["tool_name"] = text_of(author.get("name")) or None
    if not isinstance(found["timestamp"], int | float | str | None):
        notes.add("create_time is no time; the message has none", place)
        found["timestamp"] = None
    return found


def _content(message: dict[str, Any], place: str, notes: Notes) -> str:
    content = fields_of(message.get("content"))
    attachments = objects_of(fields_of(message.get("metadata")).get("attachments"))
    files = [file_label(text_of(item.get("name"))) for item in attachments if not _is_picture(item)]
    parts = content.get("parts")
    written = _document(message)
    if written:
        body = written
    elif isinstance(parts, list):
        spoken = any(isinstance(fields_of(part).get("text"), str) for part in parts)
        body = _joined([_part(part, place, notes) for part in parts if not (spoken and _is_sound(part))])
    else:
        pieces = [text_of(content.get(key)) for key in ("title", "url", "text", "result", "content")]
        body = "\n".join(piece for piece in pieces if piece)
        if not body and not files:
            notes.add(f"content of type {text_of(content.get('content_type'))[:40]!r} holds no text", place)
    return _RICH.sub(_shown, _joined([*files, body]))


def _shown(match: re.Match[str]) -> str:
    """Return what the page shows for a mark: an entity's name, a link with its text, nothing for a source."""
    fields = match["fields"].split("\ue202")[1:]
    if match["kind"] == "url" and fields:
        return match["blank"] + " ".join(field for field in fields if field)
    if match["kind"] == "entity" and fields:
        try:
            named, _ = parse_json(fields[0])
        except (ValueError, RecursionError):
            return match["blank"]
        name = next((text_of(part) for part in named[1:2]), "") if isinstance(named, list) else ""
        return match["blank"] + name
    return "" if not match.string[match.end() : match.end() + 1].isalnum() else match["blank"]


def _document(message: dict[str, Any]) -> str:
    """Return a document that the assistant wrote beside the chat, or its changes; else nothing."""
    if not text_of(message.get("recipient")).startswith(_CANVAS):
        return ""
    content = fields_of(message.get("content"))
    parts = content.get("parts")
    text = text_of(content.get("text")) or "".join(map(text_of, parts if isinstance(parts, list) else []))
    try:
        call = fields_of(parse_json(text)[0])
    except (ValueError, RecursionError):
        return ""
    written = text_of(call.get("content"))
    changes = [text_of(change.get("replacement")) for change in objects_of(call.get("updates"))]
    if written:
        return f"[document: {title_of(call.get('name')) or 'without a name'}]\n{written}"
    return "\n".join(["[document changed]", *changes]) if any(changes) else ""


def _is_picture(attachment: dict[str, Any]) -> bool:
    kind = attachment.get("mime_type") or attachment.get("mimeType")
    return text_of(kind).startswith("image/")  # it is a part of the message as well


def _is_sound(part: Any) -> bool:
    """Return whether a part is the recording of what another part has in words."""
    return "audio" in text_of(fields_of(part).get("content_type")) and not isinstance(
        fields_of(part).get("text"), str
    )


def _part(part: Any, place: str, notes: Notes) -> str:
    if isinstance(part, str):
        return text_of(part)
    if not isinstance(part, dict):
        notes.add("a part is neither text nor an object; it was left out", place)
        return ""
    if isinstance(part.get("text"), str):
        return text_of(part["text"])
    kind = text_of(part.get("content_type"))
    for word, mark in _MARKS:
        if word in kind:
            return f"[{mark}]"
    mark = kind[:40] or "part"
    notes.add(f"a part of type {mark!r} holds no text; it reads [{mark}]", place)
    return f"[{mark}]"


def _joined(pieces: list[str]) -> str:
    """Join the parts of a message: a mark stands on the line of what follows it."""
    text, after_mark = "", False
    for piece in filter(None, pieces):
        text += (" " if after_mark else "\n" if text else "") + piece
        after_mark = _MARK.fullmatch(piece) is not None
    return text
