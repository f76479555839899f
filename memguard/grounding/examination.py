"""Everything that is measured of the claims of one summary, before any threshold.

Places by cosine, sentences by cosine and words, findings of the guards, alignment of words,
entailment where a model is given, and support, which joins them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from memguard.geometry.similarity import cosine
from memguard.grounding.alignment import Alignment, align, vectors_for
from memguard.grounding.claims import Claim
from memguard.grounding.entailment import EntailmentScorer
from memguard.grounding.evidence import Candidates, best_places, similarities
from memguard.grounding.guards import GUARDS, findings_of
from memguard.grounding.guards.superseded import gives_a_state
from memguard.grounding.inquiry import Inquiry
from memguard.grounding.premises import premise_of
from memguard.grounding.reading import lexicon
from memguard.grounding.reading.language import is_english
from memguard.grounding.reading.words import content_words
from memguard.grounding.retrieval import WordIndex
from memguard.grounding.support import ALIGNMENT_FEATURES, features_of, support_model
from memguard.grounding.verdicts import DECIMALS, Evidence, Finding, Measures, ScoredClaim, Severity
from memguard.messages import SourceSpan
from memguard.models.duck import embed_with_tokens, gives_tokens
from memguard.models.protocols import Embedder, ItemProgress, no_progress
from memguard.settings import EliminationSettings

_CLAIM_BLOCK = 128
"""Claims compared at once: keeps 1,000 claims × 30,000 candidates far below 2 GB."""
_ARITHMETIC = "arithmetic:"
_LONGEST_CLAIM = 2_000  # characters: some guards compare each of its figures or names with each other one


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
        self._index = WordIndex(candidates.sources, speakers, candidates.injected)
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
        texts = [claim.judged_as for claim in claims]
        if "alignment" in self._parts and gives_tokens(self._embedder):
            vectors, _ = embed_with_tokens(self._embedder, texts, progress=progress)  # one pass gives both
        else:
            vectors = self._embedder.embed(texts, progress=progress)
        if not self._candidates.spans:
            return tuple(ScoredClaim(claim) for claim in claims)
        scored: list[ScoredClaim] = []
        for first in range(0, len(claims), _CLAIM_BLOCK):
            block = claims[first : first + _CLAIM_BLOCK]
            rows = similarities(vectors[first : first + _CLAIM_BLOCK], self._candidates)
            n = self._candidates.n_sentences
            inquiries = [self._index.inquire(c, row[:n]) for c, row in zip(block, rows, strict=True)]
            places = [best_places(self._candidates, row, self._settings.evidence_kept) for row in rows]
            scored += self._join(inquiries, places)
        return tuple(scored)

    def examine_verbatim(self, quotes: Sequence[tuple[Claim, SourceSpan]]) -> tuple[ScoredClaim, ...]:
        """Measure the transcript's own words (F22); one result a quote, in order. Runs no model.

        Each is its own evidence, with similarity and support 1. Only the guard of superseded values is
        asked, as of every verbatim claim, and of what it sees only what was said after the quote counts:
        the new value of a thing is not taken back by the old one.

        Args:
            quotes: Claims, each with the place where its words stand.
        """
        held = _Holding([source.span for source in self._candidates.sources])
        findings: dict[int, tuple[Finding, ...]] = {}
        asked = [
            (i, number)
            for i, (claim, span) in enumerate(quotes)
            if "guards" in self._parts
            and gives_a_state(claim.judged_as)
            and not _unread(claim.judged_as)
            and (number := held.number(span)) is not None
        ]
        sentences = self._candidates.vectors[: self._candidates.n_sentences]
        for first in range(0, len(asked), _CLAIM_BLOCK):
            block = asked[first : first + _CLAIM_BLOCK]
            rows = cosine(sentences[[number for _, number in block]], sentences)
            for (i, _), row in zip(block, rows, strict=True):
                claim, span = quotes[i]
                seen = GUARDS["superseded"](self._index.inquire(claim, row))
                later = [finding for finding in seen if held.follows(finding, span)]
                findings[i] = tuple(replace(f, claim_span=claim.text_span(*f.claim_span)) for f in later)
        return tuple(
            ScoredClaim(
                claim,
                evidence=(Evidence(span, 1.0),),
                findings=findings.get(i, ()),
                support=1.0,
                is_verbatim=True,
            )
            for i, (claim, span) in enumerate(quotes)
        )

    def _join(
        self, inquiries: Sequence[Inquiry], places: Sequence[tuple[Evidence, ...]]
    ) -> list[ScoredClaim]:
        vectors = vectors_for(inquiries, self._embedder) if "alignment" in self._parts else None
        entailed = self._entailed(inquiries)
        joined = []
        for i, inquiry in enumerate(inquiries):
            unread = _unread(inquiry.text)
            findings = () if unread else self._findings(inquiry)
            aligned = None
            if "alignment" in self._parts:
                matched = [f.claim_span for f in findings if f.severity is Severity.MATCH]
                aligned = align(inquiry, self._index.rarity, vectors, matched, lexicon.related)
            scores = entailed[i] if entailed is not None else None
            joined.append(self._scored(inquiry, places[i], findings, aligned, scores, unread))
        return joined

    def _findings(self, inquiry: Inquiry) -> tuple[Finding, ...]:
        """Ask the guards; of a sentence of the transcript as it stands, only whether it was taken back."""
        if "guards" not in self._parts:
            return ()
        if not _is_verbatim(inquiry):
            return findings_of(inquiry)
        return GUARDS["superseded"](inquiry)

    def _scored(
        self,
        inquiry: Inquiry,
        places: tuple[Evidence, ...],
        findings: tuple[Finding, ...],
        aligned: Alignment | None,
        entailed: NDArray[np.float32] | None,
        unread: str,
    ) -> ScoredClaim:
        claim = inquiry.claim
        measures = _measures(inquiry, aligned, entailed)
        similarity = max((place.similarity for place in places), default=0.0)
        return ScoredClaim(
            claim=claim,
            evidence=_with_grounds(places, inquiry),
            findings=tuple(replace(f, claim_span=claim.text_span(*f.claim_span)) for f in findings),
            measures=measures,
            support=support_model(self._parts)(features_of(similarity, measures, findings)),
            unsupported=() if aligned is None else _in_text(claim, aligned.unsupported),
            review=unread or _review(findings, entailed),
        )

    def _entailed(self, inquiries: Sequence[Inquiry]) -> NDArray[np.float32] | None:
        if self._entailment is None:
            return None
        sources = self._candidates.sources
        premises = [premise_of(inquiry, sources) for inquiry in inquiries]
        return self._entailment.score(premises, [inquiry.text for inquiry in inquiries])


class _Holding:
    """Where a quote stands among the sentences of a transcript."""

    def __init__(self, sentences: Sequence[SourceSpan]) -> None:
        self._order: dict[str, int] = {}
        self._of_message: dict[str, list[tuple[int, SourceSpan]]] = {}
        for number, span in enumerate(sentences):
            self._order.setdefault(span.message_id, len(self._order))
            self._of_message.setdefault(span.message_id, []).append((number, span))

    def number(self, span: SourceSpan) -> int | None:
        """Return the number of the first sentence that a quote lies in; None where none is evidence."""
        return next((n for n, s in self._of_message.get(span.message_id, ()) if _overlap(s, span)), None)

    def follows(self, finding: Finding, span: SourceSpan) -> bool:
        """Tell whether what a guard saw was said after the quote; true where it names no place."""
        seen = finding.evidence_span
        if seen is None:
            return True
        return (self._order.get(seen.message_id, 0), seen.start) >= (self._order[span.message_id], span.end)


def _measures(inquiry: Inquiry, aligned: Alignment | None, entailed: NDArray[np.float32] | None) -> Measures:
    measures = Measures(
        overlap=round(max((entry.overlap for entry in inquiry.ranked), default=0.0), DECIMALS),
        n_words=len(content_words(inquiry.text)),
    )
    if aligned is not None:
        values = {name: getattr(aligned, name) for name in ALIGNMENT_FEATURES}
        measures = replace(measures, **values)
    if entailed is not None and not np.isnan(entailed).any():
        measures = replace(
            measures,
            entailed=round(float(entailed[0]), DECIMALS),
            refuted=round(float(entailed[2]), DECIMALS),
        )
    return measures


def _with_grounds(places: tuple[Evidence, ...], inquiry: Inquiry) -> tuple[Evidence, ...]:
    """Put the sentence that a claim rests on first, so that it is the one that is cited.

    The nearest places by cosine stay; one that the ground lies in, or that overlaps it, gives way to
    it where it is the ground itself.
    """
    if not inquiry.grounds:
        return places
    ground = inquiry.grounds[0]
    holder = next((p for p in places if _overlap(p.span, ground.span)), None)
    if holder is not None:
        return (holder, *(p for p in places if p is not holder))
    entry = next(e for e in inquiry.ranked if e.source is ground)
    return (Evidence(ground.span, round(entry.similarity, DECIMALS)), *places)


def _is_verbatim(inquiry: Inquiry) -> bool:
    """Tell whether the claim is a whole sentence of the transcript, with or without its speaker."""
    plain = _plain(inquiry.text)
    return any(
        plain in (_plain(source.text), _plain(f"{source.speaker}: {source.text}"))
        for source in inquiry.sources
    )


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".!?… ")


def _overlap(a: SourceSpan, b: SourceSpan) -> bool:
    return a.message_id == b.message_id and a.start < b.end and b.start < a.end


def _in_text(claim: Claim, spans: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    found = [claim.text_span(start, end) for start, end in spans]
    return tuple(dict.fromkeys(span for span in found if span[0] < span[1]))


def _unread(text: str) -> str:
    """Return why the guards do not read a claim, or nothing."""
    if len(text) > _LONGEST_CLAIM:
        return f"it is longer than {_LONGEST_CLAIM:,} characters, too long to be read as one statement"
    return "" if is_english(text) else "its language is not one that the guards read"


def _review(findings: Sequence[Finding], entailed: NDArray[np.float32] | None) -> str:
    """Return why no verdict can be given although the claim was read, or nothing."""
    if entailed is not None and np.isnan(entailed).any():
        return "the verifier gave no answer that could be read"
    open_sums = [f.detail for f in findings if f.detail.startswith(_ARITHMETIC)]
    settled = any(f.guard == "quantities" and f.severity is Severity.CONTRADICTION for f in findings)
    return open_sums[0] if open_sums and not settled else ""
