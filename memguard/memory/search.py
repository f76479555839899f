"""The entries of a tenant that are nearest to a vector, exactly: in the database or in memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sqlalchemy import Connection

from memguard.errors import InvalidParameterError
from memguard.memory import pgvector, reading
from memguard.memory.rows import EntryFilter, Hit
from memguard.memory.schema import Tables
from memguard.memory.vectors import Caches


def checked_query(embedding: ArrayLike) -> NDArray[np.float32]:
    """Return a vector to search with, float32 of shape (d,).

    Raises:
        InvalidParameterError: It is not one row of finite numbers.
    """
    row = np.asarray(embedding)
    if row.ndim != 1 or row.dtype.kind not in "fiu" or not row.size:
        raise InvalidParameterError(
            f"embedding must be one row of numbers; got shape {row.shape} of {row.dtype}"
        )
    values = row.astype(np.float32)
    if not np.isfinite(values).all():
        raise InvalidParameterError("embedding must be finite")
    return values


def nearest(
    connection: Connection,
    tables: Tables,
    tenant_id: str,
    query: NDArray[np.float32],
    k: int,
    wanted: EntryFilter,
    vectors: Caches,
) -> tuple[Hit, ...]:
    """Return the ``k`` entries that a filter means whose vectors are most similar to the query.

    pgvector compares where the database has it, else the tenant's vectors that this process holds.
    """
    if tables.pgvector:
        best = pgvector.nearest(connection, tables, tenant_id, query, k, wanted)
    else:
        best = []
        for ids, similarities in vectors.refreshed(connection, tables, tenant_id).ranked(query):
            meant = reading.matching(connection, tables, tenant_id, wanted, ids)
            best += [pair for pair in zip(ids, similarities.tolist(), strict=True) if pair[0] in meant]
            if len(best) >= k:
                break
    found = reading.fetch_ids(connection, tables, tenant_id, (key for key, _ in best[:k]))
    return tuple(
        Hit(replace(found[key], entry=found[key].entry.replace(relevance_score=similarity)), similarity)
        for key, similarity in best[:k]
    )
