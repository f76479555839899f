"""SmolLM2-135M, the embedded summarizer: it continues examples, a window of lines at a time.

The model is small: it follows a few-shot completion well and instructions badly. The examples are
read once and their keys and values kept; windows run together in batches. Each window is written
once after each set of examples, and the text whose words the window supports best is kept. With an
adapter (``memguard train summarizer``) no examples are needed. Decoding is greedy with what a model
of this size needs: no number and no capitalised word that the window lacks
(:mod:`memguard.models.constraint`), no first or second person, no four-token repetition, and a
handicap for words of the examples that the window lacks.
"""

from __future__ import annotations

import copy
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memguard.errors import InvalidParameterError, ModelUnavailableError
from memguard.models.constraint import TokenTable, WindowConstraint, foreign_words
from memguard.models.protocols import ItemProgress, TokenCounter, no_progress
from memguard.models.shots import (
    FUNCTION_WORDS,
    PROMPTS,
    Shot,
    leaks,
    plain_speech,
    render,
    render_window,
    support,
)
from memguard.models.text import fit_spread, sentences_of, split_speaker, tidy_summary
from memguard.models.tokens import BartTokenCounter
from memguard.text import well_formed

if TYPE_CHECKING:
    import torch

WINDOW_LINES = 6  # the model follows windows of four to eight lines well
BATCH_WINDOWS = 6  # run together; bounds the memory of the examples' keys and values
MAX_NEW_TOKENS = 64  # room for two sentences as long as the examples' own
MAX_SENTENCES = 2
_LINE_CHARS = 700
_WINDOW_CHARS = 2_400
_LEAK_HANDICAP = 1.5
_FORBIDDEN = 30.0
_DISCOURAGED = 8.0
_NO_REPEAT = 4
_LOOP_WORDS = 8
_REPEAT_HANDICAP = 0.7
_END = re.compile(r"[.!?][\"')\]]*(?=\s|$)")
_PERSONS = ("I", "you", "You", "my", "My", "me", "we", "We", "our", "your", "I'm")


@dataclass(slots=True)
class _Prefix:
    """One set of examples: its tokens and, once computed, their keys and values."""

    ids: list[int]
    cache: Any = None


def _quiet(done: int) -> None:
    """Ignore decoding steps."""


@dataclass(frozen=True, slots=True)
class _Window:
    lines: tuple[str, ...]

    @property
    def source(self) -> str:
        return "\n".join(self.lines)


class SmolSummarizer:
    """Summarises windows of lines in one or two sentences each; thread-safe.

    Attributes:
        model_id: ``name@revision``.
        max_input_tokens: The tokens of the conversation that one pass can read: the model's context
            less the longest set of examples and the new tokens. Longer input goes in windows, which
            are shorter still, since the model follows a few lines best.
    """

    def __init__(
        self,
        folder: Path,
        model_id: str,
        *,
        window_lines: int = WINDOW_LINES,
        batch_windows: int = BATCH_WINDOWS,
        prompts: Sequence[Sequence[Shot]] | None = None,
        counter: TokenCounter | None = None,
        constrained: bool = True,
        adapter: Path | None = None,
    ) -> None:
        """Load the model from ``folder``; the network is never touched.

        Args:
            folder: As ``memguard setup`` writes it.
            model_id: ``name@revision``.
            window_lines: Lines in a window, 1 to 32; four to eight work well.
            batch_windows: Windows that run together, at least 1.
            prompts: Sets of examples, at least one; each costs a pass over every window. By default
                two; with an adapter one that is empty.
            counter: Counts ``max_tokens``; BART's by default.
            constrained: Forbid numbers and capitalised words that the window lacks.
            adapter: What ``memguard train summarizer`` wrote; added into the weights.

        Raises:
            InvalidParameterError: If a number is out of its range.
            ModelUnavailableError: If the folder holds no such model; names the command to run.
            ModelIntegrityError: If the adapter does not fit the model.
        """
        if prompts is None:
            prompts = PROMPTS if adapter is None else ((),)
        if not 1 <= window_lines <= 32:
            raise InvalidParameterError(f"window_lines must be in [1, 32]; got {window_lines}")
        if batch_windows < 1:
            raise InvalidParameterError(f"batch_windows must be 1 or more; got {batch_windows}")
        if not prompts:
            raise InvalidParameterError("prompts must hold at least one set of examples; got none")
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
        self.model_id = model_id if adapter is None else f"{model_id}+{adapter.stem}"
        self._constrained = constrained
        self._window_lines = window_lines
        self._batch_windows = batch_windows
        self._counter = counter or BartTokenCounter()
        self._lock = threading.Lock()
        self._prefixes = [_Prefix(self._encode(render(shots))) for shots in prompts]
        self.max_input_tokens = (
            int(self._model.config.max_position_embeddings)
            - max(len(prefix.ids) for prefix in self._prefixes)
            - MAX_NEW_TOKENS
        )
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

    def summarize(
        self, lines: Sequence[str], *, max_tokens: int, progress: ItemProgress = no_progress
    ) -> str:
        """Summarise ``lines``; ``progress`` counts decoding steps, of which a batch may save some.

        Where all sentences together pass ``max_tokens``, second sentences go first and then
        windows evenly over the whole conversation, so that its end is not lost.
        """
        windows = self.windows(lines)
        starts = range(0, len(windows), self._batch_windows)
        n_steps = len(self._prefixes) * MAX_NEW_TOKENS
        total = len(starts) * n_steps
        progress(0, total)
        summaries: list[list[str]] = []
        with self._lock:
            for number, start in enumerate(starts):
                batch = windows[start : start + self._batch_windows]
                before = number * n_steps

                def on_step(done: int, before: int = before) -> None:
                    progress(before + done, total)

                summaries += self._best(batch, "\n".join(lines), on_step)
                progress(before + n_steps, total)
        return fit_spread(summaries, max_tokens, self._counter)

    def windows(self, lines: Sequence[str]) -> list[_Window]:
        """Cut lines into windows; a long line counts as several by the same speaker."""
        spoken = plain_speech([split_speaker(line) for line in lines if line.strip()])
        pieces = [
            f"{speaker}: {piece}" if speaker else piece
            for speaker, text in spoken
            for piece in _short_pieces(text)
        ]
        windows: list[list[str]] = []
        for piece in pieces:
            if windows and self._fits([*windows[-1], piece]):
                windows[-1].append(piece)
            else:
                windows.append([piece])
        return [_Window(tuple(window)) for window in windows]

    def _fits(self, lines: list[str]) -> bool:
        if len(lines) > self._window_lines or sum(map(len, lines)) > _WINDOW_CHARS:
            return False
        # A byte-level tokenizer gives at most one token a byte: many for emoji, one for a word.
        return len(well_formed(render_window(lines)).encode()) <= self.max_input_tokens

    def _best(self, batch: Sequence[_Window], source: str, on_step: Callable[[int], None]) -> list[list[str]]:
        """Write each window after each set of examples and keep what the window supports best."""
        written = []
        for number, prefix in enumerate(self._prefixes):

            def on_token(done: int, before: int = number * MAX_NEW_TOKENS) -> None:
                on_step(before + done)

            written.append(self._generate(batch, prefix, on_token))
        best = []
        for number, window in enumerate(batch):
            candidates = [self._clean(texts[number], source, window) for texts in written]
            # On equal support the first set of examples wins.
            best.append(max(candidates, key=lambda c: support(" ".join(c), window.source)))
        return best

    def _clean(self, text: str, source: str, window: _Window | None = None) -> list[str]:
        """Return the finished sentences of a raw output that do not come from the examples.

        Where the model is constrained, those with a foreign word are left out: one that was cut in the
        middle of a number or name.
        """
        text = tidy_summary(text)
        ends = [match.end() for match in _END.finditer(text)]
        text = text[: ends[-1]] if ends else text.rstrip(" ,;:-") + ("." if text else "")
        sentences = list(dict.fromkeys(sentences_of(text)))[:MAX_SENTENCES]
        if window is not None and self._constrained:
            sentences = [s for s in sentences if not foreign_words(s, window.source)]
        return [s for s in sentences if not leaks(s, source) and _reports(s, source)]

    def _encode(self, text: str) -> list[int]:
        encoded = self._tokenizer(
            well_formed(text), add_special_tokens=False, split_special_tokens=True, verbose=False
        )
        return list(encoded["input_ids"])

    def _singles(self, texts: Sequence[str]) -> list[int]:
        rows = [self._encode(text) for text in texts]
        return [row[0] for row in rows if len(row) == 1]

    def _copy_of(self, prefix: _Prefix, n_copies: int) -> Any:
        """Return a copy of the examples' keys and values for a batch; they are computed once."""
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

    def _bias(self, window: _Window, prefix: _Prefix) -> torch.Tensor:
        import torch

        words = set(re.findall(r"[A-Za-z']+", window.source))
        forms = {f" {form}" for word in words for form in (word.lower(), word.capitalize())}
        here = set(self._encode(window.source))
        for form in forms:
            here.update(self._encode(form))
        bias = torch.zeros(self._model.config.vocab_size)
        foreign = set(prefix.ids) - here - self._free
        bias[sorted(foreign)] -= _LEAK_HANDICAP
        bias[sorted(self._persons)] -= _DISCOURAGED
        bias[sorted(self._digits - here)] -= _FORBIDDEN
        return bias

    def _generate(
        self, windows: Sequence[_Window], prefix: _Prefix, on_step: Callable[[int], None] = _quiet
    ) -> list[str]:
        """Continue the examples with each window, greedily, up to the line's end."""
        import torch

        rows = [self._encode(render_window(list(window.lines))) for window in windows]
        n_rows, width, n_prefix = len(rows), max(map(len, rows)), len(prefix.ids)
        device = self._model.device
        # Windows of unequal length are padded on the left, between the examples and the window.
        ids = torch.full((n_rows, width), self._tokenizer.pad_token_id, device=device)
        mask = torch.zeros((n_rows, n_prefix + width), dtype=torch.long, device=device)
        mask[:, :n_prefix] = 1
        for number, row in enumerate(rows):
            ids[number, width - len(row) :] = torch.tensor(row, device=device)
            mask[number, n_prefix + width - len(row) :] = 1
        positions = (mask.cumsum(1) - 1)[:, n_prefix:]
        bias = torch.stack([self._bias(window, prefix) for window in windows]).to(device)
        constraints = [WindowConstraint(self._table, window.source) for window in windows]
        written: list[list[int]] = [[] for _ in rows]
        open_rows = set(range(n_rows))
        with torch.inference_mode():
            cache = self._copy_of(prefix, n_rows)
            for step in range(MAX_NEW_TOKENS):
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
            scores[token] -= _REPEAT_HANDICAP * written.count(token)
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
        return len(sentences_of(self._tokenizer.decode(written).strip())) >= MAX_SENTENCES


def _reports(sentence: str, source: str) -> bool:
    """Return whether a sentence reports: no question, no address ("Doctor, can you"), no loop."""
    start, comma, _ = sentence.partition(",")
    addressed = bool(comma) and f"{start}: " in source
    words = re.findall(r"\w+", sentence.lower())
    loops = len(words) >= _LOOP_WORDS and len(set(words)) * 2 < len(words)
    return not (sentence.endswith("?") or addressed or loops)


def _short_pieces(text: str) -> list[str]:
    """Cut a long text between sentences into pieces of at most ``_LINE_CHARS`` characters."""
    if len(text) <= _LINE_CHARS:
        return [" ".join(text.split())]
    pieces: list[str] = []
    for sentence in sentences_of(text):
        for start in range(0, len(sentence), _LINE_CHARS):
            part = " ".join(sentence[start : start + _LINE_CHARS].split())
            if pieces and len(pieces[-1]) + len(part) < _LINE_CHARS:
                pieces[-1] += " " + part
            elif part:
                pieces.append(part)
    return pieces
