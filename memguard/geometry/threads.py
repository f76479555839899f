"""One thread for products that wait for memory."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController

_blas = threading.Lock()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let NumPy use one thread, one caller at a time.

    A matrix-vector product waits for memory, not for a processor: a second thread gains little on
    an idle machine, and on a busy one each waits for the other, up to a hundred times as long.
    """
    with _blas, _blas_libraries().limit(limits=1, user_api="blas"):
        yield


@cache
def _blas_libraries() -> ThreadpoolController:
    return ThreadpoolController()
