"""Whether a statement holds a key fact: the same canonical value, said of the same thing."""

from __future__ import annotations

from collections.abc import Sequence

from memguard.facts.forms import KeyFact, Statement
from memguard.grounding.guards.values import values
from memguard.grounding.reading.words import content_keys


class Holder:
    """Statements, read for key facts."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        """Read the statements once."""
        self._texts = [" ".join(s.text.casefold().split()) for s in statements]
        self._values = {v.key for s in statements for v in values(s.text)}
        self._keys = [content_keys(s.text) for s in statements]

    def holds(self, fact: KeyFact) -> bool:
        """Tell whether a statement holds the fact."""
        return any(fact.value in text for text in self._texts)
