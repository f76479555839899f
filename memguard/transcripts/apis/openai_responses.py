"""OpenAI Responses: items instead of messages, a call and its result each an item of its own.

Read are a list of items (the input of a request, a conversation's items), a response, several
responses, a request with its response, and JSONL of any of these.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from memguard.message_form import Notes
from memguard.transcripts.apis.parts import label, part_text
from memguard.transcripts.apis.turns import NOT_SAID, Told, Turn, finish, first_objects, lines, role_of
from memguard.transcripts.document import MISSING, Document, Reading
from memguard.transcripts.values import fields_of, items_of, text_id, words

_OWN_PARTS = frozenset({"input_text", "output_text", "input_image", "input_file", "summary_text"})
_OWN_ITEMS = frozenset(
    {
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "image_generation_call",
        "computer_call",
        "computer_call_output",
        "local_shell_call",
        "local_shell_call_output",
        "shell_call",
        "shell_call_output",
        "apply_patch_call",
        "apply_patch_call_output",
        "mcp_call",
        "mcp_list_tools",
        "mcp_approval_request",
        "mcp_approval_response",
        "item_reference",
    }
)
_NO_TURN = {
    "reasoning": f"reasoning was left out: {NOT_SAID}",
    "item_reference": "this refers to an item that the file does not hold",
    "mcp_list_tools": f"a list of tools was left out: {NOT_SAID}",
    "compaction": f"a compaction was left out: {NOT_SAID}",
    "compaction_summary": f"a compaction was left out: {NOT_SAID}",
    "context_compaction": f"a compaction was left out: {NOT_SAID}",
    "ghost_snapshot": f"a snapshot of the program was left out: {NOT_SAID}",
}
_ARGUMENTS = (
    "arguments",
    "input",
    "action",
    "actions",
    "operation",
    "code",
    "queries",
    "query",
    "revised_prompt",
)
_RESULTS = ("output", "outputs", "results", "result", "tools", "error")


def is_item(value: Any) -> bool:
    """Return whether a value has the shape of an item, be it one of chat messages too."""
    return isinstance(value, dict) and (is_own_item(value) or ("role" in value and "content" in value))


def is_own_item(value: Any) -> bool:
    """Return whether a value is an item that only the Responses interface has."""
    if not isinstance(value, dict):
        return False
    kind = words(value.get("type"))
    if kind in _OWN_ITEMS:
        return True
    if kind == "function_call":
        return "call_id" in value
    if kind == "reasoning":
        return "summary" in value or "encrypted_content" in value
    if kind not in {"", "message"}:
        return False
    parts = (part for part in items_of(value.get("content")) if isinstance(part, dict))
    return any(words(part.get("type")) in _OWN_PARTS for part in parts)


def item_turns(item: Any, place: str, notes: Notes, timestamp: Any = None) -> list[Turn]:
    """Return the turns of one item: none, one, or a call with the result that the item itself holds."""
    if not isinstance(item, dict):
        notes.add("this is no item, which is an object with a type or a role; it was left out", place)
        return []
    kind = words(item.get("type"))
    if kind in _NO_TURN:
        notes.add(_NO_TURN[kind], place)
        return []
    turn = Turn(place, "assistant", id=item.get("id"), timestamp=timestamp)
    if kind in {"", "message"} and not {"role", "content"}.isdisjoint(item):
        turn.role = role_of(item.get("role"), {}, place, notes)
        turn.texts.append(part_text(item.get("content"), place, notes))
        return [turn]
    call_id = text_id(item.get("call_id")) or text_id(item.get("id"))
    if kind.endswith("_output"):
        turn.role, turn.call_id, turn.tool_name = "tool", call_id, words(item.get("name")) or None
        turn.texts.append(part_text(item.get("output", item.get("tools")), place, notes))
        return [turn]
    if kind.endswith("_call"):
        return list(_call(item, kind, turn, call_id, notes))
    if kind == "mcp_approval_request":
        turn.call(item.get("name"), item.get("arguments", ""), call_id)
        return [turn]
    notes.add(
        f"an item of type {kind[:40]!r} is not one that we know; it was left out", place, "unknown items"
    )
    return []


def _call(item: dict[str, Any], kind: str, turn: Turn, call_id: str | None, notes: Notes) -> Iterator[Turn]:
    given = {key: item[key] for key in _ARGUMENTS if item.get(key) is not None}
    # One field is what the tool was given; several are told with their names.
    arguments = next(iter(given.values())) if len(given) == 1 else given
    own = kind in {"function_call", "custom_tool_call", "mcp_call"}
    turn.call(item.get("name") if own else kind.removesuffix("_call"), arguments or "", call_id)
    yield turn
    results = [
        part_text(item[key], turn.place, notes) for key in _RESULTS if item.get(key) not in (None, "", [])
    ]
    if kind == "image_generation_call" and results:
        results = [label("image", turn.place, notes)]  # the result is the picture itself, in base64
    if results:
        yield Turn(turn.place, "tool", results, timestamp=turn.timestamp, call_id=call_id)


class OpenAIResponses:
    """Items as OpenAI's Responses interface takes and gives them."""

    name = "openai_responses"

    def recognises(self, document: Document) -> float:
        """Return 0.95 for a response, 0.9 for items of which one is no chat message."""
        objects = first_objects(document)
        if objects and all(map(_is_response, objects)):
            return 0.95
        if isinstance(document.value, dict):
            objects = [i for i, _ in _framed_items(document.value)[:200] if isinstance(i, dict)]
        n_items = sum(map(is_item, objects))
        return 0.9 if 2 * n_items > len(objects) and any(map(is_own_item, objects)) else 0.0

    def read(self, document: Document) -> Reading:
        """Read the items in their order, those of a response after its instructions and input."""
        notes = Notes()
        told = Told()
        value = document.value
        if value is MISSING:
            records, told.skipped_lines = lines(document, notes)
            placed = [(f"line {record.line}", record.value) for record in records]
        elif isinstance(value, list):
            placed = [(f"item {index}", item) for index, item in enumerate(value)]
        else:
            placed = [("", value)]
        turns: list[Turn] = []
        history = _History()
        for place, item in placed:
            if _is_frame(item):
                turns += _frame_turns(item, place, history, notes, told)
            else:
                turns += item_turns(item, place or "the whole file", notes)
        return finish(self.name, document, turns, notes, told)


def _is_response(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("output"), list)
        and (value.get("object") == "response" or words(value.get("id")).startswith("resp_"))
    )


def _is_frame(value: Any) -> bool:
    return isinstance(value, dict) and "type" not in value and "role" not in value


@dataclass(slots=True)
class _History:
    """What the frames before held: a client that keeps no state sends all of it again."""

    items: list[Any] = field(default_factory=list)
    instructions: set[str] = field(default_factory=set)


def _framed_items(frame: dict[str, Any]) -> list[tuple[Any, bool]]:
    """Return the items of a request, a response, a log of both, or a page of items, in their order.

    Each with whether it is output: the time of a response is theirs alone, input may be older.
    """
    found: list[tuple[Any, bool]] = []
    for source in (fields_of(frame.get("request")), frame, fields_of(frame.get("response"))):
        given = source.get("input")
        asked = [{"role": "user", "content": given}] if isinstance(given, str) else items_of(given)
        found += [(item, False) for item in asked]
        found += [(item, True) for item in items_of(source.get("output"))]
    for key in ("data", "items"):
        found += [(item, False) for item in items_of(frame.get(key))]
    return found


def _frame_turns(
    frame: dict[str, Any], place: str, history: _History, notes: Notes, told: Told
) -> Iterator[Turn]:
    inner = fields_of(frame.get("response"))
    time = frame.get("created_at", inner.get("created_at"))
    for source in (fields_of(frame.get("request")), frame, inner):
        order = words(source.get("instructions"))
        if order and order not in history.instructions:
            history.instructions.add(order)
            yield Turn(_within(place, "instructions"), "system", [order])
        if words(source.get("status")) in {"incomplete", "failed", "cancelled"}:
            notes.add(f"the response is {source['status']}", place)
    found = _framed_items(frame)
    n_before = len(history.items)
    start = n_before if n_before and [item for item, _ in found[:n_before]] == history.items else 0
    if start:
        told.duplicates += start
        notes.add(f"items that came before and are read once: {start}", place)
    for index, (item, is_output) in enumerate(found[start:], start=start):
        yield from item_turns(item, _within(place, f"item {index}"), notes, time if is_output else None)
    history.items += [item for item, _ in found[start:]]


def _within(place: str, inner: str) -> str:
    return f"{place}, {inner}" if place else inner
