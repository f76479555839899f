"""Finds the key facts of a conversation."""

from __future__ import annotations

from memguard.facts.forms import FactClass, KeyFact
from memguard.grounding.claims.kinds import ClaimKind, kind_of
from memguard.grounding.guards.values import values
from memguard.grounding.sources import sources_of
from memguard.messages import Conversation


def find_facts(conversation: Conversation) -> tuple[KeyFact, ...]:
    """Find the key facts of a conversation, in its order."""
    found: list[KeyFact] = []
    for source in sources_of(conversation):
        if kind_of(source.text) is not ClaimKind.STATEMENT:
            continue
        for value in values(source.text):
            kind = (FactClass.PRODUCT if value.is_name else FactClass.DATE if value.kind in {"day", "time", "weekday"}
                    else FactClass.PRICE if "money" in value.kind else FactClass.IDENTIFIER if value.kind.startswith("id")
                    else FactClass.NUMBER)
            span = source.at(value.start, value.end)
            found.append(KeyFact(f"f{len(found) + 1}", kind, span, source.text[value.start:value.end].casefold(), 0.5, source.span))
    return tuple(found)
