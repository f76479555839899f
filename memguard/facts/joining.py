"""Joins the mentions of one fact: the same value said of the same thing is found once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from memguard.facts.carriers import Piece
from memguard.facts.forms import FactClass
from memguard.facts.speech import telling_keys
from memguard.messages import SourceSpan

_RECENT = 12
"""Mentions under one value or word that a new one is compared with: keeps the work linear."""
_ALIKE = 0.6
"""Share of words, of both together, that two statements of one fact have in common."""
_AGAIN = 0.08
"""By how much each further mention raises the weight."""
_MOST = 1.3
_TOPIC_WORDS = 2
_OVERHEAD = 6.0  # words that a line costs besides its own
STATED = frozenset({FactClass.DECISION, FactClass.PREFERENCE, FactClass.COMMITMENT, FactClass.CONDITION})
"""Classes whose facts are whole statements: no single value says whether two are equal."""
NAMED = frozenset({FactClass.PERSON, FactClass.PRODUCT, FactClass.PLACE})
DENIED = "not "
"""Opens the value of a statement that denies something."""
_DENIAL = re.compile(
    r"\b(?:no|nope|nah|not|never|none|nothing|nobody|neither|nor|without|cannot|hardly)\b|n['’]t\b",
    re.IGNORECASE,
)
_MOMENT = re.compile(r"\d\d[-:]\d\d(?:\.\.\d\d)?$")
_UNIQUE = frozenset({FactClass.PATH, FactClass.IDENTIFIER, FactClass.COMMAND, *NAMED})


@dataclass(frozen=True, slots=True)
class Mention:
    """A fact as one piece gives it; see :class:`KeyFact` for the fields they share.

    Attributes:
        topic: Words that say what it speaks of, those before it as well where it leans on them.
        own: Those of its piece alone.
        accepted: Whether the next speaker agrees to it.
        piece: Where it stands.
        n_words: What its line costs, in words.
    """

    kind: FactClass
    span: SourceSpan
    value: str
    weight: float
    carrier: SourceSpan
    context: SourceSpan | None
    topic: frozenset[str]
    own: frozenset[str]
    accepted: bool
    piece: Piece
    n_words: int


@dataclass(slots=True, eq=False)
class Group:
    """The mentions of one fact, in order.

    Attributes:
        mentions: All of them.
        best: The one that is shown.
    """

    mentions: list[Mention]
    best: Mention = field(init=False)

    @property
    def weight(self) -> float:
        """The weight of the best mention, raised by how often the fact is said, in (0, 1]."""
        turns = {m.piece.unit.turn for m in self.mentions}
        return round(min(1.0, self.best.weight * min(_MOST, 1.0 + _AGAIN * (len(turns) - 1))), 4)


def stated_value(text: str) -> str:
    """Return the canonical form of a whole statement: its content words, and whether it denies."""
    keys = " ".join(sorted(telling_keys(text)))
    return f"{DENIED}{keys}" if denies_something(text) else keys


def denies_something(text: str) -> bool:
    """Tell whether a text holds a denial."""
    return _DENIAL.search(text) is not None


def joined(mentions: Iterable[Mention]) -> list[Group]:
    """Group mentions by fact, and choose of each group the best."""
    mentions = list(mentions)
    groups: list[Group] = []
    by_key: dict[tuple[str, str], list[Group]] = {}
    for mention in mentions:
        keys = _keys(mention)
        candidates = {id(g): g for key in keys for g in by_key.get(key, ())}
        group = next((g for g in candidates.values() if _is_same(mention, g)), None)
        if group is None:
            group = Group([])
            groups.append(group)
        group.mentions.append(mention)
        for key in keys:
            known = by_key.setdefault(key, [])
            if group not in known[-_RECENT:]:
                known.append(group)
                del known[:-_RECENT]
    density: dict[SourceSpan, float] = {}
    for mention in mentions:
        density[mention.carrier] = density.get(mention.carrier, 0.0) + mention.weight / (
            mention.n_words + _OVERHEAD
        )
    for group in groups:
        group.best = max(group.mentions, key=lambda m: (m.weight * density[m.carrier], m.piece.unit.number))
    return groups


def _keys(mention: Mention) -> list[tuple[str, str]]:
    if mention.kind in STATED:
        return [("stated", key) for key in mention.value.split()]
    return [("named" if mention.kind in NAMED else "value", mention.value)]


def _is_same(mention: Mention, group: Group) -> bool:
    other = group.mentions[-1]
    if mention.kind in STATED or other.kind in STATED:
        return (
            mention.kind is other.kind
            and _share(set(mention.value.split()), set(other.value.split())) >= _ALIKE
        )
    if mention.kind in _UNIQUE or is_rare(mention.value):
        return True
    return any(_same_topic(mention, m) for m in group.mentions[-3:])


def _same_topic(one: Mention, other: Mention) -> bool:
    """Tell whether two mentions of one value speak of one thing: they share most words of the shorter."""
    shared = len(one.topic & other.topic)
    return shared >= _TOPIC_WORDS or shared * _TOPIC_WORDS > min(len(one.topic), len(other.topic))


def is_rare(value: str) -> bool:
    """Tell a value that hardly two things share: four digits or more; many things share a day or an hour."""
    number = value.split(" ")[0]
    return sum(c.isdigit() for c in number) > 3 and _MOMENT.match(number) is None


def _share(a: set[str], b: set[str]) -> float:
    return len(a & b) / len(a | b) if a | b else 0.0
