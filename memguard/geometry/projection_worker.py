"""The program that computes maps: started by ``projection.py`` as a process of its own.

It is run by path and imports nothing of MemGuard, so that it holds NumPy, SciPy, scikit-learn and
umap and no more. Frames go over stdin and stdout: four bytes with the length of a JSON header, the
header, then as many bytes as its ``size`` says. One answer a request, in order; the first frame,
``{"ready": true}``, is sent once everything is compiled. The process ends when stdin ends, which it
does however the parent dies.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import struct
import threading
import warnings
from collections import OrderedDict
from typing import Any

import numpy as np
from numpy.typing import NDArray

FIT_ROWS = 4_000
"""Fitted at most: from 4,096 rows on umap cannot transform into a map of given distances."""
RANDOM_INIT_BELOW = 10
"""With fewer rows the spectral start has too few eigenvectors to choose from."""
FEWER_EPOCHS_ABOVE = 1_000
"""Above, 200 epochs replace umap's 500: half the time, and the shape is settled by then."""
_BLOCK = 1_000
_FITS_KEPT = 3
_NICENESS = 10
Header = dict[str, Any]
Fit = tuple[NDArray[np.float32], Any, NDArray[np.float64]]
"""Unit rows that the map was fitted on, the fitted reducer, and coordinates of all distinct sources."""


def read_exactly(fd: int, size: int) -> bytes:
    """Read ``size`` bytes from a file descriptor.

    Raises:
        EOFError: The other side closed it before.
    """
    parts = bytearray()
    while len(parts) < size:
        part = os.read(fd, min(size - len(parts), 1 << 20))
        if not part:
            raise EOFError("the pipe was closed")
        parts += part
    return bytes(parts)


def read_frame(fd: int) -> tuple[Header, bytes]:
    """Read one frame: its header and its bytes.

    Raises:
        EOFError: The other side closed the pipe.
    """
    (length,) = struct.unpack(">I", read_exactly(fd, 4))
    header: Header = json.loads(read_exactly(fd, length))
    return header, read_exactly(fd, header["size"])


def write_frame(fd: int, header: Header, body: bytes = b"") -> None:
    """Write one frame.

    Raises:
        OSError: The other side closed the pipe.
    """
    encoded = json.dumps({**header, "size": len(body)}).encode()
    view = memoryview(struct.pack(">I", len(encoded)) + encoded + body)
    while view:
        view = view[os.write(fd, view) :]


class Mapper:
    """Fits maps and places rows in them; the last few fits are kept, so that new claims cost no fit."""

    def __init__(self) -> None:
        self._fits: OrderedDict[str, Fit] = OrderedDict()

    def layout(
        self, sources: NDArray[np.float32], targets: NDArray[np.float32], header: Header
    ) -> NDArray[np.float64]:
        """Place distinct sources and targets.

        Args:
            sources: float32 of shape (n, d), n at least 5, distinct non-zero rows.
            targets: float32 of shape (m, d), non-zero rows.
            header: ``n_neighbors``, ``min_dist``, ``seed``, ``components`` (2 where it is missing) and
                ``key``, which names the fit.

        Returns:
            float64 of shape (n + m, components). The place of a target depends on no other target.
        """
        key = header["key"]
        if key not in self._fits:
            self._fits[key] = self._fit(_units(sources), header)
            while len(self._fits) > _FITS_KEPT:
                self._fits.popitem(last=False)
        self._fits.move_to_end(key)
        fitted, reducer, coordinates = self._fits[key]
        units = _units(targets)
        placed = [_place(reducer, fitted, units[i : i + 1]) for i in range(len(units))]
        return np.concatenate([coordinates, *placed])

    def _fit(self, units: NDArray[np.float32], header: Header) -> Fit:
        import umap

        n = len(units)
        rows = np.arange(n) if n <= FIT_ROWS else np.linspace(0, n - 1, FIT_ROWS).astype(np.int64)
        fitted = units[rows]
        reducer = umap.UMAP(
            n_neighbors=max(2, min(header["n_neighbors"], len(rows) - 1)),
            min_dist=header["min_dist"],
            n_components=header.get("components", 2),
            # Cosine distances from one matrix product: umap's own loop takes seconds where this takes 0.1.
            metric="precomputed",
            init="random" if len(rows) < RANDOM_INIT_BELOW else "spectral",
            n_epochs=200 if len(rows) > FEWER_EPOCHS_ABOVE else 500,
            random_state=header["seed"],
            transform_seed=header["seed"],
            n_jobs=1,
        )
        distances = _distances(fitted, fitted)
        np.fill_diagonal(distances, 0.0)
        placed = reducer.fit_transform(distances)
        coordinates = np.empty((n, placed.shape[1]))
        coordinates[rows] = placed
        rest = np.setdiff1d(np.arange(n), rows)
        for first in range(0, len(rest), _BLOCK):
            block = rest[first : first + _BLOCK]
            coordinates[block] = _place(reducer, fitted, units[block])
        return fitted, reducer, coordinates


def _units(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    norms = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    return np.asarray(vectors / np.where(norms > 0, norms, 1.0), dtype=np.float32)


def _distances(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return cosine distances of unit rows, in [0, 2]."""
    return np.asarray(np.clip(np.float32(1.0) - a @ b.T, 0.0, 2.0), dtype=np.float32)


def _place(reducer: Any, fitted: NDArray[np.float32], units: NDArray[np.float32]) -> NDArray[np.float64]:
    placed = reducer.transform(_distances(units, fitted))
    return np.asarray(placed, dtype=np.float64)


def warm_up(mapper: Mapper) -> None:
    """Import umap and compile what a fit and a transform need."""
    rows = np.random.default_rng(0).normal(size=(24, 8)).astype(np.float32)
    header = {"n_neighbors": 5, "min_dist": 0.1, "seed": 0, "key": "warm"}
    mapper.layout(rows[:20], rows[20:], header)
    mapper.layout(rows[:6], rows[20:], {**header, "key": "small"})


def answer(mapper: Mapper, header: Header, body: bytes) -> tuple[Header, bytes]:
    """Compute the answer to one request; what goes wrong is told, and the process goes on."""
    n, m, d = header["n"], header["m"], header["d"]
    rows = np.frombuffer(body, dtype=np.float32).reshape(n + m, d)
    try:
        points = mapper.layout(rows[:n], rows[n:], header)
        if not np.isfinite(points).all():
            raise FloatingPointError("umap gave coordinates that are not finite")
    except Exception as error:  # noqa: BLE001  # told to the parent, which raises it as WorkerError
        return {"error": f"{type(error).__name__}: {error}"}, b""
    return {"points": len(points)}, points.tobytes()


def _cache_compiled_code() -> None:
    """Let numba keep umap's compiled code on disk: a start takes 2 s instead of 10.

    umap asks for no cache, so its decorator gets the default that it lacks. The folder's name holds
    the versions, since numba does not notice that a function *called* by a cached one has changed.
    """
    import numba

    plain = numba.njit

    def njit(*args: Any, **options: Any) -> Any:
        return plain(*args, **{"cache": True, **options})

    numba.njit = njit


def _read_all(fd: int, requests: queue.SimpleQueue[tuple[Header, bytes]]) -> None:
    try:
        while True:
            requests.put(read_frame(fd))
    except (EOFError, OSError):
        os._exit(0)  # the parent is gone; nobody waits for what is being computed


def main() -> None:
    """Answer requests until stdin ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, whose end we notice
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    requests_fd, answers_fd = os.dup(0), os.dup(1)
    os.dup2(2, 1)  # what a library prints must not fall between frames
    # Stdin is watched while compiling and computing, too: a dead parent must not leave us behind.
    requests: queue.SimpleQueue[tuple[Header, bytes]] = queue.SimpleQueue()
    threading.Thread(target=_read_all, args=(requests_fd, requests), daemon=True).start()
    mapper = Mapper()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # umap's import and its notes on seeds, distances and small inputs
        if os.environ.get("NUMBA_CACHE_DIR"):
            _cache_compiled_code()
        warm_up(mapper)
        write_frame(answers_fd, {"ready": True})
        while True:
            header, body = requests.get()
            write_frame(answers_fd, *answer(mapper, header, body))


if __name__ == "__main__":
    main()
