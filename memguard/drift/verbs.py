"""Forms of English verbs, for the few places where a mistake needs another form."""

from __future__ import annotations

import re

from memguard.drift.words import BASE_VERBS, PAST, PAST_FORMS

_MODALS = frozenset(
    "will would can could should may might must shall won't wouldn't can't couldn't shouldn't cannot did "
    "didn't had hadn't was wasn't".split()
)
_TO_BE = {"am": "is", "are": "is", "aren't": "isn't", "were": "was", "weren't": "wasn't"}
_IRREGULAR = {"have": "has", "do": "does", "don't": "doesn't", "haven't": "hasn't", "go": "goes"}


def third_person(verb: str) -> str | None:
    """Return the form that follows a name: "want" gives "wants", "am" gives "is"; None if unsure."""
    low = verb.lower()
    if low in _TO_BE:
        return _TO_BE[low]
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if low in _MODALS or low in PAST_FORMS or (low.endswith("ed") and len(low) > 4 and low != "need"):
        return low
    if low not in BASE_VERBS:
        return None
    if low.endswith(("s", "sh", "ch", "x", "z", "o")):
        return low + "es"
    return low[:-1] + "ies" if re.search(r"[^aeiou]y$", low) else low + "s"


def base_of(word: str) -> str | None:
    """Return the verb whose third person is ``word``."""
    return next(
        (b for b in (word[:-1], word[:-2], word[:-3] + "y") if b in BASE_VERBS and third_person(b) == word),
        None,
    )


def past_of(verb: str) -> tuple[str, str]:
    """Return the simple past and the participle of a verb in its base form: "go" gives "went", "gone"."""
    return PAST.get(verb, (_regular(verb),) * 2)


def _regular(verb: str) -> str:
    if verb.endswith("e"):
        return verb + "d"
    if re.search(r"[^aeiou]y$", verb):
        return verb[:-1] + "ied"
    return verb + (verb[-1] if verb in {"plan", "stop", "drop", "prefer"} else "") + "ed"
