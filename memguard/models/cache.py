"""A cache in front of an embedder: a text is computed once, whatever asks for it.

Token vectors, ten times larger than a text's own vector, are kept only where they were asked for;
one pass of the model then gives both.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from memguard.errors import InvalidParameterError
from memguard.models.duck import embed_with_tokens, gives_tokens
from memguard.models.embedder import as_text
from memguard.models.protocols import Embedder, ItemProgress, TokenVectors, Vectors, no_progress

_Entry = tuple[Vectors, TokenVectors | None]

MAX_BYTES = 256 * 1024 * 1024
"""Room for about 80,000 vectors of 768 numbers, or for the tokens of 8,000 sentences."""
_KEY_BYTES = 16
_OVERHEAD_BYTES = 200  # key, array header and dictionary entry of one vector, about
_TOKEN_OVERHEAD_BYTES = 500  # the same of two arrays and the object that holds them
_TOKENS = b"tokens"


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
        self._kept: OrderedDict[bytes, Vectors | TokenVectors] = OrderedDict()
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
        return self._answer(texts, progress, with_tokens=False)[0]

    @property
    def gives_tokens(self) -> bool:
        """Whether the inner embedder gives token vectors."""
        return gives_tokens(self.inner)

    def embed_tokens(
        self, texts: Sequence[str], *, progress: ItemProgress = no_progress
    ) -> list[TokenVectors]:
        """Embed the tokens of texts, computing only those that are not known.

        Raises:
            InvalidParameterError: The inner embedder gives none; see ``gives_tokens``.
        """
        return self.embed_with_tokens(texts, progress=progress)[1]

    def embed_with_tokens(
        self, texts: Sequence[str], *, progress: ItemProgress = no_progress
    ) -> tuple[Vectors, list[TokenVectors]]:
        """Return what ``embed`` and ``embed_tokens`` return, from one pass where the model can.

        Raises:
            InvalidParameterError: The inner embedder gives no token vectors.
        """
        if not self.gives_tokens:
            raise InvalidParameterError(f"embedder must have a method embed_tokens; got {self.model_id}")
        return self._answer(texts, progress, with_tokens=True)

    def _answer(
        self, texts: Sequence[str], progress: ItemProgress, *, with_tokens: bool
    ) -> tuple[Vectors, list[TokenVectors]]:
        """Return the vectors and, if asked for, the tokens (else an empty list)."""
        values = [as_text(text) for text in texts]
        progress(0, len(values))
        keys = [self._key(value) for value in values]
        found = self._look_up(keys, with_tokens)
        n_known = len(keys)
        if any(key not in found for key in keys) or not keys:
            with self._computing:
                found.update(self._look_up([key for key in keys if key not in found], with_tokens))
                unknown = {k: v for k, v in zip(keys, values, strict=True) if k not in found}
                n_known = len(keys) - len(unknown)
                if unknown or self._dimension is None:

                    def shifted(done: int, _: int) -> None:
                        progress(min(n_known + done, len(keys)), len(keys))

                    found.update(self._compute(unknown, shifted, with_tokens))
        with self._lock:
            self.misses += len(keys) - n_known
        result = np.empty((len(keys), self._dimension or 0), dtype=np.float32)
        tokens: list[TokenVectors] = []
        for row, key in enumerate(keys):
            vector, its_tokens = found[key]
            result[row] = vector
            if its_tokens is not None:
                tokens.append(its_tokens)
        progress(len(keys), len(keys))
        return result, tokens

    def chunk_counts(self, texts: Sequence[str]) -> list[int]:
        """Return the inner embedder's chunk counts, or 1 for every text if it has none."""
        inner = getattr(self.inner, "chunk_counts", None)
        return list(inner(texts)) if inner is not None else [1] * len(texts)

    def _key(self, text: str) -> bytes:
        digest = hashlib.blake2b(digest_size=_KEY_BYTES)
        digest.update(self.inner.model_id.encode("utf-8", "surrogatepass") + b"\0")
        digest.update(text.encode("utf-8", "surrogatepass"))
        return digest.digest()

    def _look_up(self, keys: Sequence[bytes], with_tokens: bool) -> dict[bytes, _Entry]:
        """Return the entries of the keys of which everything that is asked for is known."""
        found: dict[bytes, _Entry] = {}
        with self._lock:
            for key in keys:
                row, tokens = self._kept.get(key), self._kept.get(key + _TOKENS) if with_tokens else None
                if isinstance(row, np.ndarray) and (tokens is not None or not with_tokens):
                    # The row last: it costs a tenth of its tokens, so it may stay the longer.
                    if isinstance(tokens, TokenVectors):
                        self._kept.move_to_end(key + _TOKENS)
                        found[key] = row, tokens
                    else:
                        found[key] = row, None
                    self._kept.move_to_end(key)
        return found

    def _compute(
        self, unknown: dict[bytes, str], progress: ItemProgress, with_tokens: bool
    ) -> dict[bytes, _Entry]:
        texts = list(unknown.values())
        if with_tokens:
            vectors, tokens = self._both(unknown, progress)
            computed: dict[bytes, _Entry] = dict(zip(unknown, zip(vectors, tokens, strict=True), strict=True))
        else:
            vectors = self.inner.embed(texts, progress=progress)
            computed = {key: (row, None) for key, row in zip(unknown, vectors, strict=True)}
        self._dimension = int(vectors.shape[1])
        with self._lock:
            for key, (_, its_tokens) in computed.items():
                if its_tokens is not None:
                    self._keep(key + _TOKENS, its_tokens)
            for key, (row, _) in computed.items():
                # A row of its own: a view would keep the whole batch alive.
                self._keep(key, row.copy())
            while self._n_bytes > self._max_bytes and self._kept:
                self._n_bytes -= _cost(self._kept.popitem(last=False)[1])
        return computed

    def _both(
        self, unknown: dict[bytes, str], progress: ItemProgress
    ) -> tuple[Vectors, Sequence[TokenVectors]]:
        """Return vectors and tokens; where these take a pass each, no known vector is computed again."""
        texts = list(unknown.values())
        known = self._look_up(list(unknown), with_tokens=False)
        if not known or callable(getattr(self.inner, "embed_with_tokens", None)):
            return embed_with_tokens(self.inner, texts, progress=progress)
        missing = [text for key, text in unknown.items() if key not in known]
        fresh = iter(self.inner.embed(missing, progress=progress) if missing else ())
        vectors = np.stack([known[key][0] if key in known else next(fresh) for key in unknown])
        return vectors, self.inner.embed_tokens(texts)  # type: ignore[attr-defined]

    def _keep(self, key: bytes, value: Vectors | TokenVectors) -> None:
        old = self._kept.pop(key, None)
        self._n_bytes += _cost(value) - (0 if old is None else _cost(old))
        self._kept[key] = value


def _cost(value: Vectors | TokenVectors) -> int:
    overhead = _TOKEN_OVERHEAD_BYTES if isinstance(value, TokenVectors) else _OVERHEAD_BYTES
    return value.nbytes + overhead
