"""The store's tables, made and changed by numbered migrations.

Each migration runs once, in one transaction with its number in ``memory_migrations``; a store with a
number that is not listed here was written by a newer MemGuard and is left alone. A migration that was
published is never edited. (alembic does the same with a folder of scripts, a configuration file and a
template engine; for one library that creates its own tables, this is the part of it that is needed.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, inspect, text

from memguard.errors import StoreUnavailableError, StoreVersionError

APPLICATION_ID = 0x4D656D47
"""What marks a SQLite file as MemGuard's: "MemG"."""

_LOCK = 0x4D656D47
_NUMBERS = "memory_migrations"


@dataclass(frozen=True, slots=True)
class Migration:
    """One step; braces in its statements stand for what the databases name differently."""

    number: int
    name: str
    statements: Sequence[str]


_COLUMNS = """
    status {text} NOT NULL,
    content {text} NOT NULL,
    memory_type {text} NOT NULL,
    importance {double} NOT NULL,
    relevance_score {double},
    tags {text} NOT NULL,
    embedding {embedding},
    metadata {text} NOT NULL,
    timestamp {double} NOT NULL,
    stored_at {double} NOT NULL,
    updated_at {double} NOT NULL,
    text_raw {text},
    compressed BOOLEAN NOT NULL,
    compression_provider {text},
    tokens_in {integer},
    tokens_out {integer},
    embedding_model {text},
    earliest_source_at {double},
    latest_source_at {double},
    expires_at {double},
    confidence {text},
    durability {text},
    staleness_risk {text},
    privacy_status {text},
    compression {text},
    injected BOOLEAN NOT NULL,
    origin {text},
"""

MIGRATIONS = (
    Migration(
        1,
        "entries, their tags and lineage, and the chain of records",
        (
            """CREATE TABLE memory_chains (
                tenant_id {text} NOT NULL PRIMARY KEY, length {integer} NOT NULL, head {text} NOT NULL)""",
            """CREATE TABLE memory_records (
                tenant_id {text} NOT NULL, seq {integer} NOT NULL, action {text} NOT NULL, at {text} NOT NULL,
                detail {text} NOT NULL, prev_hash {text} NOT NULL, hash {text} NOT NULL,
                PRIMARY KEY (tenant_id, seq))""",
            """CREATE TABLE memory_entries (
                tenant_id {text} NOT NULL, id {text} NOT NULL, version {integer} NOT NULL,"""
            + _COLUMNS
            + """changed_seq {integer} NOT NULL, search_text {text} NOT NULL, PRIMARY KEY (tenant_id, id))""",
            "CREATE INDEX memory_entries_listed ON memory_entries (tenant_id, timestamp, id)",
            "CREATE INDEX memory_entries_changed ON memory_entries (tenant_id, changed_seq)",
            """CREATE TABLE memory_tags (
                tenant_id {text} NOT NULL, tag {text} NOT NULL, entry_id {text} NOT NULL,
                PRIMARY KEY (tenant_id, tag, entry_id))""",
            "CREATE INDEX memory_tags_entry ON memory_tags (tenant_id, entry_id)",
            """CREATE TABLE memory_lineage (
                tenant_id {text} NOT NULL, old_id {text} NOT NULL, new_id {text} NOT NULL,
                PRIMARY KEY (tenant_id, old_id, new_id))""",
            "CREATE INDEX memory_lineage_new ON memory_lineage (tenant_id, new_id)",
        ),
    ),
    Migration(
        2,
        "earlier versions of entries, for history and undo",
        (
            """CREATE TABLE memory_revisions (
                tenant_id {text} NOT NULL, id {text} NOT NULL, version {integer} NOT NULL,"""
            + _COLUMNS
            + "PRIMARY KEY (tenant_id, id, version))",
        ),
    ),
    Migration(
        3,
        "digests of what was given out, so that it is not captured again",
        (
            """CREATE TABLE memory_given (
                tenant_id {text} NOT NULL, digest {text} NOT NULL, entry_id {text} NOT NULL,
                given_at {double} NOT NULL, PRIMARY KEY (tenant_id, digest, entry_id))""",
        ),
    ),
)


def newest(migrations: Sequence[Migration] = MIGRATIONS) -> int:
    """Return the number of the last migration."""
    return migrations[-1].number


def applied(connection: Connection) -> tuple[int, ...]:
    """Return the numbers of the migrations that a database has, in order."""
    if not inspect(connection).has_table(_NUMBERS):
        return ()
    rows = connection.execute(text(f"SELECT number FROM {_NUMBERS} ORDER BY number"))  # noqa: S608 (a constant)
    return tuple(row.number for row in rows)


def check(connection: Connection, where: str, migrations: Sequence[Migration] = MIGRATIONS) -> bool:
    """Return whether a database is up to date; what is not ours is refused.

    Raises:
        StoreVersionError: A newer MemGuard wrote it.
        StoreUnavailableError: It holds the tables of another program.
    """
    done = applied(connection)
    if done and done[-1] > newest(migrations):
        raise StoreVersionError(
            f"{where}: the store has the tables of a newer MemGuard (migration {done[-1]}, this one knows "
            f"{newest(migrations)}). Nothing was changed; use that version, or another store"
        )
    if not done and connection.dialect.name == "sqlite" and inspect(connection).get_table_names():
        raise StoreUnavailableError(
            f"{where}: this is a database of another program. Nothing was changed; choose another file"
        )
    return done == tuple(item.number for item in migrations)


def migrate(
    connection: Connection, where: str, migrations: Sequence[Migration] = MIGRATIONS
) -> tuple[int, ...]:
    """Bring a database up to date inside the caller's transaction, and return the numbers applied now.

    Two processes that open a new store at once take turns: SQLite's write lock, or an advisory lock.

    Raises:
        StoreVersionError: A newer MemGuard wrote it.
        StoreUnavailableError: It holds the tables of another program.
    """
    postgres = connection.dialect.name == "postgresql"
    if postgres:
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
    if check(connection, where, migrations):
        return ()
    names = _type_names(connection)
    if not applied(connection):
        connection.execute(
            text(
                f"CREATE TABLE {_NUMBERS} (number {names['integer']} PRIMARY KEY, "
                f"name {names['text']} NOT NULL, applied_at {names['text']} NOT NULL)"
            )
        )
        if not postgres:
            connection.execute(text(f"PRAGMA application_id = {APPLICATION_ID}"))
    missing = [item for item in migrations if item.number not in applied(connection)]
    for migration in missing:
        for statement in migration.statements:
            connection.execute(text(statement.format(**names)))
        connection.execute(
            text(f"INSERT INTO {_NUMBERS} VALUES (:number, :name, :at)"),  # noqa: S608 (a constant)
            {"number": migration.number, "name": migration.name, "at": datetime.now(UTC).isoformat()},
        )
    return tuple(item.number for item in missing)


def uses_pgvector(connection: Connection) -> bool:
    """Return whether the embeddings' column of a migrated database is pgvector's."""
    if connection.dialect.name != "postgresql":
        return False
    kind = connection.execute(
        text(
            "SELECT udt_name FROM information_schema.columns WHERE table_schema = current_schema() "
            "AND table_name = 'memory_entries' AND column_name = 'embedding'"
        )
    ).scalar()
    return bool(kind == "vector")


def _type_names(connection: Connection) -> dict[str, str]:
    if connection.dialect.name == "sqlite":
        return {"text": "TEXT", "double": "REAL", "integer": "INTEGER", "embedding": "BLOB"}
    # Collation "C": texts are sorted by code point, as SQLite sorts them.
    embedding = "vector" if _pgvector_ready(connection) else "REAL[]"
    return {
        "text": 'TEXT COLLATE "C"',
        "double": "DOUBLE PRECISION",
        "integer": "BIGINT",
        "embedding": embedding,
    }


def _pgvector_ready(connection: Connection) -> bool:
    """Return whether pgvector is created in the database, creating it where this user may."""
    if connection.execute(text("SELECT to_regtype('vector')")).scalar() is not None:
        return True
    if connection.execute(text("SELECT 1 FROM pg_extension WHERE extname = 'vector'")).scalar():
        return False  # in a schema that this user's search path does not reach
    offered = connection.execute(
        text(
            "SELECT superuser AND NOT trusted AND NOT "
            "(SELECT rolsuper FROM pg_roles WHERE rolname = current_user) "
            "FROM pg_available_extension_versions WHERE name = 'vector' ORDER BY version DESC LIMIT 1"
        )
    ).scalar()
    may_create = connection.execute(
        text("SELECT has_database_privilege(current_database(), 'CREATE')")
    ).scalar()
    if offered is None or offered or not may_create:
        return False
    connection.execute(text("CREATE EXTENSION vector"))
    return True
