"""What the page is about: one run, or those of all samples, judged as the settings now stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from memguard.compressor import Compression
from memguard.eliminator import Elimination, judged
from memguard.grounding.verdicts import Verdict
from memguard.reconstructor import Reconstruction
from memguard.settings import Settings
from memguard.sweep import LabelledClaim, Reconstruct
from memguard.trace import Trace
from memguard.transcripts import Sample
from pages._ui import state
from pages._ui.tuning import measured


@dataclass(frozen=True)
class Run:
    """One run, judged as the settings now stand.

    Attributes:
        title: Of its conversation.
        trace: Through elimination at least.
    """

    title: str
    trace: Trace


@dataclass(frozen=True)
class Subject:
    """What the page is about.

    Attributes:
        runs: One of this conversation, or one a sample that has been run.
        labelled: Labelled claims that have been measured.
        unlabelled: Samples whose labelled claims have not.
    """

    runs: tuple[Run, ...]
    labelled: tuple[LabelledClaim, ...]
    unlabelled: tuple[Sample, ...] = ()

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """All verdicts, run by run."""
        return tuple(v for run in self.runs for v in run.trace[Elimination].verdicts)

    @property
    def scored(self) -> list[object]:
        """What was measured of each run, one object a run."""
        return [run.trace[Elimination].scored for run in self.runs]

    def tokens(self, reconstruct: Reconstruct) -> int:
        """Return the tokens of all payloads as the settings now stand."""
        made = ((run.trace, run.trace.get(Reconstruction)) for run in self.runs)
        return sum((result or reconstruct(trace)).tokens for trace, result in made)


def of_session(current: state.Session, samples: Iterable[Sample]) -> Subject:
    """Return this session's run, with the labelled claims of its sample if it is one."""
    if current.trace is None or current.source is None:
        return Subject((), ())
    run = Run(current.source.title, current.trace)
    sample = next((s for s in samples if s.name == current.source.sample), None)
    if sample is None:
        return Subject((run,), ())
    claims = measured.labelled(sample, current.settings)
    return Subject((run,), claims or (), () if claims is not None else (sample,))


def of_samples(samples: Sequence[Sample], settings: Settings) -> Subject:
    """Return all samples, as far as they have been measured."""
    runs: list[Run] = []
    claims: list[LabelledClaim] = []
    left = []
    for sample in samples:
        trace, found = measured.run_of(sample, settings), measured.labelled(sample, settings)
        if trace is not None:
            runs.append(Run(sample.title, _judged(trace, settings)))
        if found is None:
            left.append(sample)
        else:
            claims += found
    return Subject(tuple(runs), tuple(claims), tuple(left))


def _judged(trace: Trace, settings: Settings) -> Trace:
    """Judge a run as the settings stand: its measurements may have been made under other thresholds."""
    elimination = trace[Elimination]
    verdicts = judged(elimination.scored, settings.elimination)
    results = (trace[Compression], replace(elimination, verdicts=verdicts))
    return replace(trace, settings=settings, results=results, timings=trace.timings[:2])
