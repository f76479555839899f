"""A run as it is played: the trace up to a sub-step. Pure functions over a trace and a place in it.

The sub-steps of a stage are what an audience can follow: one pick of the selection, then the summary;
one verdict; one line of the context. A stage with very many shows several at a time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby

from memguard.compressor import Compression
from memguard.eliminator import Elimination
from memguard.reconstructor import Reconstruction
from memguard.selection import Decision, MessageDecision
from memguard.trace import Trace
from pages._ui.session import Playing

MOST_BEATS = 24
"""A stage is played in no more sub-steps than this, so that it ends within half a minute."""
_UNITS = ("picks", "claims", "lines")


@dataclass(frozen=True, slots=True)
class Scene:
    """What is seen of a run at one moment of its playing.

    Attributes:
        trace: The stages before whole, the one that is played up to the moment.
        stage: The stage that is played, from 0.
        shown: How many of its picks, claims or lines are seen.
        total: How many there are.
        is_whole: Whether all of the stage is seen, its last sub-step included.
        message: The message that the moment is about.
        claim: The claim that the moment is about.
    """

    trace: Trace
    stage: int
    shown: int
    total: int
    is_whole: bool
    message: str | None = None
    claim: str | None = None

    @property
    def words(self) -> str:
        """Where the playing is, in words."""
        return f"{self.shown:,} of {self.total:,} {_UNITS[self.stage]}"


def n_beats(trace: Trace, stage: int) -> int:
    """Return how many sub-steps a finished stage is played in; at least one."""
    beats = min(MOST_BEATS, _total(trace, stage))
    return max(1, beats + (stage == 0))  # the summary is a sub-step of its own


def scene(trace: Trace, stage: int, beat: int) -> Scene:
    """Return what is seen of a finished stage after so many of its sub-steps."""
    total, beats = _total(trace, stage), n_beats(trace, stage)
    is_whole = beat >= beats
    shown = total if is_whole else -(-beat * total // max(1, min(MOST_BEATS, total)))
    until = trace.rewind(len(trace.results) - stage - (1 if is_whole else 0))
    if is_whole:
        return Scene(until, stage, total, total, is_whole, *_moment(trace, stage, shown))
    result = _part(trace, stage, shown)
    return Scene(
        until.with_result(result, trace.timings[stage]),
        stage,
        shown,
        total,
        is_whole,
        *_moment(trace, stage, shown),
    )


def scene_of(trace: Trace, playing: Playing | None) -> Scene | None:
    """Return what is seen where the playing is, None where nothing is played or its stage has not run."""
    if playing is None or playing.stage >= len(trace.results):
        return None
    return scene(trace, playing.stage, playing.beat)


def picks(compression: Compression) -> list[MessageDecision]:
    """Return the picked messages in the order of the picks."""
    picked = [d for d in compression.messages if d.decision is Decision.PICKED]
    return sorted(picked, key=lambda d: d.rank or 0)


def lines(reconstruction: Reconstruction) -> list[list[str]]:
    """Return the lines of the context, each as the ids of its claims."""
    return [[p.claim_id for p in pieces] for _, pieces in groupby(reconstruction.pieces, lambda p: p.line)]


def _total(trace: Trace, stage: int) -> int:
    if stage == 0:
        return len(picks(trace[Compression]))
    if stage == 1:
        return len(trace[Elimination].verdicts)
    return len(lines(trace[Reconstruction]))


def _part(trace: Trace, stage: int, shown: int) -> Compression | Elimination | Reconstruction:
    """Return the result of a stage as if it had come so far and no further."""
    if stage == 0:
        compression = trace[Compression]
        picked = picks(compression)[:shown]
        return replace(
            compression,
            paragraph="",
            messages=tuple(picked),
            tokens_selected=sum(d.n_tokens for d in picked),
            tokens_out=0,
        )
    if stage == 1:
        elimination = trace[Elimination]
        return replace(elimination, verdicts=elimination.verdicts[:shown], scored=elimination.scored[:shown])
    reconstruction = trace[Reconstruction]
    seen = {claim for line in lines(reconstruction)[:shown] for claim in line}
    pieces = tuple(p for p in reconstruction.pieces if p.claim_id in seen)
    return replace(reconstruction, pieces=pieces, omitted=())


def _moment(trace: Trace, stage: int, shown: int) -> tuple[str | None, str | None]:
    """Return the message and the claim that the last thing seen is about."""
    if not shown:
        return None, None
    if stage == 0:
        return picks(trace[Compression])[shown - 1].message_id, None
    if stage == 1:
        return None, trace[Elimination].verdicts[shown - 1].claim.id
    return None, lines(trace[Reconstruction])[shown - 1][-1]
