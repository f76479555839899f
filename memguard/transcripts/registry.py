"""Recognises the format of a transcript by its content and hands it to the reader.

A new format is a class with the form of ``Reader`` and one more entry in ``_READERS``.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from memguard.errors import TranscriptError
from memguard.settings import LimitSettings
from memguard.text import is_blank
from memguard.transcripts.document import ACCEPTED, Document, Reader, Reading
from memguard.transcripts.encodings import decode
from memguard.transcripts.jsonl import Jsonl
from memguard.transcripts.messages_json import MessagesJson
from memguard.transcripts.plain import PlainText

_READERS: tuple[Reader, ...] = (MessagesJson(), Jsonl(), PlainText())
"""Among equally sure readers the first one reads."""
_MIB = 1 << 20


def formats() -> tuple[str, ...]:
    """Return the names of the formats that can be read."""
    return tuple(reader.name for reader in _READERS)


def read_file(path: str | Path, *, limits: LimitSettings | None = None) -> Reading:
    """Read a transcript from a file; its name plays no part.

    Args:
        path: The file.
        limits: Largest size; by default that of the settings.

    Raises:
        TranscriptError: There is no such file, it is too large, not text, empty, or in no format
            that we know; names the file, the place in it where there is one, and what is accepted.
    """
    if not str(path):
        raise TranscriptError("no file was named")
    file = Path(path)
    source = str(path)
    try:
        if file.is_dir():
            raise TranscriptError("is a folder; expected a file", source=source)
        if not file.exists():
            raise TranscriptError("there is no such file", source=source)
        if not file.is_file():
            raise TranscriptError("is not a regular file", source=source)
        _check_size(file.stat().st_size, limits, source)
        data = file.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        if isinstance(error, TranscriptError):
            raise
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise TranscriptError(f"cannot be read ({reason})", source=source) from error
    return read_bytes(data, source=source, limits=limits)


def read_bytes(data: bytes, *, source: str | None = None, limits: LimitSettings | None = None) -> Reading:
    """Read a transcript from bytes, such as an upload.

    Raises:
        TranscriptError: As ``read_file``.
    """
    _check_size(len(data), limits, source)
    decoded = decode(data, source)
    reading = read_text(decoded.text, source=source)
    conversation = reading.conversation
    if decoded.warnings:
        conversation = replace(conversation, warnings=(*decoded.warnings, *conversation.warnings))
    return replace(reading, conversation=conversation, encoding=decoded.encoding)


def read_text(text: str, *, source: str | None = None) -> Reading:
    """Read a transcript from text, such as a paste.

    An empty list is a conversation without messages, with a warning; a text in which nothing is
    visible is an error, since it says nothing about what was meant.

    Raises:
        TranscriptError: The text is empty or in no format that we know.
    """
    if is_blank(text):
        raise TranscriptError(f"is empty; expected {ACCEPTED}", source=source or "the input")
    document = Document(text, source)
    # max() keeps the first of equals, so the order of _READERS decides.
    surest = max(_READERS, key=lambda reader: reader.recognises(document))
    if surest.recognises(document) <= 0:
        raise _unknown(document)
    return surest.read(document)


def _check_size(n_bytes: int, limits: LimitSettings | None, source: str | None) -> None:
    largest = (limits or LimitSettings()).file_mb
    if n_bytes > largest * _MIB:
        raise TranscriptError(
            f"holds {n_bytes / _MIB:.1f} MiB; at most {largest} MiB are read (setting limits.file_mb): "
            "split the transcript or raise the limit",
            source=source,
        )


def _unknown(document: Document) -> TranscriptError:
    if document.json_error is not None:
        return document.json_error
    return TranscriptError(
        f"the JSON is {_shape(document.value)}, which is no transcript that we know; expected {ACCEPTED}",
        source=document.source,
    )


def _shape(value: Any) -> str:
    if isinstance(value, dict):
        keys = ", ".join(repr(str(key)[:30]) for key in list(value)[:6])
        return f"an object with the keys {keys}" if keys else "an empty object"
    first = value[0] if isinstance(value, list) and value else None
    return f"a list that begins with {_shape(first)}" if isinstance(first, dict) else "of another shape"
