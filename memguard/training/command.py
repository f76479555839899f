"""What ``memguard train entailment`` does: corpus, training, and honest figures beside the floors."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from memguard.errors import InvalidParameterError
from memguard.files import replace_text
from memguard.models.protocols import Embedder
from memguard.training.corpus import CorpusOptions, build_corpus
from memguard.training.curriculum import mixture
from memguard.training.entailment import EntailmentTrainer, TrainOptions, TrainResult, train
from memguard.training.measure import (
    LabelledClaim,
    Scorer,
    auc,
    cosine_scores,
    entailment_scores,
    overlap_scores,
    read_labelled,
    set_name,
)
from memguard.training.pairs import Pair

HELD_OUT = 0.02
"""Share of the groups that are kept for validation."""
_MOST_HELD_OUT = 2_500
NEEDED = 0.03
"""The model ships only if its AUC is this much above both floors on every set."""


@dataclass(frozen=True, slots=True)
class EntailmentRun:
    """What a run is given.

    Attributes:
        pairs: ``bench/nli``.
        out: Where checkpoints, measures and the result go.
        rows: ``bench/train``; None to leave those files out.
        base: Folder of the sentence encoder that is adapted.
        dev: ``bench/dev``, which is measured and never trained on; None to measure validation only.
        minutes: Of training; None for one pass over the corpus.
        resume: Go on from the last checkpoint.
        seed: Of everything.
        scale: Share of the corpus.
        sample: Measure every n-th row of ``dev`` after a checkpoint; at the end always all.
    """

    pairs: Path
    out: Path
    base: Path
    rows: Path | None = None
    dev: Path | None = None
    minutes: float | None = None
    resume: bool = False
    seed: int = 0
    scale: float = 1.0
    sample: int = 4


def run_entailment(run: EntailmentRun, embedder: Embedder | None = None) -> TrainResult:
    """Train, measure after every checkpoint, and write ``final/`` and ``verdict.json`` into ``run.out``.

    Args:
        run: Where from, where to, how long.
        embedder: For the floor of the best cosine; without it that floor is left out.

    Raises:
        InvalidParameterError: If ``minutes`` is not above 0 or there is nothing to train on.
        ModelUnavailableError: If the base cannot be loaded.
    """
    if run.minutes is not None and run.minutes <= 0:
        raise InvalidParameterError(f"minutes must be above 0; got {run.minutes}")
    corpus = build_corpus(CorpusOptions(run.pairs, run.rows, seed=run.seed, scale=run.scale))
    training, held = split_groups(corpus, run.seed)
    sets = (
        {} if run.dev is None else {set_name(p): read_labelled(p) for p in sorted(run.dev.glob("*.jsonl.gz"))}
    )

    def report(trainer: EntailmentTrainer) -> dict[str, float]:
        values = validation_auc(held, trainer.score)
        for name, rows in sets.items():
            part = rows[:: run.sample]
            values[name] = auc([row.label for row in part], entailment_scores(part, trainer.score))
        return {name: round(value, 4) for name, value in values.items()}

    options = TrainOptions(base=run.base, out=run.out, minutes=run.minutes, seed=run.seed)
    result = train(mixture(training, run.seed), options, resume=run.resume, report=report)
    if sets:
        from memguard.grounding.adapted import AdaptedEntailment

        verdict = compare(sets, AdaptedEntailment(run.base, result.adapter).score, embedder)
        replace_text(run.out / "verdict.json", json.dumps(verdict, indent=2) + "\n")
    return result


def split_groups(pairs: Sequence[Pair], seed: int) -> tuple[list[Pair], list[Pair]]:
    """Return pairs to train on and pairs to validate with; no group is in both."""
    rng = random.Random(f"{seed}:held out")  # noqa: S311  # a seed, not a secret
    groups = sorted({pair.group for pair in pairs})
    held = set(rng.sample(groups, round(len(groups) * HELD_OUT)))
    kept = [pair for pair in pairs if pair.group in held]
    if len(kept) > _MOST_HELD_OUT:
        kept = rng.sample(kept, _MOST_HELD_OUT)
    return [pair for pair in pairs if pair.group not in held], kept


def validation_auc(pairs: Sequence[Pair], score: Scorer) -> dict[str, float]:
    """Return the AUC of P(entailment) over all pairs, and over those from dialogues and the rest."""
    if not pairs:
        return {}
    values = score([pair.premise for pair in pairs], [pair.hypothesis for pair in pairs])[:, 0]
    truth = np.asarray([pair.label == "entailment" for pair in pairs])
    chat = np.asarray([pair.kind.startswith("dialog") for pair in pairs])
    parts = {
        "validation": np.ones(len(pairs), dtype=bool),
        "validation_dialogues": chat,
        "validation_pairs": ~chat,
    }
    return {
        name: auc(truth[part], values[part])
        for name, part in parts.items()
        if truth[part].any() and not truth[part].all()
    }


def compare(
    sets: dict[str, list[LabelledClaim]], score: Scorer, embedder: Embedder | None = None
) -> dict[str, object]:
    """Set the model's AUC beside the floors and say whether it clears them by :data:`NEEDED` everywhere."""
    table: dict[str, dict[str, float]] = {}
    for name, rows in sets.items():
        truth = [row.label for row in rows]
        values = {
            "entailment": auc(truth, entailment_scores(rows, score)),
            "floor_overlap": auc(truth, overlap_scores(rows)),
        }
        if embedder is not None:
            values["floor_cosine"] = auc(truth, cosine_scores(rows, embedder))
        values["margin"] = values["entailment"] - max(v for k, v in values.items() if k.startswith("floor"))
        table[name] = {key: round(value, 4) for key, value in values.items()}
    return {"sets": table, "ships": all(row["margin"] >= NEEDED for row in table.values())}
