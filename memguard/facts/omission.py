"""Which key facts some statements hold, and which they leave out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from memguard.facts.forms import ClassRecall, FactClass, KeyFact, OmissionReport, Statement
from memguard.facts.matching import FactIndex


def omissions(
    facts: Sequence[KeyFact], statements: Sequence[Statement], index: FactIndex | None = None
) -> OmissionReport:
    """Report which facts the statements hold.

    Args:
        facts: Of one conversation.
        statements: What is looked in, such as the lines of a payload.
        index: Of the same facts, where many payloads are looked at; default: made here.
    """
    kept = (index or FactIndex(facts)).held_by_any(statements)
    current = [fact for fact in facts if fact.superseded_by is None]
    totals = Counter(fact.kind for fact in current)
    held = Counter(fact.kind for fact in current if fact.id in kept)
    return OmissionReport(
        kept=tuple(fact.id for fact in current if fact.id in kept),
        missing=tuple(fact.id for fact in current if fact.id not in kept),
        superseded=tuple(fact.id for fact in facts if fact.superseded_by is not None),
        recall=len(kept) / len(current) if current else None,
        by_class=tuple(ClassRecall(kind, held[kind], totals[kind]) for kind in FactClass if totals[kind]),
    )
