"""Words that are said of a password, and passwords that are words: what tells them apart.

"The password is wrong" tells none, "the password is correct horse battery staple" does.
"""

from __future__ import annotations

import re

STATES = frozenset(
    (
        "wrong expired incorrect not too stored safe secure the a an in on at weak strong invalid "
        "required being going "
        "never missing empty lost gone ready still already hashed encrypted changed reset set sent kept "
        "saved same long "
        "short needed optional correct fine ok okay blank unknown different what where that this it there "
        "here only also "
        "good bad broken working visible hidden shown written known hard easy simple complex important "
        "unchanged no none "
        "null nil true false undefined yes so very really just one two three my your our his her their "
        "its under inside "
        "with from by for to of as if when because and or but case-sensitive asked given shared valid "
        "rejected accepted "
        "leaked compromised rotated out up down due old new recent unique common random about always "
        "sometimes "
        "accessible protected disabled enabled locked available about likely probably string str bytes "
        "text int "
        "falsch abgelaufen nicht richtig das der die ein eine im in incorrecto incorrecta no inválida "
        "errada wrong."
    ).split()
)
"""What may be said of a password without telling it."""
FUNCTION = frozenset(
    "a an the in on at to of and or is are was not too by for with as it no never be been".split()
)
_JOINING = FUNCTION | frozenset(
    "every each all any some per me he she they we you i who whom whose which why how must should can may "
    "might could will would has have had do does did don't need needs because since until while than then "
    "something anything nothing everything someone anyone everyone nobody".split()
)
_WORD = r"[^\s,.!?;:()\"”'’\[\]]{1,64}"
_CLAUSE = re.compile(rf"{_WORD}(?:[ \t]{{1,3}}{_WORD}){{0,12}}(?=[\s,.!?;)\"”]|\Z)")
_COUNT = re.compile(
    r"(?i)\d{1,4}\+?[ -](?:or[ ]more[ ])?(?:characters?|chars?|letters?|digits?|symbols?|words?|signs?"
    r"|bytes|bits?|seconds?|minutes?|hours?|days?|weeks?|months?|years?|times?|tries|attempts?"
    r"|Zeichen|caractères|caracteres)\b"
)
_NO_BEGINNING = STATES - {"my"}
_IN_A_PHRASE = 2, 8
_WORDS_ALONE = 4
_POINTING = frozenset(
    "see ask check use contact call look read find get refer enter type choose pick click email mail "
    "set reset change version step page section ticket".split()
)


def phrase_end(text: str, start: int) -> int | None:
    """Return where a password of several words ends that no quotes hold; None where the words say no such.

    Two words with a figure among them, or four without: "blue whale 42", "correct horse battery staple".
    A word that joins others into a sentence ("too", "for", "every") tells that the password is talked about.
    """
    phrase = _CLAUSE.match(text, start)
    words = phrase.group().casefold().split() if phrase else []
    if phrase is None or not _IN_A_PHRASE[0] <= len(words) <= _IN_A_PHRASE[1]:
        return None
    if words[0] in _POINTING or any(word in _JOINING or word.endswith(("ly", "ed", "ing")) for word in words):
        return None
    if not STATES.isdisjoint(words[1:]):
        return None
    figure = any(any(map(str.isdigit, word)) for word in words)
    told = words[0] not in _NO_BEGINNING if figure else len(words) >= _WORDS_ALONE
    return phrase.end() if told else None


def counts(text: str, start: int) -> bool:
    """Tell whether a number there counts: "12 characters long", "8+ chars", "90 days old"."""
    return _COUNT.match(text, start) is not None
