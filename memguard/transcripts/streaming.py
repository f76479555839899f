"""Exports that are too large to be held in memory: one conversation at a time, in bounded memory.

An export of ChatGPT or Claude.ai is one JSON list of conversations, and grows to hundreds of MB. It
is gone through with ijson, which gives one item of the list after the other; what is held is one
conversation, of at most ``limits.file_mb``, and the list of heads.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import IO, Any

from memguard.errors import TranscriptError
from memguard.settings import LimitSettings
from memguard.transcripts.archives import FAULTS
from memguard.transcripts.document import ConversationHead, Reading, choose
from memguard.transcripts.exports import STREAMED, ListedExport
from memguard.transcripts.exports.listed import with_left_out
from memguard.transcripts.json_text import is_deeper, too_deep

_MIB = 1 << 20
_BUFFER = 1 << 16
_LOOKED_AT = 20


class Stream:
    """An export that is read from a file again for each question.

    Args:
        opener: Opens the file from its start.
        source: What to call it in errors.
        limits: What input is accepted.

    Raises:
        TranscriptError: It is not a JSON list of conversations of an export that is streamed.
    """

    encoding = "utf-8"

    def __init__(self, opener: Callable[[], IO[bytes]], source: str | None, limits: LimitSettings) -> None:
        """Find out whose export it is from the first items."""
        self._opener = opener
        self._source = source
        self._limits = limits
        self._reader = self._recognised()

    @property
    def format(self) -> str:
        """Name of the format."""
        return self._reader.name

    def heads(self) -> tuple[ConversationHead, ...]:
        """Return what the export holds; goes through the whole file."""
        kept = (value for _, value in self._items() if self._reader.holds(value))
        return tuple(self._reader.head(value, i) for i, value in enumerate(kept, start=1))

    def read(self, conversation: str | None) -> Reading:
        """Read the conversation that is meant; goes through the file twice, since a name may occur twice.

        Raises:
            TranscriptError: Which one is meant is open, or it cannot be read.
        """
        heads: list[ConversationHead] = []
        others: list[int] = []
        for position, value in self._items():
            if self._reader.holds(value):
                heads.append(self._reader.head(value, len(heads) + 1))
            else:
                others.append(position)
        index = choose(heads, conversation, self._source)
        at = -1
        for _, value in self._items():
            at += self._reader.holds(value)
            if at == index:
                place = f"{heads[index].place}, " if len(heads) > 1 else ""
                reading = self._reader.read_one(value, self._source, place)
                reading = replace(reading, n_conversations=len(heads), encoding=self.encoding)
                return with_left_out(reading, others)
        raise TranscriptError("changed while it was read", source=self._source)

    def _recognised(self) -> ListedExport:
        for position, value in self._items():
            for reader in STREAMED:
                if reader.holds(value):
                    return reader
            if position >= _LOOKED_AT:
                break
        raise TranscriptError("no export that is read one conversation at a time", source=self._source)

    def _items(self) -> Iterator[tuple[int, Any]]:
        """Yield the items of the list with their one-based position."""
        import ijson

        with self._opener() as file:
            counted = _Counted(file, self._source, self._limits)
            try:
                items = ijson.items(counted, "item", buf_size=_BUFFER, use_float=True)
                for position, value in enumerate(items, start=1):
                    counted.item_done()
                    if is_deeper(value, self._limits.json_levels):
                        raise TranscriptError(
                            f"item {position} of the list is {too_deep(self._limits)}", source=self._source
                        )
                    yield position, value
            except TranscriptError:
                raise
            except (ijson.JSONError, OverflowError, *FAULTS) as error:
                raise TranscriptError(
                    f"not valid JSON, or damaged, near byte {counted.n_bytes} ({error})", source=self._source
                ) from error


class _Counted:
    """A file without its byte order mark that refuses an item of the list that is too large."""

    def __init__(self, file: IO[bytes], source: str | None, limits: LimitSettings) -> None:
        self.n_bytes = 0
        self._file = file
        self._source = source
        self._limits = limits
        self._item_began = 0

    def read(self, size: int = -1) -> bytes:
        if self.n_bytes - self._item_began > self._limits.file_mb * _MIB + 2 * _BUFFER:
            raise TranscriptError(
                f"one conversation holds more than {self._limits.file_mb} MiB (setting limits.file_mb)",
                source=self._source,
            )
        data = self._file.read(size)
        if self.n_bytes == 0:
            stripped = data.removeprefix(codecs.BOM_UTF8)
            # An empty answer would say that the file ends.
            data = stripped if stripped or not data else self._file.read(size)
        self.n_bytes += len(data)
        return data

    def item_done(self) -> None:
        self._item_began = self.n_bytes
