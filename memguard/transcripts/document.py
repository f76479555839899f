"""What readers look at and what they return: the text of one transcript, parsed at most once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from memguard.errors import TranscriptError
from memguard.messages import Conversation
from memguard.settings import LimitSettings
from memguard.transcripts.json_text import is_deeper, parse_json, too_deep

if TYPE_CHECKING:
    from memguard.transcripts.archives import Archive

ACCEPTED = (
    'a JSON list of {"role", "content"} objects, a JSON object {"messages": [...]}, JSONL with one such '
    'message a line, plain text with "Speaker: text" lines, or one of the exports that docs/formats.md lists'
)
"""The accepted shapes, in the words of every error about shape."""
_LOOKS_LIKE_JSON = re.compile(r"""\s*+(?:\{\s*+(?:["'}]|\w{1,40}\s*+:|\Z)|\[\s*+(?:[{"'\]]|\Z))""")
_LINE_BREAK = re.compile("\r\n|\n|\r")
_LISTED = 5
"""So many conversations of a file are named where one has to be chosen."""


class _Missing:
    """The type of ``MISSING``."""


MISSING = _Missing()
"""Stands for "not JSON": None is a JSON value."""


@dataclass(frozen=True, slots=True)
class ConversationHead:
    """One conversation of a file that holds several, as a list shows it.

    Attributes:
        id: As the file gives it; else its one-based position as text.
        title: A name for people, if the file has one.
        n_messages: Messages in it, of all branches; None where counting means reading it.
        first: Aware time of its beginning, if known.
        last: Aware time of its end, if known.
        place: Where it stands in the file (``conversation 2``).
    """

    id: str
    title: str | None
    n_messages: int | None
    first: datetime | None
    last: datetime | None
    place: str


@dataclass(frozen=True, slots=True)
class Reading:
    """A transcript that was read.

    Attributes:
        conversation: The messages; its ``warnings`` say what could not be read as given.
        format: Name of the reader.
        encoding: Encoding that was detected; None when the input was text already.
        skipped_lines: Lines that could not be read.
        rule: Which order, branch or date rule was used, in words; empty where there was no choice.
        abandoned_messages: Messages of branches that were left, and so are not in the conversation.
        duplicates_dropped: Messages that the file holds twice and the conversation once.
        n_conversations: How many conversations the file holds.
    """

    conversation: Conversation
    format: str
    encoding: str | None = None
    skipped_lines: int = 0
    rule: str = ""
    abandoned_messages: int = 0
    duplicates_dropped: int = 0
    n_conversations: int = 1


@dataclass(frozen=True, slots=True)
class Record:
    """One line of JSONL that is not blank.

    Attributes:
        line: One-based line number.
        value: The parsed value, or ``MISSING``.
        error: Why it could not be parsed; empty if it could.
        repeated: Whether an object in it has a key twice.
    """

    line: int
    value: Any
    error: str = ""
    repeated: bool = False


class Document:
    """The text of one transcript with its parsed forms, each computed when first asked for.

    Attributes:
        text: The text, without a byte order mark; empty for an archive.
        source: What to call it in errors.
        members: The files of an archive; None for a text.
        limits: What input is accepted.
        columns: Of a table the columns that were chosen, by kind (``table_columns.py``).
    """

    def __init__(
        self,
        text: str,
        source: str | None = None,
        *,
        members: Archive | None = None,
        limits: LimitSettings | None = None,
        columns: Mapping[str, str] | None = None,
    ) -> None:
        """Wrap ``text``; a byte order mark at its start is not part of it."""
        self.text = text.removeprefix("\ufeff")
        self.source = source
        self.members = members
        self.limits = limits or LimitSettings()
        self.columns = dict(columns or {})
        self._too_deep = False

    @cached_property
    def _parsed(self) -> tuple[Any, TranscriptError | None, bool]:
        try:
            value, repeated = parse_json(self.text)
        except json.JSONDecodeError as error:
            fault = TranscriptError(
                f"not valid JSON ({error.msg}); expected {ACCEPTED}",
                source=self.source,
                line=error.lineno,
                column=error.colno,
            )
        except RecursionError:
            fault = self._depth_fault()
        else:
            if not is_deeper(value, self.limits.json_levels):
                return value, None, repeated
            fault = self._depth_fault()
        return MISSING, fault, False

    def _depth_fault(self) -> TranscriptError:
        self._too_deep = True
        return TranscriptError(f"the JSON is {too_deep(self.limits)}", source=self.source)

    @property
    def value(self) -> Any:
        """The whole text as one JSON value, or ``MISSING``."""
        return self._parsed[0]

    @property
    def json_error(self) -> TranscriptError | None:
        """Why the whole text is not one JSON value; None if it is."""
        return self._parsed[1]

    @property
    def has_repeated_keys(self) -> bool:
        """Whether an object of ``value`` has a key twice."""
        return self._parsed[2]

    @cached_property
    def looks_like_json(self) -> bool:
        """Whether the text begins as a JSON list or object does, valid or not."""
        too_deep = self.json_error is not None and self._too_deep
        return too_deep or _LOOKS_LIKE_JSON.match(self.text) is not None

    @cached_property
    def records(self) -> tuple[Record, ...]:
        """The lines that are not blank, each as JSON.

        Split at LF, CRLF and CR only, none of which JSON allows inside a string (ING-010).
        """
        return tuple(self._records())

    def _records(self) -> Iterator[Record]:
        for number, line in enumerate(_LINE_BREAK.split(self.text), start=1):
            if not line.strip():
                continue
            try:
                value, repeated = parse_json(line)
            except json.JSONDecodeError as error:
                yield Record(number, MISSING, f"not valid JSON at column {error.colno} ({error.msg})")
            except RecursionError:
                yield Record(number, MISSING, too_deep(self.limits))
            else:
                if is_deeper(value, self.limits.json_levels):
                    yield Record(number, MISSING, too_deep(self.limits))
                else:
                    yield Record(number, value, repeated=repeated)


class Reader(Protocol):
    """Reads one format."""

    @property
    def name(self) -> str:
        """Name of the format, as ``Reading.format`` gives it."""
        ...

    def recognises(self, document: Document) -> float:
        """Return how sure this reader is, from 0 (not mine) to 1; the surest reader reads.

        Convention: 0.1 for a fallback, 0.5 for a shape that several tools write, 0.9 for one that
        only one tool writes. It looks at the content and raises nothing.
        """
        ...

    def read(self, document: Document) -> Reading:
        """Read a document that was recognised.

        Raises:
            TranscriptError: It cannot be read after all; says where and what was expected.
        """
        ...


@runtime_checkable
class ListingReader(Protocol):
    """Reads one format of which a file may hold several conversations."""

    @property
    def name(self) -> str:
        """Name of the format."""
        ...

    def recognises(self, document: Document) -> float:
        """As of ``Reader``."""
        ...

    def conversations(self, document: Document) -> tuple[ConversationHead, ...]:
        """Return what the document holds, in its order.

        Raises:
            TranscriptError: It cannot be listed.
        """
        ...

    def read(self, document: Document, conversation: str | None = None) -> Reading:
        """Read one conversation: an id, a one-based position as text, or a title; None for the only one.

        Raises:
            TranscriptError: It cannot be read, or which one is meant is open.
        """
        ...


def choose(heads: Sequence[ConversationHead], conversation: str | None, source: str | None) -> int:
    """Return the index of the conversation that is meant.

    Args:
        heads: What the file holds, in its order.
        conversation: An id, a one-based position as text, or an exact title, tried in this order;
            None where there is only one.
        source: What to call the file in errors.

    Raises:
        TranscriptError: None or several are meant; lists the first ones.
    """
    if not heads:
        raise TranscriptError("holds no conversation", source=source)
    if conversation is None:
        if len(heads) == 1:
            return 0
        raise TranscriptError(
            f"holds {len(heads)} conversations; choose one with --conversation: {_listed(heads)}",
            source=source,
        )
    wanted = conversation.strip()
    by_id = [i for i, head in enumerate(heads) if head.id == wanted]
    by_place = [int(wanted) - 1] if _is_position(wanted, len(heads)) else []
    by_title = [i for i, head in enumerate(heads) if wanted and (head.title or "").strip() == wanted]
    for found in (by_id, by_place, by_title):
        if len(found) == 1:
            return found[0]
        if len(found) > 1:
            positions = ", ".join(str(i + 1) for i in found[:_LISTED])
            raise TranscriptError(
                f"several conversations are called {wanted[:80]!r}; choose by position: {positions}",
                source=source,
            )
    raise TranscriptError(
        f"there is no conversation {wanted[:80]!r}; it holds {len(heads)}: {_listed(heads)}", source=source
    )


def _is_position(text: str, n_conversations: int) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10 and 1 <= int(text) <= n_conversations


def _listed(heads: Sequence[ConversationHead]) -> str:
    told = [f"{i} ({(head.title or head.id)[:60]})" for i, head in enumerate(heads[:_LISTED], start=1)]
    return ", ".join(told) + (", …" if len(heads) > _LISTED else "")
