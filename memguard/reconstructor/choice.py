"""Which kept claims and quotes enter: by what they state of the key facts, per token."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from memguard.facts import FactClass, FactIndex, KeyFact, Statement
from memguard.grounding.reading.words import content_keys
from memguard.messages import Conversation
from memguard.reconstructor.entries import Entry
from memguard.reconstructor.lines import FEWEST_UNDER_HEADINGS, Layout
from memguard.rescue import Budget, Chosen, Item, cover

Count = Callable[[str], int]


class Facts:
    """The key facts of one conversation, and which of them a text states; a text is read once."""

    def __init__(self, conversation: Conversation, facts: tuple[KeyFact, ...]) -> None:
        """Take the facts of a conversation; equal facts have one key, and the greatest weight of theirs."""
        self.facts = facts
        self.conversation = conversation
        self.keys = {f.id: f"{f.kind.value}:{f.value}" for f in facts if f.superseded_by is None}
        self._kinds = {f.id: f.kind for f in facts}
        self.weights: dict[str, float] = {}
        for fact in facts:
            if fact.superseded_by is None:
                key = self.keys[fact.id]
                self.weights[key] = max(fact.weight, self.weights.get(key, 0.0))
        self.index = FactIndex(facts)
        self._told: dict[tuple[str, ...], tuple[float, frozenset[FactClass]]] = {}
        self._items: dict[tuple[object, ...], Item] = {}

    def stated(self, text: str, message_ids: tuple[str, ...]) -> tuple[str, ...]:
        """Return the ids of the facts that a statement states which comes from these messages."""
        speaker = self.conversation.message(message_ids[0]).speaker_name
        return self.index.held_by(Statement(text, message_ids, speaker))

    def weight(self, ids: tuple[str, ...]) -> float:
        """Return the weight of facts, equal ones counted once."""
        return self._known(ids)[0]

    def kinds(self, ids: tuple[str, ...]) -> frozenset[FactClass]:
        """Return the classes of facts."""
        return self._known(ids)[1]

    def _known(self, ids: tuple[str, ...]) -> tuple[float, frozenset[FactClass]]:
        # A moved slider asks of the same facts again.
        if ids not in self._told:
            weight = sum(self.weights[key] for key in {self.keys[id] for id in ids})
            self._told[ids] = weight, frozenset(self._kinds[id] for id in ids)
        return self._told[ids]

    def item(self, number: int, entry: Entry, stated: Sequence[str], layout: Layout, count: Count) -> Item:
        """Return what an entry states and costs, beside no other one."""
        claim = entry.verdict.claim
        key = (claim, entry.message_ids, layout.is_short, entry.verdict.override, entry.mark)
        known = self._items.get(key)
        if known is None:
            line, beside = layout.alone(number)
            empty = count("")
            words = content_keys(claim.judged_as) or frozenset({claim.judged_as.casefold()})
            before = claim.edits[0].text.strip() if entry.context is not None and claim.edits else ""
            known = Item(
                facts=frozenset(self.keys[id] for id in stated),
                # Figures are facts of their own: each is rare, and would count twice.
                terms=frozenset(word for word in words if not any(map(str.isdigit, word))),
                words=frozenset(f"{entry.message_ids[0]} {word}" for word in words),
                tokens=(count(f"\n{line}") - empty, count(beside) - empty),
                source=f"message {entry.message_ids[0]}"
                if entry.is_quote or layout.is_short
                else f"claim {claim.id}",
                context_tokens=count(f" [{before}]") - empty if before else 0,
                is_quote=entry.is_quote,
                is_wanted=entry.verdict.override is not None,
                support=entry.verdict.support,
            )
            self._items[key] = known
        return known


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
        budget: Without first line and headings.
        count: Counts tokens.
    """
    items = [
        facts.item(number, entry, ids, layout, count)
        for number, (entry, ids) in enumerate(zip(entries, stated, strict=True))
    ]
    for number, others in layout.saying().items():
        items[number] = replace(items[number], context_in=others)
    return cover(items, facts.weights, budget)


def price_of_headings(entries: Sequence[Entry], count: Count) -> int:
    """Return the most tokens that the headings of a payload can take."""
    if len(entries) < FEWEST_UNDER_HEADINGS:
        return 0
    used = {entry.heading for entry in entries}
    return sum(count(f"\n{heading}:") - count("") for heading in used) if len(used) > 1 else 0
