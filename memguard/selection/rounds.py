"""Rolling: of a history that grew, which messages are new, and the paragraph of all rounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from memguard.messages import Conversation, Message
from memguard.segmentation import sentence_spans

ROUND_BREAK = "\n\n"
"""Between the paragraphs of two rounds: a blank line always ends a sentence."""


@dataclass(frozen=True, slots=True)
class Round:
    """One round of a history that grew: what was new then, and what was written of it.

    Attributes:
        number: From 1.
        first: Id of its first message, in conversation order.
        last: Id of its last message.
        n_messages: How many it decided on; the recent tail waits for a later round.
        paragraph: What was written of these messages alone.
        carried: The paragraph of all rounds up to this one, within its budget.
        summarizer: Who wrote it; empty where short input was passed through.
    """

    number: int
    first: str
    last: str
    n_messages: int
    paragraph: str
    carried: str
    summarizer: str = ""

    @property
    def is_open(self) -> bool:
        """Whether nothing was summarised yet: what was only passed through goes into the next round."""
        return not self.summarizer


def stages(conversation: Conversation) -> list[tuple[Message, ...]]:
    """Return the messages as they were known before each growth, and all of them last.

    Each is in conversation order. The input index says when a message came, whatever the order.
    """
    messages = conversation.messages
    arrived = {m.id: n for n, m in enumerate(sorted(messages, key=lambda m: m.index))}
    sizes = sorted({n for n in conversation.grown if 0 < n < len(messages)})
    return [*(tuple(m for m in messages if arrived[m.id] < size) for size in sizes), messages]


def carry(
    before: str,
    new: str,
    fits: Callable[[str], bool],
    embed: Callable[[Sequence[str]], np.ndarray],
) -> str:
    """Return the paragraph of earlier rounds with a new one after it, within its budget.

    No sentence is rewritten and none is summarised again: where both do not fit, the older of
    the two sentences that are most alike is left out, so that a later word on the same matter
    stays and what was said but once stays longest.

    Args:
        before: The paragraph of the rounds before.
        new: The paragraph of the new round.
        fits: Whether a paragraph is within the budget.
        embed: Unit rows of shape (n, d), one a sentence.
    """
    whole = ROUND_BREAK.join(part for part in (before, new) if part)
    if not before or not new or fits(whole):
        return whole
    spans = sentence_spans(whole)
    left = list(range(len(spans)))
    for gone in _alike_first(np.asarray(embed([whole[a:b] for a, b in spans]), dtype=np.float64)):
        left.remove(gone)
        shorter = _joined(whole, [spans[i] for i in left])
        if len(left) == 1 or fits(shorter):
            return shorter
    return whole


def _alike_first(units: np.ndarray) -> list[int]:
    """Return the sentences in the order in which they are left out."""
    similarity = units @ units.T
    similarity[np.tril_indices(len(units))] = -np.inf  # row: the older, column: the later
    order = []
    for _ in range(len(units) - 1):
        older = int(np.argmax(similarity.max(axis=1)))
        order.append(older)
        similarity[older, :] = similarity[:, older] = -np.inf
    return order


def _joined(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Join sentences as they stood: what was apart by a blank line stays apart."""
    pieces: list[str] = []
    end = None
    for start, stop in spans:
        if end is not None:
            pieces.append(ROUND_BREAK if ROUND_BREAK in text[end:start] else " ")
        pieces.append(text[start:stop].strip())
        end = stop
    return "".join(pieces)
