"""The embedder: sentence-transformers behind one lock, with nothing cut and nothing made up.

Three things that a plain ``encode`` does silently are done openly here: text longer than the
model's window is embedded whole (the normalised mean of its chunks), text that spells a special
token stays text, and blank text gets a zero row instead of a vector of nothing.
"""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from memguard.errors import ModelUnavailableError
from memguard.geometry.similarity import unit_rows
from memguard.models.protocols import ItemProgress, Vectors, no_progress
from memguard.text import is_blank, well_formed

if TYPE_CHECKING:
    import torch

BATCH_SIZE = 32
"""sentence-transformers' own."""
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
        values = [as_text(text) for text in texts]
        progress(0, len(values))
        result = np.zeros((len(values), self.dimension), dtype=np.float32)
        copies = Counter(text for text in values if not is_blank(text))
        done = len(values) - copies.total()
        unique = list(copies)

        def finished(text_index: int) -> None:
            nonlocal done
            done += copies[unique[text_index]]

        if unique:
            with self._lock:
                vectors = self._embed_unique(unique, finished, lambda: progress(done, len(values)))
            row_of = {text: row for row, text in enumerate(unique)}
            known = [(i, row_of[text]) for i, text in enumerate(values) if text in row_of]
            targets, rows = zip(*known, strict=True)
            result[list(targets)] = vectors[list(rows)]
        progress(len(values), len(values))
        return result

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
        encoded = self._tokenizer(
            [well_formed(text) for text in texts],
            add_special_tokens=False,
            split_special_tokens=True,
            return_attention_mask=False,
            truncation=False,
            padding=False,
            verbose=False,
        )
        room = self.window_tokens - len(self._prefix) - len(self._suffix)
        result = []
        for row, ids in enumerate(encoded["input_ids"]):
            if len(ids) <= room:
                result.append([ids] if ids else [])
            else:
                result.append(_balanced(ids, encoded.word_ids(row), room))
        return result

    def _embed_unique(
        self, texts: list[str], finished: Callable[[int], None], report: Callable[[], None]
    ) -> Vectors:
        import torch

        owners: list[int] = []
        pieces: list[list[int]] = []
        for start in range(0, len(texts), _TOKENIZE_AT_ONCE):
            batch = self._chunks(texts[start : start + _TOKENIZE_AT_ONCE])
            for offset, chunks in enumerate(batch):
                owners.extend([start + offset] * len(chunks))
                pieces.extend(chunks)
        sums = np.zeros((len(texts), self.dimension), dtype=np.float32)
        left = Counter(owners)
        order = sorted(range(len(pieces)), key=lambda index: -len(pieces[index]))
        for start in range(0, len(order), self._batch_size):
            chosen = order[start : start + self._batch_size]
            features = self._features([pieces[index] for index in chosen])
            with torch.inference_mode():
                vectors = self._model(features)["sentence_embedding"].float().cpu().numpy()
            vectors = unit_rows(vectors)
            for row, index in enumerate(chosen):
                owner = owners[index]
                sums[owner] += vectors[row]
                left[owner] -= 1
                if not left[owner]:
                    finished(owner)
            report()
        return np.asarray(unit_rows(sums), dtype=np.float32)

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
