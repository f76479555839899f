"""What readers look at and what they return: the text of one transcript, parsed at most once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from memguard.errors import TranscriptError
from memguard.messages import Conversation

ACCEPTED = (
    'a JSON list of {"role", "content"} objects, a JSON object {"messages": [...]}, JSONL with one such '
    'message a line, or plain text with "Speaker: text" lines'
)
"""The accepted shapes, in the words of every error about shape."""
_MAX_DIGITS = 4000
_LOOKS_LIKE_JSON = re.compile(r"""\s*+(?:\{\s*+(?:["'}]|\w{1,40}\s*+:|\Z)|\[\s*+(?:[{"'\]]|\Z))""")
_LINE_BREAK = re.compile("\r\n|\n")


class _Missing:
    """The type of ``MISSING``."""


MISSING = _Missing()
"""Stands for "not JSON": None is a JSON value."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A transcript that was read.

    Attributes:
        conversation: The messages; its ``warnings`` say what could not be read as given.
        format: Name of the reader.
        encoding: Encoding that was detected; None when the input was text already.
        skipped_lines: Lines of JSONL that could not be read.
    """

    conversation: Conversation
    format: str
    encoding: str | None = None
    skipped_lines: int = 0


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
    """The text of one transcript with its parsed forms, each computed when first asked for."""

    def __init__(self, text: str, source: str | None = None) -> None:
        """Wrap ``text``; a byte order mark at its start is not part of it."""
        self.text = text.removeprefix("\ufeff")
        self.source = source
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
            self._too_deep = True
            fault = TranscriptError(
                f"the JSON is nested too deeply to be read; expected {ACCEPTED}", source=self.source
            )
        else:
            return value, None, repeated
        return MISSING, fault, False

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
        """The lines that are not blank, each as JSON; split at LF and CRLF only (ING-010)."""
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
                yield Record(number, MISSING, "nested too deeply to be read")
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


def parse_json(text: str) -> tuple[Any, bool]:
    """Parse one JSON value; also tell whether an object in it has a key twice (the last one counts).

    An integer too long for Python's limit stays text. ``NaN`` and ``Infinity`` are read as floats.

    Raises:
        json.JSONDecodeError: The text is not JSON.
        RecursionError: It is nested too deeply.
    """
    repeated = False

    def build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal repeated
        built = dict(pairs)
        if len(built) != len(pairs):
            repeated = True
        return built

    value = json.loads(text, object_pairs_hook=build, parse_int=_parse_int)
    return value, repeated


def _parse_int(digits: str) -> int | str:
    return int(digits) if len(digits) <= _MAX_DIGITS else digits
