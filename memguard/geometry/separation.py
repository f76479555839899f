"""The separation map: a low-rank change of the space that drives corrupted claims from evidence.

Trained offline by ``memguard train space`` (:mod:`memguard.training.space`) so that a grounded
claim lies near its evidence and the same claim with a mistake in it lies far; at run time it is two
matrix products. It belongs to the embedder that it was trained on and fits no other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memguard.errors import InvalidParameterError, ModelIntegrityError
from memguard.geometry.similarity import Floats, unit_rows

SHIPPED = Path(__file__).with_name("data") / "separation.safetensors"
"""The map that comes with MemGuard."""


@dataclass(frozen=True, slots=True, eq=False)
class SeparationMap:
    """A map ``x → x + up(downᵀx)``.

    Attributes:
        up: float32 of shape (d, rank).
        down: float32 of shape (d, rank).
        embedder: Name of the embedder that it was trained on, without revision.
    """

    up: NDArray[np.float32]
    down: NDArray[np.float32]
    embedder: str

    def __post_init__(self) -> None:
        """Check that both sides have one shape and finite numbers."""
        if self.up.ndim != 2 or self.up.shape != self.down.shape:
            raise InvalidParameterError(
                f"up and down must be of one shape (d, rank); got {self.up.shape} and {self.down.shape}"
            )
        if not (np.isfinite(self.up).all() and np.isfinite(self.down).all()):
            raise InvalidParameterError("up and down must be finite; got NaN or infinity")

    @property
    def dimension(self) -> int:
        """Length of the vectors that it maps."""
        return int(self.up.shape[0])

    @property
    def rank(self) -> int:
        """How many directions it changes."""
        return int(self.up.shape[1])

    def fits(self, model_id: str) -> bool:
        """Tell whether it was trained on the embedder ``name@revision``, whoever published it."""
        return _bare(model_id) == _bare(self.embedder)

    def __call__(self, vectors: Floats, weight: float) -> Floats:
        """Return ``unit(x + weight · up(downᵀx))`` for each row; zero rows stay zero.

        Args:
            vectors: Unit rows, shape (n, d).
            weight: From 0 (no change at all: ``vectors`` itself comes back) to 1.

        Raises:
            InvalidParameterError: If the vectors have another length than the map.
        """
        if weight == 0.0:
            return vectors
        if vectors.shape[-1] != self.dimension:
            raise InvalidParameterError(
                f"vectors must have {self.dimension} numbers, as the separation map has; "
                f"got {vectors.shape[-1]}"
            )
        return unit_rows(vectors + np.float32(weight) * ((vectors @ self.down) @ self.up.T))


def _bare(model_id: str) -> str:
    return model_id.partition("@")[0].rpartition("/")[2].casefold()


def save_separation(path: Path, separation: SeparationMap, notes: Mapping[str, str]) -> None:
    """Write a map in half precision, with notes on how it was made.

    Raises:
        OSError: If the file cannot be written.
    """
    from safetensors.numpy import save

    tensors = {"up": separation.up.astype(np.float16), "down": separation.down.astype(np.float16)}
    path.write_bytes(save(tensors, metadata={**notes, "embedder": separation.embedder}))


@lru_cache(maxsize=4)
def load_separation(path: Path = SHIPPED) -> SeparationMap:
    """Read a map.

    Raises:
        ModelIntegrityError: If the file is missing or holds no map; names the file.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="np") as file:
            embedder = (file.metadata() or {})["embedder"]
            up, down = (file.get_tensor(name).astype(np.float32) for name in ("up", "down"))
        return SeparationMap(up, down, embedder)
    except (OSError, KeyError, SafetensorError, InvalidParameterError) as error:
        raise ModelIntegrityError(f"{path} holds no separation map: {error}") from error
