"""A payload put together: which form it has, what of it fits, and what is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from memguard.models.protocols import TokenCounter
from memguard.reconstructor import size
from memguard.reconstructor.choice import choose, price_of_headings
from memguard.reconstructor.citations import ShortCitations
from memguard.reconstructor.entries import Entry
from memguard.reconstructor.forms import Omission, OmissionReason, Piece, Reconstruction
from memguard.reconstructor.lines import Layout
from memguard.reconstructor.task import Task
from memguard.rescue import Budget, Chosen

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


class Assembler:
    """Puts the entries of a task into a payload."""

    def __init__(self, counter: TokenCounter, count_line: Callable[[str], int]) -> None:
        """Take the budget's token counter.

        Args:
            counter: Counts a payload as it stands.
            count_line: The same, with a memory for lines that are seen again.
        """
        self._counter = counter
        self._count_line = count_line

    def assemble(self, task: Task) -> Reconstruction:
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
