"""What is said of a claim, and the one function that says it.

Score, audit, table, chart and payload all read the result of ``judge``; nothing else decides
whether a claim is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from memguard.grounding.claims import Claim
from memguard.messages import SourceSpan
from memguard.settings import EliminationSettings

DECIMALS = 6
"""Of every similarity that is judged: vectors differ in the seventh between machines and batches."""


class Label(StrEnum):
    """What the transcript says of a claim."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    NOT_FOUND = "not_found"
    NEEDS_REVIEW = "needs_review"
    NOT_A_CLAIM = "not_a_claim"


class Reason(StrEnum):
    """Why a claim is kept or dropped."""

    SIMILARITY_REACHED = "similarity_reached"
    SIMILARITY_BELOW_MINIMUM = "similarity_below_minimum"
    NO_EVIDENCE = "no_evidence"
    VERBATIM = "verbatim"


class Severity(StrEnum):
    """How much a finding weighs."""

    CONTRADICTION = "contradiction"
    MISSING = "missing"
    MATCH = "match"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A place in the transcript and its cosine similarity to the claim, in [-1, 1], to six decimals."""

    span: SourceSpan
    similarity: float


@dataclass(frozen=True, slots=True)
class Finding:
    """What a guard saw, and where in both texts."""

    guard: str
    severity: Severity
    claim_span: tuple[int, int]
    evidence_span: SourceSpan | None
    detail: str


@dataclass(frozen=True, slots=True)
class ScoredClaim:
    """A claim with everything that was measured of it, before any threshold.

    Attributes:
        evidence: Best first; no two overlap. Empty where the transcript holds no text.
        findings: What the guards saw.
    """

    claim: Claim
    evidence: tuple[Evidence, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def similarity(self) -> float:
        """The maximum cosine over all evidence; 0.0 without any."""
        return self.evidence[0].similarity if self.evidence else 0.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """A claim, judged.

    Attributes:
        label: What the transcript says of it.
        kept: Whether it may enter the payload.
        reason: Why.
        similarity: The maximum cosine over all evidence, in [-1, 1].
        support: How well it is grounded, in [0, 1]; orders claims.
        evidence: Best first, then the runners-up.
        findings: What the guards saw.
    """

    claim: Claim
    label: Label
    kept: bool
    reason: Reason
    similarity: float
    support: float
    evidence: tuple[Evidence, ...]
    findings: tuple[Finding, ...] = ()


def judge(scored: ScoredClaim, settings: EliminationSettings) -> Verdict:
    """Decide whether a claim is kept: it is dropped iff its similarity is below the minimum (F1)."""
    similarity = scored.similarity
    if not scored.evidence:
        label, reason = Label.NOT_FOUND, Reason.NO_EVIDENCE
    elif similarity < settings.min_similarity:
        label, reason = Label.NOT_FOUND, Reason.SIMILARITY_BELOW_MINIMUM
    else:
        label, reason = Label.SUPPORTED, Reason.SIMILARITY_REACHED
    return Verdict(
        claim=scored.claim,
        label=label,
        kept=label is Label.SUPPORTED,
        reason=reason,
        similarity=similarity,
        support=(similarity + 1.0) / 2.0,
        evidence=scored.evidence,
        findings=scored.findings,
    )


def verbatim(claim_id: str, text: str, span: SourceSpan) -> Verdict:
    """Return the verdict of a sentence taken from the transcript as it stands (F22)."""
    return Verdict(
        claim=Claim(claim_id, text, None, text),
        label=Label.SUPPORTED,
        kept=True,
        reason=Reason.VERBATIM,
        similarity=1.0,
        support=1.0,
        evidence=(Evidence(span, 1.0),),
    )
