"""Finds the key facts of a conversation: spots in every piece, equal ones joined, old ones superseded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import lru_cache

from memguard.facts.answers import (
    FIRST_PIECES,
    answer_spot,
    asked_before,
    asks_for_name,
    is_bare_name,
    needs_question,
)
from memguard.facts.carriers import Piece, backed, leans, pieces_of
from memguard.facts.figures import day_of, figures
from memguard.facts.forms import FactClass, KeyFact
from memguard.facts.governors import governs_back
from memguard.facts.joining import NAMED, STATED, Group, Mention, joined, stated_value
from memguard.facts.medical import CERTAIN, medical_share
from memguard.facts.namings import namings
from memguard.facts.outdated import name_of
from memguard.facts.speech import telling_keys
from memguard.facts.spots import Spot
from memguard.facts.stances import stance
from memguard.facts.supersession import successors
from memguard.facts.units import Unit, units_of
from memguard.facts.weights import BASE, EXPIRED, factor, fullness, is_told
from memguard.grounding.claims.kinds import ClaimKind
from memguard.grounding.guards.values import topic_keys
from memguard.grounding.reading.voices import agrees
from memguard.grounding.sources import speakers_of
from memguard.messages import Conversation, SourceSpan

_LEAST = 0.03
_SHORT = frozenset({FactClass.CONDITION, FactClass.PREFERENCE})
"""Classes of statements that one content word can make: "No penicillin", "No to the repair"."""
_GOES_ON = 0.7
_NOT_TOLD = frozenset({ClaimKind.PREAMBLE, ClaimKind.HEADING})
_ENOUGH = 5  # content words, those that a fragment leans on among them
_PASSES = frozenset({FactClass.DATE, FactClass.COMMITMENT, FactClass.NUMBER})
_AHEAD = re.compile(
    r"\b(?:until|till|by|before|due|on hold|keeps?|remind\w*|nudge|will|tomorrow|tonight"
    r"|reminder|lapses?|expires?|going to)\b|['’]ll\b",
    re.IGNORECASE,
)
_GIVEN_NAME = 2.0
_REACH = 4  # pieces before one in its message that it may lean on
_SHORTEST_STANCE = 2  # content words
_WARNED = 0.9
"""Least factor of an allergy for what it says: two words say it all."""
_NO_DATE = frozenset({"today", "tonight"})
"""What tells no day where it only stands in a question: "What would you like to do today?"."""


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
    units = units_of(conversation)
    groups = joined(_mentions(units, speakers))
    places = {message.id: number for number, message in enumerate(conversation.messages)}

    def place_of(group: Group) -> tuple[int, int, FactClass]:
        span = group.best.span
        return places[span.message_id], span.start, group.best.kind

    groups.sort(key=place_of)
    newer = successors(groups, units)
    contexts = {new: named for old, new in newer.items() if (named := name_of(groups[old], groups[new]))}
    order = sorted(range(len(groups)), key=lambda i: place_of(groups[i]))  # some are shown elsewhere by now
    ids = {index: f"f{number}" for number, index in enumerate(order, start=1)}
    return tuple(
        KeyFact(
            id=ids[index],
            kind=groups[index].best.kind,
            span=groups[index].best.span,
            value=groups[index].best.value,
            weight=groups[index].weight,
            carrier=groups[index].best.carrier,
            context=contexts.get(index, groups[index].best.context),
            superseded_by=ids[newer[index]] if index in newer else None,
            text=conversation.text(groups[index].best.span),
            topic=groups[index].best.topic,
        )
        for index in order
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """A piece, and what stands around it.

    Attributes:
        piece: What may hold facts.
        before: The pieces before it in its message that it may lean on, in order.
        after: The piece after it in its message, if any.
        opened: Whether something has been told in its message.
        replying: What its message replies to, if anything.
        accepted: Whether the next speaker agrees to its message.
        is_last: Whether its unit ends its message.
    """

    piece: Piece
    before: tuple[Piece, ...]
    after: Piece | None
    opened: bool
    replying: Piece | None
    accepted: bool
    is_last: bool

    @property
    def is_first(self) -> bool:
        """Whether it stands where an answer to a question does."""
        return len(self.before) < FIRST_PIECES


def _mentions(units: Sequence[Unit], speakers: tuple[str, ...]) -> list[Mention]:
    today = max((unit.said for unit in units if unit.said is not None), default=None)
    return [mention for place in _places(units) for mention in _of_piece(place, speakers, today)]


def _places(units: Sequence[Unit]) -> Iterator[_Place]:
    turns: list[list[Unit]] = []
    for unit in units:
        if unit.turn == len(turns):
            turns.append([])
        turns[-1].append(unit)
    pieces = [tuple(piece for unit in turn for piece in pieces_of(unit)) for turn in turns]
    for number, turn in enumerate(turns):
        replying = asked_before(pieces, number)
        answered = number + 1 < len(turns) and turns[number + 1][0].speaker != turn[0].speaker
        accepted = answered and agrees(turns[number + 1][0].text)
        opened = False
        for i, piece in enumerate(pieces[number]):
            after = pieces[number][i + 1] if i + 1 < len(pieces[number]) else None
            before = pieces[number][max(0, i - _REACH) : i]
            yield _Place(piece, before, after, opened, replying, accepted, piece.unit is turn[-1])
            opened = opened or bool(telling_keys(piece.text))


def _of_piece(place: _Place, speakers: tuple[str, ...], today: date | None) -> list[Mention]:
    piece, unit, replying = place.piece, place.piece.unit, place.replying
    own = topic_keys(piece.text) - names_of(speakers)
    topic = _topic_of(piece, own, place.before, replying)
    spots = _spots(piece, speakers, len(topic))
    answer = answer_spot(piece, replying) if not place.opened else None
    if answer is not None:
        spots = [*spots, answer]
    elif replying is not None and replying.unit.asks and not any(s.kind in STATED for s in spots):
        spots = [*spots, *_in_answer(piece, replying)]
    if asks_for_name(replying) and place.is_first:
        spots = [
            replace(s, kind=FactClass.PERSON, strength=_GIVEN_NAME) if s.kind in NAMED else s for s in spots
        ]
    told = answer is not None and answer.kind is FactClass.CONDITION  # a bare "No." to "Any allergies?"
    if not spots or unit.kind in _NOT_TOLD or (unit.kind is ClaimKind.COURTESY and not told):
        return []
    carrier, context = _shown(place, answer)
    if answer is not None and context is None:
        spots = [replace(s, value=stated_value(piece.text)) if s is answer else s for s in spots]
    if _is_over(piece, spots, today):
        spots = [replace(s, strength=s.strength * EXPIRED) if s.kind in _PASSES else s for s in spots]
    weighing = factor(unit, accepted=place.accepted, last=place.is_last)
    return [
        Mention(
            kind=spot.kind,
            span=unit.at(spot.start, spot.end),
            value=spot.value,
            weight=BASE[spot.kind] * spot.strength * weighing,
            carrier=carrier,
            context=context,
            topic=topic - telling_keys(unit.text[spot.start : spot.end])
            if spot.kind not in STATED
            else topic,
            own=own,
            accepted=place.accepted,
            piece=piece,
            n_words=len(piece.text.split()) + (len(replying.text.split()) if context and replying else 0),
        )
        for spot in spots
        if BASE[spot.kind] * spot.strength * weighing >= _LEAST and not (unit.asks and spot.value in _NO_DATE)
    ]


def _shown(place: _Place, answer: Spot | None) -> tuple[SourceSpan, SourceSpan | None]:
    """Return the carrier of a piece, with what takes it back or limits it, and its context."""
    piece, replying = place.piece, place.replying
    if answer is not None and replying is not None:
        carrier, context = piece.span, replying.span if needs_question(piece) else None
    else:
        carrier, context = backed(piece, place.before, replying)
        if context is None and replying is not None and place.is_first and is_bare_name(piece, replying):
            context = replying.span
    if place.after is not None and not piece.unit.is_machine and governs_back(place.after.text):
        carrier = replace(carrier, end=place.after.span.end)
    return carrier, context


def _is_over(piece: Piece, spots: Sequence[Spot], today: date | None) -> bool:
    """Tell whether a piece announces something for a day that had passed when the conversation ended."""
    said = piece.unit.said
    if today is None or said is None:
        return False
    told = [
        day for spot in spots if spot.kind is FactClass.DATE and (day := day_of(spot.value, said)) is not None
    ]
    first = said if _AHEAD.search(piece.text) else said + timedelta(days=1)  # "paid today" is no announcement
    return bool(told) and all(first <= day < today for day in told)


def _in_answer(piece: Piece, asked: Piece) -> list[Spot]:
    """Return a condition for what an answer to a question about one goes on to say."""
    keys = telling_keys(piece.text)
    medical = medical_share(asked.text)
    if (
        not medical
        or len(keys) < _SHORTEST_STANCE
        or piece.unit.asks
        or piece.unit.kind is not ClaimKind.STATEMENT
    ):
        return []
    value = stated_value(piece.text)
    return [
        Spot(piece.start, piece.end, FactClass.CONDITION, value, _GOES_ON * medical * fullness(len(keys)))
    ]


def _topic_of(
    piece: Piece, own: frozenset[str], before: Sequence[Piece], replying: Piece | None
) -> frozenset[str]:
    """Return the words that say what a piece speaks of: those before it as well where it leans on them."""
    if not leans(piece.text):
        return own
    beside = before[-1] if before else replying
    return own | (telling_keys(beside.text) if beside is not None else frozenset())


@lru_cache(maxsize=64)
def names_of(speakers: tuple[str, ...]) -> frozenset[str]:
    """Return the keys of the words of the speakers' names."""
    return frozenset().union(*(telling_keys(speaker) for speaker in speakers))


def _spots(piece: Piece, speakers: tuple[str, ...], n_topic: int) -> list[Spot]:
    unit = piece.unit
    inside = [
        spot
        for spot in (*figures(unit.text, unit.said), *namings(unit.text, speakers))
        if piece.start <= spot.start and spot.end <= piece.end
    ]
    found: list[Spot] = []
    for spot in sorted(inside, key=lambda s: (s.start - s.end, s.start)):  # the longer of two that overlap
        if not any(s.start < spot.end and spot.start < s.end for s in found):
            found.append(spot)
    if not unit.is_machine and (not unit.asks or is_told(unit.text)):
        held = stance(piece.text)
        keys = telling_keys(piece.text)
        if held is not None and (len(keys) >= _SHORTEST_STANCE or (keys and held[0] in _SHORT)):
            found.append(
                Spot(
                    piece.start,
                    piece.end,
                    held[0],
                    stated_value(piece.text),
                    held[1] * _filled(held, max(len(keys), min(n_topic, _ENOUGH))),
                )
            )
    return found


def _filled(held: tuple[FactClass, float], n_keys: int) -> float:
    is_warning = held == (FactClass.CONDITION, CERTAIN)
    return max(fullness(n_keys), _WARNED) if is_warning else fullness(n_keys)
