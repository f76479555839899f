"""Low-rank adapters (Hu et al. 2021): a few million numbers that turn one model into another.

``W + scale·B·A``: while training, ``A`` and ``B`` stand beside the frozen ``W``; afterwards they are
added into it once, so that the adapted model costs what its base costs.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memguard.errors import ModelIntegrityError

if TYPE_CHECKING:
    import torch

SCALE = 2.0
"""What ``B·A`` is multiplied by."""


def attach(model: Any, ranks: Mapping[str, int]) -> list[torch.nn.Parameter]:
    """Freeze a model and put a trainable low-rank pair beside every linear layer that ``ranks`` names.

    Args:
        model: A torch module; changed in place.
        ranks: Rank by the last two parts of a layer's name, such as ``attn.q``.

    Returns:
        The new parameters. ``B`` starts at zero, so the model starts as it was.
    """
    import torch

    class LowRank(torch.nn.Module):
        def __init__(self, linear: torch.nn.Linear, rank: int) -> None:
            super().__init__()
            self.base = linear
            self.a = torch.nn.Parameter(torch.randn(rank, linear.in_features) / linear.in_features**0.5)
            self.b = torch.nn.Parameter(torch.zeros(linear.out_features, rank))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.base(x) + (x @ self.a.T) @ self.b.T * SCALE  # type: ignore[no-any-return]

    for parameter in model.parameters():
        parameter.requires_grad = False
    targets = [
        (name, module, rank)
        for name, module in model.named_modules()
        for ending, rank in ranks.items()
        if isinstance(module, torch.nn.Linear) and name.endswith(f".{ending}")
    ]
    added = []
    for name, linear, rank in targets:
        parent, _, last = name.rpartition(".")
        pair = LowRank(linear, rank)
        setattr(model.get_submodule(parent), last, pair)
        added += [pair.a, pair.b]
    return added


def write_adapter(model: Any, path: Path, notes: Mapping[str, str]) -> None:
    """Write what was trained of a model with attached pairs: pairs and head, in half precision."""
    import torch
    from safetensors.torch import save_file

    state = {
        name: parameter.detach().to(torch.float16).contiguous()
        for name, parameter in model.named_parameters()
        if parameter.requires_grad
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(state, str(path), metadata=dict(notes))


def merge_adapter(model: Any, path: Path) -> None:
    """Add an adapter into the weights of its base, and set its head.

    Args:
        model: The base with a head of the adapter's shape; changed in place.
        path: What :func:`write_adapter` wrote.

    Raises:
        ModelIntegrityError: The adapter does not fit this model.
    """
    import torch
    from safetensors.torch import load_file

    state = load_file(str(path))
    own = dict(model.named_parameters())
    with torch.no_grad():
        for name, value in state.items():
            layer, _, part = name.rpartition(".")
            if part == "b" and f"{layer}.a" in state:
                weight = own.get(f"{layer}.weight")
                delta = value.float() @ state[f"{layer}.a"].float() * SCALE
                if weight is None or weight.shape != delta.shape:
                    raise ModelIntegrityError(f"{path.name} does not fit this model: {layer}")
                weight.add_(delta.to(weight.dtype))
            elif part != "a":
                if name not in own or own[name].shape != value.shape:
                    raise ModelIntegrityError(f"{path.name} does not fit this model: {name}")
                own[name].copy_(value)
