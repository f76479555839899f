"""Stage 1, compression: which messages are selected, and the paragraph made from them.

Sentence embeddings → sliding-window relevance → maximal marginal relevance under the summarizer's
token budget → a local summary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memguard.messages import Conversation
from memguard.models.duck import as_embedder, as_summarizer
from memguard.models.protocols import Embedder, Summarizer, TokenCounter
from memguard.selection import (
    Decision,
    Line,
    MessageDecision,
    candidate_lines,
    chunk_counts,
    join_lines,
    select,
)
from memguard.settings import CompressionSettings, Settings
from memguard.text import well_formed
from memguard.trace import Progress, Trace, silent

_DEFAULTS = CompressionSettings()
MESSAGE_BREAK = "\n\n"
"""Between messages that are passed through: a blank line always ends a sentence, so that no claim runs
from one speaker's words into another's."""
PASSED_THROUGH = ""
"""The summarizer's id where short input was passed through and none ran (F8)."""
SummarizerSource = Callable[[str], Summarizer]
"""Returns the summarizer for a value of ``compression.summarizer``."""


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
        summarizer: Model that wrote the paragraph; empty where short input was passed through.
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
        self._embedder = as_embedder(embedder)
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
            return base
        lines = candidate_lines(messages, self._counter, settings.max_tokens, cut_long=self._cut_long)
        contents = [m.content for m in messages]
        vectors = self._embedder.embed(
            contents,
            progress=lambda done, total: progress(self.name, done, total, "messages embedded"),
        )
        chunks = chunk_counts(self._embedder, contents)
        decisions, tokens_selected = select(lines, vectors, settings, self._counter, chunks=chunks)
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

    def _summarise(
        self,
        chosen: Sequence[Line],
        settings: CompressionSettings,
        result: Compression,
        progress: Progress,
    ) -> Compression:
        contents = [line.content for line in chosen if not line.message.is_blank]
        words = sum(len(content.split()) for content in contents)
        if words <= settings.passthrough_words:
            paragraph = MESSAGE_BREAK.join(contents)
            tokens = self._counter.count(paragraph) if paragraph else 0
            if tokens <= settings.passthrough_tokens:
                return replace(result, paragraph=paragraph, tokens_out=tokens)
        summarizer = as_summarizer(self._summarizer_for(settings.summarizer))
        summary = summarizer.summarize(
            [line.text for line in chosen],
            max_tokens=settings.summary_tokens,
            progress=lambda done, total: progress(self.name, done, total, "parts of the summary written"),
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
    return join_lines(message.line for message in conversation.messages)
