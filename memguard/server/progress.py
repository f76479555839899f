"""The stages' counts as one number that only rises, as the protocol asks of a call's progress."""

from __future__ import annotations

from collections.abc import Callable

STAGES = ("models", "compression", "elimination", "reconstruction")
TOTAL = float(len(STAGES))
_LEAST_STEP = 0.001

Report = Callable[[float, float, str], None]
"""Takes progress, total and a message."""


class Climb:
    """Passes on what a stage reports; several counts of one stage share its unit."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._at = 0.0
        self._label = ""

    def __call__(self, stage: str, done: int, total: int, label: str) -> None:
        """Report where the call is; what brings neither a higher number nor another label is left out."""
        base = STAGES.index(stage) if stage in STAGES else int(self._at)
        value = base + (done / total if total else 0.0)
        if value <= self._at:
            if label == self._label:
                return
            value = self._at + _LEAST_STEP
        if value > TOTAL:
            return
        self._at, self._label = value, label
        self._report(value, TOTAL, f"{stage}: {label}, {done} of {total}")
