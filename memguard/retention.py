"""What is kept of the key facts at every size of the payload, beside what people do without MemGuard.

A finished run is put together again under a series of budgets. No model takes part: claims and quotes
were measured once, and reconstruction only chooses among them. The last messages that fit and the
beginning of the conversation are given the same budgets, and held against the same facts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from memguard.baselines import System, last_messages, truncation
from memguard.compressor import Compression, joined
from memguard.eliminator import Elimination
from memguard.errors import InvalidParameterError
from memguard.facts import ClassRecall, FactIndex, KeyFact, omissions
from memguard.messages import Conversation
from memguard.models.protocols import TokenCounter
from memguard.reconstructor import Reconstruction
from memguard.trace import Trace

SHARES = (0.1, 0.15, 0.2, 0.25, 0.3, 1 / 3, 0.4, 0.5, 0.7, 1.0)
"""Of the conversation's tokens: closest where a payload usually lies."""
Reconstruct = Callable[[Trace], Reconstruction]


@dataclass(frozen=True, slots=True)
class Retained:
    """What one way to shorten a conversation keeps under one budget.

    Attributes:
        budget: In tokens.
        tokens: What it took of them.
        recall: Share of the key facts that it states, in [0, 1]; None where there are none.
        by_class: The same counts for each class of facts.
        n_quoted: Lines that hold the transcript's own words beside the summary.
        n_claims: Claims of the summary that it holds.
    """

    budget: int
    tokens: int
    recall: float | None
    by_class: tuple[ClassRecall, ...]
    n_quoted: int = 0
    n_claims: int = 0

    @property
    def n_kept(self) -> int:
        """How many key facts it states."""
        return sum(row.kept for row in self.by_class)


@dataclass(frozen=True, slots=True)
class PlainSweep:
    """What the plain ways keep, one entry a budget, the budgets rising.

    Attributes:
        last_messages: What the last messages that fit keep.
        truncation: What the beginning keeps, cut off where the budget ends.
    """

    last_messages: tuple[Retained, ...]
    truncation: tuple[Retained, ...]


@dataclass(frozen=True, slots=True)
class BudgetSweep:
    """Tokens against key facts, one entry a budget, the budgets rising.

    Attributes:
        tokens_in: Of the whole conversation.
        n_facts: Key facts that hold.
        payload: What MemGuard's payload keeps.
        plain: What people keep without it.
    """

    tokens_in: int
    n_facts: int
    payload: tuple[Retained, ...]
    plain: PlainSweep

    def ratio(self, at: Retained) -> float | None:
        """Return how many times shorter than the conversation something is; None where it holds nothing."""
        return self.tokens_in / at.tokens if at.tokens else None


def tokens_in(trace: Trace, counter: TokenCounter) -> int:
    """Return the tokens of the whole conversation, as its budgets are shares of them."""
    compression = trace.get(Compression)
    if compression is not None and compression.tokens_in:
        return compression.tokens_in
    return counter.count(joined(trace.conversation)) if trace.conversation.messages else 0


def budgets_of(total: int, shares: Sequence[float] = SHARES) -> tuple[int, ...]:
    """Return the budgets of a sweep, rising, each once.

    Args:
        total: Tokens of the whole conversation.
        shares: Each above 0 and at most 1.

    Raises:
        InvalidParameterError: A share is not above 0 or above 1, or there is none.
    """
    if not shares or not all(0 < share <= 1 for share in shares):
        raise InvalidParameterError(f"shares must be above 0 and at most 1, and one at least; got {shares!r}")
    return tuple(sorted({max(1, int(total * share)) for share in shares}))


def plain_sweep(trace: Trace, counter: TokenCounter, *, shares: Sequence[float] = SHARES) -> PlainSweep:
    """Return what the plain ways keep at each budget; neither a verdict nor a setting changes it.

    Args:
        trace: Through elimination at least, which found the key facts.
        counter: That of the payload's budget.
        shares: Of the conversation's tokens.

    Raises:
        StageOrderError: The trace has no elimination yet.
        InvalidParameterError: A share is not above 0 or above 1.
    """
    budgets = budgets_of(tokens_in(trace, counter), shares)
    facts = trace[Elimination].facts
    ways = (last_messages(counter), truncation(counter))
    return PlainSweep(*(_kept_by(way, trace.conversation, facts, budgets, counter) for way in ways))


def budget_sweep(
    trace: Trace,
    reconstruct: Reconstruct,
    counter: TokenCounter,
    *,
    shares: Sequence[float] = SHARES,
    plain: PlainSweep | None = None,
) -> BudgetSweep:
    """Return what the payload and the plain ways keep at each budget; runs no model.

    Args:
        trace: Through elimination at least; its own budget does not matter.
        reconstruct: Assembles a payload, as ``Reconstructor.run`` does.
        counter: That of the payload's budget.
        shares: Of the conversation's tokens.
        plain: What ``plain_sweep`` returned for this conversation and these shares, where it is known.

    Raises:
        StageOrderError: The trace has no elimination yet.
        InvalidParameterError: A share is not above 0 or above 1.
    """
    total = tokens_in(trace, counter)
    elimination = trace[Elimination]
    bare = replace(trace, results=(trace[Compression], elimination), timings=trace.timings[:2])
    return BudgetSweep(
        tokens_in=total,
        n_facts=sum(fact.superseded_by is None for fact in elimination.facts),
        payload=tuple(retained(reconstruct(_under(bare, budget))) for budget in budgets_of(total, shares)),
        plain=plain if plain is not None else plain_sweep(trace, counter, shares=shares),
    )


def retained(result: Reconstruction) -> Retained:
    """Return what one payload keeps."""
    report = result.omissions
    quotes = {verdict.claim.id for verdict in result.verbatim}
    return Retained(
        budget=result.budget,
        tokens=result.tokens,
        recall=report.recall,
        by_class=report.by_class,
        n_quoted=len({piece.line for piece in result.pieces if piece.claim_id in quotes}),
        n_claims=sum(piece.claim_id not in quotes for piece in result.pieces),
    )


def _under(trace: Trace, budget: int) -> Trace:
    settings = replace(trace.settings.reconstruction, payload_tokens=budget)
    return replace(trace, settings=replace(trace.settings, reconstruction=settings))


def _kept_by(
    system: System,
    conversation: Conversation,
    facts: tuple[KeyFact, ...],
    budgets: Sequence[int],
    counter: TokenCounter,
) -> tuple[Retained, ...]:
    found = []
    index = FactIndex(facts)
    for budget in budgets:
        output = system(conversation, budget)
        report = omissions(facts, output.statements, index)
        tokens = counter.count(output.text) if output.text else 0
        found.append(Retained(budget, tokens, report.recall, report.by_class))
    return tuple(found)
