"""Spoken text without what speaking adds, for reading only: what is shown stays verbatim.

Transcripts of speech repeat words and fill pauses. Repeated denials ("no, no, no bleeding") would
cancel each other out for a reader of polarity, and a postcode spelled in words meets no written one.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memguard.grounding.reading.words import content_keys

_FILLERS = re.compile(
    r"\[(?:unintelligible|inaudible|laughter|laughs|crosstalk|noise|silence|pause)[^\]]{0,20}\]"
    r"|(?<![\w'’])(?:u+h+m*|u+m+|e+r+m*|hm+|mm+)(?![\w'’])[,.]?(?=\s|$)"
    r"|\b(?:sort|kind) of\b,?|\byou know,",
    re.IGNORECASE,
)
_NOISES = frozenset(
    "um uhm uh er erm hm hmm mm mhm ah oh nah yep yup ok unintellig inaudible gonna wanna lol haha".split()
)
_REPEATED = re.compile(r"\b(\w{1,20}(?:['’]\w{1,3})?)(?:[\s,]{1,3}\1\b)+", re.IGNORECASE)
_DIGITS = dict(
    zip("zero oh one two three four five six seven eight nine".split(), "00123456789", strict=True)
)
_DIGIT = "(?:" + "|".join(_DIGITS) + ")"
_SPELLED = re.compile(rf"\b([A-Z]{{1,3}})((?:[ -]{_DIGIT}){{1,8}})(?:[ -]([A-Z]{{1,3}}))?\b")


@lru_cache(maxsize=16_384)
def without_disfluencies(text: str) -> str:
    """Return a text without fillers and repeated words, spelled codes joined ("NW three six PQ")."""
    plain = " ".join(_FILLERS.sub(" ", text).split())
    return _SPELLED.sub(_joined, _REPEATED.sub(r"\1", plain))


def _joined(match: re.Match[str]) -> str:
    digits = "".join(_DIGITS[word] for word in re.split(r"[ -]", match[2].strip(" -").lower()))
    if match[3] and len(digits) > 1:  # a code in two groups, the second from its last digit on
        return f"{match[1]}{digits[:-1]} {digits[-1]}{match[3]}"
    return f"{match[1]}{digits}{match[3] or ''}"


def telling_keys(text: str) -> frozenset[str]:
    """Return the keys of the content words of a text, those that only fill a pause left out."""
    return content_keys(text) - _NOISES
