"""Training a tiny model: it learns, and a run that was stopped goes on where it stopped."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from memguard.errors import InvalidParameterError, ModelIntegrityError, ModelUnavailableError
from memguard.grounding.adapted import AdaptedEntailment
from memguard.training.cross_encoder import CLASSES, mixed_loss
from memguard.training.entailment import EntailmentTrainer, TrainOptions, train
from memguard.training.pairs import Pair
from tests.models.test_entailment import save_bert

WORDS = ("train", "bus", "budget", "bakery", "lane", "decision")


def toy_pairs(n: int = 240) -> list[Pair]:
    """Return pairs that are entailed where premise and hypothesis name the same thing."""
    rng = np.random.default_rng(0)
    pairs = []
    for number in range(n):
        word, other = rng.choice(WORDS, 2, replace=False)
        good = bool(number % 2)
        label = "entailment" if good else "not_entailment"
        pairs.append(
            Pair(
                f"the {word} moves",
                f"the {word} moved" if good else f"the {other} cancelled",
                label,
                "toy",
                word,
            )
        )
    return pairs


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_bert(tmp_path_factory.mktemp("base"), list(CLASSES))


def options(base: Path, out: Path) -> TrainOptions:
    return TrainOptions(
        base=base,
        out=out,
        epochs=3,
        learning_rate=5e-3,
        tokens_per_batch=192,
        half_precision=False,
        threads=1,
    )


def test_training_makes_the_loss_fall_and_exports_a_model(base: Path, tmp_path: Path):
    pairs = toy_pairs()
    result = train(pairs, replace(options(base, tmp_path), epochs=12))
    assert result.losses[-1] < 0.5 * result.losses[0]
    assert result.n_pairs == 12 * len(pairs)
    scorer = AdaptedEntailment(base, result.adapter)
    scores = scorer.score([p.premise for p in pairs], [p.hypothesis for p in pairs])
    truth = np.asarray([pair.label == "entailment" for pair in pairs])
    assert ((scores[:, 0] > 0.5) == truth).mean() > 0.9
    assert result.adapter.stat().st_size < 0.7 * (base / "model.safetensors").stat().st_size
    assert scorer.model_id.startswith("memguard-entailment@")


def test_training_that_was_stopped_ends_as_one_that_was_not(base: Path, tmp_path: Path):
    pairs = toy_pairs()
    whole = EntailmentTrainer(pairs, options(base, tmp_path / "whole"))
    whole.train()
    first = EntailmentTrainer(pairs, options(base, tmp_path / "parts"))
    stop_after = 7

    class StoppedError(Exception):
        pass

    step = first._step

    def step_or_stop(batch: list[int]) -> float:
        if first.progress.step == stop_after:
            first.save()
            raise StoppedError
        return step(batch)

    first._step = step_or_stop  # type: ignore[method-assign]
    with pytest.raises(StoppedError):
        first.train()
    second = EntailmentTrainer(pairs, options(base, tmp_path / "parts"))
    assert second.resume()
    assert second.progress.step == stop_after
    second.train()
    assert second.progress.n_rows == whole.progress.n_rows
    for name, value in whole.model.state_dict().items():
        assert np.allclose(value.numpy(), second.model.state_dict()[name].numpy(), atol=1e-5), name


def test_training_freezes_the_encoder(base: Path, tmp_path: Path):
    trainer = EntailmentTrainer(toy_pairs(), options(base, tmp_path))
    frozen = {n: p.detach().clone() for n, p in trainer.model.named_parameters() if not p.requires_grad}
    trainer.train()
    after = dict(trainer.model.named_parameters())
    assert any("embeddings" in name for name in frozen)
    assert all(bool((after[name] == value).all()) for name, value in frozen.items())


def test_a_merged_adapter_scores_as_the_model_that_was_trained(base: Path, tmp_path: Path):
    pairs = toy_pairs(60)
    trainer = EntailmentTrainer(pairs, options(base, tmp_path))
    trainer.train()
    trainer.model.eval()
    premises, hypotheses = [p.premise for p in pairs], [p.hypothesis for p in pairs]
    merged = AdaptedEntailment(base, tmp_path / "final" / "entailment.safetensors")
    merged._half_precision = False
    assert np.abs(merged.score(premises, hypotheses) - trainer.score(premises, hypotheses)).max() < 0.02


def test_an_adapter_of_another_model_is_refused(base: Path, tmp_path: Path):
    trainer = EntailmentTrainer(toy_pairs(4), options(base, tmp_path))
    adapter = trainer.export(tmp_path)
    other = save_bert(tmp_path / "other", list(CLASSES), hidden_size=48)
    with pytest.raises(ModelIntegrityError, match="does not fit"):
        AdaptedEntailment(other, adapter)
    with pytest.raises(ModelUnavailableError, match="train entailment"):
        AdaptedEntailment(base, tmp_path / "nothing.safetensors")


def test_training_reports_after_checkpoints_and_at_the_end(base: Path, tmp_path: Path):
    chosen = replace(options(base, tmp_path), epochs=1, checkpoint_minutes=0.0)
    train(
        toy_pairs(40),
        chosen,
        report=lambda trainer: {"auc": float(trainer.score(["the bus"], ["the bus"])[0, 0])},
    )
    lines = (tmp_path / "measures.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) >= 2
    assert {"step", "n_rows", "minutes", "auc"} <= set(json.loads(lines[-1]))


def test_training_ends_by_its_clock(base: Path, tmp_path: Path):
    seconds = iter(range(1_000))
    result = train(toy_pairs(20), replace(options(base, tmp_path), minutes=0.2), clock=lambda: next(seconds))
    assert result.steps == 12


def test_batches_hold_every_pair_once_within_the_tokens(base: Path, tmp_path: Path):
    trainer = EntailmentTrainer(toy_pairs(), options(base, tmp_path))
    first, second = trainer.batches(0), trainer.batches(1)
    assert sorted(index for batch in first for index in batch) == list(range(240))
    assert first != second
    assert first == trainer.batches(0)
    assert all(len(batch) * max(trainer._lengths[i] for i in batch) <= 192 for batch in first)


def test_mixed_loss_of_not_entailment_is_for_either_of_the_two():
    import torch

    logits = torch.log(torch.tensor([[0.2, 0.5, 0.3]]))
    losses = [float(mixed_loss(logits, torch.tensor([target]))) for target in range(4)]
    assert np.exp(-np.asarray(losses)).tolist() == pytest.approx([0.2, 0.5, 0.3, 0.8])


def test_training_needs_pairs_and_a_base(base: Path, tmp_path: Path):
    with pytest.raises(InvalidParameterError, match="pairs"):
        train([], options(base, tmp_path))
    with pytest.raises(ModelUnavailableError, match="nowhere"):
        train(toy_pairs(2), options(tmp_path / "nowhere", tmp_path))
