"""The words that deny, and what they reach: cues, verbs that deny their object, idioms that deny nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memguard.grounding.reading import lexicon
from memguard.grounding.reading.predications import SUBJECTS
from memguard.grounding.reading.words import Word

LIGHT = frozenset(
    "be have do get take make go want need like plan intend able use let allow permit accept approve "
    "agree give show find feel seem look become wish prefer keep put come happen occur exist see "
    "report notice detect choose decide suffer experience currently actually "
    "really any significant further known new other certain recent current evidence sign symptom history "
    "problem issue trouble complaint use welcome support include contain there way know known feeling "
    "anything something thing somebody someone anybody "
    "promise assure guarantee pick select go_with going allowed permitted supposed yet ever".split()
)
_NEGATIONS = frozenset(
    "not never no nobody nothing none nowhere neither nor without cannot hardly barely scarcely".split()
)
_NEGATORS = frozenset(
    "refuse decline deny lack avoid skip reject turn_down rule_out forgo prevent unable exclude dismiss "
    "instead rather omit abandon".split()
)
NEGATORS_TO = frozenset(
    "fail forget neglect hard difficult struggle reluctant".split()
)  # negate what follows only before "to"
_NEGATORS_ING = frozenset("stop quit cease give_up".split())  # negate what follows only before "-ing"
IDIOMS = re.compile(
    r"\bnot (?:only|just|merely|simply|to mention|until|necessarily|sure|certain|clear|yet clear)\b"
    r"|\bno (?:doubt|problem|worries|matter|wonder|need to worry|longer than|more than|later than"
    r"|earlier than"
    r"|less than|fewer than|sooner|idea|way of knowing|thanks|thank you|one knows|pun)\b"
    r"|\bwhy (?:not|don['’]t|doesn['’]t)\b|\bwhether or not\b|\bor not\b|\bif not\b|\bnothing but\b"
    r"|\bca?n(?:['’]?t|not) (?:wait|help|agree more|complain|believe|say|tell|be sure)\b"
    r"|\bcouldn['’]t agree more\b"
    r"|\bdon['’]t (?:forget|worry|mind|know|think twice|hesitate|get me wrong)\b|\bnever mind\b|\bnot bad\b"
    r"|\bisn['’]t it\b|\baren['’]t you\b|\bdon['’]t you\b|\bdidn['’]t you\b|\bno\.? ?\d+\b"
    r"|\bnot (?:been )?(?:that|as|so|too|very|all|every|always|much|many|enough|really)\b",
    re.IGNORECASE,
)
_PARTICLES = frozenset("off on up down out through away back over forward apart".split())


def is_cue(word: Word, nxt: Word | None, idioms: Sequence[tuple[int, int]]) -> bool:
    """Tell whether a word denies what follows it; not inside one of ``idioms`` (offsets)."""
    if nxt is not None and (word.lower, nxt.lower) in {("yet", "to"), ("negative", "for")}:
        return True
    if not (word.is_negated or word.lower in _NEGATIONS):
        return False
    if word.lower == "no" and (
        nxt is None or nxt.start > word.end + 1 or nxt.lower in SUBJECTS or nxt.is_negated
    ):
        return False  # an answer: "no, just fish", "no I bought new ones"
    return not any(start <= word.start < end for start, end in idioms)


def negates(lemma: str, nxt: Word | None) -> bool:
    """Tell whether a verb or adjective denies what follows it ("refuse", "fail to", "stop" with -ing)."""
    if nxt is None:
        return False
    if lemma in _NEGATORS:
        return not nxt.is_stop or nxt.lower in _OBJECT_OPENERS
    if lemma in NEGATORS_TO:
        return nxt.lower == "to"
    return lemma in _NEGATORS_ING and nxt.lower.endswith("ing")


_OBJECT_OPENERS = frozenset(
    "to the a an any his her their my our its your this that these those it having all of than both".split()
)


def phrasal_at(found: Sequence[Word], at: int, end: int) -> tuple[str | None, int]:
    """Return the phrasal verb that starts here and the index of its last word."""
    word = found[at]
    if word.is_stop and word.lower not in {"get"}:
        return None, at
    for step in (1, 2, 3):
        if at + step >= end:
            break
        particle = found[at + step].lower
        if particle in _PARTICLES and lexicon.is_known(f"{word.lemma}_{particle}"):
            return f"{word.lemma}_{particle}", at + step if step == 1 else at
        if not found[at + step].is_stop:
            break
    return None, at
