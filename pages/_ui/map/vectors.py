"""The vectors behind the map, and what is computed from them: once for a conversation and its claims."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from memguard import charts
from memguard.charts.points import claims_of
from memguard.geometry.neighbours import largest_cosines, nearest
from memguard.trace import Trace
from pages._ui import resources

if TYPE_CHECKING:
    from memguard.geometry.projection import Layout

T = TypeVar("T")
_KEPT = 24
"""Results of each kind that are kept; at 5,000 sentences one set of vectors takes 15 MB."""


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """The vectors of a map's points.

    Attributes:
        rows: float32 of shape (n + m, d): n sentences, then m claims; zero rows for blank text.
        n_sources: n.
    """

    rows: NDArray[np.float32]
    n_sources: int

    def near(self, row: int, count: int) -> tuple[tuple[int, float], ...]:
        """Return the ``count`` points nearest to one by cosine, in the space itself."""
        return nearest(self.rows, row, count)


def vectors(trace: Trace) -> Vectors:
    """Return the vectors of the sentences and the claims of a trace.

    Raises:
        ModelUnavailableError: The embedder is not installed.
    """

    def make() -> Vectors:
        sources, targets = resources.sentences(trace)[1], charts.map_targets(trace)
        rows = resources.embedder().embed([*sources, *targets])
        return Vectors(rows, len(sources))

    return once(("vectors", *key_of(trace)), make)


def similarities(trace: Trace, selected: int | None) -> tuple[float, ...]:
    """Return what the points are coloured by: the cosine of each to the selected point.

    With nothing selected, a claim has the similarity to its best evidence and a sentence that to the
    nearest claim: how well the summary covers it.
    """
    found = vectors(trace)
    if selected is not None:
        cosines = dict(found.near(selected, len(found.rows)))
        return tuple(cosines.get(i, 1.0) for i in range(len(found.rows)))
    sources, targets = found.rows[: found.n_sources], found.rows[found.n_sources :]
    covered = once(("covered", *key_of(trace)), lambda: largest_cosines(sources, targets))
    return (*covered.tolist(), *(verdict.similarity for verdict in claims_of(trace)))


def layout_in_space(trace: Trace) -> Future[Layout]:
    """Return where the points of a trace's map lie in three dimensions, computed off the page's path."""
    pool = _pool()
    return once(("three", *_layout_key(trace)), lambda: pool.submit(_place, vectors(trace), trace))


def forget_layout_in_space(trace: Trace) -> None:
    """Let the three-dimensional map of a trace be computed again; a failed one is kept until then."""
    kept, lock = _kept()
    with lock:
        kept.pop(("three", *_layout_key(trace)), None)


def once(key: Hashable, make: Callable[[], T]) -> T:
    """Return what was made for a key, making it if it is not there; shared by all sessions."""
    kept, lock = _kept()
    with lock:
        if key in kept:
            kept.move_to_end(key)
            return cast("T", kept[key])
    made = make()
    with lock:
        kept[key] = made
        while len(kept) > _KEPT:
            kept.popitem(last=False)
    return made


def key_of(trace: Trace) -> tuple[Hashable, ...]:
    """Return what the vectors of a trace depend on: its texts and the model."""
    return trace.conversation.digest(), charts.map_targets(trace), resources.embedder().model_id


def _layout_key(trace: Trace) -> tuple[Hashable, ...]:
    return *key_of(trace), trace.settings.projection, trace.settings.seed


def _place(found: Vectors, trace: Trace) -> Layout:
    rows = found.rows.copy()
    rows[~rows.any(axis=1), :1] = 1.0  # a text that shows nothing has no direction: it gets one
    worker, settings = resources.map_worker(), trace.settings
    sources, targets = rows[: found.n_sources], rows[found.n_sources :]
    return worker.submit(sources, targets, settings.projection, settings.seed, components=3).result()


@st.cache_resource(show_spinner=False)
def _kept() -> tuple[OrderedDict[Hashable, object], threading.Lock]:
    return OrderedDict(), threading.Lock()


@st.cache_resource(show_spinner=False)
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, thread_name_prefix="map3d")
