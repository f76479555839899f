"""What a later statement calls off: a booking, an order, a plan that was named before."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memguard.facts.forms import FactClass
from memguard.facts.joining import Group
from memguard.facts.units import Unit
from memguard.grounding.reading.names import names

_CALLED_OFF = re.compile(
    r"\b(?:cancel(?:led|ed|ling|ing)?|called off|call off|(?:is|are|it['’]s) off|dropped"
    r"|scrapped|no longer (?:happening|needed|going))\b",
    re.IGNORECASE,
)
_BOOKED = re.compile(
    r"\b(?:book\w*|reserv\w*|order\w*|plan\w*|schedul\w*|cancel free|free of charge|would be|keeps?)\b",
    re.IGNORECASE,
)
_CLOSE = 40  # characters


def called_off(groups: Sequence[Group], units: Sequence[Unit]) -> Iterator[tuple[int, int]]:
    """Yield the facts of pieces whose named thing a later statement calls off, with what calls it off."""
    ends: dict[str, tuple[int, int]] = {}
    for index, group in enumerate(groups):
        best = group.best
        if (
            best.kind is FactClass.DECISION
            and not best.piece.unit.asks
            and (cue := _CALLED_OFF.search(best.piece.text))
        ):
            near = best.piece.text[max(0, cue.start() - _CLOSE) : cue.end() + _CLOSE]
            for name in names(near):
                ends.setdefault(" ".join(name.pieces), (best.piece.unit.number, index))
    if not ends:
        return
    over: dict[int, int] = {}
    for unit in units:
        if _BOOKED.search(unit.text):
            for name in names(unit.text):
                number, end = ends.get(" ".join(name.pieces), (-1, -1))
                if unit.number < number:
                    over[unit.number] = end
    for index, group in enumerate(groups):
        unit = group.best.piece.unit
        # What follows in the same message speaks of it too, until it names something else.
        end = over.get(unit.number, over.get(unit.number - 1, -1) if _follows_up(unit, units) else -1)
        if end >= 0 and len({m.piece.unit.turn for m in group.mentions}) == 1:
            yield index, end


def _follows_up(unit: Unit, units: Sequence[Unit]) -> bool:
    before = units[unit.number - 1] if unit.number else None
    return (
        before is not None
        and before.turn == unit.turn
        and not names(unit.text)
        and bool(_BOOKED.search(unit.text))
    )
