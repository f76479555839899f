"""BART (``facebook/bart-large-cnn``), the reference summarizer.

transformers 5 has no summarization pipeline any more; its text-generation pipeline would load a
decoder without the encoder and answer garbage (F9). So: AutoTokenizer and AutoModelForSeq2SeqLM.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memguard.errors import ModelUnavailableError
from memguard.models.protocols import ItemProgress, TokenCounter, no_progress
from memguard.models.text import fit_tokens, tidy_summary
from memguard.models.tokens import BartTokenCounter
from memguard.text import well_formed

# As bart-large-cnn was published with. Its longest summary, 142, is left to the caller's budget.
NUM_BEAMS = 4
MIN_LENGTH = 56
_FLOOR = 8  # tokens; below that beam search has no room for a word between the special tokens


class BartSummarizer:
    """Summarises with a BART in a local folder; long input in chunks; thread-safe.

    Attributes:
        model_id: ``name@revision``.
        max_input_tokens: The model's positions; longer input goes in chunks.
    """

    def __init__(self, folder: Path, model_id: str, *, counter: TokenCounter | None = None) -> None:
        """Load the model from ``folder``; the network is never touched.

        Raises:
            ModelUnavailableError: If the folder holds no such model; names the command to run.
        """
        from memguard.models.gguf import quiet_transformers
        from memguard.models.offline import force_offline
        from memguard.models.runtime import prepare_torch

        if not (folder / "config.json").is_file():
            raise ModelUnavailableError(
                f"the summarizer {model_id} is not installed in {folder}; run: memguard setup --source hub"
            )
        force_offline()
        prepare_torch()
        from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

        with quiet_transformers():
            try:
                self._tokenizer: Any = AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
                self._model: Any = AutoModelForSeq2SeqLM.from_pretrained(
                    str(folder), local_files_only=True
                ).eval()
            except (OSError, ValueError, KeyError) as error:
                raise ModelUnavailableError(
                    f"the summarizer {model_id} in {folder} cannot be loaded ({error}); "
                    "run: memguard setup --source hub"
                ) from error
        self.model_id = model_id
        self._counter = counter or BartTokenCounter()
        self._lock = threading.Lock()
        self.max_input_tokens = int(self._model.config.max_position_embeddings)

    def summarize(
        self, lines: Sequence[str], *, max_tokens: int, progress: ItemProgress = no_progress
    ) -> str:
        """Summarise ``lines`` chunk by chunk; the chunks' summaries joined, within ``max_tokens``.

        Every chunk has an equal share of ``max_tokens``; ``progress`` counts chunks.
        """
        with self._lock:
            chunks = self.chunks(lines)
            progress(0, len(chunks))
            pieces = []
            for number, chunk in enumerate(chunks, start=1):
                room = max(max_tokens // len(chunks), _FLOOR)
                pieces.append(self._generate(chunk, room))
                progress(number, len(chunks))
        summary = " ".join(piece for piece in pieces if piece)
        return fit_tokens(summary, max_tokens, self._counter)

    def chunks(self, lines: Sequence[str]) -> list[str]:
        """Join lines into chunks within the model's positions, cut at message borders (SUM-002).

        A single line that is too long is cut between sentences, and a sentence that is too long
        between words.
        """
        parts = [part for line in lines if line.strip() for part in self._fitting(line)]
        chunks: list[list[str]] = []
        for part in parts:
            if chunks and self._length(" ".join([*chunks[-1], part])) <= self.max_input_tokens:
                chunks[-1].append(part)
            else:
                chunks.append([part])
        return [" ".join(chunk) for chunk in chunks]

    def _length(self, text: str) -> int:
        return len(self._ids(text))

    def _ids(self, text: str) -> list[int]:
        encoded = self._tokenizer(
            well_formed(text), split_special_tokens=True, truncation=False, verbose=False
        )
        return list(encoded["input_ids"])

    def _fitting(self, line: str) -> list[str]:
        if self._length(line) <= self.max_input_tokens:
            return [line]
        from memguard.segmentation import sentence_spans

        pieces: list[str] = []
        for start, end in sentence_spans(line):
            sentence = line[start:end]
            pieces.extend([sentence] if self._fits(sentence) else self._cut_words(sentence))
        return pieces

    def _fits(self, text: str) -> bool:
        return self._length(text) <= self.max_input_tokens

    def _cut_words(self, text: str) -> list[str]:
        pieces: list[str] = []
        waiting = [text]
        while waiting:
            # Stripped before it is measured: a leading blank is part of the first word's token.
            piece = waiting.pop().strip()
            if self._fits(piece) or len(piece) < 2:
                pieces.append(piece)
                continue
            middle = piece.find(" ", len(piece) // 2)
            middle = middle if 0 < middle < len(piece) - 1 else len(piece) // 2
            waiting += [piece[middle:], piece[:middle]]
        return [piece for piece in pieces if piece]

    def _generate(self, text: str, room: int) -> str:
        import torch
        from transformers import GenerationConfig

        ids = self._ids(text)
        # min_length <= max_length <= the input's tokens, or a small floor (SUM-005).
        longest = max(min(room, len(ids)), _FLOOR)
        shortest = min(MIN_LENGTH, longest // 2)
        device = self._model.device
        inputs = torch.tensor([ids], device=device)
        config = GenerationConfig.from_dict(
            {
                **self._model.generation_config.to_dict(),
                "max_length": longest,
                "min_length": shortest,
                "num_beams": NUM_BEAMS,
                "do_sample": False,
                "early_stopping": True,
                "max_new_tokens": None,
                "min_new_tokens": None,
            }
        )
        with torch.inference_mode():
            output = self._model.generate(
                inputs, attention_mask=torch.ones_like(inputs), generation_config=config
            )
        return tidy_summary(self._tokenizer.decode(output[0], skip_special_tokens=True))
