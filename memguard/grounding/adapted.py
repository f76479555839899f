"""Our own entailment model: the sentence encoder with a low-rank adapter and a head of three classes.

The adapter is trained by ``memguard train entailment``; none ships yet, since none beat the floors by
enough (docs/grounding.md). The encoder's weights are those that embed. It reads evidence and claim
together, so it costs a pass of its own a claim.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memguard.errors import ModelUnavailableError
from memguard.grounding.entailment import CrossEncoderEntailment
from memguard.models.home import sha256_of

CLASSES = ("entailment", "neutral", "contradiction")


class AdaptedEntailment(CrossEncoderEntailment):
    """The installed sentence encoder, turned into an entailment model by an adapter; thread-safe.

    Computed in bfloat16 where the processor has it, as it was trained, else in float32; the two
    differ in the third decimal.
    """

    def __init__(self, encoder: Path, adapter: Path) -> None:
        """Load the encoder from its folder and add the adapter into it.

        Raises:
            ModelUnavailableError: One of the two is not there.
            ModelIntegrityError: They do not fit each other.
        """
        if not adapter.is_file():
            raise ModelUnavailableError(
                f"there is no adapter {adapter}; train one: memguard train entailment"
            )
        self._adapter = adapter
        name = f"memguard-entailment@{sha256_of(adapter)[:12]}"
        super().__init__(encoder, model_id=name, label_order=CLASSES)
        self._half_precision = _has_bfloat16()

    def _load(self, source: str | Path, local_files_only: bool) -> tuple[Any, Any, Any]:
        from memguard.models.gguf import quiet_transformers
        from memguard.models.low_rank import merge_adapter
        from memguard.models.offline import force_offline
        from memguard.models.runtime import prepare_torch

        force_offline()
        prepare_torch()
        import torch
        from transformers import AutoConfig, AutoModelForSequenceClassification, AutoTokenizer

        with quiet_transformers():
            try:
                config = AutoConfig.from_pretrained(source, local_files_only=local_files_only)
                config.num_labels = len(CLASSES)
                tokenizer = AutoTokenizer.from_pretrained(source, local_files_only=local_files_only)
                # Its own head is fresh; the adapter brings one.
                model = AutoModelForSequenceClassification.from_pretrained(
                    source,
                    config=config,
                    local_files_only=local_files_only,
                    dtype=torch.float32,
                    attn_implementation="eager",  # faster than sdpa in bfloat16 on a CPU
                )
            except (OSError, ValueError, KeyError) as error:
                raise ModelUnavailableError(
                    f"the sentence encoder in {source} cannot be loaded ({error}); run: memguard setup"
                ) from error
        merge_adapter(model, self._adapter)
        return config, tokenizer, (model.to(torch.bfloat16) if _has_bfloat16() else model).eval()


def _has_bfloat16() -> bool:
    """Return whether this processor multiplies bfloat16 in hardware."""
    import torch

    return bool(torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())
