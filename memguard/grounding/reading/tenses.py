"""The tense of a clause, as far as guards need it: done, going on, still to come."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

from memguard.grounding.reading.predications import is_verb, predications_of
from memguard.grounding.reading.words import words


class Tense(StrEnum):
    """When a clause says that something is."""

    DONE = "done"
    PRESENT = "present"
    STILL = "still"
    YET = "yet"
    TOLD = "told"
    OTHER = "other"


_YET = re.compile(r"\bstill (?:has|have|needs?|plans?|wants?|must|to)\b|\b(?:has|have|is|are) yet to\b", re.I)
_STILL = re.compile(r"\bstill\b(?! (?:had|did|was|were))", re.I)
_TOLD = re.compile(r"\b(?:told|advised|instructed|ordered|urged|decided|agreed) (?:\w+ ){0,2}to\b", re.I)
_PERFECT = re.compile(
    r"\b(?:has|have|had|having)(?: \w+ly| already| just| now| since| been)* (?:\w+ed|been|had|done"
    r"|sent|made|gone|got"
    r"|gotten|taken|given|paid|bought|sold|met|seen|left|begun|written|found|put|set|run|told|come"
    r"|become|built|chosen"
    r"|lost|won|kept|held|brought|spoken|broken|driven|eaten|fallen|grown|known|shown|stolen|worn|quit"
    r"|cut|let|read)\b"
    r"|\b(?:was|were)\b|['’]ve (?:been|\w+ed)\b|\balready\b",
    re.IGNORECASE,
)
_FUTURE = re.compile(
    r"\b(?:will|shall|going to|would|should|must|might|may|could|can|need(?:s|ed)? to|to be|plans?"
    r"|planned|wants?"
    r"|wanted|intends?|hopes?|expected|due|asked|offered|suggested|proposed|recommended|scheduled"
    r"|booked|arranged"
    r"|said|mentioned|discussed|considered|requested|promised|invited|reminded)\b|['’]ll\b",
    re.IGNORECASE,
)
_PRESENT_FORMS = frozenset("is are am has have does do gets get".split())
_ENDED = re.compile(
    r"\b(?:quit|stopped|gave (?:it )?up|no longer|any ?more|used to|former(?:ly)?|back then"
    r"|until (?:19|20)\d\d"
    r"|then(?=[;,.]))\b",
    re.IGNORECASE,
)
_NOW = re.compile(r"\b(?:but|these days|nowadays)\b.{0,20}\bnow\b|[;,.] now\b", re.IGNORECASE)
_IRREGULAR_PAST = frozenset(
    "went came took gave made said told got saw found left sent paid bought sold met ran began began "
    "broke brought "
    "built caught chose drew drank drove ate fell felt flew forgot froze grew heard held kept knew led "
    "lent lost "
    "meant rang rode rose sang sat shook shot slept spoke spent stood stole stuck swam taught thought threw "
    "understood woke wore won wrote became bit blew did had was were".split()
)


@lru_cache(maxsize=32_768)
def tense_of(text: str, clause: int) -> Tense:
    """Return the tense of a clause of ``predications_of(text)``."""
    part = predications_of(text)[clause]
    found = words(text)[part.start : part.end]
    piece = text[found[0].start : found[-1].end]
    if _YET.search(piece):
        return Tense.YET
    if _TOLD.search(piece):
        return Tense.TOLD
    if _FUTURE.search(piece):
        return Tense.OTHER
    if _STILL.search(piece):
        return Tense.STILL
    if _PERFECT.search(piece):
        return Tense.DONE
    verbs = [i for i in range(part.start, part.end) if is_verb(words(text), i, part.start)]
    finite = next((words(text)[i] for i in verbs if not words(text)[i].lower.endswith("ing")), None)
    first = next((word.lower for word in found if word.lower in _PRESENT_FORMS), None)
    if finite is not None and _is_past(finite.lower, finite.lemma) and first is None:
        return Tense.DONE
    if any(word.lower in _IRREGULAR_PAST for word in found) and first is None and finite is None:
        return Tense.DONE
    return Tense.PRESENT


def is_ended(text: str, start: int, end: int) -> bool:
    """Tell whether a text says that what stands at ``start`` to ``end`` is over."""
    near = text[max(0, start - 40) : end + 60]
    return _ENDED.search(near) is not None or _NOW.search(text[end : end + 60]) is not None


def _is_past(lower: str, lemma: str) -> bool:
    return (lower.endswith("ed") and lemma != lower) or lower in _IRREGULAR_PAST
