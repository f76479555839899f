"""AUC and balanced accuracy, with intervals from resampling dialogues."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_RESAMPLES = 1_000


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure with its 95 % interval."""

    value: float
    low: float
    high: float


def auc(labels: NDArray[np.bool_], scores: NDArray[np.float64]) -> float:
    """Return the area under the ROC curve: the chance that a supported row scores above another.

    Ties count half; NaN where one of the two classes is empty.
    """
    from sklearn.metrics import roc_auc_score

    if not labels.any() or labels.all():
        return float("nan")
    return float(roc_auc_score(labels, scores))


def balanced_accuracy(labels: NDArray[np.bool_], kept: NDArray[np.bool_]) -> float:
    """Return the mean of the share of supported rows kept and of unsupported rows dropped."""
    if not labels.any() or labels.all():
        return float("nan")
    return (float(kept[labels].mean()) + float((~kept[~labels]).mean())) / 2


def with_interval(
    groups: Sequence[str], figure: Callable[[NDArray[np.intp]], float], *, seed: int = 0
) -> Interval:
    """Return a figure over all rows with the 2.5th and 97.5th percentile over resampled dialogues.

    Args:
        groups: The dialogue of each row; whole dialogues are drawn, with replacement.
        figure: Takes row indexes, returns the figure over them.
        seed: Of the draws.
    """
    members: dict[str, list[int]] = {}
    for index, group in enumerate(groups):
        members.setdefault(group, []).append(index)
    blocks = [np.asarray(rows, dtype=np.intp) for rows in members.values()]
    generator = np.random.default_rng(seed)
    values = []
    for _ in range(_RESAMPLES):
        drawn = generator.integers(0, len(blocks), len(blocks))
        value = figure(np.concatenate([blocks[i] for i in drawn]))
        if not np.isnan(value):
            values.append(value)
    low, high = np.percentile(values, [2.5, 97.5]) if values else (float("nan"), float("nan"))
    return Interval(figure(np.arange(len(groups), dtype=np.intp)), float(low), float(high))
