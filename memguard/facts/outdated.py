"""What falls with a value that was replaced, and what a bare correction is a value of.

A statement that gives an old value is wrong, whatever else it says: it is not quoted any more. What else it
says is shown where it is said without that value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memguard.facts.carriers import leans
from memguard.facts.forms import FactClass
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

    A fact that is also said elsewhere is shown there from now on.
    """
    gone: dict[str, list[tuple[Mention, int]]] = {}
    for old, new in found.items():
        for mention in groups[old].mentions:
            if mention.kind in _FIGURES and _speaks_of(mention, groups[new]):
                gone.setdefault(mention.span.message_id, []).append((mention, new))

    def successor_in(mention: Mention) -> int | None:
        for old, new in gone.get(mention.carrier.message_id, ()):
            if _within(old.span, mention.carrier) and not any(
                _within(m.span, mention.carrier) for m in groups[new].mentions
            ):
                return new
        return None

    fallen: dict[int, int] = {}
    for index, group in enumerate(groups):
        if index in found:
            continue
        new = successor_in(group.best)
        if (
            new is None
            or new == index
            or (group.best.kind is FactClass.CONDITION and medical_share(group.best.piece.text) >= CERTAIN)
        ):
            continue
        others = [m for m in group.mentions if successor_in(m) is None]
        if others:
            group.best = max(others, key=lambda m: (m.weight, m.piece.unit.number))
        else:
            fallen[index] = new
    return fallen


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


def _speaks_of(mention: Mention, successor: Group) -> bool:
    """Tell whether what was replaced is of one thing with what replaced it: many things share a day."""
    return any(mention.topic & m.topic or mention.value in m.value.split() for m in successor.mentions)


def _within(inner: SourceSpan, outer: SourceSpan) -> bool:
    return inner.message_id == outer.message_id and outer.start <= inner.start and inner.end <= outer.end


def is_elliptic(mention: Mention) -> bool:
    return len(mention.own) <= _ELLIPTIC + leans(mention.piece.text)
