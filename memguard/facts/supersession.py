"""The last value wins: which figure a later one replaced.

The kinds of values, and which may follow which, are those of the guard of superseded values. What
replaces is told here from the conversation alone, in one pass: the guard asks about a claim.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from memguard.facts.called_off import called_off
from memguard.facts.joining import Group, Mention
from memguard.facts.outdated import is_elliptic, outdated, with_their_figures
from memguard.facts.tellings import DATES, LABEL, Telling, family_of, tellings
from memguard.facts.units import Unit
from memguard.facts.weights import is_loose
from memguard.grounding.guards.values import is_total_of_part, may_replace, values
from memguard.grounding.reading.words import content_keys, key_of

_RECENT = 16
"""Earlier values of one kind that a new one is compared with: keeps the work linear."""
_OF_TOPIC = 6
"""Earlier values beside one rare word that a new one is compared with, however long ago they were told."""
_NEAR = 2
"""Turns over which a correction reaches without a shared word."""
_SHARED = 2
"""Words that two pieces share when they speak of one thing."""
_ALIKE = 0.7
_RARE, _RARE_SHARE = 6, 0.03
"""Units, and share of them, in which a word may stand and still tell what is spoken of."""
_MESSAGE = 6  # units
_LIKE = 2.0  # times
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
_ADDS = re.compile(r"\b(?:also|as well|another|in addition|on top of|besides)\b", re.IGNORECASE)
"""What comes beside a thing and not in its place: "now I also take 10 mg"."""
_PROPOSES = re.compile(r"\b(?:suggest|propose|recommend|go (?:with|for|to))\b", re.IGNORECASE)
_WOULD = re.compile(r"\bwould\b|['’]d\b", re.IGNORECASE)
"""Of a value that is only weighed: "45 would still lose leases" does not bring 45 back."""
_OF_CHANGE = frozenset(
    key_of(word) for word in "change move update note save book plan confirm tell say get".split()
)
"""Words that say that something changes, and not what."""
_INSTEAD_OF = re.compile(
    r"\b(?:instead of|in place of|rather than|replac(?:es|ed|ing))\s+(?:the\s+|an?\s+)?$", re.IGNORECASE
)


def successors(groups: Sequence[Group], units: Sequence[Unit]) -> dict[int, int]:
    """Return for each fact that was replaced the index of the fact that replaced it.

    Args:
        groups: The facts.
        units: Every unit of the conversation.
    """
    recent: dict[str, list[Telling]] = {}
    by_topic: dict[tuple[str, str], list[Telling]] = {}
    by_key: dict[str, list[int]] = {}
    found: dict[int, int] = {}
    counts = Counter(key for unit in units for key in content_keys(unit.text))
    rare = frozenset(key for key, n in counts.items() if n <= max(_RARE, _RARE_SHARE * len(units)))
    for told in tellings(groups, units):
        family = family_of(told.value)
        known = recent.setdefault(family, [])
        if not told.value.is_replaced and not is_loose(
            told.mention.piece.unit, accepted=told.mention.accepted
        ):
            corrected, changed = _cues(told.mention, units)
            nearby = {id(old): old for old in known[-_RECENT:]}
            for key in (told.local & rare) - _OF_CHANGE:
                nearby |= {id(old): old for old in by_topic.get((family, key), ())}
            for old in _replaced(told, [*nearby.values()], rare, corrected=corrected, changed=changed):
                found[old] = told.group
            for key in _replaced_in_words(told):
                found |= {old: told.group for old in by_key.get(key, ()) if old != told.group}
        known.append(told)
        for key in told.local & rare:
            same = by_topic.setdefault((family, key), [])
            same.append(told)
            del same[:-_OF_TOPIC]
        groups_of_key = by_key.setdefault(told.value.key, [])
        if told.group not in groups_of_key[-_RECENT:]:
            groups_of_key.append(told.group)
            del groups_of_key[:-_RECENT]
    # A value that comes back holds again: only what was replaced after its last mention stays so.
    last = {i: _last_held(group) for i, group in enumerate(groups)}
    found |= {old: new for old, new in called_off(groups, units) if old not in found}
    ahead = {old: new for old, new in found.items() if old != new and last[new] >= last[old]}
    circling = _circling(ahead)
    kept = {old: new for old, new in ahead.items() if old not in circling}
    kept |= with_their_figures(groups, kept)
    whole = kept | outdated(groups, kept)
    circling = _circling(whole)
    return {old: new for old, new in whole.items() if old not in circling}


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


def _cues(mention: Mention, units: Sequence[Unit]) -> tuple[bool, bool]:
    """Return whether a mention's words correct something, and whether they tell a change.

    Its unit and the one before it in its message are read; of a fragment the whole message before it.
    """
    unit = mention.piece.unit
    reach = _MESSAGE if is_elliptic(mention) else 1
    first = unit.number
    while first > max(0, unit.number - reach) and units[first - 1].turn == unit.turn:
        first -= 1
    text = "\n".join(u.text for u in units[first : unit.number + 1])
    changes = _CHANGES.search(text) is not None and _ADDS.search(unit.text) is None
    return _CORRECTS.search(text) is not None, changes


def _replaced(
    new: Telling, known: Sequence[Telling], rare: frozenset[str], *, corrected: bool, changed: bool
) -> list[int]:
    """Return the facts that a value replaces: those of the nearest earlier value that it may follow."""
    if new.value.is_name or not (
        corrected or changed or _is_taken_up(new.mention) or len(new.local) >= _SHARED
    ):
        return []
    nearest = sorted(known, key=lambda old: _rank(new, old), reverse=True)
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


def _rank(new: Telling, old: Telling) -> tuple[bool, int, float, int]:
    """Return how likely a value is the one that a new one replaces.

    The last of those told just before it; of those long ago the one that is told in the most like words.
    """
    near = old.turn if new.turn - old.turn <= _NEAR else -1
    alike = len(new.local & old.local) / max(1, len(new.local | old.local))
    return old.value.kind == new.value.kind, near, alike, old.turn


def _is_taken_up(mention: Mention) -> bool:
    """Tell whether a mention proposes something that the other accepts."""
    return mention.accepted and _PROPOSES.search(mention.piece.text) is not None


def _of_one_thing(one: Telling, other: Telling) -> bool:
    """Tell whether two tellings of one value speak of one thing: a bare answer, of what stands next to it."""
    near = abs(one.turn - other.turn) <= _NEAR and one.value.kind == other.value.kind
    return bool(one.local & other.local) or (
        near and (is_elliptic(one.mention) or is_elliptic(other.mention))
    )


def _replaces(new: Telling, old: Telling, rare: frozenset[str], *, corrected: bool, changed: bool) -> bool:
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
    typed = new.value.kind == old.value.kind and not new.value.kind.startswith((LABEL, "bare"))
    elliptic = is_elliptic(one)
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
        len(shared) >= _SHARED
        or (typed and new.value.kind not in DATES and shared & rare)
        or (shared & rare and shared == new.local and _is_like_amount(new, old))
    ):
        return True
    return typed and distance > 0 and len(shared) >= max(_SHARED, _ALIKE * len(new.local | old.local))


def _is_like_amount(new: Telling, old: Telling) -> bool:
    """Tell whether an amount is told without its unit after one of like size: "the ceiling is 17,000 now"."""
    sizes = sorted((new.value.size, old.value.size))
    return new.alone and old.alone and not new.unit and 0 < sizes[1] <= _LIKE * sizes[0]


def _may_follow(new: Telling, old: Telling) -> bool:
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


def _replaced_in_words(new: Telling) -> Iterator[str]:
    """Yield the keys of what a sentence says a value replaces: "X instead of Y", "from Y to X"."""
    text = new.mention.piece.unit.text
    for old in values(text):
        if old.key == new.value.key or not new.mention.piece.start <= old.start < new.mention.piece.end:
            continue
        if (old.is_name and new.value.is_name and _INSTEAD_OF.search(text[: old.start])) or (
            not old.is_name and old.is_replaced and may_replace(new.value, old)
        ):
            yield old.key
