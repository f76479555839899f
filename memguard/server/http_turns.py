"""Work in turns: how many requests the models work on at once, how many may wait, and for how long.

A thread cannot be ended from outside; it ends at its next report of progress, and holds its turn until
then.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from memguard.errors import InvalidParameterError, MemGuardError
from memguard.server.http_problems import BUSY, TOO_LONG, RefusedError
from memguard.trace import Progress

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """How much one request may ask for, and how many may ask at once.

    Attributes:
        body_bytes: Largest body.
        time_s: Longest that a request may wait and work, in seconds.
        body_time_s: Longest that its body may take to arrive, in seconds.
        at_once: Requests that are worked on at once: two runs of the models on one processor gain nothing.
        waiting: Requests that may wait for their turn.
        arriving: Requests beside those whose bodies may arrive at once; with ``body_bytes`` it bounds the
            memory that bodies take before anybody looks at them.

    Raises:
        InvalidParameterError: One of them is too small.
    """

    body_bytes: int = 8 * 2**20
    time_s: float = 300.0
    body_time_s: float = 30.0
    at_once: int = 1
    waiting: int = 8
    arriving: int = 16

    @property
    def inside(self) -> int:
        """How many requests may be under way at once, those included that are still arriving."""
        return self.at_once + self.waiting + self.arriving

    def __post_init__(self) -> None:
        """Refuse what would serve nobody."""
        for name, low in (("body_bytes", 1), ("at_once", 1), ("waiting", 0), ("arriving", 1)):
            if getattr(self, name) < low:
                raise InvalidParameterError(f"{name} must be {low} or more; got {getattr(self, name)}")
        for name in ("time_s", "body_time_s"):
            if not getattr(self, name) > 0:
                raise InvalidParameterError(f"{name} must be more than 0; got {getattr(self, name)}")


class _StoppedError(MemGuardError):
    """The work of a request that nobody waits for any longer."""


class Turns:
    """Runs work on threads of its own, a bounded number at once."""

    def __init__(self, limits: HttpLimits) -> None:
        self._limits = limits
        self._pool: ThreadPoolExecutor | None = None
        self._lock = threading.Lock()
        self._stops: set[threading.Event] = set()

    def open(self) -> None:
        """Take work from now on."""
        self._pool = ThreadPoolExecutor(self._limits.at_once, thread_name_prefix="memguard")

    @property
    def pending(self) -> int:
        """How many are worked on or wait."""
        return len(self._stops)

    async def take(self, work: Callable[[Progress], T]) -> T:
        """Do work on a thread and return what it gives.

        Args:
            work: Takes a progress; calls it often.

        Raises:
            RefusedError: The server stops, too many wait already, its turn did not come in time, or
                it took too long.
        """
        stop = threading.Event()
        with self._lock:
            is_full = len(self._stops) >= self._limits.at_once + self._limits.waiting
            if self._pool is None or is_full:
                raise RefusedError(BUSY)
            self._stops.add(stop)
            future = self._pool.submit(work, _stopping(stop))
        future.add_done_callback(lambda _: self._leave(stop))
        try:
            async with asyncio.timeout(self._limits.time_s):
                return await asyncio.wrap_future(future)
        except TimeoutError:
            raise RefusedError(BUSY if _never_ran(future) else TOO_LONG) from None
        finally:
            stop.set()

    def close(self) -> None:
        """Let nothing more begin, and end what runs at its next report of progress."""
        with self._lock:
            pool, self._pool = self._pool, None
            for stop in self._stops:
                stop.set()
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)

    def _leave(self, stop: threading.Event) -> None:
        with self._lock:
            self._stops.discard(stop)


def _never_ran(future: Future[T]) -> bool:
    """Return whether work was taken back before its turn; waiting for it was given up just now."""
    return future.cancelled()


def _stopping(stop: threading.Event) -> Progress:
    def progress(stage: str, _done: int, _total: int, _label: str) -> None:
        if stop.is_set():
            raise _StoppedError(f"stopped in {stage}: nobody waits for it")

    return progress
