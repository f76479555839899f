"""One database: its engine, its transactions, and what its faults mean to a user.

A write runs inside one transaction that holds the write lock from its first statement, so that it never
fails half way for another writer's sake; it ends in a commit or leaves nothing.
"""

from __future__ import annotations

import os
import random
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.pool import StaticPool

from memguard.errors import InvalidParameterError, MemGuardError, StoreUnavailableError
from memguard.memory import migrations
from memguard.memory.schema import Tables
from memguard.models.home import model_home

URL_VARIABLE = "MEMGUARD_MEMORY_URL"
FILE_NAME = "memory.db"
BUSY_TIMEOUT_S = 30.0
"""How long a write waits for another process's before it gives up."""

_RETRY_PAUSE_S = 0.05
_WRITING = "memguard_writing"
_BARE = "memguard_bare"
_CONNECT_TIMEOUT_S = 10
_POOL_OVERFLOW = 27
"""Connections beyond the five that are kept: more threads than these take turns."""
_POOL_TIMEOUT_S = 120


def store_url(url: str | os.PathLike[str] | None) -> URL:
    """Return the URL of a store.

    Args:
        url: ``sqlite:///path``, ``postgresql://user@host/name``, the path of a SQLite file, or None for
            ``MEMGUARD_MEMORY_URL`` or else ``memory.db`` in MemGuard's own folder.

    Raises:
        InvalidParameterError: It is none of these; a password in it is not repeated.
    """
    if url is not None and not isinstance(url, str | os.PathLike):
        raise InvalidParameterError(f"the store must be a URL or a path; got {type(url).__name__}: {_FORMS}")
    chosen = os.fspath(url) if url is not None else os.environ.get(URL_VARIABLE, "").strip()
    if not chosen:
        if url is not None:
            raise InvalidParameterError("the URL of a store must not be empty; None takes the default place")
        return URL.create("sqlite", database=str(model_home() / FILE_NAME))
    if "://" not in chosen:
        return URL.create("sqlite", database=str(Path(chosen).expanduser()))
    try:
        parsed = make_url(chosen)
        backend = parsed.get_backend_name()
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise InvalidParameterError(f"the URL of the store cannot be read: {_FORMS}") from error.__cause__
    if backend in {"postgres", "postgresql"}:
        return parsed.set(drivername="postgresql+psycopg")
    if parsed.drivername != "sqlite":
        raise InvalidParameterError(f"no store is kept in {parsed.drivername!r}: {_FORMS}")
    return parsed


_FORMS = "it must be sqlite:///path, postgresql://user@host/name, or the path of a file"


class Database:
    """The engine of one store, shared by its tenants and threads.

    A process that forks must open a store of its own in the child: connections do not survive it.
    """

    def __init__(self, url: URL) -> None:
        """Open a database, making or migrating its tables where that is due.

        Raises:
            StoreUnavailableError: It cannot be opened.
            StoreVersionError: A newer MemGuard wrote it.
        """
        self.where = url.database or "memory" if _is_sqlite(url) else url.render_as_string(hide_password=True)
        self.sqlite = _is_sqlite(url)
        self.in_memory = self.sqlite and url.database in {None, "", ":memory:"}
        # One lock for SQLite's writers of this process: its own waiting is a sleep without a queue.
        self._turn: Any = threading.RLock()
        self.engine = _engine(url, in_memory=self.in_memory)
        try:
            with self._named_faults():
                self.tables = self._prepared(url)
        except MemGuardError:
            self.engine.dispose()
            raise

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Give a connection that sees one state of the store throughout."""
        with self._named_faults(), self._lock(shared=True), self.engine.connect() as connection:
            if self.sqlite:
                yield connection
            else:
                yield connection.execution_options(isolation_level="REPEATABLE READ")

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Give a connection in a transaction that holds the write lock; it commits at the end."""
        with self._named_faults(), self._lock(shared=False), self._writer() as connection:
            yield connection

    @contextmanager
    def bare(self) -> Iterator[Connection]:
        """Give a connection outside any transaction, for what a database does only there (vacuum)."""
        with self._named_faults(), self._lock(shared=False), self.engine.connect() as connection:
            if self.sqlite:  # the driver's own switch would leave the connection in another mode
                yield connection.execution_options(**{_BARE: True})
            else:
                yield connection.execution_options(isolation_level="AUTOCOMMIT")

    def n_bytes(self, connection: Connection) -> int | None:
        """Return the size of the whole store on disk, of every tenant; None for one in memory."""
        if self.in_memory:
            return None
        if self.sqlite:
            pages = connection.execute(text("PRAGMA page_count")).scalar_one()
            return int(pages) * int(connection.execute(text("PRAGMA page_size")).scalar_one())
        names = [table.name for table in self.tables.all.sorted_tables]
        sizes = (
            connection.execute(text("SELECT pg_total_relation_size(:name)"), {"name": name}).scalar_one()
            for name in names
        )
        return sum(int(size) for size in sizes)

    def close(self) -> None:
        """Close every connection; a later use opens new ones."""
        self.engine.dispose()

    @contextmanager
    def _writer(self) -> Iterator[Connection]:
        connection = self._begun()
        try:
            yield connection
            connection.commit()
        finally:
            connection.close()  # which rolls back what was not committed

    def _begun(self) -> Connection:
        """Begin a write; while other processes hold the lock, try again until the time is over."""
        deadline = time.monotonic() + BUSY_TIMEOUT_S
        while True:
            connection = self.engine.connect().execution_options(**{_WRITING: True})
            try:
                connection.begin()
            except DBAPIError as error:
                connection.close()
                if not _is_busy(error) or time.monotonic() >= deadline:
                    raise
                time.sleep(_RETRY_PAUSE_S * (1 + random.random()))  # noqa: S311 (it spreads waiters, no secret)
            else:
                return connection

    @contextmanager
    def _lock(self, *, shared: bool) -> Iterator[None]:
        if not self.sqlite or (shared and not self.in_memory):
            yield
            return
        with self._turn:
            yield

    @contextmanager
    def _named_faults(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise StoreUnavailableError(f"{self.where}: {_meaning(error)}") from error
        except PoolTimeoutError as error:
            raise StoreUnavailableError(
                f"{self.where}: every connection is in use; nothing was written. Try again"
            ) from error
        except OSError as error:
            raise StoreUnavailableError(f"{self.where}: {error.strerror or error}") from error

    def _prepared(self, url: URL) -> Tables:
        """Make or migrate the tables where that is due, and return them."""
        if self.sqlite and not self.in_memory:
            self._make_folder(url)
        with self.engine.connect() as connection:
            ready = migrations.check(connection, self.where)
        if not ready:
            self._wal()
            with self.write() as connection:
                migrations.migrate(connection, self.where)
        with self.engine.connect() as connection:
            return Tables(pgvector=migrations.uses_pgvector(connection))

    def _make_folder(self, url: URL) -> None:
        path = Path(url.database or "")
        if path == model_home() / FILE_NAME:
            path.parent.mkdir(parents=True, exist_ok=True)
        elif not str(path).startswith("file:") and not path.parent.is_dir():
            raise StoreUnavailableError(
                f"{self.where}: the folder {path.parent} does not exist; make it first"
            )

    def _wal(self) -> None:
        """Switch a new file to write-ahead logging, which it keeps: readers need not wait for the writer."""
        if self.sqlite and not self.in_memory:
            with self.bare() as connection:
                connection.execute(text("PRAGMA journal_mode = WAL"))


def _is_sqlite(url: URL) -> bool:
    return url.get_backend_name() == "sqlite"


def _engine(url: URL, *, in_memory: bool) -> Engine:
    if not _is_sqlite(url):
        return create_engine(
            url,
            pool_pre_ping=True,
            max_overflow=_POOL_OVERFLOW,
            pool_timeout=_POOL_TIMEOUT_S,
            hide_parameters=True,  # what an entry says stays out of errors and logs
            connect_args={"connect_timeout": _CONNECT_TIMEOUT_S},
        )
    options: dict[str, Any] = {
        "connect_args": {"timeout": BUSY_TIMEOUT_S, "check_same_thread": False},
        "hide_parameters": True,
    }
    if in_memory:
        options["poolclass"] = StaticPool
    else:
        options |= {"max_overflow": _POOL_OVERFLOW, "pool_timeout": _POOL_TIMEOUT_S}
    engine = create_engine(url, **options)
    event.listen(engine, "connect", _on_connect)
    event.listen(engine, "begin", _on_begin)
    return engine


def _on_connect(connection: sqlite3.Connection, _: object) -> None:
    connection.isolation_level = None  # the driver begins nothing by itself; _on_begin does
    # FULL: what was acknowledged outlives a power cut, not only a killed process.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")


def _on_begin(connection: Connection) -> None:
    options = connection.get_execution_options()
    if options.get(_BARE):
        return
    connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get(_WRITING) else "BEGIN")


def _is_busy(error: DBAPIError) -> bool:
    cause = error.orig
    if isinstance(cause, sqlite3.OperationalError):
        code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
        return code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
    return False


_SQLITE_MEANINGS = {
    sqlite3.SQLITE_BUSY: "another process has been writing for too long. Nothing was written; try again",
    sqlite3.SQLITE_LOCKED: "another process has been writing for too long. Nothing was written; try again",
    sqlite3.SQLITE_FULL: "the disk is full. Nothing of this write was kept, what was stored before is safe; "
    "free some space and try again",
    sqlite3.SQLITE_IOERR: "the disk could not be read or written. Nothing of this write was kept; "
    "check the disk",
    sqlite3.SQLITE_READONLY: "the store is read-only here. Nothing was written; check the rights of the file "
    "and its folder",
    sqlite3.SQLITE_CANTOPEN: "the file cannot be opened; check that it is a file, and the rights of "
    "its folder",
    sqlite3.SQLITE_NOTADB: "this is not a store of MemGuard, or its file is damaged. Nothing was changed; "
    "choose another file, or restore it from an export",
    sqlite3.SQLITE_CORRUPT: "the file is damaged. Nothing was changed; copy it away, then restore the "
    "store from an export, or read what is left with sqlite3's .recover",
}


def _meaning(error: DBAPIError) -> str:
    """Return what a driver's fault means, without the statement and its values, which may be private."""
    cause = error.orig
    if isinstance(cause, sqlite3.Error):
        code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
        return f"{_SQLITE_MEANINGS.get(code, 'the database refused')} ({cause})"
    first = str(cause).strip().splitlines()[0] if str(cause).strip() else type(cause).__name__
    return f"the database refused or cannot be reached; nothing of this write was kept ({first})"
