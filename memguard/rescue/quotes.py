"""Quotes: the carriers of key facts, as claims that can be judged and put into a payload (F22).

A quote is verbatim. Where it cannot be understood alone, what must stand before it is its ``context``, such
as the question that it answers, verbatim as well: it is shown in brackets before the quote, as an antecedent
is (F23), and judged with it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memguard.facts import KeyFact
from memguard.grounding.claims import Claim, Edit
from memguard.messages import Conversation, SourceSpan
from memguard.text import is_blank

_LEADING = re.compile(r"(?:(?:um+|uh+|erm?)(?![\w'’-])[\s,.;:…–—-]+)+", re.IGNORECASE)
_TRAILING = re.compile(
    r"(?:[\s,;:…–—-]+(?:but|and|because|um+|uh+|erm?)(?![\w'’-]))+[\s,;:…–—-]*\Z", re.IGNORECASE
)
MOST_QUOTED = 1_000
"""Key facts for which something can be quoted: each quote is judged against the whole conversation."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A clause or sentence of the transcript that states key facts.

    Attributes:
        claim: ``v1``, ``v2``, … in the order of the conversation; its text is the quote.
        span: Where it stands.
        context: What must stand before it to be understood, if anything.
        facts: Ids of the key facts that it states.
    """

    claim: Claim
    span: SourceSpan
    context: SourceSpan | None
    facts: tuple[str, ...]


def quotes_of(conversation: Conversation, facts: Sequence[KeyFact]) -> tuple[Quote, ...]:
    """Return what can be quoted for the key facts that hold, in the order of the conversation.

    One quote a carrier. Carriers of one message that partly overlap are one quote, so that no word is
    said twice; one that lies within another stays beside it, and whoever chooses takes the shorter where
    that is enough. A fact that a later one replaced is not quoted. Of very many facts the ``MOST_QUOTED``
    with the greatest weight are, the later of two that weigh the same.
    """
    held = [fact for fact in facts if fact.superseded_by is None]
    if len(held) > MOST_QUOTED:
        ranked = sorted(range(len(held)), key=lambda i: (-held[i].weight, -i))[:MOST_QUOTED]
        held = [held[i] for i in sorted(ranked)]
    by_message: dict[str, list[KeyFact]] = {}
    for fact in held:
        by_message.setdefault(fact.carrier.message_id, []).append(fact)
    found = [
        quote
        for message in conversation.messages
        for quote in _of_message(conversation, by_message.get(message.id, ()))
    ]
    found = [(_trimmed(conversation, span), context, ids) for span, context, ids in found]
    return tuple(
        Quote(_claim(f"v{number}", conversation, span, context), span, context, ids)
        for number, (span, context, ids) in enumerate(found, start=1)
    )


def _trimmed(conversation: Conversation, span: SourceSpan) -> SourceSpan:
    """Return a span without a filler at its start or an "and" at its end that leads nowhere."""
    text = conversation.text(span)
    start, end = _LEADING.match(text), _TRAILING.search(text)
    first, last = start.end() if start else 0, end.start() if end else len(text)
    if is_blank(text[first:last]):
        return span
    return replace(span, start=span.start + first, end=span.start + last)


def _of_message(
    conversation: Conversation, facts: Sequence[KeyFact]
) -> list[tuple[SourceSpan, SourceSpan | None, tuple[str, ...]]]:
    carriers: dict[SourceSpan, SourceSpan | None] = {}
    for fact in facts:
        if not is_blank(conversation.text(fact.carrier)):
            _add(carriers, fact.carrier, fact.context)
    return [
        (span, carriers[span], tuple(fact.id for fact in facts if _within(fact.carrier, span)))
        for span in sorted(carriers)
    ]


def _add(carriers: dict[SourceSpan, SourceSpan | None], span: SourceSpan, context: SourceSpan | None) -> None:
    """Add a carrier, joined with each that it partly overlaps."""
    crossed = next((other for other in carriers if _cross(other, span)), None)
    if crossed is None:
        carriers[span] = carriers.get(span) or context
        return
    before = carriers.pop(crossed)
    joined = SourceSpan(span.message_id, min(crossed.start, span.start), max(crossed.end, span.end))
    _add(carriers, joined, before or context)


def _cross(one: SourceSpan, other: SourceSpan) -> bool:
    if one.message_id != other.message_id or one.end <= other.start or other.end <= one.start:
        return False
    return not (_within(one, other) or _within(other, one))


def _within(inner: SourceSpan, outer: SourceSpan) -> bool:
    return inner.message_id == outer.message_id and outer.start <= inner.start and inner.end <= outer.end


def _claim(id: str, conversation: Conversation, span: SourceSpan, context: SourceSpan | None) -> Claim:
    text = conversation.text(span)
    claim = Claim(id, text, None, text)
    if context is None:
        return claim
    before = conversation.text(context).strip()
    return replace(claim, judged_as=f"{before} {text}", edits=(Edit(0, 0, f"{before} "),))
