"""ZIP archives, read in memory within limits: nothing is ever written, and no name is ever a path.

Refused before anything is unpacked: more files than ``limits.archive_files``, a name that leads out
of the archive, a file that would grow more than ``limits.archive_ratio`` times. While reading, what
was unpacked is counted, and more than ``limits.archive_mb`` in all is refused.
"""

from __future__ import annotations

import io
import re
import stat
import struct
import zipfile
import zlib
from typing import IO

from memguard.errors import TranscriptError
from memguard.settings import LimitSettings
from memguard.transcripts.encodings import decode

MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
"""How an archive begins; the second is an empty one."""
_MIB = 1 << 20
_SMALL = _MIB
"""A file up to this size may grow as it likes: a page of blanks grows a thousandfold."""
_PEEK = 4096
_DRIVE = re.compile(r"[A-Za-z]:")
_END = struct.Struct("<4s4H2LH")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR_BYTES = 20
_ENTRY_BYTES = 46 + 512
"""A directory entry holds 46 bytes and a name, a comment and extra fields, seldom more than 512."""
_CHUNK = 1 << 16
"""Unpacked piece by piece: in one go zipfile unpacks all before it compares with the named size."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""zipfile bounds what these give at once, and not what bzip2 and LZMA do."""
FAULTS = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    EOFError,
    OSError,
    ValueError,  # a date or an offset of no sense
    NotImplementedError,  # a kind of archive that Python does not have
    RuntimeError,  # a password
    struct.error,
)
"""What zipfile raises for an archive that is damaged, also while a file of it is read."""


class ArchiveLimitError(TranscriptError):
    """More would have to be unpacked than is allowed: what is left out would be left out by chance."""


class Archive:
    """The files of a ZIP archive by name.

    Args:
        file: The archive, open for reading in binary.
        source: What to call it in errors.
        limits: How much may be unpacked.

    Raises:
        TranscriptError: It is no archive that can be read, or a limit is passed; names the limit.
    """

    def __init__(self, file: IO[bytes], source: str | None, limits: LimitSettings) -> None:
        """Open the archive and check its directory."""
        self.source = source
        self._limits = limits
        self._unpacked = 0
        self._texts: dict[str, str] = {}
        self._told: list[tuple[str, str]] = []
        try:
            _check_directory(file, limits)
            self._zip = zipfile.ZipFile(file)
        except FAULTS as error:
            raise TranscriptError(
                f"not a text file, and not a ZIP archive that can be opened ({error})", source=source
            ) from error
        except TranscriptError as error:
            raise TranscriptError(str(error), source=source) from error
        self._entries = self._checked(self._zip.infolist())

    @classmethod
    def of_bytes(cls, data: bytes, source: str | None, limits: LimitSettings) -> Archive:
        """Open an archive that is in memory, such as an upload."""
        return cls(io.BytesIO(data), source, limits)

    def names(self) -> tuple[str, ...]:
        """Return the names of the files, in the archive's order."""
        return tuple(self._entries)

    def warnings(self, name: str | None = None) -> tuple[str, ...]:
        """Return what had to be said so far: all of it, or what concerns one file or the whole archive."""
        return tuple(text for file, text in self._told if name is None or file in ("", name))

    def is_archive(self, name: str) -> bool:
        """Return whether a file is an archive itself, which is never opened."""
        try:
            with self.open(name) as file:
                return file.read(len(MAGIC[0])) in MAGIC
        except (TranscriptError, *FAULTS):
            return False

    def size(self, name: str) -> int:
        """Return how many bytes a file has when it is unpacked."""
        return self._entry(name).file_size

    def place(self, name: str) -> str:
        """Return what to call a file of this archive in errors."""
        return f"{self.source}: {name}" if self.source else name

    def is_text(self, name: str) -> bool:
        """Return whether the first bytes of a file are text."""
        try:
            with self.open(name) as file:
                start = file.read(_PEEK)
            decode(start)
        except (TranscriptError, *FAULTS):
            return False
        return bool(start.strip())

    def open(self, name: str) -> IO[bytes]:
        """Open a file to be read piece by piece; its bytes do not count as held in memory.

        Raises:
            TranscriptError: It is packed in a way that cannot be read, or has a password.
        """
        try:
            return self._zip.open(self._entry(name))
        except FAULTS as error:
            raise TranscriptError(f"cannot be unpacked ({error})", source=self.place(name)) from error

    def text(self, name: str) -> str:
        """Return a file as text, its encoding detected.

        Raises:
            TranscriptError: It is not text or damaged, or a limit is passed.
        """
        if name not in self._texts:
            decoded = decode(self._bytes(name), self.place(name))
            self._told += [(name, f"{name}: {warning}") for warning in decoded.warnings]
            self._texts[name] = decoded.text
        return self._texts[name]

    def _bytes(self, name: str) -> bytes:
        entry = self._entry(name)
        largest = self._limits.file_mb * _MIB
        if entry.file_size > largest:
            raise TranscriptError(
                f"holds {entry.file_size / _MIB:.1f} MiB; at most {self._limits.file_mb} MiB are read "
                "(setting limits.file_mb)",
                source=self.place(name),
            )
        self._unpacked += entry.file_size
        if self._unpacked > self._limits.archive_mb * _MIB:
            raise ArchiveLimitError(
                f"more than {self._limits.archive_mb} MiB would have to be unpacked "
                "(setting limits.archive_mb): take out what is not needed, or raise the limit",
                source=self.source,
            )
        try:
            with self._zip.open(entry) as file:
                return b"".join(iter(lambda: file.read(_CHUNK), b""))
        except FAULTS as error:
            raise TranscriptError(f"cannot be unpacked ({error})", source=self.place(name)) from error

    def _entry(self, name: str) -> zipfile.ZipInfo:
        if name not in self._entries:
            raise TranscriptError(f"the archive has no file {name!r}", source=self.source)
        return self._entries[name]

    def _checked(self, entries: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
        if len(entries) > self._limits.archive_files:
            raise TranscriptError(_too_many(str(len(entries)), self._limits), source=self.source)
        for entry in entries:
            if _leads_out(entry.orig_filename) or _leads_out(entry.filename):
                raise TranscriptError(
                    f"the archive holds the name {entry.orig_filename[:80]!r}, which leads out of it; "
                    "such an archive is not read",
                    source=self.source,
                )
            if entry.compress_type not in _METHODS:
                raise TranscriptError(
                    f"{entry.filename[:80]!r} is packed in a way that is not read; pack the archive with the "
                    "usual method (deflate)",
                    source=self.source,
                )
            grown = entry.file_size > self._limits.archive_ratio * max(entry.compress_size, 1)
            if grown and entry.file_size > _SMALL:
                raise TranscriptError(
                    f"{entry.filename[:80]!r} would grow from {entry.compress_size} to {entry.file_size} "
                    f"bytes, more than {self._limits.archive_ratio} times (setting limits.archive_ratio)",
                    source=self.source,
                )
        links = [entry for entry in entries if stat.S_ISLNK(entry.external_attr >> 16)]
        if links:
            self._told.append(("", f"links in the archive that were not followed: {len(links)}"))
            entries = [entry for entry in entries if entry not in links]
        files = {entry.filename: entry for entry in entries if not entry.filename.endswith("/")}
        n_repeated = sum(not entry.filename.endswith("/") for entry in entries) - len(files)
        if n_repeated:
            told = f"names that stand in the archive again, of which the last is read: {n_repeated}"
            self._told.append(("", told))
        return files


def _leads_out(name: str) -> bool:
    plain = name.replace("\\", "/")
    return plain.startswith("/") or _DRIVE.match(plain) is not None or ".." in plain.split("/")


def _check_directory(file: IO[bytes], limits: LimitSettings) -> None:
    """Refuse a directory that is too large before zipfile builds an object for each of its entries."""
    size = file.seek(0, io.SEEK_END)
    start = max(0, size - (1 << 16) - _END.size - _LOCATOR_BYTES - _END_64.size)
    file.seek(start)
    tail = file.read()
    file.seek(0)
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < _END.size:
        return  # zipfile says what is wrong
    directory = _END.unpack_from(tail, at)[5]
    at_64 = at - _LOCATOR_BYTES - _END_64.size
    if at_64 >= 0 and tail[at_64 : at_64 + 4] == b"PK\x06\x06":
        directory = max(directory % 0xFFFFFFFF, _END_64.unpack_from(tail, at_64)[8])
    if directory > limits.archive_files * _ENTRY_BYTES:
        raise TranscriptError(_too_many("more", limits))


def _too_many(n_files: str, limits: LimitSettings) -> str:
    return (
        f"the archive holds {n_files} files; at most {limits.archive_files} are read "
        "(setting limits.archive_files)"
    )
