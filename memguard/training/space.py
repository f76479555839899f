"""Train the separation map of :mod:`memguard.geometry.separation` (``memguard train space``).

The loss is logistic in differences of cosines: within a triple, between every near and every far
pair of a batch (so that one threshold holds for all), and between an anchor's near text and the near
texts of other triples (so that the map does not forget what a text is about).
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from memguard.errors import InvalidParameterError
from memguard.geometry.separation import SeparationMap, save_separation
from memguard.geometry.similarity import Floats
from memguard.models.protocols import Embedder, ItemProgress, no_progress
from memguard.training.measure import auc
from memguard.training.space_triples import Triple

if TYPE_CHECKING:
    import torch

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class SpaceTrainOptions:
    """How the map is trained.

    Attributes:
        rank: How many directions it may change; 8 to 32.
        epochs: Passes over the triples.
        batch: Triples a step.
        learning_rate: Peak; it falls to 0 along a cosine.
        sharpness: What differences of cosines are multiplied by before the logistic function.
        within: Weight of the contrast inside a triple.
        across: Weight of the contrast between all near and far pairs of a batch.
        unrelated: Weight of the contrast to the near texts of other triples.
        decay: Weight of the map's squared size: how much it costs to move the space.
        held_out: Share of groups that are measured and never trained on.
        seed: Of the split, the start and the order.
    """

    rank: int = 16
    epochs: int = 30
    batch: int = 128
    learning_rate: float = 2e-3
    sharpness: float = 5.0
    within: float = 1.0
    across: float = 1.0
    unrelated: float = 0.5
    decay: float = 1e-2
    held_out: float = 0.15
    seed: int = 0


@dataclass(frozen=True, slots=True)
class SpaceReport:
    """What training gave, on the triples held out.

    Attributes:
        n_triples: Triples trained on.
        n_held_out: Triples measured.
        order_before: Share of triples whose near text is nearer than the far one, by plain cosine.
        order_after: The same with the map.
        auc_before: AUC of the cosine over all near and far pairs.
        auc_after: The same with the map.
    """

    n_triples: int
    n_held_out: int
    order_before: float
    order_after: float
    auc_before: float
    auc_after: float


def train_space(
    triples: Sequence[Triple],
    embedder: Embedder,
    out: Path,
    options: SpaceTrainOptions | None = None,
    *,
    progress: ItemProgress = no_progress,
) -> SpaceReport:
    """Embed the triples, train a map and write it.

    The same triples, embedder and options give the same map on one machine.

    Args:
        triples: From ``build_triples``.
        embedder: Whose space it is.
        out: The safetensors file; its metadata holds the options and the report.
        options: How; None for the ones the shipped map was made with.
        progress: Told of embedding, which takes most of the time.

    Raises:
        InvalidParameterError: If there are too few triples to hold some out.
        OSError: If the file cannot be written.
    """
    chosen = options or SpaceTrainOptions()
    training, held_out = split_triples(triples, chosen.held_out, chosen.seed)
    texts = list(dict.fromkeys(text for triple in (*training, *held_out) for text in triple.texts))
    index = {text: row for row, text in enumerate(texts)}
    vectors = embedder.embed(texts, progress=progress)

    def rows(part: Sequence[Triple]) -> NDArray[np.int64]:
        return np.asarray([[index[text] for text in triple.texts] for triple in part], dtype=np.int64)

    up, down = fit_map(vectors, rows(training), chosen)
    # What is measured is what is written: half precision.
    name = embedder.model_id.partition("@")[0]
    up, down = (side.astype(np.float16).astype(np.float32) for side in (up, down))
    separation = SeparationMap(up, down, name)
    before, after = (_measure(vectors, rows(held_out), separation, weight) for weight in (0.0, 1.0))
    report = SpaceReport(len(training), len(held_out), before[0], after[0], before[1], after[1])
    notes = {"options": json.dumps(asdict(chosen)), "report": json.dumps(asdict(report))}
    save_separation(out, separation, notes)
    return report


def split_triples(triples: Sequence[Triple], share: float, seed: int) -> tuple[list[Triple], list[Triple]]:
    """Split by group into training and held-out triples that share no text.

    Raises:
        InvalidParameterError: If one side would be empty.
    """
    groups = sorted({triple.group for triple in triples})
    rng = random.Random(seed)  # noqa: S311  # a seed, not a secret
    kept_out = set(rng.sample(groups, round(share * len(groups))))
    held_out = [triple for triple in triples if triple.group in kept_out]
    seen = {text for triple in held_out for text in triple.texts}
    training = [t for t in triples if t.group not in kept_out and seen.isdisjoint(t.texts)]
    if not training or not held_out:
        raise InvalidParameterError(
            f"triples must be of enough groups to train and to measure on; got {len(groups)} groups"
        )
    return training, held_out


def fit_map(
    vectors: Vectors, triples: NDArray[np.int64], options: SpaceTrainOptions
) -> tuple[Vectors, Vectors]:
    """Train the two sides of the map.

    Args:
        vectors: Unit rows, shape (texts, d).
        triples: Rows of anchor, near and far, shape (n, 3).
        options: How.

    Returns:
        ``up`` and ``down``, float32 of shape (d, rank).
    """
    import torch

    generator = torch.Generator().manual_seed(options.seed)
    table, rows = torch.from_numpy(vectors), torch.from_numpy(triples)
    size = (vectors.shape[1], options.rank)
    # One side starts at zero, as low-rank adapters do: the map starts as the identity.
    down = torch.randn(size, generator=generator) / vectors.shape[1] ** 0.5
    up = torch.zeros(size)
    sides = [up.requires_grad_(), down.requires_grad_()]
    optimizer = torch.optim.Adam(sides, lr=options.learning_rate)
    n_steps = options.epochs * max(1, -(-len(triples) // options.batch))
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, n_steps)
    for _ in range(options.epochs):
        order = torch.randperm(len(rows), generator=generator)
        for start in range(0, len(order), options.batch):
            optimizer.zero_grad()
            loss = _loss(table[rows[order[start : start + options.batch]]], up, down, options)
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            schedule.step()
    return up.detach().numpy(), down.detach().numpy()


def _loss(
    batch: torch.Tensor, up: torch.Tensor, down: torch.Tensor, options: SpaceTrainOptions
) -> torch.Tensor:
    import torch
    from torch.nn.functional import normalize, softplus

    anchor, near, far = normalize(batch + (batch @ down) @ up.T, dim=-1).unbind(1)
    to_near, to_far = (anchor * near).sum(-1), (anchor * far).sum(-1)
    to_others = (anchor @ near.T)[~torch.eye(len(anchor), dtype=torch.bool)].view(len(anchor), -1)
    within = softplus(-options.sharpness * (to_near - to_far)).mean()
    across = softplus(-options.sharpness * (to_near[:, None] - to_far[None, :])).mean()
    # Hardest other text only: the rest are far already.
    nearest = to_others.max(dim=1).values if len(anchor) > 1 else to_near - 1.0
    unrelated = softplus(-options.sharpness * (to_near - nearest)).mean()
    size = (up.T @ up * (down.T @ down)).sum()  # squared Frobenius norm of up·downᵀ
    return (
        options.within * within
        + options.across * across
        + options.unrelated * unrelated
        + options.decay * size
    )


def _measure(
    vectors: Vectors, triples: NDArray[np.int64], separation: SeparationMap, weight: float
) -> tuple[float, float]:
    """Return the share of triples in the right order, and the AUC over all pairs."""
    mapped: Floats = separation(vectors, weight)
    near, far = (np.einsum("nd,nd->n", mapped[triples[:, 0]], mapped[triples[:, side]]) for side in (1, 2))
    labels = np.repeat([1, 0], len(triples))
    return float(np.mean(near > far)), auc(labels, np.concatenate([near, far]))
