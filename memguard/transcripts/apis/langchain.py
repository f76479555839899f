"""LangChain messages as its two ways of dumping write them, and LangGraph's state.

``messages_to_dict`` writes ``{"type": "human", "data": {…}}``, ``dumpd`` writes ``{"lc": 1, "type":
"constructor", "id": […, "HumanMessage"], "kwargs": {…}}``, ``model_dump`` writes the fields beside
``type``. Read are a list of them, alone or under ``messages`` (of a prompt value, a state, a
checkpoint), and JSONL; of a history of states the newest one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memguard.errors import TranscriptError
from memguard.message_form import Notes
from memguard.transcripts.apis.parts import part_text
from memguard.transcripts.apis.turns import NOT_SAID, Told, Turn, finish, first_objects, lines, role_of
from memguard.transcripts.document import MISSING, Document, Reading
from memguard.transcripts.values import fields_of, items_of, moment_of, text_id, words

_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "function": "tool"}
_KINDS = frozenset({*_ROLES, "chat", "generic", "remove"})
_FRAMES = ("values", "channel_values", "kwargs", "checkpoint", "state")
_STATES = frozenset({"values", "channel_values", "checkpoint"})
_MOST_STEPS = 10**9
_CALL_BLOCKS = frozenset({"tool_use", "tool_call", "function_call", "server_tool_call", "server_tool_use"})


class LangChain:
    """Messages that LangChain or LangGraph dumped."""

    name = "langchain"

    def recognises(self, document: Document) -> float:
        """Return 0.9 where most of the first objects are dumped messages."""
        objects = first_objects(document)
        frame = document.value if isinstance(document.value, dict) else _newest(objects)
        if isinstance(frame, dict):
            objects = [m for m in _messages(frame)[1][:200] if isinstance(m, dict)] or objects
        n_own = sum(_unwrap(item) is not None for item in objects)
        return 0.9 if n_own and 2 * n_own > len(objects) else 0.0

    def read(self, document: Document) -> Reading:
        """Read the messages in their order."""
        notes = Notes()
        told = Told()
        value = document.value
        before = ""
        states = _states(document)
        newest = _newest([state for _, state in states])
        if newest is not None:
            threads = {_thread(state) for _, state in states} - {None}
            if len(threads) > 1:
                raise TranscriptError(
                    f"holds states of {len(threads)} threads; put each thread into a file of its own",
                    source=document.source,
                )
            before = next(place for place, state in states if state is newest)
            told.branch = f"the newest of {len(states)} states, which is {before}"
            before, value = f"{before}, ", newest
        if value is MISSING:
            records, told.skipped_lines = lines(document, notes)
            placed = [(f"line {record.line}", record.value) for record in records]
        elif isinstance(value, dict):
            place, found = _messages(value)
            placed = [(f"{before}{place}[{index}]", item) for index, item in enumerate(found)]
            if not found:
                placed = [("message 0", value)]
        else:
            placed = [(f"message {index}", item) for index, item in enumerate(items_of(value))]
        turns: list[Turn] = []
        for place, item in placed:
            turns += message_turns(item, place, notes)
        return finish(self.name, document, turns, notes, told)


def _states(document: Document) -> list[tuple[str, dict[str, Any]]]:
    """Return the objects of a list or of JSONL with their places."""
    if isinstance(document.value, list):
        return [(f"state {i}", item) for i, item in enumerate(document.value) if isinstance(item, dict)]
    if document.value is MISSING:
        return [(f"line {r.line}", r.value) for r in document.records if isinstance(r.value, dict)]
    return []


def _thread(state: dict[str, Any]) -> str | None:
    configurable = fields_of(fields_of(state.get("config")).get("configurable"))
    return text_id(state.get("thread_id")) or text_id(configurable.get("thread_id"))


def _newest(objects: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the newest of several states of one thread, each of which holds all messages before it.

    By the step of the graph, else by time; of equals the first, since LangGraph lists the newest first.
    None where the objects are no states.
    """
    states = [item for item in objects if not _STATES.isdisjoint(item) and _messages(item)[1]]
    if not states or 2 * len(states) < len(objects):
        return None

    def age(state: dict[str, Any]) -> tuple[int, float]:
        step = fields_of(state.get("metadata")).get("step")
        moment = moment_of(state.get("created_at") or state.get("ts"))
        known = step if isinstance(step, int) and abs(step) < _MOST_STEPS else -1
        return (known, moment.timestamp() if moment else 0.0)

    return max(states, key=age)


def _messages(value: dict[str, Any]) -> tuple[str, list[Any]]:
    """Return the list of messages in a frame, and where it is; a frame may stand in a frame."""
    found = value.get("messages")
    if isinstance(found, list):
        return "messages", found
    for key in _FRAMES:
        inner = value.get(key)
        if isinstance(inner, dict) and inner:
            place, found = _messages(inner)
            if found:
                return f"{key}.{place}", found
    return "messages", []


def _unwrap(value: Any) -> tuple[str, dict[str, Any]] | None:
    """Return kind and fields of a dumped message, whichever way it was dumped; None if it is none."""
    if not isinstance(value, dict):
        return None
    kind = words(value.get("type"))
    if "lc" in value and kind in {"constructor", "not_implemented"}:
        path = items_of(value.get("id"))
        kind = _kind(words(path[-1]) if path else "")
        fields = value.get("kwargs")
        return (kind, fields_of(fields)) if kind in _KINDS else None
    kind = _kind(kind)
    if kind not in _KINDS:
        return None
    data = value.get("data")
    if isinstance(data, dict):
        return kind, data
    return (kind, value) if "content" in value and "role" not in value else None


def _kind(name: str) -> str:
    """Return the kind of a message by the name of its class or its type."""
    short = name.removesuffix("Chunk").removesuffix("Message")
    return short.lower() if short != name else name


def is_dumped(value: Any) -> bool:
    """Return whether a value is a message that LangChain dumped, whichever way."""
    return _unwrap(value) is not None


def message_turns(item: Any, place: str, notes: Notes) -> list[Turn]:
    """Return the turn of a dumped message; none where it is none, or holds nothing that was said."""
    unwrapped = _unwrap(item)
    if unwrapped is None:
        notes.add("this is no message that LangChain dumped; it was left out", place)
        return []
    kind, fields = unwrapped
    if kind == "remove":
        notes.add("an order to remove a message was left out", place)
        return []
    more = fields_of(fields.get("additional_kwargs"))
    turn = Turn(place, _role(kind, fields, more, place, notes), id=fields.get("id"))
    name = words(fields.get("name")) or None
    if turn.role == "tool":
        turn.tool_name, turn.call_id = name, text_id(fields.get("tool_call_id"))
    else:
        turn.speaker = name
    _add_calls(turn, fields, more, notes)
    thought = _add_content(turn, fields.get("content"), notes)
    return [] if thought and turn.is_empty else [turn]


def _role(kind: str, fields: dict[str, Any], more: dict[str, Any], place: str, notes: Notes) -> str:
    if kind in {"chat", "generic"}:
        return role_of(fields.get("role"), _ROLES, place, notes)
    if kind == "system" and more.get("__openai_role__") == "developer":
        return "developer"
    return _ROLES[kind]


def _add_calls(turn: Turn, fields: dict[str, Any], more: dict[str, Any], notes: Notes) -> None:
    for call in items_of(fields.get("tool_calls")):
        if isinstance(call, dict):
            turn.call(call.get("name"), call.get("args", {}), call.get("id"))
        else:
            notes.add("a tool call is no object; it was left out", turn.place)
    for call in items_of(fields.get("invalid_tool_calls")):
        if isinstance(call, dict):
            notes.add("a tool call whose arguments are not valid is kept as written", turn.place)
            turn.call(call.get("name"), call.get("args", ""), call.get("id"))
    if turn.calls:
        return
    older = [call for call in items_of(more.get("tool_calls")) if isinstance(call, dict)]
    if isinstance(more.get("function_call"), dict):
        older.append({"function": more["function_call"]})
    for call in older:
        function = fields_of(call.get("function"))
        turn.call(function.get("name"), function.get("arguments", ""), call.get("id"))


def _add_content(turn: Turn, content: Any, notes: Notes) -> bool:
    """Add the text and the calls that stand in the content alone; return whether it held thinking."""
    if content is None:
        return False
    known = {call["id"] for call in turn.calls}
    thought = False
    for part in content if isinstance(content, list) else [content]:
        kind = words(part.get("type")) if isinstance(part, dict) else ""
        if kind in {"thinking", "redacted_thinking", "reasoning"}:
            notes.add(f"thinking was left out: {NOT_SAID}", turn.place)
            thought = True
        elif kind in _CALL_BLOCKS:
            call_id = text_id(part.get("call_id")) or text_id(part.get("id"))
            if call_id is None or call_id not in known:
                arguments = next((part[k] for k in ("args", "input", "arguments") if k in part), "")
                turn.call(part.get("name"), arguments, call_id)
        elif kind not in {"input_json_delta", "invalid_tool_call"}:
            turn.texts.append(part_text(part, turn.place, notes))
    return thought
