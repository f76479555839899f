"""Continue a prompt greedily, many at a time, under constraints that a small model needs.

No number and no capitalised word that the prompt's source lacks (:mod:`memguard.models.constraint`), no
first or second person, no four-token repetition, and a handicap for words of the prefix that the source
lacks. The keys and values of a prefix that all prompts share are computed once.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memguard.errors import ModelUnavailableError
from memguard.models.constraint import TokenTable, WindowConstraint
from memguard.models.shots import FUNCTION_WORDS
from memguard.models.text import sentences_of
from memguard.text import well_formed

if TYPE_CHECKING:
    import torch

_LEAK_HANDICAP = 1.5
_FORBIDDEN = 30.0
_DISCOURAGED = 8.0
_NO_REPEAT = 4
REPEAT_HANDICAP = 0.7
"""Taken from the logit of a word for each time it was written; function words and figures are free."""
_PERSONS = ("I", "you", "You", "my", "My", "me", "we", "We", "our", "your", "I'm")


@dataclass(slots=True)
class Prefix:
    """A text that stands before every prompt: its tokens and, once computed, their keys and values."""

    ids: list[int]
    cache: Any = None


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is continued.

    Attributes:
        text: The prompt, without the prefix.
        source: What the continuation may take numbers and names from.
    """

    text: str
    source: str


def _quiet(done: int) -> None:
    """Ignore decoding steps."""


class Decoder:
    """A causal language model with its tokenizer; not thread-safe.

    Attributes:
        context: Tokens that the model reads at once.
    """

    def __init__(
        self,
        folder: Path,
        model_id: str,
        *,
        max_new_tokens: int,
        max_sentences: int,
        constrained: bool = True,
        repeat_handicap: float = REPEAT_HANDICAP,
        adapter: Path | None = None,
    ) -> None:
        """Load the model from ``folder``; the network is never touched.

        Args:
            folder: As ``memguard setup`` writes it.
            model_id: For messages.
            max_new_tokens: Where a continuation is cut.
            max_sentences: After which it is complete.
            constrained: Forbid numbers and capitalised words that a prompt's source lacks.
            repeat_handicap: Taken from a token's logit for each time it was written.
            adapter: What ``memguard train summarizer`` wrote; added into the weights.

        Raises:
            ModelUnavailableError: If the folder holds no such model; names the command to run.
            ModelIntegrityError: If the adapter does not fit the model.
        """
        from memguard.models.gguf import quiet_transformers
        from memguard.models.offline import force_offline
        from memguard.models.runtime import prepare_torch

        if not (folder / "config.json").is_file():
            raise ModelUnavailableError(
                f"the summarizer {model_id} is not installed in {folder}; run: memguard setup"
            )
        force_offline()
        prepare_torch()
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        with quiet_transformers():
            try:
                self._tokenizer: Any = AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
                self._model: Any = AutoModelForCausalLM.from_pretrained(
                    str(folder), local_files_only=True, dtype=torch.float32
                ).eval()
            except (OSError, ValueError, KeyError) as error:
                raise ModelUnavailableError(
                    f"the summarizer {model_id} in {folder} cannot be loaded ({error}); run: memguard setup"
                ) from error
        if adapter is not None:
            from memguard.models.low_rank import merge_adapter

            merge_adapter(self._model, adapter)
        self._max_new_tokens = max_new_tokens
        self._max_sentences = max_sentences
        self._constrained = constrained
        self._repeat_handicap = repeat_handicap
        self.context = int(self._model.config.max_position_embeddings)
        self._sort_tokens()

    def _sort_tokens(self) -> None:
        self._digits = frozenset(self._singles("0123456789"))
        self._colon = frozenset(self._singles([":", " :"]))
        self._persons = frozenset(self._singles([p for w in _PERSONS for p in (w, f" {w}")]))
        self._free = frozenset(
            self._singles(
                [f for w in sorted(FUNCTION_WORDS) for f in (w, f" {w}", w.title(), f" {w.title()}")]
                + [".", ",", ";", "'s", "'"]
            )
        )
        texts = [self._tokenizer.decode([token]) for token in range(len(self._tokenizer))]
        ends = {token for token, text in enumerate(texts) if "\n" in text}
        self._line_end = frozenset(ends | {self._tokenizer.eos_token_id})
        self._table = TokenTable(texts)

    def prefix(self, text: str) -> Prefix:
        """Return a text as a prefix; its keys and values are computed when they are first needed."""
        return Prefix(self.encode(text))

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a text, in which nothing is read as a control token."""
        encoded = self._tokenizer(
            well_formed(text), add_special_tokens=False, split_special_tokens=True, verbose=False
        )
        return list(encoded["input_ids"])

    def _singles(self, texts: Sequence[str]) -> list[int]:
        rows = [self.encode(text) for text in texts]
        return [row[0] for row in rows if len(row) == 1]

    def _copy_of(self, prefix: Prefix, n_copies: int) -> Any:
        """Return a copy of the prefix's keys and values for a batch; they are computed once."""
        import torch
        from transformers import DynamicCache

        if not prefix.ids:
            return DynamicCache(config=self._model.config)
        if prefix.cache is None:
            with torch.inference_mode():
                prefix.cache = self._model(
                    input_ids=torch.tensor([prefix.ids], device=self._model.device),
                    cache=DynamicCache(config=self._model.config),
                    use_cache=True,
                    logits_to_keep=1,
                ).cache
        cache = copy.deepcopy(prefix.cache)
        if n_copies > 1:
            cache.batch_repeat_interleave(n_copies)
        return cache

    def _bias(self, prompt: Prompt, prefix: Prefix) -> torch.Tensor:
        import torch

        words = set(re.findall(r"[A-Za-z']+", prompt.source))
        forms = {f" {form}" for word in words for form in (word.lower(), word.capitalize())}
        here = set(self.encode(prompt.source))
        for form in forms:
            here.update(self.encode(form))
        bias = torch.zeros(self._model.config.vocab_size)
        foreign = set(prefix.ids) - here - self._free
        bias[sorted(foreign)] -= _LEAK_HANDICAP
        bias[sorted(self._persons)] -= _DISCOURAGED
        bias[sorted(self._digits - here)] -= _FORBIDDEN
        return bias

    def generate(
        self, prompts: Sequence[Prompt], prefix: Prefix, on_step: Callable[[int], None] = _quiet
    ) -> list[str]:
        """Continue the prefix with each prompt, greedily, up to the line's end.

        Args:
            prompts: At least one; they do not see each other.
            prefix: Stands before each.
            on_step: Told how many tokens are done.
        """
        import torch

        rows = [self.encode(prompt.text) for prompt in prompts]
        n_rows, width, n_prefix = len(rows), max(map(len, rows)), len(prefix.ids)
        device = self._model.device
        # Prompts of unequal length are padded on the left, between the prefix and the prompt.
        ids = torch.full((n_rows, width), self._tokenizer.pad_token_id, device=device)
        mask = torch.zeros((n_rows, n_prefix + width), dtype=torch.long, device=device)
        mask[:, :n_prefix] = 1
        for number, row in enumerate(rows):
            ids[number, width - len(row) :] = torch.tensor(row, device=device)
            mask[number, n_prefix + width - len(row) :] = 1
        positions = (mask.cumsum(1) - 1)[:, n_prefix:]
        bias = torch.stack([self._bias(prompt, prefix) for prompt in prompts]).to(device)
        constraints = [WindowConstraint(self._table, prompt.source) for prompt in prompts]
        written: list[list[int]] = [[] for _ in rows]
        open_rows = set(range(n_rows))
        with torch.inference_mode():
            cache = self._copy_of(prefix, n_rows)
            for step in range(self._max_new_tokens):
                on_step(step)
                output = self._model(
                    input_ids=ids,
                    attention_mask=mask,
                    position_ids=positions,
                    cache=cache,
                    use_cache=True,
                    logits_to_keep=1,
                )
                scores = output.logits[:, -1].float() + bias
                for number in open_rows:
                    self._forbid(scores[number], written[number])
                    if self._constrained:
                        self._constrain(scores[number], written[number], constraints[number])
                ids = scores.argmax(-1, keepdim=True)
                for number in sorted(open_rows):
                    if self._finished(written[number], int(ids[number])):
                        open_rows.discard(number)
                if not open_rows:
                    break
                positions = positions[:, -1:] + 1
                mask = torch.cat([mask, mask.new_ones((n_rows, 1))], dim=1)
                cache = output.cache
        return [self._tokenizer.decode(row) for row in written]

    def _forbid(self, scores: torch.Tensor, written: list[int]) -> None:
        """Take from the scores of one row what must not come next."""
        if not written or written[-1] not in self._digits:
            scores[sorted(self._colon)] -= _FORBIDDEN  # a speaker's label, not a clock time
        for token in set(written) - self._free - self._digits:
            scores[token] -= self._repeat_handicap * written.count(token)
        tail = written[-(_NO_REPEAT - 1) :]
        if len(tail) < _NO_REPEAT - 1:
            return
        for start in range(len(written) - len(tail)):
            following = written[start + len(tail)]
            if written[start : start + len(tail)] == tail and following not in self._digits:
                scores[following] -= _FORBIDDEN

    def _constrain(self, scores: torch.Tensor, written: list[int], constraint: WindowConstraint) -> None:
        """Leave one row the tokens that its window allows; a dead end leaves it the line's end."""
        import torch

        text = self._tokenizer.decode(written)
        allowed = constraint.allowed(text).copy()
        allowed[sorted(self._line_end)] = constraint.may_end(text)
        if not allowed.any():
            allowed[sorted(self._line_end)] = True
        scores[: len(allowed)][~torch.from_numpy(allowed).to(scores.device)] = float("-inf")

    def _finished(self, written: list[int], token: int) -> bool:
        """Append ``token`` and return whether the row is complete."""
        if token in self._line_end:
            return True
        written.append(token)
        if not self._tokenizer.decode([token]).rstrip("\"')]").endswith((".", "!", "?")):
            return False
        return len(sentences_of(self._tokenizer.decode(written).strip())) >= self._max_sentences
