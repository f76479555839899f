"""Clauses of a sentence that can be judged alone, with exact offsets.

No parser is at hand, so a sentence is cut only where several signs agree: a conjunction or a mark
that joins clauses, a finite verb on both sides, and a subject on both sides or one that plainly
serves both. What hangs on something else (a condition, reported speech, a quotation, a negation or
a doubt that may reach over the conjunction) stays whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from memguard.grounding.claims.phrases import (
    EFFECTS,
    HARMLESS_ADVERBS,
    HISTORY,
    Head,
    antecedent_of,
    head_of,
    is_open_pair,
    own_subject,
    stays_whole,
    takes_clause,
)
from memguard.grounding.claims.predicates import predicate_at
from memguard.grounding.reading.tags import FINITE, SUBORDINATE, Token, tagged

Span = tuple[int, int]
_OBJECTS = frozenset("him them it her this that one ones there so each other".split())
_FEWEST_TOKENS = 5


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause.

    Attributes:
        start: Offset of its first character in the sentence.
        end: Offset after its last.
        carry: The words before it that it needs to stand alone ("The Solo plan"), if any.
        skip: Words inside it that its self-contained form leaves out (", which"), if any.
    """

    start: int
    end: int
    carry: Span | None = None
    skip: Span | None = None


@dataclass(frozen=True, slots=True)
class _Cut:
    """Where one clause ends and the next begins, by token."""

    end: int
    start: int
    carry: Span | None = None
    skip: Span | None = None


@lru_cache(maxsize=8_192)
def clauses(sentence: str) -> tuple[Clause, ...]:
    """Return the clauses of one sentence in order; the whole sentence where no cut is sure.

    The first starts where the sentence starts and the last ends where it ends. Between two lie only
    white space, a mark and the word that joins them.
    """
    whole = (Clause(0, len(sentence)),)
    tokens = tagged(sentence)
    if len(tokens) < _FEWEST_TOKENS:
        return whole
    depths = _depths(tokens)
    if depths is None or stays_whole(tokens):
        return whole
    found: list[Clause] = []
    first, start, carry = 0, 0, None
    index = 1
    while index < len(tokens) - 1:
        cut = None if depths[index] else _cut(tokens, depths, first, index, carry)
        if cut is None:
            index += 1
            continue
        found.append(Clause(start, tokens[cut.end - 1].end, carry, cut.skip))
        first, start, carry = cut.start, tokens[cut.start].start, cut.carry
        index = cut.start + 1
    found.append(Clause(start, len(sentence), carry))
    return tuple(_self_contained(tokens, found))


def _self_contained(tokens: Sequence[Token], found: list[Clause]) -> list[Clause]:
    """Join a clause whose object points at what was said before ("and Mike confirms it") to it."""
    done = found[:1]
    for clause in found[1:]:
        inside = [t for t in tokens if clause.start <= t.start < clause.end]
        verb = next((i for i, t in enumerate(inside) if t.tag in FINITE), 0)
        if clause.carry is None and any(_points_back(inside, i) for i in range(verb, len(inside))):
            done[-1] = replace(done[-1], end=clause.end)
        else:
            done.append(clause)
    return done


def _points_back(tokens: Sequence[Token], index: int) -> bool:
    token = tokens[index]
    if token.lower in ("this", "that", "these", "those"):
        following = tokens[index + 1] if index + 1 < len(tokens) else None
        return token.tag == "DT0" and (following is None or not following.is_word)
    return token.lower in ("him", "them", "it", "so", "one") or (token.lower == "her" and token.tag == "PNP")


def _depths(tokens: Sequence[Token]) -> list[int] | None:
    """Return how deep in quotation marks and brackets each token lies; None where they do not match."""
    closers = {"(": ")", "[": "]", "{": "}", "“": "”", "«": "»", '"': '"', "`": "`"}
    waiting: list[str] = []
    depths = []
    for token in tokens:
        if waiting and token.text == waiting[-1]:
            depths.append(len(waiting))
            waiting.pop()
        elif token.text in closers:
            waiting.append(closers[token.text])
            depths.append(len(waiting))
        elif token.text in closers.values():
            return None
        else:
            depths.append(len(waiting))
    return None if waiting else depths


def _cut(
    tokens: Sequence[Token], depths: Sequence[int], first: int, index: int, carry: Span | None
) -> _Cut | None:
    """Return the cut at the joint that begins at ``index``, if one is sure there."""
    token = tokens[index]
    comma = token.text == ","
    joint = index + 1 if comma else index
    if joint + 1 >= len(tokens):
        return None
    word = tokens[joint].lower
    if word in ("who", "which") and comma:
        return _relative(tokens, depths, first, index, carry)
    head = head_of(tokens, first, index, carry)
    if head is None or is_open_pair(tokens, first, index):
        return None
    if token.text == ";":
        return _Cut(index, index + 1) if _stands_alone(tokens, head, index + 1, sure=True) else None
    if word in ("and", "but"):
        if _stands_alone(tokens, head, joint + 1, sure=comma):
            return _Cut(index, joint + 1)
        return _shared_subject(tokens, head, index, joint + 1)
    if word in ("while", "whereas", "so") and comma and tokens[joint + 1].lower != "that":
        return _Cut(index, joint + 1) if _stands_alone(tokens, head, joint + 1, sure=True) else None
    if word == "because" and not (head.takes_clause or head.n_finite > 1 or head.subordinate):
        within = any(t.tag == "TO0" for t in tokens[head.main : index])  # "told her to go because …"
        alone = not within and own_subject(tokens, joint + 1, sure=True) is not None
        return _Cut(index, joint + 1) if alone else None
    return _series(tokens, depths, head, index) if comma else None


def _stands_alone(tokens: Sequence[Token], head: Head, start: int, *, sure: bool) -> bool:
    """Return whether a clause with a subject of its own begins at ``start``, outside the one before.

    Args:
        tokens: The sentence.
        head: The clause before.
        start: The first token after the conjunction.
        sure: A comma or semicolon stands before it, so that "and" can hardly join two nouns.
    """
    if own_subject(tokens, start, sure=sure) is None:
        return False
    if head.takes_clause and (head.n_finite > 1 or head.subordinate):
        return False
    if head.takes_clause and not sure and not any(t.tag == "TO0" for t in tokens[head.main : start]):
        return False
    if "that" in head.subordinate:
        return False
    return sure or not (head.subordinate or head.n_finite > 1)


def _shared_subject(tokens: Sequence[Token], head: Head, index: int, start: int) -> _Cut | None:
    """Return the cut before a verb that shares the subject of the clause before."""
    verb = start
    while verb < len(tokens) and tokens[verb].tag == "AV0" and verb - start < 2:
        verb += 1
    if verb >= len(tokens) - 1 or head.subject is None or head.subordinate or head.n_finite != 1:
        return None
    if any(t.lower in HISTORY for t in tokens[head.first : index]):
        return None
    if any(t.lower not in HARMLESS_ADVERBS for t in tokens[start:verb]):
        return None
    carry = predicate_at(tokens, head, index, verb)
    return _Cut(index, start, carry) if carry is not None and _is_complete(tokens, verb) else None


def _is_complete(tokens: Sequence[Token], verb: int) -> bool:
    """Return whether what follows the verb is there, points at nothing before and has one verb."""
    end = verb + 1
    group = True
    for end in range(verb + 1, len(tokens)):
        token = tokens[end]
        if token.text in (",", ";") or token.tag in SUBORDINATE:
            break
        if token.lower in _OBJECTS and token.tag != "DPS":
            return False
        if token.tag == "CJC" and end + 1 < len(tokens) and own_subject(tokens, end + 1, sure=False):
            break
        if token.tag in FINITE and tokens[end - 1].tag != "CJC" and not group:
            return takes_clause(tokens[verb].lower)
        group = group and (token.tag[:1] == "V" or token.tag in ("AV0", "XX0"))
    return any(token.is_word for token in tokens[verb + 1 : end + 1])


def _series(tokens: Sequence[Token], depths: Sequence[int], head: Head, index: int) -> _Cut | None:
    """Return the cut at a comma inside "did this, did that, and did more" and the like."""
    for last in range(index + 2, len(tokens) - 1):
        if depths[last] or tokens[last].tag in SUBORDINATE or tokens[last].text == ";":
            return None
        if tokens[last].lower == "and":
            break
    else:
        return None
    following = index + 1
    if tokens[last - 1].text == "," and own_subject(tokens, last + 1, sure=True) is not None:
        return _Cut(index, following) if _stands_alone(tokens, head, following, sure=True) else None
    tag = tokens[following].tag
    if tag not in ("VVZ", "VVD") or tokens[last + 1].tag != tag or tokens[head.verb].tag != tag:
        return None
    return _shared_subject(tokens, head, index, following)


def _relative(
    tokens: Sequence[Token], depths: Sequence[int], first: int, index: int, carry: Span | None
) -> _Cut | None:
    """Return the cut at ", who …" or ", which …"."""
    verb = index + 2
    while verb < len(tokens) and tokens[verb].tag == "AV0":
        verb += 1
    if verb >= len(tokens) - 1 or tokens[verb].tag not in FINITE:
        return None
    who = tokens[index + 1].lower == "who"
    if not who and (tokens[verb].lower in EFFECTS or _comments(tokens, verb)):
        return None
    if tokens[first].lower == "it" or any(t.tag == "XX0" for t in tokens[first:index]):
        return None  # "It was Anna, not Ben, who called"
    antecedent = antecedent_of(tokens, first, index, who=who, verb=tokens[verb])
    if antecedent is None:
        return None
    commas = [
        i
        for i in range(verb, len(tokens) - 1)
        if not depths[i] and (tokens[i].text in (",", ";") or tokens[i].tag in SUBORDINATE)
    ]
    if not commas:
        head = head_of(tokens, first, index, carry)
        if head is None or head.takes_clause or head.subordinate or head.n_finite != 1:
            return None
        if any(t.lower in _OBJECTS and t.tag != "DPS" for t in tokens[verb:]):
            return None
        return _Cut(index, index + 2, antecedent)
    close = commas[0]
    # "The review, which was moved to Friday, covers billing": the subject stands before the comma.
    after = close + 1
    if (
        tokens[close].text != ","
        or carry is not None
        or antecedent[0] != tokens[first].start
        or tokens[after].tag not in FINITE
        or not _is_complete(tokens, after)
        or len(commas) > 1
    ):
        return None
    return _Cut(close, after, antecedent, (antecedent[1], tokens[index + 1].end))


def _comments(tokens: Sequence[Token], verb: int) -> bool:
    """Return whether "which is …" speaks of the whole sentence before: "which is great"."""
    following = verb + 1
    while following < len(tokens) and tokens[following].tag in ("AV0", "XX0"):
        following += 1
    if tokens[verb].tag[:2] != "VB" or following >= len(tokens):
        return False
    return tokens[following].tag not in ("VVN", "PRP", "CRD")
