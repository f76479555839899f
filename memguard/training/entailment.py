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
import os
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

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
from memguard.training.pairs import Pair

log = logging.getLogger(__name__)

_CHECKPOINT = "checkpoint.pt"
_BUCKET_PAIRS = 1_024
_CHARACTERS_PER_TOKEN = 4.0
_MULTIPLE = 8
"""Lengths are rounded up to it: few shapes let the kernels that were made for one be used again."""


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


@dataclass(slots=True)
class Progress:
    """Where a run stands."""

    epoch: int = 0
    step_in_epoch: int = 0
    step: int = 0
    n_pairs: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class TrainResult:
    """What a run gave.

    Attributes:
        adapter: File of the trained adapter, in half precision.
        steps: Optimizer steps, all runs together.
        n_pairs: Pairs seen.
        losses: Mean loss of each stretch of fifty steps of this run.
    """

    adapter: Path
    steps: int
    n_pairs: int
    losses: tuple[float, ...]


Report = Callable[["EntailmentTrainer"], dict[str, Any]]


class EntailmentTrainer:
    """One training run: a model, an optimizer, and where they stand."""

    def __init__(
        self, pairs: Sequence[Pair], options: TrainOptions, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Load the base.

        ``clock`` counts the seconds of ``minutes``: ``time.process_time`` counts only those in which
        a busy machine let this process compute.

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

        torch.set_num_threads(options.threads or 2)
        torch.manual_seed(options.seed)
        self.options = options
        self._clock = clock
        self.progress = Progress()
        self.losses: list[float] = []
        self.tokenizer, self.model = load_base(options.base)
        adapt(self.model)
        self._optimizer = make_optimizer(self.model, options.learning_rate, options.head_learning_rate)
        self._pairs = pairs
        self._lengths = [self._length(pair) for pair in pairs]
        self._targets = np.asarray([TARGETS[pair.label] for pair in pairs], dtype=np.int64)

    def batches(self, epoch: int) -> list[list[int]]:
        """Return the batches of one pass: of nearly equal length each, in an order fixed by the seed.

        The first pass takes the pairs in the order in which they are given, a bucket at a time.
        Lengths are estimated from characters, so that nothing is tokenised before its turn.
        """
        rng = random.Random(f"{self.options.seed}:{epoch}")  # noqa: S311  # a seed, not a secret
        order = list(range(len(self._pairs)))
        if epoch:
            rng.shuffle(order)
        result: list[list[int]] = []
        for start in range(0, len(order), _BUCKET_PAIRS):
            bucket = sorted(order[start : start + _BUCKET_PAIRS], key=lambda i: (self._lengths[i], i))
            made: list[list[int]] = [[]]
            for index in bucket:
                if made[-1] and (len(made[-1]) + 1) * self._lengths[index] > self.options.tokens_per_batch:
                    made.append([])
                made[-1].append(index)
            rng.shuffle(made)
            result += made
        return result

    def _length(self, pair: Pair) -> int:
        n_characters = len(pair.premise) + len(pair.hypothesis)
        n_tokens = min(self.options.max_tokens, 3 + round(n_characters / _CHARACTERS_PER_TOKEN))
        return math.ceil(n_tokens / _MULTIPLE) * _MULTIPLE

    def run(self, report: Report | None = None) -> TrainResult:
        """Train to the end, with a checkpoint and a report every few minutes, and export the model."""
        options = self.options
        n_steps = len(self.batches(0)) * options.epochs
        self.model.train()
        seen: list[float] = []
        last = saved = self._clock()
        for batch in self._remaining():
            self._set_rates(self._fraction(n_steps))
            seen.append(self._step(batch))
            now = self._clock()
            self.progress.seconds += now - last
            last = now
            if len(seen) == 50:
                self._note(seen)
                self._choose_threads()
                seen = []
            if now - saved > 60 * options.checkpoint_minutes:
                self.save()
                self._report(report)
                last = saved = self._clock()
        if seen:
            self._note(seen)
        self.save()
        adapter = self.export(options.out / "final")
        self._report(report)
        return TrainResult(adapter, self.progress.step, self.progress.n_pairs, tuple(self.losses))

    def _remaining(self) -> Iterator[list[int]]:
        minutes, progress = self.options.minutes, self.progress
        while minutes is not None or progress.epoch < self.options.epochs:
            batches = self.batches(progress.epoch)
            while progress.step_in_epoch < len(batches):
                if minutes is not None and progress.seconds >= 60 * minutes:
                    return
                yield batches[progress.step_in_epoch]
                progress.step_in_epoch += 1
            progress.epoch += 1
            progress.step_in_epoch = 0

    def _fraction(self, n_steps: int) -> float:
        if self.options.minutes is None:
            return self.progress.step / max(1, n_steps)
        return self.progress.seconds / (60 * self.options.minutes)

    def _set_rates(self, fraction: float) -> None:
        warmup = self.options.warmup
        factor = (
            min(1.0, (fraction + 1e-3) / warmup)
            if warmup and fraction < warmup
            else (1 - fraction) / (1 - warmup)
        )
        for group in self._optimizer.param_groups:
            group["lr"] = group["peak"] * max(0.02, factor)

    def _step(self, batch: list[int]) -> float:
        import torch

        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.options.half_precision):
            logits = self.model(**self._features([self._pairs[i] for i in batch])).logits
        loss = mixed_loss(logits.float(), torch.from_numpy(self._targets[batch]))
        loss.backward()  # type: ignore[no-untyped-call]  # torch gives it no types
        torch.nn.utils.clip_grad_norm_([p for p in self.model.parameters() if p.requires_grad], 1.0)
        self._optimizer.step()
        self._optimizer.zero_grad(set_to_none=True)
        self.progress.step += 1
        self.progress.n_pairs += len(batch)
        return float(loss.detach())

    def _features(self, pairs: Sequence[Pair]) -> Any:
        return self.tokenizer(
            [pair.premise for pair in pairs],
            [pair.hypothesis for pair in pairs],
            truncation="longest_first",
            max_length=self.options.max_tokens,
            padding=True,
            pad_to_multiple_of=_MULTIPLE,
            return_tensors="pt",
        )

    def _choose_threads(self) -> None:
        if self.options.threads is None and hasattr(os, "getloadavg"):
            import torch

            torch.set_num_threads(1 if os.getloadavg()[0] > (os.cpu_count() or 1) + 0.5 else 2)

    def _note(self, seen: list[float]) -> None:
        self.losses.append(float(np.mean(seen)))
        p = self.progress
        rate = p.n_pairs / max(p.seconds, 1e-9)
        log.info(
            "step %d pairs %d minutes %.1f loss %.4f pairs/s %.1f",
            p.step,
            p.n_pairs,
            p.seconds / 60,
            self.losses[-1],
            rate,
        )

    def _report(self, report: Report | None) -> None:
        if report is None:
            return
        self.model.eval()
        values = {
            "step": self.progress.step,
            "n_pairs": self.progress.n_pairs,
            "minutes": round(self.progress.seconds / 60, 1),
        }
        values |= report(self)
        self.model.train()
        log.info("measured %s", json.dumps(values))
        path = self.options.out / "measures.jsonl"
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(values) + "\n")

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

    def save(self) -> Path:
        """Write the checkpoint in one step: a killed run leaves the one before."""
        import torch

        self.options.out.mkdir(parents=True, exist_ok=True)
        path = self.options.out / _CHECKPOINT
        state = {
            "model": {n: p.detach() for n, p in self.model.named_parameters() if p.requires_grad},
            "optimizer": self._optimizer.state_dict(),
            "progress": asdict(self.progress),
        }
        torch.save(state, path.with_suffix(".tmp"))
        path.with_suffix(".tmp").replace(path)
        return path

    def resume(self) -> bool:
        """Go on from the checkpoint in ``out``; return whether there was one."""
        import torch

        path = self.options.out / _CHECKPOINT
        if not path.is_file():
            return False
        state = torch.load(path, weights_only=True)
        self.model.load_state_dict(state["model"], strict=False)
        self._optimizer.load_state_dict(state["optimizer"])
        self.progress = Progress(**state["progress"])
        return True

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
    trainer = EntailmentTrainer(pairs, options, clock)
    if resume and trainer.resume():
        log.info("resumed at step %d", trainer.progress.step)
    return trainer.run(report)
