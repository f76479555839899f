"""Content words cut to stems, by a rule that never changes: what was made by a seed is made again."""

from __future__ import annotations

import re

_WORD = re.compile(r"\w+")
_STOP = frozenset(
    "a an the and or but if of to in on at by for from with as is are was were be been am it its this that "
    "these those he she they him her them his hers their i me my you your we us our do does did have has had "
    "will would can could should not no so there here what which who when where how than then too very "
    "just".split()
)
_SUFFIX = re.compile(r"(?:ing|ed|es|s|ly)$")


def content_stems(text: str) -> list[str]:
    """Return the words of a text in lower case, stop words out, with common endings cut off."""
    stems = []
    for word in _WORD.findall(text.lower()):
        if word not in _STOP:
            short = _SUFFIX.sub("", word)
            stems.append(short if len(short) >= 3 else word)
    return stems
