"""Many writers at once, and writers that are killed: nothing acknowledged is lost, no chain breaks."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import time

import pytest

from memguard.memory import Status
from memguard.memory.rows import EVERYTHING, EntryFilter
from tests.db import writers

N_KILLS = 100
N_THREADS = 20
N_PROCESSES = 4
N_EACH = 5


@pytest.fixture(scope="module")
def processes():
    """Starts processes from a clean one that has the store's modules loaded."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.db.writers", "psycopg"])
    return context


@pytest.mark.slow
def test_twenty_threads_and_four_processes_lose_nothing(fresh_url, opened, processes):
    store = opened(fresh_url)
    others = [
        processes.Process(target=writers.process, args=(fresh_url, "default", f"process{number}", N_EACH))
        for number in range(N_PROCESSES)
    ]
    for other in others:
        other.start()
    faults = writers.threads(writers.add, store, N_THREADS, N_EACH)
    for other in others:
        other.join()
    assert faults == []
    assert [other.exitcode for other in others] == [0] * N_PROCESSES
    total = (N_THREADS + N_PROCESSES) * N_EACH
    assert store.count(EVERYTHING) == total
    for name in [f"thread{n}" for n in range(N_THREADS)] + [f"process{n}" for n in range(N_PROCESSES)]:
        assert store.count(EntryFilter(tags=[name])) == N_EACH
    assert len(store.records()) == total
    assert store.verify().intact


def test_no_update_is_lost_between_threads(store, entry):
    store.add(entry("counts", id=writers.COUNTER, metadata={"n": 0}))
    assert writers.threads(writers.count, store, 4, 3) == []
    counter = store.get(writers.COUNTER)
    assert (counter.entry.metadata["n"], counter.version) == (12, 13)
    assert store.verify().intact


@pytest.mark.slow
@pytest.mark.parametrize("fresh_url", ["sqlite", "postgresql"], indirect=True)
def test_a_hundred_killed_writers_lose_nothing_that_was_acknowledged(fresh_url, opened, processes, tmp_path):
    store = opened(fresh_url)
    acknowledged = tmp_path / "acknowledged"
    generator = random.Random(0)
    for number in range(N_KILLS):
        first, told = processes.Pipe(duplex=False)
        victim = processes.Process(
            target=writers.until_killed, args=(fresh_url, "default", f"w{number}", str(acknowledged), told)
        )
        victim.start()
        told.close()
        # Every second one at any moment from its start on, the others among their writes.
        if number % 2:
            assert first.poll(60), "the writer has written nothing in a minute"
        time.sleep(generator.uniform(0.0, 0.1))
        os.kill(victim.pid, signal.SIGKILL)
        victim.join()
        first.close()
        assert victim.exitcode == -signal.SIGKILL
    promised = acknowledged.read_text(encoding="ascii").split()
    assert len(promised) >= N_KILLS // 2
    found = store.get_many(promised)
    assert sorted(found) == sorted(promised)
    # What was committed and not yet acknowledged: at most the last write of each writer.
    assert 0 <= store.count(EVERYTHING) - len(promised) <= N_KILLS
    verified = store.verify()
    assert verified.intact, verified.message
    for stored in store.list(EVERYTHING):
        number = int(stored.id.rsplit("-", 1)[1])
        superseded = stored.status is Status.SUPERSEDED
        assert superseded == bool(stored.superseded_by), "half of a supersession was kept"
        assert (stored.version == 1) or number % 3 in {0, 2}
