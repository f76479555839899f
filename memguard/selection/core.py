"""Maximal marginal relevance under the summarizer's token budget.

Follows the requirements to the letter: the best candidate is taken next, and the first that passes
the budget ends the selection, even where a smaller one would still fit (A08). A ``Plan`` says what is
decided before: what is left out, what enters first, what enters only together. The empty plan is the
plain core, and its picks are those of the requirements.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memguard.geometry.mmr import Pick, mmr_order, rows_of
from memguard.geometry.relevance import window_relevance
from memguard.models.protocols import TokenCounter
from memguard.selection.decisions import Decision, MessageDecision, Reason
from memguard.selection.lines import Line, join_lines
from memguard.settings import CompressionSettings

_LEFT_OUT = {Reason.RECENT: Decision.TAIL, Reason.NOTHING_VISIBLE: Decision.BLANK}


@dataclass(frozen=True, slots=True)
class Plan:
    """What is decided before the best candidate is looked for; positions are those of the lines.

    Attributes:
        left_out: What is no candidate, and why. Noise is one after all where nothing else is left.
        pinned: What enters before all others, the most wanted first, and why.
        together: Groups of positions of which all enter or none.
        may_be_empty: An earlier round has picked already, so that this one need not (A09).
    """

    left_out: Mapping[int, Reason] = field(default_factory=dict)
    pinned: Mapping[int, Reason] = field(default_factory=dict)
    together: Sequence[tuple[int, ...]] = ()
    may_be_empty: bool = False


def select(
    lines: Sequence[Line],
    vectors: Any,
    settings: CompressionSettings,
    counter: TokenCounter,
    *,
    chunks: Sequence[int],
    plan: Plan | None = None,
    places: Sequence[int] | None = None,
) -> tuple[list[MessageDecision], int]:
    """Decide on every line.

    Args:
        lines: In conversation order.
        vectors: float32 of shape (n, d), one row a message.
        settings: Budget, window and lambda.
        counter: Counts the joined selection.
        chunks: In how many pieces each line's message was embedded.
        plan: What is decided before; nothing by default.
        places: The rows of the lines, where ``vectors`` holds their neighbours as well.

    Returns:
        One decision a line, and the tokens of the selection.
    """
    plan = plan if plan is not None else Plan()
    rows = np.arange(len(lines)) if places is None else np.asarray(places, dtype=int)
    relevance = window_relevance(vectors, settings.window)[rows]
    units = _units(len(lines), plan.together, relevance)
    candidates = _candidates(lines, plan)
    decisions = [_undecided(line, float(relevance[i]), chunks[i]) for i, line in enumerate(lines)]
    for i in np.flatnonzero(~candidates):
        reason = plan.left_out.get(int(i), Reason.NOTHING_VISIBLE)
        decision = _LEFT_OUT.get(reason, Decision.NOISE)
        decisions[i] = replace(decisions[i], decision=decision, reason=reason)
    if not candidates.any():
        return decisions, 0

    speaking = np.array([units[i][0] == i for i in range(len(lines))], bool) & candidates
    budget = _Budget(lines, units, settings.max_tokens, counter)
    wanted = list(dict.fromkeys(units[i][0] for i in plan.pinned if candidates[units[i][0]]))
    pinned = budget.take(iter([Pick(i, 0.0, 0.0) for i in wanted]), first=True) if wanted else _Taken()
    speaking[[p.index for p in pinned.tried]] = False
    picks: Iterator[Pick] = iter(())
    if pinned.n_taken == len(pinned.tried) == len(wanted):
        picks = mmr_order(
            relevance,
            rows_of(np.asarray(vectors)[rows]),
            settings.lambda_mmr,
            candidates=speaking,
            picked=[i for p in pinned.picks for i in units[p.index]],
        )
    best = budget.take(picks, before=pinned)
    _record(decisions, lines, units, (pinned, best), plan)
    return decisions, best.tokens if best.tried else pinned.tokens


@dataclass(frozen=True, slots=True)
class _Taken:
    """Picks, with the one that passed the budget last if there is one; how many entered; their tokens."""

    tried: tuple[Pick, ...] = ()
    n_taken: int = 0
    tokens: int = 0

    @property
    def picks(self) -> tuple[Pick, ...]:
        return self.tried[: self.n_taken]


@dataclass(frozen=True, slots=True)
class _Budget:
    lines: Sequence[Line]
    units: Sequence[tuple[int, ...]]
    max_tokens: int
    counter: TokenCounter

    def take(self, picks: Iterator[Pick], *, first: bool = False, before: _Taken | None = None) -> _Taken:
        """Take picks up to the first that passes the budget; the very first is always taken (A08, A09).

        The joined string is counted after 1, 2, 4, … picks and then by halving, not after each: a
        count never falls when a line is added, so the same pick is found.

        Args:
            picks: The best first.
            first: Nothing stands before them.
            before: What is taken already and counts with them.
        """
        fixed = before.picks if before is not None else ()
        first = first or not fixed
        tried = list(islice(picks, 1 if first else 0))
        if first and not tried:
            return _Taken()

        def count(n: int) -> int:
            chosen = sorted(i for p in (*fixed, *tried[:n]) for i in self.units[p.index])
            return self.counter.count(join_lines(self.lines[i].text for i in chosen))

        taken, tokens = len(tried), count(len(tried))
        while True:
            tried += islice(picks, max(taken, 1))
            if len(tried) == taken:
                return _Taken(tuple(tried), taken, tokens)
            total = count(len(tried))
            if total > self.max_tokens:
                break
            taken, tokens = len(tried), total
        over = len(tried)
        while over - taken > 1:
            middle = (taken + over) // 2
            total = count(middle)
            if total > self.max_tokens:
                over = middle
            else:
                taken, tokens = middle, total
        return _Taken(tuple(tried[:over]), taken, tokens)


def _candidates(lines: Sequence[Line], plan: Plan) -> NDArray[np.bool_]:
    """Return what may be picked: what is visible and not left out, and rather noise than nothing (A09)."""
    visible = np.array([not line.message.is_blank for line in lines], bool)
    tail = np.array([plan.left_out.get(i) is Reason.RECENT for i in range(len(lines))], bool)
    wanted: NDArray[np.bool_] = visible & ~np.array([i in plan.left_out for i in range(len(lines))], bool)
    if wanted.any() or plan.may_be_empty:
        return wanted
    rest: NDArray[np.bool_] = visible & ~tail
    return rest if rest.any() else np.logical_not(tail)


def _units(n: int, together: Iterable[tuple[int, ...]], relevance: Any) -> list[tuple[int, ...]]:
    """Return for every line all lines that enter with it, the most relevant, which speaks for them, first."""
    units: list[tuple[int, ...]] = [(i,) for i in range(n)]
    for group in together:
        ordered = tuple(sorted(group, key=lambda i: (-relevance[i], i)))
        for i in group:
            units[i] = ordered
    return units


def _undecided(line: Line, relevance: float, n_chunks: int) -> MessageDecision:
    return MessageDecision(
        message_id=line.message.id,
        index=line.message.index,
        relevance=relevance,
        decision=Decision.NOT_REACHED,
        n_tokens=line.n_tokens,
        used_chars=line.used_chars,
        n_chunks=n_chunks,
        stand_ins=line.stand_ins,
    )


def _record(
    decisions: list[MessageDecision],
    lines: Sequence[Line],
    units: Sequence[tuple[int, ...]],
    taken: tuple[_Taken, _Taken],
    plan: Plan,
) -> None:
    """Write into the decisions what was picked, in which order and why."""
    rank = 0
    for part in taken:
        for number, pick in enumerate(part.tried, start=1):
            rank += 1
            entered = number <= part.n_taken
            unit = units[pick.index]
            leads = next((i for i in plan.pinned if i in unit), pick.index)
            for i in unit:
                measured = i == pick.index and part is taken[1]
                why = plan.pinned.get(i, Reason.RELEVANCE if i == leads else Reason.TOGETHER)
                decisions[i] = replace(
                    decisions[i],
                    decision=Decision.PICKED if entered else Decision.OVER_BUDGET,
                    reason=why if entered else Reason.BUDGET,
                    rank=rank,
                    mmr_score=pick.score if measured else None,
                    max_similarity=pick.max_similarity if measured and rank > 1 else None,
                    beside=None if i == leads else lines[leads].message.id,
                )
