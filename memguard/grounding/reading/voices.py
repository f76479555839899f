"""Voices: who "I", "you" and "we" are in a source, and whether it takes up what was said before it."""

from __future__ import annotations

import re
from functools import lru_cache

from memguard.grounding.reading.words import words

_AGREEING = re.compile(
    r"""^\W*(?:
      yes|yeah|yep|yup|yea|sure|ok|okay|fine|agreed|deal|exactly|right|of\ course|true|definitely|absolutely
    | sounds\ (?:good|great|fine)|me\ too|same\ here|so\ do\ i|me\ neither|good\ (?:idea|point|plan|call)
    | great|perfect|will\ do|no\ problem|i\ agree|go\ (?:for|with|ahead)|that\ works|works\ for\ me|i'm\ in
    | cool|alright|all\ right|done|got\ it|you're\ right|indeed|certainly|mm-?hm+|uh-?huh|please\ do|correct
    | no|nope|nah
    )\b | ^\W*i\ (?:will|do|did|am|have)\s*(?:[.,!;]|$)""",
    re.IGNORECASE | re.VERBOSE,
)
_JOINING = re.compile(
    r"\b(?:me too|me neither|same here|so (?:do|did|am|have|will) i|neither (?:do|did|am) i"
    r"|likewise|us too)\b",
    re.IGNORECASE,
)
_AFFIRMING = re.compile(
    r"^\W*(?:yes|yeah|yep|yup|sure|of course|indeed|once|twice|several times|often"
    r"|i (?:did|do|have|am)\b(?! not|n't))",
    re.IGNORECASE,
)
_DENYING = re.compile(r"^\W*(?:no|nope|nah|not|never|can't|sorry)\b", re.IGNORECASE)
_REQUESTING = re.compile(r"\b(?:can|could|will|would|won't) you\b|\bplease\b", re.IGNORECASE)
_SHARED = frozenset(
    {"we", "we'll", "we're", "we've", "us", "our", "ours", "let's", "lets", "both", "everyone", "together"}
)
_ADDRESSED = frozenset({"you", "your", "yours", "u", "ur", "you're", "you'll", "you've", "yourself"})
_BETWEEN = frozenset({"just", "finally", "soon", "never", "always", "definitely", "probably", "now", "later"})
_SUBJECT_REACH = 6
_FIRST = frozenset({"i", "i'm", "i'll", "i've", "i'd", "my", "me", "mine", "im", "ive", "myself"})


@lru_cache(maxsize=65_536)
def lowers(text: str) -> frozenset[str]:
    """Return the case-folded words of a text, contractions whole as well as cut."""
    found = words(text)
    return frozenset(w.lower for w in found) | frozenset(w.text.casefold().replace("’", "'") for w in found)


def agrees(text: str) -> bool:
    """Tell whether a text opens as an answer that takes up what was said before it."""
    return _AGREEING.match(text) is not None


def speaks_of_self(text: str) -> bool:
    """Tell whether a text says something of its speaker ("I", "my")."""
    return bool(lowers(text) & _FIRST)


@lru_cache(maxsize=65_536)
def subject_of(text: str, key: str) -> str:
    """Return who does a verb in a text: ``i``, ``you``, ``we``, another word, or empty if unsure."""
    found = words(text)
    for at, word in enumerate(found):
        if word.key != key:
            continue
        if at == 0 and word.lemma != word.lower:
            return "i"  # "Found them under the bench."
        for before in reversed(found[max(0, at - _SUBJECT_REACH) : at]):
            written = before.text.casefold().replace("’", "'")
            if written in _FIRST - {"my", "me", "mine", "myself"}:
                return "i"
            if written in _ADDRESSED - {"your", "yours"}:
                return "you"
            if written in _SHARED - {"us", "our", "ours"}:
                return "we"
            if before.lower in {"he", "she", "they", "it", "who", "that"} or before.is_name:
                return before.lower
            if not before.is_stop and not before.lower.endswith("ly") and before.lower not in _BETWEEN:
                break  # another verb stands between: "I'd like an appointment"
    return ""


def affirms(text: str) -> bool:
    """Tell whether a text opens as a yes to a question."""
    return _AFFIRMING.match(text) is not None


def speaks_of_us(text: str) -> bool:
    """Tell whether a text says something of its speaker and others ("we", "let's", "both")."""
    return bool(lowers(text) & _SHARED)


def denies(text: str) -> bool:
    """Tell whether a text opens as a no."""
    return _DENYING.match(text) is not None


def requests(text: str) -> bool:
    """Tell whether a text asks the other to do something."""
    return _REQUESTING.search(text) is not None


def joins_in(text: str) -> bool:
    """Tell whether a text says that its speaker does the same ("me too", "so do I")."""
    return _JOINING.search(text) is not None


def addresses(text: str) -> bool:
    """Tell whether a text says something of whom it is said to ("you", "your")."""
    return bool(lowers(text) & _ADDRESSED)
