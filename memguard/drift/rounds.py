"""A round of the game: some claims of a conversation, a few of them made wrong, all from one seed."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from memguard.drift.ground import Ground
from memguard.drift.injection import Injection, inject
from memguard.transcripts.samples import KINDS


@dataclass(frozen=True, slots=True)
class Item:
    """One claim of a round: as it is shown, and the mistake that was put into it, if any."""

    text: str
    injection: Injection | None = None

    @property
    def is_wrong(self) -> bool:
        """Whether a mistake was put into it."""
        return self.injection is not None


@dataclass(frozen=True, slots=True)
class Round:
    """The claims of a round in the order in which they are shown."""

    items: tuple[Item, ...]

    @property
    def wrong(self) -> frozenset[int]:
        """The numbers of the claims that were made wrong, from 0."""
        return frozenset(n for n, item in enumerate(self.items) if item.is_wrong)

    def n_right(self, marked: Collection[int]) -> int:
        """Return how many claims were told right by who marked these numbers as wrong."""
        return sum((n in marked) is item.is_wrong for n, item in enumerate(self.items))


def make_round(
    claims: Sequence[str], ground: Ground, *, size: int = 8, kind: str | None = None, seed: int = 0
) -> Round:
    """Draw claims and make about half of them wrong; the same arguments give the same round.

    Args:
        claims: Claims that the conversation supports.
        ground: The conversation.
        size: How many to draw; all where there are fewer.
        kind: The only kind of mistake, one of ``KINDS``; None takes any.
        seed: Chooses the claims, the mistakes and how many there are.

    Returns:
        The round; it may hold no mistake where no drawn claim offers a place for one.

    Raises:
        InvalidParameterError: The kind is unknown; names the kinds.
    """
    rng = random.Random(f"{seed}:{kind or ''}")  # noqa: S311  a game, not a secret
    unique = list(dict.fromkeys(claims))
    drawn = rng.sample(unique, min(size, len(unique)))
    if not drawn:
        return Round(())
    least = max(1, len(drawn) // 3)
    wanted = rng.randint(least, max(least, len(drawn) // 2 + 1))
    made: dict[int, Injection] = {}
    for number in rng.sample(range(len(drawn)), len(drawn)):
        if len(made) == wanted:
            break
        found = _mistake(drawn[number], ground, kind, seed, rng)
        if found is not None:
            made[number] = found
    return Round(
        tuple(Item(made[n].text, made[n]) if n in made else Item(text) for n, text in enumerate(drawn))
    )


def _mistake(claim: str, ground: Ground, kind: str | None, seed: int, rng: random.Random) -> Injection | None:
    kinds = [kind] if kind is not None else rng.sample(KINDS, len(KINDS))
    return next((found for k in kinds if (found := inject(claim, k, ground, seed)) is not None), None)
