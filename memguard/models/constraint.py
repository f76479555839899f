"""Words that a summary may not invent: numbers, and words with a capital, that its window lacks.

A summarizer that is small reasons badly but need not make anything up: while it writes, every token
that would begin or continue a foreign number or a foreign capitalised word is forbidden.
"""

from __future__ import annotations

import re

STARTERS = frozenset(
    "the a an this that these those it its they their he she his her there both all one neither nobody "
    "someone everyone if when while after before because since until although however but and so for in "
    "on at by from with without no not yes".split()
)
"""Words that may begin a sentence with a capital, whether the window holds them or not."""
_PIECE = re.compile(r"\d+|[^\W\d_]+(?:['’][^\W\d_]+)*")
_SENTENCE_START = re.compile(r"(?:^|[.!?][\"')\]]*\s+)[\"'(\[]*$")


def pieces_of(text: str) -> list[tuple[str, int]]:
    """Return the runs of digits and of letters of a text, with their places."""
    return [(match[0], match.start()) for match in _PIECE.finditer(text)]


def is_capital(piece: str) -> bool:
    """Return whether a run of letters has an upper-case letter anywhere."""
    return any(character.isupper() for character in piece)


def foreign_words(text: str, source: str) -> list[str]:
    """Return the runs of digits and the capitalised words of ``text`` that ``source`` does not hold.

    Letters are compared without case, whole run by whole run, so "12" is not in "120". A word at the
    start of a sentence may also be one of :data:`STARTERS`. "Ana's" is in a source that holds "Ana".
    """
    known = known_pieces(source)
    foreign = []
    for piece, start in pieces_of(text):
        low = piece.lower().replace("’", "'")
        if not (piece.isdigit() or is_capital(piece)) or low in known:
            continue
        if low in STARTERS and _SENTENCE_START.search(text[:start]):
            continue
        foreign.append(piece)
    return foreign


def known_pieces(source: str) -> frozenset[str]:
    """Return what may be written of a source: its runs, lower-cased, with and without "'s"."""
    known = set()
    for piece, _ in pieces_of(source):
        low = piece.lower().replace("’", "'")
        known |= {low, low.removesuffix("'s"), f"{low.removesuffix(chr(39) + 's')}'s"}
    return frozenset(known)
