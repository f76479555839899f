"""Nearest neighbours by pgvector, inside PostgreSQL and exactly: no index, so every vector is compared."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Double, bindparam, case, cast, func, literal_column, select

from memguard.geometry.similarity import cosine
from memguard.memory import reading
from memguard.memory.rows import EntryFilter
from memguard.memory.schema import Tables


def nearest(
    connection: Connection,
    tables: Tables,
    tenant_id: str,
    query: NDArray[np.float32],
    k: int,
    wanted: EntryFilter,
) -> list[tuple[str, float]]:
    """Return the ids of the ``k`` nearest entries with their cosines, the most similar first.

    pgvector has no cosine with a zero vector (NaN); it is 0 here, as everywhere in MemGuard. The
    cosines that are returned are MemGuard's own, of the vectors that pgvector found.
    """
    table = tables.entries.c
    given = bindparam("given", query.tolist(), type_=table.embedding.type)
    raw = cast(table.embedding.op("<=>")(given), Double)
    distance = case((raw == literal_column("'NaN'::float8"), 1.0), else_=raw)
    found = connection.execute(
        select(table.id, table.embedding)
        .where(
            *reading.conditions(wanted, tables, tenant_id),
            case((table.embedding.is_(None), 0), else_=func.vector_dims(table.embedding)) == len(query),
        )
        .order_by(distance, table.id)
        .limit(k)
    ).all()
    if not found:
        return []
    similarities = cosine(np.array([row.embedding for row in found], dtype=np.float32), query)
    pairs = [(str(row.id), float(value)) for row, value in zip(found, similarities, strict=True)]
    return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))
