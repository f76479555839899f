"""The guards, by name: each looks for one kind of drift and says what it saw."""

from __future__ import annotations

from collections.abc import Mapping

from memguard.grounding.guards import (
    dates,
    entities,
    modality,
    negation,
    quantifiers,
    quantities,
    speakers,
    superseded,
)
from memguard.grounding.inquiry import Guard, Inquiry
from memguard.grounding.verdicts import Finding

GUARDS: Mapping[str, Guard] = {
    "quantities": quantities.check,
    "dates": dates.check,
    "negation": negation.check,
    "entities": entities.check,
    "speakers": speakers.check,
    "modality": modality.check,
    "superseded": superseded.check,
    "quantifiers": quantifiers.check,
}


def findings_of(inquiry: Inquiry) -> tuple[Finding, ...]:
    """Return what every guard saw of one claim, in the order of the guards."""
    return tuple(finding for guard in GUARDS.values() for finding in guard(inquiry))
