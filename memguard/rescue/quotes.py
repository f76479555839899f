"""Quotes: the carriers of key facts, as claims that can be judged and put into a payload (F22).

A quote is verbatim. Where it answers a question, the question is its ``asked``, verbatim as well: it is
shown in brackets before the answer, as an antecedent is (F23), and judged with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memguard.facts import KeyFact
from memguard.grounding.claims import Claim, Edit
from memguard.messages import Conversation, SourceSpan
from memguard.text import is_blank


@dataclass(frozen=True, slots=True)
class Quote:
    """A clause or sentence of the transcript that states key facts.

    Attributes:
        claim: ``v1``, ``v2``, … in the order of the conversation; its text is the quote.
        span: Where it stands.
        asked: The question that it answers, if it needs one.
        facts: Ids of the key facts that it states.
    """

    claim: Claim
    span: SourceSpan
    asked: SourceSpan | None
    facts: tuple[str, ...]


def quotes_of(conversation: Conversation, facts: Sequence[KeyFact]) -> tuple[Quote, ...]:
    """Return what can be quoted for the key facts that hold, in the order of the conversation.

    One quote a carrier. Carriers of one message that partly overlap are one quote, so that no word is
    said twice; one that lies within another stays beside it, and whoever chooses takes the shorter where
    that is enough. A fact that a later one replaced is not quoted.
    """
    held = [fact for fact in facts if fact.superseded_by is None]
    carriers: dict[SourceSpan, SourceSpan | None] = {}
    for fact in held:
        if not is_blank(conversation.text(fact.carrier)):
            _add(carriers, fact.carrier, fact.context)
    numbers = {message.id: number for number, message in enumerate(conversation.messages)}
    order = sorted(carriers, key=lambda span: (numbers[span.message_id], span.start, span.end))
    return tuple(
        Quote(
            claim=_claim(f"v{number}", conversation, span, carriers[span]),
            span=span,
            asked=carriers[span],
            facts=tuple(fact.id for fact in held if _within(fact.carrier, span)),
        )
        for number, span in enumerate(order, start=1)
    )


def _add(
    carriers: dict[SourceSpan, SourceSpan | None], span: SourceSpan, asked: SourceSpan | None
) -> None:
    """Add a carrier, joined with each that it partly overlaps."""
    crossed = next((other for other in carriers if _cross(other, span)), None)
    if crossed is None:
        carriers[span] = carriers.get(span) or asked
        return
    before = carriers.pop(crossed)
    joined = SourceSpan(span.message_id, min(crossed.start, span.start), max(crossed.end, span.end))
    _add(carriers, joined, before or asked)


def _cross(one: SourceSpan, other: SourceSpan) -> bool:
    if one.message_id != other.message_id or one.end <= other.start or other.end <= one.start:
        return False
    return not (_within(one, other) or _within(other, one))


def _within(inner: SourceSpan, outer: SourceSpan) -> bool:
    return inner.message_id == outer.message_id and outer.start <= inner.start and inner.end <= outer.end


def _claim(id: str, conversation: Conversation, span: SourceSpan, asked: SourceSpan | None) -> Claim:
    text = conversation.text(span)
    claim = Claim(id, text, None, text)
    if asked is None:
        return claim
    question = f"{conversation.text(asked).strip()} "
    return replace(claim, judged_as=question + text, edits=(Edit(0, 0, question),))
