"""Negation and opposites: the claim affirms what the transcript denies, or the reverse.

Each predicate of the claim is looked up in the sources, by itself, by a synonym or by an opposite.
Every place found is a vote, for or against, weighed by how many of the claim's other words stand in
the same clause. The heaviest vote wins; a near tie says nothing, an exact one goes to the later word.
"didn't go through" and "failed" agree, and are reported as a match.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from memguard.grounding.guards.hearing import Heard, Hearing, context_of, hear, names_of, shared_weight
from memguard.grounding.inquiry import Inquiry
from memguard.grounding.reading import lexicon
from memguard.grounding.reading.frames import Frame
from memguard.grounding.reading.polarity import Mark, Reading, is_stated, read
from memguard.grounding.reading.words import key_of
from memguard.grounding.verdicts import Finding, Severity

GUARD = "negation"
_NEEDED = 0.45  # share of the claim that a contradicting clause must hold
_NEEDED_OF_NOUN = 0.5
_NEEDED_BESIDE = 0.75  # of a word that the claim is not about
_MARGIN = 0.08
_LONG = 45  # words of run-on speech, in which only the same word is compared
_WHATEVER = re.compile(r"\b(?:anything|nothing)\b.*\b(?:yet|so far|at all|today)\b", re.IGNORECASE)
_ASPECT = frozenset(
    "start begin commence launch resume continue carry_on end finish stop halt quit cease".split()
)
_WHOLE = 0.7  # share of the other words that opposites such as "start" and "end" need: their object tells
_SYNONYM, _OPPOSITE = 0.8, 0.85


@dataclass(frozen=True, slots=True)
class _Vote:
    score: float
    number: int
    agrees: bool
    literal: bool
    heard: Heard
    mark: Mark


def check(inquiry: Inquiry) -> tuple[Finding, ...]:
    """Return where the claim's polarity differs from that of the sources, or agrees in other words."""
    reading = read(inquiry.text)
    marks = [m for m in reading.marks if _is_asserted(inquiry.text, m, reading)]
    excepts = any(clause.opener in {"except", "only"} for clause in reading.clauses)
    if not marks or not inquiry.ranked:
        return ()
    hearing = hear(inquiry.sources)
    findings: list[Finding] = []
    names = names_of(inquiry.speakers)
    limits = _limits(reading)
    for mark in marks:
        found = _judge(
            mark, context_of(mark, reading, hearing, names), hearing, limits if mark.denied else frozenset()
        )
        if found is not None and excepts and found.severity is Severity.CONTRADICTION:
            continue  # what is excepted in both stands against itself
        if found is not None:
            findings.append(found)
    return tuple(findings)


_STANCES = frozenset("accept approve agree allow permit welcome".split())


def _takes_stance(mark: Mark) -> bool:
    """Tell whether a light word says yes to something: it is asked for its opposites only."""
    return mark.lemmas[-1] in _STANCES


def _limits(reading: Reading) -> frozenset[str]:
    """Return the keys of what limits the claim in time: "not while seated" says nothing of walking."""
    return frozenset(
        key
        for clause, keys in zip(reading.clauses, reading.keys, strict=True)
        if clause.opener in {"while", "when", "whenever", "during"}
        for key in keys
    )


def _is_asserted(text: str, mark: Mark, reading: Reading) -> bool:
    clause = reading.clauses[mark.clause]
    if clause.opener == "where" or (mark.is_light and not (mark.is_core and _takes_stance(mark))):
        return False
    if not mark.is_core and (mark.denied or clause.is_fragment or not mark.word.text.isalpha()):
        return False
    if mark.frame is not Frame.PLANNED and not is_stated(text, mark):
        return False
    return mark.denied or not clause.is_fragment or len(reading.clauses) > 1


_FIRM = frozenset({Frame.STATED, Frame.PLANNED, Frame.HELD})


def _judge(mark: Mark, rest: Mapping[str, float], hearing: Hearing, limits: frozenset[str]) -> Finding | None:
    votes = list(_votes(mark, rest, hearing))
    agree = max((v for v in votes if v.agrees), key=_rank, default=None)
    differ = max((v for v in votes if not v.agrees), key=_rank, default=None)
    if differ is not None and limits and limits.isdisjoint(differ.heard.own | differ.heard.nearby):
        differ = None
    needed = _NEEDED if _is_predicate(mark) else _NEEDED_OF_NOUN
    if not mark.is_core:
        needed = _NEEDED_BESIDE
    if differ is not None and differ.score >= needed and _outweighs(differ, agree):
        return _finding(Severity.CONTRADICTION, mark, differ)
    if (
        agree is not None
        and not agree.literal
        and agree.score >= _NEEDED
        and (differ is None or agree.score > differ.score)
    ):
        return _finding(Severity.MATCH, mark, agree)
    return None


def _is_predicate(mark: Mark) -> bool:
    return lexicon.part_of(mark.lemmas[-1]) in {"v", "a"} or "_" in mark.key


def _rank(vote: _Vote) -> tuple[float, int]:
    return vote.score, vote.number


def _outweighs(differ: _Vote, agree: _Vote | None) -> bool:
    if agree is None or differ.score > agree.score + _MARGIN:
        return True
    excepted = differ.heard.reading.clauses[differ.mark.clause].opener == "except"
    if excepted and differ.heard is agree.heard and differ.score >= agree.score:
        return True  # "nothing failed" where nothing failed except one
    return differ.score == agree.score and differ.number > agree.number


def _votes(mark: Mark, rest: Mapping[str, float], hearing: Hearing) -> Iterator[_Vote]:
    weight = hearing.weight(mark.key)
    total = weight + sum(rest.values())
    for key, factor, opposite in _others(mark.key, mark.lemmas):
        for heard, said in hearing.cores.get(key, ()):
            if heard.frame(said) not in _FIRM or (opposite and (said.word.is_name or mark.word.is_name)):
                continue
            if not _may_compare(mark, said, opposite):
                continue
            if key != mark.key and heard.n_words > _LONG:
                continue
            shared = shared_weight(rest, heard, said.clause)
            if said.denied and _WHATEVER.search(heard.source.text) and not heard.names.isdisjoint(rest):
                shared = max(shared, _WHOLE * sum(rest.values()))  # "I haven't sent anything yet"
            if rest and not shared:
                continue
            agrees = (mark.denied == heard.denied(said)) != opposite
            if not agrees and not opposite and key != mark.key and not _same_part(mark, said):
                continue
            if not agrees and (said.is_soft or mark.is_soft):
                continue
            if (
                opposite
                and not _ASPECT.isdisjoint((mark.lemmas[-1], said.lemmas[-1]))
                and shared < _WHOLE * sum(rest.values())
            ):
                continue
            literal = key == mark.key and mark.denied == said.denied
            score = (factor * weight + shared) / total
            yield _Vote(score, heard.source.number, agrees, literal, heard, said)


def _may_compare(mark: Mark, said: Mark, opposite: bool) -> bool:
    """Tell whether two places may be set against each other.

    A light word counts by its opposite only ("accepted", "declined"); a word that the claim is not about
    only against a place that denies just it ("not from Acme").
    """
    if mark.is_light:
        return opposite
    if not mark.is_core:
        return said.key == mark.key and said.denied and not said.is_soft
    return True


@lru_cache(maxsize=16_384)
def _others(own: str, lemmas: tuple[str, ...]) -> tuple[tuple[str, float, bool], ...]:
    """Return under which keys a predicate may be found, how sure each is, and whether it is an opposite."""
    found: dict[str, tuple[str, float, bool]] = {own: (own, 1.0, False)}
    for lemma in lemmas:
        for other in sorted(lexicon.antonyms(lemma)):
            if not lexicon.is_converse(lemma, other):
                found.setdefault(_key(other), (_key(other), _OPPOSITE, True))
    for lemma in lemmas:
        for other in sorted(lexicon.near(lemma)):
            found.setdefault(_key(other), (_key(other), _SYNONYM, False))
    return tuple(found.values())


def _same_part(first: Mark, second: Mark) -> bool:
    """Tell whether two near words may be one predicate: "no prescription" does not deny "prescribed"."""
    one, other = first.lemmas[-1], second.lemmas[-1]
    return lexicon.part_of(one) == lexicon.part_of(other) or lexicon.is_same_by_hand(one, other)


def _key(lemma: str) -> str:
    return lemma if "_" in lemma else key_of(lemma)


def _finding(severity: Severity, mark: Mark, vote: _Vote) -> Finding:
    said, source = vote.mark, vote.heard.source
    ours = f"{'not ' if mark.denied else ''}{mark.word.text}"
    theirs = f"{'not ' if vote.heard.denied(said) else ''}{said.word.text}"
    return Finding(
        GUARD,
        severity,
        (mark.word.start, mark.end),
        source.at(said.word.start, said.end),
        f'"{ours}", where {source.span.message_id} says "{theirs}"',
    )
