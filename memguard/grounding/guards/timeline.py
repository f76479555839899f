"""The timeline of a claim's sources: their parts in order, with values and topics."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from memguard.grounding.guards.values import Value, parts, topic_keys, values
from memguard.grounding.inquiry import Inquiry
from memguard.grounding.sources import Source

_TWICE = 2


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a source, with its place in the conversation."""

    source: Source
    start: int
    end: int
    order: tuple[int, int]

    @property
    def text(self) -> str:
        """What the part says."""
        return self.source.text[self.start : self.end]

    @property
    def values(self) -> tuple[Value, ...]:
        """The values that it gives."""
        return tuple(v for v in values(self.source.text) if self.start <= v.start < self.end)


def timeline(inquiry: Inquiry) -> list[Part]:
    """Return the parts of the sources in the order of the conversation."""
    return [
        Part(source, start, end, (source.number, start))
        for source in inquiry.in_order
        for start, end in parts(source.text)
    ]


def topic_of(part: Part, line: list[Part]) -> frozenset[str]:
    """Return the topic words of a part and of the one before it in its turn."""
    before = just_before(part, line)
    return topic_keys(part.text) | (topic_keys(before.text) if before is not None else frozenset())


def just_before(part: Part, line: list[Part]) -> Part | None:
    """Return the part right before a part in its turn, if it is a source."""
    found = None
    for other in line:
        near = other.source.turn == part.source.turn and part.source.number - other.source.number <= 1
        if near and other.order < part.order:
            found = other
    return found


def holds_the_rarest(held: frozenset[str], shared: frozenset[str], line: list[Part]) -> bool:
    """Tell whether the rarest topic word of the ground that occurs again is among the shared ones."""
    counts = Counter(key for part in line for key in held & topic_keys(part.text))
    again = [count for key, count in counts.items() if count >= _TWICE]
    return bool(again) and any(counts[key] == min(again) for key in shared & held)
