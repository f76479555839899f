"""The store's tables are made by numbered migrations, once each, and only by those that are known."""

from __future__ import annotations

import threading
import warnings

import pytest
from sqlalchemy import inspect, text
from sqlalchemy.exc import SAWarning

from memguard.errors import StoreVersionError
from memguard.memory import MemoryEntry, MemoryStore, migrations
from memguard.memory.database import Database, store_url
from memguard.memory.migrations import MIGRATIONS, Migration


def test_migrations_are_numbered_without_gaps():
    assert [item.number for item in MIGRATIONS] == list(range(1, len(MIGRATIONS) + 1))
    assert len({item.name for item in MIGRATIONS}) == len(MIGRATIONS)


def test_a_new_store_has_all_of_them_and_the_tables_that_the_code_reads(fresh_url, opened):
    store = opened(fresh_url)
    database = store._database
    with database.engine.connect() as connection, warnings.catch_warnings():
        assert migrations.applied(connection) == tuple(item.number for item in MIGRATIONS)
        found = inspect(connection)
        warnings.simplefilter("ignore", SAWarning)  # SQLAlchemy does not know pgvector's type
        for table in database.tables.all.sorted_tables:
            columns = {item["name"]: item["nullable"] for item in found.get_columns(table.name)}
            assert columns == {column.name: column.nullable for column in table.columns}
            key = found.get_pk_constraint(table.name)["constrained_columns"]
            assert sorted(key) == sorted(column.name for column in table.primary_key)


def test_opening_again_applies_nothing(fresh_url, opened):
    opened(fresh_url).add(MemoryEntry("a"))
    again = opened(fresh_url)
    with again._database.write() as connection:
        assert migrations.migrate(connection, "here") == ()
    assert again.count() == 1


def test_an_older_store_is_brought_up_to_date_and_keeps_its_entries(fresh_url, opened, monkeypatch):
    opened(fresh_url).add(MemoryEntry("a", id="a"))
    later = (*MIGRATIONS, Migration(len(MIGRATIONS) + 1, "a note", ("CREATE TABLE memory_note (x {text})",)))
    database = opened(fresh_url)._database
    with database.write() as connection:
        assert migrations.migrate(connection, "here", later) == (len(later),)
        assert migrations.check(connection, "here", later)
    with database.engine.connect() as connection:
        assert inspect(connection).has_table("memory_note")
        assert connection.execute(text("SELECT id FROM memory_entries")).scalars().all() == ["a"]


def test_a_migration_that_fails_leaves_the_store_as_it_was(fresh_url, opened):
    database = opened(fresh_url)._database
    failing = Migration(
        len(MIGRATIONS) + 1, "fails", ("CREATE TABLE memory_half (x {text})", "CREATE nonsense")
    )

    def attempt():
        with database.write() as connection:
            migrations.migrate(connection, "here", (*MIGRATIONS, failing))

    with pytest.raises(Exception, match="nonsense"):
        attempt()
    with database.engine.connect() as connection:
        assert not inspect(connection).has_table("memory_half")
        assert len(migrations.applied(connection)) == len(MIGRATIONS)


def test_a_store_of_a_newer_memguard_is_refused_and_left_alone(fresh_url, opened):
    store = opened(fresh_url)
    store.add(MemoryEntry("a"))
    with store._database.engine.begin() as connection:
        connection.execute(text("INSERT INTO memory_migrations VALUES (99, 'from the future', 'then')"))
    with pytest.raises(StoreVersionError, match=r"newer MemGuard \(migration 99.*Nothing was changed"):
        MemoryStore(fresh_url)
    assert store.count() == 1


def test_several_may_open_a_new_store_at_once(fresh_url):
    faults = []

    def work():
        try:
            Database(store_url(fresh_url)).close()
        except Exception as error:
            faults.append(error)
            raise

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
