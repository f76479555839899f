"""Capture, search and compression for ``memguard bench memory``.

Capture and search run on made vectors, so that the store's own work is measured and the embedder beside it.
Compression runs the embedded model over the fixture (D13): its figures are the model's, good or bad, first
of what it wrote and then of what is stored once the guard has looked at it.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from memguard.bench.report import Figure
from memguard.bench.turns import TURNS, Fact
from memguard.errors import ModelUnavailableError
from memguard.memory.desk import Memory
from memguard.memory.entries import MemoryEntry
from memguard.memory.gate import PrivacyGate
from memguard.memory.providers import Skip
from memguard.memory.providers.detection import ENABLED
from memguard.memory.providers.local import LocalProvider
from memguard.memory.rewriting import Rewriter
from memguard.memory.rows import Details
from memguard.memory.store import MemoryStore
from memguard.models import loading
from memguard.models.protocols import ItemProgress, Vectors, no_progress
from memguard.settings import MemorySettings

_DIMENSION = 768
_BATCH = 2_000
_CAPTURE_MS = 50.0
_SEARCH_MS = 50.0
_QUERIES = 30
_Item = TypeVar("_Item")
_NAMES = ("Ana", "Bogdan", "Chiara", "Devi", "Emeka", "Farid", "Greta", "Hiro", "Imani", "Jonas")


class MadeEmbedder:
    """Gives each text the next of a row of made vectors, in no time."""

    model_id = "made@1"

    def __init__(self, seed: int = 1) -> None:
        self._random = np.random.default_rng(seed)

    def embed(self, texts: Sequence[str], *, progress: ItemProgress = no_progress) -> Vectors:
        """Return float32 unit rows of shape (n, 768)."""
        progress(len(texts), len(texts))
        return _units(self._random, len(texts))


def capture(quick: bool) -> list[Figure]:
    """Measure captures without a model: the gate, the probe, the guard and the write."""
    n_before, n_turns = (500, 20) if quick else (10_000, 300)
    with _store() as store, _compressing("false"):
        _fill(store, n_before)
        here = Memory(store, embedder=MadeEmbedder(), gate=PrivacyGate())
        here("capture", text="The first capture reads the store's vectors and the tokenizer's tables.")
        before = store.stats().store_bytes or 0
        worked = time.process_time()
        took = _each(lambda n: here("capture", text=made_turn(n)), range(n_turns))
        worked = (time.process_time() - worked) / n_turns * 1_000
        stats = store.stats()
    grown = ((stats.store_bytes or 0) - before) / n_turns / 1024
    note = f"into {n_before:,} entries, without embedding and model; {n_turns} turns"
    return [
        Figure("capture, p50", float(np.percentile(took, 50)), "ms", note=note),
        Figure("capture, p95", float(np.percentile(took, 95)), "ms", _CAPTURE_MS, note=note),
        Figure(
            "… of which processor time, mean", worked, "ms", note="the rest waits: for the disk, for a core"
        ),
        Figure("store growth, a capture", grown, "KB", note="vector, text, index and record, as stored"),
    ]


def embedding(quick: bool) -> list[Figure]:
    """Measure what the installed embedder adds to a capture."""
    try:
        embedder = loading.load_embedder()
    except ModelUnavailableError:
        return [Figure("… embedding beside it, p50", 0.0, "ms", note="not measured: run memguard setup")]
    embedder.embed(["Warm up."])
    took = _each(lambda n: embedder.embed([made_turn(n)]), range(3 if quick else 50))
    note = f"the installed embedder, one turn at a time, {len(took)} turns"
    return [
        Figure("… embedding beside it, p50", float(np.percentile(took, 50)), "ms", note=note),
        Figure("… embedding beside it, p95", float(np.percentile(took, 95)), "ms", note=note),
    ]


def search(quick: bool) -> list[Figure]:
    """Measure the exact nearest-neighbour search, the store's own size, and the first search of a process."""
    n = 2_000 if quick else 100_000
    with _store() as store:
        _fill(store, n)
        size = (store.stats().store_bytes or 0) / 2**20
        queries = _units(np.random.default_rng(2), _QUERIES)
        [first] = _each(store.search, queries[:1])
        took = _each(store.search, queries)
    return [
        Figure(
            f"search {n:,} entries, p50",
            float(np.percentile(took, 50)),
            "ms",
            _SEARCH_MS,
            note="exact, ten hits",
        ),
        Figure("… p95", float(np.percentile(took, 95)), "ms"),
        Figure("… the first, which reads the vectors", first, "ms"),
        Figure(f"store of {n:,} entries", size, "MB"),
    ]


def compression(quick: bool) -> list[Figure]:
    """Measure the embedded model on the fixture: how much shorter, and how many facts are left (D13)."""
    turns = TURNS[:1] if quick else TURNS
    settings = MemorySettings()
    watched = _Watched(LocalProvider(settings.local_model))
    with _compressing("true"):
        rewriter = Rewriter(settings, provider=watched)
        gate = PrivacyGate()
        done = [rewriter.rewrite(turn.text, gate) for turn in turns]
    if done[0].reason is Skip.NOT_INSTALLED:
        return [Figure("compression, ratio", 0.0, "×", note="not measured: run memguard setup")]
    kept = [rewrite.text for rewrite in done]
    wrote = [text or turn.text for text, turn in zip(watched.wrote, turns, strict=True)]
    facts = [turn.facts for turn in turns]
    n_in = sum(rewrite.tokens_in for rewrite in done)
    used = sum(rewrite.compressed for rewrite in done)
    model = f"{settings.local_model}, {len(turns)} turns; goal 3 × at 0.9"
    return [
        Figure("compression by local, ratio", n_in / sum(map(rewriter.count, wrote)), "×", note=model),
        Figure("… facts retained", retention(wrote, facts), "of 1", note="as the model wrote it"),
        Figure(
            "… ratio as stored",
            n_in / sum(rewrite.tokens_out for rewrite in done),
            "×",
            note=f"{used} of {len(turns)} passed the guard, the others are stored as they were said",
        ),
        Figure("… facts retained as stored", retention(kept, facts), "of 1"),
    ]


def retention(notes: Sequence[str], facts: Sequence[Sequence[Fact]]) -> float:
    """Return the share of facts of which every piece stands in the note, in [0, 1]."""
    held = [
        all(piece.casefold() in note.casefold() for piece in fact)
        for note, own in zip(notes, facts, strict=True)
        for fact in own
    ]
    return sum(held) / len(held)


class _Watched:
    """Keeps what a provider wrote, None where it wrote nothing."""

    def __init__(self, inner: LocalProvider) -> None:
        self._inner = inner
        self.name = inner.name
        self.model = inner.model
        self.wrote: list[str | None] = []

    def compress(self, text: str, *, target_tokens: int, max_tokens: int) -> str:
        self.wrote.append(None)
        written = self._inner.compress(text, target_tokens=target_tokens, max_tokens=max_tokens)
        self.wrote[-1] = written or None
        return written


def made_turn(n: int) -> str:
    """Return a turn of some forty words that no other number gives."""
    name, other = _NAMES[n % 10], _NAMES[(n // 10 + n + 3) % 10]
    return (
        f"User: Hi, a short note on order {70_000 + 13 * n}: {name} agreed to ship {n + 2} crates to the "
        f"depot in Leeds by the {n % 28 + 1}th, but only if {other} confirms the price of {100 + 7 * n} "
        f"euros first. The papers are in /srv/orders/{n}/invoice.pdf. Please keep that in mind, thank you."
    )


def _fill(store: MemoryStore, n: int) -> None:
    random = np.random.default_rng(0)
    for start in range(0, n, _BATCH):
        size = min(_BATCH, n - start)
        rows = _units(random, size)
        store.add_many(
            (
                MemoryEntry(f"Entry {start + i} of the measurement.", id=f"e{start + i}", embedding=rows[i]),
                Details(embedding_model=MadeEmbedder.model_id),
            )
            for i in range(size)
        )


def _units(random: np.random.Generator, n: int) -> NDArray[np.float32]:
    rows = random.normal(size=(n, _DIMENSION)).astype(np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def _each(action: Callable[[_Item], object], items: Iterable[_Item]) -> list[float]:
    """Return the milliseconds that each item takes."""
    took = []
    for item in items:
        started = time.perf_counter()
        action(item)
        took.append((time.perf_counter() - started) * 1_000)
    return took


@contextmanager
def _store() -> Iterator[MemoryStore]:
    with (
        tempfile.TemporaryDirectory(prefix="memguard-bench-") as folder,
        MemoryStore(Path(folder) / "memory.db") as store,
    ):
        yield store


@contextmanager
def _compressing(word: str) -> Iterator[None]:
    """Say in the environment whether captures are compressed: a measurement must not pay for a call."""
    before = os.environ.get(ENABLED)
    os.environ[ENABLED] = word
    try:
        yield
    finally:
        if before is None:
            del os.environ[ENABLED]
        else:
            os.environ[ENABLED] = before
