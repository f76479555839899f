"""What a sentence affirms and denies, word by word, and in which frame it says so.

Guards compare predicates, so every content word of a sentence gets a mark: whether it is denied, by
which cue, whether it is what its clause is about (a verb, an adjective, or what a light word such as
"have", "want" or "no" leads to), and the frame of its clause: stated, planned, possible, asked or
conditional. Rules over words and clauses, no parser: what they cannot tell they call unstated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from memguard.grounding.reading import lexicon
from memguard.grounding.reading.cues import IDIOMS, LIGHT, NEGATORS_TO, is_cue, negates, phrasal_at
from memguard.grounding.reading.frames import (
    CONDITIONS,
    LONGEST,
    MARKERS,
    Frame,
    frame_of,
    is_condition,
    is_question,
)
from memguard.grounding.reading.predications import Predication, is_verb, predications_of
from memguard.grounding.reading.words import Word, key_of, words


@dataclass(frozen=True, slots=True)
class Mark:
    """One content word as its clause uses it.

    Attributes:
        word: The word.
        end: Where it ends; later than the word for a phrasal verb ("go through").
        key: Its key; that of the phrasal verb, or of the word without its negative prefix.
        lemmas: The dictionary forms under which the lexicon is asked.
        denied: Whether an odd number of cues denies it, a prefix included.
        is_core: Whether the clause is about it.
        is_light: Whether it says little by itself ("have", "want", "able").
        clause: Index of its clause.
        frame: How the clause puts it.
        is_soft: Whether only a verb such as "refuse" or "rule out" denies it.
    """

    word: Word
    end: int
    key: str
    lemmas: tuple[str, ...]
    denied: bool
    is_core: bool
    is_light: bool
    clause: int
    frame: Frame
    is_soft: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """A sentence, read.

    Attributes:
        marks: Its content words.
        by_key: The marks of each key.
        clauses: Its clauses.
        keys: The keys of each clause, a prefixed or phrasal word under both of its keys.
    """

    marks: tuple[Mark, ...]
    by_key: Mapping[str, tuple[Mark, ...]]
    clauses: tuple[Predication, ...]
    keys: tuple[frozenset[str], ...]


_POSTPOSED = re.compile(
    r"(?<![.!?]\s)(?<!^)\b(?P<thing>\w+)\s*[:,]?\s+(?P<answer>yes|no|none|negative)\s*(?=[,.;!]|$)", re.I
)


@lru_cache(maxsize=32_768)
def read(text: str) -> Reading:
    """Read one sentence; an empty reading for text without words."""
    found = words(text)
    clauses = predications_of(text)
    idioms = [match.span() for match in IDIOMS.finditer(text)]
    asked = is_question(text)
    marks: list[Mark] = []
    depends = [clause.opener in CONDITIONS and is_condition(found, clause) for clause in clauses]
    but = next((i for i, clause in enumerate(clauses) if clause.opener == "but"), len(clauses))
    whole = len(found) <= LONGEST and any(depends[:but])
    previous = None
    for index, clause in enumerate(clauses):
        frame = (
            Frame.ASKED
            if asked or clause.is_question
            else frame_of(text, found, clause, previous, whole or depends[index])
        )
        raised = clause.opener == "that" and bool(marks) and marks[-1].denied
        if raised and marks[-1].word.lemma not in _RAISING:
            raised, frame = False, Frame.POSSIBLE
        marks += _marks_of(found, clause, index, frame, idioms, raised)
        previous = frame
    marks = _with_exception(_judged_subjects(text, _postposed(text, marks)), clauses)
    by_key: dict[str, list[Mark]] = {}
    keys: list[set[str]] = [set() for _ in clauses]
    for mark in marks:
        by_key.setdefault(mark.key, []).append(mark)
        keys[mark.clause].update((mark.key, mark.word.key))
    return Reading(
        tuple(marks),
        {key: tuple(same) for key, same in by_key.items()},
        clauses,
        tuple(frozenset(clause_keys) for clause_keys in keys),
    )


_RAISING = frozenset("think believe suppose expect want find feel promise assure guarantee".split())


def is_stated(text: str, mark: Mark) -> bool:
    """Tell whether a text states a mark: nothing before it in its clause holds it open."""
    if mark.frame in {Frame.STATED, Frame.HELD}:
        return True
    return mark.frame is Frame.ASKED and not is_question(text) and not is_governed(text, mark, mark.frame)


def is_governed(text: str, mark: Mark, frame: Frame) -> bool:
    """Tell whether what opens a frame stands before the mark and so governs it."""
    pattern = MARKERS.get(frame)
    if pattern is None:
        return True
    start = words(text)[predications_of(text)[mark.clause].start].start
    found = pattern.search(text, start, mark.word.start + 1)
    return found is not None or (pattern.search(text, start) is None)


def _marks_of(
    found: Sequence[Word],
    clause: Predication,
    index: int,
    frame: Frame,
    idioms: Sequence[tuple[int, int]],
    raised: bool,
) -> list[Mark]:
    marks: list[Mark] = []
    denied, soft = raised, False
    lead = _CUE if raised else _NONE  # what leads to the next content word: nothing, a light word or a cue
    in_list = False
    any_open = False  # "any swelling", not denied: asked or left open
    beside = clause.is_fragment and clause.opener in _BESIDE
    at = clause.start
    while at < clause.end:
        word = found[at]
        phrasal, last = phrasal_at(found, at, clause.end)
        lemma = phrasal or word.lemma
        nxt = found[last + 1] if last + 1 < clause.end else None
        if word.lower == "non" and nxt is not None and nxt.start == word.end + 1:
            denied = not denied
            marks.append(_mark(nxt, nxt.end, None, denied, True, False, index, frame))
            denied, lead, at = not denied, _NONE, at + 2
            continue
        if is_cue(word, nxt, idioms):
            if word.lower in _OBJECT_CUES and marks and marks[-1].word.end + 1 == word.start:
                marks[-1] = replace(
                    marks[-1], is_core=False
                )  # "received no treatment": not a plain "received"
            denied, lead, soft = not denied, _CUE, False
        elif not word.is_stop or phrasal or (word.lower in {"on", "off"} and _ends(found, at, clause)):
            verb = is_verb(found, at, clause.start) and (lead != _NONE or not _after_to(found, at))
            light = lemma in LIGHT or (not phrasal and word.lower in LIGHT)
            led = lead != _NONE or in_list
            if verb and denied and _renews(found, at, clause) and any(m.is_core and m.denied for m in marks):
                denied = soft = False
            inside = not (verb or phrasal or light) and _adjoins(found, at, clause)
            likened = word.lower == "like" and at > 0 and found[at - 1].lemma in _LIKENING
            core = (
                word.lower not in _TIMES
                and not likened
                and not (any_open and not denied)
                and not beside
                and (led or (not denied and (verb or phrasal is not None or clause.is_fragment)))
                and not inside
            )
            mark = _mark(word, found[last].end, phrasal, denied, core, light, index, frame)
            marks.append(replace(mark, is_soft=True) if soft and denied else mark)
            if not inside:
                in_list = core and not light and _list_follows(found, last, clause)
                leads_on = light or (nxt is not None and nxt.lower == "to" and not verb)
                lead = _LIGHT if (leads_on and (led or verb)) or lemma in _CONTROL else _NONE
        elif word.lower == "any":
            any_open = True
        elif word.lower in _CARRIERS or _CONTRACTED.search(word.text):
            lead = max(lead, _LIGHT)
        elif word.lower in _CLOSERS and lead == _LIGHT and found[at - 1].lower not in _BEING:
            lead = _NONE
        if negates(lemma, nxt):
            denied, lead, soft = (
                not denied,
                _CUE,
                lemma in _SOFT and (nxt is None or nxt.lower != "to" or lemma in NEGATORS_TO),
            )
            if frame is Frame.PLANNED and lemma in _OPEN_NEGATORS:
                frame = Frame.POSSIBLE
        at = last + 1
    return marks


_LIKENING = frozenset("look sound seem feel be taste smell something anything thing".split())
_BESIDE = frozenset("before after since until till despite instead than".split())
_OBJECT_CUES = frozenset("no nothing none nobody".split())
_TIMES = frozenset(
    "today yesterday tomorrow tonight now soon later ago day days week weeks month months year years "
    "time times "
    "morning afternoon evening night hour hours minute minutes monday tuesday wednesday thursday "
    "friday saturday "
    "sunday".split()
)


def _renews(found: Sequence[Word], at: int, clause: Predication) -> bool:
    """Tell whether a second finite verb begins here ("decided not to go was to care")."""
    before = [found[i].lower for i in range(max(clause.start, at - 2), at)]
    return any(word in {"is", "are", "was", "were", "has", "had", "will"} for word in before)


_CONTROL = frozenset(
    "tell instruct advise order urge warn decide agree choose manage start begin continue promise".split()
)
_NONE, _LIGHT, _CUE = 0, 1, 2
_CONTRACTED = re.compile(r"['’](?:s|re|m|ve|ll|d)$", re.IGNORECASE)
_BEING = frozenset("is are am was were 's 're be".split())
_CLOSERS = frozenset("about by from at on in for as into over under than".split())
_SOFT = frozenset(
    "refuse decline avoid skip reject turn_down rule_out forgo prevent exclude dismiss omit hard "
    "difficult struggle "
    "reluctant".split()
)
_OPEN_NEGATORS = frozenset("rule_out exclude avoid prevent".split())


def _after_to(found: Sequence[Word], at: int) -> bool:
    return at > 0 and found[at - 1].lower == "to"


def _list_follows(found: Sequence[Word], last: int, clause: Predication) -> bool:
    """Tell whether a list goes on behind a word: ", chills or", "and"."""
    if last + 1 >= clause.end:
        return False
    nxt = found[last + 1]
    return (
        nxt.lower in {"or", "nor", "and"}
        or (nxt.start > found[last].end + 1 and not clause.is_fragment)
        or (nxt.start > found[last].end + 1)
    )


_CARRIERS = frozenset(
    "is am are was were be been being has have had do does did will would can could should must may "
    "might such".split()
)


def _mark(
    word: Word, end: int, phrasal: str | None, denied: bool, core: bool, light: bool, index: int, frame: Frame
) -> Mark:
    base = None if phrasal else lexicon.without_prefix(word.lower)
    if base:
        key, denied = key_of(base), not denied
        lemmas: tuple[str, ...] = (base, word.lower)
    else:
        key = phrasal or word.key
        forms = (word.lower,) if word.lower in _COMPARED else (word.lower, word.lemma)
        lemmas = (phrasal,) if phrasal else tuple(dict.fromkeys(forms))
    return Mark(word, end, key, lemmas, denied, core, light, index, frame)


_COMPARED = frozenset("better best worse worst".split())  # their dictionary form is another word


def _adjoins(found: Sequence[Word], at: int, clause: Predication) -> bool:
    """Tell whether the next word stands right beside this one, as in "chest pain"."""
    return at + 1 < clause.end and not found[at + 1].is_stop and found[at + 1].start == found[at].end + 1


def _ends(found: Sequence[Word], at: int, clause: Predication) -> bool:
    """Tell whether "on" or "off" is said of something: "it's off", "caching on"."""
    if at == clause.start:
        return False
    after = found[at + 1].lower if at + 1 < clause.end else ""
    return after in {"", "in", "by", "now", "again", "at", "for"}


def _postposed(text: str, marks: list[Mark]) -> list[Mark]:
    """Read "commit yes, push no": the answer stands behind its word."""
    answers = {m.start("thing"): m.group("answer").lower() != "yes" for m in _POSTPOSED.finditer(text)}
    if not answers:
        return marks
    return [
        Mark(m.word, m.end, m.key, m.lemmas, answers[m.word.start], True, m.is_light, m.clause, m.frame)
        if m.word.start in answers
        else m
        for m in marks
    ]


def _with_exception(marks: list[Mark], clauses: Sequence[Predication]) -> list[Mark]:
    """Add to "nothing failed except X" that X failed: the predicate once more, turned round."""
    added = list(marks)
    for index, clause in enumerate(clauses):
        if clause.opener == "except" and index:
            general = [m for m in marks if m.clause == index - 1 and m.is_core]
            added += [replace(m, denied=not m.denied, clause=index) for m in general]
    return added


_JUDGEMENTS = frozenset(
    "fine okay ok alright right allow allowed permit permitted welcome safe forbidden prohibited "
    "banned".split()
)


def _judged_subjects(text: str, marks: list[Mark]) -> list[Mark]:
    """Read "nuts are not allowed" as about nuts: what is allowed or not is what the clause is about."""
    judges = [m for m in marks if m.is_core and _judges(text, m)]
    judged = {m.clause: m for m in judges if m.denied == _forbids(m)}
    refused = {m.clause: m for m in judges if m.denied != _forbids(m)}
    if not judged and not refused:
        return marks
    found = []
    for m in marks:
        judge = judged.get(m.clause) or refused.get(m.clause)
        if judge is not None and m.word.start < judge.word.start:
            found.append(replace(m, is_core=True, denied=m.clause in refused))
        else:
            found.append(m)
    return found


_BE_BEFORE = re.compile(
    r"\b(?:is|are|was|were|be)(?:n['’]t)?(?: not| all| completely)*\s+$|['’](?:s|re) (?:not |all )?$", re.I
)


def _judges(text: str, mark: Mark) -> bool:
    return mark.word.lower in _JUDGEMENTS and _BE_BEFORE.search(text[: mark.word.start]) is not None


def _forbids(mark: Mark) -> bool:
    return mark.word.lower in {"forbidden", "prohibited", "banned"}
