"""How well scores tell supported claims from unsupported ones, beside the two floors."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from memguard.drift.stems import content_stems
from memguard.errors import InvalidParameterError
from memguard.models.protocols import Embedder
from memguard.training.dialogues import sentences
from memguard.training.evidence import Turn, pick_evidence
from memguard.training.pairs import read_lines

Scorer = Callable[[Sequence[str], Sequence[str]], NDArray[np.float32]]
"""Premises and hypotheses in, (n, 3) out: entailment, neutral, contradiction."""


def auc(labels: ArrayLike, scores: ArrayLike) -> float:
    """Return the area under the ROC curve: the chance that a positive outscores a negative.

    Ties count half (Mann-Whitney U).

    Raises:
        InvalidParameterError: If there is no positive or no negative.
    """
    truth = np.asarray(labels).astype(bool)
    values = np.asarray(scores, dtype=np.float64)
    n_positive = int(truth.sum())
    n_negative = truth.size - n_positive
    if not n_positive or not n_negative:
        raise InvalidParameterError(
            f"labels must hold both classes; got {n_positive} positives of {truth.size}"
        )
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks = (ends - (counts - 1) / 2)[inverse]
    return float((ranks[truth].sum() - n_positive * (n_positive + 1) / 2) / (n_positive * n_negative))


@dataclass(frozen=True, slots=True)
class LabelledClaim:
    """A claim or a whole summary with a person's label.

    Attributes:
        turns: The dialogue.
        sentences: What is judged; a whole summary has several.
        label: 1 supported, 0 not.
        group: The dialogue's id; resample by it.
    """

    turns: tuple[Turn, ...]
    sentences: tuple[str, ...]
    label: int
    group: str


def read_labelled(path: Path) -> list[LabelledClaim]:
    """Read a file of labelled claims (``source_messages``, ``claim``, ``label``, ``source_id``)."""
    rows = []
    for row in read_lines(path):
        turns = tuple(Turn(str(m["speaker"]), str(m["content"])) for m in row["source_messages"])
        claim = str(row["claim"])
        rows.append(
            LabelledClaim(
                turns, tuple(sentences(claim)) or (claim,), int(row["label"]), str(row["source_id"])
            )
        )
    return rows


def entailment_scores(
    rows: Sequence[LabelledClaim], score: Scorer, max_words: int = 95
) -> NDArray[np.float64]:
    """Return the least P(entailment) over each row's sentences, by the evidence that each needs most."""
    premises = [pick_evidence(row.turns, s, max_words) for row in rows for s in row.sentences]
    hypotheses = [s for row in rows for s in row.sentences]
    values = score(premises, hypotheses)[:, 0].astype(np.float64)
    ends = np.cumsum([len(row.sentences) for row in rows])
    return np.asarray([part.min() for part in np.split(values, ends[:-1])])


def overlap_scores(rows: Sequence[LabelledClaim]) -> NDArray[np.float64]:
    """Return the floor of words: the claim's share of content words in the best single message."""
    result = []
    for row in rows:
        wanted = set(content_stems(" ".join(row.sentences)))
        shares = [len(wanted & set(content_stems(t.line))) / max(1, len(wanted)) for t in row.turns]
        result.append(max(shares, default=0.0))
    return np.asarray(result)


def cosine_scores(rows: Sequence[LabelledClaim], embedder: Embedder) -> NDArray[np.float64]:
    """Return the floor of vectors: the best message's cosine to the claim."""
    messages = list(dict.fromkeys(turn.content for row in rows for turn in row.turns))
    index = {text: number for number, text in enumerate(messages)}
    vectors = embedder.embed(messages)
    claims = embedder.embed([" ".join(row.sentences) for row in rows])
    return np.asarray(
        [
            float(np.max(vectors[[index[t.content] for t in row.turns]] @ claim)) if row.turns else 0.0
            for row, claim in zip(rows, claims, strict=True)
        ]
    )


def set_name(path: Path) -> str:
    """Return the name of a set from its file: ``ferranti.jsonl.gz`` is ``ferranti``."""
    return re.sub(r"\.jsonl(\.gz)?$", "", path.name)
