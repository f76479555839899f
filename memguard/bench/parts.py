"""Parts of a measurement, each in a fresh process: loading is cold there and peak memory is its own."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict

from memguard.bench.report import Figure, Say
from memguard.errors import MemGuardError

Parts = Mapping[str, Callable[[bool], list[Figure]]]


def measure_parts(module: str, parts: Parts, *, progress: Say, quick: bool) -> list[Figure]:
    """Run every part as ``python -m module PART`` and gather the figures.

    Raises:
        MemGuardError: A part failed; its last words are in the message.
    """
    figures: list[Figure] = []
    for name in parts:
        progress(f"measuring: {name}")
        command = [sys.executable, "-W", "ignore", "-m", module, name, *(["quick"] * quick)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            words = done.stderr.strip().splitlines()
            raise MemGuardError(f"measuring {name} failed: {words[-1] if words else done.returncode}")
        figures += [Figure(**row) for row in json.loads(done.stdout)]
    return figures


def run_part(parts: Parts, arguments: list[str], *, peak_target: float | None = None) -> None:
    """Measure the part that ``arguments`` name and write its figures, its peak memory last."""
    name = arguments[0]
    figures = parts[name]("quick" in arguments[1:])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures.append(Figure(f"peak memory, {name}", peak, "MB", peak_target))
    sys.stdout.write(json.dumps([asdict(figure) for figure in figures]))


@contextmanager
def timed() -> Iterator[Callable[[], float]]:
    """Give a function that returns the seconds of the block, once it is over."""
    started = time.perf_counter()
    ended: list[float] = []
    try:
        yield lambda: ended[0]
    finally:
        ended.append(time.perf_counter() - started)
