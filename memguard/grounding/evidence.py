"""Evidence: where in the transcript a claim may be grounded, and how near each place is.

Candidates are single sentences, windows of neighbouring sentences inside one message, and whole
messages (A18). The vector of a window is the normalised mean of its sentences' vectors, so it
costs no pass of the model; a message has a pass of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memguard.geometry.relevance import centrality
from memguard.geometry.similarity import cosine, unit_rows
from memguard.grounding.claims import Claim
from memguard.grounding.verdicts import DECIMALS, Evidence, ScoredClaim
from memguard.messages import Conversation, SourceSpan
from memguard.models.protocols import Embedder, ItemProgress, no_progress
from memguard.segmentation import sentence_spans
from memguard.text import is_blank

_CLAIM_BLOCK = 128
"""Claims compared at once: keeps 1,000 claims × 15,000 candidates far below 2 GB."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Every place of a transcript where evidence is looked for.

    Attributes:
        spans: Single sentences first, then windows from short to long, then whole messages; on
            equal similarity the shorter span is therefore the evidence.
        vectors: float32 of shape (n, d), one a span.
        n_sentences: How many of them are single sentences.
    """

    spans: tuple[SourceSpan, ...]
    vectors: NDArray[np.float32]
    n_sentences: int

    def most_central(self) -> tuple[SourceSpan, ...]:
        """Return the single sentences, the nearest to the mean of all first, ties in order."""
        scores = np.round(centrality(self.vectors[: self.n_sentences]), DECIMALS)
        return tuple(self.spans[i] for i in np.argsort(-scores, kind="stable"))


def sentence_sources(conversation: Conversation) -> tuple[SourceSpan, ...]:
    """Return the span of every sentence that holds something visible, in conversation order."""
    return tuple(
        SourceSpan(message.id, start, end)
        for message in conversation.messages
        for start, end in sentence_spans(message.content)
        if not is_blank(message.content[start:end])
    )


def find_candidates(
    conversation: Conversation,
    embedder: Embedder,
    *,
    longest_window: int,
    progress: ItemProgress = no_progress,
) -> Candidates:
    """Embed a transcript's sentences and messages and add the windows between them."""
    contents = {message.id: message.content for message in conversation.messages}
    sentences = sentence_sources(conversation)
    turns = tuple(
        SourceSpan(message.id, 0, len(message.content))
        for message in conversation.messages
        if not message.is_blank
    )
    texts = [contents[s.message_id][s.start : s.end] for s in (*sentences, *turns)]
    vectors = embedder.embed(texts, progress=progress)
    spans = list(sentences)
    blocks = [vectors[: len(sentences)]]
    for length in range(2, longest_window + 1):
        window_spans, window_vectors = _windows(sentences, blocks[0], length)
        spans += window_spans
        blocks.append(window_vectors)
    stacked = np.concatenate([*blocks, vectors[len(sentences) :]])
    return Candidates((*spans, *turns), stacked, len(sentences))


def score_claims(
    claims: Sequence[Claim],
    candidates: Candidates,
    embedder: Embedder,
    *,
    keep: int,
    progress: ItemProgress = no_progress,
) -> tuple[ScoredClaim, ...]:
    """Measure every claim against every candidate and keep the ``keep`` best that do not overlap."""
    if not claims:
        return ()
    vectors = embedder.embed([claim.judged_as for claim in claims], progress=progress)
    if not candidates.spans:
        return tuple(ScoredClaim(claim) for claim in claims)
    places = _places(candidates.spans)
    scored: list[ScoredClaim] = []
    for first in range(0, len(claims), _CLAIM_BLOCK):
        similarities = cosine(vectors[first : first + _CLAIM_BLOCK], candidates.vectors)
        scored += [
            ScoredClaim(claim, _best(candidates.spans, places, row, keep))
            for claim, row in zip(claims[first : first + _CLAIM_BLOCK], similarities, strict=True)
        ]
    return tuple(scored)


def _windows(
    sentences: Sequence[SourceSpan], vectors: NDArray[np.float32], length: int
) -> tuple[list[SourceSpan], NDArray[np.float32]]:
    starts = [
        i
        for i in range(len(sentences) - length + 1)
        if sentences[i].message_id == sentences[i + length - 1].message_id
    ]
    spans = [
        SourceSpan(sentences[i].message_id, sentences[i].start, sentences[i + length - 1].end) for i in starts
    ]
    if not starts:
        return spans, vectors[:0]
    rows = np.asarray(starts)
    total = sum((vectors[rows + step] for step in range(length)), start=np.float32(0))
    return spans, np.asarray(unit_rows(np.asarray(total)), dtype=np.float32)


def _places(spans: Sequence[SourceSpan]) -> NDArray[np.int64]:
    """Return (message number, start, end) of each span, shape (n, 3)."""
    numbers: dict[str, int] = {}
    rows = [(numbers.setdefault(s.message_id, len(numbers)), s.start, s.end) for s in spans]
    return np.asarray(rows, dtype=np.int64)


def _best(
    spans: Sequence[SourceSpan], places: NDArray[np.int64], similarities: NDArray[Any], keep: int
) -> tuple[Evidence, ...]:
    # To six decimals, so that neither a tie nor a threshold hangs on the place in a matrix product.
    rounded = np.round(similarities.astype(np.float64), DECIMALS) + 0.0
    remaining = rounded.copy()
    found: list[Evidence] = []
    while len(found) < keep:
        best = int(np.argmax(remaining))
        if remaining[best] == -np.inf:
            break
        found.append(Evidence(spans[best], float(rounded[best])))
        message, start, end = places[best]
        overlaps = (places[:, 0] == message) & (places[:, 1] < end) & (places[:, 2] > start)
        remaining[overlaps] = -np.inf
    return tuple(found)
