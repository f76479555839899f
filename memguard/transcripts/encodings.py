"""Bytes to text: UTF-8, UTF-16 and UTF-32 as marked, anything else guessed and said so."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from memguard.errors import TranscriptError
from memguard.transcripts.document import ACCEPTED

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MAGIC = (
    (b"PK\x03\x04", "a ZIP archive or an office document; unpack or export it first"),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"\x1f\x8b", "a gzip file; unpack it first"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\x7fELF", "a program"),
)
_CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_MOST_CONTROL = 0.02
"""A text of which more is control characters is not text."""
_SAMPLE = 1 << 16
"""The guess looks at this many bytes from the first that is not ASCII: a whole file takes seconds."""
_WESTERN_AT_MOST = 0.35
"""In Western European text fewer of the letters than this carry an accent."""
_WESTERN_AT_MOST_IN_FEW = 0.6
"""… but a single word such as "Größe" may have more; one in another script has nothing else."""
_FEW = 8
_ZEROS_FROM = 0.4
"""In UTF-16 of a Western language more of every second byte than this are zero."""
_MAINFRAME = ("cp037", "cp1026", "cp1140", "cp273", "cp424", "cp500", "cp875")
"""EBCDIC: no chat is written in it, and short text looks like it by chance."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text with the encoding it was read in.

    Attributes:
        text: The text, without a byte order mark.
        encoding: Python's name of the encoding (``utf-16`` for both byte orders).
        warnings: What was assumed or replaced.
    """

    text: str
    encoding: str
    warnings: tuple[str, ...] = ()


def decode(data: bytes, source: str | None = None) -> Decoded:
    """Decode the bytes of a transcript.

    A byte order mark decides (ING-012). Else it is UTF-8 if it decodes as such, also with a few
    broken bytes among valid ones (a file cut in the middle of a character). Else the encoding is
    guessed, and a warning names the guess.

    Raises:
        TranscriptError: The bytes are not text.
    """
    for magic, what in _MAGIC:
        if data.startswith(magic):
            raise TranscriptError(
                f"not a text file: it looks like {what}; expected {ACCEPTED}", source=source
            )
    decoded = _decode(data)
    n_control = len(_CONTROL.findall(decoded.text, 0, _SAMPLE))
    if n_control > _MOST_CONTROL * min(len(decoded.text), _SAMPLE):
        raise TranscriptError(
            f"not a text file: it is full of control characters; expected {ACCEPTED}", source=source
        )
    return decoded


def _decode(data: bytes) -> Decoded:
    for mark, name in _MARKS:
        if data.startswith(mark):
            return _replacing(data, name)
    # Before UTF-8: English in UTF-16 is valid UTF-8 with a NUL after each letter.
    even, odd = data[0:_SAMPLE:2], data[1:_SAMPLE:2]
    for name, high, low in (("utf-16-le", odd, even), ("utf-16-be", even, odd)):
        if high.count(0) > _ZEROS_FROM * len(high) and 10 * low.count(0) < len(low):
            return _replacing(data, name, (f"the encoding has no mark; {name} was assumed",))
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError as error:
        first_bad = error.start
    lenient = data.decode("utf-8", "replace")
    n_bad = lenient.count("\ufffd")
    n_good = sum(ord(character) > 127 for character in lenient) - n_bad
    if n_good > n_bad or (n_bad == 1 and first_bad >= len(data) - 3):
        return _replacing(data, "utf-8")
    name = _guess(data[first_bad : first_bad + _SAMPLE], data[max(0, first_bad - 2000) : first_bad])
    return _replacing(data, name, (f"the file is not UTF-8; the encoding {name} was assumed",))


def _replacing(data: bytes, name: str, warnings: tuple[str, ...] = ()) -> Decoded:
    text = data.decode(name, "replace").removeprefix("\ufeff")
    n_bad = text.count("\ufffd") - (data.count(b"\xef\xbf\xbd") if name == "utf-8" else 0)
    if n_bad > 0:
        warnings = (*warnings, f"{n_bad} places are not valid {name} and became U+FFFD")
    return Decoded(text, name, warnings)


def _guess(sample: bytes, before: bytes) -> str:
    western = (before + sample).decode("cp1252", "replace")
    letters = [c for c in western if c.isalpha()]
    accented = sum(ord(c) > 127 for c in letters)
    # Short Western text is guessed wrongly more often than not, and it is the usual case.
    most = _WESTERN_AT_MOST_IN_FEW if accented < _FEW else _WESTERN_AT_MOST
    if "\ufffd" not in western and accented <= most * max(len(letters), 1):
        return "cp1252"
    from charset_normalizer import from_bytes

    best = from_bytes(before + sample, cp_exclusion=list(_MAINFRAME)).best()
    return best.encoding if best is not None else "cp1252"
