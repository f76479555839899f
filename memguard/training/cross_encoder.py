"""The cross-encoder that is trained: loaded from its base, adapted, its loss and its optimizer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from memguard.errors import ModelUnavailableError
from memguard.models.low_rank import attach

if TYPE_CHECKING:
    import torch

RANKS = {
    "attn.q": 16,
    "attn.k": 16,
    "attn.v": 16,
    "attn.o": 16,
    "intermediate.dense": 8,
    "output.dense": 8,
}
"""Rank of the pair beside each kind of layer."""
CLASSES = ("entailment", "neutral", "contradiction")
TARGETS = {"entailment": 0, "neutral": 1, "contradiction": 2, "not_entailment": 3}
"""Numbers of a row's labels; the last is no class of its own, see :func:`mixed_loss`."""


def mixed_loss(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Return the mean cross-entropy, where target 3 means "neutral or contradiction, whichever"."""
    import torch

    log_probabilities = torch.log_softmax(logits, -1)
    either = torch.logsumexp(log_probabilities[:, 1:], -1, keepdim=True)
    values = torch.cat([log_probabilities, either], -1)
    return -values.gather(1, targets[:, None]).mean()


def load_base(folder: Path) -> tuple[Any, Any]:
    """Return the tokenizer and the model of a folder, with a fresh head of three classes and no dropout.

    Raises:
        ModelUnavailableError: If the folder holds no model.
    """
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    from memguard.models.gguf import quiet_transformers

    with quiet_transformers():
        try:
            tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
            model = AutoModelForSequenceClassification.from_pretrained(
                folder,
                local_files_only=True,
                num_labels=len(CLASSES),
                id2label=dict(enumerate(CLASSES)),
                label2id={name: i for i, name in enumerate(CLASSES)},
                attn_implementation="eager",  # faster than sdpa in bfloat16 on a CPU
                hidden_dropout_prob=0.0,
                attention_probs_dropout_prob=0.0,
            )
        except (OSError, ValueError, KeyError) as error:
            raise ModelUnavailableError(f"the base model in {folder} cannot be loaded ({error})") from error
    return tokenizer, model.float()


def adapt(model: Any) -> None:
    """Freeze the encoder, put low-rank pairs beside its layers and leave pairs and head to train."""
    attach(model, RANKS)
    for name, parameter in model.named_parameters():
        if name.startswith("classifier"):
            parameter.requires_grad = True


def make_optimizer(model: Any, learning_rate: float, head_learning_rate: float) -> torch.optim.AdamW:
    """Return AdamW over the low-rank pairs, with a rate of its own for the fresh head."""
    import torch

    groups = []
    for is_head, peak in ((False, learning_rate), (True, head_learning_rate)):
        chosen = [
            p
            for n, p in model.named_parameters()
            if p.requires_grad and n.startswith("classifier") == is_head
        ]
        groups.append({"params": chosen, "lr": peak, "peak": peak})
    return torch.optim.AdamW(groups, weight_decay=0.01)
