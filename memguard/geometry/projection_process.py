"""The life of the map's worker process: started, warmed, spoken to, ended; see ``projection.py``."""

from __future__ import annotations

import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np
import platformdirs
from numpy.typing import NDArray

from memguard.errors import WorkerError
from memguard.geometry.projection_worker import Header, read_frame, write_frame

State = Literal["cold", "warming", "ready", "failed"]
Points = NDArray[np.float64]
"""Coordinates, shape (k, 2) or (k, 3)."""
_WORKER = Path(__file__).with_name("projection_worker.py")
_THREAD_LIMITS = ("OPENBLAS", "OMP", "MKL", "NUMBA", "VECLIB_MAXIMUM")
_LOG_TOLD = 600
_END_S = 5.0


@dataclass(slots=True)
class Job:
    """One request, and everybody who waits for its answer."""

    key: str
    header: Header
    body: bytes
    futures: list[Future[Any]]
    finish: Callable[[Points], Any] = field(repr=False)
    """Turns coordinates into the futures' result."""


class WorkerProcess:
    """One life of the worker, and the thread that speaks to it, one job at a time."""

    def __init__(self, compiled: Path | None) -> None:
        """Start the process; its code is kept compiled in the folder ``compiled``, if that is given."""
        self.warm = threading.Event()
        self._lock = threading.RLock()
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._pending: dict[str, Job] = {}
        self._state: State = "warming"
        self._error: str | None = None
        self._ending = False
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # lives as long as the process
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(
            target=self._serve, args=(compiled,), name="memguard-map", daemon=True
        )
        self._thread.start()

    @property
    def state(self) -> State:
        """``warming``, ``ready`` or ``failed``."""
        with self._lock:
            if self._state == "ready" and self._process is not None and self._process.poll() is not None:
                return "failed"
            return self._state

    @property
    def error(self) -> str | None:
        """Why the process failed."""
        with self._lock:
            if self._error is None and self.state == "failed":
                return "the map's worker ended while idle"
            return self._error

    @property
    def pid(self) -> int | None:
        """The process id, once started."""
        with self._lock:
            return None if self._process is None else self._process.pid

    def add(self, job: Job) -> None:
        """Queue a job, or join an equal one that is waiting; fails it where the process has failed."""
        with self._lock:
            error = self._error
            waiting = self._pending.get(job.key)
            if error is None and waiting is not None:
                waiting.futures += job.futures
            elif error is None:
                self._pending[job.key] = job
                self._jobs.put(job)
        if error is not None:
            _settle(job, WorkerError(error))

    def end(self) -> None:
        """End the process and fail what is pending; a second call does nothing."""
        with self._lock:
            self._ending = True
            if self._process is not None:
                self._process.kill()  # it holds nothing that could be lost
        self._jobs.put(None)
        if threading.current_thread() is not self._thread:
            self._thread.join(_END_S)

    def _serve(self, compiled: Path | None) -> None:
        error = "the worker was closed"
        try:
            self._start(compiled)
            while (job := self._jobs.get()) is not None:
                self._answer(job)
        except EOFError:
            error = self._last_words()
        except OSError as failure:  # the program cannot be started, or the pipe broke while writing
            started = self._process is not None
            error = self._last_words() if started else f"the map's worker cannot start: {failure}"
        finally:
            self._bury(error)

    def _start(self, compiled: Path | None) -> None:
        self._spawn(compiled)
        try:
            self._read()
        except EOFError:
            if compiled is None or self._ending:
                raise
            # Compiled code that cannot be loaded must not disable the map: once more, without it.
            self._close_process()
            shutil.rmtree(compiled, ignore_errors=True)
            self._spawn(None)
            self._read()
        with self._lock:
            self._state = "ready"
        self.warm.set()

    def _spawn(self, compiled: Path | None) -> None:
        environment = {**os.environ, **{f"{name}_NUM_THREADS": "1" for name in _THREAD_LIMITS}}
        environment.pop("NUMBA_CACHE_DIR", None)
        if compiled is not None:
            environment["NUMBA_CACHE_DIR"] = str(compiled)
        with self._lock:
            if self._ending:
                raise EOFError
            # -P keeps this folder off the worker's path, where similarity.py and others lie.
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(_WORKER)],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                env=environment,
                start_new_session=True,
            )

    def _answer(self, job: Job) -> None:
        with self._lock:
            if all(future.cancelled() for future in job.futures):
                del self._pending[job.key]
                return
        process = self._process
        if process is None or process.stdin is None:
            raise EOFError
        write_frame(process.stdin.fileno(), job.header, job.body)
        header, body = self._read()
        result: Any
        if "error" in header:
            result = WorkerError(f"the map could not be computed: {header['error']}")
        else:
            result = job.finish(np.frombuffer(body, dtype=np.float64).reshape(-1, job.header["components"]))
        with self._lock:
            del self._pending[job.key]
        _settle(job, result)

    def _read(self) -> tuple[Header, bytes]:
        process = self._process
        if process is None or process.stdout is None:
            raise EOFError
        return read_frame(process.stdout.fileno())

    def _last_words(self) -> str:
        if self._ending:
            return "the worker was closed"
        code = self._process.wait() if self._process is not None else None
        self._log.seek(0)
        told = self._log.read()[-_LOG_TOLD:].decode(errors="replace").strip()
        return f"the map's worker ended with code {code}" + (f": {told}" if told else "")

    def _close_process(self) -> None:
        process = self._process
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def _bury(self, error: str) -> None:
        self._close_process()
        self._log.close()
        with self._lock:
            self._state, self._error = "failed", error
            jobs = list(self._pending.values())
            self._pending.clear()
        for job in jobs:
            _settle(job, WorkerError(error))
        self.warm.set()


def compiled_folder(base: Path | None) -> Path | None:
    """Return a writable folder for compiled code, or None where there is none.

    Its name holds the versions of what was compiled.
    """
    if base is None:
        base = platformdirs.user_cache_path("memguard", appauthor=False) / "numba"
    try:
        versions = [version(name) for name in ("umap-learn", "pynndescent", "numba")]
        folder = base / "-".join(["umap", *versions, f"py{sys.version_info.major}{sys.version_info.minor}"])
        folder.mkdir(parents=True, exist_ok=True)
    except (PackageNotFoundError, OSError):
        return None
    return folder if os.access(folder, os.W_OK) else None


def _settle(job: Job, result: Any) -> None:
    for future in job.futures:
        with suppress(InvalidStateError):  # cancelled by the one who asked
            if isinstance(result, Exception):
                future.set_exception(result)
            else:
                future.set_result(result)
