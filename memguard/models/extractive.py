"""A summarizer that only picks: the most central sentences, verbatim, in conversation order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memguard.errors import InvalidParameterError
from memguard.geometry.relevance import centrality
from memguard.models.protocols import Embedder, ItemProgress, TokenCounter, no_progress
from memguard.models.text import fit_tokens, join_sentences, sentences_of, split_speaker
from memguard.models.tokens import BartTokenCounter

RATIO = 0.35
"""The most that is quoted, as a share of the input's tokens, so that short input too is compressed."""


class ExtractiveSummarizer:
    """Picks sentences by their mean cosine to all others; never writes a word of its own."""

    def __init__(
        self, embedder: Embedder, *, ratio: float = RATIO, counter: TokenCounter | None = None
    ) -> None:
        """Pick with ``embedder``.

        Args:
            embedder: Gives the vectors.
            ratio: The most tokens to keep, as a share of the input's, in (0, 1].
            counter: Counts ``max_tokens``; BART's by default.

        Raises:
            InvalidParameterError: If ``ratio`` is outside (0, 1].
        """
        if not 0.0 < ratio <= 1.0:
            raise InvalidParameterError(f"ratio must be in (0, 1]; got {ratio}")
        self._embedder = embedder
        self._ratio = ratio
        self._counter = counter or BartTokenCounter()

    @property
    def model_id(self) -> str:
        """``extractive`` over the embedder's id."""
        return f"extractive/{self._embedder.model_id}"

    def summarize(
        self, lines: Sequence[str], *, max_tokens: int, progress: ItemProgress = no_progress
    ) -> str:
        """Join the most central sentences of ``lines`` that fit, in conversation order.

        The prefix "Speaker: " is left out. Equal sentences count once. At least one sentence is
        given where there is one, cut to ``max_tokens`` if need be.
        """
        texts = (split_speaker(line)[1] for line in lines)
        sentences = list(dict.fromkeys(s for text in texts for s in sentences_of(text)))
        if not sentences:
            return ""
        progress(0, len(sentences))
        scores = centrality(self._embedder.embed(sentences, progress=progress))
        order = [int(index) for index in np.argsort(-scores, kind="stable")]
        whole = self._counter.count(" ".join(sentences))
        budget = min(max_tokens, max(int(whole * self._ratio), 1))
        chosen: list[int] = []
        for index in order:
            trial = join_sentences([sentences[i] for i in sorted([*chosen, index])])
            if self._counter.count(trial) <= budget:
                chosen.append(index)
        if not chosen:
            return fit_tokens(sentences[order[0]], max_tokens, self._counter)
        return join_sentences([sentences[index] for index in sorted(chosen)])
