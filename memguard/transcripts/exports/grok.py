"""Grok's export: ``prod-grok-backend.json``, a list of conversations, each with its responses.

A response of either side names the one before it (``parent_response_id``) where a conversation has
branches; the branch of the newest response is read. Times are dates of MongoDB or ISO 8601.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from memguard.message_form import Notes
from memguard.transcripts.document import ConversationHead, Reading
from memguard.transcripts.exports.listed import ListedExport, counted, span
from memguard.transcripts.exports.tree import Node, branch, newest_leaf
from memguard.transcripts.labels import file_label
from memguard.transcripts.messages_json import to_conversation
from memguard.transcripts.values import fields_of, items_of, moment_of, text_id, text_of, title_of

_ROLES = {"human": "user", "user": "user", "assistant": "assistant", "system": "system"}
_FLAT = "no parent ids: all messages, in the order of the file"
_NEWEST = "followed parent_response_id back from the newest response"
_LOOKED_AT = 5


class GrokExport(ListedExport):
    """``{"conversations": [{"conversation": …, "responses": [{"response": …}]}]}``, or one of them."""

    name = "grok"

    def holds(self, value: Any) -> bool:
        """Return whether there are responses with a sender, beside a conversation."""
        if not isinstance(value, dict) or not isinstance(value.get("conversation"), dict):
            return False
        responses = value.get("responses")
        if not isinstance(responses, list):
            return False
        return not responses or any("sender" in _inner(item) for item in responses[:_LOOKED_AT])

    def head(self, value: dict[str, Any], position: int) -> ConversationHead:
        """Return id, title, count and span; the count is of all branches."""
        own = value["conversation"]
        responses = [response for item in value["responses"] if (response := _inner(item))]
        first, last = _moment(own.get("create_time")), _moment(own.get("modify_time"))
        if first is None or last is None:
            started, ended = span(_seconds(response.get("create_time")) for response in responses)
            first, last = first or started, last or ended
        return ConversationHead(
            id=text_id(own.get("id")) or str(position),
            title=title_of(own.get("title")),
            n_messages=len(responses),
            first=first,
            last=last,
            place=f"conversation {position}",
        )

    def read_one(self, value: dict[str, Any], source: str | None, place: str) -> Reading:
        """Read the branch of the newest response; where none names its parent, all of them."""
        notes = Notes()
        left_out: Counter[str] = Counter()
        responses = [_inner(item) for item in value["responses"]]
        known = [index for index, response in enumerate(responses) if response]
        if len(known) < len(responses):
            notes.add(f"responses that are no objects and were left out: {len(responses) - len(known)}")
        kept, rule = _branch(responses, known, notes)
        messages, origins = [], []
        for index in kept:
            origin = f"{place}responses[{index}]"
            message = _message(responses[index], origin, notes, left_out)
            if message is not None:
                messages.append(message)
                origins.append(origin)
        conversation = to_conversation(
            messages,
            source=source,
            title=title_of(value["conversation"].get("title")),
            origins=origins,
            warnings=notes.texts(),
            ordered=True,
        )
        abandoned = len(known) - len(kept)
        return Reading(conversation, self.name, rule=counted(rule, left_out), abandoned_messages=abandoned)


def _inner(item: Any) -> dict[str, Any]:
    return fields_of(fields_of(item).get("response"))


def _date(value: Any) -> Any:
    """Return what a date of MongoDB holds; anything else as it is."""
    while isinstance(value, dict) and len(value) == 1 and not {"$date", "$numberLong"}.isdisjoint(value):
        value = next(iter(value.values()))
    if isinstance(value, str) and value.strip().lstrip("-").isdigit() and len(value) < 20:
        return int(value)
    return value


def _moment(value: Any) -> Any:
    found = _date(value)
    return moment_of(found, milliseconds=isinstance(found, int | float))


def _seconds(value: Any) -> float | None:
    moment = _moment(value)
    return moment.timestamp() if moment is not None else None


def _branch(responses: list[dict[str, Any]], known: list[int], notes: Notes) -> tuple[list[int], str]:
    """Return the indexes of the responses to read, in order, and the rule that chose them."""
    if not any(text_id(responses[index].get("parent_response_id")) for index in known):
        return known, _FLAT
    nodes: dict[str, Node] = {}
    place_of: dict[str, int] = {}
    for index in known:
        name = text_id(responses[index].get("_id")) or f"responses[{index}]"
        if name in nodes:
            notes.add("its _id occurs before; it was left out", f"responses[{index}]")
            continue
        parent = text_id(responses[index].get("parent_response_id"))
        nodes[name] = Node(parent, _seconds(responses[index].get("create_time")))
        place_of[name] = index
    leaf = newest_leaf(nodes)
    if leaf is None:
        notes.add("the parent ids go round in a circle: all messages are read, as the file has them")
        return known, _FLAT
    return [place_of[name] for name in branch(nodes, leaf)], _NEWEST


def _message(
    response: dict[str, Any], place: str, notes: Notes, left_out: Counter[str]
) -> dict[str, Any] | None:
    sender = text_of(response.get("sender")).strip()
    if sender.lower() not in _ROLES:
        notes.add(f"the sender {sender[:40]!r} is not one that we know; it is kept as a role", place)
    thought = response.get("thinking_trace") or response.get("agent_thinking_traces")
    left_out.update(["thinking"] if thought else [])
    attached = items_of(response.get("file_attachments"))
    files = [file_label(text_of(name) or text_of(fields_of(name).get("file_name"))) for name in attached]
    text = "\n".join(part for part in (*files, text_of(response.get("message"))) if part)
    if not text.strip():
        left_out["empty messages"] += 1
        return None
    moment = _moment(response.get("create_time"))
    if moment is None and response.get("create_time") is not None:
        notes.add("create_time is no time; the message has none", place)
    return {
        "id": text_id(response.get("_id")),
        "role": _ROLES.get(sender.lower(), sender or "user"),
        "content": text,
        "timestamp": moment,
    }
