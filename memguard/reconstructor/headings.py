"""Under which heading a line stands, by the classes of the key facts that it states and by cues."""

from __future__ import annotations

import re
from functools import lru_cache

from memguard.facts import FactClass
from memguard.reconstructor.forms import Heading

_OPEN = re.compile(
    r"\b(?:still (?:to|needs?|has to|have to|open|waiting)|yet to|not (?:yet|decided|sure yet)"
    r"|waiting (?:for|on)|to[- ]do|pending|outstanding|undecided|unclear"
    r"|to be (?:decided|confirmed|done|checked)|(?:can't|cannot|can’t) be certain)\b|\?\s*\Z",
    re.IGNORECASE,
)
_BY_CLASS: tuple[tuple[Heading, frozenset[FactClass]], ...] = (
    (Heading.OPEN, frozenset({FactClass.COMMITMENT})),
    (Heading.PREFERENCES, frozenset({FactClass.PREFERENCE})),
    (Heading.STATE, frozenset({FactClass.DECISION, FactClass.CONDITION, FactClass.QUOTE})),
    (
        Heading.FIGURES,
        frozenset(
            {
                FactClass.NUMBER,
                FactClass.PRICE,
                FactClass.DATE,
                FactClass.IDENTIFIER,
                FactClass.PATH,
                FactClass.COMMAND,
            }
        ),
    ),
    (Heading.PEOPLE, frozenset({FactClass.PERSON, FactClass.PRODUCT, FactClass.PLACE})),
)


@lru_cache(maxsize=16_384)
def heading_of(text: str, kinds: frozenset[FactClass]) -> Heading:
    """Return the heading of a line.

    What has to be done or is not settled comes first, then what somebody wants, what was decided, figures,
    names; a line without a key fact tells the state.

    Args:
        text: What it says.
        kinds: The classes of the key facts that it states.
    """
    if _OPEN.search(text):
        return Heading.OPEN
    return next((heading for heading, classes in _BY_CLASS if not classes.isdisjoint(kinds)), Heading.STATE)
