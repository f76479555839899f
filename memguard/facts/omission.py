"""Which key facts some statements hold, and which they leave out."""

from __future__ import annotations

from collections.abc import Sequence

from memguard.facts.forms import ClassRecall, FactClass, KeyFact, OmissionReport, Statement
from memguard.facts.matching import Holder


def omissions(facts: Sequence[KeyFact], statements: Sequence[Statement]) -> OmissionReport:
    """Report which facts the statements hold.

    Args:
        facts: Of one conversation.
        statements: What is looked in, such as the lines of a payload.
    """
    holder = Holder(statements)
    current = [fact for fact in facts if fact.superseded_by is None]
    kept = {fact.id for fact in current if holder.holds(fact)}
    classes = [
        ClassRecall(
            kind,
            sum(fact.id in kept for fact in current if fact.kind is kind),
            sum(fact.kind is kind for fact in current),
        )
        for kind in FactClass
    ]
    return OmissionReport(
        kept=tuple(fact.id for fact in current if fact.id in kept),
        missing=tuple(fact.id for fact in current if fact.id not in kept),
        superseded=tuple(fact.id for fact in facts if fact.superseded_by is not None),
        recall=len(kept) / len(current) if current else None,
        by_class=tuple(row for row in classes if row.total),
    )
