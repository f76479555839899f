"""The message form: what a message dict may hold, and what becomes of it.

``content`` is the given string untouched or, where it is null or a list of parts, the text rendered
from them (parts in order, ``name(arguments)`` for a tool call). Tool calls beside a string are
appended to it on a line of their own, so that offsets into the string stay true.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from memguard.errors import TranscriptError
from memguard.text import well_formed

KNOWN_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_MILLISECONDS_FROM = 1e11
"""Epoch numbers from here on are milliseconds: as seconds they would lie after the year 5000."""
_PART_DEPTH = 8
_UNSAID = ("reasoning", "thinking", "redacted_thinking", "step-start")
"""Types of parts that nobody said."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A function that the assistant called; ``arguments`` is the text as given."""

    name: str
    arguments: str
    id: str | None = None

    def render(self) -> str:
        """Return ``name(arguments)``."""
        return f"{self.name}({self.arguments})"


class Notes:
    """Collects warnings; of one kind the first ones are told and the others counted."""

    TOLD = 3

    def __init__(self, texts: Sequence[str] = ()) -> None:
        self._texts = list(texts)
        self._counts: Counter[str] = Counter()

    def add(self, text: str, place: str = "", kind: str | None = None) -> None:
        """Add a warning about the message at ``place``; ``kind`` where the text varies within one."""
        key = kind or text
        self._counts[key] += 1
        if self._counts[key] <= self.TOLD:
            self._texts.append(f"{place}: {text}" if place else text)

    def texts(self) -> tuple[str, ...]:
        """Return the warnings in order, the counts last."""
        more = [
            f"the same of {count - self.TOLD} more messages: {kind}"
            for kind, count in self._counts.items()
            if count > self.TOLD
        ]
        return (*self._texts, *more)


def listed(messages: Any) -> Iterable[Any]:
    """Return messages if they can be gone through one by one.

    Raises:
        TranscriptError: They are a string, one object, or nothing of the kind.
    """
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Iterable):
        raise TranscriptError(
            f"messages must be a list of objects with role and content; got {_kind(messages)}"
        )
    return messages


def read_fields(
    raw: Mapping[str, Any], index: int, place: str, taken: dict[str, int], notes: Notes
) -> dict[str, Any]:
    """Return the fields of one message dict, validated and in their one form.

    Args:
        raw: The dict; never changed.
        index: Its zero-based position in the input.
        place: What to call it in errors and warnings.
        taken: Ids of the messages before it; its own is added.
        notes: Takes the warnings.

    Raises:
        TranscriptError: It is not an object, or a field has a form that cannot be read.
    """
    if not isinstance(raw, Mapping):
        raise TranscriptError(f"{place} must be an object with role and content; got {_kind(raw)}")
    calls = raw.get("tool_calls")
    if calls is None and isinstance(raw.get("function_call"), Mapping):
        calls = [{"function": raw["function_call"]}]  # the older form of one call
    tool_calls = _read_tool_calls(calls, place)
    return {
        "id": _unique_id(raw.get("id"), index, place, taken, notes),
        "role": _read_role(raw.get("role"), place, notes),
        "content": _read_content(raw, tool_calls, place, notes),
        "index": index,
        "speaker": _optional_text(_first(raw, "speaker", "name"), "speaker", place),
        "timestamp": _read_timestamp(_first(raw, "timestamp", "ts"), place, notes),
        "tool_calls": tool_calls,
        "tool_call_id": _optional_text(raw.get("tool_call_id"), "tool_call_id", place),
        "tool_name": _optional_text(_tool_name(raw), "tool_name", place),
    }


def _tool_name(raw: Mapping[str, Any]) -> Any:
    """Return the tool of a result; in the older form it is the name of a message of the role function."""
    if raw.get("tool_name") is None and raw.get("role") in ("function", "tool"):
        return raw.get("name")
    return raw.get("tool_name")


def _first(raw: Mapping[str, Any], *names: str) -> Any:
    """Return the first of these fields that is not null: an alias counts where the name is empty."""
    return next((raw[name] for name in names if raw.get(name) is not None), None)


def _unique_id(raw: Any, index: int, place: str, taken: dict[str, int], notes: Notes) -> str:
    if raw is None or (isinstance(raw, str) and not raw.strip()):
        wanted = str(index)
    elif isinstance(raw, str | int) and not isinstance(raw, bool):
        wanted = well_formed(_plain(raw))
    else:
        raise TranscriptError(f"{place}: id must be a string or an integer; got {_kind(raw)}")
    unique = wanted
    while unique in taken:
        # Counting from the last copy keeps ten thousand equal ids linear.
        taken[wanted] += 1
        unique = f"{wanted}#{taken[wanted]}"
    if unique != wanted:
        notes.add(
            f"the id {wanted!r} occurs before; this message is {unique!r}", place, "an id that occurs before"
        )
    taken[unique] = 1
    return unique


def _read_role(raw: Any, place: str, notes: Notes) -> str:
    if raw is None or raw == "":
        return "user"
    if not isinstance(raw, str):
        raise TranscriptError(f"{place}: role must be a string; got {_kind(raw)}")
    role = well_formed(raw).strip()
    if not role:
        return "user"
    if role.lower() in KNOWN_ROLES:
        return role.lower()
    kind = "a role that we do not know"
    notes.add(f"the role {role!r} is not one that we know; it is kept as given", place, kind)
    return role


def _optional_text(raw: Any, field: str, place: str) -> str | None:
    if raw is None or raw == "":
        return None
    if isinstance(raw, str | int | float) and not isinstance(raw, bool):
        return " ".join(well_formed(_plain(raw)).split()) or None
    raise TranscriptError(f"{place}: {field} must be a string; got {_kind(raw)}")


def _read_tool_calls(raw: Any, place: str) -> tuple[ToolCall, ...]:
    if raw is None:
        return ()
    if not isinstance(raw, list | tuple):
        raise TranscriptError(f"{place}: tool_calls must be a list; got {_kind(raw)}")
    calls = []
    for item in raw:
        if not isinstance(item, Mapping):
            raise TranscriptError(f"{place}: a tool call must be an object; got {_kind(item)}")
        inner = (item.get("function"), item.get("custom"))  # custom: a call with free text as its input
        source = next((one for one in inner if isinstance(one, Mapping)), item)
        arguments = source.get("arguments", source.get("input", ""))
        call_id = item.get("id")
        calls.append(
            ToolCall(
                name=well_formed(str(source.get("name") or item.get("type") or "tool")),
                arguments=_as_text(arguments),
                id=None if call_id is None else well_formed(str(call_id)),
            )
        )
    return tuple(calls)


def _read_content(raw: Mapping[str, Any], tool_calls: Sequence[ToolCall], place: str, notes: Notes) -> str:
    value = raw.get("content")
    if not value and isinstance(raw.get("parts"), list | tuple):
        value = raw["parts"]  # the form of messages of user interfaces, whose content is empty or missing
    if isinstance(value, str):
        text = well_formed(value)
        if text != value:
            notes.add("half of a character (a lone surrogate) became U+FFFD", place)
    elif value is None:
        text = ""
    elif isinstance(value, list | tuple):
        text = "\n".join(p for p in (_render_part(part, place, notes) for part in value) if p)
    else:
        raise TranscriptError(
            f"{place}: content must be a string, a list of parts, or null; got {_kind(value)}"
        )
    said = "\n".join(piece for piece in (text, *_said_elsewhere(raw)) if piece)
    text = said or text
    calls = "\n".join(call.render() for call in tool_calls)
    if not text and not calls and not isinstance(value, str):
        notes.add("no content; the message is kept empty", place)
    return "\n".join(piece for piece in (text, calls) if piece)


def _said_elsewhere(raw: Mapping[str, Any]) -> list[str]:
    """Return what an OpenAI message says beside its content: a refusal, and the words of its audio."""
    audio = raw.get("audio")
    found = (raw.get("refusal"), audio.get("transcript") if isinstance(audio, Mapping) else None)
    return [well_formed(text) for text in found if isinstance(text, str)]


def _render_part(part: Any, place: str, notes: Notes, depth: int = 0) -> str:
    if isinstance(part, str):
        return well_formed(part)
    if not isinstance(part, Mapping):
        raise TranscriptError(f"{place}: a content part must be a string or an object; got {_kind(part)}")
    if isinstance(part.get("type"), str) and part["type"] in _UNSAID:
        if part["type"] != "step-start":
            notes.add("thinking was left out: it is no part of what was said", place)
        return ""
    for key in ("text", "content", "refusal", "transcript"):
        value = part.get(key)
        if isinstance(value, Mapping):
            value = value.get("value")
        if isinstance(value, str):
            return well_formed(value)
        if isinstance(value, list | tuple) and depth < _PART_DEPTH:
            return "\n".join(p for p in (_render_part(item, place, notes, depth + 1) for item in value) if p)
    kind = well_formed(str(part.get("type") or "part"))[:40]
    if kind in {"tool_use", "function_call"}:
        return _read_tool_calls([part], place)[0].render()
    label = next((word for word in ("image", "audio", "video") if word in kind), kind)
    file = part.get("file")
    if isinstance(file, Mapping) and isinstance(file.get("filename"), str):
        label = " ".join(f"file: {well_formed(file['filename'])}"[:200].split())
    notes.add(f"a part of type {kind!r} holds no text; it reads [{label}]", place)
    return f"[{label}]"


def _read_timestamp(raw: Any, place: str, notes: Notes) -> datetime | None:
    if raw is None or raw == "":
        return None
    try:
        if isinstance(raw, datetime):
            moment = raw
        elif isinstance(raw, int | float) and not isinstance(raw, bool):
            seconds = raw / 1000 if abs(raw) >= _MILLISECONDS_FROM else raw
            moment = datetime.fromtimestamp(seconds, tz=UTC)
        elif isinstance(raw, str):
            moment = datetime.fromisoformat(raw.strip())
        else:
            raise ValueError(_kind(raw))
    except (ValueError, OverflowError, OSError):
        notes.add(
            f"the timestamp {_plain(raw)[:40]!r} cannot be read (ISO 8601 or epoch seconds are); the "
            "message has none",
            place,
            "a timestamp that cannot be read",
        )
        return None
    if moment.tzinfo is None:
        notes.add("the timestamp has no zone; UTC is assumed", place)
        moment = moment.replace(tzinfo=UTC)
    return moment


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return well_formed(value)
    try:
        return well_formed(json.dumps(value, ensure_ascii=False, default=str))
    except (TypeError, ValueError, RecursionError):  # keys of no JSON, nested too deeply, or in a circle
        return "[unreadable]"


def _plain(value: Any) -> str:
    try:
        return str(value)
    except ValueError:  # an integer of more digits than Python turns into text
        return hex(value)


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "a boolean", type(None): "null"}
    for kind, name in names.items():
        if isinstance(value, kind):
            return name
    return "a number" if isinstance(value, int | float) else type(value).__name__
