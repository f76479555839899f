"""Which compression fits what was analysed (E03, E04)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

from memguard.errors import InvalidParameterError
from memguard.grounding.reading.words import content_keys


class Strategy(StrEnum):
    """How observations are compressed; the value is the tag of an entry (E04)."""

    NOISE_REDUCTION = "noise-reduction"
    SEMANTIC_SUMMARIZATION = "semantic-summarization"
    CITATION_PRESERVATION = "citation-preservation"


NOISY = 0.3
"""Share of noise and copies from which they go first."""
VERBOSE = 20.0
"""Mean words of a factual observation from which it is worth a summary."""
RELATED = 0.25
"""Shared content words (Jaccard) from which two observations are about one thing."""


@dataclass(frozen=True, slots=True)
class Traits:
    """What the choice depends on.

    Attributes:
        noise_share: Of noise and copies among all observations.
        mean_words: Of an observation that says something.
        framed: Observations that lose framing.
        related: Whether several are about one thing.
    """

    noise_share: float
    mean_words: float
    framed: int
    related: bool


def choose(traits: Traits) -> tuple[Strategy, ...]:
    """Return the strategies that fit, the first one to be applied first (E03).

    Where nothing is noisy, verbose or related, citation preservation: it changes the least.
    """
    chosen: list[Strategy] = []
    if traits.noise_share >= NOISY:
        chosen.append(Strategy.NOISE_REDUCTION)
    if traits.mean_words >= VERBOSE or traits.framed:
        chosen.append(Strategy.SEMANTIC_SUMMARIZATION)
    if traits.related or not chosen:
        chosen.append(Strategy.CITATION_PRESERVATION)
    return tuple(chosen)


def checked(strategies: Sequence[Strategy | str]) -> tuple[Strategy, ...]:
    """Return strategies given by name, each once.

    Raises:
        InvalidParameterError: None is given, or one does not exist.
    """
    known = [strategy.value for strategy in Strategy]
    if isinstance(strategies, str) or not strategies:
        raise InvalidParameterError(f"strategies must be a list of {', '.join(known)}; got {strategies!r}")
    for name in strategies:
        if name not in known:
            raise InvalidParameterError(
                f"strategies: there is no strategy {name!r}; known: {', '.join(known)}"
            )
    return tuple(dict.fromkeys(map(Strategy, strategies)))


def related(texts: Sequence[str]) -> bool:
    """Tell whether two of the texts are about one thing."""
    keys = [content_keys(text) for text in texts]
    return any(shared(a, b) >= RELATED for a, b in combinations(keys, 2))


def shared(a: frozenset[str], b: frozenset[str]) -> float:
    """Return the Jaccard similarity of two sets of words, in [0, 1]; 0 where one is empty."""
    return len(a & b) / len(a | b) if a and b else 0.0
