"""What MemGuard asks of a model: three structural protocols, so that any duck type works."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class TokenVectors:
    """The tokens of one text, special tokens left out, each with where it stands and its vector.

    The arrays are read-only, so that a cache may hand out its own.

    Attributes:
        offsets: int32 of shape (t, 2): half-open code-point offsets into the text, in order. Tokens
            that share a character (the bytes of one emoji) share its offsets.
        vectors: float16 of shape (t, d), unit rows; ``t`` is 0 for blank text.
    """

    offsets: NDArray[np.int32]
    vectors: NDArray[np.float16]

    def __post_init__(self) -> None:
        self.offsets.setflags(write=False)
        self.vectors.setflags(write=False)

    @property
    def nbytes(self) -> int:
        """Bytes of both arrays."""
        return self.offsets.nbytes + self.vectors.nbytes


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
class TokenEmbedder(Embedder, Protocol):
    """An embedder that also gives the vectors of single tokens, which word alignment needs.

    Optional: :func:`memguard.models.duck.token_vectors` asks any embedder and answers None where it
    has none. An embedder that computes both in one pass offers ``embed_with_tokens(texts, *,
    progress)`` too, which returns the pair.
    """

    def embed_tokens(
        self, texts: Sequence[str], *, progress: ItemProgress = no_progress
    ) -> Sequence[TokenVectors]:
        """Embed the tokens of texts, however long: one entry a text, without tokens for blank text."""
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
