"""The last value wins: which figure a later one replaced.

The kinds of values, and which may follow which, are those of the guard of superseded values. What
replaces is told here from the conversation alone, in one pass: the guard asks about a claim.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from memguard.facts.carriers import leans
from memguard.facts.forms import FactClass
from memguard.facts.joining import STATED, Group, Mention
from memguard.facts.medical import CERTAIN, medical_share
from memguard.facts.units import Unit
from memguard.facts.weights import is_loose
from memguard.grounding.guards.values import Value, is_total_of_part, may_replace, topic_keys, values
from memguard.grounding.reading.measures import quantities
from memguard.grounding.reading.names import names
from memguard.grounding.reading.words import content_keys, key_of
from memguard.messages import SourceSpan

_RECENT = 16
"""Earlier values of one kind that a new one is compared with: keeps the work linear."""
_NEAR = 2
"""Turns over which a correction reaches without a shared word."""
_SHARED = 2
"""Words that two pieces share when they speak of one thing."""
_ELLIPTIC = 2
_ALIKE = 0.7
_RARE, _RARE_SHARE = 6, 0.03
"""Units, and share of them, in which a word may stand and still tell what is spoken of."""
_MESSAGE = 6  # units
_DATES = frozenset({"day", "weekday", "time"})
_SMALLEST = 0.3  # of an amount that replaces another, as a share of it
_CORRECTS = re.compile(
    r"\b(?:sorry(?! to\b| for\b| i\b| about\b)|correction|correct(?:ed|ing)?|actually"
    r"|i (?:meant|mean)|make (?:it|that)|wrong|swapped|mix(?:ed)? (?:\w+ )?up|my mistake"
    r"|typo|not any ?more|no longer|hang on|hold on|scratch that|instead|rather|should be"
    r"|should have been|wait|turns out)\b",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"\b(?:now|new|changed?|chang(?:es|ing)|mov(?:e|ed|es|ing)|rescheduled|postponed|pushed"
    r"|raised?|raising|lowered|cut"
    r"|increased?|reduced|updated?|replac\w+|switch\w*|back to|up to|up from|down from|down to"
    r"|final|makes|that makes|from now on"
    r"|once more|again|as of|after all|settled|agreed|then)\b",
    re.IGNORECASE,
)


_PROPOSES = re.compile(r"\b(?:suggest|propose|recommend|go (?:with|for|to))\b", re.IGNORECASE)
_WOULD = re.compile(r"\bwould\b|['’]d\b", re.IGNORECASE)
"""Of a value that is only weighed: "45 would still lose leases" does not bring 45 back."""
_OF_CHANGE = frozenset(
    key_of(word) for word in "change move update note save book plan confirm tell say get".split()
)
"""Words that say that something changes, and not what."""
_FIGURES = frozenset({FactClass.NUMBER, FactClass.PRICE, FactClass.DATE, FactClass.IDENTIFIER})
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
_INSTEAD_OF = re.compile(
    r"\b(?:instead of|in place of|rather than|replac(?:es|ed|ing))\s+(?:the\s+|an?\s+)?$", re.IGNORECASE
)
_LABEL = "label"
_SEGMENT = re.compile(r"[,;:()–—]|\band\b")


@dataclass(frozen=True, slots=True)
class _Told:
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


def successors(groups: Sequence[Group], units: Sequence[Unit]) -> dict[int, int]:
    """Return for each fact that was replaced the index of the fact that replaced it.

    Args:
        groups: The facts.
        units: Every unit of the conversation.
    """
    recent: dict[str, list[_Told]] = {}
    by_key: dict[str, list[int]] = {}
    found: dict[int, int] = {}
    counts = Counter(key for unit in units for key in content_keys(unit.text))
    rare = frozenset(key for key, n in counts.items() if n <= max(_RARE, _RARE_SHARE * len(units)))
    for told in _told(groups, units):
        family = _family(told.value)
        known = recent.setdefault(family, [])
        if not told.value.is_replaced and not is_loose(
            told.mention.piece.unit, accepted=told.mention.accepted
        ):
            corrected, changed = _cues(told.mention, units)
            for old in _replaced(told, known[-_RECENT:], rare, corrected=corrected, changed=changed):
                found[old] = told.group
            for key in _replaced_in_words(told):
                found |= {old: told.group for old in by_key.get(key, ()) if old != told.group}
        known.append(told)
        groups_of_key = by_key.setdefault(told.value.key, [])
        if told.group not in groups_of_key[-_RECENT:]:
            groups_of_key.append(told.group)
            del groups_of_key[:-_RECENT]
    # A value that comes back holds again: only what was replaced after its last mention stays so.
    last = {i: _last_held(group) for i, group in enumerate(groups)}
    found |= {old: new for old, new in _called_off(groups, units) if old not in found}
    ahead = {old: new for old, new in found.items() if old != new and last[new] >= last[old]}
    circling = _circling(ahead)
    kept = {old: new for old, new in ahead.items() if old not in circling}
    return kept | _with_their_figures(groups, kept)


def _last_held(group: Group) -> int:
    """Return the number of the last unit that gives a fact as one that holds.

    What is only weighed does not, nor what stands in a call or its result, such as the old text of an edit.
    """
    numbers = [
        m.piece.unit.number
        for m in group.mentions
        if not m.piece.unit.is_machine and (m.accepted or not _WOULD.search(m.piece.text))
    ]
    return max(numbers, default=group.mentions[0].piece.unit.number)


def _called_off(groups: Sequence[Group], units: Sequence[Unit]) -> Iterator[tuple[int, int]]:
    """Yield the facts of pieces whose named or numbered thing a later statement calls off."""
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


def _with_their_figures(groups: Sequence[Group], found: Mapping[int, int]) -> dict[int, int]:
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


def _circling(found: Mapping[int, int]) -> frozenset[int]:
    """Return the facts whose chain of replacements leads back to them, in one pass over all chains."""
    done: set[int] = set()
    circling: set[int] = set()
    for start in found:
        path: list[int] = []
        places: dict[int, int] = {}
        at = start
        while at in found and at not in done and at not in places:
            places[at] = len(path)
            path.append(at)
            at = found[at]
        if at in places:
            circling.update(path[places[at] :])
        done.update(path)
    return frozenset(circling)


def _told(groups: Sequence[Group], units: Sequence[Unit]) -> Iterator[_Told]:
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
        if value is None or (mention.kind is not FactClass.DATE and _family(value) in _DATES):
            continue
        unit = next((u.name for q in quantities(text) if q.start <= value.start < q.end for u in q.units), "")
        family = _family(value)
        piece = mention.piece
        others = [
            v
            for v in told
            if _family(v) == family
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
            if v.kind.startswith(_LABEL) and v is not value and piece.start <= v.start < piece.end
        )
        turn = turns[piece.unit.turn]
        yield _Told(index, mention, value, unit, local, not others, beside, labels, turn)


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


def _family(value: Value) -> str:
    """Return under which key values that may replace one another meet."""
    if value.is_name:
        return "name"
    head = value.kind.split()[0]
    return head if head in {"day", "weekday", "time", "id", "ratio"} else "amount"


def _cues(mention: Mention, units: Sequence[Unit]) -> tuple[bool, bool]:
    """Return whether a mention's words correct something, and whether they tell a change.

    Its unit and the one before it in its message are read; of a fragment the whole message before it.
    """
    unit = mention.piece.unit
    reach = _MESSAGE if _is_elliptic(mention) else 1
    first = unit.number
    while first > max(0, unit.number - reach) and units[first - 1].turn == unit.turn:
        first -= 1
    text = "\n".join(u.text for u in units[first : unit.number + 1])
    return _CORRECTS.search(text) is not None, _CHANGES.search(text) is not None


def _is_elliptic(mention: Mention) -> bool:
    return len(mention.own) <= _ELLIPTIC + leans(mention.piece.text)


def _replaced(
    new: _Told, known: Sequence[_Told], rare: frozenset[str], *, corrected: bool, changed: bool
) -> list[int]:
    """Return the facts that a value replaces: those of the nearest earlier value that it may follow."""
    if new.value.is_name or not (
        corrected or changed or _is_taken_up(new.mention) or len(new.local) >= _SHARED
    ):
        return []
    nearest = sorted(known, key=lambda old: (old.value.kind == new.value.kind, old.turn), reverse=True)
    first = next(
        (old for old in nearest if _replaces(new, old, rare, corrected=corrected, changed=changed)), None
    )
    if first is None:
        return []
    return [
        old.group
        for old in known
        if old is first
        or (old.value.key == first.value.key and old.group != new.group and _of_one_thing(old, first))
    ]


def _is_taken_up(mention: Mention) -> bool:
    """Tell whether a mention proposes something that the other accepts."""
    return mention.accepted and _PROPOSES.search(mention.piece.text) is not None


def _of_one_thing(one: _Told, other: _Told) -> bool:
    """Tell whether two tellings of one value speak of one thing: a bare answer, of what stands next to it."""
    near = abs(one.turn - other.turn) <= _NEAR and one.value.kind == other.value.kind
    return bool(one.local & other.local) or (
        near and (_is_elliptic(one.mention) or _is_elliptic(other.mention))
    )


def _replaces(new: _Told, old: _Told, rare: frozenset[str], *, corrected: bool, changed: bool) -> bool:
    one, other = new.mention, old.mention
    if (
        old.group == new.group
        or one.piece.unit.number == other.piece.unit.number
        or not _may_follow(new, old)
    ):
        return False
    if is_total_of_part(new.value, one.piece.text, old.value, other.piece.text):
        return False
    shared = (new.local & old.local) - _OF_CHANGE
    if new.beside and old.beside and not new.beside & old.beside:
        return False
    if {kind for kind, _ in new.labels - old.labels} & {kind for kind, _ in old.labels - new.labels}:
        return False  # order 12 and order 13 are two things
    distance = new.turn - old.turn
    typed = new.value.kind == old.value.kind and not new.value.kind.startswith((_LABEL, "bare"))
    elliptic = _is_elliptic(one)
    if not distance and _is_taken_up(one):
        return elliptic and new.value.kind == old.value.kind
    if not distance:
        cued = _CORRECTS.search(one.piece.unit.text) or _CHANGES.search(one.piece.unit.text)
        return bool(cued) and elliptic and new.value.kind == old.value.kind and new.alone and old.alone
    if not new.alone and len(shared) < len(new.local | old.local) * _ALIKE:
        return False
    if distance <= _NEAR and corrected and elliptic:
        return True
    if distance <= _NEAR and corrected and shared and (typed or elliptic):
        return True
    if distance <= _NEAR and changed and elliptic and typed and new.value.kind == "day":
        return True
    if (corrected or changed) and (
        len(shared) >= _SHARED or (typed and new.value.kind not in _DATES and shared & rare)
    ):
        return True
    return typed and distance > 0 and len(shared) >= max(_SHARED, _ALIKE * len(new.local | old.local))


def _may_follow(new: _Told, old: _Told) -> bool:
    one, other = new.value, old.value
    if one.kind.startswith("id") and other.kind.startswith("id"):
        return one.key != other.key and _shape(one.key) == _shape(other.key)
    if not may_replace(one, other) or (new.unit and old.unit and new.unit != old.unit):
        return False
    if other.kind == "bare" and one.kind not in {"bare", other.kind}:
        return False
    if one.size and other.size:
        return _SMALLEST <= one.size / other.size <= 1.0 / _SMALLEST
    return True


def _shape(key: str) -> str:
    return re.sub(r"[a-z]", "a", re.sub(r"\d", "0", key))


def _replaced_in_words(new: _Told) -> Iterator[str]:
    """Yield the keys of what a sentence says a value replaces: "X instead of Y", "from Y to X"."""
    text = new.mention.piece.unit.text
    for old in values(text):
        if old.key == new.value.key or not new.mention.piece.start <= old.start < new.mention.piece.end:
            continue
        if (old.is_name and new.value.is_name and _INSTEAD_OF.search(text[: old.start])) or (
            not old.is_name and old.is_replaced and may_replace(new.value, old)
        ):
            yield old.key
