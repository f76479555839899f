"""Everything that is measured of the claims of one summary, before any threshold.

Places by cosine, sentences by cosine and words, findings of the guards, alignment of words,
entailment where a model is given, and support, which joins them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from memguard.geometry.similarity import cosine
from memguard.grounding import lexicon
from memguard.grounding.alignment import Alignment, align, token_vectors
from memguard.grounding.claims import Claim
from memguard.grounding.entailment import EntailmentScorer
from memguard.grounding.evidence import Candidates, best_places
from memguard.grounding.guards import findings_of
from memguard.grounding.inquiry import Inquiry
from memguard.grounding.language import is_english
from memguard.grounding.premises import premise_of
from memguard.grounding.retrieval import WordIndex
from memguard.grounding.support import features_of, support_model
from memguard.grounding.verdicts import Evidence, Finding, Measures, ScoredClaim, Severity
from memguard.grounding.words import content_words
from memguard.models.protocols import Embedder, ItemProgress, no_progress
from memguard.settings import EliminationSettings

_CLAIM_BLOCK = 128
"""Claims compared at once: keeps 1,000 claims × 30,000 candidates far below 2 GB."""
_ARITHMETIC = "arithmetic:"


class Examiner:
    """Measures claims against one transcript."""

    def __init__(
        self,
        candidates: Candidates,
        speakers: Sequence[str],
        embedder: Embedder,
        settings: EliminationSettings,
        entailment: EntailmentScorer | None = None,
    ) -> None:
        """Take the places of a transcript, who speaks in it, and what measures.

        Args:
            candidates: Every place where evidence is looked for.
            speakers: Who speaks.
            embedder: The embedder of the places.
            settings: Which parts are on, and how many places are kept.
            entailment: Reads evidence and claim together; None leaves that part out.
        """
        self._candidates = candidates
        self._index = WordIndex(candidates.sources, speakers)
        self._embedder = embedder
        self._settings = settings
        self._entailment = entailment
        self._parts = frozenset(
            name
            for name, is_on in (
                ("alignment", settings.alignment == "on"),
                ("entailment", entailment is not None),
                ("guards", settings.guards == "on"),
            )
            if is_on
        )

    def examine(
        self, claims: Sequence[Claim], *, progress: ItemProgress = no_progress
    ) -> tuple[ScoredClaim, ...]:
        """Measure every claim; one result a claim, in order."""
        if not claims:
            return ()
        vectors = self._embedder.embed([claim.judged_as for claim in claims], progress=progress)
        if not self._candidates.spans:
            return tuple(ScoredClaim(claim) for claim in claims)
        scored: list[ScoredClaim] = []
        for first in range(0, len(claims), _CLAIM_BLOCK):
            block = claims[first : first + _CLAIM_BLOCK]
            rows = cosine(vectors[first : first + _CLAIM_BLOCK], self._candidates.vectors)
            n = self._candidates.n_sentences
            inquiries = [
                self._index.inquire(claim, row[:n]) for claim, row in zip(block, rows, strict=True)
            ]
            places = [best_places(self._candidates, row, self._settings.evidence_kept) for row in rows]
            scored += self._join(inquiries, places)
        return tuple(scored)

    def _join(
        self, inquiries: Sequence[Inquiry], places: Sequence[tuple[Evidence, ...]]
    ) -> list[ScoredClaim]:
        entailed = self._entail(inquiries)
        return [
            self._scored(inquiry, evidence, entailed[i])
            for i, (inquiry, evidence) in enumerate(zip(inquiries, places, strict=True))
        ]
