"""Secrets that talk gives away beside their label: "The password? It's …", "It's …, the PIN".

``labelled.py`` reads a label and then its value; here a question, a comma or a second sentence stands
between them, or the value comes first. A transcript's own role between question and answer is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memguard.privacy.authorization import is_stand_in
from memguard.privacy.findings import Kind, PrivacyFinding
from memguard.privacy.labelled import (
    CODES,
    DIGITS,
    FOR,
    PASSWORDS,
    PUNCTUATION,
    ends_clause,
    enough_digits,
    looks_unusual,
)
from memguard.privacy.phrases import STATES

_LABEL = rf"(?:(?P<pass>{PASSWORDS})|(?P<code>{CODES}|code|combination))"
_OWN = r"(?:the|my|our|your|his|her|their|that|das|mein|meine|die|el|la|le|mon|il|mi)"
_NAMED = rf"{_OWN}[ \t]{{1,3}}(?:[\w-]{{1,20}}[ \t]{{1,3}}){{0,2}}?{_LABEL}(?!\w)"
_IT_IS = (
    r"(?:(?:it|that|this)(?:['’]s|[ ](?:is|was|should[ ]be|would[ ]be))|es[ ]ist|das[ ]ist|c['’]est|è|es)"
    r"(?:[ ](?:now|still|just|currently))?"
)
_VALUE = r"(?P<open>[\"'“‘`«„])?(?P<value>[^\s\"”’`»]{3,256})"
_ASKED = re.compile(
    rf"(?i)(?<!\w){_LABEL}{FOR}[ ]?[?？][\"'”’)]{{0,2}}\s{{1,4}}(?:[A-Z][\w ]{{0,20}}:[ \t]{{1,3}})?"
    rf"(?P<it>{_IT_IS}[ \t]{{1,3}})?{_VALUE}"
)
_FIRST = re.compile(
    rf"(?i)(?<!\w){_IT_IS}[ \t]{{1,3}}{_VALUE}[\"'”’`»]?[ ]?(?:(?<=,)|[,–—-])[ \t]{{1,3}}{_NAMED}"
)
_THEN_NAMED = re.compile(
    rf"(?i)(?<!\S){_VALUE}[\"'”’`»]?[.!,;]{{0,2}}(?:[ ][-–—])?\s{{1,4}}{_IT_IS}[ \t]{{1,3}}{_NAMED}"
)
_BETWEEN_COMMAS = re.compile(
    rf"(?i)(?<!\w){_NAMED}{FOR}[ ]?[,(–—][ \t]{{0,3}}{_VALUE}(?=[\"'”’`»]?[ ]?(?:[.!;)\n–—]|\Z)|(?<=,))"
)
_KINDS_OF_LOGIN = re.compile(
    r"(?i)(?:2fa|mfa|u2f|oauth\d?|fido\d?|sha-?\d+|argon2\w*|pbkdf2|md5|base64|utf-?8|totp)"
)
_SHORTEST = 4
_FORMS = (
    ("asked", _ASKED, False),
    ("value-first", _FIRST, True),
    ("named-after", _THEN_NAMED, True),
    ("between-commas", _BETWEEN_COMMAS, False),
)


def told_secrets(text: str) -> Iterator[PrivacyFinding]:
    """Yield the values that the talk around a label calls a password, a PIN or a code."""
    for detector, pattern, label_last in _FORMS:
        at = 0
        while match := pattern.search(text, at):
            found = _found(text, match, detector) if not label_last or _label_ends(text, match) else None
            at = match.end() if found else match.start() + 1
            if found is not None:
                yield found


def _found(text: str, match: re.Match[str], detector: str) -> PrivacyFinding | None:
    start = match.start("value")
    value = match["value"].rstrip(PUNCTUATION + "?")
    if not value or is_stand_in(value) or _KINDS_OF_LOGIN.fullmatch(value):
        return None
    if match["code"]:
        digits = DIGITS.match(text, start)
        if digits is None or not enough_digits(match, digits.group()):
            return None
        return PrivacyFinding(digits.span(), Kind.PIN, 0.8, detector)
    core = value.rstrip("!")
    if core.casefold() in STATES:
        return None
    end = start + len(value)
    digits_alone = core.isdigit() and len(core) >= _SHORTEST and detector in {"asked", "value-first"}
    if looks_unusual(core) or digits_alone or (match["open"] and detector != "between-commas"):
        return PrivacyFinding((start, end), Kind.PASSWORD, 0.8, detector)
    answered = detector == "asked" and match["it"] and core.isalpha() and ends_clause(text, end)
    if answered and not core.casefold().endswith(("ed", "ing", "ly")):
        return PrivacyFinding((start, end), Kind.PASSWORD, 0.6, detector)
    return None


def _label_ends(text: str, match: re.Match[str]) -> bool:
    """Tell whether the label is the last of what is named: "the password", not "the password policy"."""
    return ends_clause(text, match.end()) or _FOR_A_PLACE.match(text, match.end()) is not None


_FOR_A_PLACE = re.compile(r"(?i)[ \t]{1,3}(?:for|to|of|on|at|in|für|pour|para)\b")
