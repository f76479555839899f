"""Forms of names: whether a text has a name, in whatever form it writes it."""

from __future__ import annotations

import re
from functools import lru_cache

from memguard.grounding.inquiry import Inquiry
from memguard.grounding.reading.aliases import ALWAYS_KNOWN, country_of, same_first_name
from memguard.grounding.reading.names import Name, fold, initials, initials_of, names, vocabulary
from memguard.grounding.sources import Source

_RUN_TOGETHER = 5
"""Letters from which a word may be met inside another ("YouTube" in "you tube")."""
_SHORTEST_ACRONYM = 2
_SHORTEST_ID = 4


def holds(name: Name, source: Source) -> bool:
    """Tell whether a source has a name, whole, as an acronym, or a part of it."""
    if name.is_technical:
        return has_technical(name, source.text)
    return has_acronym(name, source.text) or any(has_piece(p, source.text) for p in name.pieces if p != "and")


@lru_cache(maxsize=65_536)
def has_piece(piece: str, text: str) -> bool:
    """Tell whether a text has one folded word of a name, also as plural, people or short form."""
    if piece in ALWAYS_KNOWN or len(piece) == 1:
        return True
    found = vocabulary(text)
    if piece in found or piece.rstrip("s") in found or piece + "s" in found:
        return True
    if len(piece) >= _RUN_TOGETHER and piece in _squashed(text):
        return True
    place = country_of(piece)
    if place is not None and any(country_of(word) == place for word in found):
        return True
    return any(same_first_name(piece, other) for name in names(text) for other in name.pieces)


@lru_cache(maxsize=65_536)
def has_acronym(name: Name, text: str) -> bool:
    """Tell whether a text has the long form of an acronym, or the acronym of a long form."""
    if name.is_acronym:
        return name.acronym in initials(text) or name.acronym in vocabulary(text)
    full = initials_of(name)
    return len(full) >= _SHORTEST_ACRONYM and any(n.is_acronym and n.acronym == full for n in names(text))


@lru_cache(maxsize=65_536)
def has_technical(name: Name, text: str) -> bool:
    """Tell whether a text has a path, id or variable letter by letter, case and separators aside."""
    written = name.text.casefold().rstrip("()")
    at = text.casefold().find(written)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(written) : at + len(written) + 1]
        if not (before.isalnum() or before == "_" or after.isalnum() or after == "_"):
            return True
        at = text.casefold().find(written, at + 1)
    bare = re.sub(r"[\W_]", "", written)
    if any(re.sub(r"[\W_]", "", n.text.casefold()) == bare for n in names(text)):
        return len(bare) >= _SHORTEST_ID
    return name.shape == "A0" and bool(re.search(r"\b" + r"\W?".join(bare) + r"\b", text.casefold()))


def is_speaker(name: Name, inquiry: Inquiry) -> bool:
    """Tell whether a name is, or is part of, a speaker's."""
    return any(piece in vocabulary(speaker) for piece in name.pieces for speaker in inquiry.speakers)


@lru_cache(maxsize=16_384)
def _squashed(text: str) -> str:
    return "".join(c for c in fold(text) if c.isalnum())
