"""Quantifiers: the claim says all, none, at least or always where the transcript says some, up to or only if.

Three comparisons, each between places that share what is counted: bounds of one number ("at least 5"
against "up to 5"), shares of one thing ("all jobs" against "all except one"), and conditions ("for any
item" against "only if unopened"). Weaker than stated is fine; the same in other words is a match.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from memguard.grounding.guards.hearing import Heard, hear, names_of
from memguard.grounding.inquiry import Inquiry
from memguard.grounding.reading import lexicon
from memguard.grounding.reading.frames import is_question
from memguard.grounding.reading.predications import predications_of
from memguard.grounding.reading.words import content_keys, content_words, key_of, words
from memguard.grounding.verdicts import Finding, Severity

GUARD = "quantifiers"

_NUMBER = (
    r"(?P<number>[$€£]?\d[\d,.]*\d|[$€£]?\d|one|two|three|four|five|six|seven|eight|nine|ten|eleven"
    r"|twelve|fifteen"
    r"|twenty|thirty|forty|fifty|sixty|ninety|a hundred)"
)
_LEAST = (
    r"(?:at least|no (?:less|fewer|sooner|earlier) than|a minimum of|minimum(?: of)?"
    r"|not (?:less|fewer) than|from)"
)
_MOST = (
    r"(?:at (?:the )?most|up to|no (?:more|longer|later) than|not more than|a maximum of"
    r"|maximum(?: of)?|max\.?"
    r"|limited to|capped at|as many as|within|a limit of|limit is|limit of)"
)
_OVER = r"(?:more than|over|above|exceeds?|exceeding|longer than|greater than)"
_UNDER = r"(?:less than|fewer than|under|below|shorter than)"
_BOUND = re.compile(
    rf"\b(?:(?P<least>{_LEAST})|(?P<most>{_MOST})|(?P<over>{_OVER})|(?P<under>{_UNDER})) {_NUMBER}\b",
    re.IGNORECASE,
)
_TRAILING = re.compile(
    rf"\b{_NUMBER}(?: \w+)? (?:(?P<least>or more|minimum|at least|and up)|(?P<most>or (?:less|fewer)"
    rf"|at (?:the )?most"
    r"|maximum|max|tops))\b",
    re.IGNORECASE,
)
_UPPER = frozenset({"most", "under"})
_NUMERALS = {
    word: str(value)
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
} | {
    "fifteen": "15",
    "twenty": "20",
    "thirty": "30",
    "forty": "40",
    "fifty": "50",
    "sixty": "60",
    "ninety": "90",
}

_ALL = "all every everyone everybody everything always each both whole entire completely entirely".split()
_NO = "none nobody nothing never neither".split()
_SHARES = (
    dict.fromkeys(_ALL, 4)
    | dict.fromkeys("most usually mostly typically generally normally majority nearly almost".split(), 3)
    | dict.fromkeys("some sometimes several half occasionally partly partially certain".split(), 2)
    | dict.fromkeys("few rarely seldom hardly only".split(), 1)
    | dict.fromkeys(_NO, 0)
)
_EXCEPT = re.compile(
    r"\b(?:except(?: for)?|apart from|other than|but not|all but|excluding|besides)\b", re.IGNORECASE
)
_ONLY_IF = re.compile(
    r"\b(?:only (?:if|when|for|with|after|once|in)|unless|provided(?: that)?|as long as|on condition)\b",
    re.IGNORECASE,
)
_REGARDLESS = re.compile(
    r"\b(?:whether (?:or not|\w+ or (?:not|un\w+))|regardless|no matter|unconditionally|in any case|even if"
    r"|(?:for|on|to|with) any|any (?:item|time|reason|order|customer|user)|opened or not|at any time"
    r"|for everyone)\b",
    re.IGNORECASE,
)
_REQUIRES = re.compile(r"\b(?:requires?|required|needs?|must|only|mandatory|has to|have to)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Bound:
    kind: str
    number: str
    start: int
    end: int
    thing: str


@dataclass(frozen=True, slots=True)
class _Share:
    rank: int
    start: int
    end: int
    clause: int
    excepted: bool


def check(inquiry: Inquiry) -> tuple[Finding, ...]:
    """Return where the claim's quantifiers go beyond those of the sources, or say the same in other words."""
    if not inquiry.ranked:
        return ()
    text = inquiry.text
    heard = hear(inquiry.sources).heard
    names = names_of(inquiry.speakers)
    findings = [*_bounds(text, heard)]
    others = (_conditions(text, heard), _both(text, heard), _shares(text, heard, names))
    findings.extend(found for found in others if found is not None)
    return tuple(findings)


@lru_cache(maxsize=32_768)
def bounds_of(text: str) -> tuple[_Bound, ...]:
    """Return the bounds of a text: their kind, number and the thing counted."""
    found = []
    for pattern in (_BOUND, _TRAILING):
        for match in pattern.finditer(text):
            kind = match.lastgroup if match.lastgroup != "number" else None
            kind = next((k for k in ("least", "most", "over", "under") if match.groupdict().get(k)), kind)
            number = match.group("number").lower().replace(",", "").lstrip("$€£")
            after = [w for w in words(text[match.end("number") :])[:2] if not w.is_stop]
            if kind is not None:
                thing = after[0].key if after else ""
                found.append(_Bound(kind, _NUMERALS.get(number, number), *match.span(), thing))
    return tuple(found)


def _bounds(text: str, heard: tuple[Heard, ...]) -> Iterator[Finding]:
    keys = content_keys(text)
    for ours in bounds_of(text):
        best: tuple[int, Heard, _Bound] | None = None
        for each in heard:
            for theirs in bounds_of(each.source.text):
                same = theirs.number == ours.number and (not ours.thing or ours.thing in each.own)
                shared = len(keys & each.own)
                if same and shared >= 2 and (best is None or shared > best[0]):
                    best = (shared, each, theirs)
        if best is None:
            continue
        _, each, theirs = best
        wording = (text[ours.start : ours.end], each.source.text[theirs.start : theirs.end])
        if (ours.kind in _UPPER) != (theirs.kind in _UPPER):
            yield _finding(
                Severity.CONTRADICTION, (ours.start, ours.end), each, (theirs.start, theirs.end), *wording
            )
        elif wording[0].lower() != wording[1].lower():
            yield _finding(Severity.MATCH, (ours.start, ours.end), each, (theirs.start, theirs.end), *wording)


def _conditions(text: str, heard: tuple[Heard, ...]) -> Finding | None:
    free, requires = _REGARDLESS.search(text), _REQUIRES.search(text)
    if free is None and requires is None:
        return None
    keys = content_keys(text)
    bare = {_bare(key) for key in keys}
    for each in heard:
        condition = _ONLY_IF.search(each.source.text)
        if condition is None or is_question(each.source.text):
            continue
        shared = len(bare & {_bare(key) for key in content_keys(each.source.text)})
        if shared < 2:
            continue
        if free is not None:
            return _finding(
                Severity.CONTRADICTION, free.span(), each, condition.span(), free.group(), condition.group()
            )
        if requires is not None and requires.group().lower() != "only":
            return _finding(
                Severity.MATCH, requires.span(), each, condition.span(), requires.group(), condition.group()
            )
    return None


def _bare(key: str) -> str:
    """Return a key without a negative prefix, so that "opened or not" meets "unopened"."""
    base = lexicon.without_prefix(key) or lexicon.without_prefix(f"{key}ed")
    return key_of(base) if base else key


def _both(text: str, heard: tuple[Heard, ...]) -> Finding | None:
    """Find "both want X" where one wants the opposite of X."""
    match = re.match(r"\s*(?:they )?both\b|\beveryone\b|\beverybody\b", text, re.IGNORECASE)
    if match is None:
        return None
    for word in content_words(text):
        opposites = {key_of(other) for other in lexicon.antonyms(word.lower) | lexicon.antonyms(word.lemma)}
        with_it = {each.source.speaker for each in heard if word.key in each.own}
        against = [
            each
            for each in heard
            if each.source.speaker not in with_it and opposites & content_keys(each.source.text)
        ]
        if with_it and against:
            source = against[0].source
            other = next(w for w in content_words(source.text) if w.key in opposites)
            return _finding(
                Severity.CONTRADICTION,
                match.span(),
                against[0],
                other.span,
                match.group().strip(),
                other.text,
            )
    return None


@lru_cache(maxsize=32_768)
def shares_of(text: str) -> tuple[_Share, ...]:
    """Return the words for shares in a text with their rank, from none (0) to all (4)."""
    found = words(text)
    shares = []
    for index, clause in enumerate(predications_of(text)):
        part = text[found[clause.start].start : found[clause.end - 1].end]
        rest = text[found[clause.start].start :]
        excepted = _EXCEPT.search(rest) is not None
        for at in range(clause.start, clause.end):
            word = found[at]
            rank = _SHARES.get(word.lower)
            if rank is None and word.lower == "no" and at + 1 < clause.end and "no " in part.lower():
                rank = 0
            negated = at > clause.start and (found[at - 1].lower == "not" or found[at - 1].is_negated)
            if rank == 4 and negated:
                rank = 3
            if (
                word.lower == "only"
                and at > clause.start
                and found[at - 1].lower not in {"but", "and", "is", "are"}
            ):
                continue
            if rank is not None and not _is_idiom(text, word.start):
                shares.append(_Share(rank, word.start, word.end, index, excepted))
    return tuple(shares)


_IDIOMS = re.compile(
    r"\b(?:at all|all right|all of a sudden|after all|above all|all the (?:best|time|same)"
    r"|first of all|all in all"
    r"|all day|all along|all set|all over|most (?:\w+ly )?\w+ed|at most|at least|a few|quite a few"
    r"|not only|only just"
    r"|no (?:problem|worries|doubt|longer|one|more|later|less|idea|matter)|never mind|almost"
    r"|for certain|all good"
    r"|nearly|half (?:an?|past)|neither)\b",
    re.IGNORECASE,
)


def _is_idiom(text: str, start: int) -> bool:
    return any(m.start() <= start < m.end() for m in _IDIOMS.finditer(text))


def _shares(text: str, heard: tuple[Heard, ...], names: frozenset[str]) -> Finding | None:
    ours = [share for share in shares_of(text) if share.rank in {0, 4}]
    if not ours:
        return None
    keys = content_keys(text) - names - _share_keys()
    if len(keys) < 2:
        return None
    best = max(heard, key=lambda each: len(keys & each.own))
    shared = len(keys & best.own)
    if shared < max(2, round(0.6 * len(keys))) or is_question(best.source.text):
        return None
    theirs = shares_of(best.source.text)
    excepted = any(share.excepted for share in theirs)
    for share in ours:
        if any(other.rank == share.rank and not other.excepted for other in theirs):
            continue
        if share.excepted:
            continue
        for other in theirs:
            if len(keys & best.reading.keys[other.clause]) < 2:
                continue
            goes_beyond = (share.rank == 4 and 0 < other.rank < 4) or (excepted and other.rank == share.rank)
            if goes_beyond or (share.rank == 0 and other.rank in {1, 2} and not _denied(best, other)):
                wording = (text[share.start : share.end], best.source.text[other.start : other.end])
                span = (other.start, other.end)
                return _finding(Severity.CONTRADICTION, (share.start, share.end), best, span, *wording)
    return None


@lru_cache(maxsize=1)
def _share_keys() -> frozenset[str]:
    return frozenset(key_of(word) for word in _SHARES)


def _denied(heard: Heard, share: _Share) -> bool:
    return any(mark.denied for mark in heard.reading.marks if mark.clause == share.clause)


def _finding(
    severity: Severity, span: tuple[int, int], heard: Heard, said: tuple[int, int], ours: str, theirs: str
) -> Finding:
    source = heard.source
    return Finding(
        GUARD, severity, span, source.at(*said), f'"{ours}", where {source.span.message_id} says "{theirs}"'
    )
