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

import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from memguard.errors import InvalidParameterError
from memguard.models.constraint import foreign_words
from memguard.models.decoding import REPEAT_HANDICAP, Decoder, Prompt
from memguard.models.protocols import ItemProgress, TokenCounter, no_progress
from memguard.models.shots import (
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

WINDOW_LINES = 6  # the model follows windows of four to eight lines well
BATCH_WINDOWS = 6  # run together; bounds the memory of the examples' keys and values
MAX_NEW_TOKENS = 64  # room for two sentences as long as the examples' own
MAX_SENTENCES = 2
_LINE_CHARS = 700
_WINDOW_CHARS = 2_400
_LOOP_WORDS = 8
_END = re.compile(r"[.!?][\"')\]]*(?=\s|$)")


@dataclass(frozen=True, slots=True)
class Window:
    """Lines that are summarised together."""

    lines: tuple[str, ...]

    @property
    def source(self) -> str:
        """The lines as one text."""
        return "\n".join(self.lines)

    @property
    def prompt(self) -> Prompt:
        """The window as the examples show one."""
        return Prompt(render_window(self.lines), self.source)


@dataclass(frozen=True, slots=True)
class Written:
    """What was written of a window: finished sentences, none where none is worth a line."""

    window: Window
    sentences: tuple[str, ...]


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
        repeat_handicap: float = REPEAT_HANDICAP,
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
            repeat_handicap: Taken from a token's logit for each time it was written, 0 or more.
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
        if not repeat_handicap >= 0:
            raise InvalidParameterError(f"repeat_handicap must be 0 or more; got {repeat_handicap}")
        if not prompts:
            raise InvalidParameterError("prompts must hold at least one set of examples; got none")
        self._decoder = Decoder(
            folder,
            model_id,
            max_new_tokens=MAX_NEW_TOKENS,
            max_sentences=MAX_SENTENCES,
            constrained=constrained,
            repeat_handicap=repeat_handicap,
            adapter=adapter,
        )
        self.model_id = model_id if adapter is None else f"{model_id}+{adapter.stem}"
        self._constrained = constrained
        self._window_lines = window_lines
        self._batch_windows = batch_windows
        self._counter = counter or BartTokenCounter()
        self._lock = threading.Lock()
        self._prefixes = [self._decoder.prefix(render(shots)) for shots in prompts]
        self.max_input_tokens = (
            self._decoder.context - max(len(prefix.ids) for prefix in self._prefixes) - MAX_NEW_TOKENS
        )

    def summarize(
        self, lines: Sequence[str], *, max_tokens: int, progress: ItemProgress = no_progress
    ) -> str:
        """Summarise ``lines``; ``progress`` counts decoding steps, of which a batch may save some.

        Where all sentences together pass ``max_tokens``, second sentences go first and then
        windows evenly over the whole conversation, so that its end is not lost.
        """
        return self.joined(self.write(lines, progress=progress), max_tokens)

    def joined(self, written: Sequence[Written], max_tokens: int) -> str:
        """Join what was written of windows, in their order, within ``max_tokens``."""
        return fit_spread([one.sentences for one in written], max_tokens, self._counter)

    def write(self, lines: Sequence[str], *, progress: ItemProgress = no_progress) -> list[Written]:
        """Return what is written of each window of ``lines``, whatever its length."""
        windows = self.windows(lines)
        starts = range(0, len(windows), self._batch_windows)
        n_steps = len(self._prefixes) * MAX_NEW_TOKENS
        total = len(starts) * n_steps
        progress(0, total)
        result: list[Written] = []
        with self._lock:
            for number, start in enumerate(starts):
                batch = windows[start : start + self._batch_windows]
                before = number * n_steps

                def on_step(done: int, before: int = before) -> None:
                    progress(before + done, total)

                result += self._best(batch, "\n".join(lines), on_step)
                progress(before + n_steps, total)
        return result

    def windows(self, lines: Sequence[str]) -> list[Window]:
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
        return [Window(tuple(window)) for window in windows]

    def _fits(self, lines: list[str]) -> bool:
        if len(lines) > self._window_lines or sum(map(len, lines)) > _WINDOW_CHARS:
            return False
        # A byte-level tokenizer gives at most one token a byte: many for emoji, one for a word.
        return len(well_formed(render_window(lines)).encode()) <= self.max_input_tokens

    def _best(self, batch: Sequence[Window], source: str, on_step: Callable[[int], None]) -> list[Written]:
        """Write each window after each set of examples and keep what the window supports best."""
        written = []
        prompts = [window.prompt for window in batch]
        for number, prefix in enumerate(self._prefixes):

            def on_token(done: int, before: int = number * MAX_NEW_TOKENS) -> None:
                on_step(before + done)

            written.append(self._decoder.generate(prompts, prefix, on_token))
        best = []
        for number, window in enumerate(batch):
            candidates = [self._clean(texts[number], source, window) for texts in written]
            # On equal support the first set of examples wins.
            sentences = max(candidates, key=lambda c: support(" ".join(c), window.source))
            best.append(Written(window, tuple(sentences)))
        return best

    def _clean(self, text: str, source: str, window: Window | None = None) -> list[str]:
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
