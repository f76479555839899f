"""The map and its worker process: real UMAP, started once for the module."""

from __future__ import annotations

import concurrent.futures
import gc
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest

from memguard.errors import InvalidParameterError, WorkerError
from memguard.geometry.projection import Layout, MapWorker
from memguard.geometry.projection_process import compiled_folder
from memguard.settings import ProjectionSettings

SETTINGS = ProjectionSettings()
NONE = np.zeros((0, 16), np.float32)
WAIT_S = 180.0
"""The first start on a machine compiles for half a minute, and longer on a busy one."""


def rows(n: int, seed: int = 0, dim: int = 16) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, dim)).astype(np.float32)


def until(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


def gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


@pytest.fixture(scope="module")
def worker() -> Iterator[MapWorker]:
    made = MapWorker()
    made.start()
    assert made.wait_ready(WAIT_S), made.error
    yield made
    made.close()


@pytest.fixture
def fresh() -> Iterator[MapWorker]:
    made = MapWorker()
    yield made
    made.close()


def place(worker: MapWorker, sources: np.ndarray, targets: np.ndarray = NONE, seed: int = 0) -> Layout:
    return worker.submit(sources, targets, SETTINGS, seed).result(WAIT_S)


def test_import_loads_no_umap() -> None:
    """Importing the map costs none of the libraries behind it (OPS-003)."""
    code = (
        "import sys, memguard.geometry.projection; "
        "print([m for m in ('umap', 'numba', 'sklearn', 'scipy', 'torch', 'streamlit') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_worker_holds_no_heavy_neighbours(worker: MapWorker) -> None:
    assert worker.pid is not None
    process = psutil.Process(worker.pid)
    mapped = " ".join(Path(m.path).name.lower() for m in process.memory_maps())
    assert "numpy" in mapped or "_multiarray_umath" in mapped
    assert not [name for name in ("torch", "blingfire") if name in mapped]
    assert process.nice() > psutil.Process().nice()
    environment = process.environ()
    assert environment["OMP_NUM_THREADS"] == environment["NUMBA_NUM_THREADS"] == "1"


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("m", [0, 1, 3])
def test_few_sources_are_placed_at_once_without_the_worker(n: int, m: int) -> None:
    worker = MapWorker()
    future = worker.submit(rows(n), rows(m, seed=1), SETTINGS, 0)
    assert future.done()
    assert worker.state == "cold"
    layout = future.result()
    assert len(layout.points) == n + m
    assert np.isfinite(layout.points).all() if n + m else layout.points == ()
    assert layout.method == ("fixed" if n + m <= 1 else "pca")
    if n + m:
        assert len(set(layout.points)) == n + m


def test_single_source_lies_at_the_origin() -> None:
    assert place(MapWorker(), rows(1)).points == ((0.0, 0.0),)


def test_few_sources_stay_when_claims_arrive() -> None:
    for n in (1, 2, 3, 4):
        alone = place(MapWorker(), rows(n)).points
        joined = place(MapWorker(), rows(n), rows(3, seed=1)).points
        np.testing.assert_allclose(joined[:n], alone, atol=1e-6)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4])
def test_few_sources_are_placed_in_three_dimensions_as_well(n: int) -> None:
    layout = MapWorker().submit(rows(n), rows(2, seed=1), SETTINGS, 0, components=3).result()
    assert len(layout.points) == n + 2
    assert {len(point) for point in layout.points} == {3}
    assert len(set(layout.points)) == n + 2


def test_components_are_two_or_three() -> None:
    with pytest.raises(InvalidParameterError, match="components must be 2 or 3; got 4"):
        MapWorker().submit(rows(2), NONE, SETTINGS, 0, components=4)  # type: ignore[arg-type]


def test_three_dimensions_are_a_map_of_their_own(worker: MapWorker) -> None:
    """Both are kept side by side, and claims move neither."""
    sources, claims = rows(30, seed=8), rows(3, seed=9)
    flat = place(worker, sources, claims)
    deep = worker.submit(sources, claims, SETTINGS, 0, components=3).result(WAIT_S)
    assert {len(point) for point in flat.points} == {2}
    assert {len(point) for point in deep.points} == {3}
    assert worker.submit(sources, claims, SETTINGS, 0, components=3).result(0) == deep
    assert place(worker, sources, claims) == flat
    alone = worker.submit(sources, NONE, SETTINGS, 0, components=3).result(WAIT_S)
    assert alone.points == deep.points[:30]


def test_two_sources_are_as_far_apart_as_their_vectors() -> None:
    a, b = np.eye(4, dtype=np.float32)[:2]
    (left, right) = place(MapWorker(), np.stack([a, b])).points
    assert np.hypot(left[0] - right[0], left[1] - right[1]) == pytest.approx(np.sqrt(2.0), abs=1e-6)


@pytest.mark.parametrize("n", [5, 6, 9, 10, 16, 40])
def test_umap_from_five_distinct_sources(worker: MapWorker, n: int) -> None:
    layout = place(worker, rows(n), rows(2, seed=1))
    assert layout.method == "umap"
    assert len(layout.points) == n + 2
    assert np.isfinite(layout.points).all()


def test_five_rows_of_four_distinct_are_no_umap() -> None:
    sources = rows(4)[[0, 1, 2, 3, 0]]
    assert place(MapWorker(), sources).method == "pca"


def test_nearly_equal_rows_are_placed(worker: MapWorker) -> None:
    """Vectors of one text differ in the seventh decimal between batches."""
    sources = np.ones((12, 16), np.float32) + rows(12) * np.float32(1e-6)
    assert np.isfinite(place(worker, sources).points).all()


def test_equal_rows_share_one_position(worker: MapWorker) -> None:
    distinct = rows(7)
    sources = distinct[[0] * 12 + [1, 2, 3, 4, 5, 6]]
    targets = np.stack([distinct[3], *rows(1, seed=5), *rows(1, seed=5), distinct[0]])
    points = place(worker, sources, targets).points
    assert len(set(points[:12])) == 1
    assert len(set(points[:18])) == 7
    assert points[18] == points[14]
    assert points[19] == points[20]
    assert points[21] == points[0]


def test_sources_stay_where_they_are_when_claims_arrive(worker: MapWorker) -> None:
    sources = rows(60)
    alone = place(worker, sources).points
    assert place(worker, sources, rows(4, seed=1)).points[:60] == alone


def test_place_of_a_claim_does_not_depend_on_other_claims(worker: MapWorker) -> None:
    sources, claims = rows(60), rows(4, seed=1)
    together = place(worker, sources, claims).points[60:]
    assert tuple(place(worker, sources, claims[i : i + 1]).points[60] for i in range(4)) == together


def test_claims_lie_among_the_sentences_they_resemble(worker: MapWorker) -> None:
    rng = np.random.default_rng(3)
    centres = rng.normal(size=(3, 64))
    sources = np.repeat(centres, 25, axis=0) + rng.normal(size=(75, 64)) * 0.25
    claims = centres + rng.normal(size=(3, 64)) * 0.2
    points = np.asarray(place(worker, sources, claims).points)
    middles = points[:75].reshape(3, 25, 2).mean(axis=1)
    distances = np.linalg.norm(points[75:, None] - middles[None], axis=2)
    assert distances.argmin(axis=1).tolist() == [0, 1, 2]


def test_scale_of_a_vector_does_not_matter(worker: MapWorker) -> None:
    """The metric is the cosine."""
    sources = rows(30)
    scaled = sources * np.float32(4.0)
    np.testing.assert_allclose(place(worker, scaled).points, place(worker, sources).points)


def test_same_request_is_answered_from_the_cache(worker: MapWorker) -> None:
    first = place(worker, rows(20), rows(2, seed=1))
    again = worker.submit(rows(20), rows(2, seed=1), SETTINGS, 0)
    assert again.done()
    assert again.result() is first


def test_every_part_of_a_request_counts(worker: MapWorker) -> None:
    sources, targets = rows(40), rows(3, seed=1)
    maps = [
        worker.submit(sources, targets, SETTINGS, 0),
        worker.submit(sources, targets, SETTINGS, 1),
        worker.submit(sources, targets, ProjectionSettings(n_neighbors=4), 0),
        worker.submit(sources, targets, ProjectionSettings(min_dist=0.8), 0),
        worker.submit(sources, rows(3, seed=2), SETTINGS, 0),
        worker.submit(rows(40, seed=9), targets, SETTINGS, 0),
    ]
    assert len({future.result(WAIT_S).points for future in maps}) == len(maps)


@pytest.mark.parametrize(
    ("sources", "targets", "message"),
    [
        (np.stack([*rows(5), np.zeros(16)]), NONE, "sources must have no zero row.*row 5"),
        (rows(5), np.zeros((1, 16)), "targets must have no zero row.*row 0"),
        (np.stack([np.full(16, np.nan), *rows(5)]), NONE, "sources must hold finite numbers.*row 0"),
        (rows(5), np.full((2, 16), np.inf), "targets must hold finite numbers"),
        (rows(5), rows(2, dim=8), "one length; got 16 and 8"),
        (rows(5)[0], NONE, r"sources must have shape \(n, d\); got \(16,\)"),
    ],
)
def test_unusable_rows_are_refused(sources: np.ndarray, targets: np.ndarray, message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        MapWorker().submit(sources, targets, SETTINGS, 0)


def test_start_returns_at_once_and_submit_waits_for_the_warm_up(fresh: MapWorker) -> None:
    assert fresh.state == "cold"
    assert not fresh.wait_ready(0.01)
    began = time.monotonic()
    fresh.start()
    future = fresh.submit(rows(20), NONE, SETTINGS, 0)
    assert time.monotonic() - began < 1.0
    assert fresh.state == "warming"
    assert len(future.result(WAIT_S).points) == 20
    assert fresh.state == "ready"
    pid = fresh.pid
    fresh.start()
    assert fresh.pid == pid


def test_killed_worker_fails_what_is_pending_and_is_restarted(fresh: MapWorker) -> None:
    fresh.start()
    assert fresh.wait_ready(WAIT_S)
    pid = fresh.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)  # so that the jobs are surely pending
    pending = [fresh.submit(rows(30, seed=s), NONE, SETTINGS, 0) for s in (20, 21)]
    os.kill(pid, signal.SIGKILL)
    for future in pending:
        with pytest.raises(WorkerError, match="ended with code -9"):
            future.result(20)
    assert fresh.state == "failed"
    assert "code -9" in (fresh.error or "")
    assert len(place(fresh, rows(30, seed=20)).points) == 30
    assert fresh.state == "ready"
    assert fresh.pid != pid


def test_worker_killed_while_idle_is_noticed(fresh: MapWorker) -> None:
    fresh.start()
    assert fresh.wait_ready(WAIT_S)
    assert fresh.pid is not None
    os.kill(fresh.pid, signal.SIGKILL)
    assert until(lambda: fresh.state == "failed")
    assert fresh.error
    assert place(fresh, rows(8)).method == "umap"


def test_close_fails_what_is_pending_and_ends_the_process() -> None:
    worker = MapWorker()
    future = worker.submit(rows(30), NONE, SETTINGS, 0)
    assert until(lambda: worker.pid is not None)
    pid = worker.pid
    assert pid is not None
    worker.close()
    with pytest.raises(WorkerError, match="closed"):
        future.result(5)
    assert gone(pid)
    assert worker.state == "cold"
    worker.close()


def test_forgotten_worker_leaves_no_process() -> None:
    def started() -> int:
        forgotten = MapWorker()
        forgotten.start()
        assert until(lambda: forgotten.pid is not None)
        assert forgotten.pid is not None
        return forgotten.pid

    pid = started()
    gc.collect()
    assert until(lambda: gone(pid))


def test_ctrl_c_does_not_reach_the_worker(worker: MapWorker) -> None:
    assert worker.pid is not None
    os.kill(worker.pid, signal.SIGINT)
    assert place(worker, rows(25, seed=33)).method == "umap"
    assert os.getsid(worker.pid) != os.getsid(0)


def test_cancelled_request_is_not_computed(fresh: MapWorker) -> None:
    first = fresh.submit(rows(30, seed=1), NONE, SETTINGS, 0)
    second = fresh.submit(rows(30, seed=2), NONE, SETTINGS, 0)
    shared = fresh.submit(rows(30, seed=1), NONE, SETTINGS, 0)
    assert second.cancel()
    assert first.cancel()
    assert len(shared.result(WAIT_S).points) == 30
    assert first.cancelled()
    place(fresh, rows(30, seed=3))  # was queued after the cancelled one
    assert not fresh.submit(rows(30, seed=2), NONE, SETTINGS, 0).done()


def test_many_threads_get_their_own_answers(worker: MapWorker) -> None:
    def ask(n: int) -> int:
        return len(place(worker, rows(n, seed=77), rows(n % 3, seed=78)).points)

    sizes = list(range(5, 25))
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, sizes)) == [n + n % 3 for n in sizes]
    assert threading.active_count() < 30


def test_failure_inside_the_worker_is_told_and_the_worker_lives(worker: MapWorker) -> None:
    pid = worker.pid
    future = worker.submit(rows(20), NONE, SETTINGS, -1)
    with pytest.raises(WorkerError, match="the map could not be computed: ValueError"):
        future.result(WAIT_S)
    assert place(worker, rows(22)).method == "umap"
    assert worker.pid == pid


def test_program_that_cannot_be_started_fails_the_request(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    worker = MapWorker()
    with pytest.raises(WorkerError, match="cannot start"):
        worker.submit(rows(20), NONE, SETTINGS, 0).result(20)
    assert worker.state == "failed"


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_worker_ends_with_its_parent(how: signal.Signals) -> None:
    """No process is left behind, however the parent dies, in the middle of a computation too."""
    code = """if True:
        import json, sys, time
        import numpy as np
        from memguard.geometry.projection import MapWorker
        from memguard.settings import ProjectionSettings
        worker = MapWorker()
        worker.start()
        assert worker.wait_ready(180)
        x = np.random.default_rng(0).normal(size=(3000, 64)).astype("float32")
        worker.submit(x, x[:0], ProjectionSettings(), 0)
        print(json.dumps({"pid": worker.pid}), flush=True)
        time.sleep(600)
    """
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = json.loads(parent.stdout.readline())["pid"]
    assert not gone(pid)
    parent.send_signal(how)
    parent.wait(20)
    parent.stdout.close()
    assert until(lambda: gone(pid), 30)


def test_hostile_warning_filters_do_not_reach_the_worker(
    monkeypatch: pytest.MonkeyPatch, fresh: MapWorker
) -> None:
    """Importing umap raises an ImportWarning, and fitting warns of seeds and small inputs."""
    monkeypatch.setenv("PYTHONWARNINGS", "error::ImportWarning,error::UserWarning")
    assert place(fresh, rows(20)).method == "umap"


def test_unusable_cache_folder_is_no_cache(tmp_path: Path) -> None:
    taken = tmp_path / "file"
    taken.write_text("", encoding="utf-8")
    assert compiled_folder(taken) is None
    folder = compiled_folder(tmp_path)
    assert folder is not None
    assert "umap-" in folder.name


@pytest.mark.slow
def test_damaged_compiled_code_does_not_disable_the_map(worker: MapWorker, tmp_path: Path) -> None:
    source = compiled_folder(None)
    target = compiled_folder(tmp_path)
    assert source is not None
    assert target is not None
    shutil.copytree(source, target, dirs_exist_ok=True)
    indexes = list(target.rglob("*.nbi"))
    assert indexes, "umap's compiled code is not kept"
    for index in indexes:
        index.write_bytes(b"damaged")
    damaged = MapWorker(cache_dir=tmp_path)
    try:
        assert place(damaged, rows(40), seed=7) == place(worker, rows(40), seed=7)
        assert damaged.state == "ready"
    finally:
        damaged.close()
