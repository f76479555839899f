"""Whether a statement holds a key fact: its canonical value, said of the same thing.

The canonical forms are those that elimination compares: amounts in base units, dates as days, names
folded, words by their keys.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import ceil
from typing import NamedTuple

from memguard.facts.figures import figures
from memguard.facts.forms import FactClass, KeyFact, Statement
from memguard.facts.joining import DENIED, NAMED, STATED, denies_something, is_rare
from memguard.facts.namings import namings
from memguard.grounding.reading.words import content_keys

LEAST_SHARED = 0.6
"""Share of its content words that a statement must hold of a fact that is a whole statement."""
_ROUNDING = 1e-9
_TOKEN = re.compile(r"[a-z0-9]+")
_UNIQUE = frozenset({FactClass.PATH, FactClass.IDENTIFIER, FactClass.COMMAND, FactClass.QUOTE, *NAMED})
"""Classes whose value alone tells what is spoken of."""


@dataclass(frozen=True, slots=True)
class _Read:
    """A statement, read once."""

    plain: str
    keys: frozenset[str]
    values: frozenset[str]
    denies: bool
    cites: frozenset[str]


class _Wanted(NamedTuple):
    """The words of a whole statement, how many of them must be there, and whether it denies something."""

    keys: frozenset[str]
    least: int
    is_denied: bool

    def may_be_in(self, read: _Read) -> bool:
        return read.denies or not self.is_denied


class FactIndex:
    """Key facts by their values, words and places: a statement is held against the few that it may hold.

    A statement is read once, and what it holds is remembered: a moved slider asks for the same ones again.
    """

    def __init__(self, facts: Sequence[KeyFact]) -> None:
        """Take the facts of one conversation; those that were replaced are never held."""
        self._facts = [fact for fact in facts if fact.superseded_by is None]
        self._by_value: dict[str, list[int]] = {}
        self._by_word: dict[str, list[int]] = {}
        self._by_text: dict[tuple[str, str], list[int]] = {}
        self._answers: dict[str, list[int]] = {}
        self._held: dict[Statement, tuple[str, ...]] = {}
        for number, fact in enumerate(self._facts):
            if fact.kind in STATED:
                for key in _wanted(fact.value).keys:
                    self._by_word.setdefault(key, []).append(number)
                if fact.context is not None:
                    self._answers.setdefault(fact.carrier.message_id, []).append(number)
            else:
                self._by_value.setdefault(fact.value, []).append(number)
                place = fact.carrier.message_id, next(iter(_tokens(_plain(fact.text))), "")
                self._by_text.setdefault(place, []).append(number)

    def held_by(self, statement: Statement) -> tuple[str, ...]:
        """Return the ids of the facts that one statement holds, in their order.

        A whole statement must be there in most of its words and with its denial; a value as such, and
        beside a word of what it is said of unless it names its thing by itself.
        """
        known = self._held.get(statement)
        if known is None:
            read = _read(statement)
            known = tuple(self._facts[i].id for i in sorted(self._near(read)) if _holds(read, self._facts[i]))
            self._held[statement] = known
        return known

    def held_by_any(self, statements: Sequence[Statement]) -> frozenset[str]:
        """Return the ids of the facts that at least one statement holds, or a question with its answer."""
        held = {id for statement in statements for id in self.held_by(statement)}
        for asked, told in pairwise(statements):
            ids = dict.fromkeys(told.message_ids)
            for fact in (self._facts[i] for id in ids for i in self._answers.get(id, ())):
                if fact.id not in held and _says(_together(_read(asked), _read(told)), fact):
                    held.add(fact.id)
        return frozenset(held)

    def _near(self, read: _Read) -> set[int]:
        """Return the numbers of the facts that a statement may hold."""
        shared = Counter(number for key in read.keys for number in self._by_word.get(key, ()))
        near = {i for i, n in shared.items() if n >= _wanted(self._facts[i].value).least}
        near.update(i for value in read.values for i in self._by_value.get(value, ()))
        tokens = {*_tokens(read.plain), ""}
        near.update(i for id in read.cites for token in tokens for i in self._by_text.get((id, token), ()))
        return near


def _holds(read: _Read, fact: KeyFact) -> bool:
    if fact.kind in STATED:
        return _says(read, fact)
    cites = fact.carrier.message_id in read.cites
    if fact.value not in read.values and not (
        fact.text and cites and _is_within(_plain(fact.text), read.plain)
    ):
        return False
    if fact.kind in _UNIQUE or is_rare(fact.value):
        return True
    return cites or not fact.topic or bool(read.keys & fact.topic)


def _is_within(words: str, text: str) -> bool:
    """Tell whether words stand in a text as words: "5 euros" does not stand in "25 euros"."""
    return re.search(rf"(?<![a-z0-9]){re.escape(words)}(?![a-z0-9])", text) is not None


def _says(read: _Read, fact: KeyFact) -> bool:
    wanted = _wanted(fact.value)
    return bool(wanted.keys) and len(wanted.keys & read.keys) >= wanted.least and wanted.may_be_in(read)


def _together(asked: _Read, told: _Read) -> _Read:
    """Read a question and the answer in the statement after it as one."""
    return _Read(
        f"{asked.plain} {told.plain}",
        asked.keys | told.keys,
        asked.values | told.values,
        told.denies,
        asked.cites | told.cites,
    )


@lru_cache(maxsize=32_768)
def _wanted(value: str) -> _Wanted:
    said, _, asked = value.partition(": ")
    is_denied = value.startswith(DENIED) or (bool(asked) and said == "no")
    keys = frozenset((asked or value.removeprefix(DENIED)).split())
    return _Wanted(keys, ceil(LEAST_SHARED * len(keys) - _ROUNDING), is_denied)


@lru_cache(maxsize=16_384)
def _read(statement: Statement) -> _Read:
    text = statement.text
    values = {spot.value for spot in figures(text, None)} | {spot.value for spot in namings(text, ())}
    return _Read(
        _plain(text),
        content_keys(text),
        frozenset(values),
        denies_something(text),
        frozenset(statement.message_ids),
    )


def _tokens(plain: str) -> list[str]:
    return _TOKEN.findall(plain)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
