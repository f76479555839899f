"""``MemGuard``, the short way in."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from memguard.compressor import Compression, Compressor, joined
from memguard.eliminator import Eliminator
from memguard.errors import InvalidParameterError, TranscriptError
from memguard.grounding.entailment import CachedEntailment, EntailmentScorer
from memguard.grounding.overrides import Override
from memguard.grounding.verifiers import load_entailment
from memguard.messages import Conversation
from memguard.models import loading
from memguard.models.duck import as_embedder, as_summarizer
from memguard.models.protocols import Embedder, Summarizer, TokenCounter
from memguard.outgoing import OutgoingReconstructor
from memguard.pipeline import Pipeline
from memguard.settings import Settings
from memguard.text import well_formed
from memguard.trace import Progress, StageTiming, Trace, silent

Messages = Conversation | Iterable[Mapping[str, Any]]


class MemGuard:
    """Compression, elimination and reconstruction on one set of models.

    Models are loaded when first needed, once a process, from local folders alone.

    Example:
        >>> guard = MemGuard()
        >>> trace = guard.run([{"role": "user", "content": "I moved to Lyon in May."}])
        >>> trace[Reconstruction].text
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        embedder: Embedder | None = None,
        summarizer: Summarizer | None = None,
        counter: TokenCounter | None = None,
        entailment: EntailmentScorer | None = None,
    ) -> None:
        """Take settings and, in place of the installed models, objects that do their work.

        An ``entailment`` object takes part in every verdict, whatever the setting of that name says;
        ``LLMEntailment(llm)`` makes one of any language model. With ``privacy.redact`` both are given
        placeholders in place of secrets and personal data, since they may stand anywhere; the embedder
        reads the untouched text, against which claims are measured.

        Raises:
            InvalidParameterError: An object lacks the method that is called.
        """
        if settings is not None and not isinstance(settings, Settings):
            raise InvalidParameterError(f"settings must be Settings; got {type(settings).__name__}")
        self.settings = settings if settings is not None else Settings()
        self._embedder = None if embedder is None else as_embedder(embedder)
        self._summarizer = None if summarizer is None else as_summarizer(summarizer)
        self._counter = counter
        self._entailment = None if entailment is None else _cached(entailment)
        self._pipeline: Pipeline | None = None
        self._building = threading.Lock()

    @property
    def pipeline(self) -> Pipeline:
        """The three stages, made once.

        Raises:
            ModelUnavailableError: The embedder is not installed.
        """
        with self._building:
            if self._pipeline is None:
                self._pipeline = self._build()
        return self._pipeline

    def _build(self) -> Pipeline:
        from memguard.models.cache import CachedEmbedder

        embedder = self._embedder if self._embedder is not None else loading.load_embedder()
        if not isinstance(embedder, CachedEmbedder):
            embedder = CachedEmbedder(embedder)  # so that no text is embedded twice, whoever embeds
        counter = self.counter

        def summarizer_for(name: str) -> Summarizer:
            if self._summarizer is not None:
                return self._summarizer
            return loading.load_summarizer(name)

        def entailment_for(name: str) -> EntailmentScorer | None:
            return self._entailment if self._entailment is not None else load_entailment(name)

        return Pipeline(
            (
                Compressor(embedder, summarizer_for, counter, leaves=self._summarizer is not None),
                Eliminator(embedder, entailment_for, leaves=self._entailment is not None),
                OutgoingReconstructor(counter),
            )
        )

    @property
    def counter(self) -> TokenCounter:
        """Counts the tokens of both budgets."""
        if self._counter is None:
            self._counter = loading.load_counter()
        return self._counter

    def run(self, messages: Messages, *, progress: Progress = silent) -> Trace:
        """Take messages through all three stages.

        Args:
            messages: A conversation, or dicts with ``role`` and ``content``; never changed.
            progress: Called while a stage works.

        Raises:
            TranscriptError: A message is not valid.
            ModelUnavailableError: A model is needed that is not installed.
        """
        conversation = _conversation(messages)
        return self._loaded(progress).run(conversation, self.settings, progress=progress)

    def check(self, summary: str, messages: Messages, *, progress: Progress = silent) -> Trace:
        """Check a summary that came from anywhere else, and assemble what survives."""
        trace = given(summary, _conversation(messages), self.settings, counter=self.counter)
        return self._loaded(progress).finish(trace, progress=progress)

    def extend(
        self, trace: Trace, new_messages: Iterable[Mapping[str, Any]], *, progress: Progress = silent
    ) -> Trace:
        """Add turns to a finished run; only these are selected and summarised, and no text is embedded twice.

        What was written of earlier turns is carried on as it stands, never summarised again, and each
        of its claims is judged against the whole longer transcript: a correction in a new turn drops
        the old line. With the setting ``compression.rolling`` at ``whole`` everything is selected and
        summarised again. A trace of ``check`` keeps its summary. Overrides stay with the claims that
        still stand in the summary; of the others a warning is left.
        """
        conversation = trace.conversation.extended(new_messages)
        compression = trace.get(Compression)
        if compression is not None and compression.given:
            extended = given(compression.paragraph, conversation, trace.settings, counter=self.counter)
        else:
            extended = Trace(conversation, trace.settings)
        extended = replace(extended, overrides=trace.overrides)
        compressor, *others = self.pipeline.stages
        if isinstance(compressor, Compressor):
            compressor = compressor.after(compression)
        return Pipeline((compressor, *others)).finish(extended, progress=progress)

    def update(self, trace: Trace, settings: Settings, *, progress: Progress = silent) -> Trace:
        """Bring a trace up to new settings; a moved threshold runs no model."""
        return self.pipeline.update(trace, settings, progress=progress)

    def override(self, trace: Trace, overrides: Iterable[Override]) -> Trace:
        """Return the run with a person's decisions in place of those it has; runs no model.

        Example:
            >>> keep = Override("c3", kept=True, note="agreed on the phone")
            >>> guard.override(trace, [*trace.overrides, keep])

        Raises:
            InvalidParameterError: An override names no claim of this run, or one about which there
                is nothing to decide.
        """
        return self.pipeline.override(trace, overrides)

    def _loaded(self, progress: Progress) -> Pipeline:
        """Return the pipeline; the seconds that loading takes are seen as progress."""
        if self._pipeline is not None or self._embedder is not None:
            return self.pipeline
        progress("models", 0, 1, "loading the sentence encoder")
        pipeline = self.pipeline
        progress("models", 1, 1, "loading the sentence encoder")
        return pipeline


def _cached(entailment: EntailmentScorer) -> EntailmentScorer:
    if not callable(getattr(entailment, "score", None)):
        raise InvalidParameterError(
            f"entailment must have a method score(premises, hypotheses); got {type(entailment).__name__}"
        )
    if not isinstance(getattr(entailment, "model_id", None), str):
        raise InvalidParameterError(f"entailment must have a model_id; {type(entailment).__name__} has none")
    return entailment if isinstance(entailment, CachedEntailment) else CachedEntailment(entailment)


def given(
    summary: str, conversation: Conversation, settings: Settings, *, counter: TokenCounter | None = None
) -> Trace:
    """Return a trace whose paragraph is a summary from outside.

    Args:
        summary: Any text.
        conversation: What it will be checked against.
        settings: For the stages to come.
        counter: Counts the conversation once, where the payload's budget is a share of it; else
            every reconstruction counts anew.

    Raises:
        TranscriptError: The summary is not a string.
    """
    if not isinstance(summary, str):
        raise TranscriptError(f"the summary must be a string; got {type(summary).__name__}")
    tokens_in = counter.count(joined(conversation)) if counter is not None and conversation.messages else 0
    tokens_out = counter.count(summary) if counter is not None and summary.strip() else 0
    result = Compression(well_formed(summary), tokens_in=tokens_in, tokens_out=tokens_out, given=True)
    return Trace(conversation, settings).with_result(
        result, StageTiming("compression", datetime.now(UTC), 0.0)
    )


def _conversation(messages: Messages) -> Conversation:
    if isinstance(messages, Conversation):
        return messages
    return Conversation.from_messages(messages)


if loading.eager_requested():  # F5: with the flag, importing this module loads the models
    loading.warm_up()
