"""Messages of Vercel's AI SDK, as user interfaces built on it keep them: ``parts`` of many types.

A tool's part (``tool-NAME``, ``dynamic-tool``, in earlier versions ``tool-invocation``) holds call and
result in one; the result becomes a message of the tool. Read are a list of messages, an object with
``messages``, and JSONL; a content with ``parts`` inside (Mastra's form) too. Messages whose parts are
text alone look as other interfaces' do and are left to the reader of messages.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from memguard.errors import TranscriptError
from memguard.message_form import Notes
from memguard.transcripts.apis.parts import label, part_text
from memguard.transcripts.apis.turns import NOT_SAID, Told, Turn, finish, first_objects, lines, role_of
from memguard.transcripts.document import MISSING, Document, Reading
from memguard.transcripts.values import fields_of, objects_of, text_id, text_of, title_of, words

_OWN = frozenset({"step-start", "dynamic-tool", "tool-invocation", "source-url", "source-document"})
_TOOL = "tool-"
_NOT_TOLD = ("step-start", "source-url", "source-document", "source", "data-")
_TIMES = ("createdAt", "created_at", "timestamp")


class AiSdk:
    """Messages with parts of the AI SDK's own types."""

    name = "ai_sdk"

    def recognises(self, document: Document) -> float:
        """Return 0.9 where most messages have parts and one of these is of the SDK's own types."""
        objects = _messages(document.value) or first_objects(document)
        found = [value for value in objects[:200] if isinstance(value, dict)]
        with_parts = [value for value in found if "role" in value and _parts(value)]
        if 2 * len(with_parts) <= len(found):
            return 0.0
        return 0.9 if any(_is_own(part) for value in with_parts for part in _parts(value)) else 0.0

    def read(self, document: Document) -> Reading:
        """Read the messages in their order.

        Raises:
            TranscriptError: There are none.
        """
        notes, told = Notes(), Told()
        value = document.value
        if value is MISSING:
            records, told.skipped_lines = lines(document, notes)
            placed: list[tuple[str, Any]] = [(f"line {record.line}", record.value) for record in records]
        else:
            found = _messages(value)
            if found is None:
                raise TranscriptError("no list of messages with parts", source=document.source)
            told.title = title_of(fields_of(value).get("title"))
            placed = [(f"message {index}", item) for index, item in enumerate(found)]
        left: Counter[str] = Counter()
        turns: list[Turn] = []
        for place, message in placed:
            turns += _turns(message, place, notes, left)
        if left:
            kinds = ", ".join(f"{kind[:40]} {n}" for kind, n in sorted(left.items())[:8])
            notes.add(f"parts that nobody said and that were passed over: {kinds}")
        return finish(self.name, document, turns, notes, told)


def _messages(value: Any) -> list[Any] | None:
    found = value.get("messages") if isinstance(value, dict) else value
    return found if isinstance(found, list) else None


def _parts(message: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the parts that are objects, of the message or of its content."""
    return objects_of(message.get("parts")) or objects_of(fields_of(message.get("content")).get("parts"))


def _is_own(part: dict[str, Any]) -> bool:
    kind = words(part.get("type"))
    return kind in _OWN or (kind.startswith(_TOOL) and {"toolCallId", "state"} <= part.keys())


def _turns(message: Any, place: str, notes: Notes, left: Counter[str]) -> list[Turn]:
    if not isinstance(message, dict):
        notes.add("this is no message, which is an object with role and parts; it was left out", place)
        return []
    metadata = fields_of(message.get("metadata"))
    time = next((m[k] for m in (message, metadata) for k in _TIMES if m.get(k) is not None), None)
    role = role_of(message.get("role"), {}, place, notes)
    turns: list[Turn] = []
    only_thought = False
    for part in _parts(message):
        kind = words(part.get("type"))
        if kind == "reasoning":
            notes.add(f"thinking was left out: {NOT_SAID}", place)
            only_thought = True
        elif kind.startswith(_NOT_TOLD):
            left.update([kind] if kind != "step-start" else [])
        elif kind == "dynamic-tool" or kind.startswith(_TOOL):
            _add_tool(turns, part, Turn(place, role, timestamp=time), notes)
        else:
            _said(turns, Turn(place, role, timestamp=time)).texts.append(_text(part, kind, place, notes))
    content = message.get("content")
    if not _parts(message) and content:
        turns.append(Turn(place, role, [part_text(content, place, notes)], timestamp=time))
    if not turns and not only_thought:
        turns.append(Turn(place, role, timestamp=time))
    own = text_id(message.get("id"))
    for number, turn in enumerate(turns, start=1):
        turn.id = own if number == 1 else own and f"{own}.{number}"
    return turns


def _said(turns: list[Turn], new: Turn) -> Turn:
    """Return the turn to add words to: another one after a tool's call or result."""
    if not turns or turns[-1].role != new.role or turns[-1].calls:
        turns.append(new)
    return turns[-1]


def _text(part: dict[str, Any], kind: str, place: str, notes: Notes) -> str:
    if kind == "file":
        media = words(part.get("mediaType", part.get("mimeType"))).partition("/")[0]
        shown = media if media in {"image", "audio", "video"} else "file"
        return label(shown, place, notes, part.get("filename"))
    return part_text(part, place, notes)


def _add_tool(turns: list[Turn], part: dict[str, Any], new: Turn, notes: Notes) -> None:
    inner = fields_of(part.get("toolInvocation")) or part
    kind = words(part.get("type"))
    name = words(inner.get("toolName")) or ("" if kind == "tool-invocation" else kind.removeprefix(_TOOL))
    call_id = text_id(inner.get("toolCallId"))
    caller = turns[-1] if turns and turns[-1].role == new.role else new
    if caller is new:
        turns.append(new)
    caller.call(name, inner.get("input", inner.get("args", "")), call_id)
    result = next((inner[key] for key in ("output", "result") if inner.get(key) is not None), None)
    error = text_of(inner.get("errorText"))
    if result is None and error:
        result = f"error: {error}"
    if result is None:
        notes.add("a tool call has no result", new.place)
        return
    text = part_text(result, new.place, notes)
    turns.append(
        Turn(new.place, "tool", [text], timestamp=new.timestamp, call_id=call_id, tool_name=name or None)
    )
