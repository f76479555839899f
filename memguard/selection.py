"""Which messages are selected: maximal marginal relevance under the summarizer's token budget.

Follows the requirements to the letter: the best candidate is taken next, and the first that passes
the budget ends the selection, even where a smaller one would still fit (A08).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from memguard.geometry.mmr import Pick, mmr_order, rows_of
from memguard.geometry.relevance import window_relevance
from memguard.messages import Message
from memguard.models.protocols import Embedder, TokenCounter
from memguard.segmentation import sentence_spans
from memguard.settings import CompressionSettings


class Decision(StrEnum):
    """What became of a message in the selection."""

    PICKED = "picked"
    OVER_BUDGET = "over_budget"
    NOT_REACHED = "not_reached"
    BLANK = "blank"


@dataclass(frozen=True, slots=True)
class MessageDecision:
    """How one message fared in the selection.

    Attributes:
        message_id: Which message.
        index: Its zero-based position in the input.
        relevance: Mean cosine to its neighbours, in [-1, 1].
        decision: Whether it was picked, or why not.
        rank: One-based place in the order of picks; also given to the pick that broke the budget.
        mmr_score: Its score when it was the best candidate.
        max_similarity: Its highest cosine to the picks before it.
        n_tokens: Tokens of its role-prefixed line as it entered the selection.
        used_chars: How many characters of its content entered, where a long one was cut.
        n_chunks: In how many pieces it was embedded.
    """

    message_id: str
    index: int
    relevance: float
    decision: Decision
    rank: int | None = None
    mmr_score: float | None = None
    max_similarity: float | None = None
    n_tokens: int = 0
    used_chars: int | None = None
    n_chunks: int = 1


class Line(NamedTuple):
    """A candidate: its message, the text that may enter, its role-prefixed form and that one's tokens."""

    message: Message
    content: str
    text: str
    n_tokens: int


def candidate_lines(
    messages: Sequence[Message], counter: TokenCounter, max_tokens: int, *, cut_long: bool
) -> list[Line]:
    """Return every message as a candidate.

    Args:
        messages: In conversation order.
        counter: Counts the tokens of each role-prefixed line.
        max_tokens: The budget.
        cut_long: Cut a message longer than the budget to whole sentences within half of it (F7).
    """
    counts = _counts(counter, [m.line for m in messages])
    lines = [Line(m, m.content, m.line, n) for m, n in zip(messages, counts, strict=True)]
    if not cut_long or max_tokens <= 0:
        return lines
    return [_cut(line, counter, max_tokens // 2) if line.n_tokens > max_tokens else line for line in lines]


def select(
    lines: Sequence[Line],
    vectors: Any,
    settings: CompressionSettings,
    counter: TokenCounter,
    *,
    chunks: Sequence[int],
) -> tuple[list[MessageDecision], int]:
    """Decide on every message.

    Args:
        lines: In conversation order.
        vectors: float32 of shape (n, d), one row a message.
        settings: Budget, window and lambda.
        counter: Counts the joined selection.
        chunks: In how many pieces each message was embedded.

    Returns:
        One decision a line, and the tokens of the selection.
    """
    relevance = window_relevance(vectors, settings.window)
    visible = np.array([not line.message.is_blank for line in lines])
    candidates = visible if visible.any() else np.ones(len(lines), bool)
    decisions = [
        MessageDecision(
            message_id=line.message.id,
            index=line.message.index,
            relevance=float(relevance[i]),
            decision=Decision.NOT_REACHED if candidates[i] else Decision.BLANK,
            n_tokens=line.n_tokens,
            used_chars=len(line.content) if line.content != line.message.content else None,
            n_chunks=chunks[i],
        )
        for i, line in enumerate(lines)
    ]
    picks = mmr_order(relevance, rows_of(vectors), settings.lambda_mmr, candidates=candidates)
    tried, n_picked, tokens = _under_budget(lines, picks, settings.max_tokens, counter)
    for rank, pick in enumerate(tried, start=1):
        decisions[pick.index] = replace(
            decisions[pick.index],
            decision=Decision.PICKED if rank <= n_picked else Decision.OVER_BUDGET,
            rank=rank,
            mmr_score=pick.score,
            max_similarity=pick.max_similarity if rank > 1 else None,
        )
    return decisions, tokens


def chunk_counts(embedder: Embedder, texts: Sequence[str]) -> list[int]:
    """Return in how many pieces the embedder reads each text; 1 where it does not say."""
    counts = getattr(embedder, "chunk_counts", None)
    return list(counts(texts)) if counts is not None else [1] * len(texts)


def _under_budget(
    lines: Sequence[Line], picks: Iterator[Pick], max_tokens: int, counter: TokenCounter
) -> tuple[list[Pick], int, int]:
    """Take picks up to the first that passes the budget; the first pick is always taken (A08, A09).

    The joined string is counted after 1, 2, 4, … picks and then by halving, not after each: a
    count never falls when a line is added, so the same pick is found.

    Returns:
        The picks, with the one that passed the budget last if there is one; how many were
        taken; and their tokens.
    """
    tried = list(islice(picks, 1))

    def count(n: int) -> int:
        return counter.count(join_lines(lines[i].text for i in sorted(p.index for p in tried[:n])))

    taken, tokens = 1, count(1)
    while True:
        tried += islice(picks, taken)
        if len(tried) == taken:
            return tried, taken, tokens
        total = count(len(tried))
        if total > max_tokens:
            break
        taken, tokens = len(tried), total
    over = len(tried)
    while over - taken > 1:
        middle = (taken + over) // 2
        total = count(middle)
        if total > max_tokens:
            over = middle
        else:
            taken, tokens = middle, total
    return tried[:over], taken, tokens


def join_lines(lines: Iterable[str]) -> str:
    """Return role-prefixed lines as the one string that budgets measure (A12)."""
    return " ".join(lines)


def _cut(line: Line, counter: TokenCounter, room: int) -> Line:
    speaker = line.message.speaker_name
    content = _whole_sentences(line.content, lambda text: counter.count(f"{speaker}: {text}") <= room)
    if not content:  # not even one character fits: as with a budget of 0, it stays as it is
        return line
    text = f"{speaker}: {content}"
    return Line(line.message, content, text, counter.count(text))


def _counts(counter: TokenCounter, texts: Sequence[str]) -> list[int]:
    """Return the tokens of every text, in one call where the counter has ``count_many``."""
    many = getattr(counter, "count_many", None)
    return list(many(texts)) if many is not None else [counter.count(text) for text in texts]


def _whole_sentences(text: str, fits: Callable[[str], bool]) -> str:
    """Return the longest run of leading whole sentences that fits, or of words if none does."""
    ends = [end for _start, end in sentence_spans(text)]
    best = _longest_fitting(text, ends, fits)
    if best:
        return text[:best]
    words = [i for i in range(1, len(text)) if text[i].isspace()]
    best = _longest_fitting(text, words, fits) or _longest_fitting(text, range(1, len(text)), fits)
    return text[:best]


def _longest_fitting(text: str, ends: Sequence[int], fits: Callable[[str], bool]) -> int:
    # Doubled from the start: of a message of megabytes only the part that may fit is counted.
    low, high = 0, 1
    while high <= len(ends) and fits(text[: ends[high - 1]]):
        low, high = high, 2 * high
    high = min(high - 1, len(ends))
    while low < high:
        middle = (low + high + 1) // 2
        if fits(text[: ends[middle - 1]]):
            low = middle
        else:
            high = middle - 1
    return ends[low - 1] if low else 0
