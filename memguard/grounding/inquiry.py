"""What a guard is asked: one claim, the sentences of the transcript nearest to it, and who speaks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from memguard.grounding.claims import Claim
from memguard.grounding.sources import Ranked, Source
from memguard.grounding.verdicts import Finding


def _says_nothing(word: str) -> bool:  # noqa: ARG001  # the default where no transcript is at hand
    return False


@dataclass(frozen=True, slots=True)
class Inquiry:
    """One claim before the guards.

    Attributes:
        claim: The claim; guards read ``text``, its self-contained form, and their findings' claim
            spans point into that form.
        ranked: The nearest sentences, the best first, found by cosine and by shared rare words, with
            the neighbours of the best. Short: a dozen or so, never the whole transcript.
        grounds: The few of them on which the claim seems to rest, the best first: the best sentence
            and those that bring words which it lacks.
        speakers: Who speaks in the transcript, in order of first appearance.
        says: Whether a folded word (``names.fold``) stands anywhere in the transcript, near the claim
            or not.
        injected: What of the transcript grounds nothing, as it speaks to the reader or forges a turn.
    """

    claim: Claim
    ranked: tuple[Ranked, ...]
    grounds: tuple[Source, ...]
    speakers: tuple[str, ...]
    says: Callable[[str], bool] = _says_nothing
    injected: tuple[Source, ...] = ()

    @property
    def text(self) -> str:
        """The claim in its self-contained form."""
        return self.claim.judged_as

    @property
    def sources(self) -> tuple[Source, ...]:
        """The nearest sentences, the best first."""
        return tuple(entry.source for entry in self.ranked)

    @property
    def in_order(self) -> tuple[Source, ...]:
        """The nearest sentences in the order of the conversation."""
        return tuple(sorted(self.sources, key=lambda source: source.number))


class Guard(Protocol):
    """Looks for one kind of drift; pure, fast (well under a millisecond a claim) and without a model.

    A guard says what it saw. ``CONTRADICTION``: the transcript says something else of the same thing.
    ``MISSING``: the claim says something of its kind that the transcript does not. ``MATCH``: the
    transcript says it in another form ("a dozen" for "12"), so plain words need not be found.
    ``NOTE``: worth showing, decides nothing. It returns nothing rather than guess.
    """

    def __call__(self, inquiry: Inquiry) -> tuple[Finding, ...]:
        """Return what was seen, each with its span in the claim and, where there is one, in a source."""
        ...
