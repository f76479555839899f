"""What the exports have in common that are one JSON list of conversations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from memguard.transcripts.document import ConversationHead, Document, Reading, choose
from memguard.transcripts.values import moment_of

_LOOKED_AT = 20
_LONGEST_TITLE = 300


class ListedExport(ABC):
    """A reader of an export whose file is a list of conversations, or one of them alone.

    The methods of one conversation are public, so that an export that is too large to be held in
    memory is gone through one conversation at a time (``streaming.py``).
    """

    name: str

    @abstractmethod
    def holds(self, value: Any) -> bool:
        """Return whether a JSON value is a conversation of this export."""

    @abstractmethod
    def head(self, value: dict[str, Any], position: int) -> ConversationHead:
        """Return what a list shows of a conversation; ``position`` counts from 1."""

    @abstractmethod
    def read_one(self, value: dict[str, Any], source: str | None, place: str) -> Reading:
        """Read one conversation; ``place`` begins the origin of each message.

        Raises:
            TranscriptError: It cannot be read; says where.
        """

    def recognises(self, document: Document) -> float:
        """Return 0.9 where one of the first values is a conversation of this export."""
        return 0.9 if any(self.holds(value) for value in _values(document)[:_LOOKED_AT]) else 0.0

    def conversations(self, document: Document) -> tuple[ConversationHead, ...]:
        """Return what the document holds, in its order."""
        return tuple(self.head(value, i) for i, value in enumerate(self._kept(document), start=1))

    def read(self, document: Document, conversation: str | None = None) -> Reading:
        """Read the conversation that is meant."""
        kept = self._kept(document)
        heads = self.conversations(document)
        index = choose(heads, conversation, document.source)
        place = f"{heads[index].place}, " if len(heads) > 1 else ""
        reading = self.read_one(kept[index], document.source, place)
        return with_left_out(replace(reading, n_conversations=len(kept)), self._others(document))

    def _kept(self, document: Document) -> list[dict[str, Any]]:
        return [value for value in _values(document) if self.holds(value)]

    def _others(self, document: Document) -> list[int]:
        return [i for i, value in enumerate(_values(document), start=1) if not self.holds(value)]


def with_left_out(reading: Reading, others: Sequence[int]) -> Reading:
    """Return a reading that says which items of the list (counted from 1) are no conversations."""
    if not others:
        return reading
    told = ", ".join(map(str, others[:3])) + (", …" if len(others) > 3 else "")
    warning = f"{len(others)} items of the list are no conversations of this export: item {told}"
    conversation = reading.conversation
    return replace(reading, conversation=replace(conversation, warnings=(warning, *conversation.warnings)))


def seconds(value: Any) -> float | None:
    """Return a time of an export in seconds since 1970; None if it is no time."""
    found = moment_of(value)
    return found.timestamp() if found is not None else None


def counted(rule: str, left_out: Counter[str]) -> str:
    """Return a rule that also says what was left out on purpose, by kind and in order of kind."""
    if not left_out:
        return rule
    kinds = ", ".join(f"{kind} ({n})" for kind, n in sorted(left_out.items()))
    return f"{rule}; left out on purpose: {kinds}"


def span(times: Iterable[float | None]) -> tuple[datetime | None, datetime | None]:
    """Return the first and the last of these times; None and None where there is none."""
    known = [time for time in times if time is not None]
    if not known:
        return None, None
    return datetime.fromtimestamp(min(known), tz=UTC), datetime.fromtimestamp(max(known), tz=UTC)


def _values(document: Document) -> list[Any]:
    value = document.value
    if isinstance(value, dict):
        inner = value.get("conversations")
        return inner if isinstance(inner, list) else [value]
    return value if isinstance(value, list) else []
