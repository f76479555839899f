"""The message form: what every reader produces and every stage reads.

A conversation is immutable evidence. ``Message.content`` is the text that offsets point into:
the given string untouched or, where the content is null or a list of parts, the text rendered
from them (parts in order, ``name(arguments)`` for a tool call). Tool calls beside a string are
appended to it on a line of their own, so that offsets into the string stay true.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from memguard.errors import TranscriptError

KNOWN_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_MILLISECONDS_FROM = 1e11
"""Epoch numbers from here on are milliseconds: as seconds they would lie after the year 5000."""
_PART_DEPTH = 8
_SURROGATE = re.compile("[\ud800-\udfff]")
_INVISIBLE = re.compile("[\\s\u00ad\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff]+")


@dataclass(frozen=True, slots=True, order=True)
class SourceSpan:
    """Half-open code-point offsets into the content of one message; the only way to point at text."""

    message_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A function that the assistant called; ``arguments`` is the text as given."""

    name: str
    arguments: str
    id: str | None = None

    def render(self) -> str:
        """Return ``name(arguments)``."""
        return f"{self.name}({self.arguments})"


@dataclass(frozen=True, slots=True)
class Message:
    """One turn.

    Attributes:
        id: Unique in its conversation.
        role: ``user``, ``assistant``, ``tool``, ``system`` or any other word as given.
        content: The text that offsets point into; may be empty.
        index: Zero-based position in the input, whatever the order of the conversation.
        speaker: Name of who speaks, if given.
        timestamp: Aware time, if given.
        tool_calls: What the message called.
        tool_call_id: Which call a tool message answers.
        origin: Where the message came from (``line 12``), if a reader knows.
    """

    id: str
    role: str
    content: str
    index: int
    speaker: str | None = None
    timestamp: datetime | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    origin: str | None = None

    @property
    def speaker_name(self) -> str:
        """The speaker's name where given, else the capitalised role (A12)."""
        return self.speaker or self.role[:1].upper() + self.role[1:]

    @property
    def line(self) -> str:
        """The message as one role-prefixed line, ``Name: content``."""
        return f"{self.speaker_name}: {self.content}"

    @property
    def is_blank(self) -> bool:
        """Whether nothing visible is in the content."""
        return is_blank(self.content)


@dataclass(frozen=True, slots=True)
class Conversation:
    """Messages in conversation order, with what had to be said about reading them.

    Attributes:
        messages: In conversation order.
        order: The rule that ordered them, ``timestamp`` or ``given``.
        warnings: What could not be read as given, each with its place.
        title: A name for people, if the source has one.
    """

    messages: tuple[Message, ...]
    order: str = "given"
    warnings: tuple[str, ...] = ()
    title: str | None = None
    _by_id: dict[str, Message] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Index the messages by id."""
        self._by_id.update((m.id, m) for m in self.messages)

    def __len__(self) -> int:
        """Return the number of messages."""
        return len(self.messages)

    def __iter__(self) -> Iterator[Message]:
        """Iterate over the messages in conversation order."""
        return iter(self.messages)

    def message(self, message_id: str) -> Message:
        """Return the message with this id.

        Raises:
            KeyError: No message has it.
        """
        return self._by_id[message_id]

    def text(self, span: SourceSpan) -> str:
        """Return the text that ``span`` points at."""
        return self.message(span.message_id).content[span.start : span.end]

    def digest(self) -> str:
        """Return the SHA-256 of everything that a stage can read, as hexadecimal."""
        rows = [
            [
                m.id,
                m.role,
                m.speaker,
                m.timestamp.isoformat() if m.timestamp else None,
                m.content,
                m.tool_call_id,
            ]
            for m in self.messages
        ]
        encoded = json.dumps(rows, ensure_ascii=False, separators=(",", ":")).encode()
        return hashlib.sha256(encoded).hexdigest()

    @classmethod
    def from_messages(
        cls,
        messages: Iterable[Mapping[str, Any]],
        *,
        title: str | None = None,
        origins: Sequence[str] | None = None,
        warnings: Sequence[str] = (),
    ) -> Conversation:
        """Validate message dicts and put them in order; the dicts are not changed.

        Ordered by timestamp when every message has one (stable), else as given. A missing id
        becomes the zero-based input index as text; a repeated id becomes ``id#2``.

        Args:
            messages: Dicts with ``content`` (a string, a list of parts, or null) and optionally
                ``id``, ``role``, ``speaker`` or ``name``, ``timestamp`` or ``ts``, ``tool_calls``,
                ``tool_call_id``.
            title: A name for people.
            origins: Where each message came from, one text a message.
            warnings: What a reader has to say already.

        Raises:
            TranscriptError: A message is not an object, or a field has a form that cannot be
                read; says which message.
        """
        notes = _Notes(warnings)
        read: list[Message] = []
        taken: dict[str, int] = {}
        for index, raw in enumerate(_listed(messages)):
            place = origins[index] if origins is not None else f"message {index}"
            read.append(_read_message(raw, index, place, taken, notes, origin=origins is not None))
        order = _put_in_order(read)
        n_timed = sum(m.timestamp is not None for m in read)
        if order == "given" and n_timed:
            notes.add(f"{n_timed} of {len(read)} messages have a timestamp; the given order is kept")
        name = None if title is None else well_formed(title)
        return cls(tuple(read), order=order, warnings=notes.texts(), title=name)

    def extended(self, messages: Iterable[Mapping[str, Any]]) -> Conversation:
        """Return a conversation with ``messages`` added; what is here keeps its ids and indexes."""
        start = max((m.index for m in self.messages), default=-1) + 1
        notes = _Notes(self.warnings)
        taken = {m.id: 1 for m in self.messages}
        added = [
            _read_message(raw, start + i, f"message {start + i}", taken, notes, origin=False)
            for i, raw in enumerate(_listed(messages))
        ]
        merged = [*self.messages, *added]
        order = _put_in_order(merged)
        if order == "given" and self.order == "timestamp" and added:
            notes.add(
                "the new messages have no timestamps: they were added at the end of messages "
                "ordered by timestamp"
            )
        return Conversation(tuple(merged), order=order, warnings=notes.texts(), title=self.title)


class _Notes:
    """Collects warnings; of one kind the first ones are told and the others counted."""

    TOLD = 3

    def __init__(self, texts: Sequence[str]) -> None:
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


def is_blank(text: str) -> bool:
    """Return whether ``text`` holds nothing but white space and zero-width characters."""
    return not _INVISIBLE.sub("", text)


def well_formed(text: str) -> str:
    """Replace lone surrogates, which no encoding can write, by U+FFFD (ING-009)."""
    return _SURROGATE.sub("\ufffd", text)


def _put_in_order(messages: list[Message]) -> str:
    """Sort by timestamp where every message has one, and return the rule that holds."""
    if not messages or any(m.timestamp is None for m in messages):
        return "given"
    messages.sort(key=lambda m: m.timestamp or datetime.min.replace(tzinfo=UTC))
    return "timestamp"


def _listed(messages: Any) -> Iterable[Any]:
    if isinstance(messages, str | bytes | Mapping) or not isinstance(messages, Iterable):
        raise TranscriptError(
            f"messages must be a list of objects with role and content; got {_kind(messages)}"
        )
    return messages


def _read_message(
    raw: Mapping[str, Any],
    index: int,
    place: str,
    taken: dict[str, int],
    notes: _Notes,
    *,
    origin: bool,
) -> Message:
    if not isinstance(raw, Mapping):
        raise TranscriptError(f"{place} must be an object with role and content; got {_kind(raw)}")
    calls = raw.get("tool_calls")
    if calls is None and isinstance(raw.get("function_call"), Mapping):
        calls = [{"function": raw["function_call"]}]  # the older form of one call
    tool_calls = _read_tool_calls(calls, place)
    return Message(
        id=_unique_id(raw.get("id"), index, place, taken, notes),
        role=_read_role(raw.get("role"), place, notes),
        content=_read_content(raw, tool_calls, place, notes),
        index=index,
        speaker=_optional_text(_first(raw, "speaker", "name"), "speaker", place),
        timestamp=_read_timestamp(_first(raw, "timestamp", "ts"), place, notes),
        tool_calls=tool_calls,
        tool_call_id=_optional_text(raw.get("tool_call_id"), "tool_call_id", place),
        origin=place if origin else None,
    )


def _first(raw: Mapping[str, Any], *names: str) -> Any:
    """Return the first of these fields that is not null: an alias counts where the name is empty."""
    return next((raw[name] for name in names if raw.get(name) is not None), None)


def _unique_id(raw: Any, index: int, place: str, taken: dict[str, int], notes: _Notes) -> str:
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


def _read_role(raw: Any, place: str, notes: _Notes) -> str:
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
        function = item.get("function")
        source = function if isinstance(function, Mapping) else item
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


def _read_content(raw: Mapping[str, Any], tool_calls: Sequence[ToolCall], place: str, notes: _Notes) -> str:
    value = raw.get("content")
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
    calls = "\n".join(call.render() for call in tool_calls)
    if not text and not calls and not isinstance(value, str):
        notes.add("no content; the message is kept empty", place)
    return "\n".join(piece for piece in (text, calls) if piece)


def _render_part(part: Any, place: str, notes: _Notes, depth: int = 0) -> str:
    if isinstance(part, str):
        return well_formed(part)
    if not isinstance(part, Mapping):
        raise TranscriptError(f"{place}: a content part must be a string or an object; got {_kind(part)}")
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
    label = "image" if "image" in kind else kind
    notes.add(f"a part of type {kind!r} holds no text; it reads [{label}]", place)
    return f"[{label}]"


def _read_timestamp(raw: Any, place: str, notes: _Notes) -> datetime | None:
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
