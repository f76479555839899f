"""The store's tables, as SQLAlchemy reads and writes them; ``migrations.py`` makes them.

Identity: an entry is the pair (tenant, id). Every table has the tenant first in its key, and every
statement of the store names it.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sqlalchemy import BigInteger, Boolean, Column, Dialect, Double, LargeBinary, MetaData, Table, Text
from sqlalchemy.dialects.postgresql import ARRAY, REAL
from sqlalchemy.types import TypeDecorator, TypeEngine, UserDefinedType

from memguard.errors import InvalidParameterError, StoreUnavailableError

_SURROGATE = re.compile("[\ud800-\udfff]")


class JsonText(TypeDecorator[Any]):
    """A JSON value as text that every database can hold, exactly.

    NUL, which PostgreSQL refuses, and lone surrogates, which no encoding can write, stay escaped.
    PostgreSQL's own JSON types are not used: ``jsonb`` refuses both and reorders keys.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:  # noqa: ARG002 (SQLAlchemy's signature)
        """Write the text."""
        return None if value is None else dumps(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:  # noqa: ARG002
        """Read the text."""
        if value is None:
            return None
        try:
            return json.loads(value)
        except ValueError as error:
            raise StoreUnavailableError(
                "a value of the store is damaged: it is no JSON. Nothing was changed; "
                "restore the store from an export"
            ) from error


class _PgVector(UserDefinedType[Any]):
    """pgvector's ``vector``: 4-byte floats, read and written as the text ``[1,2,3]``, which is exact."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        """Name the type."""
        return "vector"

    def bind_processor(self, dialect: Dialect) -> Callable[[Any], Any]:  # noqa: ARG002
        """Write the text."""
        return lambda value: None if value is None else "[" + ",".join(map(repr, value)) + "]"

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any]:  # noqa: ARG002
        """Read the text."""
        return lambda value: None if value is None else json.loads(value)


class Embedding(TypeDecorator[Any]):
    """Floats of 4 bytes: bytes in SQLite, ``vector`` in PostgreSQL where it is installed, else an array.

    An embedding without a number is stored as none: pgvector knows no such vector.
    """

    impl = LargeBinary
    cache_ok = True

    def __init__(self, *, pgvector: bool = False) -> None:
        super().__init__()
        self.pgvector = pgvector

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Choose the column's type."""
        if dialect.name != "postgresql":
            return dialect.type_descriptor(LargeBinary())
        return dialect.type_descriptor(_PgVector() if self.pgvector else ARRAY(REAL()))

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        """Write the floats."""
        if value is None:
            return None
        row = np.asarray(value, dtype=np.float32)
        return row.tolist() if dialect.name == "postgresql" else row.astype("<f4").tobytes()

    def process_result_value(self, value: Any, dialect: Dialect) -> Sequence[float] | None:
        """Read the floats, as an ``array``."""
        if value is None:
            return None
        if dialect.name == "postgresql":
            return array("f", value)
        return array("f", np.frombuffer(value, dtype="<f4").astype(np.float32).tobytes())


class Tables:
    """The tables of one database."""

    def __init__(self, *, pgvector: bool = False) -> None:
        """Describe the tables.

        Args:
            pgvector: Whether the embeddings' columns are pgvector's.
        """
        data = MetaData()
        self.pgvector = pgvector
        self.chains = Table(
            "memory_chains",
            data,
            Column("tenant_id", Text, primary_key=True),
            Column("length", BigInteger, nullable=False),
            Column("head", Text, nullable=False),
        )
        self.records = Table(
            "memory_records",
            data,
            Column("tenant_id", Text, primary_key=True),
            Column("seq", BigInteger, primary_key=True),
            Column("action", Text, nullable=False),
            Column("at", Text, nullable=False),
            Column("detail", JsonText, nullable=False),
            Column("prev_hash", Text, nullable=False),
            Column("hash", Text, nullable=False),
        )
        self.entries = Table(
            "memory_entries",
            data,
            Column("tenant_id", Text, primary_key=True),
            Column("id", Text, primary_key=True),
            *_entry_columns(pgvector=pgvector),
            Column("changed_seq", BigInteger, nullable=False),
            Column("search_text", Text, nullable=False),
        )
        self.tags = Table(
            "memory_tags",
            data,
            Column("tenant_id", Text, primary_key=True),
            Column("tag", Text, primary_key=True),
            Column("entry_id", Text, primary_key=True),
        )
        self.lineage = Table(
            "memory_lineage",
            data,
            Column("tenant_id", Text, primary_key=True),
            Column("old_id", Text, primary_key=True),
            Column("new_id", Text, primary_key=True),
        )
        self.revisions = Table(
            "memory_revisions",
            data,
            Column("tenant_id", Text, primary_key=True),
            Column("id", Text, primary_key=True),
            *_entry_columns(pgvector=pgvector, version_in_key=True),
        )
        self.given = Table(
            "memory_given",
            data,
            Column("tenant_id", Text, primary_key=True),
            Column("digest", Text, primary_key=True),
            Column("entry_id", Text, primary_key=True),
            Column("given_at", Double, nullable=False),
        )
        self.all = data


def _entry_columns(*, pgvector: bool, version_in_key: bool = False) -> list[Column[Any]]:
    return [
        Column("version", BigInteger, primary_key=version_in_key, nullable=False),
        Column("status", Text, nullable=False),
        Column("content", JsonText, nullable=False),
        Column("memory_type", Text, nullable=False),
        Column("importance", Double, nullable=False),
        Column("relevance_score", Double),
        Column("tags", JsonText, nullable=False),
        Column("embedding", Embedding(pgvector=pgvector)),
        Column("metadata", JsonText, nullable=False),
        Column("timestamp", Double, nullable=False),
        Column("stored_at", Double, nullable=False),
        Column("updated_at", Double, nullable=False),
        Column("text_raw", JsonText),
        Column("compressed", Boolean, nullable=False),
        Column("compression_provider", Text),
        Column("tokens_in", BigInteger),
        Column("tokens_out", BigInteger),
        Column("embedding_model", Text),
        Column("earliest_source_at", Double),
        Column("latest_source_at", Double),
        Column("expires_at", Double),
        Column("confidence", Text),
        Column("durability", Text),
        Column("staleness_risk", Text),
        Column("privacy_status", Text),
        Column("compression", Text),
        Column("injected", Boolean, nullable=False),
        Column("origin", Text),
    ]


def dumps(value: Any, name: str = "value") -> str:
    """Return a value's JSON, as ``JsonText`` says; read back, it is the value that was given.

    Tuples become lists.

    Raises:
        InvalidParameterError: JSON cannot hold the value exactly; the message says where.
    """
    try:
        _check_json(value, name)
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except RecursionError as error:
        raise InvalidParameterError(f"{name} is nested too deeply, or holds itself") from error
    return _SURROGATE.sub(lambda match: f"\\u{ord(match.group()):04x}", text)


def _check_json(value: Any, place: str) -> None:
    if value is None or isinstance(value, str | bool | int):
        return
    if isinstance(value, float):
        if not np.isfinite(value):
            raise InvalidParameterError(f"{place} must be finite to be stored; got {value!r}")
    elif isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise InvalidParameterError(f"{place} must have texts as keys to be stored; got {key!r}")
            _check_json(item, f"{place}[{key!r}]")
    elif isinstance(value, list | tuple):
        for number, item in enumerate(value):
            _check_json(item, f"{place}[{number}]")
    else:
        kind = type(value).__name__
        raise InvalidParameterError(f"{place} must be a JSON value to be stored; got a {kind}")
