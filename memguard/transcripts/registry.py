"""Opens, lists and reads transcripts: files, bytes, text, and the files of an archive."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import IO

from memguard.errors import TranscriptError
from memguard.settings import LimitSettings
from memguard.text import is_blank
from memguard.transcripts.archives import MAGIC, Archive, ArchiveLimitError
from memguard.transcripts.document import ACCEPTED, Document, Reading
from memguard.transcripts.encodings import decode
from memguard.transcripts.opening import Listing, Opened, OpenedDocument, OpenedMembers
from memguard.transcripts.recognition import READERS, is_bare, surest, too_large, unknown
from memguard.transcripts.streaming import Stream
from memguard.transcripts.table import Table
from memguard.transcripts.table_columns import checked_columns, first_line

_SURE = 0.5
"""Of an archive with several files, one counts from here on: nearly every file is plain text."""
_MOST_TEXTS = 200
_MIB = 1 << 20


def formats() -> tuple[str, ...]:
    """Return the names of the formats that can be read."""
    return tuple(reader.name for reader in READERS)


def read_file(
    path: str | Path,
    *,
    conversation: str | None = None,
    limits: LimitSettings | None = None,
    columns: Mapping[str, str] | None = None,
) -> Reading:
    """Read a transcript from a file; its name plays no part.

    Args:
        path: The file. Where it is larger than the limit, it is read if it is an export that is gone
            through one conversation at a time (``streaming.py``).
        conversation: Which one, where the file holds several: an id, a one-based position as text, or
            a title.
        limits: What input is accepted; by default that of the settings.
        columns: Of a table the columns that hold ``text``, ``speaker``, ``time`` and so on, where their
            names do not say it: ``{"text": "Nachricht"}``; an empty name says that no column does.

    Raises:
        InvalidParameterError: A column is chosen for something that no column is.
        TranscriptError: There is no such file, it is too large, not text, empty, in no format that we
            know, or holds several conversations and none is chosen; names the file, the place in it
            where there is one, and what is accepted.
    """
    with open_path(path, limits=limits, columns=columns) as opened:
        return opened.read(conversation)


def list_conversations(
    path: str | Path, *, limits: LimitSettings | None = None, columns: Mapping[str, str] | None = None
) -> Listing:
    """Return which conversations a file holds; a large export is listed in bounded memory.

    Raises:
        TranscriptError: As ``read_file``, but that several conversations are no fault.
    """
    with open_path(path, limits=limits, columns=columns) as opened:
        return _listing(opened, str(path))


def read_bytes(
    data: bytes,
    *,
    source: str | None = None,
    conversation: str | None = None,
    limits: LimitSettings | None = None,
    columns: Mapping[str, str] | None = None,
) -> Reading:
    """Read a transcript from bytes, such as an upload.

    Raises:
        TranscriptError: As ``read_file``.
    """
    return open_bytes(data, source=source, limits=limits, columns=columns).read(conversation)


def list_bytes(
    data: bytes,
    *,
    source: str | None = None,
    limits: LimitSettings | None = None,
    columns: Mapping[str, str] | None = None,
) -> Listing:
    """Return which conversations bytes hold, such as an upload.

    Raises:
        TranscriptError: As ``list_conversations``.
    """
    return _listing(open_bytes(data, source=source, limits=limits, columns=columns), source)


def read_text(
    text: str,
    *,
    source: str | None = None,
    conversation: str | None = None,
    limits: LimitSettings | None = None,
    columns: Mapping[str, str] | None = None,
) -> Reading:
    """Read a transcript from text, such as a paste.

    An empty list is a conversation without messages, with a warning; a text in which nothing is
    visible is an error, since it says nothing about what was meant.

    Raises:
        TranscriptError: The text is empty or in no format that we know.
    """
    return open_text(text, source=source, limits=limits, columns=columns).read(conversation)


def _listing(opened: Opened, source: str | None) -> Listing:
    return Listing(opened.format, opened.heads(), opened.encoding, source)


@contextmanager
def open_path(
    path: str | Path, *, limits: LimitSettings | None = None, columns: Mapping[str, str] | None = None
) -> Iterator[Opened]:
    """Recognise a file, which stays open inside the ``with`` block: to list it, then to read of it.

    Raises:
        TranscriptError: As ``read_file``.
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
        with file.open("rb") as stream:
            yield _open_stream(stream, file, source, limits or LimitSettings(), checked_columns(columns))
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        if isinstance(error, TranscriptError):
            raise
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise TranscriptError(f"cannot be read ({reason})", source=source) from error


def _open_stream(
    stream: IO[bytes], file: Path, source: str, limits: LimitSettings, columns: Mapping[str, str]
) -> Opened:
    if stream.read(4) in MAGIC and not columns:
        return _open_archive(Archive(stream, source, limits), limits)
    size = file.stat().st_size
    if size > limits.file_mb * _MIB:
        try:
            return Stream(lambda: file.open("rb"), source, limits)
        except TranscriptError as error:
            raise too_large(size, limits, source, str(error)) from error
    stream.seek(0)
    return _open_bytes(stream.read(), source, limits, columns)


def open_bytes(
    data: bytes,
    *,
    source: str | None = None,
    limits: LimitSettings | None = None,
    columns: Mapping[str, str] | None = None,
) -> Opened:
    """Recognise bytes, such as an upload: to list them, then to read of them.

    Raises:
        TranscriptError: As ``read_bytes``.
    """
    return _open_bytes(data, source, limits or LimitSettings(), checked_columns(columns))


def open_text(
    text: str,
    *,
    source: str | None = None,
    limits: LimitSettings | None = None,
    columns: Mapping[str, str] | None = None,
) -> Opened:
    """Recognise text, such as a paste: to list it, then to read of it.

    Raises:
        TranscriptError: As ``read_text``.
    """
    return _open_text(text, source, limits or LimitSettings(), checked_columns(columns))


def _open_bytes(data: bytes, source: str | None, limits: LimitSettings, columns: Mapping[str, str]) -> Opened:
    if len(data) > limits.file_mb * _MIB:
        raise too_large(len(data), limits, source)
    if data[:4] in MAGIC:
        if columns:
            raise TranscriptError("is an archive; columns are chosen of a table alone", source=source)
        return _open_archive(Archive(io.BytesIO(data), source, limits), limits)
    decoded = decode(data, source)
    return _open_text(
        decoded.text, source, limits, columns, encoding=decoded.encoding, warnings=decoded.warnings
    )


def _open_text(
    text: str,
    source: str | None,
    limits: LimitSettings,
    columns: Mapping[str, str] = MappingProxyType({}),
    *,
    encoding: str | None = None,
    warnings: Sequence[str] = (),
) -> Opened:
    if is_blank(text):
        raise TranscriptError(f"is empty; expected {ACCEPTED}", source=source or "the input")
    document = Document(text, source, limits=limits, columns=columns)
    reader, score = surest(document)
    if columns and not isinstance(reader, Table):
        wanted = ", ".join(repr(name) for name in columns.values() if name.strip())
        raise TranscriptError(
            f"has no header with the columns {wanted or 'of a chat'}; its first line is "
            f"{first_line(text)[:200]!r}",
            source=source,
        )
    if score <= 0 or is_bare(document):
        raise unknown(document)
    return OpenedDocument(reader, document, encoding=encoding, warnings=warnings)


def _open_archive(archive: Archive, limits: LimitSettings) -> Opened:
    """Open an archive as a whole where a reader knows it, else those of its files that one knows best."""
    whole = Document("", archive.source, members=archive, limits=limits)
    reader, score = surest(whole)
    if score >= _SURE:
        return OpenedDocument(reader, whole)
    names = [name for name in archive.names() if archive.is_text(name)]
    if len(names) > _MOST_TEXTS:
        raise TranscriptError(
            f"the archive holds {len(names)} texts and is no export that we know; pack those that are meant",
            source=archive.source,
        )
    found: list[tuple[float, str, Opened]] = []
    faults: list[TranscriptError] = []
    for name in sorted(names):
        try:
            found.append(_open_member(archive, name, limits))
        except ArchiveLimitError:
            raise
        except TranscriptError as error:
            faults.append(error)
    packed = [name for name in archive.names() if archive.is_archive(name)]
    best = max((score for score, _, _ in found), default=0.0)
    if best < _SURE and not (found and len(names) == 1):
        if len(names) == 1:
            raise faults[0]
        told = f"; the first of its texts: {faults[0]}" if faults else ""
        advice = "; pack the text that is meant alone" if len(names) > 1 else ""
        advice += "; unpack the archive that is inside it" if packed else ""
        raise TranscriptError(
            f"the ZIP archive holds no transcript that we know (files: {len(archive.names())}, of them text: "
            f"{len(names)}){told}{advice}",
            source=archive.source,
        )
    kept = [(name, opened) for score, name, opened in found if score == best]
    kept = [(name, opened) for name, opened in kept if opened.format == kept[0][1].format]
    others = {
        "other texts of the archive were not read": sorted({*names} - {name for name, _ in kept}),
        "archives inside it were not opened": packed,
    }
    return OpenedMembers(archive, kept, others=others)


def _open_member(archive: Archive, name: str, limits: LimitSettings) -> tuple[float, str, Opened]:
    place = archive.place(name)
    if archive.size(name) > limits.file_mb * _MIB:
        try:
            return 0.9, name, Stream(lambda: archive.open(name), place, limits)
        except TranscriptError as error:
            raise too_large(archive.size(name), limits, place, str(error)) from error
    document = Document(archive.text(name), place, limits=limits)
    reader, score = surest(document)
    if score <= 0 or is_bare(document) or is_blank(document.text):
        raise unknown(document)
    return score, name, OpenedDocument(reader, document)
