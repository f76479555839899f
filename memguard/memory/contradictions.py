"""Contradictions among memories: two values of one attribute of one subject, told apart from duplicates.

A duplicate says the same and merges; a contradiction says something else of the same thing, and then the
later statement holds and the earlier one is history. A small reader finds statements of five kinds:
where somebody works, where somebody lives, what somebody likes, the value of a thing ("the deadline is
3 May"), and a sentence that another denies word for word. It errs on silence: an event, a plan, a
reading with a date of its own, or a subject that a pronoun stands for, is no statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memguard.grounding.guards.values import Value, values
from memguard.grounding.reading.frames import Frame, is_question
from memguard.grounding.reading.names import fold, names
from memguard.grounding.reading.polarity import read
from memguard.grounding.reading.words import words
from memguard.segmentation import sentence_spans

_ADVERB = r"(?:(?:now|currently|just|recently|already|also|really|still|always|has|have|had|actually)\s+)*"
_SUBJECT = r"^(?P<subject>[^,;:]{0,60}?)\s*\b"
_TAIL = r"\s+(?P<value>[^,;]+?)(?:[,;].*)?[.!]*$"
_WORKS = (
    rf"{_SUBJECT}{_ADVERB}(?:works? (?:at|for)|joined|(?:is|are|am|['’]s|['’]m) employed (?:at|by)"
    rf"|(?:was|were) hired by|started (?:working |work )?at){_TAIL}"
)
_LEFT_WORK = rf"{_SUBJECT}{_ADVERB}(?:(?:left|quit|resigned from)|no longer works? (?:at|for)){_TAIL}"
_LIVES = (
    rf"{_SUBJECT}{_ADVERB}(?:lives? in|resides? in|moved to|relocated to|(?:is|are|am) based in"
    rf"|settled in){_TAIL}"
)
_LIKES = rf"{_SUBJECT}{_ADVERB}(?:loves?|likes?|enjoys?|adores?|(?:is|am|are) (?:very )?fond of){_TAIL}"
_DISLIKES = (
    rf"{_SUBJECT}{_ADVERB}(?:hates?|dislikes?|detests?|loathes?|(?:can['’]?t|cannot|can not) (?:stand|bear)"
    rf"|(?:do(?:es)?n['’]?t|do(?:es)? not|no longer) (?:like|likes|love|loves|enjoy|enjoys)){_TAIL}"
)
_IS = (
    rf"{_SUBJECT}(?:(?:is|are|was|were|has been|have been|will be)\s+)?{_ADVERB}"
    r"(?:is|are|equals|stands at|costs?"
    r"|(?:been |be )?(?:set|moved|changed|postponed|raised|lowered|due|scheduled)(?: to| for| on)?)"
    rf"(?:\s+(?:now|currently))?{_TAIL}"
)
_PATTERNS = tuple(
    (attribute, affirmed, re.compile(pattern, re.IGNORECASE))
    for attribute, affirmed, pattern in (
        ("employer", False, _LEFT_WORK),
        ("employer", True, _WORKS),
        ("home", True, _LIVES),
        ("liking", False, _DISLIKES),
        ("liking", True, _LIKES),
        ("value", True, _IS),
    )
)
_PLACES = frozenset({"employer", "home"})
_HOLDER = "value name"
_SINGLE = re.compile(
    r"\b(?:favou?rite|name|nickname|address|e-?mail|birthday|time ?zone|native language"
    r"|(?:phone|mobile|room|account) number)\b",
    re.IGNORECASE,
)
_ROLE = re.compile(
    r"\b(?:manager|boss|wife|husband|spouse|landlord|landlady|dentist|chair(?:man|woman|person)?|captain|ceo)\Z",
    re.IGNORECASE,
)
"""Who holds one of these is told by a name; anything else is said of the person."""
_HISTORY = re.compile(
    r"\b(?:used to|formerly|previously|originally|at first|back (?:in|then)|until|once)\b"
    r"|\bin (?:19|20)\d\d\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:(?-i:may)|if|might|could|would|maybe|perhaps|plans?|wants?|hopes?|should|considering)\b",
    re.IGNORECASE,
)
_NO_MORE = re.compile(r"\bno longer\b|\s+any ?(?:more|longer)\b(?=[.!,;]|$)", re.IGNORECASE)
_FIRST = frozenset({"i", "i'm", "i've", "im", "user", "the user", "me"})
_PRONOUNS = frozenset(
    "he she it they we you this that these those his her its their our your who which there".split()
)
_USER = "user"
_TOLD = frozenset({Frame.STATED, Frame.ASKED})  # an order is read as asked; questions are left out before


@dataclass(frozen=True, slots=True)
class Statement:
    """One attribute of one subject, as a text states it.

    Attributes:
        subject: Folded words of the subject; ``user`` for "I", "the user" and a subject left out.
        attribute: ``employer``, ``home``, ``liking`` of something, ``value`` of a kind, or ``says``.
        value: Under which equal values meet.
        shown: The value as written.
    """

    subject: frozenset[str]
    attribute: str
    value: str
    shown: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two memories that say different things of one attribute.

    Attributes:
        old: Place of the earlier one, which is superseded.
        new: Place of the later one, which stays active.
        subject: Of whom or what, for people.
        attribute: What of it.
        old_value: As the earlier one writes it.
        new_value: As the later one writes it.
    """

    old: int
    new: int
    subject: str
    attribute: str
    old_value: str
    new_value: str


def find_conflicts(texts: Sequence[str], moments: Sequence[float]) -> list[Conflict]:
    """Return which memories a later one contradicts; the latest statement of each attribute holds.

    Args:
        texts: What each memory says. Only a memory of one sentence can be superseded: of a longer one
            the rest would go with it.
        moments: When each was said, in seconds; of two that were said at once neither is later.

    Returns:
        Each superseded memory once, in the order of ``texts``.
    """
    stated: dict[tuple[frozenset[str], str], list[tuple[float, int, Statement]]] = {}
    for place, (text, moment) in enumerate(zip(texts, moments, strict=True)):
        for statement in statements(text):
            key = statement.subject, statement.attribute
            stated.setdefault(key, []).append((moment, place, statement))
    found: dict[int, Conflict] = {}
    for said in stated.values():
        latest, new, holds = max(said, key=lambda item: (item[0], -item[1]))
        for moment, old, before in said:
            if moment < latest and old not in found and _differs(before, holds) and _is_one(texts[old]):
                subject = " ".join(sorted(holds.subject))
                attribute = holds.attribute.partition(" ")[0]
                found[old] = Conflict(old, new, subject, attribute, before.shown, holds.shown)
    return [found[place] for place in sorted(found)]


def statements(text: str) -> tuple[Statement, ...]:
    """Return what a text states of attributes that have one value at a time."""
    found: list[Statement] = []
    for start, end in sentence_spans(text):
        sentence = text[start:end].strip()
        if not sentence or is_question(sentence) or _HISTORY.search(sentence) or _OPEN.search(sentence):
            continue
        found += _attributes(sentence)
        found += _polarity(sentence)
    return tuple(found)


def _attributes(sentence: str) -> list[Statement]:
    """Return what the first pattern that finds a statement finds."""
    for attribute, affirmed, pattern in _PATTERNS:
        match = pattern.match(sentence)
        subject = _subject(match["subject"]) if match is not None else None
        if match is None or subject is None:
            continue
        if attribute in _PLACES:
            found = list(_of_place(subject, attribute, match, affirmed))
        elif attribute == "liking":
            thing = " ".join(sorted(_keys(match["value"])))
            found = [Statement(subject, f"liking {thing}", str(affirmed), sentence)] if thing else []
        else:
            found = list(_of_thing(subject, match))
        if found:
            return found
    return []


def _of_place(
    subject: frozenset[str], attribute: str, match: re.Match[str], affirmed: bool
) -> Iterator[Statement]:
    """Yield the employer or the home, which only a name can be."""
    # Names are read in the whole sentence: by itself every first word has a capital.
    start = match.start("value")
    for name in names(match.string):
        if start <= name.start <= start + len("the "):
            value = " ".join(name.pieces)
            yield Statement(subject, attribute, value if affirmed else f"not {value}", name.text)
            return


def _of_thing(subject: frozenset[str], match: re.Match[str]) -> Iterator[Statement]:
    """Yield the one figure that a thing is said to have, or the word where it can have only one."""
    sentence, at = match.string, match.start("value")
    found = [value for value in values(sentence) if value.start >= at and not value.is_replaced]
    figures = [value for value in found if not value.is_name]
    rest = _keys(_without(match["value"], at, figures))
    if len(figures) == 1:
        value = figures[0]
        shown = sentence[value.start : value.end]
        # What else is said of it must be the same: "900 EUR a month" and "9,000 EUR a year" may both hold.
        yield Statement(subject, " ".join(("value", _kind(value), *sorted(rest))), value.key, shown)
    elif _ROLE.search(match["subject"]):
        yield from (
            Statement(subject, _HOLDER, " ".join(name.pieces), name.text)
            for name in names(sentence)
            if name.start == at
        )
    elif _SINGLE.search(match["subject"]) and (figures or rest):
        said = match["value"].strip()
        key = " ".join(sorted(rest)) if not figures else fold(said)
        yield Statement(subject, "value word", key, said)


def _kind(value: Value) -> str:
    return "day" if value.kind == "weekday" else value.kind


def _without(said: str, at: int, figures: Iterable[Value]) -> str:
    letters = list(said)
    for figure in figures:
        for place in range(figure.start - at, min(figure.end - at, len(letters))):
            letters[place] = " "
    return "".join(letters)


def _polarity(sentence: str) -> Iterator[Statement]:
    """Yield the sentence itself: another of the same words that denies one of them contradicts it."""
    marks = read(_NO_MORE.sub(_plain_denial, sentence)).marks
    if len(marks) < 2 or any(mark.frame not in _TOLD for mark in marks):
        return
    if words(sentence)[0].lower in _PRONOUNS:
        return
    keys = frozenset(_USER if mark.word.lower in _FIRST else mark.key for mark in marks)
    denied = " ".join(sorted({mark.key for mark in marks if mark.denied}))
    yield Statement(keys - {_USER}, "says", denied, sentence)


def _plain_denial(match: re.Match[str]) -> str:
    """Return the words of a state that ended as those of one that does not hold."""
    return "not" if match.group().casefold().startswith("no") else ""


def _subject(said: str) -> frozenset[str] | None:
    """Return the folded words of a subject; None where a pronoun hides it."""
    lower = re.sub(r"^(?:the|a|an)\s+", "", said.strip().casefold().replace("’", "'"))
    if lower in _FIRST or not lower:
        return frozenset({_USER})
    said_words = [fold(word.removesuffix("'s")) for word in lower.split()]
    if said_words[0] in _PRONOUNS:
        return None
    articles = {"the", "a", "an"}
    kept = (_USER if word == "my" else word for word in said_words if word not in articles)
    return frozenset(word.strip("().\"'") for word in kept)


def _keys(said: str) -> frozenset[str]:
    return frozenset(word.key for word in words(said) if not word.is_stop)


def _differs(before: Statement, after: Statement) -> bool:
    if before.value == after.value:
        return False
    if after.attribute in {*_PLACES, _HOLDER}:
        ours, theirs = (set(value.removeprefix("not ").split()) for value in (before.value, after.value))
        denied = [value.startswith("not ") for value in (before.value, after.value)]
        # "Left Borealis" undoes "works at Borealis" and nothing else; "Acme" and "Acme Ltd" are one.
        same = ours <= theirs or theirs <= ours
        return not denied[0] and (same if denied[1] else not same)
    return True


def _is_one(text: str) -> bool:
    return len([1 for start, end in sentence_spans(text) if text[start:end].strip()]) == 1
