"""What falls with a value that was replaced, and what a bare correction is a value of.

A statement that gives an old value is wrong, whatever else it says: it is not quoted any more. What else it
says is shown where it is said without that value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from memguard.facts.carriers import leans
from memguard.facts.forms import FactClass, KeyFact
from memguard.facts.governors import announces_only
from memguard.facts.joining import STATED, Group, Mention
from memguard.facts.medical import CERTAIN, medical_share
from memguard.grounding.reading.words import content_words
from memguard.messages import SourceSpan

_LONGEST_NAME = 8  # words
_ELLIPTIC = 2
_FIGURES = frozenset({FactClass.NUMBER, FactClass.PRICE, FactClass.DATE, FactClass.IDENTIFIER})


def with_their_figures(groups: Sequence[Group], found: Mapping[int, int]) -> dict[int, int]:
    """Return the statements all of whose figures were replaced, with what replaced the first."""
    by_piece: dict[SourceSpan, list[int]] = {}
    for index, group in enumerate(groups):
        for mention in group.mentions:
            if mention.kind in _FIGURES:
                by_piece.setdefault(mention.piece.span, []).append(index)
    return {
        index: found[figures[0]]
        for index, group in enumerate(groups)
        if group.best.kind in STATED
        and index not in found
        and medical_share(group.best.piece.text) < CERTAIN  # an allergy does not pass with a figure
        and (figures := by_piece.get(group.best.piece.span))
        and all(figure in found for figure in figures)
        and found[figures[0]] != index
    }


def outdated(groups: Sequence[Group], found: Mapping[int, int]) -> dict[int, int]:
    """Return the facts that could only be quoted with a value that was replaced, and what replaced it.

    A fact that is also said elsewhere is shown there from now on. An allergy stays whatever stands beside it.
    """
    successors = {new: _Successor.of(groups[new]) for new in set(found.values())}
    gone: dict[str, list[tuple[SourceSpan, int]]] = {}
    for old, new in found.items():
        for mention in groups[old].mentions:
            if mention.kind in _FIGURES and successors[new].follows(mention):
                gone.setdefault(mention.span.message_id, []).append((mention.span, new))

    def replaced_by(mention: Mention) -> int | None:
        told = gone.get(mention.carrier.message_id, ())
        inside = (new for span, new in told if _within(span, mention.carrier))
        return next((new for new in inside if not successors[new].stands_in(mention.carrier)), None)

    fallen: dict[int, int] = {}
    for index, group in enumerate(groups):
        by = None if index in found or _is_allergy(group.best) else replaced_by(group.best)
        if by is None or by == index:
            continue
        others = [mention for mention in group.mentions if replaced_by(mention) is None]
        if others:
            group.best = max(others, key=lambda m: (m.weight, m.piece.unit.number))
        else:
            fallen[index] = by
    return fallen


def _is_allergy(mention: Mention) -> bool:
    return mention.kind is FactClass.CONDITION and medical_share(mention.piece.text) >= CERTAIN


def gives_old_value(span: SourceSpan, facts: Iterable[KeyFact]) -> bool:
    """Tell whether a place gives a figure that a later one replaced, and not the later one as well.

    Args:
        span: Such as that of the sentence which a claim of a summary quotes.
        facts: All key facts of the conversation.
    """
    facts = tuple(facts)
    places = {fact.id: fact.span for fact in facts}
    return any(
        fact.superseded_by is not None
        and fact.kind in _FIGURES
        and _within(fact.span, span)
        and not _within(places[fact.superseded_by], span)
        for fact in facts
    )


class _Successor(NamedTuple):
    """What replaced a value: what it speaks of, the values that it names, and where it is told."""

    topic: frozenset[str]
    values: frozenset[str]
    places: Mapping[str, list[SourceSpan]]

    @classmethod
    def of(cls, group: Group) -> _Successor:
        places: dict[str, list[SourceSpan]] = {}
        for mention in group.mentions:
            places.setdefault(mention.span.message_id, []).append(mention.span)
        topic = frozenset().union(*(mention.topic for mention in group.mentions))
        values = frozenset(part for mention in group.mentions for part in mention.value.split())
        return cls(topic, values, places)

    def follows(self, mention: Mention) -> bool:
        """Tell whether a mention of the old value is of one thing with it: many things share a day."""
        return bool(self.topic & mention.topic) or mention.value in self.values

    def stands_in(self, carrier: SourceSpan) -> bool:
        """Tell whether a carrier gives the new value as well."""
        return any(_within(span, carrier) for span in self.places.get(carrier.message_id, ()))


def name_of(old: Group, new: Group) -> SourceSpan | None:
    """Return what a bare correction is a value of, in the words before the value that it replaced.

    "LM-48213." says no more than its digits; "Order number" stood before those that were wrong. None where
    the correction names its thing, or where those words name nothing or say how they are meant.
    """
    mention, replaced = new.best, old.best
    if old.best.kind is not new.best.kind or replaced.kind not in _FIGURES or not is_elliptic(mention):
        return None
    if len(mention.own) > 1 or replaced.carrier.start >= replaced.span.start:
        return None
    piece = replaced.piece
    text = piece.unit.text[piece.start : replaced.span.start - piece.unit.span.start]
    named = text.rstrip(" ,:;–—-")
    last = content_words(named)[-1:]
    if (
        not last
        or last[0].end < len(named)
        or len(named.split()) > _LONGEST_NAME
        or not announces_only(named)
    ):
        return None
    return piece.unit.at(piece.start, piece.start + len(named))


def _within(inner: SourceSpan, outer: SourceSpan) -> bool:
    return inner.message_id == outer.message_id and outer.start <= inner.start and inner.end <= outer.end


def is_elliptic(mention: Mention) -> bool:
    """Tell whether a mention says little beside its value, as "make it 2,700" does."""
    return len(mention.own) <= _ELLIPTIC + leans(mention.piece.text)
