"""Claims: the statements of a summary that can be judged one by one (A17)."""

from __future__ import annotations

from dataclasses import dataclass

from memguard.segmentation import sentence_spans
from memguard.text import is_blank


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement of a summary.

    Attributes:
        id: ``c1``, ``c2``, … in the order of the summary; ``v1``, … for a verbatim source sentence.
        text: Verbatim from the summary; this is what survives.
        span: Half-open offsets into the summary; None for a verbatim source sentence.
        judged_as: The self-contained form that is scored.
    """

    id: str
    text: str
    span: tuple[int, int] | None
    judged_as: str


def extract_claims(summary: str) -> tuple[Claim, ...]:
    """Split a summary into its claims, one a sentence; none for a blank summary."""
    spans = [s for s in sentence_spans(summary) if not is_blank(summary[s[0] : s[1]])]
    return tuple(
        Claim(f"c{number}", summary[start:end], (start, end), summary[start:end])
        for number, (start, end) in enumerate(spans, start=1)
    )
