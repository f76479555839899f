"""Finds the key facts of a conversation: spots in every piece, equal ones joined, old ones superseded."""

from __future__ import annotations

from collections.abc import Sequence

from memguard.facts.answers import answer_spot, replied_to
from memguard.facts.carriers import Piece, backed, leans, pieces_of
from memguard.facts.figures import figures
from memguard.facts.forms import FactClass, KeyFact
from memguard.facts.joining import Mention, joined
from memguard.facts.namings import namings
from memguard.facts.spots import Spot
from memguard.facts.stances import stance
from memguard.facts.supersession import successors
from memguard.facts.units import Unit, units_of
from memguard.facts.weights import BASE, factor, is_told
from memguard.grounding.claims.kinds import ClaimKind
from memguard.grounding.reading.voices import agrees
from memguard.grounding.reading.words import content_keys, content_words
from memguard.grounding.sources import speakers_of
from memguard.messages import Conversation, SourceSpan

_LEAST = 0.05
_SHORTEST_STANCE = 2  # content words


def find_facts(conversation: Conversation) -> tuple[KeyFact, ...]:
    """Find the key facts of a conversation.

    A fact that is said more than once is found once, where it is said best. Of a fact that changed
    the earlier values are found as well, superseded by the later one. Small talk holds none.

    Args:
        conversation: Any messages, in any language; figures, paths and names in Latin script are
            read everywhere, what words say only in English.

    Returns:
        The facts in the order of the conversation.
    """
    speakers = speakers_of(conversation)
    groups = joined(_mentions(units_of(conversation), speakers))
    groups.sort(key=lambda g: (conversation.message(g.best.span.message_id).index, g.best.span.start, g.best.kind))
    newer = successors(groups, speakers)
    return tuple(
        KeyFact(
            id=f"f{number}",
            kind=group.best.kind,
            span=group.best.span,
            value=group.best.value,
            weight=group.weight,
            carrier=group.best.carrier,
            context=group.best.context,
            superseded_by=f"f{newer[number - 1] + 1}" if number - 1 in newer else None,
        )
        for number, group in enumerate(groups, start=1)
    )


def _mentions(units: Sequence[Unit], speakers: tuple[str, ...]) -> list[Mention]:
    turns: list[list[Unit]] = []
    for unit in units:
        if unit.turn == len(turns):
            turns.append([])
        turns[-1].append(unit)
    pieces = [[piece for unit in turn for piece in pieces_of(unit)] for turn in turns]
    found: list[Mention] = []
    for number, turn in enumerate(turns):
        replying = replied_to(pieces[number - 1]) if number else None
        if replying is not None and turns[number - 1][0].speaker == turn[0].speaker:
            replying = None
        answered = number + 1 < len(turns) and turns[number + 1][0].speaker != turn[0].speaker
        accepted = answered and agrees(turns[number + 1][0].text)
        before: list[Piece] = []
        for piece in pieces[number]:
            found += _of_piece(piece, before, replying, accepted, speakers)
            before.append(piece)
    return found


def _of_piece(
    piece: Piece, before: Sequence[Piece], replying: Piece | None, accepted: bool, speakers: tuple[str, ...]
) -> list[Mention]:
    unit = piece.unit
    spots = _spots(piece, speakers)
    answer = answer_spot(piece, replying) if not any(p.unit.kind is ClaimKind.STATEMENT for p in before) else None
    if answer is not None:
        spots = [*spots, answer]
    if not spots or unit.kind in (ClaimKind.COURTESY, ClaimKind.PREAMBLE, ClaimKind.HEADING):
        return []
    if answer is not None and replying is not None:
        carrier, context = piece.span, replying.span
    else:
        carrier, context = backed(piece, before, replying)
    weighing = factor(unit, accepted=accepted)
    topic = _topic_of(piece, before, replying)
    return [
        Mention(
            kind=spot.kind,
            span=unit.at(spot.start, spot.end),
            value=spot.value,
            weight=BASE[spot.kind] * spot.strength * weighing,
            carrier=carrier,
            context=context,
            topic=topic,
            piece=piece,
            n_words=len(piece.text.split()) + (len(replying.text.split()) if context and replying else 0),
        )
        for spot in spots
        if BASE[spot.kind] * spot.strength * weighing >= _LEAST
    ]


def _topic_of(piece: Piece, before: Sequence[Piece], replying: Piece | None) -> frozenset[str]:
    """Return the words that say what a piece speaks of: those before it as well where it leans on them."""
    own = frozenset(w.key for w in content_words(piece.text) if not w.is_number)
    if not leans(piece.text):
        return own
    beside = before[-1] if before else replying
    return own | (content_keys(beside.text) if beside is not None else frozenset())


def _spots(piece: Piece, speakers: tuple[str, ...]) -> list[Spot]:
    unit = piece.unit
    inside = [
        spot
        for spot in (*figures(unit.text, unit.said), *namings(unit.text, speakers))
        if piece.start <= spot.start < piece.end
    ]
    found: list[Spot] = []
    for spot in inside:
        if not any(s.start < spot.end and spot.start < s.end for s in found):
            found.append(spot)
    if not unit.is_machine and (not unit.asks or is_told(unit.text)):
        held = stance(piece.text)
        keys = content_keys(piece.text)
        if held is not None and (len(keys) >= _SHORTEST_STANCE or (keys and held[0] is FactClass.CONDITION)):
            found.append(Spot(piece.start, piece.end, held[0], " ".join(sorted(keys)), held[1]))
    return found
