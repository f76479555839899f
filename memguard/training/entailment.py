"""Train the small entailment model: a cross-encoder over premise and hypothesis, on a CPU.

Made for two cores: bfloat16 arithmetic, eager attention, no dropout, a frozen table of word vectors
(together 100 pairs of 80 tokens a second on two idle cores, where plain float32 makes 29), and
batches of equal length that hold a fixed number of tokens. A run goes on from its last checkpoint;
with ``minutes`` the learning rate follows the time that is left, else the steps.
"""

from __future__ import annotations

import json
import logging
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memguard.errors import InvalidParameterError
from memguard.models.low_rank import write_adapter
from memguard.training.cross_encoder import (
    CLASSES,
    TARGETS,
    adapt,
    load_base,
    make_optimizer,
    mixed_loss,
)
from memguard.training.loop import MULTIPLE, LoopOptions, TrainingLoop
from memguard.training.pairs import Pair

if TYPE_CHECKING:
    import torch

log = logging.getLogger(__name__)

_CHARACTERS_PER_TOKEN = 4.0


@dataclass(frozen=True, slots=True)
class TrainOptions:
    """How the model is trained.

    Attributes:
        base: Folder of the encoder that is adapted.
        out: Folder for checkpoints, the log of measures and the result.
        minutes: Stop after this much training time, all runs together; None for ``epochs`` passes.
        epochs: Passes over the corpus, if ``minutes`` is None.
        seed: Of the head's start and of the order of pairs.
        learning_rate: Peak, of the low-rank pairs.
        head_learning_rate: Peak, of the fresh head.
        warmup: Share of the run in which the rates rise.
        tokens_per_batch: Padding included.
        max_tokens: The longest pair; the premise is cut.
        checkpoint_minutes: Between checkpoints.
        half_precision: Compute in bfloat16.
        threads: Of torch; None for two, or one while the machine is busy: with more threads than free
            cores each waits for the other, and two are slower than one.
    """

    base: Path
    out: Path
    minutes: float | None = None
    epochs: int = 1
    seed: int = 0
    learning_rate: float = 4e-4
    head_learning_rate: float = 1e-3
    warmup: float = 0.03
    tokens_per_batch: int = 2_200
    max_tokens: int = 200
    checkpoint_minutes: float = 5.0
    half_precision: bool = True
    threads: int | None = None


@dataclass(frozen=True, slots=True)
class TrainResult:
    """What a run gave.

    Attributes:
        adapter: File of the trained adapter, in half precision.
        steps: Optimizer steps, all runs together.
        n_pairs: Pairs seen.
        losses: Mean loss of each stretch of twenty steps of this run.
    """

    adapter: Path
    steps: int
    n_pairs: int
    losses: tuple[float, ...]


Report = Callable[["EntailmentTrainer"], dict[str, Any]]


class EntailmentTrainer(TrainingLoop):
    """One training run: a model, an optimizer, and where they stand."""

    def __init__(
        self,
        pairs: Sequence[Pair],
        options: TrainOptions,
        clock: Callable[[], float] = time.monotonic,
        report: Report | None = None,
    ) -> None:
        """Load the base.

        Args:
            pairs: At least one.
            options: How.
            clock: Counts the seconds of ``minutes``, see :class:`TrainingLoop`.
            report: Called after every checkpoint; its values go to ``measures.jsonl``.

        Raises:
            InvalidParameterError: If there are no pairs.
            ModelUnavailableError: If the base cannot be loaded from its folder.
        """
        if not pairs:
            raise InvalidParameterError("pairs must hold at least one pair; got none")
        from memguard.models.offline import force_offline
        from memguard.models.runtime import prepare_torch

        force_offline()
        prepare_torch()
        import torch

        torch.manual_seed(options.seed)
        self.options = options
        self.tokenizer, model = load_base(options.base)
        adapt(model)
        self._pairs = pairs
        self._targets = np.asarray([TARGETS[pair.label] for pair in pairs], dtype=np.int64)
        self._measured = report
        super().__init__(
            model,
            make_optimizer(model, options.learning_rate, options.head_learning_rate),
            [self._length(pair) for pair in pairs],
            LoopOptions(
                options.out,
                minutes=options.minutes,
                epochs=options.epochs,
                seed=options.seed,
                warmup=options.warmup,
                tokens_per_batch=options.tokens_per_batch,
                checkpoint_minutes=options.checkpoint_minutes,
                threads=options.threads,
            ),
            clock,
        )

    def _length(self, pair: Pair) -> int:
        n_characters = len(pair.premise) + len(pair.hypothesis)
        n_tokens = min(self.options.max_tokens, 3 + round(n_characters / _CHARACTERS_PER_TOKEN))
        return math.ceil(n_tokens / MULTIPLE) * MULTIPLE

    def train(self) -> TrainResult:
        """Train to the end, with a checkpoint and a report every few minutes, and export the model."""
        self.run()
        adapter = self.export(self.options.out / "final")
        return TrainResult(adapter, self.progress.step, self.progress.n_rows, tuple(self.losses))

    def loss(self, rows: Sequence[int]) -> torch.Tensor:
        """Return the mean loss of some pairs."""
        import torch

        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.options.half_precision):
            logits = self.model(**self._features([self._pairs[i] for i in rows])).logits
        return mixed_loss(logits.float(), torch.from_numpy(self._targets[list(rows)]))

    def measures(self) -> Mapping[str, float] | None:
        """Return what the report says."""
        return None if self._measured is None else self._measured(self)

    def _features(self, pairs: Sequence[Pair]) -> Any:
        return self.tokenizer(
            [pair.premise for pair in pairs],
            [pair.hypothesis for pair in pairs],
            truncation="longest_first",
            max_length=self.options.max_tokens,
            padding=True,
            pad_to_multiple_of=MULTIPLE,
            return_tensors="pt",
        )

    def score(self, premises: Sequence[str], hypotheses: Sequence[str]) -> NDArray[np.float32]:
        """Return (n, 3) probabilities by the model as it stands."""
        import torch

        pairs = [Pair(p, h, "neutral", "", "") for p, h in zip(premises, hypotheses, strict=True)]
        result = np.zeros((len(pairs), len(CLASSES)), dtype=np.float32)
        order = sorted(range(len(pairs)), key=lambda i: self._length(pairs[i]))
        with (
            torch.inference_mode(),
            torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.options.half_precision),
        ):
            for start in range(0, len(order), 64):
                batch = order[start : start + 64]
                logits = self.model(**self._features([pairs[i] for i in batch])).logits
                result[batch] = torch.softmax(logits.float(), -1).numpy()
        return result

    def export(self, folder: Path) -> Path:
        """Write the adapter, with how it was trained in its metadata, and return its file."""
        options = asdict(self.options)
        del options["base"], options["out"]
        path = folder / "entailment.safetensors"
        notes = {"progress": json.dumps(asdict(self.progress)), "options": json.dumps(options)}
        write_adapter(self.model, path, notes)
        return path


def train(
    pairs: Sequence[Pair],
    options: TrainOptions,
    *,
    resume: bool = False,
    report: Report | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> TrainResult:
    """Train an entailment model.

    With ``epochs`` a run that was stopped and resumed sees the same batches at the same rates as one
    that was not, and ends with equal weights where the arithmetic is deterministic; with ``minutes``
    the rates follow the clock.

    Args:
        pairs: The corpus, see :func:`memguard.training.corpus.build_corpus`.
        options: How.
        resume: Go on from the checkpoint in ``options.out`` if there is one.
        report: Called after every checkpoint; its values go to ``measures.jsonl``.
        clock: Counts the seconds of ``minutes``, see :class:`EntailmentTrainer`.

    Raises:
        InvalidParameterError: If there are no pairs.
        ModelUnavailableError: If the base cannot be loaded.
    """
    options.out.mkdir(parents=True, exist_ok=True)
    trainer = EntailmentTrainer(pairs, options, clock, report)
    if resume and trainer.resume():
        log.info("resumed at step %d", trainer.progress.step)
    return trainer.train()
