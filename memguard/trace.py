"""The carrier of one run: results keyed by type, and the protocols of a stage and its progress.

A trace knows no stage. Each step returns a new trace; nothing is changed in place, so a caller
can keep any of them, step on from it again, or go back with ``rewind``.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol, TypeVar

from memguard.errors import StageOrderError
from memguard.grounding.overrides import Override
from memguard.messages import Conversation
from memguard.settings import Settings

ResultT = TypeVar("ResultT")

Progress = Callable[[str, int, int, str], None]
"""Called with (stage, items done, items in all, what is being done)."""


def silent(stage: str, done: int, total: int, label: str) -> None:
    """Ignore progress."""


@dataclass(frozen=True, slots=True)
class StageTiming:
    """When a stage ran and for how many seconds."""

    stage: str
    started_at: datetime
    duration_s: float


@dataclass(frozen=True, slots=True)
class Trace:
    """One conversation on its way through the stages.

    Two traces are equal when conversation, settings, overrides and results are; clocks and the run's
    id do not count.

    Attributes:
        conversation: The immutable evidence.
        settings: What the results were made with.
        results: One a finished stage, in order, each of a type of its own.
        timings: One a result.
        run_id: Names the run in its audit.
        overrides: What a person decided of claims, at most one a claim; stays when the trace goes back.
    """

    conversation: Conversation
    settings: Settings
    results: tuple[object, ...] = ()
    timings: tuple[StageTiming, ...] = field(default=(), compare=False)
    run_id: str = field(default_factory=lambda: uuid.uuid4().hex, compare=False)
    overrides: tuple[Override, ...] = ()

    def __getitem__(self, kind: type[ResultT]) -> ResultT:
        """Return the result of this type.

        Raises:
            StageOrderError: The stage that produces it has not run.
        """
        found = self.get(kind)
        if found is None:
            raise StageOrderError(f"this trace has no {kind.__name__} yet: run the stage before it")
        return found

    def get(self, kind: type[ResultT]) -> ResultT | None:
        """Return the result of this type, or None."""
        return next((result for result in self.results if isinstance(result, kind)), None)

    def with_result(self, result: object, timing: StageTiming) -> Trace:
        """Return a trace with one more result."""
        return replace(self, results=(*self.results, result), timings=(*self.timings, timing))

    def rewind(self, steps: int = 1) -> Trace:
        """Return the trace as it was ``steps`` stages ago; never before the beginning."""
        keep = max(0, len(self.results) - steps)
        return replace(self, results=self.results[:keep], timings=self.timings[:keep])


class Stage(Protocol):
    """One step of the pipeline: reads a trace, returns one new result, changes nothing."""

    @property
    def name(self) -> str:
        """The stage's name in progress, audit and errors."""
        ...

    @property
    def reads(self) -> tuple[str, ...]:
        """Sections of the settings, ``seed`` or ``overrides``: what its result depends on."""
        ...

    @property
    def requires(self) -> tuple[type, ...]:
        """Result types that must be in the trace."""
        ...

    @property
    def produces(self) -> type:
        """The result's type."""
        ...

    def run(self, trace: Trace, *, progress: Progress = silent) -> object:
        """Return the stage's result for this trace."""
        ...

    def adjust(self, result: object, trace: Trace, before: Settings) -> object | None:
        """Bring a result made with the settings ``before`` up to the trace's own without a model.

        The trace's overrides may have changed as well.

        Returns None where that cannot be done, and the stage has to run. Called only where
        everything before this stage is unchanged.
        """
        ...
