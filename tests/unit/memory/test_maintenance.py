"""``AIMemoryManager.run_maintenance``: when it runs, what it previews, and that each step can be undone."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from memguard.errors import InvalidParameterError, StaleEntryError
from memguard.memory.compressor import MemoryCompressor
from memguard.memory.entries import MemoryEntry
from memguard.memory.maintenance import STEPS, MaintenanceOptions
from memguard.memory.manager import AIMemoryManager
from memguard.memory.rows import EVERYTHING, Details, EntryFilter, Status
from memguard.memory.store import MemoryStore

NOW = datetime.now(UTC)
ANY_NUMBER = MaintenanceOptions(above=0)


@pytest.fixture
def store(tmp_path):
    with MemoryStore(tmp_path / "memory.db") as opened:
        yield opened


def fact(number, axis=None, *, size=200, **fields):
    """Return an entry that is no noise, unlike all others; ``axis`` gives it an embedding."""
    vector = None if axis is None else np.eye(size, dtype=np.float32)[axis]
    fields.setdefault("timestamp", 1000.0 + number)
    return MemoryEntry(
        f"Remembered thing {number} is filed here.", embedding=vector, id=f"f{number}", **fields
    )


def statuses(store):
    return {item.id: item.status for item in store.list(EVERYTHING)}


def contents(store):
    """Return everything that can be asked of each active entry, without versions and lineage."""
    return {item.id: (item.entry, item.details) for item in store.list(EntryFilter(expired=None))}


@pytest.mark.parametrize(("n", "runs"), [(100, False), (101, True)])
def test_it_runs_only_above_a_hundred_entries(store, n, runs):
    """B25."""
    store.add_many([fact(i) for i in range(n - 1)] + [MemoryEntry("ok", id="noise", timestamp=1.0)])

    report = AIMemoryManager(store).run_maintenance()

    assert report.plan.runs is report.ran is runs
    assert statuses(store)["noise"] is (Status.ARCHIVED if runs else Status.ACTIVE)


@pytest.mark.parametrize(("n_left", "summarised"), [(50, False), (51, True)])
def test_it_summarises_above_fifty_after_noise_and_merge(store, n_left, summarised):
    """B18, B25: 101 entries, of which pairs merge and noise goes, until 50 or 51 are left."""
    n_pairs = 20
    pairs = [fact(i, i // 2) for i in range(2 * n_pairs)]
    single = [fact(i, i) for i in range(100, 100 + n_left - n_pairs)]
    noise = [MemoryEntry("ok", id=f"n{i}", timestamp=float(i)) for i in range(120 - len(pairs) - len(single))]
    store.add_many([*pairs, *single, *noise])

    report = AIMemoryManager(store).run_maintenance()

    active = store.list()
    done = {step.step: step for step in report.steps}
    assert len(done["merge"].made) == n_pairs
    assert done["noise"].n_changed == len(noise)
    assert report.n_after == len(active) == (1 if summarised else n_left)
    if summarised:
        assert active[0].entry.content["source_count"] == 51
        assert active[0].details.origin == "summary"
        assert len(active[0].supersedes) == 51
    assert store.verify().intact


def test_a_dry_run_writes_nothing_and_says_all(store):
    """Pairs to merge with their cosine and what differs; the same plan that a run carries out."""
    a = MemoryEntry("The user likes black tea.", id="a", embedding=[1.0, 0.0], timestamp=1.0)
    b = MemoryEntry("The user enjoys tea.", id="b", embedding=[0.96, 0.28], timestamp=2.0)
    c = MemoryEntry("The user likes black tea 3 times a day.", id="c", embedding=[1.0, 0.0], timestamp=3.0)
    store.add_many([a, b, c, MemoryEntry("ok", id="d", timestamp=4.0)])
    head, manager = (
        store.head(),
        AIMemoryManager(store, MemoryCompressor(merge_guard=True), options=ANY_NUMBER),
    )

    report = manager.run_maintenance(dry_run=True)

    [merge], plan = report.plan.merges, report.plan
    assert merge.ids == ("a", "b")
    assert merge.similarity == pytest.approx(0.96)
    assert (merge.only_first, merge.only_second) == ("likes black", "enjoys")
    [apart] = [held for held in plan.held_apart if held.second.id == "c" and held.first.id == "a"] or [None]
    assert apart is None or apart.similarity == pytest.approx(1.0)
    assert [item.id for item in plan.noise] == ["d"]
    assert (report.dry_run, report.ran, report.n_before, report.n_after) == (True, False, 4, 2)
    assert store.head() == head
    assert manager.run_maintenance().n_after == report.n_after


def test_the_preview_names_what_the_guard_holds_apart(store):
    store.add_many(
        [
            MemoryEntry("Invoice 1042 is 310 EUR.", id="a", embedding=[1.0, 0.0], timestamp=1.0),
            MemoryEntry("Invoice 1043 is 310 EUR.", id="b", embedding=[1.0, 0.01], timestamp=2.0),
        ]
    )

    plan = AIMemoryManager(store, MemoryCompressor(merge_guard=True), options=ANY_NUMBER).preview()

    assert plan.merges == ()
    [held] = plan.held_apart
    assert (held.first.id, held.second.id) == ("a", "b")
    assert held.similarity == pytest.approx(0.99995, abs=1e-5)
    assert [str(difference) for difference in held.differences] == ['number: "1042" against "1043"']


def everything(store):
    """Fill a store so that every step has something to do."""
    store.add_many(
        [
            *(fact(i, i // 2) for i in range(6)),
            *(fact(i) for i in range(10, 70)),
            MemoryEntry("ok", id="noise", timestamp=1.0),
            MemoryEntry("Imani works at Borealis.", id="old", timestamp=10.0),
            MemoryEntry("Imani has just joined Helio.", id="new", timestamp=20.0),
        ]
    )
    store.add(fact(80), Details(injected=True))
    store.add(fact(81), Details(expires_at=NOW - timedelta(days=1)))
    store.add(fact(82), Details(expires_at=NOW + timedelta(days=1)))


def test_every_step_is_one_write_and_can_be_undone(store):
    everything(store)
    manager = AIMemoryManager(store, options=ANY_NUMBER, staleness=lambda item, now: "stale")
    before, n_records = contents(store), store.stats().n_records

    report = manager.run_maintenance()

    assert [step.step for step in report.steps] == list(STEPS)
    assert [step.problem for step in report.steps] == [""] * len(STEPS)
    assert [step.seq for step in report.steps] == list(range(n_records, n_records + len(STEPS)))
    actions = [record.action for record in store.records(after=n_records - 1)]
    assert actions == [f"maintain.{step}" for step in STEPS]
    found = statuses(store)
    assert (found["noise"], found["f80"], found["f81"]) == (Status.ARCHIVED,) * 3
    assert (found["old"], found["new"], found["f0"]) == (Status.SUPERSEDED,) * 3
    assert found["f82"] is Status.ACTIVE, "what will expire is not written into a summary that will not"
    assert report.n_after == 2 == len(store.list())

    manager.undo(report)

    after = contents(store)
    assert after == before
    assert store.verify().intact


def test_one_step_can_be_undone_alone(store):
    store.add_many([fact(0, 0), fact(1, 0), MemoryEntry("ok", id="noise", timestamp=1.0)])
    manager = AIMemoryManager(store, options=MaintenanceOptions(above=0, steps=("noise", "merge")))
    noise, merge = manager.run_maintenance().steps

    manager.undo(merge)

    assert {item.id for item in store.list()} == {"f0", "f1"}
    assert statuses(store)["noise"] is Status.ARCHIVED
    manager.undo(noise)
    assert {item.id for item in store.list()} == {"f0", "f1", "noise"}
    with pytest.raises(StaleEntryError):
        manager.undo(noise)


def test_there_must_be_something_to_undo(store):
    manager = AIMemoryManager(store)

    with pytest.raises(InvalidParameterError, match="nothing to undo"):
        manager.undo(manager.run_maintenance())


def test_a_contradiction_keeps_the_new_active_and_the_old_as_history(store):
    """Apart from duplicates: though their vectors are the same, they do not merge."""
    store.add_many(
        [
            MemoryEntry("Imani works at Borealis.", id="old", embedding=[1.0, 0.0], timestamp=1.0),
            MemoryEntry("Imani has just joined Helio.", id="new", embedding=[1.0, 0.0], timestamp=2.0),
            MemoryEntry("Noor works at Borealis.", id="other", timestamp=3.0),
        ]
    )

    report = AIMemoryManager(store, options=ANY_NUMBER).run_maintenance()

    [found] = report.plan.contradictions
    assert (found.old.id, found.new.id, found.subject, found.attribute) == ("old", "new", "imani", "employer")
    assert (found.old_value, found.new_value) == ("Borealis", "Helio")
    assert {item.id for item in store.list()} == {"new", "other"}
    assert store.get("old").status is Status.SUPERSEDED
    assert store.get("old").superseded_by == ("new",)
    assert store.get("new").supersedes == ("old",)


def test_a_merged_entry_keeps_the_times_and_the_worst_ratings_of_its_sources(store):
    store.add(fact(0, 0), Details(privacy_status="internal", confidence="high", earliest_source_at=5.0))
    store.add(fact(1, 0), Details(privacy_status="sensitive", confidence="low"))

    report = AIMemoryManager(store, options=ANY_NUMBER).run_maintenance()

    [merged] = store.list()
    assert merged.id == report.steps[STEPS.index("merge")].made[0]
    assert merged.supersedes == ("f0", "f1")
    assert merged.details.origin == "merge"
    assert (merged.details.earliest_source_at, merged.details.latest_source_at) == (5.0, 1001.0)
    assert (merged.details.privacy_status, merged.details.confidence) == ("sensitive", "low")
    assert {statuses(store)[name] for name in ("f0", "f1")} == {Status.SUPERSEDED}


def test_what_is_left_is_rated_for_staleness_by_its_oldest_source(store):
    """E09: of one age, a preference is fresh where a state is stale."""
    made = (NOW - timedelta(days=20)).timestamp()
    store.add(MemoryEntry("The user prefers window seats.", id="taste", timestamp=made))
    store.add(MemoryEntry("The build is currently failing.", id="state", timestamp=made))
    store.add(
        MemoryEntry("The user prefers aisle seats.", id="old", timestamp=made),
        Details(earliest_source_at=NOW - timedelta(days=3_000)),
    )
    options = MaintenanceOptions(above=0, steps=("staleness",))

    report = AIMemoryManager(store, options=options).run_maintenance()

    found = {item.id: item.details.staleness_risk for item in store.list()}
    assert found == {"taste": "fresh", "state": "stale", "old": "stale"}
    assert {item.id: risk for item, risk in report.plan.staleness} == found
    assert not AIMemoryManager(store, options=options).run_maintenance().ran, "nothing is left to change"


def test_what_changed_meanwhile_is_left_alone(store, monkeypatch):
    """The step says so and writes nothing; what rests on it is not tried."""
    store.add_many([fact(0, 0), fact(1, 0), MemoryEntry("ok", id="noise", timestamp=1.0)])
    manager = AIMemoryManager(store, options=ANY_NUMBER)
    stale = manager.preview()
    store.update("f1", version=1, content="Something else by now entirely.")
    monkeypatch.setattr(manager, "preview", lambda: stale)

    report = manager.run_maintenance()

    assert [step.step for step in report.steps][-1] == "merge"
    assert "was changed while maintenance ran" in report.steps[-1].problem
    assert {item.id for item in store.list()} == {"f0", "f1"}
    assert store.get("f1").entry.content == "Something else by now entirely."
    assert store.verify().intact


def test_steps_can_be_chosen_and_thresholds_moved(store):
    everything(store)
    options = MaintenanceOptions(above=10, summarise_above=1_000, steps=("noise",))

    report = AIMemoryManager(store, options=options).run_maintenance()

    assert [step.step for step in report.steps] == ["noise"]
    assert statuses(store)["old"] is Status.ACTIVE
    with pytest.raises(InvalidParameterError, match="steps must be of injected"):
        MaintenanceOptions(steps=("tidy",))
    with pytest.raises(InvalidParameterError, match="above must be a whole number"):
        MaintenanceOptions(above=-1)


def test_other_tenants_are_never_touched(store):
    other = store.for_tenant("other")
    other.add_many([MemoryEntry("ok", id=f"o{i}", tenant_id="other") for i in range(150)])
    store.add_many([MemoryEntry("ok", id=f"o{i}") for i in range(150)])

    AIMemoryManager(store).run_maintenance()

    assert store.count() == 0
    assert other.count() == 150
    with pytest.raises(InvalidParameterError, match="the compressor's tenant is 'default'"):
        AIMemoryManager(other, MemoryCompressor())


def test_what_was_given_out_is_not_new(store):
    """Injected memory is never captured again, whole, line by line, or with other white space."""
    stored = store.add_many(
        [MemoryEntry("Imani lives in Lyon.", id="a"), MemoryEntry("The port is 8443.", id="b")]
    )
    manager = AIMemoryManager(store)
    assert manager.is_new("Imani lives in Lyon.")

    block = manager.recall(stored)

    assert block == "Imani lives in Lyon.\nThe port is 8443."
    for text in (block, "imani  lives in LYON.", "The port is 8443.\n\nImani lives in Lyon."):
        assert not manager.is_new(text)
    assert manager.is_new("Imani lives in Lyon. The port has changed.")
    assert manager.is_new("")


def test_two_runs_at_once_lose_nothing(store):
    """Each entry is superseded or archived once; a run that comes second says so or finds nothing."""
    store.add_many([fact(i, i // 2) for i in range(120)])
    options = MaintenanceOptions(steps=("merge",))
    reports, start = [], threading.Barrier(4)

    def work():
        manager = AIMemoryManager(store, options=options)
        start.wait()
        reports.append(manager.run_maintenance())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(reports) == 4
    active = store.list()
    assert sorted(source for item in active for source in item.supersedes) == sorted(
        f"f{i}" for i in range(120)
    )
    assert sum(report.ran for report in reports) == 1
    assert store.verify().intact
