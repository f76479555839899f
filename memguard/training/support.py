"""``memguard train support``: the weights that join everything measured of a claim into its support.

Logistic regression with signs held where they are known (more shared words never lower support, a
contradiction never raises it), fitted once for each set of parts that may be switched on. A text of
several claims has one label; it teaches through its weakest claim, as it is scored (multiple
instance learning, Dietterich et al. 1997): fit, choose the weakest, fit again.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memguard.bench.grounding.measure import examined
from memguard.bench.grounding.rows import Row, case_rows, labelled_rows
from memguard.drift.mistakes import Context
from memguard.grounding.entailment import EntailmentScorer
from memguard.grounding.support import ALIGNMENT_FEATURES, PARTS, feature_names, features_of
from memguard.grounding.verdicts import ScoredClaim
from memguard.messages import Conversation
from memguard.models.protocols import Embedder, ItemProgress, no_progress
from memguard.settings import EliminationSettings
from memguard.training.claims import TrueClaim, agreed, answered, entities, restated, written
from memguard.training.corpus import DIALOGUES, DialogueSource
from memguard.training.corruptions import corrupt, reword
from memguard.training.dialogues import Dialogue, name_speakers, read_dialogues

_ROUNDS = 4
_DIALOGUES = 0.2  # weight of a row made from a dialogue: they are many, and made by the same few rules
_RIDGE = 0.2
_PRIOR = {"contradiction": -3.0, "missing": -1.5}
"""What a finding weighs where training says little of its guard: corruptions hold no quantifier."""
_NOT_BELOW_ZERO = frozenset({"similarity", "overlap", *ALIGNMENT_FEATURES, "entailed"})
_LONGEST = 26  # turns; of longer dialogues the beginning is taken


@dataclass(frozen=True, slots=True)
class SupportOptions:
    """What support is fitted on.

    Attributes:
        shared: The folder of handed data, with ``bench/nli``, ``bench/train`` and ``cases``.
        dialogues: How many dialogues of each file claims are made from.
        rows: How many rows of each labelled set.
        case_weight: How often an elimination case (of the even groups) counts.
        seed: Of every choice.
    """

    shared: Path
    dialogues: int = 45
    rows: int = 110
    case_weight: float = 6.0
    seed: int = 0


TRAIN_SETS: Mapping[str, float] = {
    "summedits_sales": 1.5,
    "storysumm": 1.0,
    "bump": 0.7,
    "q2_wow": 0.5,
}
"""Weight of a row by set: the nearer to summaries of dialogues, the more. The sets that mostly reward
copying (begin, faithdial_audit) and the one of long documents (wice) are left out."""


def training_rows(options: SupportOptions) -> list[tuple[Row, float]]:
    """Return rows with their weights: made from dialogues, labelled by people, and the even cases.

    Raises:
        BenchmarkDataError: A file cannot be read.
    """
    rng = random.Random(options.seed)  # noqa: S311  # a seed, not a secret
    rows: list[tuple[Row, float]] = []
    for source in DIALOGUES:
        path = options.shared / "bench" / "nli" / f"{source.file}.jsonl.gz"
        if path.is_file():
            rows += [(row, _DIALOGUES) for row in dialogue_rows(read_dialogues(path), source, options, rng)]
    for name, weight in TRAIN_SETS.items():
        path = options.shared / "bench" / "train" / f"{name}.jsonl.gz"
        if path.is_file():
            every = [row for row in labelled_rows(path, name) if _n_words(row.conversation) <= 350]
            rows += [(row, weight) for row in rng.sample(every, min(options.rows, len(every)))]
    cases = options.shared / "cases" / "elimination.jsonl"
    if cases.is_file():
        rows += [(row, options.case_weight) for row in case_rows(cases, odd=False)]
    rows.sort(key=lambda entry: (entry[0].dataset, entry[0].group))  # rows of one dialogue side by side
    return rows


def dialogue_rows(
    dialogues: Sequence[Dialogue], source: DialogueSource, options: SupportOptions, rng: random.Random
) -> Iterator[Row]:
    """Make true and corrupted claims about some dialogues."""
    long_enough = [d for d in dialogues if len(d.turns) >= 3]
    things = entities(dialogues)
    pool: dict[str, list[str]] = {}
    for dialogue in rng.sample(long_enough, min(options.dialogues, len(long_enough))):
        named = name_speakers(dialogue, rng) if rng.random() < source.named else dialogue
        conversation = Conversation.from_messages(
            [{"role": "user", "speaker": t.speaker, "content": t.content} for t in named.turns[:_LONGEST]]
        )
        if not conversation.messages:
            continue
        own = source.file in {"dialog_crd3", "dialog_qmsum_train"}
        told: list[tuple[TrueClaim, str]] = [(c, "") for c in written(named, rng, source.least_shared)]
        made = [(c, "") for c in restated(named, rng, only_own=own)] + [
            *answered(named),
            *agreed(named, rng, pool),
        ]
        chosen = [*_some(told, 4, rng), *_some(made, 3, rng)]
        others = tuple(c.text for c, _ in (*told, *made))
        evidence = "\n".join(turn.line for turn in named.turns)
        few = tuple(rng.sample(things, min(12, len(things))))
        for claim, wrong in chosen:
            if any(turn >= _LONGEST for turn in claim.turns):
                continue
            rest = tuple(o for o in others if o != claim.text)
            context = Context(named.speakers, evidence, rest, few)
            true = (reword(claim.text, context, rng) if rng.random() < 0.3 else None) or claim.text
            yield Row(source.file, dialogue.id, conversation, true, 0, True)
            false = ("wrong", wrong) if wrong else corrupt(true, context, rng)
            if false is not None:
                yield Row(source.file, dialogue.id, conversation, false[1], 0, False, false[0])


def fit_support(
    rows: Sequence[tuple[Row, float]],
    embedder: Embedder,
    *,
    entailment: EntailmentScorer | None = None,
    progress: ItemProgress = no_progress,
) -> dict[str, Any]:
    """Fit the weights of every set of parts.

    Returns:
        What ``data/support.json`` holds: ``{"models": {parts: {"weights", "bias"}}, "n_rows"}``.
    """
    shipped = EliminationSettings()
    texts, weights = [row for row, _ in rows], np.asarray([weight for _, weight in rows])
    labels = np.asarray([row.supported for row in texts], dtype=np.bool_)
    balanced = weights * np.where(labels, 1.0 / weights[labels].sum(), 1.0 / weights[~labels].sum())
    measured = {
        switch: examined(
            texts, embedder, replace(shipped, guards=switch), entailment=entailment, progress=progress
        )
        for switch in ("on", "off")
    }
    usable = [p for p in PARTS if p != "entailment" or entailment is not None]
    models = {}
    for count in range(len(usable) + 1):
        for parts in itertools.combinations(usable, count):
            scored = measured["on" if "guards" in parts else "off"]
            names = feature_names(frozenset(parts))
            models["+".join(parts) or "none"] = _fit(names, scored, labels, balanced)
    return {"schema": "memguard.support/1", "n_rows": len(rows), "models": models}


def write_support(fitted: Mapping[str, Any], path: Path) -> None:
    """Write fitted weights as ``data/support.json``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(fitted, indent=1, sort_keys=True) + "\n", "utf-8")


def _fit(
    names: Sequence[str],
    scored: Sequence[tuple[ScoredClaim, ...]],
    labels: NDArray[np.bool_],
    weights: NDArray[np.float64],
) -> dict[str, Any]:
    tables = [np.asarray([_values(claim, names) for claim in claims], dtype=np.float64) for claims in scored]
    kept = [i for i, table in enumerate(tables) if len(table)]
    chosen = dict.fromkeys(kept, 0)
    coefficients = np.zeros(len(names) + 1)
    for _ in range(_ROUNDS):
        if coefficients.any():
            chosen = {i: int(np.argmin(tables[i] @ coefficients[:-1])) for i in kept}
        matrix = np.stack([tables[i][chosen[i]] for i in kept])
        coefficients = _logistic(matrix, labels[kept], weights[kept], names)
    return {
        "weights": {name: round(float(w), 4) for name, w in zip(names, coefficients[:-1], strict=True)},
        "bias": round(float(coefficients[-1]), 4),
    }


def _values(claim: ScoredClaim, names: Sequence[str]) -> list[float]:
    features = features_of(claim.similarity, claim.measures, claim.findings)
    return [features.get(name, 0.0) for name in names]


def _logistic(
    matrix: NDArray[np.float64], labels: NDArray[np.bool_], weights: NDArray[np.float64], names: Sequence[str]
) -> NDArray[np.float64]:
    """Minimise the weighted logistic loss with a ridge around the prior, some signs held."""
    from scipy.optimize import minimize

    full = np.column_stack([matrix, np.ones(len(matrix))])
    signs = np.where(labels, 1.0, -1.0)
    share = weights / weights.sum()
    prior = np.asarray([_PRIOR.get(name.rpartition(".")[2], 0.0) for name in names])

    def loss(w: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        margins = signs * (full @ w)
        off = w[:-1] - prior
        value = float(share @ np.logaddexp(0.0, -margins)) + _RIDGE * float(off @ off) / len(w)
        slope = -(share * signs / (1.0 + np.exp(np.clip(margins, -50, 50)))) @ full
        slope[:-1] += 2 * _RIDGE * off / len(w)
        return value, slope

    bounds = [_bounds(name) for name in names] + [(None, None)]
    found = minimize(loss, np.zeros(full.shape[1]), jac=True, method="L-BFGS-B", bounds=bounds)
    return np.asarray(found.x, dtype=np.float64)


def _bounds(name: str) -> tuple[float | None, float | None]:
    if name in _NOT_BELOW_ZERO:
        return 0.0, None
    return (None, 0.0) if "." in name or name == "refuted" else (None, None)


def _some(
    claims: Sequence[tuple[TrueClaim, str]], most: int, rng: random.Random
) -> list[tuple[TrueClaim, str]]:
    return rng.sample(claims, min(len(claims), most))


def _n_words(conversation: Conversation) -> int:
    return sum(len(message.content.split()) for message in conversation.messages)
