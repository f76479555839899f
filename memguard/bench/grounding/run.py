"""The run: every set under the shipped setting, beside the floors, and under each variant."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memguard.bench.grounding.measure import Scores, best_cosine, examined, scores_of, word_share
from memguard.bench.grounding.metrics import auc, balanced_accuracy, with_interval
from memguard.bench.grounding.report import DriftResult, GroundingReport, KindResult, SetResult, Variant
from memguard.bench.grounding.rows import (
    CASES,
    DEV_SETS,
    DRIFT,
    Row,
    case_rows,
    drift_rows,
    labelled_rows,
    shared_folder,
)
from memguard.bench.report import Say, machine
from memguard.geometry.separation import SeparationMap
from memguard.grounding.claims import extract_claims
from memguard.grounding.entailment import EntailmentScorer
from memguard.grounding.sources import speakers_of
from memguard.models.duck import embed_with_tokens, gives_tokens
from memguard.models.protocols import Embedder
from memguard.settings import EliminationSettings

AUC_TARGETS = {"ferranti": 0.74, "faceval": 0.72, "circ_inference": 0.66, "summedits_dialogue": 0.68}
CATCH_TARGETS = {
    "invention": 0.95,
    "number": 0.90,
    "date": 0.90,
    "unit": 0.90,
    "negation": 0.90,
    "speaker": 0.80,
    "name": 0.80,
}


@dataclass(frozen=True, slots=True)
class Bench:
    """What a run measures with.

    Attributes:
        embedder: Cached, so that a variant runs no model.
        settings: The shipped setting.
        entailment: The entailment model, if one is measured.
        separation: The separation map, if one is at hand.
    """

    embedder: Embedder
    settings: EliminationSettings
    entailment: EntailmentScorer | None = None
    separation: SeparationMap | None = None

    def scores(self, rows: Sequence[Row], settings: EliminationSettings, *, entailed: bool) -> Scores:
        """Measure and judge every row under one setting."""
        scored = examined(
            rows,
            self.embedder,
            settings,
            entailment=self.entailment if entailed else None,
            separation=self.separation,
        )
        return scores_of(scored, settings)


def measure(
    bench: Bench,
    *,
    folder: Path | None = None,
    limit: int | None = None,
    ablations: bool = True,
    progress: Say,
) -> GroundingReport:
    """Measure everything that is at hand.

    Args:
        bench: What is measured.
        folder: Of the handed data; by default ``shared_folder()``.
        limit: Rows of each labelled set, evenly drawn; None takes all.
        ablations: Whether to measure every variant too.
        progress: Told what is being measured.

    Raises:
        BenchmarkDataError: A file is there and cannot be read.
    """
    sets, missing = _rows(folder or shared_folder(), limit)
    full = {}
    for name, rows in sets.items():
        progress(f"{name}: {len(rows)} rows")
        full[name] = bench.scores(rows, bench.settings, entailed=True)
    labelled = [_set_result(n, sets[n], full[n], bench.embedder) for n in sets if n in AUC_TARGETS]
    drift = [_drift_result(n, sets[n], full[n], bench.embedder) for n in sets if n not in AUC_TARGETS]
    variants = [_variant("as shipped", sets, full)]
    if ablations:
        for title, settings, entailed in variants_of(bench):
            progress(f"variant: {title}")
            scores = {n: bench.scores(rows, settings, entailed=entailed) for n, rows in sets.items()}
            variants.append(_variant(title, sets, scores))
    progress("speed")
    return GroundingReport(
        command="memguard bench grounding" + (f" --limit {limit}" if limit else ""),
        machine=machine(),
        models={
            "embedder": bench.embedder.model_id,
            "entailment": bench.entailment.model_id if bench.entailment is not None else "none",
        },
        sets=tuple(labelled),
        drift=tuple(drift),
        variants=tuple(variants) if ablations else (),
        speed=_speed(bench, sets),
        missing=tuple(missing),
    )


def variants_of(bench: Bench) -> list[tuple[str, EliminationSettings, bool]]:
    """Return each variant: its name, its settings, and whether the entailment model takes part."""
    shipped = bench.settings
    made = [
        ("contract", replace(shipped, preset="contract"), True),
        ("strict", replace(shipped, preset="strict"), True),
        ("without guards", replace(shipped, guards="off"), True),
        ("without alignment", replace(shipped, alignment="off"), True),
        ("without guards and alignment", replace(shipped, guards="off", alignment="off"), True),
    ]
    if bench.entailment is not None:
        made.append(("without entailment", shipped, False))
    weights = {"separation": 0.5, "anchors": 0.2, "smoothing": 0.2, "density": 0.5}
    for name, weight in weights.items():
        if name == "separation" and bench.separation is None:
            continue
        is_on = getattr(shipped, name) > 0.0
        title = f"without {name}" if is_on else f"with {name} {weight:g}"
        changed: dict[str, Any] = {name: 0.0 if is_on else weight}
        made.append((title, replace(shipped, **changed), True))
    return made


def _rows(folder: Path, limit: int | None) -> tuple[dict[str, tuple[Row, ...]], list[str]]:
    found: dict[str, tuple[Row, ...]] = {}
    missing = []
    for name in DEV_SETS:
        path = folder / "bench" / "dev" / f"{name}.jsonl.gz"
        if path.is_file():
            found[name] = _thinned(labelled_rows(path, name), limit)
        else:
            missing.append(name)
    cases = folder / "cases" / "elimination.jsonl"
    if cases.is_file():
        found[CASES] = case_rows(cases, odd=True)
    else:
        missing.append(CASES)
    found[DRIFT] = drift_rows()
    return found, missing


def _thinned(rows: tuple[Row, ...], limit: int | None) -> tuple[Row, ...]:
    if limit is None or len(rows) <= limit:
        return rows
    return tuple(rows[i] for i in np.linspace(0, len(rows) - 1, limit).astype(int))


def _labels(rows: Sequence[Row]) -> NDArray[np.bool_]:
    return np.asarray([row.supported for row in rows], dtype=np.bool_)


def _set_result(name: str, rows: Sequence[Row], scores: Scores, embedder: Embedder) -> SetResult:
    labels, groups = _labels(rows), [row.group for row in rows]
    return SetResult(
        name,
        len(rows),
        int((~labels).sum()),
        auc(labels, best_cosine(rows, embedder)),
        auc(labels, word_share(rows)),
        with_interval(groups, lambda i: auc(labels[i], scores.support[i])),
        with_interval(groups, lambda i: balanced_accuracy(labels[i], scores.kept[i])),
        AUC_TARGETS.get(name),
    )


def _drift_result(name: str, rows: Sequence[Row], scores: Scores, embedder: Embedder) -> DriftResult:
    labels, groups = _labels(rows), [row.group for row in rows]
    right = scores.kept == labels
    kinds = []
    for kind in dict.fromkeys(row.kind for row in rows if row.kind):
        of_kind = np.asarray([row.kind == kind for row in rows])
        drifted, true = of_kind & ~labels, of_kind & labels
        kinds.append(
            KindResult(
                kind,
                int(drifted.sum()),
                float((~scores.kept[drifted]).mean()) if drifted.any() else float("nan"),
                int(true.sum()),
                float((~scores.kept[true]).mean()) if true.any() else 0.0,
                CATCH_TARGETS.get(kind) if name == DRIFT else None,
            )
        )
    floors = (_best_share(labels, best_cosine(rows, embedder)), _best_share(labels, word_share(rows)))
    return DriftResult(
        name,
        with_interval(groups, lambda i: float(right[i].mean())),
        float((~scores.kept[~labels]).mean()),
        float((~scores.kept[labels]).mean()),
        floors,
        tuple(kinds),
    )


def _best_share(labels: NDArray[np.bool_], scores: NDArray[np.float64]) -> float:
    """Return the largest share right that any one threshold reaches on these rows."""
    return max(float(((scores >= t) == labels).mean()) for t in (*np.unique(scores), np.inf))


def _variant(title: str, sets: Mapping[str, Sequence[Row]], scores: Mapping[str, Scores]) -> Variant:
    labels = {name: _labels(rows) for name, rows in sets.items()}
    kinds = [name for name in sets if name not in AUC_TARGETS]
    return Variant(
        title,
        {n: auc(labels[n], scores[n].support) for n in sets if n in AUC_TARGETS},
        {n: float((scores[n].kept == labels[n]).mean()) for n in kinds},
        {n: float((~scores[n].kept[~labels[n]]).mean()) for n in kinds},
        {n: float((~scores[n].kept[labels[n]]).mean()) for n in kinds},
    )


def _speed(bench: Bench, sets: Mapping[str, Sequence[Row]]) -> dict[str, float]:
    """Time judging claims that were never read against a known transcript, beside embedding them.

    Each part gets the same claims behind another opening, so that no cache knows what they say; their
    vectors are computed before the clock starts.
    """
    rows = list(sets[DRIFT])
    inner = getattr(bench.embedder, "inner", bench.embedder)
    examined(rows, bench.embedder, bench.settings)  # every transcript is read
    started = time.perf_counter()
    for row in rows:
        inner.embed([row.text])
    embedding = time.perf_counter() - started
    off = replace(bench.settings, guards="off", alignment="off")
    timed = {
        "retrieval and similarity": ("In short", off),
        "with guards": ("In brief", replace(off, guards="on")),
        "with guards and alignment": ("In sum", replace(off, guards="on", alignment="on")),
    }
    ratios = {}
    for title, (opening, settings) in timed.items():
        fresh = [replace(row, text=f"{opening}, {row.text}") for row in rows]
        claims = [c.judged_as for row in fresh for c in extract_claims(row.text, _speakers(row))]
        if gives_tokens(bench.embedder):
            embed_with_tokens(bench.embedder, claims)
        else:
            bench.embedder.embed(claims)
        started = time.perf_counter()
        examined(fresh, bench.embedder, settings)
        ratios[title] = (time.perf_counter() - started) / embedding
    return ratios


def _speakers(row: Row) -> tuple[str, ...]:
    return speakers_of(row.conversation)
