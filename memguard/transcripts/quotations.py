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
_OWN, _QUOTED, _INTRODUCING = "own", "quoted", "introducing"
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

    def holds(self, body: Sequence[str]) -> bool:
        """Return whether quoted lines, without their marks, are in these mails."""
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
    kept: list[str] = []
    n_left_out = n_kept = 0
    for is_own, group in groupby(_kinds(text.split("\n")), key=lambda pair: pair[0] == _OWN):
        block = list(group)
        lines = [line for _, line in block]
        if is_own:
            kept += _without_blank_start(lines) if kept and not kept[-1] else lines
            continue
        missing = [part for part in _paragraphs(block) if not at_hand.holds(_said(part))]
        n_missing = sum(map(len, missing))
        n_left_out += sum(map(_is_visible, lines)) - n_missing
        n_kept += n_missing
        kept = [*_without_blank_end(kept), ""]
        for part in missing:
            kept += [line if _MARK.match(line) else f"> {line}" for _, line in part]
            kept.append("")
    return Unquoted("\n".join(kept).strip("\n").rstrip(), n_left_out, n_kept)


def _paragraphs(block: Sequence[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """Return the parts between lines with nothing but marks; what names a mail's sender is with its words."""
    parts: list[list[tuple[str, str]]] = []
    for visible, group in groupby(block, key=lambda pair: _is_visible(pair[1])):
        if not visible:
            continue
        if parts and not _said(parts[-1]):
            parts[-1] += group
        else:
            parts.append(list(group))
    return parts


def _said(part: Sequence[tuple[str, str]]) -> list[str]:
    """Return the lines, without marks, that are somebody's words and do not only introduce them."""
    plain = [_MARKS.sub("", line, count=1) for kind, line in part if kind == _QUOTED]
    introducing = (_INTRODUCTION, _DIVIDER, _FIELD)
    return [line for line in plain if not any(pattern.match(line) for pattern in introducing)]


def _is_visible(line: str) -> bool:
    return bool(line.strip(" >\t"))


def _without_blank_start(lines: list[str]) -> list[str]:
    start = 0
    while start < len(lines) and not lines[start].strip():
        start += 1
    return lines[start:]


def _without_blank_end(lines: list[str]) -> list[str]:
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return lines[:end]


def _kinds(lines: Sequence[str]) -> list[tuple[str, str]]:
    """Return each line with what it is; blank lines inside a quotation belong to it."""
    for at, line in enumerate(lines):
        outlook = _OUTLOOK.match(line) and any(map(_OUTLOOK_NEXT.match, lines[at + 1 : at + 4]))
        if _DIVIDER.match(line) or outlook:
            return [*_kinds(lines[:at]), *((_QUOTED, rest) for rest in lines[at:])]
    kinds = [_QUOTED if _MARK.match(line) else _OWN for line in lines]
    starts = [
        at for at, kind in enumerate(kinds) if kind == _QUOTED and not (at and kinds[at - 1] == _QUOTED)
    ]
    for start in starts:
        first = _introduction(lines, start)
        kinds[first:start] = [_INTRODUCING] * (start - first)
    for at in range(1, len(lines) - 1):
        if not lines[at].strip() and _OWN not in (kinds[at - 1], kinds[at + 1]):
            kinds[at] = _QUOTED
    return list(zip(kinds, lines, strict=True))


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
