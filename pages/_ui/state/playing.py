"""Playing a run: one sub-step after another, each for a beat."""

from __future__ import annotations

import time
from collections.abc import Callable

from memguard.trace import Trace
from pages._ui.session import N_STAGES, Playing, Session
from pages._ui.state.held import session, settled

BEAT_S = 1.0
"""How long each sub-step stands while the run is played."""


def on_play() -> None:
    """Show the run one sub-step a second, from its beginning or from where it was paused."""
    current = session()
    if current.playing is not None:
        current.playing.paused = False
        hold(current.playing)
        return
    settled()
    if current.trace is not None:
        n_done = len(current.trace.results)
        current.playing = Playing()
        _play_stage(current, current.playing, 0 if n_done == N_STAGES else n_done)


def on_pause() -> None:
    """Let the playing stand still."""
    playing = session().playing
    if playing is not None:
        playing.paused = True


def is_ticking() -> bool:
    """Return whether the page has to draw itself again by and by, without a person's doing."""
    current = session()
    playing = current.playing
    return current.reading is not None or (playing is not None and not playing.paused)


def advance(n_beats: Callable[[Trace, int], int]) -> None:
    """Go on with the playing if its next sub-step is due.

    Args:
        n_beats: Returns how many sub-steps a stage of a trace has.
    """
    current = session()
    playing, trace = current.playing, current.trace
    if playing is None or trace is None or current.wanted is not None or not playing.is_due(time.monotonic()):
        return
    hold(playing)
    if playing.beat < n_beats(trace, playing.stage):
        playing.beat += 1
    elif playing.stage + 1 < N_STAGES:
        _play_stage(current, playing, playing.stage + 1)
    else:
        current.playing = None


def hold(playing: Playing) -> None:
    """Let the sub-step that is shown stand for a whole beat from now."""
    playing.due = time.monotonic() + BEAT_S


def _play_stage(current: Session, playing: Playing, stage: int) -> None:
    """Begin to play a stage; one that has not run runs first."""
    playing.begin(stage, time.monotonic(), BEAT_S)
    if current.trace is not None and len(current.trace.results) <= stage:
        current.wanted = "step"
