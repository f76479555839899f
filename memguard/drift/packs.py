"""Several texts checked at once, and what became of each: the catch rate and the false drops by kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memguard.grounding.verdicts import Label, Verdict
from memguard.transcripts.samples import KINDS, DriftClaim

_BETWEEN = "\n\n"
"""Nothing is carried from one paragraph into the next, so each text is judged as if it stood alone."""


@dataclass(frozen=True, slots=True)
class Pack:
    """Texts joined into one summary, so that one pass measures them all.

    Attributes:
        text: The summary.
        spans: Where each text stands in it, half-open offsets.
    """

    text: str
    spans: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, texts: Sequence[str]) -> Pack:
        """Join texts, one a paragraph."""
        spans, at = [], 0
        for text in texts:
            spans.append((at, at + len(text)))
            at += len(text) + len(_BETWEEN)
        return cls(_BETWEEN.join(texts), tuple(spans))

    def verdicts(self, found: Sequence[Verdict]) -> tuple[tuple[Verdict, ...], ...]:
        """Return the verdicts on the claims of each text; what is not a claim is left out."""
        stated = [v for v in found if v.label is not Label.NOT_A_CLAIM and v.claim.span is not None]
        return tuple(
            tuple(v for v in stated if v.claim.span is not None and start <= v.claim.span[0] < end)
            for start, end in self.spans
        )


def is_kept(verdicts: Sequence[Verdict]) -> bool:
    """Tell whether a text is kept: it has a claim, and all of its claims are kept (as the bench counts)."""
    return bool(verdicts) and all(verdict.kept for verdict in verdicts)


@dataclass(frozen=True, slots=True)
class KindRate:
    """How one kind of drift was told from true claims.

    Attributes:
        kind: One of ``KINDS``; empty for the sum over all.
        n_drifted: Claims labelled unsupported.
        n_caught: Of those, dropped.
        n_true: Claims labelled supported.
        n_dropped: Of those, dropped: the false drops.
    """

    kind: str
    n_drifted: int
    n_caught: int
    n_true: int
    n_dropped: int

    @property
    def catch_rate(self) -> float | None:
        """Share of the drifted claims that was dropped, in [0, 1]; None without any."""
        return self.n_caught / self.n_drifted if self.n_drifted else None

    @property
    def false_drop_rate(self) -> float | None:
        """Share of the true claims that was dropped, in [0, 1]; None without any."""
        return self.n_dropped / self.n_true if self.n_true else None


def rates(drift: Sequence[DriftClaim], kept: Sequence[bool]) -> tuple[KindRate, ...]:
    """Return the figures of each kind that occurs, in the order of ``KINDS``, and their sum at last.

    Args:
        drift: Labelled claims.
        kept: What became of each, in the same order.

    Raises:
        ValueError: The two differ in length.
    """
    rows = list(zip(drift, kept, strict=True))
    found = [_rate(kind, [row for row in rows if row[0].kind == kind]) for kind in KINDS]
    return (*(rate for rate in found if rate.n_drifted or rate.n_true), _rate("", rows))


def _rate(kind: str, rows: Sequence[tuple[DriftClaim, bool]]) -> KindRate:
    drifted = [kept for claim, kept in rows if claim.label == "unsupported"]
    true = [kept for claim, kept in rows if claim.label == "supported"]
    return KindRate(kind, len(drifted), drifted.count(False), len(true), true.count(False))
