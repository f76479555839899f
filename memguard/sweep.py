"""What a threshold would do at every place where its slider could stand, from claims measured once.

Nothing here decides whether a claim is kept: ``judge`` does, at each threshold that is asked about. It
never keeps more at a higher threshold (F1), so the place where a claim falls is found by bisection, and a
payload is put together only where another set of claims survives.

Claims with labels give three figures of a detector of drift, whose positive answer is "dropped":
precision, recall and false drops; and the threshold at which a stated cost of errors is least.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Literal

from memguard.bounds import bounds_of
from memguard.compressor import Compression
from memguard.eliminator import Elimination, judged
from memguard.errors import InvalidParameterError
from memguard.grounding.overrides import Override, override_of
from memguard.grounding.verdicts import ScoredClaim, Verdict, judge
from memguard.reconstructor import Reconstruction
from memguard.settings import EliminationSettings
from memguard.trace import Trace

Axis = Literal["min_similarity", "min_support"]
AXES: tuple[Axis, ...] = ("min_similarity", "min_support")
Reconstruct = Callable[[Trace], Reconstruction]
_DEFAULTS = EliminationSettings()
_DECIMALS = 2
"""Of the step of both sliders: a threshold of the sweep is a value that a slider can take."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """Claims kept and payload tokens at each threshold, over one run or several.

    Attributes:
        axis: Which threshold is moved; the other and the preset stand still.
        thresholds: Rising.
        kept: Claims kept at each; never rising.
        tokens: Tokens of the payload at each, or of all payloads; a fallback sentence counts as well.
        n_claims: All claims that could be kept.
        n_runs: Over how many runs.
    """

    axis: Axis
    thresholds: tuple[float, ...]
    kept: tuple[int, ...]
    tokens: tuple[int, ...]
    n_claims: int
    n_runs: int

    def at(self, threshold: float) -> int:
        """Return the number of the swept threshold nearest to this one."""
        return nearest(self.thresholds, threshold)


@dataclass(frozen=True, slots=True)
class LabelledClaim:
    """A text with a label, as it was measured against its conversation.

    Attributes:
        text: What was checked.
        supported: The label.
        scored: What was measured of its claims; a text is kept where it has one and all are kept.
        kind: What a drifted text turns on, where that is known.
        group: Which conversation.
    """

    text: str
    supported: bool
    scored: tuple[ScoredClaim, ...] = field(repr=False)
    kind: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True)
class Rates:
    """What one setting does to labelled claims: a detector of drift, which answers by dropping.

    Attributes:
        threshold: The swept threshold.
        wrong_dropped: Drifted claims that are dropped: what it is for.
        wrong_kept: Drifted claims that are kept.
        true_kept: True claims that are kept.
        true_dropped: True claims that are dropped.
    """

    threshold: float
    wrong_dropped: int
    wrong_kept: int
    true_kept: int
    true_dropped: int

    @property
    def precision(self) -> float | None:
        """Of the claims dropped, the share that is wrong; None where none is dropped."""
        return _share(self.wrong_dropped, self.true_dropped)

    @property
    def recall(self) -> float | None:
        """Of the wrong claims, the share that is dropped; None where there is none."""
        return _share(self.wrong_dropped, self.wrong_kept)

    @property
    def false_drops(self) -> float | None:
        """Of the true claims, the share that is dropped; None where there is none."""
        return _share(self.true_dropped, self.true_kept)

    def cost(self, wrong_kept_costs: float) -> float:
        """Return the cost of its errors, where a true claim dropped costs 1."""
        return wrong_kept_costs * self.wrong_kept + self.true_dropped


@dataclass(frozen=True, slots=True)
class CostChoice:
    """Where a stated cost is least.

    Attributes:
        rates: At the lowest threshold of least cost, which keeps the most.
        up_to: The highest threshold up to which the cost stays there.
        cost: The least cost, in true claims dropped.
    """

    rates: Rates
    up_to: float
    cost: float


@dataclass(frozen=True, slots=True)
class Change:
    """A claim that comes back or goes between two settings: its verdict under each."""

    before: Verdict
    after: Verdict

    @property
    def returns(self) -> bool:
        """Whether it comes back."""
        return self.after.kept


def grid(axis: Axis, settings: EliminationSettings) -> tuple[float, ...]:
    """Return the thresholds of a sweep, rising: where the slider can stand, in its own steps.

    They begin at 0, for texts of one conversation are hardly ever opposed, or at the present value if
    that is lower.
    """
    bounds = bounds_of(EliminationSettings, axis)
    if bounds.high is None or bounds.step is None:
        raise InvalidParameterError(f"axis must be a setting with a range and a step; got {axis!r}")
    low = min(0.0, getattr(settings, axis))
    n_steps = round((bounds.high - low) / bounds.step)
    return tuple(round(bounds.high - bounds.step * i, _DECIMALS) for i in range(n_steps, -1, -1))


def nearest(thresholds: Sequence[float], value: float) -> int:
    """Return the number of the threshold nearest to a value; of two, the lower."""
    if not thresholds:
        raise InvalidParameterError("thresholds must not be empty")
    return min(range(len(thresholds)), key=lambda i: abs(thresholds[i] - value))


def sweep(
    traces: Iterable[Trace],
    axis: Axis,
    settings: EliminationSettings,
    reconstruct: Reconstruct,
) -> Sweep:
    """Return what every threshold keeps and how long the payload gets; runs no model.

    Args:
        traces: Through elimination at least; their own thresholds do not matter, their overrides hold.
        axis: Which threshold is moved.
        settings: The preset and the other threshold.
        reconstruct: Assembles a payload, as ``Reconstructor.run`` does.

    Raises:
        StageOrderError: A trace has no elimination yet.
    """
    thresholds = grid(axis, settings)
    at = _settings_at(axis, settings, thresholds)
    kept, tokens = [0] * len(thresholds), [0] * len(thresholds)
    n_claims = n_runs = 0
    for trace in traces:
        n_runs += 1
        scored = trace[Elimination].scored
        overrides = [override_of(claim.claim, {o.claim_id: o for o in trace.overrides}) for claim in scored]
        n_claims += sum(claim.claim.is_statement for claim in scored)
        limits = [_limit(c, at, len(thresholds), o) for c, o in zip(scored, overrides, strict=True)]
        verdicts = [judge(c, at(0), o) for c, o in zip(scored, overrides, strict=True)]
        length = 0
        for i in range(len(thresholds)):
            falling = [n for n, limit in enumerate(limits) if limit == i]
            for n in falling:
                verdicts[n] = judge(scored[n], at(i), overrides[n])
            if i == 0 or falling:  # only here another set of claims survives
                length = reconstruct(_judged(trace, tuple(verdicts), at(i))).tokens
            kept[i] += sum(limit > i for limit in limits)
            tokens[i] += length
    return Sweep(axis, thresholds, tuple(kept), tuple(tokens), n_claims, n_runs)


def rates(claims: Sequence[LabelledClaim], axis: Axis, settings: EliminationSettings) -> tuple[Rates, ...]:
    """Return what every threshold does to labelled claims, the thresholds rising."""
    thresholds = grid(axis, settings)
    at = _settings_at(axis, settings, thresholds)
    limits = [
        min((_limit(scored, at, len(thresholds)) for scored in claim.scored), default=0) for claim in claims
    ]
    return tuple(
        _counted(value, [(claim.supported, limit > i) for claim, limit in zip(claims, limits, strict=True)])
        for i, value in enumerate(thresholds)
    )


def rates_at(claims: Sequence[LabelledClaim], axis: Axis, settings: EliminationSettings) -> Rates:
    """Return what one setting does to labelled claims."""
    kept = [bool(c.scored) and all(judge(s, settings).kept for s in c.scored) for c in claims]
    value: float = getattr(settings, axis)
    return _counted(value, [(c.supported, k) for c, k in zip(claims, kept, strict=True)])


def least_cost(found: Sequence[Rates], wrong_kept_costs: float) -> CostChoice:
    """Return where the cost of errors is least, a wrong claim kept costing so many true ones dropped.

    Of equal costs the lowest threshold is taken, which keeps the most.

    Raises:
        InvalidParameterError: The cost is not above 0, or there are no rates.
    """
    if not wrong_kept_costs > 0:
        raise InvalidParameterError(f"wrong_kept_costs must be above 0; got {wrong_kept_costs!r}")
    if not found:
        raise InvalidParameterError("found must hold the rates of one threshold at least")
    costs = [rate.cost(wrong_kept_costs) for rate in found]
    first = min(range(len(costs)), key=costs.__getitem__)
    last = first
    while last + 1 < len(costs) and costs[last + 1] == costs[first]:
        last += 1
    return CostChoice(found[first], found[last].threshold, costs[first])


def changes(trace: Trace, before: EliminationSettings, after: EliminationSettings) -> tuple[Change, ...]:
    """Return the claims of a run that come back or go between two settings, in their order.

    The run's overrides hold under both, so that what a person decided never changes.

    Raises:
        StageOrderError: The trace has no elimination yet.
    """
    scored = trace[Elimination].scored
    pairs = zip(judged(scored, before, trace.overrides), judged(scored, after, trace.overrides), strict=True)
    return tuple(Change(a, b) for a, b in pairs if a.kept is not b.kept)


def _settings_at(
    axis: Axis, settings: EliminationSettings, thresholds: Sequence[float]
) -> Callable[[int], EliminationSettings]:
    @cache
    def at(number: int) -> EliminationSettings:
        moved: dict[str, Any] = {axis: thresholds[number]}
        return replace(settings, **moved)

    return at


def _limit(
    scored: ScoredClaim,
    at: Callable[[int], EliminationSettings],
    n_thresholds: int,
    override: Override | None = None,
) -> int:
    """Return how many thresholds, from the lowest on, keep a claim."""
    return bisect_left(range(n_thresholds), True, key=lambda i: not judge(scored, at(i), override).kept)


def _judged(trace: Trace, verdicts: tuple[Verdict, ...], settings: EliminationSettings) -> Trace:
    elimination = replace(trace[Elimination], verdicts=verdicts)
    return replace(
        trace,
        settings=replace(trace.settings, elimination=settings),
        results=(trace[Compression], elimination),
        timings=trace.timings[:2],
    )


def _counted(threshold: float, outcomes: Iterable[tuple[bool, bool]]) -> Rates:
    """Count (supported, kept) pairs."""
    found = list(outcomes)
    return Rates(
        threshold,
        wrong_dropped=found.count((False, False)),
        wrong_kept=found.count((False, True)),
        true_kept=found.count((True, True)),
        true_dropped=found.count((True, False)),
    )


def _share(part: int, rest: int) -> float | None:
    return part / (part + rest) if part + rest else None
