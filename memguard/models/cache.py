"""A cache in front of an embedder: a text is computed once, whatever asks for it."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from memguard.errors import InvalidParameterError
from memguard.models.embedder import as_text
from memguard.models.protocols import Embedder, ItemProgress, Vectors, no_progress

MAX_BYTES = 256 * 1024 * 1024
"""Room for about 80,000 vectors of 768 numbers."""
_KEY_BYTES = 16
_OVERHEAD_BYTES = 200  # key, array header and dictionary entry of one vector, about


class CachedEmbedder:
    """Remembers vectors by model and text, least recently used out first; thread-safe.

    Threads that ask for known texts never wait for a computation; a text that several ask for at
    once is computed once.

    Attributes:
        inner: The embedder that computes.
        misses: Texts that had to be computed.
    """

    def __init__(self, inner: Embedder, max_bytes: int = MAX_BYTES) -> None:
        """Wrap ``inner``; ``max_bytes`` bounds the vectors kept, bookkeeping included.

        Raises:
            InvalidParameterError: If ``max_bytes`` is negative.
        """
        if max_bytes < 0:
            raise InvalidParameterError(f"max_bytes must be 0 or more; got {max_bytes}")
        self.inner = inner
        self.misses = 0
        self._max_bytes = max_bytes
        self._n_bytes = 0
        self._rows: OrderedDict[bytes, Vectors] = OrderedDict()
        self._lock = threading.Lock()
        self._computing = threading.Lock()
        self._dimension: int | None = None

    @property
    def model_id(self) -> str:
        """The inner embedder's."""
        return self.inner.model_id

    def embed(self, texts: Sequence[str], *, progress: ItemProgress = no_progress) -> Vectors:
        """Embed texts, computing only those that are not known.

        Returns:
            A new array, float32 of shape (n, d): unit rows, zero rows for blank text.
        """
        values = [as_text(text) for text in texts]
        progress(0, len(values))
        keys = [self._key(value) for value in values]
        found = self._look_up(keys)
        n_known = len(keys)
        if any(key not in found for key in keys) or not keys:
            with self._computing:
                found.update(self._look_up([key for key in keys if key not in found]))
                unknown = {k: v for k, v in zip(keys, values, strict=True) if k not in found}
                n_known = len(keys) - len(unknown)
                if unknown or self._dimension is None:
                    found.update(self._compute(unknown, n_known, len(keys), progress))
        with self._lock:
            self.misses += len(keys) - n_known
        result = np.empty((len(keys), self._dimension or 0), dtype=np.float32)
        for row, key in enumerate(keys):
            result[row] = found[key]
        progress(len(keys), len(keys))
        return result

    def chunk_counts(self, texts: Sequence[str]) -> list[int]:
        """Return the inner embedder's chunk counts, or 1 for every text if it has none."""
        inner = getattr(self.inner, "chunk_counts", None)
        return list(inner(texts)) if inner is not None else [1] * len(texts)

    def _key(self, text: str) -> bytes:
        digest = hashlib.blake2b(digest_size=_KEY_BYTES)
        digest.update(self.inner.model_id.encode("utf-8", "surrogatepass") + b"\0")
        digest.update(text.encode("utf-8", "surrogatepass"))
        return digest.digest()

    def _look_up(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        found = {}
        with self._lock:
            for key in keys:
                row = self._rows.get(key)
                if row is not None:
                    self._rows.move_to_end(key)
                    found[key] = row
        return found

    def _compute(
        self, unknown: dict[bytes, str], n_known: int, total: int, progress: ItemProgress
    ) -> dict[bytes, Vectors]:
        def shifted(done: int, _: int) -> None:
            progress(min(n_known + done, total), total)

        vectors = self.inner.embed(list(unknown.values()), progress=shifted)
        self._dimension = int(vectors.shape[1])
        computed = dict(zip(unknown, vectors, strict=True))
        with self._lock:
            for key, row in computed.items():
                if key not in self._rows:
                    # A row of its own: a view would keep the whole batch alive.
                    self._rows[key] = row.copy()
                    self._n_bytes += row.nbytes + _OVERHEAD_BYTES
            while self._n_bytes > self._max_bytes and self._rows:
                _, old = self._rows.popitem(last=False)
                self._n_bytes -= old.nbytes + _OVERHEAD_BYTES
        return computed
