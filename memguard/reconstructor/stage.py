"""Stage 3: the budget, the choice, and the plain function."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from memguard.compressor import Compression, joined
from memguard.eliminator import Elimination
from memguard.errors import InvalidParameterError
from memguard.facts import Statement, omissions
from memguard.grounding.verdicts import Label, verbatim
from memguard.messages import Conversation, SourceSpan
from memguard.models.protocols import TokenCounter
from memguard.reconstructor import size
from memguard.reconstructor.assembly import Assembler
from memguard.reconstructor.choice import Facts
from memguard.reconstructor.citations import ShortCitations
from memguard.reconstructor.entries import entry_of
from memguard.reconstructor.forms import (
    FALLBACK_HEADING,
    Piece,
    Reconstruction,
    Status,
)
from memguard.reconstructor.headings import heading_of
from memguard.reconstructor.lines import Layout
from memguard.reconstructor.task import Task, holds, last_turn, task_of
from memguard.selection.lines import join_lines
from memguard.selection.tail import tail_of
from memguard.settings import ReconstructionSettings, Settings
from memguard.trace import Progress, Trace, silent

NOTHING_TO_CHECK = "the summary states nothing that could be checked"
_DEFAULTS = ReconstructionSettings()
_LINES_REMEMBERED = 32_768


class Reconstructor:
    """Runs stage 3."""

    name = "reconstruction"
    reads: tuple[str, ...] = ("reconstruction", "retention")
    requires: tuple[type, ...] = (Elimination,)
    produces = Reconstruction

    def __init__(self, counter: TokenCounter) -> None:
        """Take the token counter of the budget; no other model takes part."""
        self._counter = counter
        # A moved slider puts the same lines together again, and looks for the same facts in them.
        self._count_line = lru_cache(maxsize=_LINES_REMEMBERED)(counter.count)
        self._assembler = Assembler(counter, self._count_line)
        self._facts: Facts | None = None

    def run(self, trace: Trace, *, progress: Progress = silent) -> Reconstruction:
        """Assemble the surviving claims, and quotes for what they leave out, under the payload's budget."""
        elimination = trace[Elimination]
        progress(self.name, 0, 1, "claims assembled")
        facts = self._facts_of(trace.conversation, elimination)
        task = task_of(trace, facts, self._budget(trace), self._whole(trace))
        if _nothing_to_check(trace):
            result = Reconstruction("", 0, task.budget, status=Status.EMPTY, warnings=(NOTHING_TO_CHECK,))
        else:
            result = self._assembler.assemble(task)
            if not elimination.kept:
                result = replace(result, status=Status.NO_SUPPORTED_CLAIMS)
                if not result.pieces:
                    result = replace(self._fall_back(task, elimination.central), unquoted=result.unquoted)
            elif not result.pieces:
                result = replace(result, warnings=(size.too_small(task.budget),))
        if result.tokens > task.whole and not result.warnings:
            result = replace(result, warnings=(*result.warnings, size.longer(result.tokens, task.whole)))
        said = (
            *(_statement(task.conversation, piece) for piece in result.pieces),
            *(Statement(message.content, (message.id,), message.speaker_name) for message in task.tail),
        )
        result = replace(result, omissions=omissions(task.facts.facts, said, task.facts.index))
        progress(self.name, 1, 1, "claims assembled")
        return result

    def adjust(self, result: object, trace: Trace, before: Settings) -> None:
        """Return None: assembling again is as quick as adjusting."""

    def _facts_of(self, conversation: Conversation, elimination: Elimination) -> Facts:
        known = self._facts
        if known is None or known.conversation is not conversation or known.facts is not elimination.facts:
            known = self._facts = Facts(conversation, elimination.facts)
        return known

    def _budget(self, trace: Trace) -> int:
        settings: ReconstructionSettings = trace.settings.reconstruction
        if settings.payload_tokens is not None:
            return settings.payload_tokens
        return max(settings.payload_floor, int(self._tokens_in(trace) * settings.payload_share))

    def _tokens_in(self, trace: Trace) -> int:
        """Return the tokens of a whole conversation, counted once."""
        compression = trace.get(Compression)
        if compression is not None and compression.tokens_in:
            return compression.tokens_in
        return self._count_line(joined(trace.conversation)) if trace.conversation.messages else 0

    def _whole(self, trace: Trace) -> int:
        """Return the tokens of what the payload stands for: all but the recent messages behind it."""
        messages = trace.conversation.messages
        tail = tail_of(messages, trace.settings.compression.keep_last)
        if not tail or len(tail) == len(messages):
            return self._tokens_in(trace)
        return self._count_line(join_lines(message.line for message in messages[: -len(tail)]))

    def _fall_back(self, task: Task, central: Sequence[SourceSpan]) -> Reconstruction:
        """Put the most central source sentence that fits in place of the claims (REC-010)."""
        status = Status.NO_SUPPORTED_CLAIMS if central else Status.EMPTY
        nothing = Reconstruction("", 0, task.budget, status=status)
        numbers = {message.id: number for number, message in enumerate(task.conversation.messages)}
        for span in central:
            if holds(span, task.unwanted, task.facts):
                continue
            sentence = verbatim("v1", task.conversation.text(span), span)
            told = task.facts.stated(sentence.claim.text, (span.message_id,))
            is_last = span.message_id in last_turn(task.conversation)
            heading = heading_of(sentence.claim.text, task.facts.kinds(told), is_last=is_last)
            entry = entry_of(sentence, task.conversation, numbers, heading)
            layout = Layout(task.conversation, (entry,), self._short(task), top=FALLBACK_HEADING)
            text, pieces = layout.render([0])
            tokens = self._counter.count(text)
            if tokens <= task.budget:
                return replace(nothing, text=text, tokens=tokens, pieces=pieces, verbatim=(sentence,))
        return replace(nothing, warnings=(size.too_small(task.budget),)) if central else nothing

    def _short(self, task: Task) -> ShortCitations | None:
        return ShortCitations(task.conversation) if task.settings.citations == "id" else None


def reconstruct(
    elimination: Elimination,
    messages: Iterable[Mapping[str, Any]],
    *,
    settings: ReconstructionSettings = _DEFAULTS,
    counter: TokenCounter | None = None,
) -> Reconstruction:
    """Put the surviving claims of ``eliminate`` together: stage 3 as a plain function.

    Args:
        elimination: What ``eliminate`` returned for the same messages.
        messages: Dicts with ``role`` and ``content``; never changed.
        settings: The payload's budget and its form.
        counter: Default: BART's tokens.

    Raises:
        InvalidParameterError: The elimination cites a message that is not among these.
        TranscriptError: A message is not valid.
    """
    if counter is None:
        from memguard.models import loading

        counter = loading.load_counter()
    conversation = Conversation.from_messages(messages)
    known = {message.id for message in conversation}
    verdicts = (*elimination.verdicts, *elimination.rescuable)
    cited = [*(e.span for v in verdicts for e in v.evidence), *elimination.central]
    unknown = sorted({span.message_id for span in cited} - known)
    if unknown:
        raise InvalidParameterError(
            f"messages must be those that the claims were checked against; {unknown[0]!r} is not among them"
        )
    trace = Trace(conversation, Settings(reconstruction=settings), results=(elimination,))
    return Reconstructor(counter).run(trace)


def _statement(conversation: Conversation, piece: Piece) -> Statement:
    speaker = conversation.message(piece.message_ids[0]).speaker_name
    return Statement(piece.stated, piece.message_ids, speaker)


def _nothing_to_check(trace: Trace) -> bool:
    """Return whether the summary came from outside and states nothing."""
    compression = trace.get(Compression)
    stated = any(v.label is not Label.NOT_A_CLAIM for v in trace[Elimination].verdicts)
    return compression is not None and compression.given and not stated
