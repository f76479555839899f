"""What one payload is made of: kept claims and quotes, with what each of them states."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from memguard.eliminator import Elimination
from memguard.grounding.claims.wording import FULL_STOP, on_one_line
from memguard.grounding.verdicts import Verdict
from memguard.messages import Conversation, Message, SourceSpan
from memguard.reconstructor.choice import Facts
from memguard.reconstructor.forms import HEADING, QUOTED_HEADING, Omission, OmissionReason
from memguard.reconstructor.headings import heading_of
from memguard.reconstructor.lines import Entry, entry_of
from memguard.selection.tail import tail_of
from memguard.settings import ReconstructionSettings, RetentionSettings
from memguard.trace import Trace


@dataclass(frozen=True, slots=True)
class Task:
    """What one payload is made of.

    Attributes:
        conversation: What is cited.
        settings: Budget and form.
        retention: How much may be quoted.
        facts: The key facts.
        entries: Kept claims, each once, then the quotes that may enter.
        stated: Ids of the key facts that each entry states.
        repeated: Kept claims that say word for word what another one says.
        barred: Quotes that say what a person dropped.
        unwanted: Ids of the key facts that a person dropped with a claim.
        budget: Most tokens of the payload.
        top: Its first line.
        tail: The recent messages that stand behind the payload as they are, so that nothing of them needs
            to be quoted.
    """

    conversation: Conversation
    settings: ReconstructionSettings
    retention: RetentionSettings
    facts: Facts
    entries: tuple[Entry, ...]
    stated: tuple[tuple[str, ...], ...]
    repeated: tuple[Omission, ...]
    barred: tuple[Omission, ...]
    unwanted: frozenset[str]
    budget: int
    top: str
    tail: tuple[Message, ...] = ()

    @property
    def has_quotes(self) -> bool:
        """Whether anything may be quoted."""
        return any(entry.is_quote for entry in self.entries)


def task_of(trace: Trace, facts: Facts, budget: int) -> Task:
    """Return what a trace's payload is to be made of.

    Args:
        trace: Through elimination.
        facts: The key facts of its conversation.
        budget: Of the payload.
    """
    conversation, elimination = trace.conversation, trace[Elimination]
    numbers = {message.id: number for number, message in enumerate(conversation.messages)}
    unique, repeated = _without_repeats(elimination.kept)
    entries, stated = [], []
    for verdict in unique:
        told = facts.stated(verdict.claim.judged_as, (verdict.evidence[0].span.message_id,))
        heading = heading_of(verdict.claim.text, facts.kinds(told))
        entries.append(entry_of(verdict, conversation, numbers, heading, facts.weight(told)))
        stated.append(told)
    tail = tail_of(conversation.messages, trace.settings.compression.keep_last)
    recent = {message.id for message in tail}
    unwanted = _unwanted(elimination, facts)
    barred = []
    by_claim = {quote.claim.id: quote for quote in elimination.quotes}
    for verdict in elimination.rescuable:
        quote = by_claim[verdict.claim.id]
        says_it = holds(quote.span, unwanted, facts) or holds(quote.context, unwanted, facts)
        if verdict.kept and verdict.override is None and says_it:
            barred.append(Omission(verdict.claim.id, OmissionReason.PERSON_DROPS))
        elif verdict.kept and quote.span.message_id not in recent:
            heading = heading_of(verdict.claim.text, facts.kinds(quote.facts))
            entry = entry_of(verdict, conversation, numbers, heading, facts.weight(quote.facts))
            entries.append(replace(entry, context=quote.context, is_quote=True))
            stated.append(quote.facts)
    return Task(
        conversation=conversation,
        settings=trace.settings.reconstruction,
        retention=trace.settings.retention,
        facts=facts,
        entries=tuple(entries),
        stated=tuple(stated),
        repeated=tuple(repeated),
        barred=tuple(barred),
        unwanted=unwanted,
        budget=budget,
        top=HEADING if elimination.kept else QUOTED_HEADING,
        tail=tail,
    )


def _unwanted(elimination: Elimination, facts: Facts) -> frozenset[str]:
    """Return the facts that a person dropped with a claim: they do not come back as quotes."""
    dropped = [v for v in elimination.verdicts if v.override is not None and not v.kept and v.evidence]
    keys = {
        facts.keys[id]
        for v in dropped
        for id in facts.stated(v.claim.judged_as, (v.evidence[0].span.message_id,))
    }
    return frozenset(id for id, key in facts.keys.items() if key in keys)


def holds(span: SourceSpan | None, unwanted: frozenset[str], facts: Facts) -> bool:
    """Tell whether a place of the transcript holds one of these facts."""
    return (
        bool(unwanted)
        and span is not None
        and any(
            fact.id in unwanted
            and fact.span.message_id == span.message_id
            and span.start < fact.span.end
            and fact.span.start < span.end
            for fact in facts.facts
        )
    )


def _without_repeats(verdicts: Iterable[Verdict]) -> tuple[list[Verdict], list[Omission]]:
    unique: dict[str, Verdict] = {}
    repeated = []
    for verdict in verdicts:
        claim = verdict.claim
        # "She left" twice is said twice only where it follows the same sentence.
        before = claim.context if claim.pronoun is not None else ""
        key = before + on_one_line(claim.judged_as).rstrip(FULL_STOP).casefold()
        if key in unique:
            repeated.append(Omission(verdict.claim.id, OmissionReason.REPEATED))
        else:
            unique[key] = verdict
    return list(unique.values()), repeated
