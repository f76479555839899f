"""Models that one can compute in one's head, and spies over real ones.

:class:`FakeEmbedder` counts words, so that the cosine of two texts without repeated words is
``shared words / sqrt(words of one * words of the other)``: "red car" and "red bus" give 1/2.
Its tokens are the words, each with the vector of its own: two tokens have cosine 1 or 0, or what
the table says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from zlib import crc32

import numpy as np

from memguard.models.duck import gives_tokens, token_vectors
from memguard.models.protocols import (
    Embedder,
    ItemProgress,
    Summarizer,
    TokenVectors,
    Vectors,
    no_progress,
)


class FakeEmbedder:
    """Counts words, or reads vectors from a table; records its calls.

    Attributes:
        model_id: As given.
        dimension: Length of a vector; a word's place is ``crc32(word) % dimension``.
        calls: The texts of each call of ``embed``.
        token_calls: The texts of each call of ``embed_tokens``.
    """

    def __init__(
        self,
        model_id: str = "fake/all-mpnet-base-v2@1",
        table: Mapping[str, Sequence[float]] | None = None,
        dimension: int = 256,
    ) -> None:
        self.model_id = model_id
        self.dimension = dimension
        self.calls: list[list[str]] = []
        self.token_calls: list[list[str]] = []
        self._table = dict(table or {})

    @property
    def texts(self) -> list[str]:
        """All texts of all calls, in order."""
        return [text for call in self.calls for text in call]

    def embed(self, texts: Sequence[str], *, progress: ItemProgress = no_progress) -> Vectors:
        self.calls.append(list(texts))
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, value in zip(rows, texts, strict=True):
            text = "" if value is None else str(value)
            if text in self._table:
                vector = np.asarray(self._table[text], dtype=np.float32)
                row[: len(vector)] = vector
            else:
                for word in re.findall(r"\w+", text.lower()):
                    row[crc32(word.encode("utf-8", "replace")) % self.dimension] += 1
            if row.any():
                row /= np.linalg.norm(row)
        progress(len(texts), len(texts))
        return rows

    def embed_tokens(
        self, texts: Sequence[str], *, progress: ItemProgress = no_progress
    ) -> list[TokenVectors]:
        self.token_calls.append(list(texts))
        found = []
        for value in texts:
            text = "" if value is None else str(value)
            matches = list(re.finditer(r"\w+", text))
            vectors = np.zeros((len(matches), self.dimension), dtype=np.float32)
            for row, match in zip(vectors, matches, strict=True):
                word = match.group().lower()
                if word in self._table:
                    vector = np.asarray(self._table[word], dtype=np.float32)
                    row[: len(vector)] = vector / np.linalg.norm(vector)
                else:
                    row[crc32(word.encode("utf-8", "replace")) % self.dimension] = 1
            offsets = np.array([match.span() for match in matches], dtype=np.int32).reshape(-1, 2)
            found.append(TokenVectors(offsets, vectors.astype(np.float16)))
        progress(len(texts), len(texts))
        return found


class FakeSummarizer:
    """Gives a fixed answer, a computed one, or its first five lines without their speakers."""

    model_id = "fake/summarizer@1"

    def __init__(self, answer: str | Callable[[Sequence[str]], str] | None = None) -> None:
        self.answer = answer
        self.calls: list[tuple[list[str], int]] = []

    def summarize(
        self, lines: Sequence[str], *, max_tokens: int, progress: ItemProgress = no_progress
    ) -> str:
        self.calls.append((list(lines), max_tokens))
        progress(1, 1)
        if callable(self.answer):
            return self.answer(lines)
        if self.answer is not None:
            return self.answer
        return " ".join(line.split(": ", 1)[-1] for line in lines[:5])


class FakeLLM:
    """Answers from a list, the last answer for ever; records prompts. An exception is raised."""

    def __init__(self, *answers: str | Exception) -> None:
        self._answers = list(answers or ("A summary.",))
        self.prompts: list[str] = []
        self.max_tokens: list[int] = []

    def generate(self, prompt: str, max_tokens: int = 256) -> str:
        self.prompts.append(prompt)
        self.max_tokens.append(max_tokens)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


class FakeCounter:
    """Counts words."""

    name = "words"

    def count(self, text: str) -> int:
        return len(text.split())

    def count_many(self, texts: Sequence[str]) -> list[int]:
        return [self.count(text) for text in texts]


class SpyEmbedder:
    """Records what reaches the embedder behind it."""

    def __init__(self, inner: Embedder) -> None:
        self.inner = inner
        self.calls: list[list[str]] = []
        self.token_calls: list[list[str]] = []

    @property
    def model_id(self) -> str:
        return self.inner.model_id

    @property
    def texts(self) -> list[str]:
        return [text for call in self.calls for text in call]

    def embed(self, texts: Sequence[str], *, progress: ItemProgress = no_progress) -> Vectors:
        self.calls.append(list(texts))
        return self.inner.embed(texts, progress=progress)

    @property
    def gives_tokens(self) -> bool:
        return gives_tokens(self.inner)

    def embed_tokens(
        self, texts: Sequence[str], *, progress: ItemProgress = no_progress
    ) -> Sequence[TokenVectors]:
        self.token_calls.append(list(texts))
        return token_vectors(self.inner, texts, progress=progress) or []


class SpySummarizer:
    """Records what reaches the summarizer behind it."""

    def __init__(self, inner: Summarizer) -> None:
        self.inner = inner
        self.calls: list[tuple[list[str], int]] = []

    @property
    def model_id(self) -> str:
        return self.inner.model_id

    def summarize(
        self, lines: Sequence[str], *, max_tokens: int, progress: ItemProgress = no_progress
    ) -> str:
        self.calls.append((list(lines), max_tokens))
        return self.inner.summarize(lines, max_tokens=max_tokens, progress=progress)


class FakeEntailment:
    """P(entailment) is 0.9 where every word of the hypothesis stands in the premise, else 0.1; records pairs.

    A hypothesis that holds "unreadable" gets a row of NaN, one that holds "wrong" is contradicted.
    """

    model_id = "fake/entailment@1"

    def __init__(self) -> None:
        self.pairs: list[tuple[str, str]] = []

    def score(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Vectors:
        self.pairs += zip(premises, hypotheses, strict=True)
        rows = [self._row(*pair) for pair in zip(premises, hypotheses, strict=True)]
        return np.asarray(rows, dtype=np.float32).reshape(-1, 3)

    @staticmethod
    def _row(premise: str, hypothesis: str) -> list[float]:
        if "unreadable" in hypothesis:
            return [np.nan] * 3
        if "wrong" in hypothesis:
            return [0.05, 0.05, 0.9]
        said, held = (set(re.findall(r"\w+", text.lower())) for text in (hypothesis, premise))
        return [0.9, 0.08, 0.02] if said <= held else [0.1, 0.8, 0.1]
