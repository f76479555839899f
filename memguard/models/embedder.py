"""The embedder: sentence-transformers behind one lock, with nothing cut and nothing made up.

Three things that a plain ``encode`` does silently are done openly here: text longer than the
model's window is embedded whole (the normalised mean of its chunks), text that spells a special
token stays text, and blank text gets a zero row instead of a vector of nothing.
"""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memguard.errors import ModelUnavailableError
from memguard.geometry.similarity import unit_rows
from memguard.models.protocols import ItemProgress, TokenVectors, Vectors, no_progress
from memguard.text import is_blank, well_formed

if TYPE_CHECKING:
    import torch

BATCH_SIZE = 32
"""sentence-transformers' own."""
_BATCH_TOKENS = 4_096
"""Padding included. Attention holds the square of a text's length: 32 of the longest would take
hundreds of megabytes, and on a processor they are no faster than ten."""
_TOKENIZE_AT_ONCE = 2_048  # texts; bounds the memory that token lists take


@dataclass(frozen=True, slots=True)
class Embeddable:
    """Which texts can be embedded (EMB-003).

    Attributes:
        texts: The texts that can, numbers as strings, in order.
        indexes: Their indexes in the input.
        skipped: Indexes of None, NaN, blank and zero-width-only texts.
    """

    texts: tuple[str, ...]
    indexes: tuple[int, ...]
    skipped: tuple[int, ...]


def as_text(value: object) -> str:
    """Return ``value`` as a text to embed: None and NaN as "", numbers through ``str``."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return value if isinstance(value, str) else str(value)


def embeddable(values: Sequence[object]) -> Embeddable:
    """Sort values into texts that can be embedded and indexes that are skipped."""
    texts = [as_text(value) for value in values]
    kept = [index for index, text in enumerate(texts) if not is_blank(text)]
    skipped = tuple(sorted(set(range(len(texts))) - set(kept)))
    return Embeddable(tuple(texts[index] for index in kept), tuple(kept), skipped)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A chunk of a text's tokens: whose, and the index of its first token in the text."""

    owner: int
    first: int
    ids: list[int]


class _Work:
    """The texts of one call, tokenised, and the tokens' vectors as they come in, if asked for."""

    def __init__(self, n_texts: int, dimension: int) -> None:
        self.n_texts = n_texts
        self.pieces: list[_Piece] = []
        self.token_vectors: list[NDArray[np.float16]] = []
        self._offsets: list[NDArray[np.int32]] = []
        self._dimension = dimension

    def add_tokens(self, offsets: Sequence[Sequence[tuple[int, int]]]) -> None:
        """Make room for the tokens of further texts."""
        for pairs in offsets:
            self._offsets.append(np.asarray(pairs, dtype=np.int32).reshape(-1, 2))
            self.token_vectors.append(np.zeros((len(pairs), self._dimension), dtype=np.float16))

    def tokens(self) -> list[TokenVectors]:
        """Return the tokens of every text; none at all if they were not asked for."""
        return [TokenVectors(*both) for both in zip(self._offsets, self.token_vectors, strict=True)]


def no_tokens(dimension: int) -> TokenVectors:
    """Return the tokens of blank text."""
    return TokenVectors(np.zeros((0, 2), dtype=np.int32), np.zeros((0, dimension), dtype=np.float16))


class SentenceEmbedder:
    """Embeds with a sentence-transformers model in a local folder; thread-safe.

    Attributes:
        model_id: ``name@revision``.
        dimension: Length of a vector.
        window_tokens: Tokens of one pass, special tokens included.
    """

    def __init__(self, folder: Path, model_id: str, *, batch_size: int = BATCH_SIZE) -> None:
        """Load the model from ``folder``; the network is never touched.

        Raises:
            ModelUnavailableError: If the folder holds no such model; names the command to run.
        """
        from memguard.models.gguf import quiet_transformers
        from memguard.models.offline import force_offline
        from memguard.models.runtime import prepare_torch

        if not (folder / "modules.json").is_file():
            raise ModelUnavailableError(
                f"the embedder {model_id} is not installed in {folder}; run: memguard setup"
            )
        force_offline()
        prepare_torch()
        from sentence_transformers import SentenceTransformer

        with quiet_transformers():
            try:
                self._model = SentenceTransformer(str(folder), local_files_only=True)
            except (OSError, ValueError, KeyError) as error:
                raise ModelUnavailableError(
                    f"the embedder {model_id} in {folder} cannot be loaded ({error}); run: memguard setup"
                ) from error
        self.model_id = model_id
        self._batch_size = batch_size
        self._tokenizer: Any = self._model.tokenizer
        self._lock = threading.Lock()
        self.dimension = int(self._model.get_embedding_dimension() or 0)
        self.window_tokens = int(self._model.max_seq_length or 512)
        special = self._tokenizer("", add_special_tokens=True)["input_ids"]
        half = (len(special) + 1) // 2
        self._prefix, self._suffix = list(special[:half]), list(special[half:])
        self._pad_id = int(self._tokenizer.pad_token_id or 0)

    def embed(self, texts: Sequence[str], *, progress: ItemProgress = no_progress) -> Vectors:
        """Embed texts; see :class:`memguard.models.protocols.Embedder`.

        None and NaN count as blank, numbers as their ``str``. A text longer than the window is
        the normalised mean of its chunks' unit vectors. Equal texts are computed once.
        """
        return self._embed(texts, progress, with_tokens=False)[0]

    def embed_tokens(
        self, texts: Sequence[str], *, progress: ItemProgress = no_progress
    ) -> list[TokenVectors]:
        """Embed the tokens of texts; see :class:`memguard.models.protocols.TokenEmbedder`.

        Offsets point into the text as :func:`as_text` gives it. The tokens of a text longer than the
        window come from all of its chunks.
        """
        return self.embed_with_tokens(texts, progress=progress)[1]

    def embed_with_tokens(
        self, texts: Sequence[str], *, progress: ItemProgress = no_progress
    ) -> tuple[Vectors, list[TokenVectors]]:
        """Return what ``embed`` and ``embed_tokens`` return, from one pass of the model."""
        return self._embed(texts, progress, with_tokens=True)

    def _embed(
        self, texts: Sequence[str], progress: ItemProgress, *, with_tokens: bool
    ) -> tuple[Vectors, list[TokenVectors]]:
        """Return the vectors and, if asked for, the tokens (else an empty list)."""
        values = [as_text(text) for text in texts]
        progress(0, len(values))
        result = np.zeros((len(values), self.dimension), dtype=np.float32)
        copies = Counter(text for text in values if not is_blank(text))
        done = len(values) - copies.total()
        unique = list(copies)
        row_of = {text: row for row, text in enumerate(unique)}
        tokens: list[TokenVectors] = []

        def finished(text_index: int) -> None:
            nonlocal done
            done += copies[unique[text_index]]

        if unique:
            with self._lock:
                work = self._tokenized(unique, with_tokens=with_tokens)
                vectors = self._run(work, finished, lambda: progress(done, len(values)))
            tokens = work.tokens()
            known = [(i, row_of[text]) for i, text in enumerate(values) if text in row_of]
            targets, rows = zip(*known, strict=True)
            result[list(targets)] = vectors[list(rows)]
        progress(len(values), len(values))
        if not with_tokens:
            return result, []
        none = no_tokens(self.dimension)
        return result, [tokens[row_of[text]] if text in row_of else none for text in values]

    def chunk_counts(self, texts: Sequence[str]) -> list[int]:
        """Return in how many chunks each text is embedded: 0 if blank, 1 if it fits the window."""
        values = [as_text(text) for text in texts]
        with self._lock:
            counts = []
            for text in values:
                pieces = [] if is_blank(text) else self._chunks([text])[0]
                counts.append(len(pieces))
        return counts

    def _chunks(self, texts: list[str]) -> list[list[list[int]]]:
        """Tokenise; per text a list of chunks of token ids, none if it has no tokens."""
        return self._cut(self._encode(texts))

    def _encode(self, texts: list[str], *, with_offsets: bool = False) -> Any:
        return self._tokenizer(
            # One character for one: offsets hold in the text as it was given.
            [well_formed(text) for text in texts],
            add_special_tokens=False,
            split_special_tokens=True,
            return_attention_mask=False,
            return_offsets_mapping=with_offsets,
            truncation=False,
            padding=False,
            verbose=False,
        )

    def _cut(self, encoded: Any) -> list[list[list[int]]]:
        room = self.window_tokens - len(self._prefix) - len(self._suffix)
        result = []
        for row, ids in enumerate(encoded["input_ids"]):
            if len(ids) <= room:
                result.append([ids] if ids else [])
            else:
                result.append(_balanced(ids, encoded.word_ids(row), room))
        return result

    def _tokenized(self, texts: list[str], *, with_tokens: bool) -> _Work:
        work = _Work(len(texts), self.dimension)
        for start in range(0, len(texts), _TOKENIZE_AT_ONCE):
            encoded = self._encode(texts[start : start + _TOKENIZE_AT_ONCE], with_offsets=with_tokens)
            for offset, chunks in enumerate(self._cut(encoded)):
                first = 0
                for chunk in chunks:
                    work.pieces.append(_Piece(start + offset, first, chunk))
                    first += len(chunk)
            if with_tokens:
                work.add_tokens(encoded["offset_mapping"])
        return work

    def _run(self, work: _Work, finished: Callable[[int], None], report: Callable[[], None]) -> Vectors:
        """Run the model over all pieces, the longest first; fills the tokens of ``work``."""
        import torch

        sums = np.zeros((work.n_texts, self.dimension), dtype=np.float32)
        left = Counter(piece.owner for piece in work.pieces)
        order = sorted(work.pieces, key=lambda piece: -len(piece.ids))
        for chosen in self._batches(order):
            features = self._features([piece.ids for piece in chosen])
            with torch.inference_mode():
                output = self._model(features)
                vectors = output["sentence_embedding"].float().cpu().numpy()
            vectors = unit_rows(vectors)
            for row, piece in enumerate(chosen):
                sums[piece.owner] += vectors[row]
                left[piece.owner] -= 1
                if not left[piece.owner]:
                    finished(piece.owner)
            if work.token_vectors:
                self._keep_tokens(work, chosen, output)
            report()
        return np.asarray(unit_rows(sums), dtype=np.float32)

    def _batches(self, pieces: Sequence[_Piece]) -> Iterator[Sequence[_Piece]]:
        """Cut pieces, the longest first, into batches that fit the bounds of size and of tokens."""
        start = 0
        while start < len(pieces):
            width = len(pieces[start].ids) + len(self._prefix) + len(self._suffix)
            size = min(self._batch_size, max(1, _BATCH_TOKENS // width))
            yield pieces[start : start + size]
            start += size

    def _keep_tokens(self, work: _Work, chosen: Sequence[_Piece], output: dict[str, Any]) -> None:
        states = output["token_embeddings"].float().cpu().numpy()
        skip = len(self._prefix)
        for row, piece in enumerate(chosen):
            end = piece.first + len(piece.ids)
            units = unit_rows(states[row, skip : skip + len(piece.ids)])
            work.token_vectors[piece.owner][piece.first : end] = units

    def _features(self, pieces: list[list[int]]) -> dict[str, torch.Tensor]:
        import torch

        rows = [self._prefix + piece + self._suffix for piece in pieces]
        width = max(map(len, rows))
        ids = np.full((len(rows), width), self._pad_id, dtype=np.int64)
        mask = np.zeros((len(rows), width), dtype=np.int64)
        for number, row in enumerate(rows):
            ids[number, : len(row)] = row
            mask[number, : len(row)] = 1
        device = self._model.device
        return {
            "input_ids": torch.from_numpy(ids).to(device),
            "attention_mask": torch.from_numpy(mask).to(device),
        }


def _balanced(ids: list[int], words: Sequence[int | None], room: int) -> list[list[int]]:
    """Cut token ids into the fewest chunks of nearly equal length, between words where possible."""
    pieces = []
    start = 0
    while len(ids) - start > room:
        left = len(ids) - start
        end = start + math.ceil(left / math.ceil(left / room))
        cut = end
        while cut > start + 1 and words[cut] is not None and words[cut] == words[cut - 1]:
            cut -= 1
        # A single word longer than half a chunk is cut inside.
        end = cut if cut - start > (end - start) // 2 else end
        pieces.append(ids[start:end])
        start = end
    pieces.append(ids[start:])
    return pieces
