"""Scores of every row under one setting of elimination, and the two floors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memguard.bench.grounding.rows import Row
from memguard.geometry.separation import SeparationMap
from memguard.geometry.similarity import cosine
from memguard.grounding.claims import extract_claims
from memguard.grounding.entailment import EntailmentScorer
from memguard.grounding.evidence import find_candidates
from memguard.grounding.examination import Examiner
from memguard.grounding.reading.words import content_keys, words
from memguard.grounding.sources import speakers_of
from memguard.grounding.verdicts import ScoredClaim, judge
from memguard.messages import Conversation
from memguard.models.protocols import Embedder, ItemProgress, no_progress
from memguard.settings import EliminationSettings


@dataclass(frozen=True, slots=True)
class Scores:
    """One number and one decision a row.

    Attributes:
        support: The least support over the row's claims; 0.5 where it has none.
        kept: Whether it has a claim and all are kept.
    """

    support: NDArray[np.float64]
    kept: NDArray[np.bool_]


def examined(
    rows: Sequence[Row],
    embedder: Embedder,
    settings: EliminationSettings,
    *,
    entailment: EntailmentScorer | None = None,
    separation: SeparationMap | None = None,
    progress: ItemProgress = no_progress,
) -> list[tuple[ScoredClaim, ...]]:
    """Measure the claims of every row; rows of one dialogue share its space and its index."""
    result: list[tuple[ScoredClaim, ...]] = []
    conversation: Conversation | None = None
    examiner: Examiner | None = None
    for number, row in enumerate(rows):
        if conversation is not row.conversation or examiner is None:
            conversation = row.conversation
            candidates = find_candidates(conversation, embedder, settings, separation=separation)
            examiner = Examiner(candidates, speakers_of(conversation), embedder, settings, entailment)
        claims = extract_claims(row.text, speakers=speakers_of(row.conversation))
        wanted = tuple(c for c in claims if c.span is not None and c.span[0] >= row.start and c.is_statement)
        result.append(examiner.examine(wanted))
        progress(number + 1, len(rows))
    return result


def scores_of(scored: Sequence[tuple[ScoredClaim, ...]], settings: EliminationSettings) -> Scores:
    """Join the claims of each row as the design says: the least support, kept if all are kept."""
    verdicts = [[judge(claim, settings) for claim in claims] for claims in scored]
    return Scores(
        np.asarray([min((v.support for v in row), default=0.5) for row in verdicts], dtype=np.float64),
        np.asarray([bool(row) and all(v.kept for v in row) for row in verdicts], dtype=np.bool_),
    )


def best_cosine(rows: Sequence[Row], embedder: Embedder) -> NDArray[np.float64]:
    """Return the first floor: the best message's cosine to the whole text; 0.0 without messages."""
    texts = embedder.embed([row.text for row in rows])
    best = []
    for row, vector in zip(rows, texts, strict=True):
        messages = [m.content for m in row.conversation.messages if not m.is_blank]
        sims = cosine(embedder.embed(messages), vector) if messages else np.zeros(1)
        best.append(float(np.max(sims)))
    return np.asarray(best, dtype=np.float64)


def word_share(rows: Sequence[Row]) -> NDArray[np.float64]:
    """Return the second floor: the share of content words found in the best single message."""
    shares = []
    for row in rows:
        wanted = content_keys(row.text)
        found = [
            len(wanted & (content_keys(m.content) | {w.key for w in words(m.speaker_name)}))
            for m in row.conversation.messages
        ]
        shares.append(max(found, default=0) / len(wanted) if wanted else 0.0)
    return np.asarray(shares, dtype=np.float64)
