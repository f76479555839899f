"""Where two texts differ in what a figure, a date or an id says: the exact half of the merge guard.

A figure in another form is no difference ("three weeks", "21 days"); one that only one of the texts
gives is. What cannot be read as equal counts as different: a guard that errs keeps both memories.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol, TypeVar

from memguard.grounding.reading.almanac import Relation, compare, days
from memguard.grounding.reading.clock import Moment, moments
from memguard.grounding.reading.measures import Quantity, quantities
from memguard.grounding.reading.names import names
from memguard.grounding.reading.units import same_amount

_EXACT = 1e-6
_VERSION = re.compile(r"v?\d+(?:\.\d+)+(?:[-+.]?(?:rc|alpha|beta|dev|post)[\w.]*)?", re.IGNORECASE)
_WITH_DIGIT = re.compile(r"[^\s,;:!?()\[\]\"'“”]*\d[^\s,;:!?()\[\]\"'“”]*")
_RELATIVE = frozenset({"relative", "offset", "weekday", "nth", "span"})


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing in which two texts differ.

    Attributes:
        kind: ``number``, ``date``, ``version``, ``id``, ``negation``, ``condition``, ``opposite``,
            ``name``, ``party``, ``choice``, ``relation``, ``word``,
            ``language`` or ``length`` (too long to be read).
        left: What the first text says; empty where it says nothing of the kind.
        right: What the second says.
    """

    kind: str
    left: str
    right: str

    def __str__(self) -> str:
        left, right = (f'"{said}"' if said else "nothing" for said in (self.left, self.right))
        return f"{self.kind}: {left} against {right}"


class _Placed(Protocol):
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


_Item = TypeVar("_Item", bound=_Placed)


def figure_differences(
    a: str, b: str, *, said_a: date | None = None, said_b: date | None = None
) -> Iterator[Difference]:
    """Yield the numbers, dates, versions and ids in which two texts differ.

    Args:
        a: One text.
        b: The other.
        said_a: The day on which ``a`` was said, if known: "tomorrow" is another day on another day.
        said_b: The same of ``b``.
    """

    def same_moment(left: Moment, right: Moment) -> bool:
        return _same_moment(left, right, said_a, said_b)

    yield from _unequal(a, b, _dates(a), _dates(b), same_moment, lambda item: item.is_time, _date_kind)
    yield from _unequal(a, b, _numbers(a), _numbers(b), _same_quantity, _of_what, _number_kind)
    left, right = _other_ids(a), _other_ids(b)
    if left != right:
        yield Difference("id", ", ".join(sorted(left - right)), ", ".join(sorted(right - left)))


def _unequal(
    a: str,
    b: str,
    ours: Sequence[_Item],
    theirs: Sequence[_Item],
    same: Callable[[_Item, _Item], bool],
    group: Callable[[_Item], object],
    kind: Callable[[str], str],
) -> Iterator[Difference]:
    """Yield what has no equal on the other side, or stands in another order within its group."""
    left = [item for item in ours if not any(same(item, other) for other in theirs)]
    right = [item for item in theirs if not any(same(other, item) for other in ours)]
    if not left and not right:
        left, right = _out_of_order(ours, theirs, same, group)
    if left or right:
        said = ", ".join(_shown(item, a) for item in left)
        other = ", ".join(_shown(item, b) for item in right)
        yield Difference(kind(said or other), said, other)


def _shown(item: _Placed, text: str) -> str:
    bound = {"<": "at most ", ">": "at least "}.get(item.bound, "") if isinstance(item, Quantity) else ""
    return f"{bound}{text[item.start : item.end]}"


def _out_of_order(
    ours: Sequence[_Item],
    theirs: Sequence[_Item],
    same: Callable[[_Item, _Item], bool],
    group: Callable[[_Item], object],
) -> tuple[list[_Item], list[_Item]]:
    """Return the groups whose equal figures are told in another order: "from 3 to 5", "from 5 to 3"."""
    for name in dict.fromkeys(group(item) for item in ours):
        left = [item for item in ours if group(item) == name]
        right = [item for item in theirs if group(item) == name]
        if len(left) == len(right) and not all(same(*pair) for pair in zip(left, right, strict=True)):
            return left, right
    return [], []


def _dates(text: str) -> list[Moment]:
    return [moment for moment in moments(text) if moment.kind != "quarter" or moment.n]


def _numbers(text: str) -> list[Quantity]:
    """Return the quantities, without "one" as a pronoun or an article."""
    return [
        item
        for item in quantities(text)
        if item.literal or not (item.in_words and item.low == item.high == 1 and not item.units)
    ]


def _same_quantity(left: Quantity, right: Quantity) -> bool:
    if left.literal or right.literal:
        return _literal(left) == _literal(right)
    if left.bound != right.bound or (left.per and right.per and left.per != right.per):
        return False
    if left.units and right.units:
        return any(
            same_amount(left.low, ours, right.low, theirs, _EXACT)
            and same_amount(left.high, ours, right.high, theirs, _EXACT)
            for ours in left.units
            for theirs in right.units
        )
    return (left.low, left.high) == (right.low, right.high)


def _literal(item: Quantity) -> str:
    return (item.literal or f"{item.low:g}").removeprefix("v")


def _of_what(item: Quantity) -> object:
    return item.units[0].dimension if item.units else item.head or item.label


def _number_kind(said: str) -> str:
    if _VERSION.fullmatch(said.strip()) and (said.count(".") > 1 or said[:1] in "vV"):
        return "version"
    return "id" if re.search(r"[A-Za-z]\d|\d[A-Za-z]|\d-\d", said.replace(" ", "|")) else "number"


def _date_kind(said: str) -> str:  # noqa: ARG001  # one kind, whatever is said
    return "date"


def _same_moment(left: Moment, right: Moment, said_a: date | None, said_b: date | None) -> bool:
    """Tell whether two moments are one; the more exact of two that agree is the same."""
    if said_a is not None and said_b is not None and said_a != said_b:
        depends = _RELATIVE & {left.kind, right.kind}
        if depends and not (left.is_time or right.is_time):
            return bool(ours := list(days(left, said_a))) and ours == list(days(right, said_b))
    said = said_a or said_b
    return Relation.EQUAL in (compare(left, right, said), compare(right, left, said))


def figure_spans(text: str) -> list[tuple[int, int]]:
    """Return where quantities, dates and times stand."""
    spans = [(quantity.start, quantity.end) for quantity in quantities(text)]
    return spans + [(moment.start, moment.end) for moment in moments(text)]


def _other_ids(text: str) -> frozenset[str]:
    """Return technical names, and tokens with a digit that are no quantity and no date; as written."""
    taken = figure_spans(text)

    def is_taken(start: int, end: int) -> bool:
        return any(first < end and start < last for first, last in taken)

    found = {
        name.text.casefold()
        for name in names(text)
        if name.is_technical and not is_taken(name.start, name.end)
    }
    taken += [name.span for name in names(text) if name.is_technical]
    found |= {
        match.group().casefold().rstrip(".")
        for match in _WITH_DIGIT.finditer(text)
        if not is_taken(*match.span())
    }
    return frozenset(found)
