"""What is wrong with a store is said clearly, and nothing that was stored is lost by it."""

from __future__ import annotations

import sqlite3
import threading
import time
from pathlib import Path

import pytest
from sqlalchemy import event

from memguard.errors import InvalidParameterError, StoreUnavailableError
from memguard.memory import MemoryEntry, MemoryStore, database
from memguard.memory.rows import EVERYTHING


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memory.db"


def pragma_on_connect(store, statement):
    event.listen(store._database.engine, "connect", lambda connection, _: connection.execute(statement))
    store.close()


def test_without_a_url_the_store_is_in_memguards_own_folder(tmp_path, monkeypatch, opened):
    monkeypatch.delenv(database.URL_VARIABLE, raising=False)
    monkeypatch.setenv("MEMGUARD_HOME", str(tmp_path / "home"))
    store = opened()
    store.add(MemoryEntry("a"))
    assert store.location == str(tmp_path / "home" / "memory.db")
    assert Path(store.location).is_file()
    monkeypatch.setenv(database.URL_VARIABLE, f"sqlite:///{tmp_path / 'other.db'}")
    assert opened().location == str(tmp_path / "other.db")


def test_a_new_file_is_in_wal_mode_and_marked_as_ours(path, opened):
    opened(path)
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA application_id").fetchone() == (0x4D656D47,)
    connection.close()


def test_a_store_in_memory_does_all_but_last(opened):
    store = opened("sqlite://")
    store.add(MemoryEntry("a", id="a", embedding=[1.0]))
    store.update("a", version=1, content="b")
    assert store.search([1.0])[0].stored.entry.content == "b"
    assert store.verify().intact
    assert store.stats().store_bytes is None


def test_readers_do_not_wait_for_a_writer(path, opened):
    store = opened(path)
    store.add(MemoryEntry("a"))
    with store.transaction("slow") as write:
        write.add(MemoryEntry("b"))
        found = []
        reader = threading.Thread(target=lambda: found.append(store.count(EVERYTHING)))
        reader.start()
        reader.join(20)
        assert found == [1]
    assert store.count(EVERYTHING) == 2


@pytest.mark.parametrize(
    "url",
    [
        "",
        "mysql://u@h/d",
        "nonsense://",
        "http://example.org",
        "://",
        "sqlite+pysqlcipher:///x",
    ],
)
def test_a_url_that_names_no_store_is_refused(url, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((InvalidParameterError, StoreUnavailableError)):
        MemoryStore(url)


def test_a_password_is_never_in_an_error():
    with pytest.raises(StoreUnavailableError) as fault:
        MemoryStore("postgresql://somebody:s3cr3t-words@127.0.0.1:1/nothing")
    assert "s3cr3t" not in str(fault.value)
    with pytest.raises(InvalidParameterError) as wrong:
        MemoryStore("oracle://somebody:s3cr3t-words@127.0.0.1/nothing")
    assert "s3cr3t" not in str(wrong.value)


@pytest.mark.parametrize("content", [b"not a database at all, only some text" * 40, b"\x00" * 4096])
def test_a_file_that_is_no_database_is_left_alone(path, content):
    path.write_bytes(content)
    with pytest.raises(StoreUnavailableError, match="not a store of MemGuard"):
        MemoryStore(path)
    assert path.read_bytes() == content


def test_the_database_of_another_program_is_left_alone(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE notes (text)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreUnavailableError, match="another program"):
        MemoryStore(path)
    assert path.read_bytes() == before


def test_a_folder_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(StoreUnavailableError, match=r"folder .*none does not exist"):
        MemoryStore(tmp_path / "none" / "memory.db")
    with pytest.raises(StoreUnavailableError, match="cannot be opened"):
        MemoryStore(tmp_path)


def test_a_damaged_page_is_a_clear_error_and_the_rest_is_read(path, opened):
    store = opened(path)
    store.add_many([MemoryEntry("x" * 500, id=f"m{n:03}") for n in range(200)])
    store.vacuum()
    store.close()
    with path.open("r+b") as file:
        size = path.stat().st_size
        file.seek(size // 2)
        file.write(b"\xa5" * 16384)
    damaged = opened(path)
    assert damaged.get("m000").entry.content == "x" * 500
    with pytest.raises(StoreUnavailableError, match="damaged"):
        damaged.list(EVERYTHING)
    with pytest.raises(StoreUnavailableError, match="damaged"):
        damaged.verify()


def test_a_full_disk_keeps_what_was_stored(path, opened):
    store = opened(path)
    store.add(MemoryEntry("kept", id="kept"))
    pages = store.stats().store_bytes // 4096
    pragma_on_connect(store, f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(StoreUnavailableError, match=r"disk is full. Nothing of this write was kept"):
        store.add_many([MemoryEntry("y" * 5000) for _ in range(50)])
    assert [stored.id for stored in store.list(EVERYTHING)] == ["kept"]
    assert store.verify().intact
    assert len(store.records()) == 1


def test_a_read_only_store_can_be_read_and_says_so_when_written(path, opened):
    opened(path).add(MemoryEntry("kept", id="kept"))
    reader = opened(f"sqlite:///file:{path}?mode=ro&uri=true")
    assert reader.get("kept").entry.content == "kept"
    assert reader.verify().intact
    with pytest.raises(StoreUnavailableError, match=r"read-only here. Nothing was written"):
        reader.delete("kept")


def test_another_process_that_writes_for_too_long_is_named(path, opened, monkeypatch):
    monkeypatch.setattr(database, "BUSY_TIMEOUT_S", 0.1)
    store = opened(path)
    store.add(MemoryEntry("a"))
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    start = time.monotonic()
    with pytest.raises(StoreUnavailableError, match=r"writing for too long. Nothing was written"):
        store.add(MemoryEntry("b"))
    assert time.monotonic() - start < 20
    holder.execute("ROLLBACK")
    holder.close()
    store.add(MemoryEntry("b"))
    assert store.count() == 2


def test_what_an_entry_says_is_not_in_the_error_of_a_failed_write(path, opened):
    store = opened(path)
    pragma_on_connect(store, "PRAGMA query_only = ON")
    with pytest.raises(StoreUnavailableError) as fault:
        store.add(MemoryEntry("a private sentence"))
    cause = fault.value.__cause__
    assert "private" not in f"{fault.value} {cause}"


def test_a_closed_postgresql_is_a_clear_error(postgresql_cluster, opened):
    url = postgresql_cluster.fresh_url()
    store = opened(url)
    store.add(MemoryEntry("a", id="a"))
    name = url.rsplit("/", 1)[1]
    assert name in store.location
    import psycopg

    with psycopg.connect(postgresql_cluster.url(), autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
    with pytest.raises(StoreUnavailableError, match="cannot be reached"):
        store.get("a")
