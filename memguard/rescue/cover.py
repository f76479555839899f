"""Cover: which lines state the most key facts within a budget.

The budgeted maximum coverage problem, by its greedy rule (Khuller, Moss and Naor 1999): the line with the
greatest weight newly covered per token comes first. We differ in three things. A line with a fact that must
be kept comes before all without one, so that no number of cheap trifles outweighs an allergy. A line that
has become needless, since later ones state all its facts, is taken out again. And the tokens of a line fall
once another with the same source is in, since the two share a citation, or once another says what it would
need in brackets.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

MUST_KEEP = 0.8
"""From this weight on a fact must be kept: a severe allergy, a "never", what was settled at last."""
_CONTENT_WEIGHT = 0.02
"""Worth of a claim's new words: far below that of a key fact, which lies between 0 and 1."""
_TERM_WEIGHT = 0.06
"""Worth of a new word that no other item has: of two lines that state as much, the one that says more of the
conversation enters. Measured on the samples, PriMock57 and QMSum at a third of the tokens (0.03 to 0.2)."""
_ATTENTION = 2
"""Tokens that an item is counted as costing more than it does, when items are ranked: it has to be read as a
thing of its own. Without them scraps of a word or two win, and what they belong to is left out."""
_CLAIM_FACTOR = 1.3
"""A kept claim goes before a quote that says as much: the summarizer took it for important."""
_NEW_SHARE = 0.5
"""Share of a claim's content words that must be new where it brings no new key fact."""


@dataclass(frozen=True, slots=True)
class Item:
    """What may enter a payload.

    Attributes:
        facts: Keys of the key facts that it states.
        words: Its content words, each with the message that it rests on: a claim may enter for words that are
            new beside what comes from the same message, a quote enters for its facts alone.
        terms: Its content words, wherever they stand.
        tokens: What it costs in a line of its own, and beside another of the same source.
        context_tokens: What of that it costs to say in brackets what must stand before it.
        context_in: Numbers of the items that say it anyway.
        source: Items of equal source share a line; no number, so that it is none of an item's.
        is_quote: Whether it counts against the budget of the rescue.
        is_wanted: Whether a person keeps it: it goes before what only scored well.
        support: How well it is grounded, in [0, 1]; of equal items the better comes first.
    """

    facts: frozenset[str]
    words: frozenset[str]
    tokens: tuple[int, int]
    source: str
    terms: frozenset[str] = frozenset()
    context_tokens: int = 0
    context_in: frozenset[int] = frozenset()
    is_quote: bool = False
    is_wanted: bool = False
    support: float = 1.0


class Budget(NamedTuple):
    """What the chosen items may cost.

    Attributes:
        tokens: All of them.
        quotes: Those that are quotes; None for no limit of their own.
    """

    tokens: int
    quotes: int | None = None


@dataclass(frozen=True, slots=True)
class Chosen:
    """What enters and what does not, by number.

    Attributes:
        items: What enters, in the order of the choice.
        left: What did not fit, the best first.
        repeated: What says nothing new beside those that enter.
    """

    items: tuple[int, ...]
    left: tuple[int, ...] = ()
    repeated: frozenset[int] = frozenset()


def cover(items: Sequence[Item], weights: Mapping[str, float], budget: Budget) -> Chosen:
    """Choose the items that state the most weight of key facts within a budget.

    Args:
        items: What may enter.
        weights: Of each key, above 0.
        budget: What it may cost.
    """
    choice = _Choice(items, weights, budget)
    choice.fill()
    if choice.prune():
        choice.fill()
    rest = [i for i in range(len(items)) if i not in choice.chosen]
    repeated = frozenset(i for i in rest if not choice.gain(i))
    left = sorted(choice.entry(i) for i in rest if i not in repeated)
    return Chosen(tuple(choice.chosen), tuple(entry[-1] for entry in left), repeated)


class _Choice:
    """The items chosen so far, and what they state and cost."""

    def __init__(self, items: Sequence[Item], weights: Mapping[str, float], budget: Budget) -> None:
        self.items, self.budget = items, budget
        self.chosen: dict[int, None] = {}
        self.pruned: set[int] = set()
        self.facts: Counter[str] = Counter()
        self.words: Counter[str] = Counter()
        self.terms: Counter[str] = Counter()
        self.rarity = _rarity(items)
        self.sources: Counter[str] = Counter()
        self.tokens = self.quoted = 0
        self.weights = weights
        self.cheaper: dict[int | str, list[int]] = {}
        for number, item in enumerate(items):
            causes: tuple[int | str, ...] = (item.source, *item.context_in)
            for cause in causes:
                self.cheaper.setdefault(cause, []).append(number)

    def gain(self, number: int) -> float:
        """Return what an item would add; 0.0 where it says nothing new."""
        item = self.items[number]
        new = sum(self.weights[fact] for fact in item.facts if not self.facts[fact])
        if item.words and not item.is_quote:
            share = sum(not self.words[word] for word in item.words) / len(item.words)
            if new or share >= _NEW_SHARE:
                new += _CONTENT_WEIGHT * share
        if not new:
            return 0.0
        new += _TERM_WEIGHT * sum(self.rarity[term] for term in item.terms if not self.terms[term])
        return new if item.is_quote else new * _CLAIM_FACTOR

    def cost(self, number: int) -> int:
        """Return the tokens that an item would add."""
        item = self.items[number]
        tokens = item.tokens[1] if self.sources[item.source] else item.tokens[0]
        if item.context_tokens and not self.chosen.keys().isdisjoint(item.context_in):
            tokens -= item.context_tokens
        return max(1, tokens)

    def fill(self) -> None:
        """Add items, the best first, as long as one fits."""
        queue = [self.entry(i) for i in range(len(self.items)) if i not in self.chosen]
        heapq.heapify(queue)
        while queue:
            entry = heapq.heappop(queue)
            number = entry[-1]
            if number in self.chosen or number in self.pruned or not self.gain(number):
                continue
            now = self.entry(number)
            if now > entry:  # others said a part of it meanwhile
                heapq.heappush(queue, now)
                continue
            if not self._fits(number):
                continue
            self._add(number)
            for cause in (self.items[number].source, number):
                for other in self.cheaper.get(cause, ()):
                    if other not in self.chosen:
                        heapq.heappush(queue, self.entry(other))

    def prune(self) -> bool:
        """Take out what the others chosen say as well, the longest first, and say whether there was any."""
        before = len(self.chosen)
        for number in sorted(self.chosen, key=lambda i: -self.items[i].tokens[0]):
            item = self.items[number]
            if item.is_wanted or any(self.facts[fact] == 1 for fact in item.facts):
                continue
            self._add(number, -1)
            if self.gain(number):
                self._add(number)
            else:
                del self.chosen[number]
                self.pruned.add(number)
        return len(self.chosen) < before

    def entry(self, number: int) -> tuple[bool, bool, float, float, int, float, int]:
        """Return an item's rank, the best first: what a person wants, what must be kept, weight per token."""
        item = self.items[number]
        gain, cost = self.gain(number), self.cost(number)
        is_needed = any(self.weights[fact] >= MUST_KEEP and not self.facts[fact] for fact in item.facts)
        return (
            not item.is_wanted,
            not is_needed,
            -gain / (cost + _ATTENTION),
            -gain,
            cost,
            -item.support,
            number,
        )

    def _fits(self, number: int) -> bool:
        cost = self.cost(number)
        limit = self.budget.quotes
        if self.items[number].is_quote and limit is not None and self.quoted + cost > limit:
            return False
        return self.tokens + cost <= self.budget.tokens

    def _add(self, number: int, times: int = 1) -> None:
        """Add an item, or with -1 take it out; its cost is that of what stands without it."""
        item = self.items[number]
        if times < 0:
            self._count(item, times)
        cost = self.cost(number) * times
        self.tokens += cost
        self.quoted += cost if item.is_quote else 0
        if times > 0:
            self._count(item, times)
            self.chosen[number] = None

    def _count(self, item: Item, times: int) -> None:
        for counter, keys in (
            (self.facts, item.facts),
            (self.words, item.words),
            (self.terms, item.terms),
            (self.sources, frozenset({item.source})),
        ):
            for key in keys:
                counter[key] += times


def _rarity(items: Sequence[Item]) -> dict[str, float]:
    """Return the inverse document frequency of every term among the items, 1 where only one has it."""
    counts = Counter(term for item in items for term in item.terms)
    whole = math.log(1 + len(items))
    return {term: math.log(1 + len(items) / count) / whole for term, count in counts.items()}
