"""Whether a statement holds a key fact: its canonical value, said of the same thing.

The canonical forms are those that elimination compares: amounts in base units, dates as days, names
folded, words by their keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from memguard.facts.figures import figures
from memguard.facts.forms import FactClass, KeyFact, Statement
from memguard.facts.joining import DENIED, NAMED, STATED, denies_something, is_rare
from memguard.facts.namings import namings
from memguard.grounding.reading.words import content_keys

LEAST_SHARED = 0.6
"""Share of its content words that a statement must hold of a fact that is a whole statement."""
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


class Holder:
    """Statements, read for key facts."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        """Read every statement once."""
        self._read = [_read(statement) for statement in statements]
        self._by_value: dict[str, list[_Read]] = {}
        for read in self._read:
            for value in read.values:
                self._by_value.setdefault(value, []).append(read)

    def holds(self, fact: KeyFact) -> bool:
        """Tell whether a statement holds the fact.

        A whole statement must be there in most of its words and with its denial; a value as such, and
        beside a word of what it is said of unless it names its thing by itself.
        """
        if fact.kind in STATED:
            if any(_says(read, fact) for read in self._read):
                return True
            return fact.context is not None and any(
                _says(_together(asked, told), fact)
                for asked, told in pairwise(self._read)
                if fact.carrier.message_id in told.cites
            )
        found = self._by_value.get(fact.value, [])
        if not found and fact.text:
            text = _plain(fact.text)
            found = [r for r in self._read if text in r.plain and fact.carrier.message_id in r.cites]
        if fact.kind in _UNIQUE or is_rare(fact.value):
            return bool(found)
        return any(
            not fact.topic or read.keys & fact.topic or fact.carrier.message_id in read.cites
            for read in found
        )


def _together(asked: _Read, told: _Read) -> _Read:
    """Read a question and the answer in the statement after it as one."""
    return _Read(
        f"{asked.plain} {told.plain}",
        asked.keys | told.keys,
        asked.values | told.values,
        told.denies,
        asked.cites | told.cites,
    )


def _says(read: _Read, fact: KeyFact) -> bool:
    said, _, asked = fact.value.partition(": ")
    denied = fact.value.startswith(DENIED) or (bool(asked) and said == "no")
    wanted = frozenset((asked or fact.value.removeprefix(DENIED)).split())
    if not wanted or (denied and not read.denies):
        return False
    return len(wanted & read.keys) >= LEAST_SHARED * len(wanted)


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


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
