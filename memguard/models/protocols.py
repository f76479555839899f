"""What MemGuard asks of a model: three structural protocols, so that any duck type works."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]

ItemProgress = Callable[[int, int], None]
"""Called with (items done, items in all) while a model works."""


def no_progress(done: int, total: int) -> None:
    """Ignore progress."""


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def model_id(self) -> str:
        """``name@revision``; goes into the audit and into every cache key."""
        ...

    def embed(self, texts: Sequence[str], *, progress: ItemProgress = no_progress) -> Vectors:
        """Embed texts.

        Returns:
            float32 of shape (n, d) with unit rows, and zero rows for blank text; shape (0, d)
            for no texts.
        """
        ...


@runtime_checkable
class Summarizer(Protocol):
    """Turns role-prefixed lines, in conversation order, into one paragraph."""

    @property
    def model_id(self) -> str:
        """``name@revision``; goes into the audit."""
        ...

    def summarize(
        self, lines: Sequence[str], *, max_tokens: int, progress: ItemProgress = no_progress
    ) -> str:
        """Summarise lines such as ``"User: I moved to Lyon."`` in at most ``max_tokens`` tokens.

        Returns:
            One paragraph; the empty string for no lines.
        """
        ...


@runtime_checkable
class LLMProtocol(Protocol):
    """Anything that continues a prompt (B01)."""

    def generate(self, prompt: str, max_tokens: int = 256) -> str:
        """Return the model's answer to ``prompt``, at most ``max_tokens`` tokens long."""
        ...


@runtime_checkable
class TokenCounter(Protocol):
    """Counts the tokens of a budget."""

    @property
    def name(self) -> str:
        """Which tokenizer counts; goes into the audit."""
        ...

    def count(self, text: str) -> int:
        """Return the number of tokens in ``text``, special tokens of the model's input included."""
        ...
