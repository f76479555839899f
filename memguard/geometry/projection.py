"""The map of a conversation in two or three dimensions: UMAP (McInnes, Healy & Melville 2018).

umap compiles for ten to thirty seconds while it holds the interpreter's lock, so it runs in a
worker process, never in the caller's: ``MapWorker`` starts ``projection_worker.py`` with the same
Python and speaks to it over pipes. Not ``multiprocessing``: its spawn runs the parent's main script
again, which under ``streamlit run`` is the app, and its fork copies a process full of threads.

The map is fitted on the transcript's sentences alone and claims are placed into it, so that the
sentences stay where they are when claims appear or a threshold moves.
"""

from __future__ import annotations

import hashlib
import threading
import weakref
from collections import OrderedDict
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memguard.errors import InvalidParameterError
from memguard.geometry.projection_process import Job, Points, State, WorkerProcess, compiled_folder
from memguard.settings import ProjectionSettings

Rows = NDArray[np.float32]
Places = NDArray[np.int64]
UMAP_FROM = 5
"""Distinct source rows from which UMAP runs; with 0, 2 or 3 it raises."""
_LAYOUTS_KEPT = 32


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the points of a map lie.

    Attributes:
        points: (x, y), or (x, y, z) where three components were asked for, of each source, then of
            each target, in the order given.
        method: ``umap``, ``pca`` or ``fixed``.
    """

    points: tuple[tuple[float, ...], ...]
    method: str


class MapWorker:
    """Computes maps in a process of its own, one after another; safe to use from many threads.

    Example:
        >>> worker = MapWorker()
        >>> worker.start()
        >>> layout = worker.submit(sentences, claims, settings.projection, settings.seed).result()
    """

    def __init__(self, *, cache_dir: Path | None = None) -> None:
        """Start nothing yet.

        Args:
            cache_dir: Where compiled code is kept; by default a folder of this user's cache.
        """
        self._lock = threading.RLock()
        self._cache_dir = cache_dir
        self._process: WorkerProcess | None = None
        self._layouts: OrderedDict[str, Layout] = OrderedDict()

    @property
    def state(self) -> State:
        """``cold`` before ``start``, ``warming`` while compiling, ``ready``, or ``failed``."""
        with self._lock:
            return "cold" if self._process is None else self._process.state

    @property
    def error(self) -> str | None:
        """Why the state is ``failed``."""
        with self._lock:
            return None if self._process is None else self._process.error

    @property
    def pid(self) -> int | None:
        """The worker's process id while it lives."""
        with self._lock:
            return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Start the process and let it warm up; return at once. Restarts one that failed."""
        with self._lock:
            self._living()

    def wait_ready(self, timeout_s: float = 120.0) -> bool:
        """Wait until the worker is warm and return whether it is."""
        with self._lock:
            process = self._process
        return process is not None and process.warm.wait(timeout_s) and self.state == "ready"

    def submit(
        self,
        sources: ArrayLike,
        targets: ArrayLike,
        settings: ProjectionSettings,
        seed: int,
        *,
        components: Literal[2, 3] = 2,
    ) -> Future[Layout]:
        """Ask for a map fitted on the distinct ``sources``, with ``targets`` placed into it.

        Equal rows share one position. With fewer than five distinct sources the answer is there at
        once: nothing, the origin, or the principal axes of the sources. The same vectors, settings
        and seed give the same map on one machine, also after a restart of the worker; between
        machines they need not.

        Args:
            sources: Shape (n, d): the transcript's sentences.
            targets: Shape (m, d): claims; a row equal to a source takes its coordinates.
            settings: The map's settings; ``n_neighbors`` is lowered to the distinct sources less one.
            seed: Of UMAP's random numbers.
            components: Dimensions of the map; one of two and one of three are fitted apart.

        Returns:
            A future of n + m points. It raises ``WorkerError`` where the worker dies or fails, and
            the next ``submit`` starts a new one. It may be cancelled.

        Raises:
            InvalidParameterError: The shapes do not fit, a row is zero or not finite, or components
                is neither 2 nor 3.
        """
        rows, n = _checked(sources, targets)
        if components not in (2, 3):
            raise InvalidParameterError(f"components must be 2 or 3; got {components}")
        key = _digest(rows, n, settings, seed, components)
        future: Future[Layout] = Future()
        with self._lock:
            known = self._layouts.get(key)
            if known is not None:
                self._layouts.move_to_end(key)
                future.set_result(known)
                return future
        distinct, places = _distinct(rows)
        n_sources = len(set(places[:n].tolist()))
        if n_sources < UMAP_FROM:
            layout = _small_layout(distinct, n_sources, places, components)
            self._keep(key, layout)
            future.set_result(layout)
            return future
        header = {
            "n": n_sources,
            "m": len(distinct) - n_sources,
            "d": distinct.shape[1],
            "n_neighbors": settings.n_neighbors,
            "min_dist": settings.min_dist,
            "seed": int(seed),
            "components": components,
            "key": _digest(distinct[:n_sources], n_sources, settings, seed, components),
        }
        with self._lock:
            keep = weakref.WeakMethod(self._keep)

            def finish(points: Points) -> Layout:
                layout = Layout(_tuples(points, places), "umap")
                if (method := keep()) is not None:
                    method(key, layout)
                return layout

            self._living().add(Job(key, header, distinct.tobytes(), [future], finish))
        return future

    def close(self) -> None:
        """End the process; pending futures get ``WorkerError``. A later ``submit`` starts a new one."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            process.end()

    def _living(self) -> WorkerProcess:
        if self._process is None or self._process.state == "failed":
            if self._process is not None:
                self._process.end()
            self._process = WorkerProcess(compiled_folder(self._cache_dir))
            weakref.finalize(self, self._process.end)  # a forgotten MapWorker leaves no process behind
        return self._process

    def _keep(self, key: str, layout: Layout) -> None:
        with self._lock:
            self._layouts[key] = layout
            while len(self._layouts) > _LAYOUTS_KEPT:
                self._layouts.popitem(last=False)


def _checked(sources: ArrayLike, targets: ArrayLike) -> tuple[Rows, int]:
    """Return all rows as float32 of shape (n + m, d), and n."""
    blocks = []
    for name, value in (("sources", sources), ("targets", targets)):
        block = np.asarray(value, dtype=np.float32)
        if block.size == 0:
            continue
        if block.ndim != 2:
            raise InvalidParameterError(f"{name} must have shape (n, d); got {block.shape}")
        bad = np.flatnonzero(~np.isfinite(block).all(axis=1))
        if len(bad):
            raise InvalidParameterError(f"{name} must hold finite numbers only; row {bad[0]} does not")
        zero = np.flatnonzero(~block.any(axis=1))
        if len(zero):
            raise InvalidParameterError(
                f"{name} must have no zero row, which has no direction; row {zero[0]} is zero"
            )
        blocks.append((name, block))
    if len({block.shape[1] for _name, block in blocks}) > 1:
        raise InvalidParameterError(
            f"sources and targets must have vectors of one length; got {blocks[0][1].shape[1]} "
            f"and {blocks[1][1].shape[1]}"
        )
    if not blocks:
        return np.zeros((0, 0), np.float32), 0
    n = len(blocks[0][1]) if blocks[0][0] == "sources" else 0
    return np.ascontiguousarray(np.concatenate([block for _name, block in blocks])), n


def _digest(rows: Rows, n: int, settings: ProjectionSettings, seed: int, components: int) -> str:
    digest = hashlib.blake2b(digest_size=16)
    asked = (rows.shape, n, settings.n_neighbors, settings.min_dist, int(seed), components)
    digest.update(repr(asked).encode())
    digest.update(rows.tobytes())
    return digest.hexdigest()


def _distinct(rows: Rows) -> tuple[Rows, Places]:
    """Return the distinct rows in order of first appearance, and for each row its place among them.

    The sources come first, so their distinct rows are the first of all.
    """
    first: dict[bytes, int] = {}
    kept: list[int] = []
    places = np.empty(len(rows), np.int64)
    for i, row in enumerate(rows):
        place = first.setdefault((row + np.float32(0.0)).tobytes(), len(first))  # -0.0 becomes 0.0
        if place == len(kept):
            kept.append(i)
        places[i] = place
    return rows[kept], places


def _small_layout(distinct: Rows, n_sources: int, places: Places, components: int) -> Layout:
    if len(distinct) <= 1:
        return Layout(_tuples(np.zeros((1, components)), places), "fixed")
    units = distinct / np.linalg.norm(distinct.astype(np.float64), axis=1, keepdims=True)
    basis = units[:n_sources] if n_sources else units
    centred = units - basis.mean(axis=0)
    axes = _axes(centred[: len(basis)], components)
    if len(axes) < components:
        # The sources leave an axis free: what differs among the targets fills it, and moves no source.
        rest = centred - (centred @ axes.T) @ axes
        axes = np.concatenate([axes, _axes(rest, components - len(axes))])
    points = np.zeros((len(distinct), components))
    points[:, : len(axes)] = centred @ axes.T
    return Layout(_tuples(points, places), "pca")


def _axes(rows: NDArray[np.float64], most: int) -> NDArray[np.float64]:
    """Return up to ``most`` principal axes of rows about the origin, each pointing to its largest entry."""
    _left, weights, axes = np.linalg.svd(rows, full_matrices=False)
    axes = axes[: min(most, int((weights > 1e-6).sum()))]
    signs = np.sign(np.take_along_axis(axes, np.abs(axes).argmax(axis=1)[:, None], axis=1))
    return np.asarray(axes * signs, dtype=np.float64)


def _tuples(points: Points, places: Places) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in points[places].tolist())
