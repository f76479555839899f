"""Drift put into a claim or a summary: what it says afterwards, what was changed, and what stood there."""

from __future__ import annotations

import random
import re
from collections.abc import Collection
from dataclasses import dataclass, replace

from memguard.drift.ground import Ground
from memguard.drift.kinds import MAKERS
from memguard.errors import InvalidParameterError
from memguard.segmentation import sentence_spans
from memguard.text import is_blank
from memguard.transcripts.samples import KINDS

Span = tuple[int, int]
_WORD = re.compile(r"[£€$¥]?\w+(?:[.,:/'’-]\w+)*")
"""What is changed as a whole: a word, an amount with its sign, a time, a version, a path."""


@dataclass(frozen=True, slots=True)
class Injection:
    """One mistake made on purpose.

    Attributes:
        kind: One of ``KINDS``.
        text: The text with the mistake in it.
        span: Half-open offsets into ``text`` of what changed; empty where words were only taken away.
        original: The text as it was.
        replaced: Half-open offsets into ``original`` of what stood there; empty where words were only
            put in.
    """

    kind: str
    text: str
    span: Span
    original: str
    replaced: Span

    @property
    def now(self) -> str:
        """What stands there."""
        return self.text[slice(*self.span)]

    @property
    def was(self) -> str:
        """What stood there before."""
        return self.original[slice(*self.replaced)]


def inject(claim: str, kind: str, ground: Ground, seed: int = 0) -> Injection | None:
    """Make a claim wrong in one way; the same arguments give the same mistake.

    Args:
        claim: A claim that the conversation supports.
        kind: One of ``KINDS``.
        ground: The conversation.
        seed: Another seed may find another place or another wrong value.

    Returns:
        The mistake; None where the claim offers no place for one of this kind.

    Raises:
        InvalidParameterError: The kind is unknown; names the kinds.
    """
    if kind not in MAKERS:
        raise InvalidParameterError(f"kind must be one of {', '.join(KINDS)}; got {kind!r}")
    rng = random.Random(f"{seed}:{kind}:{claim}")  # noqa: S311  a game, not a secret
    wrong = None if is_blank(claim) else MAKERS[kind](claim, ground, rng)
    if wrong is None or wrong == claim or wrong in ground.others:
        return None
    span, replaced = changed(claim, wrong)
    return Injection(kind, wrong, span, claim, replaced)


def inject_into(
    summary: str, kind: str, ground: Ground, seed: int = 0, taken: Collection[Span] = ()
) -> Injection | None:
    """Make one sentence of a summary wrong; which one follows from the seed.

    Args:
        summary: Sentences that the conversation supports.
        kind: One of ``KINDS``.
        ground: The conversation.
        seed: Chooses among the sentences that offer a place.
        taken: Spans of the summary that were changed before: their sentences are left alone.

    Returns:
        The mistake with offsets into the whole summary; None where no sentence offers a place.

    Raises:
        InvalidParameterError: The kind is unknown; names the kinds.
    """
    free = [
        (start, end)
        for start, end in sentence_spans(summary)
        if not any(start < max(b, a + 1) and a < end for a, b in taken)
    ]
    rng = random.Random(f"{seed}:{kind}")  # noqa: S311  a game, not a secret
    for start, end in rng.sample(free, len(free)):
        found = inject(summary[start:end], kind, ground, seed)
        if found is not None:
            return replace(
                found,
                text=summary[:start] + found.text + summary[end:],
                span=(found.span[0] + start, found.span[1] + start),
                original=summary,
                replaced=(found.replaced[0] + start, found.replaced[1] + start),
            )
    return None


def offered(summary: str, ground: Ground, taken: Collection[Span] = ()) -> tuple[str, ...]:
    """Return the kinds for which a summary offers a place, in the order of ``KINDS``."""
    return tuple(kind for kind in KINDS if inject_into(summary, kind, ground, taken=taken) is not None)


def changed(old: str, new: str) -> tuple[Span, Span]:
    """Return where two texts differ: the span of the new one, then that of the old, in whole words."""
    shorter = min(len(old), len(new))
    start = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    room = shorter - start
    tail = next((i for i in range(room) if old[-1 - i] != new[-1 - i]), room)
    before = after = -1
    while (before, after) != (start, tail):
        before, after = start, tail
        for text in (old, new):
            for word in _WORD.finditer(text):
                if word.start() < start < word.end():
                    start = word.start()
                if word.start() < len(text) - tail < word.end():
                    tail = len(text) - word.end()
    return (start, len(new) - tail), (start, len(old) - tail)
