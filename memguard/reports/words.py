"""The words that every form of a report shares."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memguard import palette
from memguard.palette import Meaning
from memguard.reports.parts import Claim

_LABELS = {
    "contradicted": palette.CONTRADICTED,
    "not_found": palette.NOT_FOUND,
    "needs_review": palette.NEEDS_REVIEW,
    "not_a_claim": palette.NOT_A_CLAIM,
}
_OMITTED = {
    "budget": "the payload's budget was full",
    "repeated": "other lines say the same",
    "person_drops": "a person dropped a claim that says it",
}
_STAGES = {
    "closing": "Closing record",
    "overrides": "Overrides",
}
_ORDERS = {"timestamp": "by time", "given": "as given"}


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of a claim: the meaning that shows it, and the words beside it."""

    meaning: Meaning
    words: str


def fate_of(label: str, *, kept: bool, reason: str = "", by_person: bool = False) -> Fate:
    """Return what became of a claim.

    Args:
        label: What the transcript says of it.
        kept: Whether it is kept.
        reason: ``verbatim`` for a sentence of the transcript as it stands.
        by_person: Whether a person decided.
    """
    measured = _LABELS.get(label)
    if by_person:
        meaning = palette.KEPT if kept else measured or palette.BY_HAND
        return Fate(meaning, f"{'kept' if kept else 'dropped'} by a person")
    if reason == "verbatim":
        return Fate(palette.VERBATIM, "quoted verbatim")
    if label == "needs_review":
        return Fate(palette.NEEDS_REVIEW, f"needs review, {'kept' if kept else 'dropped'}")
    if kept:
        return Fate(palette.KEPT, "kept")
    if label == "not_a_claim":
        return Fate(palette.NOT_A_CLAIM, "not a claim")
    return Fate(measured or palette.NOT_FOUND, f"dropped: {(measured or palette.NOT_FOUND).label}")


def claim_fate(claim: Claim) -> Fate:
    """Return what became of a recorded claim."""
    return fate_of(claim.label, kept=claim.kept, reason=claim.reason, by_person=claim.override is not None)


def why(claim: Claim) -> str:
    """Return why a claim is kept or dropped, as it was recorded."""
    return claim.detail or claim.reason.replace("_", " ")


def omission(reason: str) -> str:
    """Return why a kept claim is not in the payload."""
    return _OMITTED.get(reason, reason.replace("_", " "))


def stage_name(stage: str) -> str:
    """Return the name of a record for people."""
    return _STAGES.get(stage, stage.replace("_", " ").capitalize())


def order_name(order: str) -> str:
    """Return how the messages were put in order."""
    return _ORDERS.get(order, order)


def moment(started_at: str) -> str:
    """Return a moment of the chain to the second, as it was recorded; text that is no moment stays."""
    try:
        return f"{datetime.fromisoformat(started_at):%Y-%m-%d %H:%M:%S %Z}".strip()
    except ValueError:
        return started_at


def seconds(value: float) -> str:
    """Return a duration."""
    if value < 0.0005:
        return "< 1 ms"
    return f"{value * 1000:.0f} ms" if value < 0.0995 else f"{value:.1f} s"


def counted(number: int, word: str) -> str:
    """Return ``1 claim`` or ``2 claims``."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def value(setting: object) -> str:
    """Return the value of a setting."""
    if setting is None:
        return "not set"
    return f"{setting:.4g}" if isinstance(setting, float) else str(setting)
