"""One system on one set of conversations: how short, how much is kept, how much of it is so."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from memguard.bench.report import Say
from memguard.bench.retention.references import Reference
from memguard.bench.retention.systems import Output, System
from memguard.compressor import joined
from memguard.facts import FactClass, Statement, find_facts, omissions, states
from memguard.grounding.reading.words import content_keys
from memguard.memory.counters import Cl100kCounter
from memguard.messages import Conversation
from memguard.models.protocols import TokenCounter

EXACT = frozenset(
    {
        FactClass.NUMBER,
        FactClass.PRICE,
        FactClass.DATE,
        FactClass.PERSON,
        FactClass.PRODUCT,
        FactClass.PLACE,
        FactClass.PATH,
    }
)
"""Numbers, dates, names and paths, which have a target of their own."""
_CL100K = Cl100kCounter()
Supported = Callable[[Conversation, Sequence[Statement]], list[bool]]


@dataclass(frozen=True, slots=True)
class Run:
    """One system on one conversation.

    Attributes:
        reference: What it ran on.
        output: What it made.
        tokens_in: BART's and cl100k's tokens of the conversation.
        tokens_out: … and of the output.
        recalled: One a fact or item: how much of it is found, in [0, 1].
        key_facts: Share of the conversation's key facts, as MemGuard finds them, that are stated.
        supported: Share of the statements that elimination keeps, or that stand in the transcript.
        seconds: Of the system alone.
    """

    reference: Reference
    output: Output
    tokens_in: tuple[int, int]
    tokens_out: tuple[int, int]
    recalled: tuple[float, ...]
    key_facts: float | None
    supported: float | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Measured:
    """One system on one set.

    Attributes:
        system: Its name.
        dataset: The set's name.
        n_conversations: How many conversations.
        n_references: How many facts or items.
        ratio: BART's tokens in by tokens out, of all conversations together.
        ratio_cl100k: The same by cl100k.
        recall: Mean over facts or items.
        exact_recall: Of the facts that hold a number, date, name or path; None without facts.
        by_class: Recall and number of the facts of each class.
        key_facts: Mean over conversations, self-judged.
        supported: Mean over conversations, self-judged.
        seconds: Mean over conversations.
    """

    system: str
    dataset: str
    n_conversations: int
    n_references: int
    ratio: float
    ratio_cl100k: float
    recall: float
    exact_recall: float | None
    by_class: dict[str, tuple[float, int]]
    key_facts: float | None
    supported: float | None
    seconds: float


def budget_of(conversation: Conversation, ratio: float, counter: TokenCounter) -> int:
    """Return the tokens that a system may use to shorten a conversation ``ratio`` times."""
    return max(1, int(counter.count(joined(conversation)) / ratio))


def run_system(
    name: str,
    system: System,
    references: Iterable[Reference],
    *,
    ratio: float,
    counter: TokenCounter,
    supported: Supported | None = None,
    progress: Say,
) -> list[Run]:
    """Run one system on every conversation under the budget of ``ratio``."""
    runs = []
    for reference in references:
        progress(f"{name}: {reference.dataset}, {reference.name}")
        conversation = reference.conversation
        budget = budget_of(conversation, ratio, counter)
        started = time.perf_counter()
        output = system(conversation, budget)
        seconds = time.perf_counter() - started
        runs.append(_run(reference, output, seconds, counter, supported))
    return runs


def summed(name: str, runs: Sequence[Run]) -> Measured:
    """Join the runs of one system on one set."""
    recalled = [share for run in runs for share in run.recalled]
    classed = [
        (share, kinds_of(fact.text))
        for run in runs
        for share, fact in zip(run.recalled, run.reference.facts, strict=False)
    ]
    counts: Counter[FactClass] = Counter(kind for _, kinds in classed for kind in kinds)
    exact = [share for share, kinds in classed if kinds & EXACT]
    return Measured(
        system=name,
        dataset=runs[0].reference.dataset,
        n_conversations=len(runs),
        n_references=len(recalled),
        ratio=_ratio(runs, 0),
        ratio_cl100k=_ratio(runs, 1),
        recall=_mean(recalled) or 0.0,
        exact_recall=_mean(exact),
        by_class={
            kind.value: (_mean([share for share, kinds in classed if kind in kinds]) or 0.0, counts[kind])
            for kind in FactClass
            if counts[kind]
        },
        key_facts=_mean([run.key_facts for run in runs if run.key_facts is not None]),
        supported=_mean([run.supported for run in runs if run.supported is not None]),
        seconds=_mean([run.seconds for run in runs]) or 0.0,
    )


def kinds_of(fact: str) -> frozenset[FactClass]:
    """Return the classes of what a fact's own sentence holds."""
    found = find_facts(Conversation.from_messages([{"role": "user", "content": fact}]))
    return frozenset(one.kind for one in found)


def recalled(reference: Reference, statements: Sequence[Statement]) -> tuple[float, ...]:
    """Return how much of every fact or item the statements hold, each in [0, 1]."""
    if reference.facts:
        said = reference.conversation  # tells what "last Thursday" is
        return tuple(float(states(fact.text, statements, conversation=said)) for fact in reference.facts)
    words = content_keys("\n".join(statement.text for statement in statements))
    return tuple(len(item.units & words) / len(item.units) for item in reference.items)


def _run(
    reference: Reference,
    output: Output,
    seconds: float,
    counter: TokenCounter,
    supported: Supported | None,
) -> Run:
    conversation = reference.conversation
    given = joined(conversation)
    verdicts = supported(conversation, output.statements) if supported and output.statements else []
    return Run(
        reference=reference,
        output=output,
        tokens_in=(counter.count(given), _CL100K.count(given)),
        tokens_out=(counter.count(output.text), _CL100K.count(output.text)),
        recalled=recalled(reference, output.statements),
        key_facts=omissions(find_facts(conversation), output.statements).recall,
        supported=sum(verdicts) / len(verdicts) if verdicts else None,
        seconds=seconds,
    )


def _ratio(runs: Sequence[Run], which: int) -> float:
    return sum(run.tokens_in[which] for run in runs) / max(1, sum(run.tokens_out[which] for run in runs))


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
