"""A training run on a CPU that can be stopped and gone on with: batches, rates, checkpoints, notes.

Made for two cores: batches hold a fixed number of tokens and rows of nearly equal length, the number
of threads follows how busy the machine is, and with ``minutes`` the learning rate follows the time
that is left, else the steps.
"""

from __future__ import annotations

import json
import logging
import math
import os
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

log = logging.getLogger(__name__)

_CHECKPOINT = "checkpoint.pt"
_BUCKET_ROWS = 1_024
_NOTED_STEPS = 20
_LOOK_STEPS = 10
"""How often the load of the machine is looked at."""
MULTIPLE = 8
"""Lengths are rounded up to it: few shapes let the kernels that were made for one be used again."""


@dataclass(frozen=True, slots=True)
class LoopOptions:
    """How long and how fast.

    Attributes:
        out: Folder for checkpoints and the log of measures.
        minutes: Stop after this much training time, all runs together; None for ``epochs`` passes.
        epochs: Passes over the rows, if ``minutes`` is None.
        seed: Of the order of rows.
        warmup: Share of the run in which the rates rise.
        tokens_per_batch: Padding included.
        checkpoint_minutes: Between checkpoints.
        threads: Of torch; None for two, or one while the machine is busy: with more threads than free
            cores each waits for the other, and two are slower than one.
    """

    out: Path
    minutes: float | None = None
    epochs: int = 1
    seed: int = 0
    warmup: float = 0.03
    tokens_per_batch: int = 2_200
    checkpoint_minutes: float = 10.0
    threads: int | None = None


@dataclass(slots=True)
class Progress:
    """Where a run stands."""

    epoch: int = 0
    step_in_epoch: int = 0
    step: int = 0
    n_rows: int = 0
    seconds: float = 0.0


class TrainingLoop(ABC):
    """Takes a model through its rows; a subclass knows what a step is and what is measured.

    Attributes:
        progress: Where the run stands.
        losses: Mean loss of each stretch of twenty steps of this run.
    """

    def __init__(
        self,
        model: Any,
        optimizer: Any,
        lengths: Sequence[int],
        options: LoopOptions,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take a model whose trainable parameters require gradients.

        Args:
            model: A torch module.
            optimizer: Each of its groups has its highest rate under ``peak``.
            lengths: Tokens of each row, for batches of nearly equal length.
            options: How long and how fast.
            clock: Counts the seconds of ``minutes``: ``time.process_time`` counts only those in which
                a busy machine let this process compute.
        """
        import torch

        torch.set_num_threads(options.threads or 2)
        self.model = model
        self._optimizer = optimizer
        self._lengths = [math.ceil(length / MULTIPLE) * MULTIPLE for length in lengths]
        self._loop = options
        self._clock = clock
        self.progress = Progress()
        self.losses: list[float] = []

    @abstractmethod
    def loss(self, rows: Sequence[int]) -> Any:
        """Return the mean loss of some rows, with its gradient."""

    @abstractmethod
    def measures(self) -> Mapping[str, float] | None:
        """Return what is measured after a checkpoint, None for nothing; the model is in evaluation."""

    def batches(self, epoch: int) -> list[list[int]]:
        """Return the batches of one pass: of nearly equal length each, in an order fixed by the seed."""
        rng = random.Random(f"{self._loop.seed}:{epoch}")  # noqa: S311  # a seed, not a secret
        order = list(range(len(self._lengths)))
        if epoch:
            rng.shuffle(order)
        result: list[list[int]] = []
        for start in range(0, len(order), _BUCKET_ROWS):
            bucket = sorted(order[start : start + _BUCKET_ROWS], key=lambda i: (self._lengths[i], i))
            made: list[list[int]] = [[]]
            for index in bucket:
                if made[-1] and (len(made[-1]) + 1) * self._lengths[index] > self._loop.tokens_per_batch:
                    made.append([])
                made[-1].append(index)
            rng.shuffle(made)
            result += made
        return result

    def run(self) -> None:
        """Train to the end, with a checkpoint and measures every few minutes and at the end."""
        n_steps = len(self.batches(0)) * self._loop.epochs
        self.model.train()
        self._choose_threads()
        seen: list[float] = []
        last = saved = self._clock()
        for batch in self._remaining():
            self._set_rates(self._fraction(n_steps))
            seen.append(self._step(batch))
            now = self._clock()
            self.progress.seconds += now - last
            last = now
            if len(seen) % _LOOK_STEPS == 0:
                self._choose_threads()
            if len(seen) == _NOTED_STEPS:
                self._note(seen)
                seen = []
            if now - saved > 60 * self._loop.checkpoint_minutes:
                self.save()
                self._measure()
                last = saved = self._clock()
        if seen:
            self._note(seen)
        self.save()
        self._measure()

    def _remaining(self) -> Iterator[list[int]]:
        minutes, progress = self._loop.minutes, self.progress
        while minutes is not None or progress.epoch < self._loop.epochs:
            batches = self.batches(progress.epoch)
            while progress.step_in_epoch < len(batches):
                if minutes is not None and progress.seconds >= 60 * minutes:
                    return
                yield batches[progress.step_in_epoch]
                progress.step_in_epoch += 1
            progress.epoch += 1
            progress.step_in_epoch = 0

    def _fraction(self, n_steps: int) -> float:
        if self._loop.minutes is None:
            return self.progress.step / max(1, n_steps)
        return self.progress.seconds / (60 * self._loop.minutes)

    def _set_rates(self, fraction: float) -> None:
        warmup = self._loop.warmup
        rising = warmup > 0 and fraction < warmup
        factor = min(1.0, (fraction + 1e-3) / warmup) if rising else (1 - fraction) / (1 - warmup)
        for group in self._optimizer.param_groups:
            group["lr"] = group["peak"] * max(0.02, factor)

    def _step(self, batch: list[int]) -> float:
        import torch

        loss = self.loss(batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_([p for p in self.model.parameters() if p.requires_grad], 1.0)
        self._optimizer.step()
        self._optimizer.zero_grad(set_to_none=True)
        self.progress.step += 1
        self.progress.n_rows += len(batch)
        return float(loss.detach())

    def _choose_threads(self) -> None:
        if self._loop.threads is None and hasattr(os, "getloadavg"):
            import torch

            torch.set_num_threads(1 if os.getloadavg()[0] > (os.cpu_count() or 1) + 0.5 else 2)

    def _note(self, seen: list[float]) -> None:
        self.losses.append(float(np.mean(seen)))
        p = self.progress
        rate = p.n_rows / max(p.seconds, 1e-9)
        log.info(
            "step %d rows %d minutes %.1f loss %.4f rows/s %.1f",
            p.step,
            p.n_rows,
            p.seconds / 60,
            self.losses[-1],
            rate,
        )

    def _measure(self) -> None:
        self.model.eval()
        measures = self.measures()
        self.model.train()
        if measures is None:
            return
        values = {
            "step": self.progress.step,
            "n_rows": self.progress.n_rows,
            "minutes": round(self.progress.seconds / 60, 1),
            **measures,
        }
        log.info("measured %s", json.dumps(values))
        with (self._loop.out / "measures.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(values) + "\n")

    def save(self) -> Path:
        """Write the checkpoint in one step: a killed run leaves the one before."""
        import torch

        self._loop.out.mkdir(parents=True, exist_ok=True)
        path = self._loop.out / _CHECKPOINT
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

        path = self._loop.out / _CHECKPOINT
        if not path.is_file():
            return False
        state = torch.load(path, weights_only=True)
        self.model.load_state_dict(state["model"], strict=False)
        self._optimizer.load_state_dict(state["optimizer"])
        self.progress = Progress(**state["progress"])
        return True
