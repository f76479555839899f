"""A drifted summary: labelled claims of a sample, half of them wrong on purpose. Pure functions.

What quotes the transcript is seldom dropped, so a sample's own run may have nothing to drop. Its drift
pack has: one true and one wrong claim of each kind become a summary whose labels are known, so that
what was caught, what was missed and what was dropped by mistake can be counted on every page.
"""

from __future__ import annotations

from dataclasses import dataclass

from memguard.charts import counted
from memguard.compressor import Compression
from memguard.drift import Pack, is_kept
from memguard.eliminator import Elimination
from memguard.trace import Trace
from memguard.transcripts import Sample
from memguard.transcripts.samples import DriftClaim
from pages._ui.render import text

_KIND_WORDS = {"plan_as_done": "plan told as done", "superseded": "superseded value"}
_MISSED_SHOWN = 2


@dataclass(frozen=True, slots=True)
class Tally:
    """What became of a drifted summary.

    Attributes:
        n_wrong: Claims that are labelled wrong.
        n_true: Claims that are labelled true.
        missed: Wrong ones that were kept.
        mistaken: True ones that were dropped.
        is_judged: Whether the verdicts are there; else nothing is missed or mistaken yet.
    """

    n_wrong: int
    n_true: int
    missed: tuple[DriftClaim, ...]
    mistaken: tuple[DriftClaim, ...]
    is_judged: bool


def claims(sample: Sample) -> tuple[DriftClaim, ...]:
    """Return the first true and the first wrong claim of each kind, in the order of the sample."""
    first: dict[tuple[str, str], DriftClaim] = {}
    for claim in sample.drift:
        first.setdefault((claim.kind, claim.label), claim)
    return tuple(first.values())


def summary(sample: Sample) -> str:
    """Return the drifted summary of a sample, one claim a paragraph, so that each stands alone."""
    return Pack.of([claim.claim for claim in claims(sample)]).text


def is_planted(trace: Trace, sample: Sample) -> bool:
    """Tell whether the summary of a run is the drifted one of this sample."""
    compression = trace.get(Compression)
    return compression is not None and compression.given and compression.paragraph == summary(sample)


def tally(trace: Trace, sample: Sample) -> Tally | None:
    """Return what became of the drifted summary of a run; None where its summary is another one."""
    if not is_planted(trace, sample):
        return None
    planted = claims(sample)
    wrong = [claim for claim in planted if claim.label == "unsupported"]
    n_wrong, n_true = len(wrong), len(planted) - len(wrong)
    elimination = trace.get(Elimination)
    if elimination is None:
        return Tally(n_wrong, n_true, (), (), is_judged=False)
    found = Pack.of([claim.claim for claim in planted]).verdicts(elimination.verdicts)
    became = [(claim, is_kept(verdicts)) for claim, verdicts in zip(planted, found, strict=True)]
    return Tally(
        n_wrong,
        n_true,
        tuple(claim for claim, kept in became if kept and claim.label == "unsupported"),
        tuple(claim for claim, kept in became if not kept and claim.label == "supported"),
        is_judged=True,
    )


def what_it_is(sample: Sample) -> str:
    """Return in one sentence what the drifted summary of a sample holds."""
    planted = claims(sample)
    n_wrong = sum(claim.label == "unsupported" for claim in planted)
    return (
        f"{counted(len(planted), 'sentence')} about this conversation, {n_wrong:,} of them wrong on purpose."
    )


def words(found: Tally) -> str:
    """Return as HTML what was planted and what became of it, with what was missed named."""
    n = found.n_wrong + found.n_true
    what = f"<b>Drifted summary:</b> {found.n_wrong:,} of its {n:,} sentences are wrong on purpose"
    if not found.is_judged:
        return f"{what}. Press Step to check them."
    caught, dropped = found.n_wrong - len(found.missed), len(found.mistaken)
    return (
        f"{what}; <b>{caught:,} of these {found.n_wrong:,} were dropped</b>, and {dropped:,} of the "
        f"{found.n_true:,} true ones.{_named('Not caught', found.missed)}"
        f"{_named('Dropped although true', found.mistaken)}"
    )


def _named(title: str, found: tuple[DriftClaim, ...]) -> str:
    if not found:
        return ""
    shown = "; ".join(
        f"“{text(claim.claim)}” ({_KIND_WORDS.get(claim.kind, claim.kind)})"
        for claim in found[:_MISSED_SHOWN]
    )
    more = f"; and {len(found) - _MISSED_SHOWN:,} more" if len(found) > _MISSED_SHOWN else ""
    return f"<br>{title}: {shown}{more}"
