"""Open WebUI's export: a list of chats, in each of which ``history.messages`` is a tree by ``parentId``.

The branch from ``currentId`` back to the root is what the page shows. An answer's text holds its
thinking, its calls of tools and the code that it ran in ``<details>`` elements; they are taken apart
again (``open_webui_text.py``), so that a result is tool output and never the assistant's words.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from memguard.message_form import Notes
from memguard.transcripts.apis.openai_responses import item_turns
from memguard.transcripts.apis.parts import part_text
from memguard.transcripts.apis.turns import Turn
from memguard.transcripts.document import ConversationHead, Reading
from memguard.transcripts.exports.listed import ListedExport, counted, seconds, span
from memguard.transcripts.exports.open_webui_text import answer_turns
from memguard.transcripts.exports.tree import Node, branch, newest_leaf
from memguard.transcripts.labels import file_label, joined
from memguard.transcripts.messages_json import to_conversation
from memguard.transcripts.values import fields_of, items_of, moment_of, objects_of, text_of, title_of

_BRANCH = "followed parentId back from currentId"
_NO_CURRENT = "currentId missing: used the newest leaf"
_ROLES = frozenset({"user", "assistant", "system", "tool"})
_LOOKED_AT = 5


@dataclass(slots=True)
class _Out:
    """What was read so far of one chat."""

    notes: Notes = field(default_factory=Notes)
    turns: list[Turn] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


class OpenWebUiExport(ListedExport):
    """``[{"id", "title", "chat": {"history": {"messages", "currentId"}}}, …]``, or one such chat."""

    name = "open_webui"

    def holds(self, value: Any) -> bool:
        """Return whether there is a history of messages with roles, each under its id."""
        history = _history(value)
        messages = history.get("messages")
        if not isinstance(messages, dict):
            return False
        if not messages:
            return "currentId" in history
        looked_at = [message for _, message in zip(range(_LOOKED_AT), messages.values(), strict=False)]
        return any(
            "role" in m and not {"parentId", "childrenIds"}.isdisjoint(m) for m in objects_of(looked_at)
        )

    def head(self, value: dict[str, Any], position: int) -> ConversationHead:
        """Return id, title, count and span; the count is of all branches."""
        messages = objects_of(list(_history(value)["messages"].values()))
        first, last = moment_of(value.get("created_at")), moment_of(value.get("updated_at"))
        if first is None or last is None:
            started, ended = span(seconds(message.get("timestamp")) for message in messages)
            first, last = first or started, last or ended
        return ConversationHead(
            id=text_of(value.get("id")) or str(position),
            title=_title(value),
            n_messages=len(messages),
            first=first,
            last=last,
            place=f"conversation {position}",
        )

    def read_one(self, value: dict[str, Any], source: str | None, place: str) -> Reading:
        """Read the branch that ``currentId`` ends; without one, that of the newest leaf."""
        history = _history(value)
        messages = history["messages"]
        nodes = _nodes(messages)
        out = _Out()
        leaf, rule = history.get("currentId"), _BRANCH
        if not isinstance(leaf, str) or leaf not in nodes:
            leaf, rule = newest_leaf(nodes), _NO_CURRENT
            if nodes:
                out.notes.add(_NO_CURRENT)
        path = branch(nodes, leaf) if leaf is not None else ()
        if path and nodes[path[0]].parent is not None:
            out.notes.add(
                "the message before it is not in the file, or in a circle",
                f"{place}message {text_of(path[0])}",
            )
        for name in path:
            _read_message(messages[name], name, f"{place}message {text_of(name)}", out)
        chat = fields_of(value.get("chat"))
        orders = (chat.get("system"), fields_of(chat.get("params")).get("system"))
        system = next((text for order in orders if (text := text_of(order).strip())), "")
        if system:
            out.turns.insert(0, Turn(f"{place}system", "system", [system]))
        conversation = to_conversation(
            [turn.as_message(out.notes) for turn in out.turns],
            source=source,
            title=_title(value),
            origins=[turn.place for turn in out.turns],
            warnings=out.notes.texts(),
            ordered=True,
        )
        return Reading(
            conversation,
            self.name,
            rule=counted(rule, out.left_out),
            abandoned_messages=len(objects_of(list(messages.values()))) - len(path),
        )


def _history(value: Any) -> dict[str, Any]:
    outer = fields_of(value)
    inner = fields_of(outer.get("chat"))
    return fields_of(inner.get("history")) or fields_of(outer.get("history"))


def _title(value: dict[str, Any]) -> str | None:
    return title_of(value.get("title")) or title_of(fields_of(value.get("chat")).get("title"))


def _nodes(messages: dict[str, Any]) -> dict[str, Node]:
    """Return the tree; a parent that a message does not name is taken from the lists of children."""
    by_child: dict[str, str] = {}
    for name, message in messages.items():
        for child in items_of(fields_of(message).get("childrenIds")):
            if isinstance(child, str):
                by_child.setdefault(child, name)
    nodes = {}
    for name, message in messages.items():
        if isinstance(message, dict):
            parent = message.get("parentId")
            if not isinstance(parent, str) or parent not in messages:
                parent = by_child.get(name, parent if isinstance(parent, str) else None)
            nodes[name] = Node(parent, seconds(message.get("timestamp")))
    return nodes


def _read_message(message: dict[str, Any], name: str, place: str, out: _Out) -> None:
    role = text_of(message.get("role")).strip()
    if role not in _ROLES:
        out.notes.add(f"the role {role[:40]!r} is not one that we know; it is kept as given", place)
    time = message.get("timestamp")
    if not isinstance(time, str | int | float | None) or isinstance(time, bool):
        out.notes.add("timestamp is no time; the message has none", place)
        time = None
    written = part_text(message.get("content"), place, out.notes)
    if role == "assistant":
        turns = answer_turns(written, place, out.notes, out.left_out)
        if not turns:  # newer versions keep the items of the answer as well
            items = objects_of(message.get("output"))
            turns = [turn for item in items for turn in item_turns(item, place, out.notes)]
    else:
        turns = [Turn(place, role or "user", [written])] if written.strip() else []
    if fields_of(message.get("error")):
        out.left_out["notices of errors"] += 1
    if text_of(fields_of(message.get("merged")).get("content")).strip():
        out.left_out["answers merged from several"] += 1
    files = _files(message)
    if files:
        if not turns:
            turns = [Turn(place, role or "user")]
        turns[0].texts.insert(0, files)
    if not turns:
        out.left_out["empty messages"] += 1
    own = text_of(message.get("id")) or name
    for number, turn in enumerate(turns, start=1):
        turn.id = own if number == 1 else f"{own}/{number}"
        turn.timestamp = time
    out.turns += turns


def _files(message: dict[str, Any]) -> str:
    """Return a label for each file; what the file holds was never said."""
    labels = []
    for item in objects_of(message.get("files")):
        if text_of(item.get("type")).startswith("image"):
            labels.append("[image]")
        else:
            inner = fields_of(item.get("file"))
            names = (item.get("name"), inner.get("filename"), fields_of(inner.get("meta")).get("name"))
            labels.append(file_label(next((text for name in names if (text := text_of(name).strip())), "")))
    return joined(*labels)
