"""What one payload is made of: kept claims and quotes, with what each of them states."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import takewhile

from memguard.eliminator import Elimination
from memguard.grounding.claims.wording import FULL_STOP, on_one_line
from memguard.grounding.verdicts import Label, Reason, Verdict
from memguard.messages import Conversation, Message, SourceSpan
from memguard.reconstructor.choice import Facts
from memguard.reconstructor.entries import Entry, entry_of
from memguard.reconstructor.forms import (
    HEADING,
    KEPT_BY_PERSON,
    NOT_VERIFIED,
    QUOTED_HEADING,
    Omission,
    OmissionReason,
)
from memguard.reconstructor.headings import heading_of
from memguard.selection.tail import tail_of
from memguard.settings import EliminationSettings, ReconstructionSettings, RetentionSettings
from memguard.trace import Trace

_LEAST_SUPPORT = EliminationSettings().min_support


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
        whole: Tokens of the messages that the payload stands for, as lines: those that go in as they are,
            behind it, are not among them.
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
    whole: int
    top: str
    tail: tuple[Message, ...] = ()

    @property
    def most(self) -> int:
        """The most tokens that make a payload: what it stands for, and the floor of a budget anyway."""
        return max(self.whole, self.settings.payload_floor)

    @property
    def has_quotes(self) -> bool:
        """Whether anything may be quoted."""
        return any(entry.is_quote for entry in self.entries)


def task_of(trace: Trace, facts: Facts, budget: int, whole: int) -> Task:
    """Return what a trace's payload is to be made of.

    Args:
        trace: Through elimination.
        facts: The key facts of its conversation.
        budget: Of the payload.
        whole: Tokens of what the payload stands for.
    """
    conversation, elimination = trace.conversation, trace[Elimination]
    numbers = {message.id: number for number, message in enumerate(conversation.messages)}
    last = last_turn(conversation)
    unique, repeated = _without_repeats(elimination.kept)
    entries, stated = [], []
    for verdict in unique:
        told = facts.stated(verdict.claim.judged_as, (verdict.evidence[0].span.message_id,))
        is_last = verdict.evidence[0].span.message_id in last
        heading = heading_of(verdict.claim.text, facts.kinds(told), is_last=is_last)
        entry = entry_of(verdict, conversation, numbers, heading, facts.weight(told))
        entries.append(replace(entry, mark=mark_of(verdict)))
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
            is_last = quote.span.message_id in last
            heading = heading_of(verdict.claim.text, facts.kinds(quote.facts), is_last=is_last)
            entry = entry_of(verdict, conversation, numbers, heading, facts.weight(quote.facts))
            mark = mark_of(verdict)
            entries.append(replace(entry, context=quote.context, is_quote=True, mark=mark))
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
        whole=whole,
        top=HEADING if elimination.kept else QUOTED_HEADING,
        tail=tail,
    )


def last_turn(conversation: Conversation) -> frozenset[str]:
    """Return the ids of the messages after which nobody else says anything."""
    messages = conversation.messages[::-1]
    same = takewhile(lambda message: message.speaker_name == messages[0].speaker_name, messages)
    return frozenset(message.id for message in same)


def mark_of(verdict: Verdict) -> str:
    """Return what the payload says of a kept claim that was not found supported; empty for any other.

    The contract preset keeps by similarity alone and ignores the minimum support; where a claim's is below
    the minimum that the other presets have as shipped, it is not verified. What nothing could judge is not
    verified either. Where a person keeps it, that is said.
    """
    is_measured = verdict.reason not in (Reason.SIMILARITY_REACHED, Reason.PERSON_KEEPS)
    if verdict.label is Label.SUPPORTED and (is_measured or verdict.support >= _LEAST_SUPPORT):
        return ""
    return KEPT_BY_PERSON if verdict.override is not None else NOT_VERIFIED


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
