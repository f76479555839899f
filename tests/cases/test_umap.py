"""The handed cases of the map: real UMAP in its worker process."""

from __future__ import annotations

import subprocess
import sys
import zlib
from types import SimpleNamespace

import numpy as np
import pytest

from memguard import charts
from memguard.geometry.projection import UMAP_FROM, MapWorker
from memguard.geometry.projection_worker import RANDOM_INIT_BELOW, Mapper
from memguard.settings import ProjectionSettings

_SETTINGS = ProjectionSettings()
_WAIT_S = 180.0


@pytest.fixture(scope="module")
def worker():
    made = MapWorker()
    made.start()
    yield made
    made.close()


def _vectors(texts, dim=64):
    """One vector a text, equal for equal texts."""
    rows = [np.random.default_rng(zlib.crc32(text.encode())).normal(size=dim) for text in texts]
    return np.asarray(rows, np.float32).reshape(-1, dim)


@pytest.mark.parametrize("case", ["UI-001"], indirect=True)
def test_umap_draws_very_small_transcripts(case):
    """Below five: the origin, or the principal axes, at once and without a worker."""
    dim = case["input"]["dim"]
    for n, expected in zip(case["input"]["rows"], case["expected"]["points_per_case"], strict=True):
        sources = np.random.default_rng(n).normal(size=(n, dim)).astype(np.float32)
        worker = MapWorker()
        future = worker.submit(sources, np.zeros((0, dim), np.float32), _SETTINGS, 0)
        assert future.done()
        assert worker.state == "cold"
        layout = future.result()
        assert len(layout.points) == len(set(layout.points)) == expected
        assert np.isfinite(layout.points).all()
        assert n < UMAP_FROM
        assert layout.method == ("fixed" if n <= 1 else "pca")
        points = [
            charts.MapPoint(f"source:{i}:9:m", x, y, "sentence", "text")
            for i, (x, y) in enumerate(layout.points)
        ]
        figure = charts.embedding_map(points, [])
        assert sum(len(trace.x) for trace in figure.data) == n
        if n == 0:
            assert not figure.data
            assert "No sentences yet" in figure.layout.annotations[0].text


@pytest.mark.parametrize("case", ["UI-001"], indirect=True)
def test_umap_takes_fewer_neighbours_and_a_random_start_of_few_rows(case, monkeypatch):
    """UI-001, the rules of its fallback: the start is random below six, and up to where ours says."""
    asked = []

    class Recorder:
        def __init__(self, **options):
            asked.append(options)

        def fit_transform(self, distances):
            return np.zeros((len(distances), 2))

    monkeypatch.setitem(sys.modules, "umap", SimpleNamespace(UMAP=Recorder))
    sizes = range(UMAP_FROM, 40)
    for n in sizes:
        rows = np.random.default_rng(n).normal(size=(n, case["input"]["dim"])).astype(np.float32)
        header = {"n_neighbors": _SETTINGS.n_neighbors, "min_dist": 0.1, "seed": 0, "key": str(n)}
        Mapper().layout(rows, rows[:0], header)

    assert [a["n_neighbors"] for a in asked] == [max(2, min(15, n - 1)) for n in sizes]
    random_start = [n for n, a in zip(sizes, asked, strict=True) if a["init"] == "random"]
    assert random_start == list(range(UMAP_FROM, RANDOM_INIT_BELOW))
    assert RANDOM_INIT_BELOW >= 6
    assert {type(a["random_state"]) for a in asked} == {int}


@pytest.mark.parametrize("case", ["UI-003"], indirect=True)
def test_umap_puts_equal_messages_on_one_place(case, worker):
    texts = case["input"]["texts"]
    expected = case["expected"]
    layout = worker.submit(_vectors(texts), _vectors(["ok"]), _SETTINGS, 0).result(_WAIT_S)
    sources = layout.points[: len(texts)]
    assert layout.method == "umap"
    assert len(sources) == expected["points"]
    assert len(set(sources)) == len(set(texts)) == expected["distinct_positions_at_most"]
    assert {p for p, text in zip(sources, texts, strict=True) if text == "ok"} == {layout.points[-1]}


@pytest.mark.parametrize("case", ["UI-005"], indirect=True)
def test_umap_draws_the_same_map_again_and_after_a_restart(case, worker):
    """In one process from the cache by content, and after a restart by the integer seed."""
    sources = _vectors([f"message {i}" for i in range(40)])
    claims = _vectors(["a claim", "another"])
    first = worker.submit(sources, claims, _SETTINGS, 3).result(_WAIT_S)
    again = worker.submit(sources.copy(), claims.copy(), _SETTINGS, 3)
    assert again.done()
    assert again.result() == first
    restarted = MapWorker()
    try:
        assert restarted.submit(sources, claims, _SETTINGS, 3).result(_WAIT_S) == first
    finally:
        restarted.close()


@pytest.mark.parametrize("case", ["OPS-003"], indirect=True)
def test_ops_starts_without_umap(case):
    """Nothing of it is in the caller's process, even once a map was drawn by UMAP."""
    code = f"""if True:
        import sys
        import numpy as np
        import memguard.charts
        from memguard.geometry.projection import MapWorker
        from memguard.settings import ProjectionSettings
        worker = MapWorker()
        worker.start()
        rows = np.random.default_rng(0).normal(size=(8, 16)).astype("float32")
        print(worker.submit(rows, rows[:0], ProjectionSettings(), 0).result({_WAIT_S}).method)
        print(any(m in sys.modules for m in ("umap", "numba", "sklearn")))
        worker.close()
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["umap", str(case["expected"]["umap_imported_at_start"])]
