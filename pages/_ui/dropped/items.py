"""The claims that did not enter the context, with what a reviewer asks of each: pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from memguard.eliminator import Elimination, judged
from memguard.grounding.verdicts import Label, ScoredClaim, Verdict, changes_to_keep, judge
from memguard.messages import Conversation
from memguard.reconstructor import OmissionReason, Reconstruction
from memguard.settings import EliminationSettings
from memguard.trace import Trace

ELIMINATION, RECONSTRUCTION, IN_CONTEXT = "elimination", "reconstruction", "context"
_STAGES = (ELIMINATION, RECONSTRUCTION, IN_CONTEXT)
SORTS = ("nearest", "furthest", "summary")


@dataclass(frozen=True, slots=True)
class Shortfall:
    """How far a claim lies below a minimum.

    Attributes:
        name: ``similarity`` or ``support``.
        value: What the claim reaches.
        minimum: What the settings ask for; larger than ``value``.
    """

    name: str
    value: float
    minimum: float

    @property
    def gap(self) -> float:
        """How much is missing."""
        return self.minimum - self.value


@dataclass(frozen=True, slots=True)
class Item:
    """One claim, and why it is not in the context, if it is not.

    Attributes:
        verdict: What was decided of it.
        scored: What was measured of it.
        stage: Where it was left behind: elimination, reconstruction, or ``context`` for one that is in it.
        omission: Why reconstruction left it out.
        speaker: Who says its best evidence; empty without any.
        shortfalls: The minimums that it does not reach under the preset; none where a finding decides.
        measured: What would be decided without a person's override; the verdict itself without one.
    """

    verdict: Verdict
    scored: ScoredClaim
    stage: str
    omission: OmissionReason | None
    speaker: str
    shortfalls: tuple[Shortfall, ...]
    measured: Verdict

    @property
    def id(self) -> str:
        """The claim's id."""
        return self.verdict.claim.id

    @property
    def gap(self) -> float:
        """The largest shortfall; 0.0 where every minimum is reached."""
        return max((s.gap for s in self.shortfalls), default=0.0)


@dataclass(frozen=True, slots=True)
class Choice:
    """What a person wants to see; an empty name stands for all.

    Attributes:
        find: Words that the claim, its evidence, its reason or a note must hold.
        reason: A ``Reason``.
        kind: A ``Label``.
        stage: Where it was left behind.
        speaker: Who says its best evidence.
        sort: One of ``SORTS``.
        kept: Whether the claims that are in the context are listed as well.
    """

    find: str = ""
    reason: str = ""
    kind: str = ""
    stage: str = ""
    speaker: str = ""
    sort: str = SORTS[0]
    kept: bool = False


def items(trace: Trace) -> tuple[Item, ...]:
    """Return every claim of the summary; what is not a claim was never up for the context."""
    elimination, settings = trace[Elimination], trace.settings.elimination
    reconstruction = trace.get(Reconstruction)
    omitted = {o.claim_id: o.reason for o in reconstruction.omitted} if reconstruction is not None else {}
    return tuple(
        Item(
            verdict=verdict,
            scored=scored,
            stage=_stage(verdict, omitted),
            omission=omitted.get(verdict.claim.id) if verdict.kept else None,
            speaker=_speaker(verdict, trace.conversation),
            shortfalls=shortfalls(verdict, settings),
            measured=verdict if verdict.override is None else judge(scored, settings),
        )
        for verdict, scored in zip(elimination.verdicts, elimination.scored, strict=True)
        if verdict.label is not Label.NOT_A_CLAIM
    )


def shortfalls(verdict: Verdict, settings: EliminationSettings) -> tuple[Shortfall, ...]:
    """Return the minimums that a claim does not reach, the larger gap first."""
    found = []
    if verdict.similarity < settings.min_similarity:
        found.append(Shortfall("similarity", verdict.similarity, settings.min_similarity))
    if settings.preset != "contract" and verdict.support < settings.min_support:
        found.append(Shortfall("support", verdict.support, settings.min_support))
    return tuple(sorted(found, key=lambda s: -s.gap))


def listed(every: Iterable[Item], choice: Choice, conversation: Conversation) -> tuple[Item, ...]:
    """Return the items that a person wants to see, in the order that they want.

    By distance, what elimination dropped stands before what reconstruction left out. What a person
    decided by hand is always among them, so that a decision never takes a claim out of
    sight.
    """
    words = choice.find.casefold().split()
    shown = [
        item
        for item in every
        if (choice.kept or item.stage != IN_CONTEXT or item.verdict.override is not None)
        and choice.reason in ("", item.verdict.reason.value)
        and choice.kind in ("", item.verdict.label.value)
        and choice.stage in ("", item.stage)
        and choice.speaker in ("", item.speaker)
        and all(word in _searched(item, conversation) for word in words)
    ]
    if choice.sort != "summary":
        sign = 1 if choice.sort == "nearest" else -1
        shown.sort(key=lambda item: (_STAGES.index(item.stage), sign * item.gap))
    return tuple(shown)


def counts(every: Iterable[Item], name: str) -> dict[str, int]:
    """Return how many items have each ``reason``, ``kind``, ``stage`` or ``speaker``, the most first."""
    found = Counter(_READ[name](item) for item in every)
    return {value: number for value, number in found.most_common() if value}


_READ: dict[str, Callable[[Item], str]] = {
    "reason": lambda item: item.verdict.reason.value,
    "kind": lambda item: item.verdict.label.value,
    "stage": lambda item: item.stage,
    "speaker": lambda item: item.speaker,
}


def way_back(item: Item, settings: EliminationSettings) -> dict[str, str | float] | None:
    """Return the settings that would bring an eliminated claim back; None where none would."""
    return changes_to_keep(item.scored, settings)


def n_back(every: Sequence[Item], changes: dict[str, str | float], settings: EliminationSettings) -> int:
    """Return how many claims, this one among them, would be kept under the changes and are not now.

    A looser minimum keeps every claim that reaches it, which is what such a change costs.
    """
    after = replace(settings, **changes)  # type: ignore[arg-type]  # the values are those of the fields
    overrides = [i.verdict.override for i in every if i.verdict.override is not None]
    verdicts = judged([i.scored for i in every], after, overrides)
    return sum(v.kept and not i.verdict.kept for v, i in zip(verdicts, every, strict=True))


def _stage(verdict: Verdict, omitted: dict[str, OmissionReason]) -> str:
    if not verdict.kept:
        return ELIMINATION
    return RECONSTRUCTION if verdict.claim.id in omitted else IN_CONTEXT


def _speaker(verdict: Verdict, conversation: Conversation) -> str:
    if not verdict.evidence:
        return ""
    return conversation.message(verdict.evidence[0].span.message_id).speaker_name


def _searched(item: Item, conversation: Conversation) -> str:
    verdict = item.verdict
    parts = [
        verdict.claim.id,
        verdict.claim.text,
        verdict.detail,
        *(conversation.text(e.span) for e in verdict.evidence[:2]),
        *(f.detail for f in verdict.findings),
    ]
    return "\n".join(parts).casefold()
