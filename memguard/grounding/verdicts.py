"""What is said of a claim, and the one function that says it.

Score, audit, table, chart and payload all read the result of ``judge``; nothing else decides
whether a claim is kept.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import combinations, product
from typing import Any

from memguard.grounding.claims import Claim
from memguard.grounding.overrides import Override
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

    @classmethod
    def _missing_(cls, value: object) -> Label:
        """Read a verifier's word, however written; one that is none of these needs review."""
        word = str(value).strip().strip(".!").casefold().replace(" ", "_").replace("-", "_")
        known = {label.value: label for label in cls} | {"unsupported": cls.NOT_FOUND}
        return known.get(word, cls.NEEDS_REVIEW)


class Reason(StrEnum):
    """Why a claim is kept or dropped."""

    SIMILARITY_REACHED = "similarity_reached"
    SIMILARITY_BELOW_MINIMUM = "similarity_below_minimum"
    SUPPORT_REACHED = "support_reached"
    SUPPORT_BELOW_MINIMUM = "support_below_minimum"
    GUARD_CONTRADICTS = "guard_contradicts"
    GUARD_MISSES = "guard_misses"
    ENTAILMENT_CONTRADICTS = "entailment_contradicts"
    WORDS_NOT_FOUND = "words_not_found"
    NOT_JUDGED = "not_judged"
    NO_STATEMENT = "no_statement"
    NO_EVIDENCE = "no_evidence"
    VERBATIM = "verbatim"
    PERSON_KEEPS = "person_keeps"
    PERSON_DROPS = "person_drops"


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
    """What a guard saw, and where in both texts.

    Attributes:
        guard: Which guard.
        severity: How much it weighs.
        claim_span: Half-open offsets into the claim.
        evidence_span: Where in the transcript, if anywhere.
        detail: One line for people.
    """

    guard: str
    severity: Severity
    claim_span: tuple[int, int]
    evidence_span: SourceSpan | None
    detail: str


@dataclass(frozen=True, slots=True)
class Measures:
    """What was measured of one claim beside its similarity; None where that part was off.

    Attributes:
        overlap: Share of its content words in the best single sentence, weighted by rarity, in [0, 1].
        recall: Mean alignment of its content words with the evidence, weighted by rarity, in [0, 1].
        weakest: Alignment of the content word that is found least, in [0, 1].
        locality: Share of its aligned words that one sentence holds, in [0, 1].
        order: Share of its neighbouring words that stand together in the evidence, in [0, 1].
        context: Mean cosine of its words' contextual vectors to the evidence, in [0, 1].
        context_weakest: The same over its two lowest words.
        entailed: Probability that the evidence entails it.
        refuted: Probability that the evidence contradicts it.
        n_words: Its content words.
    """

    overlap: float = 0.0
    recall: float | None = None
    weakest: float | None = None
    locality: float | None = None
    order: float | None = None
    context: float | None = None
    context_weakest: float | None = None
    entailed: float | None = None
    refuted: float | None = None
    n_words: int = 0


@dataclass(frozen=True, slots=True)
class ScoredClaim:
    """A claim with everything that was measured of it, before any threshold.

    Attributes:
        evidence: Best first; no two overlap. Empty where the transcript holds no text.
        findings: What the guards saw; their claim spans point into the claim's text.
        measures: What else was measured.
        support: The calibrated probability that it is grounded, in [0, 1], to six decimals; None
            takes the similarity in its place.
        unsupported: Words of the claim that the evidence does not hold, as spans of its text.
        review: Why no verdict can be given, such as a language that the guards do not read; empty
            where one can.
        is_verbatim: Whether it is the transcript's own words, so that no threshold bears on it.
    """

    claim: Claim
    evidence: tuple[Evidence, ...] = ()
    findings: tuple[Finding, ...] = ()
    measures: Measures = field(default_factory=Measures)
    support: float | None = None
    unsupported: tuple[tuple[int, int], ...] = ()
    review: str = ""
    is_verbatim: bool = False

    @property
    def similarity(self) -> float:
        """The maximum cosine over all evidence; 0.0 without any."""
        return max((e.similarity for e in self.evidence), default=0.0)

    def first(self, severity: Severity) -> Finding | None:
        """Return the first finding of a severity, if any."""
        return next((f for f in self.findings if f.severity is severity), None)


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
        unsupported: Words of the claim that the evidence does not hold, as spans of its text.
        detail: The reason in words, with what would change it.
        override: A person's decision, where it decided; label and measures stay as they were measured.
    """

    claim: Claim
    label: Label
    kept: bool
    reason: Reason
    similarity: float
    support: float
    evidence: tuple[Evidence, ...]
    findings: tuple[Finding, ...] = ()
    unsupported: tuple[tuple[int, int], ...] = ()
    detail: str = ""
    override: Override | None = None


def judge(scored: ScoredClaim, settings: EliminationSettings, override: Override | None = None) -> Verdict:
    """Decide whether a claim is kept.

    In every preset it is dropped where its similarity is below ``min_similarity`` (F1), and in the
    contract preset exactly then (A20). Balanced drops it as well where its support is below
    ``min_support``, but keeps for review what neither guards nor verifier can judge; strict also
    drops it where a guard contradicts or misses something, and where no verdict can be given. A
    rising threshold never keeps more. The transcript's own words (F22) are kept at every threshold and in
    every preset, unless a later turn takes them back.

    A person's override wins over all of it, at every threshold and in every preset, except where
    ``not_overridable`` says that there is nothing to decide. The label stays what was measured.
    """
    support = (scored.similarity + 1.0) / 2.0 if scored.support is None else scored.support
    label, reason, detail = _decide(scored, support, settings)
    kept = label is Label.SUPPORTED or (label is Label.NEEDS_REVIEW and settings.preset != "strict")
    if override is not None and not_overridable(scored, override.kept):
        override = None
    if override is not None:
        detail = _overridden(override, label, kept, detail)
        kept, reason = override.kept, Reason.PERSON_KEEPS if override.kept else Reason.PERSON_DROPS
    return Verdict(
        claim=scored.claim,
        label=label,
        kept=kept,
        reason=reason,
        similarity=scored.similarity,
        support=support,
        evidence=scored.evidence,
        findings=scored.findings,
        unsupported=scored.unsupported,
        detail=detail,
        override=override,
    )


def not_overridable(scored: ScoredClaim, kept: bool) -> str:
    """Return why a person cannot keep or drop a claim; empty where that is possible.

    What states nothing is no claim: it enters no rate and no payload, so neither decision means a
    thing. A claim without evidence can be dropped and not kept, for each line of the payload cites
    the message that it comes from.
    """
    if not scored.claim.is_statement:
        return "it is not a claim: it states nothing that could be checked, and never enters the payload"
    if kept and not scored.evidence:
        return "the transcript holds no text, so that there is no message which its line could cite"
    return ""


def changes_to_keep(scored: ScoredClaim, settings: EliminationSettings) -> dict[str, str | float] | None:
    """Return the fewest settings that would keep a claim, by name: what brings a dropped one back.

    A threshold is lowered to the hundredth below what the claim reaches, and the preset loosened to
    balanced only where no threshold helps. ``judge`` itself is asked. Empty where the claim is kept
    as it is; None where no setting keeps it.
    """
    support = judge(scored, settings).support
    limits: dict[str, Any] = {}
    if scored.similarity < settings.min_similarity:
        limits["min_similarity"] = _floor(scored.similarity)
    if support < settings.min_support:
        limits["min_support"] = _floor(support)
    subsets = [dict(chosen) for n in range(len(limits) + 1) for chosen in combinations(limits.items(), n)]
    looser: list[dict[str, Any]] = [{}]
    if settings.preset == "strict":
        looser.append({"preset": "balanced"})
    for preset, limit in product(looser, subsets):
        changes = {**preset, **limit}
        if judge(scored, replace(settings, **changes)).kept:
            return changes
    return None


def _overridden(override: Override, label: Label, kept: bool, detail: str) -> str:
    """Return the reason of an overridden claim: whose it is, the note, and what was measured."""
    note = f" (“{override.note}”)" if override.note else ""
    fate = "kept" if kept else "dropped"
    measured = f"{label.value.replace('_', ' ')}, {fate}" if label is not Label.SUPPORTED else fate
    return f"a person {override.verb} it{note}; without that: {measured}: {detail}"


def _decide(scored: ScoredClaim, support: float, settings: EliminationSettings) -> tuple[Label, Reason, str]:
    similarity = scored.similarity
    if not scored.claim.is_statement:
        return Label.NOT_A_CLAIM, Reason.NO_STATEMENT, "it states nothing that could be checked"
    if not scored.evidence:
        return Label.NOT_FOUND, Reason.NO_EVIDENCE, "the transcript holds no text to check it against"
    if scored.is_verbatim:
        taken_back = scored.first(Severity.CONTRADICTION)
        if taken_back is not None:
            return Label.CONTRADICTED, Reason.GUARD_CONTRADICTS, taken_back.detail
        return Label.SUPPORTED, Reason.VERBATIM, "the transcript's own words"
    if settings.preset == "contract":
        if similarity < settings.min_similarity:
            return Label.NOT_FOUND, Reason.SIMILARITY_BELOW_MINIMUM, _kept_at("similarity", similarity)
        return Label.SUPPORTED, Reason.SIMILARITY_REACHED, f"similarity {similarity:.2f} reaches the minimum"
    is_below = support < settings.min_support
    found = scored.first(Severity.CONTRADICTION)
    if found is not None and (is_below or settings.preset == "strict"):
        return (
            Label.CONTRADICTED,
            Reason.GUARD_CONTRADICTS,
            _with_change(found.detail, scored, support, settings),
        )
    if is_below and (scored.measures.refuted or 0.0) > max(0.5, scored.measures.entailed or 0.0):
        detail = f"the entailment model reads a contradiction ({scored.measures.refuted:.2f})"
        return (
            Label.CONTRADICTED,
            Reason.ENTAILMENT_CONTRADICTS,
            _with_change(detail, scored, support, settings),
        )
    if similarity < settings.min_similarity:
        detail = _kept_at("similarity", similarity)
        if is_below or _is_barred(scored, settings):  # then a lower minimum similarity alone keeps nothing
            detail = f"similarity {similarity:.2f} is below the minimum"
            detail = _with_change(detail, scored, support, settings)
        return Label.NOT_FOUND, Reason.SIMILARITY_BELOW_MINIMUM, detail
    if scored.review:
        return Label.NEEDS_REVIEW, Reason.NOT_JUDGED, scored.review
    missing = scored.first(Severity.MISSING)
    if missing is not None and (is_below or settings.preset == "strict"):
        return Label.NOT_FOUND, Reason.GUARD_MISSES, _with_change(missing.detail, scored, support, settings)
    if is_below and scored.unsupported:
        words = ", ".join(f"“{scored.claim.text[a:b]}”" for a, b in scored.unsupported[:4])
        detail = f"the evidence does not hold {words}"
        return Label.NOT_FOUND, Reason.WORDS_NOT_FOUND, _with_change(detail, scored, support, settings)
    if is_below:
        return Label.NOT_FOUND, Reason.SUPPORT_BELOW_MINIMUM, _kept_at("support", support)
    return Label.SUPPORTED, Reason.SUPPORT_REACHED, f"support {support:.2f} reaches the minimum"


def _kept_at(name: str, value: float) -> str:
    # Rounded down: at the figure that is shown, the claim is kept.
    return f"would be kept at a minimum {name} of {_floor(value):.2f} or below"


def _with_change(detail: str, scored: ScoredClaim, support: float, settings: EliminationSettings) -> str:
    """Add to a reason what would change the verdict."""
    if _is_barred(scored, settings):
        return f"{detail}; strict drops it at any threshold"
    limits = [f"support {_floor(support):.2f}"] if support < settings.min_support else []
    if scored.similarity < settings.min_similarity:
        limits.append(f"similarity {_floor(scored.similarity):.2f}")
    return f"{detail}; would be kept at minimum {' and '.join(limits)}" if limits else detail


def _is_barred(scored: ScoredClaim, settings: EliminationSettings) -> bool:
    """Tell whether the strict preset drops a claim whatever its similarity and support are."""
    severities = (Severity.CONTRADICTION, Severity.MISSING)
    return settings.preset == "strict" and bool(scored.review or any(map(scored.first, severities)))


def _floor(value: float) -> float:
    # Hundredths of a number with six decimals have four; 0.29 * 100 is a little less than 29.
    return math.floor(round(value * 100, DECIMALS - 2)) / 100


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
