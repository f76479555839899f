"""``memguard bench memory``: what long-term memory costs, in one run on this machine.

Maintenance is measured here; capture, search and compression in ``capture.py``. Vectors are made, not
embedded, so that nothing but the work itself is measured: facts in random directions, each told four
times with cosines on both sides of the threshold, so that there is much to merge and much to decide.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

from memguard.bench.capture import capture, compression, embedding, search
from memguard.bench.parts import Parts, measure_parts, run_part, timed
from memguard.bench.report import Figure, Report, Say, machine
from memguard.memory.compressor import MemoryCompressor
from memguard.memory.entries import MemoryEntry
from memguard.memory.merging import greedy_pairs, plain_pairs

_DIMENSION = 768
_TOLD = 4
_THRESHOLD = 0.92
_MERGE_S = 60.0
_PEAK_MB = 1024.0


def measure(*, progress: Say, quick: bool = False) -> Report:
    """Measure every part; ``quick`` takes small sizes, to see that it runs.

    Raises:
        MemGuardError: A part failed; its last words are in the message.
    """
    figures = measure_parts("memguard.bench.memory", PARTS, progress=progress, quick=quick)
    command = "memguard bench memory --quick" if quick else "memguard bench memory"
    return Report("Memory", command, machine(), tuple(figures))


def _merge(quick: bool) -> list[Figure]:
    n, n_plain = (1_000, 200) if quick else (10_000, 1_000)
    rows = told_facts(n)
    entries = [
        MemoryEntry(f"Fact {i // _TOLD} as it was told.", id=f"e{i}", embedding=row, timestamp=float(i))
        for i, row in enumerate(rows)
    ]
    with timed() as greedy_s:
        _, merges = MemoryCompressor(None, _THRESHOLD).merge_duplicates(entries)
    with timed() as clusters_s:
        _, joined = MemoryCompressor(None, _THRESHOLD, merge_strategy="clusters").merge_duplicates(entries)
    few = [entry.embedding for entry in entries[:n_plain]]
    with timed() as plain_s:
        plain = plain_pairs(few, _THRESHOLD)
    with timed() as blocked_s:
        blocked = greedy_pairs(few, _THRESHOLD)
    same = plain == blocked
    note = f"{len(plain)} merges, identical" if same else "DECISIONS DIFFER"
    return [
        Figure(f"merge {n:,} entries", greedy_s(), "s", _MERGE_S, note=f"{merges:,} merges"),
        Figure(f"… in clusters, {n:,}", clusters_s(), "s", note=f"{joined:,} merges"),
        Figure(
            f"… beside the plain scan at {n_plain:,}",
            plain_s() / blocked_s() if same else 0.0,
            "×",
            1.0,
            at_most=False,
            note=note,
        ),
    ]


def told_facts(n: int, *, seed: int = 0) -> NDArray[np.float32]:
    """Return float32 rows of shape (n, 768): facts, each told four times in a row of ``n`` shuffled.

    The cosine of a fact to a telling of it is ``1 / sqrt(1 + e)`` with ``e`` drawn from 0.02 to 0.12, so
    that of two tellings lies between 0.89 and 0.98.
    """
    random = np.random.default_rng(seed)
    facts = random.normal(size=(-(-n // _TOLD), _DIMENSION))
    facts /= np.linalg.norm(facts, axis=1, keepdims=True)
    tellings = np.repeat(facts, _TOLD, axis=0)[:n]
    noise = random.normal(size=tellings.shape)
    noise /= np.linalg.norm(noise, axis=1, keepdims=True)
    rows = tellings + noise * np.sqrt(random.uniform(0.02, 0.12, size=(n, 1)))
    return rows[random.permutation(n)].astype(np.float32)


PARTS: Parts = {
    "merge": _merge,
    "capture": capture,
    "embedding": embedding,
    "search": search,
    "compression": compression,
}
"""Measured in this order."""

if __name__ == "__main__":
    run_part(PARTS, sys.argv[1:], peak_target=_PEAK_MB if sys.argv[1:2] == ["merge"] else None)
