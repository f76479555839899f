"""The cross-encoder that is trained: loaded from its base, its loss, its optimizer, its export."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memguard.errors import ModelUnavailableError
from memguard.files import replace_text

if TYPE_CHECKING:
    import torch

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


def make_optimizer(model: Any, learning_rate: float, head_learning_rate: float) -> torch.optim.AdamW:
    """Return AdamW over all but the table of word vectors, with a rate of its own for the fresh head."""
    import torch

    model.get_input_embeddings().weight.requires_grad = False
    trained = [(n, p) for n, p in model.named_parameters() if p.requires_grad]
    groups = []
    for is_head, peak in ((False, learning_rate), (True, head_learning_rate)):
        own = [(n, p) for n, p in trained if ("classifier" in n or "pooler" in n) == is_head]
        for decay in (0.01, 0.0):
            chosen = [p for n, p in own if (p.ndim > 1) == bool(decay)]
            if chosen:
                groups.append({"params": chosen, "lr": peak, "peak": peak, "weight_decay": decay})
    return torch.optim.AdamW(groups, betas=(0.9, 0.98), eps=1e-6, fused=True)


def export_model(model: Any, tokenizer: Any, folder: Path, note: dict[str, Any]) -> Path:
    """Write a model in half precision, with its tokenizer and a note ``training.json``.

    What stood in ``folder`` before is replaced.
    """
    import torch
    from transformers import AutoModelForSequenceClassification

    from memguard.models.gguf import quiet_transformers

    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    with quiet_transformers():
        half = AutoModelForSequenceClassification.from_config(model.config)
        half.load_state_dict(model.state_dict())
        half.to(torch.float16).save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    replace_text(folder / "training.json", json.dumps(note, indent=2) + "\n")
    return folder
