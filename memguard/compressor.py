"""Stage 1, compression: which messages are selected, and the paragraph made from them.

Sentence embeddings → sliding-window relevance → maximal marginal relevance under the summarizer's
token budget → a local summary. A history that grew is compressed in rounds: only what is new is selected
and summarised, and its paragraph follows that of the earlier rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from memguard.messages import Conversation, Message
from memguard.models.duck import as_embedder, as_summarizer
from memguard.models.protocols import Embedder, Summarizer, TokenCounter
from memguard.privacy.leaving import Leaving, leaving_of
from memguard.privacy.prompts import RedactedSummarizer
from memguard.selection import (
    Decision,
    Line,
    MessageDecision,
    Round,
    candidate_lines,
    chunk_counts,
    join_lines,
    select,
    tail_of,
)
from memguard.selection.pins import pin_warnings, pins_left
from memguard.selection.planning import plan_of
from memguard.selection.references import shown_of
from memguard.selection.rounds import carry, stages
from memguard.settings import CompressionSettings, Settings
from memguard.text import well_formed
from memguard.trace import Progress, Trace, silent

_DEFAULTS = CompressionSettings()
_LOOK_BACK = 4
"""How many messages before a round are read with it: an acknowledgement may answer one of them."""
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
        rounds: One for each growth of the history that was compressed by itself; ``tokens_selected`` is
            that of the last one.
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
    rounds: tuple[Round, ...] = ()

    @property
    def picked(self) -> tuple[int, ...]:
        """Input indexes of the picked messages, in conversation order (A11)."""
        return tuple(m.index for m in self.messages if m.decision is Decision.PICKED)

    @property
    def tail(self) -> tuple[str, ...]:
        """Ids of the recent messages, which no round has read: they stay verbatim while they are recent."""
        return tuple(m.message_id for m in self.messages if m.decision is Decision.TAIL)


class Compressor:
    """Runs stage 1."""

    name = "compression"
    reads: tuple[str, ...] = ("compression",)
    requires: tuple[type, ...] = ()
    produces = Compression

    def __init__(
        self,
        embedder: Embedder,
        summarizer_for: SummarizerSource,
        counter: TokenCounter,
        *,
        cut_long: bool = True,
        leaves: bool = False,
    ) -> None:
        """Take the models; ``summarizer_for`` is asked only when a summary is needed.

        Args:
            embedder: Embeds message contents.
            summarizer_for: Returns the summarizer that the settings name.
            counter: Counts the tokens of the budget.
            cut_long: Cut a message longer than the budget to whole sentences within half of it
                before selection (F7). The plain ``compress`` never does.
            leaves: The summarizer may stand outside this process, so that ``privacy.redact`` holds for what
                it is given.
        """
        self._embedder = as_embedder(embedder)
        self._summarizer_for = summarizer_for
        self._counter = counter
        self._cut_long = cut_long
        self._leaves = leaves
        if leaves:
            self.reads = (*Compressor.reads, "privacy")
        self._earlier: Compression | None = None

    def after(self, earlier: Compression | None) -> Compressor:
        """Return a compressor that goes on from an earlier result in place of compressing it again.

        Args:
            earlier: The result for the conversation as it was before its last growth, made with the
                same settings; None where there is none.
        """
        other = copy(self)
        other._earlier = earlier
        return other

    def run(self, trace: Trace, *, progress: Progress = silent) -> Compression:
        """Select messages and summarise them; an empty conversation gives an empty paragraph (A34).

        A history that grew is compressed growth by growth, each time with the messages that were
        known then: run at once it gives what extending it gave.
        """
        leaving = leaving_of(trace.conversation, trace.settings.privacy) if self._leaves else None
        if leaving is not None:
            return self._giving(leaving)._compressed(trace, progress)
        return self._compressed(trace, progress)

    def _giving(self, leaving: Leaving) -> Compressor:
        """Return a compressor whose summarizer is given placeholders in place of values (F24)."""
        other = copy(self)
        other._summarizer_for = lambda name: RedactedSummarizer(
            as_summarizer(self._summarizer_for(name)), leaving
        )
        return other

    def _compressed(self, trace: Trace, progress: Progress) -> Compression:
        earlier = self._earlier
        settings = trace.settings.compression
        known = stages(trace.conversation) if settings.rolling == "new" else [trace.conversation.messages]
        result = Compression("", embedder=self._embedder.model_id, token_counter=self._counter.name)
        if earlier is not None and earlier.rounds and settings.rolling == "new":
            result = replace(earlier, warnings=())
            known = [m for m in known if len(m) > len(earlier.messages)]
        for messages in known:
            if messages:
                result = self._round(messages, settings, result, progress)
        n_messages = len(trace.conversation)
        return replace(
            result,
            tokens_in=self._counter.count(joined(trace.conversation)) if n_messages else 0,
            warnings=(
                *pin_warnings(trace.conversation.messages, settings),
                *pins_left(result.messages, trace.conversation.messages, settings),
            ),
        )

    def adjust(
        self,
        result: object,
        trace: Trace,  # noqa: ARG002  the protocol's
        before: Settings,  # noqa: ARG002  the protocol's
    ) -> Compression | None:
        """Keep a summary from outside; a selection is always made anew, from cached vectors."""
        return result if isinstance(result, Compression) and result.given else None

    def _round(
        self,
        messages: Sequence[Message],
        settings: CompressionSettings,
        earlier: Compression,
        progress: Progress,
    ) -> Compression:
        """Decide on the messages that no closed round holds, and add what is written of them."""
        closed = tuple(r for r in earlier.rounds if not r.is_open)
        settled = {m.message_id: m for m in earlier.messages if 0 < m.round <= len(closed)}
        tail = {m.id for m in tail_of(messages, settings.keep_last)}
        places = [i for i, m in enumerate(messages) if m.id not in settled]
        start = max(0, places[0] - max(settings.window, _LOOK_BACK))
        near = messages[start:]
        decided, tokens_selected, chosen = self._decide(
            near, [i - start for i in places], tail, settings, progress, may_be_empty=bool(closed)
        )
        number = len(closed) + 1
        by_id = settled | {
            d.message_id: replace(d, round=0 if d.decision is Decision.TAIL else number) for d in decided
        }
        result = replace(
            earlier, messages=tuple(by_id[m.id] for m in messages), tokens_selected=tokens_selected
        )
        new = [m for m in result.messages if m.round == number]
        if not new:
            return replace(result, rounds=closed)
        result, written, summarizer = self._summarise(chosen, settings, result, progress)
        before = closed[-1].carried if closed else ""
        paragraph = carry(
            before,
            written,
            lambda text: self._counter.count(text) <= settings.summary_tokens,
            self._embedder.embed,
        )
        new_round = Round(
            number, new[0].message_id, new[-1].message_id, len(new), written, paragraph, summarizer
        )
        return replace(
            result,
            paragraph=paragraph,
            tokens_out=self._counter.count(paragraph) if paragraph else 0,
            summarizer=summarizer or (closed[-1].summarizer if closed else PASSED_THROUGH),
            rounds=(*closed, new_round),
        )

    def _decide(
        self,
        near: Sequence[Message],
        places: Sequence[int],
        tail: Collection[str],
        settings: CompressionSettings,
        progress: Progress,
        *,
        may_be_empty: bool,
    ) -> tuple[list[MessageDecision], int, list[Line]]:
        """Decide on the messages at ``places``; those around them say how relevant they are."""
        contents = [m.content for m in near]
        vectors = self._embedder.embed(
            contents,
            progress=lambda done, total: progress(self.name, done, total, "messages embedded"),
        )
        chunks = chunk_counts(self._embedder, contents)
        own = {place: number for number, place in enumerate(places)}
        lines = self._lines(near, own, settings)
        plan = plan_of(near, own, tail, settings, may_be_empty=may_be_empty)
        decisions, tokens = select(
            lines,
            vectors,
            settings,
            self._counter,
            chunks=[chunks[i] for i in places],
            plan=plan,
            places=places,
        )
        chosen = [line for line, d in zip(lines, decisions, strict=True) if d.decision is Decision.PICKED]
        return decisions, tokens, chosen

    def _lines(
        self, near: Sequence[Message], own: Mapping[int, int], settings: CompressionSettings
    ) -> list[Line]:
        shown = shown_of(near, tool_lines=settings.tool_lines == "on", references=settings.references == "on")
        return candidate_lines(
            [near[i] for i in own],
            self._counter,
            settings.max_tokens,
            cut_long=self._cut_long,
            shown={own[i]: text for i, text in shown.items() if i in own},
        )

    def _summarise(
        self,
        chosen: Sequence[Line],
        settings: CompressionSettings,
        result: Compression,
        progress: Progress,
    ) -> tuple[Compression, str, str]:
        """Return the result with its summarizer's limits, what was written, and by whom."""
        contents = [line.source for line in chosen if not line.message.is_blank]
        words = sum(len(content.split()) for content in contents)
        if words <= settings.passthrough_words:
            paragraph = MESSAGE_BREAK.join(contents)
            if not paragraph or self._counter.count(paragraph) <= settings.passthrough_tokens:
                return result, paragraph, PASSED_THROUGH
        summarizer = as_summarizer(self._summarizer_for(settings.summarizer))
        summary = summarizer.summarize(
            [line.text for line in chosen],
            max_tokens=settings.summary_tokens,
            progress=lambda done, total: progress(self.name, done, total, "parts of the summary written"),
        )
        context = getattr(summarizer, "max_input_tokens", None)
        return replace(result, summarizer_context=context), well_formed(summary), summarizer.model_id


def compress(
    messages: Iterable[Mapping[str, Any]],
    max_tokens: int = _DEFAULTS.max_tokens,
    lambda_mmr: float = _DEFAULTS.lambda_mmr,
    *,
    embedder: Embedder | None = None,
    summarizer: Summarizer | None = None,
    counter: TokenCounter | None = None,
) -> str:
    """Compress messages to one paragraph: the plain core of stage 1, with nothing cut or left out beforehand.

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
    chosen = CompressionSettings(max_tokens=max_tokens, lambda_mmr=lambda_mmr)
    settings = Settings(compression=chosen.plain())
    conversation = Conversation.from_messages(messages)
    if not conversation.messages:
        return ""
    from memguard.models import loading

    embed = embedder if embedder is not None else loading.load_embedder()
    compressor = Compressor(
        embed,
        (lambda _name: summarizer)
        if summarizer is not None
        else (lambda name: loading.load_summarizer(name)),
        counter if counter is not None else loading.load_counter(),
        cut_long=False,
    )
    return compressor.run(Trace(conversation, settings)).paragraph


def joined(conversation: Conversation) -> str:
    """Return the whole conversation as the one role-prefixed string that budgets measure (A12)."""
    return join_lines(message.line for message in conversation.messages)
