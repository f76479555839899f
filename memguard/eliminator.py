"""Stage 2, elimination: every claim of the paragraph is checked against the immutable transcript.

What is not supported is removed, never rewritten: a surviving claim is verbatim from the paragraph.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from memguard.compressor import Compression
from memguard.errors import InvalidParameterError
from memguard.facts import KeyFact, find_facts
from memguard.geometry.separation import SeparationMap, load_separation
from memguard.grounding.claims import extract_claims
from memguard.grounding.entailment import EntailmentScorer
from memguard.grounding.evidence import find_candidates
from memguard.grounding.examination import Examiner
from memguard.grounding.overrides import Override, latest, override_of
from memguard.grounding.sources import speakers_of
from memguard.grounding.verdicts import Label, ScoredClaim, Verdict, judge, not_overridable
from memguard.grounding.verifiers import load_entailment
from memguard.messages import Conversation, SourceSpan
from memguard.models import loading
from memguard.models.duck import as_embedder
from memguard.models.protocols import Embedder
from memguard.privacy.leaving import leaving_of
from memguard.privacy.prompts import RedactedEntailment
from memguard.rescue import Quote, quotes_of
from memguard.settings import EliminationSettings, Settings
from memguard.text import well_formed
from memguard.trace import Progress, Trace, silent

_DEFAULTS = EliminationSettings()
_CONVERSATIONS_REMEMBERED = 8


@dataclass(frozen=True, slots=True)
class Elimination:
    """The result of stage 2.

    Attributes:
        verdicts: One a claim, in the order of the paragraph.
        scored: What was measured of each claim, from which any threshold can be judged again.
        embedder: Model that embedded, ``name@revision``.
        entailment: Model that read evidence and claims together; empty where none did.
        n_candidates: Places of the transcript that each claim is compared with.
        central: Its sentences, the most central first: what is left to say if no claim survives.
        facts: The key facts of the transcript.
        quotes: What can be quoted for those that hold; nothing beside a summary that was handed in.
        quoted: What was measured of each quote.
        rescuable: The quotes, judged like every claim; none where rescue is off.
        warnings: What a reader of the result should know.
    """

    verdicts: tuple[Verdict, ...]
    scored: tuple[ScoredClaim, ...]
    embedder: str
    entailment: str = ""
    n_candidates: int = 0
    central: tuple[SourceSpan, ...] = ()
    facts: tuple[KeyFact, ...] = ()
    quotes: tuple[Quote, ...] = ()
    quoted: tuple[ScoredClaim, ...] = ()
    rescuable: tuple[Verdict, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def kept(self) -> tuple[Verdict, ...]:
        """The claims that survive."""
        return tuple(v for v in self.verdicts if v.kept)

    @property
    def dropped(self) -> tuple[Verdict, ...]:
        """The claims that do not; what is not a claim is no drop."""
        return tuple(v for v in self.verdicts if not v.kept and v.label is not Label.NOT_A_CLAIM)

    @property
    def support_rate(self) -> float | None:
        """Share of claims kept, in [0, 1]; None where there is nothing to check."""
        checked = len(self.kept) + len(self.dropped)
        return len(self.kept) / checked if checked else None


EntailmentFor = Callable[[str], EntailmentScorer | None]


class Eliminator:
    """Runs stage 2."""

    name = "elimination"
    reads: tuple[str, ...] = ("elimination", "retention", "overrides")
    requires: tuple[type, ...] = (Compression,)
    produces = Elimination

    def __init__(
        self, embedder: Embedder, entailment_for: EntailmentFor = load_entailment, *, leaves: bool = False
    ) -> None:
        """Take the embedder that compression uses as well (A18), and what loads an entailment model.

        Where it ``leaves``, that model may stand outside this process, and ``privacy.redact`` holds for what
        it is given.
        """
        self._leaves = leaves
        if leaves:
            self.reads = (*Eliminator.reads, "privacy")
        self._embedder = as_embedder(embedder)
        self._entailment_for = entailment_for
        # A conversation that is examined again, under other settings or with another summary, has the
        # same key facts.
        self._facts_of = lru_cache(maxsize=_CONVERSATIONS_REMEMBERED)(find_facts)

    def run(self, trace: Trace, *, progress: Progress = silent) -> Elimination:
        """Extract claims, measure each against the transcript, and judge it."""
        settings = trace.settings.elimination
        entailment = self._entailment_for(settings.entailment)
        leaving = leaving_of(trace.conversation, trace.settings.privacy) if self._leaves else None
        if entailment is not None and leaving is not None:
            leaving.learn(trace[Compression].paragraph)
            entailment = RedactedEntailment(entailment, leaving)
        speakers = speakers_of(trace.conversation)
        claims = extract_claims(trace[Compression].paragraph, speakers=speakers)
        candidates = find_candidates(
            trace.conversation,
            self._embedder,
            settings,
            separation=separation_for(self._embedder.model_id, settings),
            progress=lambda done, total: progress(self.name, done, total, "source sentences embedded"),
        )
        examiner = Examiner(candidates, speakers, self._embedder, settings, entailment)
        scored = examiner.examine(
            claims,
            progress=lambda done, total: progress(self.name, done, total, "claims embedded"),
        )
        facts = self._facts_of(trace.conversation)
        # A summary that somebody handed in is checked, not filled up.
        quotes = () if trace[Compression].given else quotes_of(trace.conversation, facts)
        quoted = examiner.examine_verbatim([(quote.claim, quote.span) for quote in quotes])
        return Elimination(
            verdicts=judged(scored, settings, trace.overrides),
            scored=scored,
            embedder=self._embedder.model_id,
            entailment=entailment.model_id if entailment is not None else "",
            n_candidates=len(candidates.spans),
            central=candidates.most_central(),
            facts=facts,
            quotes=quotes,
            quoted=quoted,
            rescuable=_rescuable(quoted, trace),
            warnings=(*self._warnings(settings), *_left_out((*scored, *quoted), trace.overrides)),
        )

    def adjust(self, result: object, trace: Trace, before: Settings) -> Elimination | None:
        """Judge measured claims again under new thresholds and overrides.

        None where something is measured anew.
        """
        settings = trace.settings.elimination
        if not isinstance(result, Elimination) or measured(settings) != measured(before.elimination):
            return None
        if self._leaves and trace.settings.privacy != before.privacy:
            return None
        return replace(
            result,
            verdicts=judged(result.scored, settings, trace.overrides),
            rescuable=_rescuable(result.quoted, trace),
            warnings=(
                *self._warnings(settings),
                *_left_out((*result.scored, *result.quoted), trace.overrides),
            ),
        )

    def _warnings(self, settings: EliminationSettings) -> tuple[str, ...]:
        found = []
        name = self._embedder.model_id.partition("@")[0].rpartition("/")[2]
        if name != settings.calibrated_for:
            found.append(
                f"the minimum similarity {settings.min_similarity:g} and support were set for "
                f"{settings.calibrated_for}; the embedder is {self._embedder.model_id}, whose "
                "similarities may lie elsewhere"
            )
        if settings.separation and separation_for(self._embedder.model_id, settings) is None:
            found.append(
                f"the separation map was trained on {load_separation().embedder} and is left out: "
                f"the embedder is {self._embedder.model_id}"
            )
        return tuple(found)


def eliminate(
    summary: str,
    messages: Iterable[Mapping[str, Any]],
    *,
    settings: EliminationSettings = _DEFAULTS,
    embedder: Embedder | None = None,
) -> Elimination:
    """Check a summary against the raw messages: stage 2 as a plain function.

    Args:
        summary: Any text.
        messages: Dicts with ``role`` and ``content``; never changed.
        settings: Threshold and evidence windows.
        embedder: Default: the installed all-mpnet-base-v2.

    Raises:
        InvalidParameterError: The summary is not a string.
        TranscriptError: A message is not valid.
        ModelUnavailableError: The embedder is not installed.
    """
    if not isinstance(summary, str):
        raise InvalidParameterError(f"summary must be a string; got {type(summary).__name__}")
    if embedder is None:
        embedder = loading.load_embedder()
    trace = Trace(
        Conversation.from_messages(messages),
        Settings(elimination=settings),
        results=(Compression(well_formed(summary), given=True),),
    )
    return Eliminator(embedder).run(trace)


def judged(
    scored: Iterable[ScoredClaim], settings: EliminationSettings, overrides: Iterable[Override] = ()
) -> tuple[Verdict, ...]:
    """Judge claims, each under the override that was made of it, if any."""
    by_id = {override.claim_id: override for override in overrides}
    return tuple(judge(claim, settings, override_of(claim.claim, by_id)) for claim in scored)


def _rescuable(quoted: Iterable[ScoredClaim], trace: Trace) -> tuple[Verdict, ...]:
    """Judge the quotes, where they may be used at all."""
    if trace.settings.retention.rescue != "on":
        return ()
    return judged(quoted, trace.settings.elimination, trace.overrides)


def bound(
    overrides: Iterable[Override], elimination: Elimination, known: Collection[Override] = ()
) -> tuple[Override, ...]:
    """Bind a person's overrides to the claims that they name; the last one given for a claim counts.

    Args:
        overrides: What a person decided.
        elimination: Whose claims.
        known: Overrides that were bound before; one whose claim is gone stays as it is.

    Raises:
        InvalidParameterError: There is no such claim, its words are others by now, or there is
            nothing to decide about it; names the claim and says why.
    """
    by_id = {scored.claim.id: scored for scored in (*elimination.scored, *elimination.quoted)}
    found = []
    for override in latest(overrides):
        scored = by_id.get(override.claim_id)
        if override in known and (scored is None or not override.fits(scored.claim)):
            found.append(override)
            continue
        if scored is None:
            raise InvalidParameterError(
                f"there is no claim {override.claim_id!r} to override; this run has "
                f"{_named([scored.claim.id for scored in elimination.scored])}"
            )
        if not override.fits(scored.claim):
            raise InvalidParameterError(
                f"the override of {override.claim_id} was made of {override.claim_text!r}; that claim now "
                f"reads {scored.claim.text!r}"
            )
        why_not = not_overridable(scored, override.kept)
        if why_not:
            verb = "kept" if override.kept else "dropped"
            raise InvalidParameterError(f"{override.claim_id} cannot be {verb} by hand: {why_not}")
        found.append(replace(override, claim_text=scored.claim.text))
    return tuple(found)


def _left_out(scored: Iterable[ScoredClaim], overrides: Iterable[Override]) -> tuple[str, ...]:
    """Return what to say of overrides whose claim the summary no longer holds."""
    claims = [claim.claim for claim in scored]
    return tuple(
        f"a person {override.verb} {override.claim_id}, {override.claim_text!r}: this summary does not hold "
        "that claim, so the decision changes nothing here"
        for override in overrides
        if not any(override.fits(claim) for claim in claims)
    )


def _named(ids: list[str]) -> str:
    return f"{ids[0]} to {ids[-1]}" if len(ids) > 1 else "".join(ids) or "no claims"


def separation_for(model_id: str, settings: EliminationSettings) -> SeparationMap | None:
    """Return the shipped map where it is switched on and was trained on this embedder."""
    if not settings.separation:
        return None
    shipped = load_separation()
    return shipped if shipped.fits(model_id) else None


_THRESHOLDS = ("preset", "min_similarity", "min_support", "calibrated_for")


def measured(settings: EliminationSettings) -> EliminationSettings:
    """Return settings that differ only where another thing is measured, not judged.

    What was measured under one setting can be judged under every other of equal ``measured``.
    """
    return replace(settings, **{name: getattr(_DEFAULTS, name) for name in _THRESHOLDS})
