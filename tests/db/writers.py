"""What the writing processes of the concurrency tests run."""

from __future__ import annotations

import os
from collections.abc import Callable
from multiprocessing.connection import Connection
from threading import Thread

from memguard.errors import StaleEntryError
from memguard.memory.entries import MemoryEntry
from memguard.memory.store import MemoryStore

COUNTER = "counter"

Work = Callable[[MemoryStore, str, int], None]


def add(store: MemoryStore, name: str, n_entries: int) -> None:
    """Add entries, one write each."""
    for number in range(n_entries):
        tenant = store.tenant_id
        store.add(MemoryEntry(f"{name} {number}", id=f"{name}-{number}", tags=[name], tenant_id=tenant))


def count(store: MemoryStore, _: str, n_times: int) -> None:
    """Raise the shared counter by one, with the version that was read, and again until it is accepted."""
    for _time in range(n_times):
        while True:
            counter = store.get(COUNTER)
            raised = {"n": counter.entry.metadata["n"] + 1}
            try:
                store.update(COUNTER, version=counter.version, metadata=raised)
                break
            except StaleEntryError:
                continue


def process(url: str, tenant: str, name: str, n_entries: int) -> None:
    """Open the store and write to it, as one of several processes."""
    with MemoryStore(url, tenant_id=tenant) as store:
        add(store, name, n_entries)


def threads(work_of: Work, store: MemoryStore, n_threads: int, n_times: int) -> list[BaseException]:
    """Write from several threads of this process, and return what went wrong in any."""
    faults: list[BaseException] = []

    def work(name: str) -> None:
        try:
            work_of(store, name, n_times)
        except BaseException as error:
            faults.append(error)
            raise

    running = [Thread(target=work, args=(f"thread{number}",)) for number in range(n_threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    return faults


def until_killed(url: str, tenant: str, name: str, acknowledged: str, first: Connection) -> None:
    """Write without end; each addition that was acknowledged is then noted in a file, the first one told.

    The kinds of write take turns: an add, an add that replaces an earlier entry, and an update.
    """
    store = MemoryStore(url, tenant_id=tenant)
    notes = os.open(acknowledged, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    number = 0
    while True:
        entry = MemoryEntry(f"{name} {number}", id=f"{name}-{number}", tags=[name], tenant_id=tenant)
        earlier = f"{name}-{number - 1}"
        if number % 3 == 1:
            store.add(entry, supersedes=[earlier])
        else:
            store.add(entry)
        os.write(notes, f"{entry.id}\n".encode())
        if number == 0:
            first.send(True)
        if number % 3 == 2:
            store.update(entry.id, version=1, content={"text": f"{name} {number}"})
        number += 1
