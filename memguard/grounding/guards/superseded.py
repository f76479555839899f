"""Superseded values: for the present state the last value counts.

A claim that gives an earlier value as the present one contradicts the transcript; told as history
("at first", "was later changed to") it does not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache

from memguard.grounding.guards.successors import (
    chosen_after_all,
    could_be,
    in_sentence,
    is_loose,
    must_change,
    wanted_otherwise,
)
from memguard.grounding.guards.timeline import Part, holds_the_rarest, just_before, timeline, topic_of
from memguard.grounding.guards.values import (
    Value,
    is_total_of_part,
    may_replace,
    same_value,
    topic_keys,
    values,
)
from memguard.grounding.inquiry import Inquiry
from memguard.grounding.reading.names import fold
from memguard.grounding.reading.words import words
from memguard.grounding.verdicts import Finding, Severity

_GUARD = "superseded"
_HISTORY = re.compile(
    r"\b(?:at first|first|originally|initially|initial|before|earlier|previously|previous|formerly"
    r"|used to|until|up to then"
    r"|later|then|afterwards|eventually|instead|rather than|replac\w+|went from|rose|fell|from .+ to "
    r"|over .+ to |no longer"
    r"|chang\w+|mov(?:ed|ing) (?:from|to)|correct\w*|revis\w+|switch\w*|had been|had (?:said|asked"
    r"|planned|wanted|meant)|old|once"
    r"|resched\w+|postpon\w+|shift\w+|swap\w+|updat\w+|increas\w+|decreas\w+|rais\w+|lower\w+|reduc\w+"
    r"|cancel\w*)\b",
    re.IGNORECASE,
)
_FRAMED = re.compile(
    r"\b(?:said|says|told|tells|ask(?:s|ed)|suggest\w*|propos\w+|offer\w*|mention\w*|quot\w+|request\w*"
    r"|consider\w*|reject\w*"
    r"|discuss\w*|thought|wanted|warn\w*|estimat\w+|recommend\w*|report\w*|gave|claimed|wrote)\b",
    re.IGNORECASE,
)
_CUE = re.compile(
    r"\b(?:actually|sorry|instead|changed? (?:it )?to|chang(?:e[ds]?|ing)|mov(?:e[ds]?|ing)"
    r"|reschedul\w+|postpon\w+|delay\w*|brought forward|pushe[ds]|no longer|now|scratch that"
    r"|update[ds]?|correct(?:ion|ed|ing)?|make (?:that|it)|rather|raise[ds]?|lower(?:ed|s)"
    r"|increase[ds]?|reduce[ds]?"
    r"|set(?:ting)? (?:it|that)? ?to"
    r"|put (?:it|that) up|replac\w+|in place of|turns out|i meant|i mean|my mistake|wrong|switch(?:ed"
    r"|ing)?|swap\w*|new|again|once more"
    r"|rises?|rose|drop(?:s|ped)|go(?:es)? (?:up|down)|went (?:up|down)|after all|better)\b",
    re.IGNORECASE,
)
_MOVE = re.compile(
    r"\b(?:mov(?:e[ds]?|ing)|chang(?:e[ds]?|ing)|reschedul\w+|postpon\w+|push(?:ed)?|make (?:that|it)"
    r"|instead|shift\w*|swap\w*)\b",
    re.I,
)
_SUBJECT = re.compile(
    r"\b(?:the|an?|our|my|your|his|her|their)((?: [\w-]+){1,3}?) (?:(?:is|was|will be|has been|gets?|got) )?"
    r"(?:mov(?:e[ds]?|ing)|chang(?:e[ds]|ing)|reschedul\w+|postpon\w+|pushe[ds]|shift\w*)\b",
    re.IGNORECASE,
)
"""The thing that moves, right before its verb."""
_MOVED_IT = re.compile(
    r"\b(?:mov(?:ed?|es)|chang(?:ed?|es)|push(?:ed|es)?|put|brought|shift(?:ed|s)?|postponed|delayed"
    r"|rescheduled) (?:it|that|this)(?: (?:back|forward|up|down))? (?:to|until|till|by)\W+(?:the )?\Z",
    re.IGNORECASE,
)
"""What stands right before the new value of what was spoken of last."""
_FINAL = re.compile(r"\b(?:final|that makes|which makes|comes to|altogether)\b", re.IGNORECASE)
_SO_FAR = re.compile(r"\b(?:so far|for now|target|tentative\w*|currently|was|had)\b", re.IGNORECASE)
_PRESENT = re.compile(
    r"\b(?:now|currently|current|still|at present|stands?|is|are|has|have|will|due|set for|today"
    r"|supposed|scheduled|planned)\b",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\b(?:\w{2,}ed|was|were|got|gave|paid|went|took|came|put|left|made|spent|sent|bought|had|did|saw"
    r"|met|won|lost|began)\b",
    re.I,
)
_OVER = re.compile(
    r"\b(?:cancel(?:led|ed)|called off|not happening|is off|no longer (?:happening|needed|on))\b",
    re.IGNORECASE,
)
_TWO = 2
_ELLIPTIC = 2
_NEXT_TURNS = 2


def check(inquiry: Inquiry) -> tuple[Finding, ...]:
    """Look for a value of the claim that the transcript changes afterwards."""
    if not inquiry.ranked or not gives_a_state(inquiry.text):
        return ()
    line = timeline(inquiry)
    kinds = Counter(value.kind for value in values(inquiry.text))
    claimed = [
        value for value in values(inquiry.text) if not value.is_replaced and not _is_person(value, inquiry)
    ]
    found: list[Finding] = []
    for value in claimed:
        if kinds[value.kind] > 1 and not value.is_name and value.kind != "ratio":
            continue  # a sum or a list: no single state
        if not found:  # one changed value says it for the claim
            found += _of_value(value, claimed, line, inquiry)
    if not found:
        found += _called_off(line, inquiry)
    return tuple(found)


def gives_a_state(text: str) -> bool:
    """Tell whether a text gives values as the present ones: not as history, nor as what somebody said."""
    return not (_is_past(text) or _HISTORY.search(text) or _FRAMED.search(text))


@lru_cache(maxsize=16_384)
def _is_past(text: str) -> bool:
    """Tell whether a claim tells an event of the past, which no later value undoes."""
    return _DONE.search(text) is not None and _PRESENT.search(text) is None


def _is_person(value: Value, inquiry: Inquiry) -> bool:
    if not value.is_name:
        return False
    speaking = {fold(word.lower) for speaker in inquiry.speakers for word in words(speaker)}
    return bool(set(value.key.split()) & speaking)


def _of_value(value: Value, claimed: list[Value], line: list[Part], inquiry: Inquiry) -> Iterator[Finding]:
    topic = topic_keys(inquiry.text) - set(value.key.split())
    stated = [part for part in line for v in part.values if same_value(v, value) and not v.is_replaced]
    replaced = [(part, v) for part in line for v in part.values if same_value(v, value) and v.is_replaced]
    last = max((part.order for part in stated), default=(-1, 0))
    for part, old in reversed(replaced):
        successor = next((v for v in part.values if could_be(v, old)), None)
        if successor is None and not value.is_name:
            successor = in_sentence(part, old, line)
        if successor is None or part.order < last or is_loose(part, line):
            continue
        if not any(same_value(successor, c) for c in claimed):
            yield _finding(value, part, successor, inquiry)
            return
    if not stated:
        return
    changed = wanted_otherwise(value, stated, line) or must_change(value, last, line, inquiry)
    if changed is not None:
        yield _finding(value, changed[0], changed[1], inquiry)
        return
    ground = max(stated, key=lambda part: (len(topic & topic_of(part, line)), part.order))
    if value.is_name:
        chosen = chosen_after_all(value, last, line)
        if chosen is not None and not any(same_value(chosen[1], c) for c in claimed):
            yield _finding(value, *chosen, inquiry)
            return
    if value.kind == "name":
        return
    for part in line:
        if part.order <= last:
            continue
        for successor in part.values:
            if successor.is_replaced or not may_replace(successor, value):
                continue
            if any(same_value(successor, c) for c in claimed):
                continue
            if _follows(value, successor, ground, part, topic, line, inquiry):
                yield _finding(value, part, successor, inquiry)
                return


def _follows(
    value: Value,
    successor: Value,
    ground: Part,
    part: Part,
    topic: frozenset[str],
    line: list[Part],
    inquiry: Inquiry,
) -> bool:
    """Tell whether a later part gives the new value of what the ground gave an old one."""
    if is_loose(part, line) or is_total_of_part(successor, part.text, value, f"{ground.text} {inquiry.text}"):
        return False
    around = topic_of(part, line)
    shared = topic & around
    before = just_before(part, line)
    cued = _CUE.search(part.text) or (before is not None and _CUE.search(before.text))
    if not cued and _is_parallel(ground, part):
        return False
    if value.is_name:
        near = part.source.turn == ground.source.turn
        return bool(cued) and bool(re.search(r"\bnow\b", part.text)) and (near or bool(shared))
    close = part.source.turn - ground.source.turn <= _NEXT_TURNS
    if (
        close
        and successor.kind == value.kind
        and value.kind.startswith("unit money")
        and _FINAL.search(part.text)
    ):
        return True
    if successor.kind == value.kind and _moves_it(successor, part, ground, line):
        return True
    held = topic & topic_of(ground, line)
    own = topic_keys(part.text)
    if value.kind != "bare" and successor.kind != "bare" and len(own) > _ELLIPTIC and not own & topic:
        return False  # its own subject is another
    subject = _SUBJECT.search(part.text)
    moved = topic_keys(subject.group(1)) if subject is not None else frozenset()
    if moved and not moved & (topic | topic_of(ground, line)):
        return False  # what moves is something else
    if cued and holds_the_rarest(held, shared, line) and (successor.kind != "bare" or _CUE.search(part.text)):
        return True
    if (
        successor.kind == value.kind
        and value.kind != "bare"
        and held
        and held <= own
        and len(own & topic) >= _TWO
    ):
        return True
    if successor.kind == value.kind == "ratio" and shared:
        return True
    if value.kind == "day" and _MOVE.search(
        " ".join(p.text for p in line if p.source.turn == part.source.turn)
    ):
        return bool(_SO_FAR.search(ground.text) or _PRESENT.search(inquiry.text))
    return False


def _moves_it(successor: Value, part: Part, ground: Part, line: list[Part]) -> bool:
    """Tell whether a part moves "it" to a new value, where the ground gave the last one of that kind."""
    if not _MOVED_IT.search(part.source.text[part.start : successor.start]):
        return False
    earlier = [p for p in line if p.order < part.order and any(v.kind == successor.kind for v in p.values)]
    return bool(earlier) and max(earlier, key=lambda p: p.order) is ground


def _is_parallel(one: Part, other: Part) -> bool:
    """Tell whether two parts say like things of different ones ("Order 12 costs 90", "Order 13 costs 110").

    A value that changes without a word of change changes alone: where values of two kinds differ, or the
    label by which the thing is told, the later part speaks of something else.
    """
    keys: dict[str, tuple[set[str], set[str]]] = {}
    for at, part in enumerate((one, other)):
        for value in part.values:
            if not value.is_name:
                keys.setdefault(value.kind, (set(), set()))[at].add(value.key)
    differing = [kind for kind, (old, new) in keys.items() if old and new and old.isdisjoint(new)]
    return len(differing) >= _TWO or any(kind.startswith(("label", "id ")) for kind in differing)


def _called_off(line: list[Part], inquiry: Inquiry) -> Iterator[Finding]:
    """Yield the claim's subject where the transcript calls it off at last."""
    topic = topic_keys(inquiry.text)
    if not topic or re.search(r"\b(?:not|n't|off|never)\b", inquiry.text):
        return
    for part in line:
        cue = _OVER.search(part.text)
        if cue is None or is_loose(part, line) or re.search(r"\b(?:not|n't) ", part.text[: cue.start()]):
            continue
        what = topic_keys(part.text[: cue.start()])
        later = any(len(topic & topic_keys(p.text)) >= len(what) for p in line if p.order > part.order)
        if what and what <= topic and not later:
            span = next((w.span for w in words(inquiry.text) if w.key in what), (0, len(inquiry.text)))
            where = part.source.at(part.start, part.end)
            yield Finding(
                _GUARD, Severity.CONTRADICTION, span, where, f"called off in {part.source.span.message_id}"
            )
            return


def _finding(value: Value, part: Part, successor: Value | None, inquiry: Inquiry) -> Finding:
    old = inquiry.text[value.start : value.end]
    at = (part.start, part.end) if successor is None else (successor.start, successor.end)
    new = "" if successor is None else f" to {part.source.text[slice(*at)]}"
    detail = f"{old}, later changed{new} in {part.source.span.message_id}"
    return Finding(_GUARD, Severity.CONTRADICTION, (value.start, value.end), part.source.at(*at), detail)
