"""Tellings: each value that a conversation gives, in order, with what it is said of and beside."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memguard.facts.forms import FactClass
from memguard.facts.joining import STATED, Group, Mention
from memguard.facts.units import Unit
from memguard.grounding.guards.values import Value, topic_keys, values
from memguard.grounding.reading.measures import quantities

DATES = frozenset({"day", "weekday", "time"})
"""Families of values that tell when."""
LABEL = "label"
_SEGMENT = re.compile(r"[,;:()–—]|\band\b")


@dataclass(frozen=True, slots=True)
class Telling:
    """A value as one mention tells it.

    Attributes:
        group: Index of its fact.
        mention: The mention.
        value: The value, as the guard reads it.
        unit: Name of its unit of measure, if any.
        local: Topic words of its part of the piece, where the piece gives several values.
        alone: Whether its piece gives no other value of its family.
        beside: Keys of the values of other kinds in its piece, such as the number of an order.
        labels: Kinds and keys of the numbers in its piece that say which of several things is meant.
        turn: Which turn of those that people and assistants speak says it; calls and results do not count.
    """

    group: int
    mention: Mention
    value: Value
    unit: str
    local: frozenset[str]
    alone: bool
    beside: frozenset[str]
    labels: frozenset[tuple[str, str]]
    turn: int


def tellings(groups: Sequence[Group], units: Sequence[Unit]) -> Iterator[Telling]:
    """Yield the values of every mention that people and assistants say, in the order of the conversation.

    Args:
        groups: The facts.
        units: Every unit of the conversation.
    """
    spoken = dict.fromkeys(unit.turn for unit in units if not unit.is_machine)
    turns = {turn: number for number, turn in enumerate(spoken)}
    rows = [
        (mention.piece.unit.number, mention.span.start, index, mention)
        for index, group in enumerate(groups)
        for mention in group.mentions
        if mention.kind not in STATED and not mention.piece.unit.is_machine
    ]
    for _, _, index, mention in sorted(rows, key=lambda row: row[:3]):
        text = mention.piece.unit.text
        start = mention.span.start - mention.piece.unit.span.start
        end = mention.span.end - mention.piece.unit.span.start
        told = values(text)
        value = next((v for v in told if v.start <= start < v.end), None)
        if value is None or (mention.kind is not FactClass.DATE and family_of(value) in DATES):
            continue
        unit = next((u.name for q in quantities(text) if q.start <= value.start < q.end for u in q.units), "")
        family = family_of(value)
        piece = mention.piece
        others = [
            v
            for v in told
            if family_of(v) == family
            and piece.start <= v.start < piece.end
            and not (start <= v.start < end)
            and not v.is_replaced
        ]
        local = mention.topic if not others else _local(text, piece.start, piece.end, start) or mention.topic
        beside = frozenset(
            v.key
            for v in told
            if v.kind != value.kind and piece.start <= v.start < piece.end and not v.is_replaced
        )
        labels = frozenset(
            (v.kind, v.key)
            for v in told
            if v.kind.startswith(LABEL) and v is not value and piece.start <= v.start < piece.end
        )
        turn = turns[piece.unit.turn]
        yield Telling(index, mention, value, unit, local, not others, beside, labels, turn)


def _local(text: str, start: int, end: int, at: int) -> frozenset[str]:
    """Return the words of the part of a piece, between its marks, that holds the offset ``at``."""
    first, last = start, end
    for mark in _SEGMENT.finditer(text, start, end):
        if mark.end() <= at:
            first = mark.end()
        elif mark.start() > at:
            last = mark.start()
            break
    return topic_keys(text[first:last])


def family_of(value: Value) -> str:
    """Return under which key values that may replace one another meet."""
    if value.is_name:
        return "name"
    head = value.kind.split()[0]
    return head if head in {"day", "weekday", "time", "id", "ratio"} else "amount"
