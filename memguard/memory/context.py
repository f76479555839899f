"""``ContextCompressor``: the entries that fit a token budget, ranked, formatted and joined (C01 to C14).

Extraction only, no model. Where at most 20 tokens remain for an entry that does not fit, the entry is
left out, so a summary may be empty (F20); a conversation's compression never is.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC
from enum import StrEnum
from numbers import Integral, Real
from typing import Any

from memguard.errors import InvalidParameterError
from memguard.memory.counters import TokenCounter, WordCounter
from memguard.memory.entries import MemoryEntry

_WORTH_CUTTING = 20
"""An entry that does not fit is cut to what remains only if more tokens than this remain (C09)."""
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_TELLING = ("decision", "conclusion", "result", "important")
_TELLING_WEIGHT = 2


class SummarizationStrategy(StrEnum):
    """In which order entries are taken."""

    RELEVANCE = "relevance"
    """Highest ``relevance_score`` first (None counts as 0), the newer first among equals."""
    RECENCY = "recency"
    """Newest first."""
    IMPORTANCE = "importance"
    """Highest ``metadata["importance"]`` first, never the attribute of that name (C05)."""


@dataclass(frozen=True, slots=True)
class MemorySummary:
    """What fits the budget.

    Attributes:
        content: The formatted entries, a blank line between two.
        token_count: Tokens of the entries; those of the blank lines are not counted, so that with a
            byte-pair counter the whole may hold a few more than the budget.
        source_count: Entries in ``content``, one that was cut included.
        source_keys: Their keys, in the order of ``content``.
        strategy: As asked for.
    """

    content: str
    token_count: int
    source_count: int
    source_keys: list[str]
    strategy: SummarizationStrategy


class ContextCompressor:
    """Fits entries into a budget."""

    def __init__(self, token_counter: TokenCounter | None = None) -> None:
        """Count with any object that has ``count`` and ``truncate``; words by default (C01)."""
        self._counter = token_counter if token_counter is not None else WordCounter()

    def summarize(
        self,
        entries: Sequence[MemoryEntry],
        max_tokens: int = 2048,
        strategy: SummarizationStrategy = SummarizationStrategy.RELEVANCE,
    ) -> MemorySummary:
        """Take entries in the order of a strategy while they fit.

        The first that does not fit is cut to what remains, if that is more than 20 tokens, and ends the
        selection; a smaller one after it is not tried (C08, C09).

        Args:
            entries: Never changed.
            max_tokens: The budget; an entry that fills it exactly fits.
            strategy: Any other value than RECENCY and IMPORTANCE ranks by relevance (C06).

        Raises:
            InvalidParameterError: ``max_tokens`` is no whole number.
        """
        _check_budget(max_tokens)
        parts: list[str] = []
        keys: list[str] = []
        used = 0
        for entry in _ranked(entries, strategy):
            text = self._format_entry(entry)
            n_tokens = self._counter.count(text)
            fits = used + n_tokens <= max_tokens
            if not fits:
                remaining = max_tokens - used
                if remaining <= _WORTH_CUTTING:
                    break
                text = self._counter.truncate(text, remaining)
                n_tokens = self._counter.count(text)
            parts.append(text)
            keys.append(entry.key)
            used += n_tokens
            if not fits:
                break
        return MemorySummary("\n\n".join(parts), used, len(keys), keys, strategy)

    @staticmethod
    def _format_entry(entry: MemoryEntry) -> str:
        """Return ``[tag1, tag2] content``; without tags the content alone (C07)."""
        return f"[{', '.join(entry.tags)}] {entry.content}" if entry.tags else f"{entry.content}"

    @staticmethod
    def _extract_key_sentences(text: str, max_sentences: int = 3) -> str:
        """Return the sentences with the most words, the highest score first (C12).

        A sentence that holds "decision", "conclusion", "result" or "important" anywhere, "unimportant"
        included, counts double, once. Ties are broken by the sentence itself, descending. Nothing here
        calls this (C13): it is for callers who want fewer sentences of one entry.
        """
        sentences = _SENTENCE_END.split(text)
        if len(sentences) <= max_sentences:
            return text
        scored = sorted(((_telling_words(sentence), sentence) for sentence in sentences), reverse=True)
        return " ".join(sentence for _, sentence in scored[:max_sentences])


def _telling_words(sentence: str) -> int:
    n_words = len(sentence.split())
    lower = sentence.lower()
    return n_words * _TELLING_WEIGHT if any(word in lower for word in _TELLING) else n_words


def _check_budget(max_tokens: object) -> None:
    if isinstance(max_tokens, bool) or not isinstance(max_tokens, Integral):
        raise InvalidParameterError(f"max_tokens must be a whole number; got {max_tokens!r}")


def _ranked(entries: Sequence[MemoryEntry], strategy: SummarizationStrategy) -> list[MemoryEntry]:
    """Return entries in the order of a strategy; ties keep the order of the input (C06)."""
    if strategy == SummarizationStrategy.RECENCY:
        return sorted(entries, key=_seconds, reverse=True)
    if strategy == SummarizationStrategy.IMPORTANCE:
        return sorted(entries, key=_told_importance, reverse=True)
    return sorted(entries, key=lambda entry: (entry.relevance_score or 0.0, _seconds(entry)), reverse=True)


def _seconds(entry: MemoryEntry) -> float:
    """Return when an entry was made; a time without a zone is taken as UTC, so that all compare."""
    moment = entry.created_at
    return (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).timestamp()


def _told_importance(entry: MemoryEntry) -> float:
    """Return ``metadata["importance"]``; 0 where it is missing, None or no number to rank by."""
    value: Any = (entry.metadata or {}).get("importance")
    if not isinstance(value, Real):
        return 0.0
    try:
        number = float(value)
    except OverflowError:  # a whole number beyond any float
        return -math.inf if operator.lt(value, 0) else math.inf
    return 0.0 if math.isnan(number) else number
