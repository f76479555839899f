"""Training a tiny summarizer: it learns, goes on where it stopped, and its adapter is what runs."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from memguard.errors import InvalidParameterError, ModelIntegrityError, ModelUnavailableError
from memguard.models.constraint import foreign_words
from memguard.models.smollm import SmolSummarizer
from memguard.training.dialogues import Dialogue
from memguard.training.evidence import Turn
from memguard.training.summarizer import (
    SummarizerRun,
    SummaryTrainer,
    run_summarizer,
    split_dialogues,
)
from memguard.training.summary_corpus import (
    SOURCES,
    SummaryExample,
    SummaryOptions,
    build_summaries,
    examples_of,
)

BOOKING = Dialogue(
    "d1",
    (
        Turn("User", "I need a bus to Lyon."),
        Turn("System", "When would you like to leave?"),
        Turn("User", "I am leaving on May 4th at 10:30 am, with 2 tickets."),
        Turn("System", "I have booked 2 tickets to Lyon for $40."),
    ),
    slots=(
        ("Buses_1", "to_location", ("Lyon",)),
        ("Buses_1", "leaving_date", ("May 4th",)),
        ("Buses_1", "leaving_time", ("10:30 am",)),
    ),
)


def rows(n: int = 40) -> list[SummaryExample]:
    words = ("bakery", "bus", "train", "budget")
    return [
        SummaryExample(
            (f"user: we moved the {words[i % 4]} to may",), f"user moved the {words[i % 4]}.", f"g{i}", "toy"
        )
        for i in range(n)
    ]


def run_of(base: Path, out: Path, **values: object) -> SummarizerRun:
    return SummarizerRun(
        base,
        out,
        out,
        learning_rate=2e-2,
        tokens_per_batch=400,
        half_precision=False,
        threads=1,
        **values,
    )


def test_targets_say_only_what_their_window_holds() -> None:
    """No number and no name of a target lacks in its lines, and the speaker is named."""
    found = [
        example for seed in range(12) for example in examples_of(BOOKING, SOURCES[0], random.Random(seed))
    ]
    told = [example for example in found if example.target]
    assert len(told) >= 6
    for example in told:
        assert foreign_words(example.target, "\n".join(example.lines)) == []
        assert any(example.target.startswith(line.split()[0].rstrip(":")) for line in example.lines)
    assert any("Lyon" in example.target for example in told)
    assert any("10:30" in example.target for example in told)


def test_corpus_is_made_anew_by_its_seed(tmp_path: Path) -> None:
    row = {
        "id": "a",
        "messages": [{"speaker": t.speaker, "content": t.content} for t in BOOKING.turns],
        "final_state": {f"{s}.{n}": list(v) for s, n, v in BOOKING.slots},
    }
    lines = [json.dumps({**row, "id": f"d{i}"}) for i in range(6)]
    (tmp_path / "dialog_sgd.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    made = build_summaries(SummaryOptions(tmp_path, seed=3))
    assert made
    assert made == build_summaries(SummaryOptions(tmp_path, seed=3))
    assert {example.source for example in made} == {"dialog_sgd"}
    with pytest.raises(InvalidParameterError, match=r"dialog_sgd\.jsonl\.gz"):
        build_summaries(SummaryOptions(tmp_path / "nowhere"))


def test_no_dialogue_is_trained_on_and_validated_with() -> None:
    examples = [SummaryExample((), "", f"g{i // 3}", "toy") for i in range(90)]
    training, held = split_dialogues(examples, 0)
    assert held
    assert len(training) + len(held) == 90
    assert not {e.group for e in training} & {e.group for e in held}


def test_training_lowers_the_loss_and_the_adapter_runs(llama_folder: Path, tmp_path: Path) -> None:
    trainer = SummaryTrainer(run_of(llama_folder, tmp_path), rows(), rows(8))
    before = trainer.measures()["validation_loss"]
    for _ in range(12):
        for batch in trainer.batches(0):
            trainer._set_rates(0.1)
            trainer._step(batch)
    after = trainer.measures()["validation_loss"]
    assert after < 0.93 * before  # the random table of words, which is frozen, bounds it
    adapter = trainer.export()
    base = SmolSummarizer(llama_folder, "tiny@1", prompts=((),))
    adapted = SmolSummarizer(llama_folder, "tiny@1", adapter=adapter)
    assert adapted.model_id == "tiny@1+summarizer"
    lines = ["user: we moved the bakery to may"]
    assert adapted._decoder.generate([adapted.windows(lines)[0].prompt], adapted._prefixes[0]) != (
        base._decoder.generate([base.windows(lines)[0].prompt], base._prefixes[0])
    )


def test_only_the_summarys_tokens_count(llama_folder: Path, tmp_path: Path) -> None:
    """Padding on the left and longer neighbours change nothing."""
    examples = [rows(1)[0], SummaryExample(tuple(f"user: line {i}" for i in range(6)), "user.", "g", "toy")]
    trainer = SummaryTrainer(run_of(llama_folder, tmp_path), examples, [])
    short, long = trainer._rows
    weights = [len(rest) for _, rest in (short, long)]
    alone = [float(trainer._loss_of([row]).detach()) for row in (short, long)]
    together = float(trainer._loss_of([short, long]).detach())
    mean = sum(w * loss for w, loss in zip(weights, alone, strict=True)) / sum(weights)
    assert together == pytest.approx(mean, abs=1e-4)


def test_a_stopped_run_goes_on(llama_folder: Path, tmp_path: Path) -> None:
    first = SummaryTrainer(run_of(llama_folder, tmp_path), rows(), [])
    first._step(first.batches(0)[0])
    first.progress.step_in_epoch = 1
    first.save()
    second = SummaryTrainer(run_of(llama_folder, tmp_path), rows(), [])
    assert second.resume()
    assert second.progress == first.progress
    second.run()
    assert second.progress.n_rows == 40
    measured = [json.loads(line) for line in (tmp_path / "measures.jsonl").read_text().splitlines()]
    assert measured[-1]["n_rows"] == 40


def test_what_cannot_be_trained_is_named(llama_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidParameterError, match="minutes must be above 0"):
        run_summarizer(run_of(llama_folder, tmp_path, minutes=0))
    with pytest.raises(InvalidParameterError, match="no example is shorter"):
        SummaryTrainer(run_of(llama_folder, tmp_path, max_tokens=3), rows(), [])
    with pytest.raises(ModelUnavailableError, match="cannot be loaded"):
        SummaryTrainer(run_of(tmp_path, tmp_path), rows(), [])
    broken = tmp_path / "summarizer.safetensors"
    layer = "model.layers.0.self_attn.q_proj"
    save_file({f"{layer}.a": torch.zeros(2, 3), f"{layer}.b": torch.zeros(3, 2)}, str(broken))
    with pytest.raises(ModelIntegrityError, match="does not fit"):
        SmolSummarizer(llama_folder, "tiny@1", adapter=broken)
