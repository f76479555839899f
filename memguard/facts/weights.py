"""How much a key fact weighs: the base of its class, raised or lowered by how it is said."""

from __future__ import annotations

import re

from memguard.facts.forms import FactClass
from memguard.facts.units import Unit

BASE: dict[FactClass, float] = {
    FactClass.CONDITION: 1.0,
    FactClass.DECISION: 0.7,
    FactClass.COMMITMENT: 0.6,
    FactClass.PREFERENCE: 0.5,
    FactClass.PRICE: 0.4,
    FactClass.DATE: 0.5,
    FactClass.PATH: 0.4,
    FactClass.IDENTIFIER: 0.25,
    FactClass.NUMBER: 0.4,
    FactClass.PLACE: 0.2,
    FactClass.PRODUCT: 0.15,
    FactClass.PERSON: 0.15,
    FactClass.COMMAND: 0.1,
    FactClass.QUOTE: 0.1,
}
"""Weight of a plain statement of each class."""
LOOSE = 0.35
"""Factor for what is only asked, proposed or mused."""
RISING = 0.6
"""Factor for a statement that ends as a question."""
MACHINE = 0.15
"""Factor for what stands in a log, a call or code: a reader mostly needs what was made of it."""
OUTCOME = 0.8
"""The same for the line of a log that gives its outcome."""
CONFIRMED = 1.5
"""Factor for what is recorded as settled: "Booked:", "Noted:", "the final figure"."""
EXPIRED = 0.4
"""Factor for a date or promise whose day had passed when the conversation ended."""
CHATTER = 0.3
"""Factor for jokes and asides."""
_EMPTY, _A_WORD, _FULL = 0.3, 0.13, 2.0
_LOOSE = re.compile(
    r"\b(?:maybe|perhaps|might|could|what about|how about|suppose|either|would be|option"
    r"|wondering|i guess|i(?:['’]d| would) guess"
    r"|for example|e\.g\.|for instance|in theory|hopefully|shall (?:i|we)|should (?:i|we)"
    r"|would have|['’]d have|wish\w*)\b",
    re.IGNORECASE,
)
_OUTCOME = re.compile(
    r"\b\d+ (?:passed|failed|errors?|warnings?|tests?)\b|\b(?:error|exception|fatal|failed"
    r"|failure|panic|traceback|refused|denied"
    r"|timed? ?out|not found|success\w*|deployed|built)\b|^[0-9a-f]{7,40}\s"
    r"|\b\d+ (?:replacements?|insertions?|deletions?)\b|\b(?:created|written|wrote|modified)\b",
    re.IGNORECASE,
)
_CONFIRMED = re.compile(
    r"^(?:noted|booked|done|updated|saved|changed|confirmed|paid|bought|committed|agreed|deal"
    r"|ok(?:ay)?, then|understood|so"
    r"|final(?:ly)?|reminder|cancell?ed|all (?:green|set))\b[^.?!]{0,3}[:,]|\bfinal\b"
    r"|\bfor the record\b|\bin (?:total|all)\b"
    r"|\bi['’]ve (?:noted|saved|booked|changed|added|updated|taken)\b",
    re.IGNORECASE,
)
_CHATTER = re.compile(
    r"\b(?:lol|haha+|hehe|ha|joke|funny|weather|laugh\w*|congratulations|genius)\b"
    r"|[\U0001f300-\U0001faff❤]|(?:^|\s)[:;]-?[)D(]|!!",
    re.IGNORECASE,
)


_ASKS = re.compile(
    r"^\W*(?:(?:and|but|so|or|ok(?:ay)?|right|well|um+|uh+|then|oh|hm+)[\s,]+)*(?:do|does|did"
    r"|is|are|was|were|am|can|could|will|would|shall"
    r"|should|may|might|has|have|had|what|when|where\w*|who|whom|whose|which|why|how|any"
    r"|anything|anyone|isn|aren|don|doesn|didn|won)\b",
    re.IGNORECASE,
)


_INVERTED = re.compile(
    r"\b(?:do|did|does|have|has|is|are|was|were|can|could|would|will|shall|should) (?:you|your"
    r"|there|it|we|i|they)\b",
    re.IGNORECASE,
)


def is_told(text: str) -> bool:
    """Tell a statement with a rising end ("four pints a week?") from a question, which opens as one."""
    return _ASKS.match(text) is None and _INVERTED.search(text) is None and len(text.split()) > 1


def fullness(n_keys: int) -> float:
    """Return the factor of a whole statement for what it says: its content words, counted.

    A decision in two words ("I'll see") says little; from eight words on it says all that one can.
    """
    return min(_FULL, _EMPTY + _A_WORD * n_keys)


def is_loose(unit: Unit, *, accepted: bool) -> bool:
    """Tell whether a unit only asks, proposes or muses, and nobody takes it up."""
    return (unit.asks or _LOOSE.search(unit.text) is not None) and not accepted


def factor(unit: Unit, *, accepted: bool, last: bool = False) -> float:
    """Return by how much the weights of a unit's facts are raised or lowered.

    Args:
        unit: Where they stand.
        accepted: Whether the next speaker agrees to it.
        last: Whether it ends its message, so that a rising end asks the other.
    """
    if unit.is_machine:
        return OUTCOME if _OUTCOME.search(unit.text) else MACHINE
    result = 1.0
    if is_loose(unit, accepted=accepted):
        result *= RISING if unit.asks and not last and is_told(unit.text) else LOOSE
    if _CONFIRMED.search(unit.text):
        result *= CONFIRMED
    if _CHATTER.search(unit.text):
        result *= CHATTER
    return result
