"""Anthropic messages: content blocks, with a tool's result inside a message of the user.

Read are a list of messages, a request (``system`` beside ``messages``), a response (one message with
``stop_reason``), a log of both (``request`` and ``response``), and JSONL of messages. A block of a
tool's result becomes a message of the tool, so that its words are never the user's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memguard.errors import TranscriptError
from memguard.message_form import Notes
from memguard.transcripts.apis.parts import label
from memguard.transcripts.apis.turns import NOT_SAID, Told, Turn, finish, first_objects, lines, role_of
from memguard.transcripts.document import MISSING, Document, Reading
from memguard.transcripts.values import fields_of, items_of, rendered, text_id, words

CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
THINKING = frozenset({"thinking", "redacted_thinking"})
_TEXT_DEPTH = 6


def is_result(kind: str) -> bool:
    """Return whether a block of this type is what a tool gave back."""
    return kind.endswith("tool_result")


def is_own_block(block: Any) -> bool:
    """Return whether a content block is of a type that only Anthropic's interface has."""
    if not isinstance(block, dict):
        return False
    kind = words(block.get("type"))
    if kind in THINKING:
        return True
    if kind in CALLS:
        return "name" in block
    if is_result(kind):
        return "tool_use_id" in block
    return kind in {"image", "document"} and isinstance(block.get("source"), dict)


def block_turns(content: Any, turn: Turn, notes: Notes) -> list[Turn]:
    """Return the turns of one message: ``turn`` filled, cut where a tool's result stands between.

    Args:
        content: A string, a list of blocks, or null; another type is noted.
        turn: Place, role, id and time of the message; a second turn of it gets the id ``id.2``.
        notes: Takes what was left out.
    """
    if isinstance(content, str):
        turn.texts.append(content)
        return [turn]
    if content is not None and not isinstance(content, list):
        notes.add("the content is neither text nor a list of blocks; it was left out", turn.place)
    cut: list[Turn] = []
    open_turn: Turn | None = None
    only_thought = False
    last: Any = None
    for block in items_of(content):
        kind = words(block.get("type")) if isinstance(block, dict) else ""
        if kind in THINKING:
            notes.add(f"thinking was left out: {NOT_SAID}", turn.place)
            only_thought = True
        elif is_result(kind):
            cut.append(_result(block, turn, notes))
            open_turn = None
        else:
            if open_turn is None:
                open_turn = _like(turn)
                cut.append(open_turn)
            _fill(open_turn, block, last, notes)
        last = block
    if not cut and not only_thought:
        cut.append(turn)
    return list(_with_ids(cut, turn.id))


def _like(turn: Turn) -> Turn:
    return Turn(turn.place, turn.role, speaker=turn.speaker, timestamp=turn.timestamp)


def _with_ids(cut: list[Turn], message_id: Any) -> Iterator[Turn]:
    name = text_id(message_id)
    for number, turn in enumerate(cut, start=1):
        turn.id = message_id if number == 1 else name and f"{name}.{number}"
        yield turn


def _fill(turn: Turn, block: Any, last: Any, notes: Notes) -> None:
    if isinstance(block, dict) and words(block.get("type")) in CALLS:
        turn.call(block.get("name"), block.get("input"), block.get("id"))
    else:
        continues = turn.role == "assistant" and _continues(fields_of(last), fields_of(block))
        turn.say(block_text(block, turn.place, notes), continues=continues)


def _continues(last: dict[str, Any], block: dict[str, Any]) -> bool:
    """Return whether a block goes on in the sentence of the one before, as it does around a citation."""
    before, text = words(last.get("text")), words(block.get("text"))
    if not before or not text:
        return False
    cited = items_of(last.get("citations")) or items_of(block.get("citations"))
    return bool(cited) or before[-1].isspace() or text[0].isspace()


def _result(block: dict[str, Any], turn: Turn, notes: Notes) -> Turn:
    return Turn(
        turn.place,
        "tool",
        texts=[block_text(block.get("content"), turn.place, notes)],
        timestamp=turn.timestamp,
        call_id=text_id(block.get("tool_use_id")),
    )


def block_text(block: Any, place: str, notes: Notes, depth: int = 0) -> str:
    """Return the text of a block, of a list of blocks, or of what a tool gave back; media as a label."""
    if isinstance(block, str) or block is None:
        return block or ""
    if isinstance(block, list) and depth < _TEXT_DEPTH:
        pieces = (block_text(inner, place, notes, depth + 1) for inner in block)
        return "\n".join(piece for piece in pieces if piece)
    if not isinstance(block, dict):
        return rendered(block)
    kind = words(block.get("type"))
    if kind in THINKING:
        notes.add(f"thinking was left out: {NOT_SAID}", place)
        return ""
    source = fields_of(block.get("source"))
    if source.get("type") == "text" and isinstance(source.get("data"), str):
        return words(source["data"])
    for value in (block.get("text"), block.get("content"), source.get("content")):
        if isinstance(value, str | list) and value and depth < _TEXT_DEPTH:
            return block_text(value, place, notes, depth + 1)
    if "stdout" in block or "stderr" in block:
        return "\n".join(piece for piece in (words(block.get("stdout")), words(block.get("stderr"))) if piece)
    if kind == "text":
        return ""
    if "title" in block and "url" in block:
        return " ".join(piece for piece in (words(block["title"]), words(block["url"])) if piece)
    if isinstance(block.get("error_code"), str):
        return f"error: {block['error_code']}"
    return label(kind, place, notes, block.get("title"))


class Anthropic:
    """Messages as Anthropic's interface takes and gives them."""

    name = "anthropic"

    def recognises(self, document: Document) -> float:
        """Return 0.9 where a block or the frame is Anthropic's own.

        Messages of text alone look as OpenAI's do and are left to that reader, which gives the same.
        """
        objects = first_objects(document)
        value = document.value
        if isinstance(value, dict):
            request = _request(value)
            if request is not None and "system" in request and _messages(request.get("messages")):
                return 0.9
            if _is_response(value) or _is_response(value.get("response")):
                return 0.9
            objects = [m for m in items_of((request or {}).get("messages"))[:200] if isinstance(m, dict)]
        plain = [m for m in objects if "role" in m and "content" in m]
        if 2 * len(plain) < len(objects) or any(m.get("tool_calls") or "type" in m for m in plain):
            return 0.9 if objects and all(map(_is_response, objects)) else 0.0
        own = any(is_own_block(block) for m in plain for block in items_of(m["content"]))
        return 0.9 if own else 0.0

    def read(self, document: Document) -> Reading:
        """Read the messages, those of a request before its response."""
        notes = Notes()
        told = Told()
        value = document.value
        turns: list[Turn] = []
        if value is MISSING:
            records, told.skipped_lines = lines(document, notes)
            for record in records:
                turns += message_turns(record.value, f"line {record.line}", notes)
        elif isinstance(value, list):
            for index, message in enumerate(value):
                turns += message_turns(message, f"message {index}", notes)
        elif isinstance(value, dict):
            told.title = words(value.get("title")) or None
            turns = _framed(value, notes)
        else:
            raise TranscriptError("no messages of Anthropic's interface", source=document.source)
        return finish(self.name, document, turns, notes, told)


def _framed(value: dict[str, Any], notes: Notes) -> list[Turn]:
    turns: list[Turn] = []
    request = _request(value)
    if request is not None:
        if request.get("system"):
            turns.append(Turn("system", "system", [block_text(request["system"], "system", notes)]))
        for index, message in enumerate(items_of(request.get("messages"))):
            turns += message_turns(message, f"messages[{index}]", notes)
    response = value if _is_response(value) else value.get("response")
    if response is not None:
        turns += message_turns(response, "response", notes)
    return turns


def message_turns(message: Any, place: str, notes: Notes) -> list[Turn]:
    """Return the turns of one message; what is no message is noted and left out."""
    if not isinstance(message, dict):
        notes.add("this is no message, which is an object with role and content; it was left out", place)
        return []
    role = role_of(message.get("role"), {}, place, notes)
    time = message.get("timestamp", message.get("created_at"))
    turn = Turn(place, role, id=message.get("id"), timestamp=time)
    return block_turns(message.get("content"), turn, notes)


def _request(value: dict[str, Any]) -> dict[str, Any] | None:
    inner = value.get("request")
    request = inner if isinstance(inner, dict) else value
    return request if isinstance(request.get("messages"), list) else None


def _messages(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(m, dict) and "role" in m for m in value)


def _is_response(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.get("type") == "message"
        and "stop_reason" in value
        and isinstance(value.get("content"), list)
    )
