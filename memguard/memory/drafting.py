"""From observations to facts: framing dropped, equal statements merged, every source kept (E05 to E07).

No model: a summary is made of sentences that were said. What may be lost is what ``framing`` knows to say
nothing; two statements merge only where nearly all words are shared, the merge guard allows it, and the
one that stays holds every figure, path and name of the other.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from memguard.grounding.reading.figures import figure_keys
from memguard.grounding.reading.words import content_keys, words
from memguard.memory.contradictions import find_conflicts
from memguard.memory.framing import facts
from memguard.memory.merge_guard import may_merge
from memguard.memory.observations import Durability, Observation, durability_of, is_hedged
from memguard.memory.strategies import Strategy, shared

EQUAL = 0.6
"""Shared content words (Jaccard) from which two statements may be one fact."""
LONGEST = 2
"""Sentences of a summary (E05)."""
_LONG_NUMBER = re.compile(r"\d{6,}")
_CODE = re.compile(r"`[^`\n]{1,200}`|(?<![\w.])(?:~|\.{0,2})/[\w./-]{1,200}|\[[A-Z]+_\d+\]")


@dataclass(frozen=True, slots=True)
class Statement:
    """What one observation states.

    Attributes:
        text: A sentence without its framing, or the whole text where nothing is summarised.
        origin: Whose it is.
        framed: The sentence as it was said; empty where it is ``text``.
    """

    text: str
    origin: Observation
    framed: str = ""

    @property
    def said(self) -> str:
        """The sentence with its framing, which says how sure its actor was."""
        return self.framed or self.text


@dataclass(frozen=True, slots=True)
class Draft:
    """One fact before it is scored.

    Attributes:
        summary: Its text.
        statements: What it rests on, in the order of the observations; one at least.
        strategies: Those that made it, the primary one first (F18).
        replaces: Places, among the drafts, of those that it contradicts and came after.
    """

    summary: str
    statements: tuple[Statement, ...]
    strategies: tuple[Strategy, ...]
    replaces: tuple[int, ...] = ()

    @property
    def sources(self) -> tuple[Observation, ...]:
        """The observations, each once."""
        return tuple({statement.origin.id: statement.origin for statement in self.statements}.values())

    @property
    def stating(self) -> tuple[Observation, ...]:
        """The observations, each with no more of its text than the fact rests on: what confidence is of."""
        return tuple(replace(item.origin, text=item.said) for item in self.statements)

    @property
    def durability(self) -> Durability:
        """That of its own text: a guess is never made a fact by compressing it."""
        return durability_of(self.summary)


def draft(observations: Sequence[Observation], strategies: Sequence[Strategy]) -> tuple[Draft, ...]:
    """Compress observations that say something.

    Args:
        observations: In the order in which they were said.
        strategies: Those that were chosen, in the order in which they apply.

    Returns:
        The facts in the order of their first source. With semantic summarization each has one or two
        sentences, else each observation stays as it was said. Equal ones are one fact with all sources.
    """
    summarised = Strategy.SEMANTIC_SUMMARIZATION in strategies
    statements = [
        Statement(text, item, framed)
        for item in observations
        for text, framed in (facts(item.text) if summarised else ((item.text.strip(), ""),))
    ]
    groups = grouped(statements)
    drafts = [_draft(group, strategies) for group in groups]
    drafts = _with_conflicts(drafts)
    return tuple(_paired(drafts) if summarised else drafts)


def details(text: str) -> frozenset[str]:
    """Return what no compression may lose: figures, dates, names, paths, commands, placeholders."""
    named = {word.lower for word in words(text) if word.is_name}
    # A number is one with a label before it ("port 8080") and without; keys of long ones are rounded.
    figures = {f"={float(key[1:]):.6g}" if key[1:].isdecimal() else key for key in figure_keys(text)}
    long = set(_LONG_NUMBER.findall(text))
    code = {match.group().casefold() for match in _CODE.finditer(text)}
    return frozenset(figures | long | named | code)


def are_equal(a: Statement, b: Statement) -> bool:
    """Tell whether two statements are one fact, in other words or in the same."""
    if _folded(a.text) == _folded(b.text):
        return True
    if shared(content_keys(a.text), content_keys(b.text)) < EQUAL:
        return False
    ours, theirs = details(a.text), details(b.text)
    if not (ours <= theirs or theirs <= ours):
        return False
    said = [item.origin.timestamp.date() if item.origin.timestamp else None for item in (a, b)]
    return may_merge(a.text, b.text, said_a=said[0], said_b=said[1])


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .!…")


def grouped(statements: Sequence[Statement]) -> list[list[Statement]]:
    """Put equal statements together; one joins a group only if it equals every member."""
    groups: list[list[Statement]] = []
    by_word: dict[str, set[int]] = defaultdict(set)
    for statement in statements:
        keys = content_keys(statement.text) or {_folded(statement.text)}
        candidates = sorted({place for key in keys for place in by_word[key]})
        home = next(
            (place for place in candidates if all(are_equal(statement, member) for member in groups[place])),
            None,
        )
        if home is None:
            home = len(groups)
            groups.append([])
        groups[home].append(statement)
        for key in keys:
            by_word[key].add(home)
    return groups


def _draft(group: Sequence[Statement], strategies: Sequence[Strategy]) -> Draft:
    best = max(
        range(len(group)),
        key=lambda place: (len(details(group[place].text)), not is_hedged(group[place].said), -place),
    )
    sources = {statement.origin.id for statement in group}
    made_by: list[Strategy] = []
    if len(sources) > 1 and Strategy.CITATION_PRESERVATION in strategies:
        made_by.append(Strategy.CITATION_PRESERVATION)
    if group[best].text != group[best].origin.text.strip():
        made_by.append(Strategy.SEMANTIC_SUMMARIZATION)
    return Draft(group[best].text, tuple(group), tuple(dict.fromkeys([*made_by, *strategies])))


def _with_conflicts(drafts: Sequence[Draft]) -> list[Draft]:
    """Link a fact to those that it contradicts and came after (E07)."""
    times = [
        max((item.timestamp.timestamp() for item in fact.sources if item.timestamp is not None), default=None)
        for fact in drafts
    ]
    dated = [moment for moment in times if moment is not None]
    # Without a time for every fact, their order is what is known of before and after.
    moments = dated if len(dated) == len(times) else [float(place) for place in range(len(drafts))]
    replaced: dict[int, list[int]] = defaultdict(list)
    for conflict in find_conflicts([fact.summary for fact in drafts], moments):
        replaced[conflict.new].append(conflict.old)
    return [replace(fact, replaces=tuple(replaced[place])) for place, fact in enumerate(drafts)]


def _paired(drafts: Sequence[Draft]) -> Iterable[Draft]:
    """Join two neighbouring facts of the same sources; what supersedes or is superseded stays alone."""
    linked = {place for fact in drafts for place in fact.replaces}
    linked |= {place for place, fact in enumerate(drafts) if fact.replaces}
    joined: list[tuple[list[int], Draft]] = []
    for place, fact in enumerate(drafts):
        places, before = joined[-1] if joined else ([], None)
        alone = before is None or place in linked or places[0] in linked or len(places) >= LONGEST
        if not alone and before is not None and before.sources == fact.sources:
            strategies = tuple(dict.fromkeys([*before.strategies, *fact.strategies]))
            statements = (*before.statements, *fact.statements)
            joined[-1] = (
                [*places, place],
                Draft(f"{_ended(before.summary)} {fact.summary}", statements, strategies),
            )
        else:
            joined.append(([place], fact))
    moved = {old: new for new, (places, _fact) in enumerate(joined) for old in places}
    return [replace(fact, replaces=tuple(moved[old] for old in fact.replaces)) for _places, fact in joined]


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…", "。", "！", "？", ":", "`")) else f"{text}."
