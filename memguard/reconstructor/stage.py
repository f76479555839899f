"""Stage 3: the budget, the choice, and the plain function."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
from memguard.reconstructor.choice import Facts, choose, price_of_headings
from memguard.reconstructor.citations import ShortCitations
from memguard.reconstructor.forms import (
    FALLBACK_HEADING,
    Omission,
    OmissionReason,
    Piece,
    Reconstruction,
    Status,
)
from memguard.reconstructor.headings import heading_of
from memguard.reconstructor.lines import Entry, Layout, entry_of
from memguard.reconstructor.task import Task, holds, last_turn, task_of
from memguard.rescue import Budget, Chosen
from memguard.selection.lines import join_lines
from memguard.selection.tail import tail_of
from memguard.settings import ReconstructionSettings, Settings
from memguard.trace import Progress, Trace, silent

NOTHING_TO_CHECK = "the summary states nothing that could be checked"
_DEFAULTS = ReconstructionSettings()
_LINES_REMEMBERED = 32_768
_MANY = 200
"""So many lines are not counted again as a whole to see whether one more fits."""
_SECOND_TRIES = 12
_SPARED = 3
"""Most tokens by which words are shorter in a payload than counted alone: start, end and full stop."""


@dataclass(frozen=True, slots=True)
class _Shown:
    """A payload as it stands."""

    text: str = ""
    tokens: int = 0
    pieces: tuple[Piece, ...] = ()
    chosen: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Draft:
    """What was chosen for a layout, before it is counted as it stands."""

    layout: Layout
    choice: Chosen
    shown: _Shown

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left out."""
        return not self.choice.left


class Reconstructor:
    """Runs stage 3."""

    name = "reconstruction"
    reads = ("reconstruction", "retention")
    requires: tuple[type, ...] = (Elimination,)
    produces = Reconstruction

    def __init__(self, counter: TokenCounter) -> None:
        """Take the token counter of the budget; no other model takes part."""
        self._counter = counter
        # A moved slider puts the same lines together again, and looks for the same facts in them.
        self._count_line = lru_cache(maxsize=_LINES_REMEMBERED)(counter.count)
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
            result = self._assemble(task)
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

    def _assemble(self, task: Task) -> Reconstruction:
        """Put the entries together, with full citations where no line is left out for them.

        A payload is no longer than the conversation that it stands for: where it would be, it has short
        citations, then no headings, then fewer lines. Full citations that are asked for stay, and so does all
        of it within ``payload_floor``, since a few messages are always shorter than lines that cite them.
        """
        for layout in self._layouts(task):
            draft = self._draft(task, layout, task.budget)
            if draft.is_whole and draft.shown.tokens <= min(task.budget, task.most):
                break
        shown, repeated = self._filled(task, draft, task.budget)
        if shown.tokens <= task.most or not layout.is_short:
            return _result(task, shown, repeated)
        return self._no_longer(task)

    def _no_longer(self, task: Task) -> Reconstruction:
        """Put the entries together in one list with short citations, and leave out what is too much."""
        layout = Layout(
            task.conversation,
            task.entries,
            ShortCitations(task.conversation),
            top=task.top,
            with_headings=False,
        )
        shown, repeated = self._filled(task, self._draft(task, layout, task.budget), task.budget)
        if shown.tokens <= task.most:
            return _result(task, shown, repeated)
        shown, repeated = self._filled(task, self._draft(task, layout, task.most), task.most)
        result = _result(task, shown, repeated)
        return replace(result, warnings=(size.left_out(result, task.whole),))

    def _layouts(self, task: Task) -> Iterator[Layout]:
        """Yield the ways in which a payload may be shown, the one that is wanted most first."""
        has_headings = task.settings.layout == "headings"
        if task.settings.citations != "id":
            yield Layout(task.conversation, task.entries, None, top=task.top, with_headings=has_headings)
        if task.settings.citations != "full":
            short = ShortCitations(task.conversation)
            yield Layout(task.conversation, task.entries, short, top=task.top, with_headings=has_headings)

    def _draft(self, task: Task, layout: Layout, limit: int) -> _Draft:
        choice = self._choice(task, layout, limit)
        return _Draft(layout, choice, self._shown(layout, choice.items))

    def _filled(self, task: Task, draft: _Draft, limit: int) -> tuple[_Shown, frozenset[int]]:
        """Return a draft as it fits the limit, with what fits beside it, and what says nothing new."""
        layout, shown, chosen = draft.layout, draft.shown, [*draft.choice.items]
        while chosen and shown.tokens > limit:
            chosen.pop()  # lines counted one by one need not add up
            shown = self._shown(layout, chosen)
        if len(chosen) < _MANY:
            shown = self._with_more(task, draft, shown, limit)
        return shown, draft.choice.repeated

    def _choice(self, task: Task, layout: Layout, limit: int) -> Chosen:
        """Return which entries fit: by key facts where some are quoted, else by support."""
        room = limit - self._count_line(layout.top)
        if layout.has_headings:
            room -= price_of_headings(task.entries, self._count_line)
        if task.has_quotes:
            budget = Budget(room, task.retention.rescue_tokens)
            return choose(
                task.entries,
                layout,
                task.stated,
                task.facts,
                budget,
                self._count_line,
            )
        return self._by_support(task.entries, layout, room)

    def _shown(self, layout: Layout, chosen: Sequence[int]) -> _Shown:
        text, pieces = layout.render(chosen)
        return _Shown(text, self._counter.count(text) if text else 0, pieces, tuple(chosen))

    def _with_more(self, task: Task, draft: _Draft, shown: _Shown, limit: int) -> _Shown:
        """Add what fits as well once the whole payload is counted as it stands."""
        stated = {task.facts.keys[id] for i in shown.chosen for id in task.stated[i]}
        for i in draft.choice.left[:_SECOND_TRIES]:
            told = {task.facts.keys[id] for id in task.stated[i]}
            is_limited = task.entries[i].is_quote and task.retention.rescue_tokens is not None
            least = self._count_line(task.entries[i].verdict.claim.text) - _SPARED
            if told <= stated or is_limited or i in shown.chosen or shown.tokens + least > limit:
                continue
            longer = self._shown(draft.layout, [*shown.chosen, i])
            if longer.tokens <= limit:
                shown = longer
                stated |= told
        return shown

    def _by_support(self, entries: Sequence[Entry], layout: Layout, budget: int) -> Chosen:
        """Choose the claims that fit, the best supported first, counted line by line.

        What a person keeps goes before what only scored well.
        """
        verdicts = [entry.verdict for entry in entries]
        by_support = sorted(
            range(len(verdicts)), key=lambda i: (verdicts[i].override is None, -verdicts[i].support)
        )
        chosen: list[int] = []
        used = 0
        for i in by_support:
            cost = self._cost(layout, [i])
            if used + cost <= budget:
                chosen.append(i)
                used += cost
        # Beside its neighbours a clause or a pronoun needs fewer words than alone.
        entered = set(chosen)
        left = [i for i in by_support if i not in entered and verdicts[i].claim.needs_others]
        for i in left[:_SECOND_TRIES]:
            if self._cost(layout, [*chosen, i]) <= budget:
                chosen.append(i)
        entered = set(chosen)
        return Chosen(tuple(chosen), tuple(i for i in by_support if i not in entered))

    def _cost(self, layout: Layout, chosen: list[int]) -> int:
        empty = self._count_line("")
        return sum(self._count_line(f"\n{line}") - empty for line in layout.lines_of(chosen))

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


def _result(task: Task, shown: _Shown, repeated: frozenset[int]) -> Reconstruction:
    """Return a payload with what was left out of it, and why."""
    omitted: dict[bool, list[Omission]] = {True: list(task.barred), False: list(task.repeated)}
    for i in sorted(set(range(len(task.entries))) - set(shown.chosen)):
        reason = OmissionReason.REPEATED if i in repeated else OmissionReason.BUDGET
        entry = task.entries[i]
        omitted[entry.is_quote].append(Omission(entry.verdict.claim.id, reason))
    entered = [task.entries[i] for i in sorted(shown.chosen) if task.entries[i].is_quote]
    return Reconstruction(
        text=shown.text,
        tokens=shown.tokens,
        budget=task.budget,
        pieces=shown.pieces,
        omitted=tuple(omitted[False]),
        verbatim=tuple(entry.verdict for entry in entered),
        unquoted=tuple(omitted[True]),
    )


def _statement(conversation: Conversation, piece: Piece) -> Statement:
    speaker = conversation.message(piece.message_ids[0]).speaker_name
    return Statement(piece.stated, piece.message_ids, speaker)


def _nothing_to_check(trace: Trace) -> bool:
    """Return whether the summary came from outside and states nothing."""
    compression = trace.get(Compression)
    stated = any(v.label is not Label.NOT_A_CLAIM for v in trace[Elimination].verdicts)
    return compression is not None and compression.given and not stated
