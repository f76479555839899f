"""Full stops and their like: whether a sentence ends at one."""

from __future__ import annotations

import re

from memguard.segmentation import words
from memguard.segmentation.edges import lstrip

_EMOJI = "(?:[\u2190-\u2bff\ufe0f\u200d\U0001f000-\U0001faff]|[:;]-?[)(DP])"
_CLOSERS = "[\"'”’»)\\]}*_]*+"
_OPENERS = '([{"“‘«„'
STOP = re.compile(rf"(?<![.!?…])([.!?…]++)({_CLOSERS})(\s++(?:{_EMOJI}++\s++)?)(?=\S)")
FULL_STOP = re.compile("[。！？｡．।॥؟۔።]++(?=\\s*+[^\\s。！？｡．।॥؟۔።\"'”’»）」』)\\]])")
_PLACE_TIME = re.compile(r"(?:[^\W\d_a-z][\w.'’-]*\s+){1,3}[Tt]ime\b")
"""The clocks of a place: "New York time", "Eastern Standard Time"."""
_ZONE = re.compile(
    r"(?:Eastern|Central|Mountain|Pacific|Atlantic|Zulu)"
    r"(?=[^\w\s]|\s*\Z|\s+(?:on|and|or|to|until|for|today|tomorrow|if|so|but)\b)"
)
_ACRONYM = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]\Z")
_IDENTIFIER = re.compile(r"#?[A-Za-z]{0,6}[-/#]?\d")


def ends_sentence(text: str, stop: re.Match[str], start: int) -> bool | None:
    """Decide whether a sentence ends at ``stop``; None leaves it to the library.

    Args:
        text: The whole text.
        stop: A match of ``STOP``.
        start: Where the sentence began.
    """
    marks, closers, gap = stop.groups()
    head = text[max(start, stop.start() - 40) : stop.start()]
    word = head.split()[-1].lstrip(_OPENERS + "'*_") if head.strip() and not head[-1].isspace() else ""
    following = text[stop.end() : stop.end() + 40]
    first = following[0]
    if (
        marks == "."
        and closers in ("", ")")
        and word.isdecimal()
        and _counts(text, word, start, stop.start())
    ):
        return False
    if marks == "." and not closers:
        known, decision = _after_abbreviation(head, word, following)
        if known:
            return decision
        if word.isalnum() and len(word) > 1 and _first_word(following) in words.STARTERS:
            return True
        if word.isalpha() and word.islower() and len(word) > 1 and first.isupper():
            return True
        if word.isupper() and len(word) > 1 and first.isupper() and not _first_word(following).isupper():
            return True
        if word.isalpha() and len(word) > 1 and (first.isdecimal() or first in "$€£"):
            return True
    if first in _OPENERS or (gap.strip() and not first.islower()):
        return True
    if first.islower():
        return _before_lower_case(text, word, _first_word(following), marks + closers, start)
    if marks[-1] not in "!?" or not (first.isupper() or first.isdecimal()):
        return None
    # A capitalised word before a lone "!" may be a name (Yahoo! Mail).
    return True if marks != "!" or word.islower() or _first_word(following) in words.STARTERS else None


def _counts(text: str, number: str, start: int, end: int) -> bool:
    """Return whether ``number`` alone is the sentence so far and counts an item of a list.

    It does at the start of a line, and after the item before it.
    """
    if end - start > 12 or text[start:end].strip() != number:
        return False
    line = re.split(r"[\r\n]", text[max(0, start - 240) : start])[-1]
    if not line.strip():
        return len(number) <= 3
    return re.search(rf"(?:^|\s){int(number) - 1}\.\)?\s", line) is not None


def _before_lower_case(text: str, word: str, token: str, stop: str, start: int) -> bool | None:
    if stop[-1] not in ".!?" or "…" in stop or ".." in stop:  # a quotation or a pause goes on
        return False
    if "?" in stop:
        return True
    if "!" in stop:
        return True if word.islower() else None
    if len(word) < 2 or not word.replace(".", "").isalnum():
        return None
    # Who began this message or sentence in lower case begins the next sentence so too.
    in_lower_case = any(lstrip(text[place : place + 40])[:1].islower() for place in (0, start))
    return True if in_lower_case or token in words.CHAT_STARTERS else None


def _after_abbreviation(head: str, word: str, following: str) -> tuple[bool, bool | None]:
    """Return whether ``word.`` is an abbreviation or an initial and, if so, whether a sentence ends."""
    first, token = following[0], _first_word(following)
    if word in words.TITLES or ((first.islower() or word.isupper()) and word.capitalize() in words.TITLES):
        return True, False
    if word in words.NEVER_LAST or word.lower() in words.NEVER_LAST:
        return True, False
    if word.lower() in words.REFERS:
        if token in words.STARTERS:
            return True, True
        if _IDENTIFIER.match(following):
            return True, None if word in words.AMBIGUOUS else False
        return word.lower() not in words.AMBIGUOUS, None
    if word in words.CALENDAR and first.isdecimal():
        day = re.match(r"\d+", following)
        return True, False if day and (int(day[0]) <= 31 or len(day[0]) == 4) else None
    if word in words.MAY_BE_LAST or word.capitalize() in words.MAY_BE_LAST or _ACRONYM.match(word):
        return True, _after_possible_end(word, first, token, following)
    if len(word) == 1 and word.isalpha():
        before = head.split()[-2:-1]
        numbered = bool(before) and before[0][-1].isdecimal() and first.isupper()
        return True, True if token in words.STARTERS or numbered else None
    return False, None


def _after_possible_end(word: str, first: str, token: str, following: str) -> bool | None:
    if token in words.STARTERS:
        return True
    if first.islower():
        return False
    if word.lower() in {"a.m", "p.m"} and first.isupper():
        return not (
            token in words.AFTER_TIME
            or _ZONE.match(following)
            or (token not in words.NO_PLACE and _PLACE_TIME.match(following))
        )
    if word == "al" and first in _OPENERS:
        return False
    if word in words.COUNTRIES and first.isupper():
        return bool(re.match(r"\S+ [^\W\d_A-Z]", following))
    return None


def _first_word(following: str) -> str:
    return re.split(r"[\s,;:.!?)\]]", following, maxsplit=1)[0]
