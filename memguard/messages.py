"""Messages and conversations: what every reader produces and every stage reads.

A conversation is immutable evidence, and ``Message.content`` is the text that offsets point into
(``message_form.py`` says how it comes about).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from memguard.message_form import Notes, ToolCall, listed, read_fields
from memguard.text import is_blank, well_formed


@dataclass(frozen=True, slots=True, order=True)
class SourceSpan:
    """Half-open code-point offsets into the content of one message; the only way to point at text."""

    message_id: str
    start: int
    end: int


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
        tool_name: Which tool a tool message comes from.
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
    tool_name: str | None = None
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
        grown: How many messages there were before each ``extended``: what the space placed then
            stays where it is (A31).
    """

    messages: tuple[Message, ...]
    order: str = "given"
    warnings: tuple[str, ...] = ()
    title: str | None = None
    grown: tuple[int, ...] = field(default=(), compare=False)
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
                *([m.tool_name] if m.tool_name else []),  # so that older digests stay as they were
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
        ordered: bool = False,
    ) -> Conversation:
        """Validate message dicts and put them in order; the dicts are not changed.

        Ordered by timestamp when every message has one (stable), else as given. A missing id
        becomes the zero-based input index as text; a repeated id becomes ``id#2``.

        Args:
            messages: Dicts with ``content`` (a string, a list of parts, or null) and optionally
                ``id``, ``role``, ``speaker`` or ``name``, ``timestamp`` or ``ts``, ``tool_calls``,
                ``tool_call_id``, ``tool_name``.
            title: A name for people.
            origins: Where each message came from, one text a message.
            warnings: What a reader has to say already.
            ordered: Whether the given order is known to be right, such as that of a branch: it is
                kept, whatever the timestamps.

        Raises:
            TranscriptError: A message is not an object, or a field has a form that cannot be
                read; says which message.
        """
        notes = Notes(warnings)
        read: list[Message] = []
        taken: dict[str, int] = {}
        for index, raw in enumerate(listed(messages)):
            place = origins[index] if origins is not None else f"message {index}"
            fields = read_fields(raw, index, place, taken, notes)
            read.append(Message(**fields, origin=None if origins is None else place))
        order = "given" if ordered else _put_in_order(read)
        n_timed = sum(m.timestamp is not None for m in read)
        if order == "given" and n_timed and not ordered:
            notes.add(f"{n_timed} of {len(read)} messages have a timestamp; the given order is kept")
        name = None if title is None else well_formed(title)
        return cls(tuple(read), order=order, warnings=notes.texts(), title=name)

    def extended(self, messages: Iterable[Mapping[str, Any]]) -> Conversation:
        """Return a conversation with ``messages`` added; what is here keeps its ids and indexes."""
        start = max((m.index for m in self.messages), default=-1) + 1
        notes = Notes(self.warnings)
        taken = {m.id: 1 for m in self.messages}
        added = [
            Message(**read_fields(raw, start + i, f"message {start + i}", taken, notes))
            for i, raw in enumerate(listed(messages))
        ]
        merged = [*self.messages, *added]
        keeps = self.order == "given" and bool(self.messages)
        order = "given" if keeps else _put_in_order(merged)
        if order == "given" and self.order == "timestamp" and added:
            notes.add(
                "the new messages have no timestamps: they were added at the end of messages "
                "ordered by timestamp"
            )
        grown = (*self.grown, len(self.messages)) if added else self.grown
        return Conversation(tuple(merged), order=order, warnings=notes.texts(), title=self.title, grown=grown)


def _put_in_order(messages: list[Message]) -> str:
    """Sort by timestamp where every message has one, and return the rule that holds."""
    if not messages or any(m.timestamp is None for m in messages):
        return "given"
    messages.sort(key=lambda m: m.timestamp or datetime.min.replace(tzinfo=UTC))
    return "timestamp"
