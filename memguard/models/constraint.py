"""Words that a summary may not invent: numbers, and words with a capital, that its window lacks.

A small model reasons badly but need not make anything up. While it writes, every token is forbidden
that would begin, continue or end a number or a capitalised word otherwise than the window has it, so
none can come out. The idea is constrained decoding (Hokamp and Liu 2017; Geng et al. 2023) with the
automaton of one window: the prefixes of its numbers and words.

Small letters are free: what the model says about the names is what elimination judges.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

STARTERS = frozenset(
    "the a an this that these those it its they their he his she her there both all one neither nobody "
    "someone everyone if when while after before because since until although however but and so for in "
    "on at by from with without no not yes".split()
)
"""Words that may begin a sentence with a capital, whether the window holds them or not."""

_PIECE = re.compile(r"\d+(?:[.,:/]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*")
_TAIL = re.compile(r"(?:\d+(?:[.,:/]\d+)*[.,:/]?|[^\W\d_]+(?:['’][^\W\d_]+)*['’]?)\Z")
_START = re.compile(r"(?:^|[.!?][\"')\]]*\s+)[\s\"'(\[]*\Z")
_STOP = re.compile(r"[.!?][\"')\]]*\Z")
_MARKS = ".,:/'’"
"""What can be inside a number or a word, and can end one as well."""
_BROKEN = "\ufffd"
"""What a token decodes to that is a part of a character."""
_ANY_SMALL = "\ua74f"
"""Stands for every unfinished word in small letters that no word of the window begins with."""


def foreign_words(text: str, source: str) -> list[str]:
    """Return the numbers and the capitalised words of ``text`` that ``source`` does not hold.

    Numbers are compared whole ("12" is not in "120" nor "5" in "5:30"), words without case and with or
    without "'s". A word at the start of a sentence may also be one of :data:`STARTERS`.
    """
    known = known_pieces(source)
    return [
        match[0]
        for match in _PIECE.finditer(text)
        if _is_bound(match[0])
        and _folded(match[0]) not in known
        and not (_folded(match[0]) in STARTERS and _START.search(text[: match.start()]))
    ]


def known_pieces(source: str) -> frozenset[str]:
    """Return the numbers and words of a source, folded, words with and without "'s"."""
    known: set[str] = set()
    for match in _PIECE.finditer(source):
        piece = _folded(match[0])
        known.add(piece)
        if not piece[0].isdigit():
            known |= {piece.removesuffix("'s"), piece.removesuffix("'s") + "'s"}
    return frozenset(known)


def _folded(piece: str) -> str:
    return piece.lower().replace("’", "'")


def _is_bound(piece: str) -> bool:
    """Return whether a piece is a number or has a capital: what the window must hold."""
    return piece[:1].isdecimal() or piece != piece.lower()


@dataclass(frozen=True, slots=True)
class _Tail:
    """The unfinished end of a text: its last number or word, and what stands before it.

    ``before`` is "" or ". " where a sentence starts, "." just after a stop, "x" elsewhere.
    """

    before: str
    piece: str

    @classmethod
    def of(cls, text: str) -> _Tail:
        match = _TAIL.search(text)
        piece = match[0] if match else ""
        head = text[: len(text) - len(piece)]
        return cls(". " if _START.search(head) else "." if _STOP.search(head) else "x", piece)


class TokenTable:
    """What each token of a vocabulary adds to a text; made once a model.

    Attributes:
        texts: What each token decodes to alone.
        free: bool of shape (vocabulary,): tokens that hold no number and no capital.
        closing: Those of them that end whatever word or number stands before.
        letters: Those of them that begin with a letter: they end a number and go on with a word.
        bound_letters: Tokens with a capital that begin with a letter.
        digits: Tokens that begin with a digit.
        joints: Tokens that begin with a mark that may also be inside a number or a word.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        """Sort tokens by their text."""
        self.texts = tuple(texts)
        self.free = np.zeros(len(texts), dtype=np.bool_)
        self.closing = np.zeros(len(texts), dtype=np.bool_)
        self.letters = np.zeros(len(texts), dtype=np.bool_)
        self.bound_letters = np.zeros(len(texts), dtype=np.bool_)
        self.digits = np.zeros(len(texts), dtype=np.bool_)
        self.joints: list[int] = []
        self._by_run: dict[str, list[int]] = defaultdict(list)
        for number, text in enumerate(texts):
            self._sort(number, text)

    def _sort(self, number: int, text: str) -> None:
        runs = [match[0] for match in _PIECE.finditer(text)]
        if not text or _BROKEN in text or len(runs) > 1:
            return  # parts of characters and control tokens are never written
        free = not (runs and _is_bound(runs[0]))
        begins = bool(runs) and text.startswith(runs[0])
        self.free[number] = free
        self.letters[number] = free and begins
        self.digits[number] = begins and text[0].isdecimal()
        self.bound_letters[number] = begins and not free and not text[0].isdecimal()
        self.closing[number] = free and not begins and text[0] not in _MARKS
        if text[0] in _MARKS:
            self.joints.append(number)
        if runs:
            self._by_run[_folded(runs[0])].append(number)

    def with_run(self, run: str) -> Sequence[int]:
        """Return the tokens whose only number or word is ``run``, folded."""
        return self._by_run.get(run, ())


class WindowConstraint:
    """Says for one window which tokens may come next.

    Attributes:
        known: The numbers and words of the window, folded.
    """

    def __init__(self, table: TokenTable, source: str) -> None:
        """Take a model's tokens and what the summary is of, speakers' names included."""
        self._table = table
        self.known = known_pieces(source)
        self._prefixes = {piece[:n] for piece in self.known for n in range(1, len(piece) + 1)}
        self._start_prefixes = {word[:n] for word in STARTERS for n in range(1, len(word) + 1)}
        self._opening: dict[str, NDArray[np.bool_]] = {}
        self._masks: dict[_Tail, NDArray[np.bool_]] = {}

    def allowed(self, text: str) -> NDArray[np.bool_]:
        """Return which tokens may follow a lawful ``text``: bool of shape (vocabulary,)."""
        tail = _Tail.of(text)
        if tail.piece and not _is_bound(tail.piece) and _folded(tail.piece) not in self._prefixes:
            tail = _Tail("x", _ANY_SMALL)
        mask = self._masks.get(tail)
        if mask is None:
            mask = self._masks[tail] = self._mask(tail)
        return mask

    def may_end(self, text: str) -> bool:
        """Return whether ``text`` may stop here: its last number or word is whole."""
        return self._is_whole(_Tail.of(text))

    def _mask(self, tail: _Tail) -> NDArray[np.bool_]:
        table, piece = self._table, tail.piece
        if not piece:
            mask = table.free | self._openers(tail.before)
        else:
            is_number, bound = piece[0].isdecimal(), _is_bound(piece)
            if bound and not self._is_whole(tail):
                mask = np.zeros(len(table.texts), dtype=np.bool_)
            else:
                goes_on = table.digits if is_number else table.bound_letters
                mask = (table.closing if bound else table.free) | (self._openers("x") & ~goes_on)
                if is_number:
                    mask |= table.letters
        for number in self._doubtful(piece):
            mask[number] = self._fits(tail, table.texts[number])
        return mask

    def _openers(self, before: str) -> NDArray[np.bool_]:
        """Return the tokens with a number or capital that may follow a blank or a whole piece."""
        mask = self._opening.get(before)
        if mask is None:
            mask = np.zeros(len(self._table.texts), dtype=np.bool_)
            for prefix in self._prefixes | self._start_prefixes:
                for number in self._table.with_run(prefix):
                    mask[number] = self._fits(_Tail(before, ""), self._table.texts[number])
            self._opening[before] = mask
        return mask

    def _doubtful(self, piece: str) -> Iterator[int]:
        """Return the tokens that hang on the unfinished piece: those that go on with it."""
        yield from self._table.joints
        if not piece:
            return
        folded = _folded(piece)
        for prefix in self._prefixes | self._start_prefixes:
            if prefix.startswith(folded):
                yield from self._table.with_run(prefix[len(folded) :])

    def _fits(self, tail: _Tail, token: str) -> bool:
        """Return whether a token may follow: all that it ends is known, all that it leaves open can be."""
        if not token or _BROKEN in token:
            return False
        text = tail.piece + token
        match = _TAIL.search(text)
        end = match.start() if match else len(text)
        for closed in _PIECE.finditer(text[:end]):
            if not self._is_lawful(closed[0], tail.before + text[: closed.start()]):
                return False
        return match is None or self._can_be(match[0], tail.before + text[:end])

    def _is_whole(self, tail: _Tail) -> bool:
        piece = tail.piece.rstrip(_MARKS)
        return not piece or self._is_lawful(piece, tail.before)

    def _is_lawful(self, piece: str, before: str) -> bool:
        folded = _folded(piece)
        if not _is_bound(piece) or folded in self.known:
            return True
        return folded in STARTERS and bool(_START.search(before))

    def _can_be(self, piece: str, before: str) -> bool:
        """Return whether an unfinished piece is lawful or can become so."""
        if self._is_lawful(piece.rstrip(_MARKS), before) or _folded(piece) in self._prefixes:
            return True
        return _folded(piece) in self._start_prefixes and bool(_START.search(before))
