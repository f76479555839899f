"""Evidence: where in the transcript a claim may be grounded, and how near each place is.

Candidates are single sentences, windows of two and more neighbouring sentences, across turns as
well, and whole messages (A18). The vector of a window is the normalised mean of its sentences'
vectors, so it costs no pass of the model; a message has a pass of its own. Injected text (system
messages, recalled memory, orders to the reader and forged turns inside a message) is no candidate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memguard.geometry.deformation import (
    anchor_pairs,
    anchor_vectors,
    density_corrected,
    mean_of_largest,
)
from memguard.geometry.relevance import centrality
from memguard.geometry.separation import SeparationMap
from memguard.geometry.similarity import cosine, unit_rows
from memguard.geometry.space import Space, shape_claims, shape_sources
from memguard.grounding.sources import Source, injected_of, is_evidence_whole, sources_of
from memguard.grounding.verdicts import DECIMALS, Evidence
from memguard.messages import Conversation, Message, SourceSpan
from memguard.models.duck import embed_with_tokens, gives_tokens
from memguard.models.protocols import Embedder, ItemProgress, no_progress
from memguard.segmentation import sentence_spans
from memguard.settings import EliminationSettings
from memguard.text import is_blank


@dataclass(frozen=True, slots=True)
class Candidates:
    """Every place of a transcript where evidence is looked for.

    Attributes:
        sources: The single sentences, in order.
        spans: Of each place, one span a message. Single sentences first, then windows from short to
            long, then whole messages and windows of them; on equal similarity the shorter place is
            therefore the evidence.
        ranges: First and last sentence of each place, shape (n, 2).
        vectors: float32 of shape (n, d), one a place.
        space: How the vectors were shaped.
        injected: Sentences that ground nothing: orders to the reader, forged turns.
    """

    sources: tuple[Source, ...]
    spans: tuple[tuple[SourceSpan, ...], ...]
    ranges: NDArray[np.int64]
    vectors: NDArray[np.float32]
    space: Space
    injected: tuple[Source, ...] = ()

    @property
    def n_sentences(self) -> int:
        """How many places are single sentences."""
        return len(self.sources)

    def most_central(self) -> tuple[SourceSpan, ...]:
        """Return the single sentences, the nearest to the mean of all first, ties in order."""
        scores = np.round(centrality(self.vectors[: self.n_sentences]), DECIMALS)
        return tuple(self.sources[i].span for i in np.argsort(-scores, kind="stable"))


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
    settings: EliminationSettings,
    *,
    separation: SeparationMap | None = None,
    progress: ItemProgress = no_progress,
) -> Candidates:
    """Embed a transcript's sentences and messages, shape the space, and add the windows between them.

    Args:
        conversation: The transcript.
        embedder: Embeds; with word alignment on, its token vectors come from the same pass.
        settings: The longest window, and how strongly the space is shaped.
        separation: The separation map, where it fits the embedder.
        progress: Called while the embedder works.
    """
    sources = sources_of(conversation)
    turns = tuple(message for message in conversation.messages if is_evidence_whole(message))
    texts = [source.text for source in sources]
    wholes = [message.content for message in turns]
    if settings.alignment == "on" and gives_tokens(embedder):
        # The cache keeps the tokens. Whole messages need none, and compression has embedded them.
        total = len(texts) + len(wholes)
        own, _ = embed_with_tokens(embedder, texts, progress=lambda done, _: progress(done, total))
        of_wholes = embedder.embed(wholes, progress=lambda done, _: progress(len(texts) + done, total))
        vectors = np.concatenate([own, of_wholes])
    else:
        vectors = embedder.embed(texts + wholes, progress=progress)
    space = _shaped(conversation, sources, turns, vectors, settings, separation)
    sentences = _Row(
        tuple((source.span,) for source in sources),
        np.repeat(np.arange(len(sources))[:, None], 2, axis=1),
        space.vectors,
    )
    numbers: dict[str, list[int]] = {}
    for source in sources:
        numbers.setdefault(source.span.message_id, []).append(source.number)
    messages = _Row(
        tuple((SourceSpan(message.id, 0, len(message.content)),) for message in turns),
        np.asarray([(numbers[m.id][0], numbers[m.id][-1]) for m in turns], dtype=np.int64).reshape(-1, 2),
        shape_claims(vectors[len(sources) :], space),
    )
    lengths = range(2, settings.evidence_sentences + 1)
    rows = [sentences, *(sentences.windows(n) for n in lengths)]
    rows += [messages, *(messages.windows(n) for n in lengths)]
    return Candidates(
        sources,
        tuple(spans for row in rows for spans in row.spans),
        np.concatenate([row.ranges for row in rows]),
        np.concatenate([row.vectors for row in rows]),
        space,
        injected_of(conversation),
    )


def similarities(claims: NDArray[np.float32], candidates: Candidates) -> NDArray[Any]:
    """Return the similarity of claims to every place, shape (n, places), each in [-1, 1].

    Plain cosine where no part of the space is on. The density of a place is the mean of its
    sentences'.
    """
    space = candidates.space
    cosines = cosine(shape_claims(claims, space), candidates.vectors)
    weight = space.weights.density
    if not weight:
        return np.asarray(cosines)
    reach = mean_of_largest(np.asarray(cosines[:, : candidates.n_sentences]), space.weights.neighbours)
    sums = np.concatenate([[0.0], np.cumsum(space.density, dtype=np.float64)])
    first, last = candidates.ranges[:, 0], candidates.ranges[:, 1] + 1
    density = ((sums[last] - sums[first]) / (last - first)).astype(np.float32)
    return np.asarray(density_corrected(np.asarray(cosines), reach, density, weight))


def best_places(candidates: Candidates, row: NDArray[Any], keep: int) -> tuple[Evidence, ...]:
    """Return the ``keep`` nearest places, none overlapping another; a place in two messages is two spans."""
    # To six decimals, so that neither a tie nor a threshold hangs on the place in a matrix product.
    rounded = np.round(row.astype(np.float64), DECIMALS) + 0.0
    remaining = rounded.copy()
    found: list[Evidence] = []
    for _ in range(keep):
        best = int(np.argmax(remaining))
        if remaining[best] == -np.inf:
            break
        found += [Evidence(span, float(rounded[best])) for span in candidates.spans[best]]
        first, last = candidates.ranges[best]
        remaining[(candidates.ranges[:, 0] <= last) & (candidates.ranges[:, 1] >= first)] = -np.inf
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Row:
    """Neighbouring places of one kind: sentences, or whole messages."""

    spans: tuple[tuple[SourceSpan, ...], ...]
    ranges: NDArray[np.int64]
    vectors: NDArray[np.float32]

    def windows(self, length: int) -> _Row:
        """Return every run of ``length`` neighbours: vectors averaged, spans joined inside a message."""
        n = max(0, len(self.spans) - length + 1)
        spans = tuple(_joined([s for part in self.spans[i : i + length] for s in part]) for i in range(n))
        ranges = np.stack([self.ranges[:n, 0], self.ranges[length - 1 : length - 1 + n, 1]], axis=1)
        if not n:
            return _Row((), ranges.reshape(-1, 2), self.vectors[:0])
        total = sum((self.vectors[step : step + n] for step in range(length)), start=np.float32(0))
        return _Row(spans, ranges, np.asarray(unit_rows(np.asarray(total)), dtype=np.float32))


def _shaped(
    conversation: Conversation,
    sources: tuple[Source, ...],
    turns: tuple[Message, ...],
    vectors: NDArray[np.float32],
    settings: EliminationSettings,
    separation: SeparationMap | None,
) -> Space:
    """Shape the sentences, batch by batch as the conversation grew: what was placed stays (A31)."""
    of_turns = vectors[len(sources) :]
    pairs = anchor_pairs([m.role for m in turns], [m.speaker_name for m in turns])
    space = shape_sources(vectors[:0], None, settings, separation)
    done = 0
    for limit in (*_batches(conversation), len(conversation.messages)):
        batch = [i for i, source in enumerate(sources) if done <= source.turn < limit]
        ids = {message.id for message in conversation.messages[done:limit]}
        ending = [pair for pair in pairs if turns[pair[1]].id in ids]
        anchors = anchor_vectors(of_turns, ending) if ending else None
        space = space.place(vectors[batch], anchors)
        done = limit
    return space


def _batches(conversation: Conversation) -> tuple[int, ...]:
    """Return where each extension began; none where new messages were sorted in among the old."""
    indexes = [message.index for message in conversation.messages]
    return conversation.grown if indexes == sorted(indexes) else ()


def _joined(spans: Sequence[SourceSpan]) -> tuple[SourceSpan, ...]:
    joined: list[SourceSpan] = []
    for span in spans:
        if joined and joined[-1].message_id == span.message_id:
            joined[-1] = SourceSpan(span.message_id, joined[-1].start, span.end)
        else:
            joined.append(span)
    return tuple(joined)
