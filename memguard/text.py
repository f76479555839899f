"""Two facts about a text that every part of MemGuard must agree on."""

from __future__ import annotations

import re

_SURROGATE = re.compile("[\ud800-\udfff]")
_INVISIBLE = re.compile("[\\s\u00ad\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff]+")


def is_blank(text: str) -> bool:
    """Return whether ``text`` holds nothing but white space and zero-width characters."""
    return not _INVISIBLE.sub("", text)


def well_formed(text: str) -> str:
    """Replace lone surrogates, which no encoding can write, by U+FFFD (ING-009)."""
    return _SURROGATE.sub("\ufffd", text)
