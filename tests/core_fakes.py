"""Stand-ins until tests/fakes.py is there."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from zlib import crc32

import numpy as np


class FakeEmbedder:
    """Counts words: the cosine of two texts is ``shared words / sqrt(words × words)``."""

    def __init__(self, model_id="fake/all-mpnet-base-v2@1", table=None, dimension=256):
        self.model_id = model_id
        self.calls = []
        self._table = table or {}
        self.dimension = dimension

    @property
    def texts(self):
        return [text for call in self.calls for text in call]

    def embed(self, texts: Sequence[str], *, progress=lambda done, total: None):
        self.calls.append(list(texts))
        rows = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in zip(rows, texts, strict=True):
            if text in self._table:
                vector = np.asarray(self._table[text], np.float32)
                row[: len(vector)] = vector
            for word in [] if text in self._table else re.findall(r"\w+", text.lower()):
                row[crc32(word.encode()) % self.dimension] += 1
            if row.any():
                row /= np.linalg.norm(row)
        progress(len(texts), len(texts))
        return rows


class FakeSummarizer:
    model_id = "fake/summarizer@1"

    def __init__(self, answer: str | Callable[[Sequence[str]], str] | None = None):
        self.answer = answer
        self.calls = []

    def summarize(self, lines, *, max_tokens, progress=lambda done, total: None):
        self.calls.append((list(lines), max_tokens))
        progress(1, 1)
        if callable(self.answer):
            return self.answer(lines)
        if self.answer is not None:
            return self.answer
        return " ".join(line.split(": ", 1)[1] for line in lines[:5])


class FakeCounter:
    name = "words"

    def count(self, text):
        return len(text.split())
