"""``memguard bench speed``: how long each part takes, in one run on this machine.

Each part runs in a fresh process, so that loading is measured cold in that process and peak memory is its
own. Machines are noisy: compare ratios within one run, not seconds between runs.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from memguard.bench.parts import measure_parts, run_part, timed
from memguard.bench.report import Figure, Report, Say, machine
from memguard.geometry.mmr import mmr_order, rows_of
from memguard.geometry.similarity import cosine
from memguard.messages import Conversation
from memguard.models.protocols import Vectors
from memguard.models.runtime import prepare_torch
from memguard.settings import Settings

_PICKS = 500
_DIMENSION = 768
_KNOWN_MS = 50.0
"""What "at once" means for texts that were embedded before."""


def measure(*, progress: Say, quick: bool = False) -> Report:
    """Measure every part; ``quick`` takes small sizes, to see that it runs.

    Raises:
        MemGuardError: A part failed; its last words are in the message.
    """
    figures = measure_parts("memguard.bench.speed", _PARTS, progress=progress, quick=quick)
    command_line = "memguard bench speed --quick" if quick else "memguard bench speed"
    return Report("Speed", command_line, machine(), tuple(figures))


def _start(quick: bool) -> list[Figure]:
    def run(*command: str) -> float:
        times = []
        for _ in range(2 if quick else 5):
            clock = time.perf_counter()
            subprocess.run([sys.executable, *command], check=True, capture_output=True)
            times.append(time.perf_counter() - clock)
        return statistics.median(times)

    return [
        Figure("import memguard (process start included)", run("-c", "import memguard"), "s"),
        Figure("memguard --help", run("-m", "memguard", "--help"), "s", 0.7, note="torch is not loaded"),
    ]


def _models(quick: bool) -> list[Figure]:
    from memguard.models import loading

    with timed() as load_embedder:
        embedder = loading.load_embedder()
        embedder.embed(["warm"])
    with timed() as load_summarizer:
        summarizer = loading.load_summarizer("smollm2")
    from sentence_transformers import SentenceTransformer

    texts = _sentences(64 if quick else 256)
    plain = SentenceTransformer(str(_embedder_folder()), local_files_only=True, device="cpu")
    plain.encode(texts[:8])
    ratios, ours, known = [], [], []
    for turn in range(1 if quick else 3):
        fresh = [f"{text} ({turn})" for text in texts]
        with timed() as theirs_s:
            plain.encode(fresh, normalize_embeddings=True, show_progress_bar=False)
        with timed() as ours_s:
            embedder.embed(fresh)
        with timed() as known_s:
            embedder.embed(fresh)
        ratios.append(theirs_s() / ours_s())
        ours.append(ours_s())
        known.append(known_s())
    conversation = _sample("support_refund")
    lines = [message.line for message in conversation.messages][: 12 if quick else None]
    with timed() as summary_s:
        summarizer.summarize(lines, max_tokens=256)
    n = len(texts)
    return [
        Figure("load the embedder", load_embedder(), "s", note=embedder.model_id),
        Figure("load the summarizer", load_summarizer(), "s", note=summarizer.model_id),
        Figure(f"embed {n} distinct sentences", statistics.median(ours), "s"),
        Figure(
            "… speed beside SentenceTransformer.encode", statistics.median(ratios), "×", 0.95, at_most=False
        ),
        Figure(f"embed {n} known sentences", 1000 * statistics.median(known), "ms", _KNOWN_MS),
        Figure(f"summarise {len(lines)} messages", summary_s(), "s"),
    ]


def _embedder_folder() -> Path:
    from memguard.models import loading
    from memguard.models.home import model_home

    entry = next(entry for entry in loading.installed() if entry.role == "embedder")
    return entry.folder(model_home())


def _mmr(quick: bool) -> list[Figure]:
    figures = []
    sizes = (100, 1_000) if quick else (100, 1_000, 5_000)
    for n in sizes:
        vectors, relevance = _clustered(n)
        with timed() as spent:
            ours = _first_picks(relevance, vectors)
        figures.append(Figure(f"MMR, {n:,} messages, {len(ours)} picks", 1000 * spent(), "ms"))
        if n == sizes[-1]:
            with timed() as naive_s:
                naive = naive_mmr(relevance, vectors, 0.5, _PICKS)
            same = "identical picks" if naive == ours else "PICKS DIFFER"
            ratio = naive_s() / spent() if naive == ours else 0.0
            figures.append(
                Figure(f"… beside a naive NumPy loop at {n:,}", ratio, "×", 20, at_most=False, note=same)
            )
    return figures


def _first_picks(relevance: Any, vectors: Any) -> list[int]:
    picks = mmr_order(relevance, rows_of(vectors), 0.5)
    return [pick.index for pick, _ in zip(picks, range(min(_PICKS, len(vectors))), strict=False)]


def naive_mmr(relevance: Any, vectors: Any, lambda_mmr: float, n_picks: int) -> list[int]:
    """Pick by MMR the plain way: candidates × selected similarities anew at every pick."""
    selected: list[int] = []
    candidates = list(range(len(vectors)))
    while candidates and len(selected) < n_picks:
        scores = lambda_mmr * relevance[candidates]
        if selected:
            scores = scores - (1 - lambda_mmr) * cosine(vectors[candidates], vectors[selected]).max(axis=1)
        selected.append(candidates.pop(int(np.argmax(scores))))
    return selected


def _elimination(quick: bool) -> list[Figure]:
    from memguard.guard import MemGuard
    from memguard.models import loading

    n_claims, n_sentences = (50, 250) if quick else (1_000, 5_000)
    sentences = _sentences(n_sentences)
    messages = [
        {"role": "user" if i % 2 else "assistant", "content": " ".join(sentences[i : i + 5])}
        for i in range(0, n_sentences, 5)
    ]
    summary = "\n".join(f"It was noted that {s[0].lower()}{s[1:]}" for s in sentences[:n_claims])
    conversation = Conversation.from_messages(messages)
    guard = MemGuard(Settings(), embedder=loading.load_embedder())
    with timed() as fresh_s:
        trace = guard.check(summary, conversation)
    with timed() as cached_s:
        trace = guard.check(summary, conversation)
    moves = []
    for threshold in (0.61, 0.75, 0.5, 0.9, 0.62):
        settings = trace.settings.with_value("elimination.min_similarity", threshold)
        with timed() as move_s:
            trace = guard.update(trace, settings)
        moves.append(move_s())
    size = f"{n_claims:,} claims × {n_sentences:,} sentences"
    return [
        Figure(f"elimination, {size}, nothing cached", fresh_s(), "s"),
        Figure("… with cached vectors", cached_s(), "s"),
        Figure("… a slider move, payload included", 1000 * statistics.median(moves), "ms", 100),
    ]


def _map(quick: bool) -> list[Figure]:
    from memguard.geometry.projection import MapWorker

    n = 60 if quick else 300
    vectors, _relevance = _clustered(n)
    worker = MapWorker()
    try:
        with timed() as ready_s:
            worker.start()
            worker.submit(vectors[:20], vectors[:0], Settings().projection, 0).result(timeout=300)
        with timed() as fit_s:
            worker.submit(vectors, vectors[:5], Settings().projection, 0).result(timeout=300)
    finally:
        worker.close()
    return [
        Figure("UMAP worker, start to first map", ready_s(), "s", note="in a process of its own"),
        Figure(f"UMAP, {n} points", fit_s(), "s"),
    ]


_PARTS: dict[str, Callable[[bool], list[Figure]]] = {
    "start": _start,
    "models": _models,
    "selection": _mmr,
    "elimination": _elimination,
    "map": _map,
}


def _sentences(n: int) -> list[str]:
    """Return n distinct sentences of the sample conversations, numbered where they run out."""
    from memguard.grounding.evidence import sentence_sources
    from memguard.transcripts.samples import load_sample, sample_paths

    found: dict[str, None] = {}
    for path in sample_paths():
        conversation = load_sample(path).conversation
        for span in sentence_sources(conversation):
            text = " ".join(conversation.text(span).split())
            if 20 <= len(text) <= 200:
                found.setdefault(text)
    base = list(found)
    return [base[i] if i < len(base) else f"Note {i // len(base)}: {base[i % len(base)]}" for i in range(n)]


def _sample(name: str) -> Conversation:
    from memguard.transcripts.samples import load_sample, sample_paths

    conversation: Conversation = next(load_sample(p) for p in sample_paths() if p.stem == name).conversation
    return conversation


def _clustered(n: int) -> tuple[Vectors, Any]:
    """Return unit vectors around 50 topics, like those of chat, and a relevance for each."""
    random = np.random.default_rng(0)
    topics = random.normal(size=(50, _DIMENSION))
    rows = topics[random.integers(50, size=n)] + random.normal(size=(n, _DIMENSION))
    units = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return units, random.uniform(0.1, 0.8, size=n)


if __name__ == "__main__":
    prepare_torch()
    run_part(_PARTS, sys.argv[1:])
