"""The vectors of one tenant in memory, for an exact search: unit rows of float32.

A search reads every vector (one matrix-vector product), so its result is exact and needs no
index to be built, tuned or trusted. The matrix follows the store: each refresh reads only what was
written since the last one, by the length of the tenant's chain, so a write of another process is seen too.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, func, select

from memguard.geometry.similarity import dot_of_units, unit_rows
from memguard.geometry.threads import one_blas_thread
from memguard.memory import chain
from memguard.memory.schema import Tables

CACHE_BYTES = 2 << 30
"""What the vectors of all tenants may take together before those of the longest unused are dropped."""
_READ_ROWS = 4096
_SPARE_ROWS = 64

Floats = NDArray[np.float32]


class _Space:
    """The vectors of one length: one matrix with room to grow, and the place of each id in it."""

    def __init__(self, width: int) -> None:
        self.ids: list[str] = []
        self._matrix: Floats = np.zeros((0, width), dtype=np.float32)
        self._places: dict[str, int] = {}

    def reserve(self, n_rows: int) -> None:
        """Make room for so many rows; what is added beyond it makes a quarter more."""
        if n_rows > len(self._matrix):
            grown = np.zeros((n_rows, self._matrix.shape[1]), dtype=np.float32)
            grown[: len(self._matrix)] = self._matrix
            self._matrix = grown

    def put(self, ids: Sequence[str], units: Floats) -> None:
        if len(self.ids) + len(ids) > len(self._matrix):
            self.reserve((len(self.ids) + len(ids)) * 5 // 4 + _SPARE_ROWS)
        for entry_id, unit in zip(ids, units, strict=True):
            place = self._places.setdefault(entry_id, len(self.ids))
            if place == len(self.ids):
                self.ids.append(entry_id)
            self._matrix[place] = unit

    def drop(self, entry_id: str) -> None:
        """Forget a vector; the last one takes its place."""
        place = self._places.pop(entry_id, None)
        if place is None:
            return
        moved = self.ids.pop()
        if place != len(self.ids):
            self.ids[place] = moved
            self._places[moved] = place
            self._matrix[place] = self._matrix[len(self.ids)]

    def similarities(self, unit: Floats) -> Floats:
        with one_blas_thread():
            found: Floats = dot_of_units(self._matrix[: len(self.ids)], unit)
        return found

    @property
    def n_bytes(self) -> int:
        return self._matrix.nbytes


class Vectors:
    """The cache of one tenant; safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._length = 0
        self._spaces: dict[int, _Space] = {}

    def refresh(self, connection: Connection, tables: Tables, tenant_id: str) -> None:
        """Read what was written since the last refresh. The connection must see one state throughout."""
        with self._lock:
            length, _ = chain.head(connection, tables, tenant_id)
            if length != self._length:
                self._follow(connection, tables, tenant_id)
                self._length = length

    def ranked(self, query: Floats) -> Iterator[tuple[list[str], Floats]]:
        """Yield ids with their cosines, the most similar first, in growing portions until none is left.

        Vectors of equal similarity never fall into two portions; within one they come by id.

        Args:
            query: Shape (d,); vectors of another length are not compared.
        """
        with self._lock:
            space = self._spaces.get(len(query))
            if space is None:
                return
            found = space.similarities(unit_rows(query))
            ids = list(space.ids)
        yield from _portions(ids, found)

    @property
    def n_bytes(self) -> int:
        """Memory that the vectors take."""
        return sum(space.n_bytes for space in self._spaces.values())

    def _follow(self, connection: Connection, tables: Tables, tenant_id: str) -> None:
        table = tables.entries.c
        query = select(table.id, table.embedding).where(
            table.tenant_id == tenant_id, table.changed_seq >= self._length
        )
        reserved = 0
        if self._length == 0:
            query = query.where(table.embedding.is_not(None))
            reserved = connection.execute(select(func.count()).select_from(query.subquery())).scalar_one()
        for rows in connection.execute(query.execution_options(yield_per=_READ_ROWS)).partitions():
            widths: dict[int, tuple[list[str], list[Sequence[float]]]] = {}
            for entry_id, embedding in rows:
                width = 0 if embedding is None else len(embedding)
                self._forget(entry_id, unless=width)
                if width:
                    ids, values = widths.setdefault(width, ([], []))
                    ids.append(entry_id)
                    values.append(embedding)
            for width, (ids, values) in widths.items():
                units = unit_rows(np.asarray(values, dtype=np.float32)).astype(np.float32, copy=False)
                space = self._spaces.setdefault(width, _Space(width))
                if len(self._spaces) == 1:
                    space.reserve(reserved)
                space.put(ids, units)

    def _forget(self, entry_id: str, *, unless: int) -> None:
        for width, space in self._spaces.items():
            if width != unless:
                space.drop(entry_id)


class Caches:
    """The caches of the tenants of one store, the most recently used last."""

    def __init__(self, limit_bytes: int = CACHE_BYTES) -> None:
        """Start empty.

        Args:
            limit_bytes: Above it tenants are dropped, but never the one in use.
        """
        self._lock = threading.Lock()
        self._limit = limit_bytes
        self._tenants: OrderedDict[str, Vectors] = OrderedDict()

    def refreshed(self, connection: Connection, tables: Tables, tenant_id: str) -> Vectors:
        """Return a tenant's vectors as the connection sees the store."""
        with self._lock:
            vectors = self._tenants.setdefault(tenant_id, Vectors())
            self._tenants.move_to_end(tenant_id)
        vectors.refresh(connection, tables, tenant_id)
        with self._lock:
            total = sum(item.n_bytes for item in self._tenants.values())
            while total > self._limit and len(self._tenants) > 1:
                _, dropped = self._tenants.popitem(last=False)
                total -= dropped.n_bytes
        return vectors

    def n_bytes(self, tenant_id: str) -> int:
        """Return the memory that a tenant's vectors take."""
        vectors = self._tenants.get(tenant_id)
        return vectors.n_bytes if vectors is not None else 0

    def clear(self) -> None:
        """Drop them all."""
        with self._lock:
            self._tenants.clear()


def _portions(
    ids: Sequence[str], similarities: Floats, first: int = 64
) -> Iterator[tuple[list[str], Floats]]:
    left = np.arange(len(ids))
    size = first
    while len(left):
        values = similarities[left]
        if size < len(left):
            least = np.partition(values, len(left) - size)[len(left) - size]
            taken = values >= least
        else:
            taken = np.ones(len(left), dtype=bool)
        places = left[taken]
        ordered = sorted(places.tolist(), key=lambda place: (-float(similarities[place]), ids[place]))
        yield [ids[place] for place in ordered], similarities[ordered]
        left = left[~taken]
        size *= 4
