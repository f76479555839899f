"""What the lab works on: a summary that is true of the conversation, and the claims it is made of."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from memguard.compressor import Compression
from memguard.drift import Ground
from memguard.eliminator import Elimination
from memguard.messages import Conversation
from memguard.trace import Trace
from memguard.transcripts import Sample

TRUE, PARAGRAPH = "true", "paragraph"


@dataclass(frozen=True, slots=True)
class Material:
    """What one conversation gives.

    Attributes:
        conversation: What everything is checked against.
        origin: ``TRUE``, the claims that are labelled true, or ``PARAGRAPH``, what the run wrote.
        summary: The text to begin with.
        claims: Claims to play with; labelled true, or kept by the run.
        ground: What mistakes draw on.
        sample: The sample, whose drift pack has labels; None for a conversation of one's own.
    """

    conversation: Conversation
    origin: str
    summary: str
    claims: tuple[str, ...]
    ground: Ground
    sample: Sample | None

    @property
    def subject(self) -> tuple[str, str]:
        """Conversation and text that this is of."""
        return self.conversation.digest(), f"{self.origin}:{self.summary}"


def basis(trace: Trace, sample: Sample | None, origin: str) -> Hashable:
    """Return what the material follows from: equal where :func:`material` would give the same."""
    compression = trace.get(Compression)
    paragraph = compression.paragraph if compression is not None else None
    return (
        trace.conversation.digest(),
        origin,
        paragraph,
        sample.name if sample is not None else _kept(trace),
    )


def material(trace: Trace, sample: Sample | None, origin: str) -> Material:
    """Return what a conversation gives.

    Args:
        trace: Of the session; without a sample it must hold compression and elimination.
        sample: The sample that the conversation is, if it is one.
        origin: What is wished for; the run's paragraph can only be had once there is one.
    """
    compression = trace.get(Compression)
    if sample is None or (origin == PARAGRAPH and compression is not None):
        origin, summary = PARAGRAPH, trace[Compression].paragraph
    else:
        origin, summary = TRUE, " ".join(_ended(fact.text) for fact in sample.facts)
    claims = _labelled(sample) if sample is not None else _kept(trace)
    ground = Ground.of(trace.conversation, claims)
    return Material(trace.conversation, origin, summary, claims, ground, sample)


def _labelled(sample: Sample) -> tuple[str, ...]:
    supported = [drift.claim for drift in sample.drift if drift.label == "supported"]
    return tuple(dict.fromkeys([*supported, *(fact.text for fact in sample.facts)]))


def _kept(trace: Trace) -> tuple[str, ...]:
    elimination = trace.get(Elimination)
    kept = elimination.kept if elimination is not None else ()
    return tuple(dict.fromkeys(_ended(verdict.claim.judged_as) for verdict in kept))


def _ended(text: str) -> str:
    return text if text.rstrip().endswith((".", "!", "?")) else f"{text.rstrip()}."
