"""The runner: takes a trace through the stages, one at a time or all at once."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from memguard.eliminator import Elimination, bound
from memguard.errors import MemGuardError, StageFailedError, StageOrderError
from memguard.grounding.overrides import Override
from memguard.messages import Conversation
from memguard.settings import Settings
from memguard.trace import Progress, Stage, StageTiming, Trace, silent


class Pipeline:
    """Stages in order, each with what it requires produced before it."""

    def __init__(self, stages: Sequence[Stage]) -> None:
        """Check the order of the stages before anything runs.

        Raises:
            StageOrderError: A stage requires what none before it produces.
        """
        produced: list[type] = []
        for stage in stages:
            missing = [kind.__name__ for kind in stage.requires if kind not in produced]
            if missing:
                raise StageOrderError(
                    f"the stage {stage.name!r} requires {', '.join(missing)}, which no stage before it makes"
                )
            produced.append(stage.produces)
        self.stages = tuple(stages)

    def next_stage(self, trace: Trace) -> Stage | None:
        """Return the stage that ``step`` would run, or None when the trace is complete."""
        return next((stage for stage in self.stages if trace.get(stage.produces) is None), None)

    def step(self, trace: Trace, *, progress: Progress = silent) -> Trace:
        """Run the next stage; a complete trace comes back as it is."""
        stage = self.next_stage(trace)
        return trace if stage is None else self._run(stage, trace, progress)

    def steps(
        self, conversation: Conversation, settings: Settings, *, progress: Progress = silent
    ) -> Iterator[Trace]:
        """Yield the trace after each stage."""
        yield from self.resume(Trace(conversation, settings), progress=progress)

    def resume(self, trace: Trace, *, progress: Progress = silent) -> Iterator[Trace]:
        """Yield the trace after each stage that it still lacks."""
        while self.next_stage(trace) is not None:
            trace = self.step(trace, progress=progress)
            yield trace

    def run(self, conversation: Conversation, settings: Settings, *, progress: Progress = silent) -> Trace:
        """Run all stages and return the complete trace."""
        return self.finish(Trace(conversation, settings), progress=progress)

    def finish(self, trace: Trace, *, progress: Progress = silent) -> Trace:
        """Run the stages that the trace still lacks."""
        for current in self.resume(trace, progress=progress):
            trace = current
        return trace

    def update(self, trace: Trace, settings: Settings, *, progress: Progress = silent) -> Trace:
        """Bring the finished stages of a trace up to new settings.

        A stage keeps its result while the sections that it reads and all results before it are
        unchanged; else it adjusts the result without a model or, where it cannot, runs again. An
        adjusted result keeps the time of its measuring. What comes back is a run of its own, with a
        new ``run_id``; equal settings give the trace itself.

        Raises:
            StageOrderError: The trace holds a result that none of the stages makes.
        """
        every = tuple(stage.produces for stage in self.stages)
        return self.settled(trace, settings, again=every, progress=progress)

    def settled(
        self,
        trace: Trace,
        settings: Settings,
        *,
        again: tuple[type, ...] = (),
        progress: Progress = silent,
    ) -> Trace:
        """Return what of a trace still holds under new settings.

        A result that is unaffected, or that its stage can adjust, is kept with its time; the first
        that is neither ends the trace, and ``step`` goes on from there. Equal settings give the
        trace itself.

        Args:
            trace: Through any number of stages.
            settings: The new ones.
            again: Result types that are made anew in place of being dropped.
            progress: Called while a stage works.

        Raises:
            StageOrderError: The trace holds a result that none of the stages makes.
        """
        if settings == trace.settings:
            return trace
        start = Trace(trace.conversation, settings, overrides=trace.overrides)
        return self._brought(trace, start, again, progress)

    def override(self, trace: Trace, overrides: Iterable[Override], *, progress: Progress = silent) -> Trace:
        """Return a run under these overrides in place of those it has; no model runs.

        Claims are judged again and the payload follows. ``[*trace.overrides, one_more]`` adds one or
        replaces the earlier one of its claim; none at all takes every override back. What comes back
        is a run of its own, with a new ``run_id``; the same overrides give the trace itself.

        Raises:
            StageOrderError: Elimination has not run.
            InvalidParameterError: An override names no claim of this run, or one about which there
                is nothing to decide.
        """
        tied = bound(overrides, trace[Elimination], trace.overrides)
        if tied == trace.overrides:
            return trace
        start = Trace(trace.conversation, trace.settings, overrides=tied)
        every = tuple(stage.produces for stage in self.stages)
        return self._brought(trace, start, every, progress)

    def _brought(self, trace: Trace, kept: Trace, again: tuple[type, ...], progress: Progress) -> Trace:
        """Carry the results of a trace over to an empty one, as far as they hold or can be adjusted."""
        changed = False
        for stage, timing in zip(self._finished(trace), trace.timings, strict=True):
            result: object = trace[stage.produces]
            if not changed and _same(stage, trace, kept):
                kept = kept.with_result(result, timing)
                continue
            adjusted = None if changed else stage.adjust(result, kept, trace.settings)
            if adjusted is not None:
                kept = kept.with_result(adjusted, timing)
            elif stage.produces in again:
                kept = self._run(stage, kept, progress)
            else:
                break
            changed = changed or kept[stage.produces] != result
        return kept

    def _finished(self, trace: Trace) -> list[Stage]:
        by_result = {stage.produces: stage for stage in self.stages}
        unknown = [type(r).__name__ for r in trace.results if type(r) not in by_result]
        if unknown:
            raise StageOrderError(f"no stage of this pipeline makes {', '.join(unknown)}")
        return [by_result[type(result)] for result in trace.results]

    def _run(self, stage: Stage, trace: Trace, progress: Progress) -> Trace:
        started, clock = datetime.now(UTC), time.perf_counter()
        try:
            result = stage.run(trace, progress=progress)
        except MemGuardError:
            raise
        except Exception as error:  # the one broad except: it names the stage
            raise StageFailedError(f"{stage.name} failed: {type(error).__name__}: {error}") from error
        return trace.with_result(result, StageTiming(stage.name, started, time.perf_counter() - clock))


def _same(stage: Stage, before: Trace, after: Trace) -> bool:
    return all(_read(before, name) == _read(after, name) for name in stage.reads)


def _read(trace: Trace, name: str) -> object:
    return trace.overrides if name == "overrides" else getattr(trace.settings, name)
