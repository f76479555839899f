"""Evidence for training and measuring: the turns of a dialogue that a claim needs most.

The same choice is made for pairs that are trained on and for rows that are measured, by the words
that turn and claim share, rare ones first, so that no model is needed to build a corpus.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from memguard.drift.stems import content_stems
from memguard.segmentation import sentence_spans


@dataclass(frozen=True, slots=True)
class Turn:
    """What one speaker says at once; ``speaker`` is empty for a document."""

    speaker: str
    content: str

    @property
    def line(self) -> str:
        """The text as a premise holds it: ``Speaker: content``."""
        return f"{self.speaker}: {self.content}" if self.speaker else self.content


def split_turns(turns: Sequence[Turn], longest: int = 40) -> list[Turn]:
    """Cut turns of more than ``longest`` words into their sentences, each with the speaker."""
    pieces = []
    for turn in turns:
        if len(turn.content.split()) <= longest:
            pieces.append(turn)
        else:
            pieces += [Turn(turn.speaker, turn.content[a:b]) for a, b in sentence_spans(turn.content)]
    return pieces


def pick_indexes(
    turns: Sequence[Turn], claim: str, max_words: int, always: Collection[int] = ()
) -> list[int]:
    """Choose the turns that a claim needs most, in conversation order.

    A turn scores the summed rarity (inverse document frequency in this dialogue) of the claim's
    stems that it or its speaker's name holds, and half of its best neighbour's score: an answer
    needs its question. Turns are taken from the best down while they fit into ``max_words``.

    Args:
        turns: The dialogue.
        claim: What is judged.
        max_words: Room; the first choice is taken even where it alone is longer.
        always: Indexes that are taken before any other.

    Returns:
        Indexes in ascending order; empty for no turns.
    """
    if not turns:
        return []
    stems = [set(content_stems(turn.line)) for turn in turns]
    counts = Counter(stem for turn in stems for stem in turn)
    wanted = set(content_stems(claim))
    own = [sum(math.log(1 + len(turns) / counts[stem]) for stem in turn & wanted) for turn in stems]
    padded = [0.0, *own, 0.0]
    scores = [own[i] + 0.5 * max(padded[i], padded[i + 2]) for i in range(len(own))]
    order = sorted(range(len(turns)), key=lambda i: (i not in always, -scores[i], i))
    chosen: list[int] = []
    room = max_words
    for index in order:
        n_words = len(turns[index].line.split())
        if n_words <= room or not chosen:
            chosen.append(index)
            room -= n_words
    return sorted(chosen)


def pick_evidence(turns: Sequence[Turn], claim: str, max_words: int) -> str:
    """Return the lines that a claim needs most, one a line; all of them where they fit."""
    pieces = list(turns)
    if sum(len(turn.line.split()) for turn in pieces) > max_words:
        pieces = split_turns(pieces)
        pieces = [pieces[i] for i in pick_indexes(pieces, claim, max_words)]
    joint = "\n" if any(turn.speaker for turn in pieces) else " "
    return joint.join(turn.line for turn in pieces)
