"""Values that may change in a conversation: amounts, dates, times, ids and named choices, part by part.

A part is a piece of a sentence between semicolons and contrasts ("I lived in Lyon then; now I'm in
Ghent"), so that an old value and its successor in one sentence are told apart.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memguard.grounding.reading.clock import Moment, moments
from memguard.grounding.reading.measures import Quantity, quantities
from memguard.grounding.reading.names import names
from memguard.grounding.reading.words import key_of, words

_CUT = re.compile(r";|,? but |, (?=now\b)|,? and (?=now\b)|[.!?]\s+|\n")
_REPLACED = re.compile(
    r"(?:instead of|in place of|rather than|no longer|replac(?:es|ing|ed)|not|than"
    r"|\"?old\"?:?|away from|\bfrom)[\s\"':=(]*(?:the|our|my|at|in|on|to"
    r"|for)?\s*(?:\w+[\s_=:]*){0,2}[£$€\"']?$",
    re.IGNORECASE,
)
_NO_HEADS = frozenset(
    key_of(word) for word in "now instead please too today then again total each per".split()
)
_STATE_WORDS = frozenset(
    key_of(word) for word in "now current currently stand still today present set say".split()
)
_PREPOSITION = re.compile(r"\b(in|at|to|with|on|from|by|for)\s+(?:the\s+)?$", re.IGNORECASE)


_TOTAL = re.compile(
    r"\b(?:total(?:s|led|ling|ed|ing)?|altogether|all told|in all|combined|sums? (?:up )?to)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a text.

    Attributes:
        start: Offset of its first character.
        end: Offset after its last.
        kind: What it measures: only values of one kind replace one another. ``bare`` for a number
            without a unit, ``name`` and its preposition for a name.
        key: Under which equal values meet.
        size: Its number, for amounts; 0.0 else.
        is_replaced: Whether it stands right after "instead of", "no longer" or the like.
    """

    start: int
    end: int
    kind: str
    key: str
    size: float
    is_replaced: bool

    @property
    def is_name(self) -> bool:
        """Whether it is a name."""
        return self.kind.startswith("name")


@lru_cache(maxsize=16_384)
def values(text: str) -> tuple[Value, ...]:
    """Return the values of a text in order."""
    found = [_amount(q, text) for q in quantities(text)]
    found += [value for m in moments(text) if (value := _moment(m, text)) is not None]
    taken = [(v.start, v.end) for v in found]
    for name in names(text):
        if name.is_technical or any(s < name.end and name.start < e for s, e in taken):
            continue
        before = _PREPOSITION.search(text[: name.start])
        kind = f"name {before.group(1).lower()}" if before else "name"
        found.append(_value(name.start, name.end, kind, " ".join(name.pieces), 0.0, text))
    return tuple(sorted(found, key=lambda v: v.start))


def _value(start: int, end: int, kind: str, key: str, size: float, text: str) -> Value:
    return Value(start, end, kind, key, size, _REPLACED.search(text[max(0, start - 40) : start]) is not None)


def _amount(quantity: Quantity, text: str) -> Value:
    at = quantity.start, quantity.end
    if quantity.literal and not quantity.literal.isdigit():
        return _value(*at, f"id {quantity.label}", quantity.literal, 0.0, text)
    size = quantity.low or float(quantity.literal or 0.0)
    if re.match(r"\s*over\s+\d", text[quantity.end :]) or re.search(r"\d\s+over\s+$", text[: quantity.start]):
        kind = "ratio"
    elif quantity.units:
        unit = quantity.units[0]
        kind = f"unit {unit.dimension} {unit.name if unit.dimension == 'money' else ''}"
    elif quantity.label:
        kind = f"label {quantity.label}"
    elif quantity.head and quantity.head not in _NO_HEADS:
        kind = f"count {quantity.head}"
    else:
        kind = "bare"
    return _value(
        *at, kind.strip(), f"{size:g} {quantity.high:g}" if quantity.high > size else f"{size:g}", size, text
    )


def _moment(moment: Moment, text: str) -> Value | None:
    at = moment.start, moment.end
    if moment.is_time:
        return _value(*at, "time", str((moment.minute or 0) % 720), 0.0, text)
    if moment.day is not None:
        return _value(*at, "day", f"{moment.month or 0}-{moment.day}", 0.0, text)
    if moment.weekday is not None:
        return _value(*at, "weekday", str(moment.weekday), 0.0, text)
    return None


def may_replace(new: Value, old: Value) -> bool:
    """Tell whether one value could follow another: same kind, or a plain number of like size."""
    if new.key == old.key or _share_a_name(new, old):
        return False
    if new.kind == old.kind:
        return new.kind != "bare" or _alike(new, old)
    return "bare" in (new.kind, old.kind) and _alike(new, old) and not {new.kind, old.kind} & {"ratio"}


def is_total_of_part(new: Value, new_text: str, old: Value, old_text: str) -> bool:
    """Tell whether a value is a total that takes in the other: both hold, and neither follows the other."""
    return new.size > old.size > 0 and _TOTAL.search(new_text) is not None and _TOTAL.search(old_text) is None


def _share_a_name(new: Value, old: Value) -> bool:
    return new.is_name and old.is_name and bool(set(new.key.split()) & set(old.key.split()))


def _alike(new: Value, old: Value) -> bool:
    return bool(new.size and old.size) and 0.25 <= new.size / old.size <= 4.0


def same_value(one: Value, other: Value) -> bool:
    """Tell whether two values are equal, as far as their kinds can be compared."""
    if one.key != other.key:
        return False
    if one.is_name or other.is_name:
        return one.is_name and other.is_name
    return (
        one.kind == other.kind
        or "bare" in (one.kind, other.kind)
        or {one.kind[:5], other.kind[:5]} <= {"unit ", "count", "label"}
    )


@lru_cache(maxsize=16_384)
def parts(text: str) -> tuple[tuple[int, int], ...]:
    """Return the spans of the parts of a sentence, in order."""
    spans: list[tuple[int, int]] = []
    start = 0
    for cut in _CUT.finditer(text):
        spans.append((start, cut.start()))
        start = cut.end()
    spans.append((start, len(text)))
    return tuple((s, e) for s, e in spans if text[s:e].strip())


@lru_cache(maxsize=16_384)
def topic_keys(text: str) -> frozenset[str]:
    """Return the keys of the content words of a text that are no part of a value."""
    taken = [(v.start, v.end) for v in values(text) if not v.is_name]
    return frozenset(
        w.key
        for w in words(text)
        if not (w.is_stop or w.is_number or w.key in _STATE_WORDS or any(s <= w.start < e for s, e in taken))
    )
