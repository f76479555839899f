"""The buttons of a run: the next stage, all of them, back; and what the work that they ask for came to."""

from __future__ import annotations

from memguard.errors import MemGuardError
from memguard.trace import Trace
from pages._ui.session import N_STAGES, Wanted
from pages._ui.state import address, playing
from pages._ui.state.held import session, settled


def on_step() -> None:
    """Ask for the next stage."""
    _want("step")


def on_finish() -> None:
    """Ask for all stages that are left."""
    _want("finish")


def on_back() -> None:
    """Undo the last stage."""
    current = settled()
    if current.trace is not None:
        current.trace = current.trace.rewind()
    address.follow()


def on_reset() -> None:
    """Undo all stages; conversation and settings stay."""
    current = settled()
    if current.trace is not None:
        current.trace = current.trace.rewind(len(current.trace.results))
    address.follow()


def finished(trace: Trace) -> None:
    """Keep what the page's work produced."""
    current = session()
    current.trace = trace
    if current.playing is not None:
        playing.hold(current.playing)


def work_ended(error: MemGuardError | None = None, *, fault: Exception | None = None) -> None:
    """Note that the wanted work is done, or why it was not."""
    current = session()
    current.wanted, current.error, current.fault = None, error, fault
    current.until, current.opening = N_STAGES, False
    if error is not None or fault is not None:
        current.playing = None
    address.resolve(current)
    address.follow()


def raise_fault() -> None:
    """Raise what the work ended with, once; the next run of the page is free of it."""
    current = session()
    if current.fault is not None:
        fault, current.fault = current.fault, None
        raise fault


def _want(work: Wanted) -> None:
    settled().wanted = work
    address.follow()
