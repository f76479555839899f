"""The premise of an entailment model: the lines of the transcript that a claim needs most."""

from __future__ import annotations

from collections.abc import Sequence

from memguard.grounding.inquiry import Inquiry
from memguard.grounding.sources import Source

MAX_WORDS = 95
"""Room of a premise; as in the corpus of ``memguard train entailment``."""


def premise_of(inquiry: Inquiry, sources: Sequence[Source], max_words: int = MAX_WORDS) -> str:
    """Return ``Speaker: text`` lines, one a turn: the grounds, their neighbours, the nearest.

    The whole transcript where it fits; neighbours come before further sentences, since an answer
    needs its question.

    Args:
        inquiry: The claim with its grounds.
        sources: Every sentence of the transcript.
        max_words: Room; the best ground is taken even where it alone is longer.
    """
    best = [source.number for source in inquiry.grounds]
    beside = [number + step for number in best for step in (-1, 1)]
    wanted = dict.fromkeys([*best, *beside, *(source.number for source in inquiry.sources)])
    wanted.update(dict.fromkeys(range(len(sources)) if len(sources) <= max_words else ()))
    chosen: list[int] = []
    room = max_words
    for number in wanted:
        if not 0 <= number < len(sources):
            continue
        n_words = len(sources[number].text.split()) + 1
        if n_words <= room or not chosen:
            chosen.append(number)
            room -= n_words
    turns: dict[int, list[Source]] = {}
    for number in sorted(chosen):
        turns.setdefault(sources[number].turn, []).append(sources[number])
    return "\n".join(
        f"{said[0].speaker}: {' '.join(source.text for source in said)}" for said in turns.values()
    )
