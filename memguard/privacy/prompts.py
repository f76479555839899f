"""Models of the caller's own, which may stand anywhere: they are given what may leave, and no more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memguard.grounding.entailment import EntailmentScorer, Scores
from memguard.models.protocols import ItemProgress, Summarizer, no_progress
from memguard.privacy.leaving import Leaving


class RedactedSummarizer:
    """Gives a summarizer placeholders, and puts the values back into what it wrote.

    The claims of the summary are checked against the untouched transcript: with the placeholders in them,
    none that names a person or a number could be found there.
    """

    def __init__(self, inner: Summarizer, leaving: Leaving) -> None:
        """Stand in front of ``inner``."""
        self._inner = inner
        self._leaving = leaving
        self.model_id = inner.model_id
        self.max_input_tokens: Any = getattr(inner, "max_input_tokens", None)

    def summarize(
        self, lines: Sequence[str], *, max_tokens: int, progress: ItemProgress = no_progress
    ) -> str:
        """Return the summary with the values in it; the model has seen none of them."""
        shown = [self._leaving.text(line) for line in lines]
        written = self._inner.summarize(shown, max_tokens=max_tokens, progress=progress)
        return self._leaving.restored(written)


class RedactedEntailment:
    """Gives an entailment model premises and hypotheses with the same placeholders."""

    def __init__(self, inner: EntailmentScorer, leaving: Leaving) -> None:
        """Stand in front of ``inner``."""
        self._inner = inner
        self._leaving = leaving
        self.model_id = inner.model_id

    def score(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Scores:
        """Score pairs, none of which holds a value."""
        return self._inner.score(
            [self._leaving.text(text) for text in premises], [self._leaving.text(text) for text in hypotheses]
        )
