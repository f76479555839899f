"""Quoted text of earlier mails: which lines of a mail its sender did not write.

Recognised are lines with ``>``, and what follows a divider such as ``-----Original Message-----`` or
an Outlook header block (From, Sent, To, Subject). The line that introduces a quotation (``On Monday,
Ana wrote:``) belongs to it. Compared: ``mail-parser-reply`` and ``quotequail`` find such places too,
with more languages, but do not tell whether the quoted mail is at hand, on which it depends whether
leaving it out loses anything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

_MARK = re.compile(r"[ \t]?>")
_MARKS = re.compile(r"(?:[ \t]?>)+[ \t]?")
_INTRODUCTION = re.compile(
    r"[ \t]*(?:On\b.{4,200}\bwrote|Am\b.{4,200}\bschrieb\b.{0,100}|Le\b.{4,200}\ba écrit|"
    r"El\b.{4,200}\bescribió|Il\b.{4,200}\bha scritto|Em\b.{4,200}\bescreveu|Op\b.{4,200}\bschreef\b.{0,100}|"
    r"Den\b.{4,200}\bskrev\b.{0,100}|W dniu\b.{4,200}\bpisze|.{3,200}<[^<>]{3,100}> wrote|"
    r".{3,200}\bнаписал(?:а|\(а\))?)\s?[:：]\s*\Z"
)
_DIVIDER = re.compile(
    r"[ \t]*(?:-{2,}[ ]?(?:Original Message|Ursprüngliche Nachricht|Message d'origine|Mensaje original|"
    r"Messaggio originale|Mensagem original|Oorspronkelijk bericht|Forwarded message|"
    r"Weitergeleitete Nachricht)[ ]?-{2,}|_{20,})[ \t]*\Z",
    re.IGNORECASE,
)
_OUTLOOK = re.compile(r"[ \t]*\*?(?:From|Von|De|Da|Van)[ ]?:\*?[ \t]+\S")
_FIELD = re.compile(
    r"[ \t]*\*?(?:From|Sent|To|Cc|Subject|Date|Von|Gesendet|An|Betreff|Datum|De|Envoyé|À|"
    r"Objet|Enviado|Para|Asunto)[ ]?:"
)
_OUTLOOK_NEXT = re.compile(
    r"[ \t]*\*?(?:Sent|Date|Gesendet|Datum|Envoyé|Enviado|Fecha|Data|Inviato|Verzonden)[ ]?:"
)
_WORDS = re.compile(r"\w+")
_SHINGLE = 4
"""So many words in a row tell that two texts are one; a line is broken anew in a quotation."""
_SHARED = 0.8
"""A quotation of which this part is in earlier mails is one of them."""


class AtHand:
    """The words of the mails that are at hand, to find a quotation in them."""

    def __init__(self) -> None:
        """Start without any mail."""
        self._lines: set[str] = set()
        self._shingles: set[tuple[str, ...]] = set()

    def add(self, text: str) -> None:
        """Add the text of a mail."""
        self._lines.update(" ".join(_words(line)) for line in text.split("\n"))
        self._shingles.update(_shingles(_words(text)))

    def holds(self, block: Sequence[str]) -> bool:
        """Return whether quoted lines are in these mails; what introduces a quotation does not count."""
        body = [_MARKS.sub("", line, count=1) for line in block]
        body = [line for line in body if not any(p.match(line) for p in (_INTRODUCTION, _DIVIDER, _FIELD))]
        shingles = _shingles([word for line in body for word in _words(line)])
        if not shingles:
            return all(" ".join(_words(line)) in self._lines for line in body if _words(line))
        return sum(shingle in self._shingles for shingle in shingles) >= _SHARED * len(shingles)


def _words(text: str) -> list[str]:
    return _WORDS.findall(text.casefold())


def _shingles(words: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(words[i : i + _SHINGLE]) for i in range(len(words) - _SHINGLE + 1)]


@dataclass(frozen=True, slots=True)
class Unquoted:
    """The text of a mail without the quotations of mails that are at hand.

    Attributes:
        text: What is left; a quotation of a mail that is not at hand stays, each line behind ``>``.
        n_left_out: Lines that were left out.
        n_kept: Quoted lines that were kept.
    """

    text: str
    n_left_out: int = 0
    n_kept: int = 0


def unquote(text: str, at_hand: AtHand) -> Unquoted:
    """Leave out the quotations of mails that are at hand.

    Args:
        text: The text of a mail.
        at_hand: The mails before it.
    """
    lines = text.split("\n")
    kept: list[str] = []
    n_left_out = n_kept = 0
    for is_quoted, group in groupby(zip(_quoted(lines), lines, strict=True), key=itemgetter(0)):
        block = [line for _, line in group]
        n_visible = sum(bool(line.strip(" >\t")) for line in block)
        if not is_quoted:
            kept += block
        elif at_hand.holds(block):
            n_left_out += n_visible
            kept = [*_without_blank_end(kept), ""]
        else:
            n_kept += n_visible
            kept += [line if _MARK.match(line) or not line.strip() else f"> {line}" for line in block]
    return Unquoted("\n".join(kept).strip("\n").rstrip(), n_left_out, n_kept)


def _without_blank_end(lines: list[str]) -> list[str]:
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return lines[:end]


def _quoted(lines: Sequence[str]) -> list[bool]:
    """Return for each line whether it is quoted; blank lines inside a quotation are."""
    for at, line in enumerate(lines):
        outlook = _OUTLOOK.match(line) and any(map(_OUTLOOK_NEXT.match, lines[at + 1 : at + 4]))
        if _DIVIDER.match(line) or outlook:
            return [*_quoted(lines[:at]), *[True] * (len(lines) - at)]
    quoted = [_MARK.match(line) is not None for line in lines]
    starts = [at for at, mine in enumerate(quoted) if mine and not (at and quoted[at - 1])]
    for start in starts:
        first = _introduction(lines, start)
        quoted[first:start] = [True] * (start - first)
    for at in range(1, len(lines) - 1):
        if not lines[at].strip() and quoted[at - 1] and quoted[at + 1]:
            quoted[at] = True
    return quoted


def _introduction(lines: Sequence[str], start: int) -> int:
    """Return where the introduction of the quotation at ``start`` begins; ``start`` if it has none."""
    last = next((at for at in range(start - 1, max(-1, start - 4), -1) if lines[at].strip()), None)
    if last is None:
        return start
    if _INTRODUCTION.match(lines[last]):
        return last
    if last and _INTRODUCTION.match(f"{lines[last - 1].rstrip()} {lines[last].strip()}"):
        return last - 1  # a mail program breaks a long one in two
    return start
