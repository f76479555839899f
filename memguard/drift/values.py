"""Values that a conversation replaced: what a summary gives that stopped reading too early."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from memguard.drift.ground import Ground
from memguard.grounding.guards.values import Value, may_replace, same_value, topic_keys, values
from memguard.grounding.reading.names import fold
from memguard.grounding.sources import Source

_CHANGED = re.compile(
    r"\b(?:actually|sorry|instead|chang\w+|mov(?:e|ed|ing)|reschedul\w+|postpon\w+|no longer|now|update[ds]?|"
    r"correct\w*|rather|rais\w+|lower\w*|increas\w+|reduc\w+|replac\w+|in place of|turns out|mistake|wrong|"
    r"switch\w*|final|after all|make (?:that|it)|slip)\b",
    re.IGNORECASE,
)
_SHARED = 2
"""Topic words that the older sentence must share with the claim."""
_REPLACED, _CUED = 100, 10
_FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")


def older_value(claim: str, ground: Ground, rng: random.Random) -> str | None:
    """Replace a value of a claim by one that the conversation gave for it before.

    Only a value counts that the conversation says was replaced ("in place of £288.75"), or that it
    gave in an earlier sentence on the same matter, with words of change in between or beside the new
    one. Of several, the best founded ones are chosen from.

    Args:
        claim: A claim that holds a current value.
        ground: The conversation.
        rng: Chooses where several are equally well founded.

    Returns:
        The claim with the older value; None where there is none.
    """
    found = list(_candidates(claim, ground))
    if not found:
        return None
    best = max(score for score, _ in found)
    return rng.choice(list(dict.fromkeys(wrong for score, wrong in found if score == best)))


def _candidates(claim: str, ground: Ground) -> Iterator[tuple[int, str]]:
    """Yield claims with an older value, each with how well founded it is."""
    held = values(claim)
    topic = topic_keys(claim) - {fold(word) for s in ground.speakers for word in s.split()}
    for value in held:
        if value.is_name or value.is_replaced:
            continue
        stated = [s for s in ground.sources if any(same_value(v, value) for v in values(s.text))]
        stated = [s for s in stated if topic & topic_keys(s.text)] or stated
        if not stated:
            continue
        last = stated[-1]
        for source in ground.sources:
            for old in values(source.text):
                if not may_replace(value, old) or any(same_value(old, v) for v in held):
                    continue
                score = _score(source, old, value, last, topic, ground)
                wrong = _put(claim, value, source.text[old.start : old.end]) if score else None
                if wrong is not None:
                    yield score, wrong


def _put(claim: str, value: Value, words: str) -> str | None:
    """Write an older value in the place of a value: its figure alone where both are written with one."""
    own = claim[value.start : value.end]
    new, old = _FIGURE.search(own), _FIGURE.search(words)
    if (new is None) is not (old is None):
        return None
    if new is not None and old is not None:
        start, end, words = value.start + new.start(), value.start + new.end(), old[0]
    else:
        start, end = value.start, value.end
    return claim[:start] + words + claim[end:]


def _score(
    source: Source, old: Value, value: Value, last: Source, topic: frozenset[str], ground: Ground
) -> int:
    shared = len(topic & topic_keys(source.text))
    if old.is_replaced and any(same_value(v, value) and not v.is_replaced for v in values(source.text)):
        return _REPLACED + shared
    if source.number >= last.number or shared < _SHARED or old.kind != value.kind or old.kind == "bare":
        return 0
    told = ground.sources[max(source.number + 1, last.number - 1) : last.number + 1]
    return _CUED + shared if any(_CHANGED.search(s.text) for s in told) else 0
