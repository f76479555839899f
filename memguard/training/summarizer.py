"""``memguard train summarizer``: a low-rank adapter that teaches SmolLM2 to say who did what.

The prompt is the one of run time without examples: what the examples showed is taught. The loss
counts the summary's tokens alone.
"""

from __future__ import annotations

import json
import logging
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memguard.errors import InvalidParameterError, ModelUnavailableError
from memguard.models.low_rank import attach, write_adapter
from memguard.models.shots import render_window
from memguard.training.loop import LoopOptions, TrainingLoop
from memguard.training.summary_corpus import SummaryExample, SummaryOptions, build_summaries

if TYPE_CHECKING:
    import torch

log = logging.getLogger(__name__)

RANKS = {
    "self_attn.q_proj": 8,
    "self_attn.k_proj": 8,
    "self_attn.v_proj": 8,
    "self_attn.o_proj": 8,
    "mlp.gate_proj": 4,
    "mlp.up_proj": 4,
    "mlp.down_proj": 4,
}
"""Rank of the pair beside each kind of layer; 1.7 million numbers on SmolLM2-135M."""
HELD_OUT = 60
"""Examples that validate, of dialogues that are not trained on."""
_IGNORED = -100
_FILE = "summarizer.safetensors"


@dataclass(frozen=True, slots=True)
class SummarizerRun:
    """What a run is given.

    Attributes:
        base: Folder of SmolLM2.
        dialogues: ``bench/nli``.
        out: Where checkpoints, measures and the result go.
        minutes: Of training, all runs together; None for one pass.
        resume: Go on from the last checkpoint.
        seed: Of everything.
        meetings: Train on QMSum's meetings too; the result is then not to be measured on QMSum.
        learning_rate: Peak.
        tokens_per_batch: Padding included.
        max_tokens: The longest example; longer ones are left out.
        half_precision: Compute in bfloat16.
        threads: Of torch; None follows the load of the machine.
        scale: Share of the corpus.
    """

    base: Path
    dialogues: Path
    out: Path
    minutes: float | None = None
    resume: bool = False
    seed: int = 0
    meetings: bool = False
    learning_rate: float = 6e-4
    tokens_per_batch: int = 1_400
    max_tokens: int = 260
    half_precision: bool = True
    threads: int | None = None
    scale: float = 1.0


class SummaryTrainer(TrainingLoop):
    """Trains the pairs beside SmolLM2's layers on windows and their summaries."""

    def __init__(
        self,
        run: SummarizerRun,
        training: Sequence[SummaryExample],
        held: Sequence[SummaryExample],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Load the base and encode all examples.

        Raises:
            InvalidParameterError: If no example fits ``max_tokens``.
            ModelUnavailableError: If the base cannot be loaded from its folder.
        """
        import torch

        self._run = run
        torch.manual_seed(run.seed)
        self._tokenizer, model = load_base(run.base)
        parameters = attach(model, RANKS)
        self._rows = self._encoded(training)
        self._held = self._encoded(held)
        if not self._rows:
            raise InvalidParameterError(f"no example is shorter than {run.max_tokens} tokens")
        optimizer = torch.optim.AdamW(
            [{"params": parameters, "lr": run.learning_rate, "peak": run.learning_rate}], weight_decay=0.01
        )
        options = LoopOptions(
            run.out,
            minutes=run.minutes,
            seed=run.seed,
            tokens_per_batch=run.tokens_per_batch,
            threads=run.threads,
        )
        super().__init__(
            model, optimizer, [len(prompt) + len(rest) for prompt, rest in self._rows], options, clock
        )

    def _encoded(self, examples: Sequence[SummaryExample]) -> list[tuple[list[int], list[int]]]:
        rows = []
        for example in examples:
            prompt = self._ids(render_window(example.lines))
            target = f" {example.target}\n" if example.target else "\n"
            rest = self._ids(target)
            if len(prompt) + len(rest) <= self._run.max_tokens:
                rows.append((prompt, rest))
        return rows

    def _ids(self, text: str) -> list[int]:
        encoded = self._tokenizer(text, add_special_tokens=False, split_special_tokens=True, verbose=False)
        return list(encoded["input_ids"])

    def loss(self, rows: Sequence[int]) -> torch.Tensor:
        """Return the mean cross-entropy of the summaries' tokens."""
        return self._loss_of([self._rows[i] for i in rows])

    def _loss_of(self, rows: Sequence[tuple[list[int], list[int]]]) -> torch.Tensor:
        import torch

        width = max(len(prompt) + len(rest) for prompt, rest in rows)
        n_last = max(len(rest) for _, rest in rows) + 1  # from the token before the summary on
        ids = torch.full((len(rows), width), self._tokenizer.pad_token_id)
        mask = torch.zeros((len(rows), width), dtype=torch.long)
        labels = torch.full((len(rows), width), _IGNORED)
        for number, (prompt, rest) in enumerate(rows):
            row = torch.tensor(prompt + rest)
            ids[number, width - len(row) :] = row
            mask[number, width - len(row) :] = 1
            labels[number, width - len(rest) :] = row[len(prompt) :]
        positions = (mask.cumsum(1) - 1).clamp(min=0)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self._run.half_precision):
            logits = self.model(
                input_ids=ids,
                attention_mask=mask,
                progress_ids=positions,
                use_cache=False,
                logits_to_keep=n_last,
            ).logits
        return torch.nn.functional.cross_entropy(
            logits[:, :-1].float().flatten(0, 1), labels[:, -(n_last - 1) :].flatten(), ignore_index=_IGNORED
        )

    def measures(self) -> Mapping[str, float]:
        """Return the mean loss over the held-out examples."""
        import torch

        rows = sorted(self._held, key=lambda row: len(row[0]) + len(row[1]))
        losses, weights = [], []
        with torch.inference_mode():
            for start in range(0, len(rows), 8):
                part = rows[start : start + 8]
                losses.append(float(self._loss_of(part)))
                weights.append(sum(len(rest) for _, rest in part))
        total = sum(weights)
        value = sum(loss * w for loss, w in zip(losses, weights, strict=True)) / total if total else 0.0
        return {"validation_loss": round(value, 4)}

    def export(self) -> Path:
        """Write the adapter, with how it was trained in its metadata, and return its file."""
        path = self._run.out / "final" / _FILE
        options = {
            k: v for k, v in asdict(self._run).items() if k not in {"base", "dialogues", "out", "resume"}
        }
        notes = {"progress": json.dumps(asdict(self.progress)), "options": json.dumps(options)}
        write_adapter(self.model, path, notes)
        return path


def load_base(folder: Path) -> tuple[Any, Any]:
    """Return the tokenizer and the model of a folder, in single precision.

    Raises:
        ModelUnavailableError: If the folder holds no model.
    """
    from memguard.models.gguf import quiet_transformers
    from memguard.models.offline import force_offline
    from memguard.models.runtime import prepare_torch

    force_offline()
    prepare_torch()
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    with quiet_transformers():
        try:
            tokenizer = AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
            model = AutoModelForCausalLM.from_pretrained(
                str(folder),
                local_files_only=True,
                dtype=torch.float32,
                attn_implementation="eager",  # faster than sdpa in bfloat16 on a CPU
            )
        except (OSError, ValueError, KeyError) as error:
            raise ModelUnavailableError(f"the base model in {folder} cannot be loaded ({error})") from error
    return tokenizer, model


def split_dialogues(
    examples: Sequence[SummaryExample], seed: int
) -> tuple[list[SummaryExample], list[SummaryExample]]:
    """Return examples to train on and examples to validate with; no dialogue is in both."""
    rng = random.Random(f"{seed}:held out")  # noqa: S311  # a seed, not a secret
    groups = sorted({example.group for example in examples})
    rng.shuffle(groups)
    counts = dict.fromkeys(groups, 0)
    for example in examples:
        counts[example.group] += 1
    most = min(HELD_OUT, len(examples) // 10)
    held: set[str] = set()
    n_held = 0
    for group in groups:
        if n_held >= most:
            break
        held.add(group)
        n_held += counts[group]
    return (
        [example for example in examples if example.group not in held],
        [example for example in examples if example.group in held],
    )


def run_summarizer(run: SummarizerRun) -> Path:
    """Train and return the adapter's file, ``final/summarizer.safetensors`` in ``run.out``.

    Raises:
        InvalidParameterError: If ``minutes`` is not above 0 or there is nothing to train on.
        ModelUnavailableError: If the base cannot be loaded.
    """
    if run.minutes is not None and run.minutes <= 0:
        raise InvalidParameterError(f"minutes must be above 0; got {run.minutes}")
    examples = build_summaries(SummaryOptions(run.dialogues, run.seed, run.scale, run.meetings))
    training, held = split_dialogues(examples, run.seed)
    run.out.mkdir(parents=True, exist_ok=True)
    trainer = SummaryTrainer(run, training, held)
    if run.resume and trainer.resume():
        log.info("resumed at step %d", trainer.progress.step)
    trainer.run()
    return trainer.export()
