"""Which kept claims and quotes enter: by what they state of the key facts, per token."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memguard.facts import FactClass, KeyFact, OmissionReport, Statement, omissions
from memguard.grounding.reading.words import content_keys
from memguard.messages import Conversation
from memguard.reconstructor.forms import Heading, Piece
from memguard.reconstructor.lines import Entry, Layout
from memguard.rescue import Budget, Chosen, Item, cover

Count = Callable[[str], int]


class Facts:
    """The key facts of one conversation, and which of them a text states."""

    def __init__(self, conversation: Conversation, facts: tuple[KeyFact, ...]) -> None:
        """Take the facts of a conversation; equal facts have one key, and the greatest weight of theirs."""
        self.facts = facts
        self._conversation = conversation
        self.keys = {f.id: f"{f.kind.value}:{f.value}" for f in facts if f.superseded_by is None}
        self._kinds = {f.id: f.kind for f in facts}
        self.weights: dict[str, float] = {}
        for fact in facts:
            if fact.superseded_by is None:
                key = self.keys[fact.id]
                self.weights[key] = max(fact.weight, self.weights.get(key, 0.0))
        self._stated: dict[Statement, tuple[str, ...]] = {}

    def stated(self, statement: Statement) -> tuple[str, ...]:
        """Return the ids of the facts that one statement states."""
        if statement not in self._stated:
            self._stated[statement] = omissions(self.facts, (statement,)).kept if self.facts else ()
        return self._stated[statement]

    def report(self, pieces: Sequence[Piece]) -> OmissionReport:
        """Return which facts the pieces of a payload state, and which they leave out."""
        said = tuple(self.statement(piece.text, piece.message_ids) for piece in pieces)
        return omissions(self.facts, said)

    def statement(self, text: str, message_ids: tuple[str, ...]) -> Statement:
        """Return a claim as what facts are looked for in."""
        return Statement(text, message_ids, self._conversation.message(message_ids[0]).speaker_name)

    def kinds(self, ids: Sequence[str]) -> frozenset[FactClass]:
        """Return the classes of facts."""
        return frozenset(self._kinds[id] for id in ids)


def choose(
    entries: Sequence[Entry],
    layout: Layout,
    stated: Sequence[Sequence[str]],
    facts: Facts,
    budget: Budget,
    count: Count,
) -> Chosen:
    """Choose the entries of a payload.

    Args:
        entries: Kept claims and quotes.
        layout: How they are shown, which is what they cost.
        stated: Ids of the facts that each of them states.
        facts: The key facts.
        budget: Without the first line.
        count: Counts tokens.
    """
    empty = count("")
    items = []
    for number, (entry, ids) in enumerate(zip(entries, stated, strict=True)):
        line, beside = layout.alone(number)
        claim = entry.verdict.claim
        items.append(
            Item(
                facts=frozenset(facts.keys[id] for id in ids),
                words=content_keys(claim.judged_as) or frozenset({claim.judged_as.casefold()}),
                tokens=(count(f"\n{line}") - empty, count(beside) - empty),
                source=(entry.heading, entry.message_ids) if entry.is_quote else number,
                heading=entry.heading,
                is_quote=entry.is_quote,
                is_wanted=entry.verdict.override is not None,
                support=entry.verdict.support,
            )
        )
    prices: dict[object, int] = {h: count(f"\n{h}:") - empty for h in Heading} if layout.has_headings else {}
    return cover(items, facts.weights, budget._replace(headings=prices))
