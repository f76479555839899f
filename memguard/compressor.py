"""Stage 1, compression: which messages are selected, and the paragraph made from them.

Sentence embeddings → sliding-window relevance → maximal marginal relevance under the summarizer's
token budget → a local summary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from memguard.geometry.mmr import Pick, mmr_order, rows_of
from memguard.geometry.relevance import window_relevance
from memguard.messages import Conversation, Message, well_formed
from memguard.models.protocols import Embedder, Summarizer, TokenCounter
from memguard.segmentation import sentence_spans
from memguard.settings import CompressionSettings, Settings
from memguard.trace import Progress, Trace, silent

_DEFAULTS = CompressionSettings()
PASSED_THROUGH = "none (passed through)"
SummarizerSource = Callable[[str], Summarizer]
"""Returns the summarizer for a value of ``compression.summarizer``."""


class Decision(StrEnum):
    """What became of a message in the selection."""

    PICKED = "picked"
    OVER_BUDGET = "over_budget"
    NOT_REACHED = "not_reached"
    BLANK = "blank"


@dataclass(frozen=True, slots=True)
class MessageDecision:
    """How one message fared in the selection.

    Attributes:
        message_id: Which message.
        index: Its zero-based position in the input.
        relevance: Mean cosine to its neighbours, in [-1, 1].
        decision: Whether it was picked, or why not.
        rank: One-based place in the order of picks; also given to the pick that broke the budget.
        mmr_score: Its score when it was the best candidate.
        max_similarity: Its highest cosine to the picks before it.
        n_tokens: Tokens of its role-prefixed line as it entered the selection.
        used_chars: How many characters of its content entered, where a long one was cut.
        n_chunks: In how many pieces it was embedded.
    """

    message_id: str
    index: int
    relevance: float
    decision: Decision
    rank: int | None = None
    mmr_score: float | None = None
    max_similarity: float | None = None
    n_tokens: int = 0
    used_chars: int | None = None
    n_chunks: int = 1


@dataclass(frozen=True, slots=True)
class Compression:
    """The result of stage 1.

    Attributes:
        paragraph: The summary, or the given text where ``given``.
        messages: One decision a message, in conversation order.
        tokens_in: The whole conversation with its prefixes.
        tokens_selected: The role-prefixed selection that the budget measures.
        tokens_out: The paragraph.
        embedder: Model that embedded, ``name@revision``.
        summarizer: Model that wrote the paragraph.
        summarizer_context: Tokens that it reads at once, if it says so; longer input goes in chunks.
        token_counter: Tokenizer of the budget.
        given: The paragraph came from outside; nothing was selected.
        warnings: What a reader of the result should know.
    """

    paragraph: str
    messages: tuple[MessageDecision, ...] = ()
    tokens_in: int = 0
    tokens_selected: int = 0
    tokens_out: int = 0
    embedder: str = ""
    summarizer: str = ""
    summarizer_context: int | None = None
    token_counter: str = ""
    given: bool = False
    warnings: tuple[str, ...] = ()

    @property
    def picked(self) -> tuple[int, ...]:
        """Input indexes of the picked messages, in conversation order (A11)."""
        return tuple(m.index for m in self.messages if m.decision is Decision.PICKED)


class _Line(NamedTuple):
    """A candidate: its message, the text that may enter, its role-prefixed form and that one's tokens."""

    message: Message
    content: str
    text: str
    n_tokens: int


class Compressor:
    """Runs stage 1."""

    name = "compression"
    reads = ("compression",)
    requires: tuple[type, ...] = ()
    produces = Compression

    def __init__(
        self,
        embedder: Embedder,
        summarizer_for: SummarizerSource,
        counter: TokenCounter,
        *,
        cut_long: bool = True,
    ) -> None:
        """Take the models; ``summarizer_for`` is asked only when a summary is needed.

        Args:
            embedder: Embeds message contents.
            summarizer_for: Returns the summarizer that the settings name.
            counter: Counts the tokens of the budget.
            cut_long: Cut a message longer than the budget to whole sentences within half of it
                before selection (F7). The plain ``compress`` never does.
        """
        self._embedder = embedder
        self._summarizer_for = summarizer_for
        self._counter = counter
        self._cut_long = cut_long

    def run(self, trace: Trace, *, progress: Progress = silent) -> Compression:
        """Select messages and summarise them; an empty conversation gives an empty paragraph (A34)."""
        messages = trace.conversation.messages
        settings = trace.settings.compression
        tokens_in = self._counter.count(joined(trace.conversation)) if messages else 0
        base = Compression(
            "", tokens_in=tokens_in, embedder=self._embedder.model_id, token_counter=self._counter.name
        )
        if not messages:
            return replace(base, summarizer=PASSED_THROUGH)
        counts = _counts(self._counter, [m.line for m in messages])
        lines = [self._line(m, n, settings.max_tokens) for m, n in zip(messages, counts, strict=True)]
        vectors = self._embedder.embed(
            [m.content for m in messages],
            progress=lambda done, total: progress(self.name, done, total, "messages embedded"),
        )
        decisions, tokens_selected = self._select(lines, vectors, settings)
        chosen = [line for line, d in zip(lines, decisions, strict=True) if d.decision is Decision.PICKED]
        result = replace(base, messages=tuple(decisions), tokens_selected=tokens_selected)
        return self._summarise(chosen, settings, result, progress)

    def adjust(
        self,
        result: object,
        trace: Trace,  # noqa: ARG002  the protocol's
        before: Settings,  # noqa: ARG002  the protocol's
    ) -> Compression | None:
        """Keep a summary from outside; a selection is always made anew, from cached vectors."""
        return result if isinstance(result, Compression) and result.given else None

    def _line(self, message: Message, n_tokens: int, max_tokens: int) -> _Line:
        whole = _Line(message, message.content, message.line, n_tokens)
        if not self._cut_long or not n_tokens > max_tokens > 0:
            return whole

        def fits(text: str) -> bool:
            return self._counter.count(f"{message.speaker_name}: {text}") <= max_tokens // 2

        content = _whole_sentences(message.content, fits)
        if not content:  # not even one character fits: as with a budget of 0, it stays as it is
            return whole
        text = f"{message.speaker_name}: {content}"
        return _Line(message, content, text, self._counter.count(text))

    def _select(
        self, lines: Sequence[_Line], vectors: Any, settings: CompressionSettings
    ) -> tuple[list[MessageDecision], int]:
        relevance = window_relevance(vectors, settings.window)
        visible = np.array([not line.message.is_blank for line in lines])
        candidates = visible if visible.any() else np.ones(len(lines), bool)
        chunks = _chunks(self._embedder, [line.message.content for line in lines])
        decisions = [
            MessageDecision(
                message_id=line.message.id,
                index=line.message.index,
                relevance=float(relevance[i]),
                decision=Decision.NOT_REACHED if candidates[i] else Decision.BLANK,
                n_tokens=line.n_tokens,
                used_chars=len(line.content) if line.content != line.message.content else None,
                n_chunks=chunks[i],
            )
            for i, line in enumerate(lines)
        ]
        picks = mmr_order(relevance, rows_of(vectors), settings.lambda_mmr, candidates=candidates)
        tried, n_picked, tokens = self._under_budget(lines, picks, settings.max_tokens)
        for rank, pick in enumerate(tried, start=1):
            decisions[pick.index] = replace(
                decisions[pick.index],
                decision=Decision.PICKED if rank <= n_picked else Decision.OVER_BUDGET,
                rank=rank,
                mmr_score=pick.score,
                max_similarity=pick.max_similarity if rank > 1 else None,
            )
        return decisions, tokens

    def _under_budget(
        self, lines: Sequence[_Line], picks: Iterator[Pick], max_tokens: int
    ) -> tuple[list[Pick], int, int]:
        """Take picks up to the first that passes the budget; the first pick is always taken (A08, A09).

        The joined string is counted after 1, 2, 4, … picks and then by halving, not after each: a
        count never falls when a line is added, so the same pick is found.

        Returns:
            The picks, with the one that passed the budget last if there is one; how many were
            taken; and their tokens.
        """
        tried = list(islice(picks, 1))

        def count(n: int) -> int:
            return self._counter.count(" ".join(lines[i].text for i in sorted(p.index for p in tried[:n])))

        taken, tokens = 1, count(1)
        while True:
            tried += islice(picks, taken)
            if len(tried) == taken:
                return tried, taken, tokens
            total = count(len(tried))
            if total > max_tokens:
                break
            taken, tokens = len(tried), total
        over = len(tried)
        while over - taken > 1:
            middle = (taken + over) // 2
            total = count(middle)
            if total > max_tokens:
                over = middle
            else:
                taken, tokens = middle, total
        return tried[:over], taken, tokens

    def _summarise(
        self,
        chosen: Sequence[_Line],
        settings: CompressionSettings,
        result: Compression,
        progress: Progress,
    ) -> Compression:
        contents = [line.content for line in chosen if not line.message.is_blank]
        words = sum(len(content.split()) for content in contents)
        if words <= settings.passthrough_words:
            paragraph = "\n".join(contents)
            tokens = self._counter.count(paragraph) if paragraph else 0
            return replace(result, paragraph=paragraph, tokens_out=tokens, summarizer=PASSED_THROUGH)
        summarizer = self._summarizer_for(settings.summarizer)
        summary = summarizer.summarize(
            [line.text for line in chosen],
            max_tokens=settings.summary_tokens,
            progress=lambda done, total: progress(self.name, done, total, "windows summarised"),
        )
        paragraph = well_formed(summary)
        return replace(
            result,
            paragraph=paragraph,
            tokens_out=self._counter.count(paragraph) if paragraph else 0,
            summarizer=summarizer.model_id,
            summarizer_context=getattr(summarizer, "max_input_tokens", None),
        )


def compress(
    messages: Iterable[Mapping[str, Any]],
    max_tokens: int = _DEFAULTS.max_tokens,
    lambda_mmr: float = _DEFAULTS.lambda_mmr,
    *,
    embedder: Embedder | None = None,
    summarizer: Summarizer | None = None,
    counter: TokenCounter | None = None,
) -> str:
    """Compress messages to one paragraph: the plain core of stage 1, with nothing cut beforehand.

    Args:
        messages: Dicts with ``role`` and ``content``; never changed.
        max_tokens: Budget of the role-prefixed selection, in tokens of facebook/bart-large-cnn. The
            first pick is always taken, so 0 keeps one message.
        lambda_mmr: Relevance against diversity, in [0, 1].
        embedder: Default: the installed all-mpnet-base-v2.
        summarizer: Default: the installed one.
        counter: Default: BART's tokens.

    Returns:
        The paragraph; ``""`` for no messages, and then no summarizer is called.

    Raises:
        InvalidParameterError: ``max_tokens`` is negative or ``lambda_mmr`` outside [0, 1].
        TranscriptError: A message is not valid.
        ModelUnavailableError: A model is needed that is not installed.
    """
    settings = Settings(compression=CompressionSettings(max_tokens=max_tokens, lambda_mmr=lambda_mmr))
    conversation = Conversation.from_messages(messages)
    if not conversation.messages:
        return ""
    from memguard.models import loading

    embed = embedder if embedder is not None else loading.load_embedder()
    compressor = Compressor(
        embed,
        (lambda _name: summarizer)
        if summarizer is not None
        else (lambda name: loading.load_summarizer(name, embedder=embed)),
        counter if counter is not None else loading.load_counter(),
        cut_long=False,
    )
    return compressor.run(Trace(conversation, settings)).paragraph


def joined(conversation: Conversation) -> str:
    """Return the whole conversation as the one role-prefixed string that budgets measure (A12)."""
    return " ".join(message.line for message in conversation.messages)


def _counts(counter: TokenCounter, texts: Sequence[str]) -> list[int]:
    """Return the tokens of every text, in one call where the counter has ``count_many``."""
    many = getattr(counter, "count_many", None)
    return list(many(texts)) if many is not None else [counter.count(text) for text in texts]


def _chunks(embedder: Embedder, texts: Sequence[str]) -> list[int]:
    counts = getattr(embedder, "chunk_counts", None)
    return list(counts(texts)) if counts is not None else [1] * len(texts)


def _whole_sentences(text: str, fits: Callable[[str], bool]) -> str:
    """Return the longest run of leading whole sentences that fits, or of words if none does."""
    ends = [end for _start, end in sentence_spans(text)]
    best = _longest_fitting(text, ends, fits)
    if best:
        return text[:best]
    words = [i for i in range(1, len(text)) if text[i].isspace()]
    best = _longest_fitting(text, words, fits) or _longest_fitting(text, range(1, len(text)), fits)
    return text[:best]


def _longest_fitting(text: str, ends: Sequence[int], fits: Callable[[str], bool]) -> int:
    # Doubled from the start: of a message of megabytes only the part that may fit is counted.
    low, high = 0, 1
    while high <= len(ends) and fits(text[: ends[high - 1]]):
        low, high = high, 2 * high
    high = min(high - 1, len(ends))
    while low < high:
        middle = (low + high + 1) // 2
        if fits(text[: ends[middle - 1]]):
            low = middle
        else:
            high = middle - 1
    return ends[low - 1] if low else 0
