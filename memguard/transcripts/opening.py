"""A transcript that was recognised: which conversations it holds, and one of them read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from memguard.transcripts.archives import Archive
from memguard.transcripts.document import (
    ConversationHead,
    Document,
    ListingReader,
    Reader,
    Reading,
    choose,
)

_TOLD = 3


@dataclass(frozen=True, slots=True)
class Listing:
    """What a file holds.

    Attributes:
        format: Name of the reader.
        conversations: What it holds, in its order; at least one.
        encoding: Encoding that was detected; None when the input was text already.
        source: What the file is called.
    """

    format: str
    conversations: tuple[ConversationHead, ...]
    encoding: str | None = None
    source: str | None = None


class Opened(Protocol):
    """A transcript whose reader is known."""

    @property
    def encoding(self) -> str | None:
        """Encoding that was detected; None when the input was text already, or an archive."""
        ...

    @property
    def format(self) -> str:
        """Name of the format."""
        ...

    def heads(self) -> tuple[ConversationHead, ...]:
        """Return the conversations in order."""
        ...

    def read(self, conversation: str | None) -> Reading:
        """Read one of them; None for the only one."""
        ...


class OpenedDocument:
    """One text."""

    def __init__(
        self,
        reader: Reader | ListingReader,
        document: Document,
        *,
        encoding: str | None = None,
        warnings: Sequence[str] = (),
    ) -> None:
        """Join the document with the reader that recognised it, and with what was assumed before."""
        self.encoding = encoding
        self._reader = reader
        self._document = document
        self._warnings = tuple(warnings)
        self._only: Reading | None = None

    @property
    def format(self) -> str:
        """Name of the format."""
        return self._reader.name

    def heads(self) -> tuple[ConversationHead, ...]:
        """Return the conversations; of a format without a list of them, the one that is read."""
        if isinstance(self._reader, ListingReader):
            return self._reader.conversations(self._document)
        return (_head_of(self._read_only()),)

    def read(self, conversation: str | None) -> Reading:
        """Read one conversation."""
        if isinstance(self._reader, ListingReader):
            reading = self._reader.read(self._document, conversation)
        else:
            if conversation is not None:
                choose(self.heads(), conversation, self._document.source)
            reading = self._read_only()
        members = self._document.members
        told = (*self._warnings, *(members.warnings() if members is not None else ()))
        if told:
            full = replace(reading.conversation, warnings=(*told, *reading.conversation.warnings))
            reading = replace(reading, conversation=full)
        return replace(reading, encoding=self.encoding)

    def _read_only(self) -> Reading:
        if self._only is None:
            self._only = self._reader.read(self._document)
        return self._only


class OpenedMembers:
    """Several files of one archive, each with conversations of the same format."""

    def __init__(
        self, archive: Archive, members: Sequence[tuple[str, Opened]], *, others: Mapping[str, Sequence[str]]
    ) -> None:
        """Join the files, each with its name in the archive; ``others`` says which ones are not read."""
        self._archive = archive
        self._others = others
        self.encoding = members[0][1].encoding
        self._members = members
        self._source = archive.source

    @property
    def format(self) -> str:
        """Name of the format."""
        return self._members[0][1].format

    def heads(self) -> tuple[ConversationHead, ...]:
        """Return the conversations of all files."""
        return tuple(entry.head for entry in self._found())

    def read(self, conversation: str | None) -> Reading:
        """Read one conversation; the origin of its messages names the file where there are several."""
        found = self._found()
        index = choose([entry.head for entry in found], conversation, self._source)
        entry = found[index]
        reading = replace(entry.opened.read(entry.asked), n_conversations=len(found))
        full = reading.conversation
        told = [*self._archive.warnings(entry.member), *full.warnings]
        for kind, names in self._others.items():
            if names:
                shown = ", ".join(names[:_TOLD]) + (", …" if len(names) > _TOLD else "")
                told.append(f"{len(names)} {kind}: {shown}")
        full = replace(full, warnings=tuple(told))
        if len(self._members) > 1:
            messages = tuple(
                replace(m, origin=f"{entry.member}, {m.origin}" if m.origin else entry.member) for m in full
            )
            full = replace(full, messages=messages)
        return replace(reading, conversation=full)

    def _found(self) -> list[_Entry]:
        found = []
        for name, opened in self._members:
            heads = opened.heads()
            counts = Counter(head.id for head in heads)
            for position, head in enumerate(heads, start=1):
                asked = head.id if counts[head.id] == 1 else str(position)
                if len(self._members) > 1:
                    own = head.id if head.id != str(position) else name
                    own = own if own != name or len(heads) == 1 else f"{name}:{position}"
                    head = replace(head, id=own, place=f"{name}, {head.place}")
                found.append(_Entry(head, name, opened, asked if len(heads) > 1 else None))
        return found


@dataclass(frozen=True, slots=True)
class _Entry:
    """One conversation of a file of an archive, and what to ask that file for."""

    head: ConversationHead
    member: str
    opened: Opened
    asked: str | None


def _head_of(reading: Reading) -> ConversationHead:
    conversation = reading.conversation
    times = [message.timestamp for message in conversation if message.timestamp is not None]
    return ConversationHead(
        id="1",
        title=conversation.title,
        n_messages=len(conversation),
        first=min(times, default=None),
        last=max(times, default=None),
        place="the file",
    )
