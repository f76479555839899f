"""The handed cases of the map: real UMAP in its worker process."""

from __future__ import annotations

import subprocess
import sys
import zlib

import numpy as np
import pytest

from memguard import charts
from memguard.geometry.projection import MapWorker
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
def test_umap_draws_very_small_transcripts(case, worker):
    dim = case["input"]["dim"]
    assert case["input"]["rows"] == case["expected"]["points_per_case"]
    for n in case["input"]["rows"]:
        sources = np.random.default_rng(n).normal(size=(n, dim)).astype(np.float32)
        layout = worker.submit(sources, np.zeros((0, dim), np.float32), _SETTINGS, 0).result(_WAIT_S)
        assert len(layout.points) == n
        assert layout.method in {"pca", "fixed"}
        points = [
            charts.MapPoint(f"source:{i}:9:m", x, y, "sentence", "text")
            for i, (x, y) in enumerate(layout.points)
        ]
        figure = charts.embedding_map(points, [])
        assert sum(len(trace.x) for trace in figure.data) == n
        if n == 0:
            assert not figure.data
            assert "No sentences yet" in figure.layout.annotations[0].text


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
    assert "identical coordinates" in case["expected"]["invariant"]
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
    """Neither the library, the charts nor the map's own module imports umap in the caller's process."""
    code = (
        "import sys, memguard, memguard.charts\n"
        "from memguard.geometry.projection import MapWorker\n"
        "worker = MapWorker(); worker.start()\n"
        "print(any(m in sys.modules for m in ('umap', 'numba', 'sklearn')))\n"
        "worker.close()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout.strip() == "True") is case["expected"]["umap_imported_at_start"]
