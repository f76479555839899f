"""The summarizers side by side on the same selected lines: what they keep, how much of it is so, how fast.

Each gets the lines that selection would give it, so that only the writing differs. Handed conversations
are cut to their first messages, as far as a chat of usual length goes.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memguard.bench.report import Say, machine
from memguard.bench.retention.measure import recalled
from memguard.bench.retention.references import (
    PRIMOCK,
    QMSUM,
    Reference,
    handed_references,
    items_of,
    sample_references,
)
from memguard.compressor import Compression, Compressor
from memguard.eliminator import Elimination
from memguard.errors import BenchmarkDataError
from memguard.facts import Statement, find_facts, omissions
from memguard.grounding.reading.words import content_keys
from memguard.guard import MemGuard
from memguard.messages import Conversation
from memguard.models import loading
from memguard.models.catalog import SMOLLM2
from memguard.models.decoding import REPEAT_HANDICAP
from memguard.models.extractive import ExtractiveSummarizer
from memguard.models.joined import JoinedSummarizer
from memguard.models.protocols import ItemProgress, Summarizer, TokenCounter, no_progress
from memguard.models.shots import PROMPTS
from memguard.models.smollm import SmolSummarizer, Written
from memguard.models.text import sentences_of
from memguard.settings import Settings
from memguard.trace import StageTiming, Trace

MESSAGES = 60
"""Of a handed conversation."""
TRANSCRIPTS = 15
"""Of each handed set."""
Variants = Mapping[str, Callable[[], Summarizer]]


@dataclass(frozen=True, slots=True)
class One:
    """One summarizer on one conversation.

    Attributes:
        system: Its name.
        dataset: The conversation's set.
        name: The conversation.
        text: What was written.
        n_claims: Claims that elimination finds in it.
        n_kept: Those that it keeps: self-judged.
        key_facts: Share of the conversation's key facts that the text states; None without any.
        kept_facts: The same of the kept claims alone.
        recalled: How much of each fact or item of reference the text states, in [0, 1].
        tokens: Of the text, by BART's tokens.
        seconds: Of writing.
    """

    system: str
    dataset: str
    name: str
    text: str
    n_claims: int
    n_kept: int
    key_facts: float | None
    kept_facts: float | None
    recalled: tuple[float, ...]
    tokens: int
    seconds: float


@dataclass(frozen=True, slots=True)
class SummarizerReport:
    """What a run measured.

    Attributes:
        command: Runs the same again.
        machine: Where it ran.
        rows: Every summarizer on every conversation.
    """

    command: str
    machine: str
    rows: tuple[One, ...]

    reached = True
    """There is no target: the table says which summarizer is the default."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)

    def to_markdown(self) -> str:
        """Return a table of all conversations and one of each set."""
        parts = [f"`{self.command}` on {self.machine}"]
        sets = list(dict.fromkeys(row.dataset for row in self.rows))
        for dataset in ("", *sets) if len(sets) > 1 else sets:
            rows = [row for row in self.rows if dataset in ("", row.dataset)]
            n = len({(row.dataset, row.name) for row in rows})
            parts += [f"### {dataset or 'all'}: {n} conversations", _table(rows)]
        return "\n\n".join(parts)


def _table(rows: Sequence[One]) -> str:
    lines = [
        "| summarizer | claims | self-judged: supported | key facts in the text | in the kept claims | "
        "facts, notes, answers | tokens | seconds |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for system in dict.fromkeys(row.system for row in rows):
        own = [row for row in rows if row.system == system]
        n_claims = sum(row.n_claims for row in own)
        cells = [
            system,
            str(n_claims),
            f"{sum(row.n_kept for row in own) / n_claims:.2f}" if n_claims else "",
            _mean([row.key_facts for row in own]),
            _mean([row.kept_facts for row in own]),
            _mean([share for row in own for share in row.recalled]),
            f"{sum(row.tokens for row in own) / len(own):.0f}",
            f"{sum(row.seconds for row in own) / len(own):.2g}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _mean(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    return f"{sum(known) / len(known):.3f}" if known else ""


NAMES = ("smollm2", "smollm2 constrained", "extractive", "both", "smollm2 adapted")
"""The last one only where an adapter is given."""


def variants(adapter: Path | None = None) -> Variants:
    """Return the summarizers that are compared, under their ``NAMES``, each loaded when it is asked for.

    Args:
        adapter: What ``memguard train summarizer`` wrote; None leaves that row out.
    """
    folder = loading.folder_of(SMOLLM2)

    def smol(*, constrained: bool, adapter: Path | None = None) -> SmolSummarizer:
        return _Remembered(folder, SMOLLM2.key, constrained=constrained, adapter=adapter)

    constrained: list[SmolSummarizer] = []

    def once() -> SmolSummarizer:
        if not constrained:
            constrained.append(smol(constrained=True))
        return constrained[0]

    makers: tuple[Callable[[], Summarizer], ...] = (
        lambda: smol(constrained=False),
        once,
        ExtractiveSummarizer,
        lambda: JoinedSummarizer(once()),
    )
    if adapter is not None:
        makers = (*makers, lambda: smol(constrained=True, adapter=adapter))
    return dict(zip(NAMES, makers, strict=False))


def variations() -> Variants:
    """Return SmolLM2, constrained, under other windows, prompts and handicaps of repetition than its own.

    Each is loaded when it is asked for.
    """
    folder = loading.folder_of(SMOLLM2)

    def smol(**changed: Any) -> Callable[[], Summarizer]:
        return lambda: SmolSummarizer(folder, SMOLLM2.key, **changed)

    return {
        "as it is": smol(),
        "windows of 3 lines": smol(window_lines=3),
        "windows of 12 lines": smol(window_lines=12),
        **{f"examples {n} alone": smol(prompts=(shots,)) for n, shots in enumerate(PROMPTS, 1)},
        "no handicap of repetition": smol(repeat_handicap=0.0),
        "twice the handicap": smol(repeat_handicap=2 * REPEAT_HANDICAP),
    }


class _Remembered(SmolSummarizer):
    """Remembers what was last written, so that joining quotes to it costs no second pass."""

    _last: tuple[tuple[str, ...], list[Written]] | None = None

    def write(self, lines: Sequence[str], *, progress: ItemProgress = no_progress) -> list[Written]:
        if self._last is None or self._last[0] != tuple(lines):
            self._last = (tuple(lines), super().write(lines, progress=progress))
        return self._last[1]


def references(
    *, folder: Path | None = None, limit: int | None = None, messages: int = MESSAGES
) -> tuple[Reference, ...]:
    """Return the samples, and of each handed set that is here some conversations, cut short.

    Args:
        folder: Of the handed data; by default ``shared_folder()``.
        limit: Conversations of each set, the samples too; None takes all samples and ``TRANSCRIPTS``.
        messages: Of a handed conversation.

    Raises:
        BenchmarkDataError: A handed file is there and cannot be read.
    """
    found = list(sample_references()[:limit])
    for dataset in (PRIMOCK, QMSUM):
        try:
            handed = handed_references(dataset, folder=folder, limit=limit or TRANSCRIPTS)
        except BenchmarkDataError as error:
            if not isinstance(error.__cause__, FileNotFoundError):
                raise
            continue
        found += [_cut(reference, messages) for reference in handed]
    return tuple(found)


def _cut(reference: Reference, n_messages: int) -> Reference:
    """Cut a conversation; of its reference what the beginning says too is left."""
    first = [
        {"role": m.role, "speaker": m.speaker, "content": m.content}
        for m in reference.conversation.messages[:n_messages]
    ]
    conversation = Conversation.from_messages(first, title=reference.name)
    said = content_keys("\n".join(message.content for message in conversation))
    items = items_of((item.text for item in reference.items), said)
    return replace(reference, conversation=conversation, items=items)


def measure(
    guard: MemGuard,
    settings: Settings,
    found: Variants,
    conversations: Sequence[Reference],
    *,
    command: str = "memguard bench retention --summarizers",
    progress: Say,
) -> SummarizerReport:
    """Run every summarizer on the selected lines of every conversation.

    Args:
        guard: Checks what was written.
        settings: Of selection, of the summary's length and of elimination.
        found: Of :func:`variants`.
        conversations: Of :func:`references`.
        command: What the report says that it ran.
        progress: Told what runs.
    """
    settings = settings.with_value("retention.rescue", "off")
    loaded = {name: load() for name, load in found.items()}
    rows = []
    for reference in conversations:
        lines = selected_lines(reference.conversation, settings, guard.counter)
        for name, summarizer in loaded.items():
            progress(f"{reference.dataset}, {reference.name}: {name}")
            rows.append(_one(name, summarizer, reference, lines, guard, settings))
    return SummarizerReport(command, machine(), tuple(rows))


def selected_lines(conversation: Conversation, settings: Settings, counter: TokenCounter) -> list[str]:
    """Return the lines that selection gives a summarizer."""
    recorder = _Recorder()
    compression = replace(settings.compression, passthrough_words=0, passthrough_tokens=0)
    stage = Compressor(loading.load_embedder(), lambda _name: recorder, counter)
    stage.run(Trace(conversation, replace(settings, compression=compression)))
    return recorder.lines


class _Recorder:
    """Stands where a summarizer does and keeps what it is given."""

    model_id = "none"

    def __init__(self) -> None:
        self.lines: list[str] = []

    def summarize(
        self,
        lines: Sequence[str],
        *,
        max_tokens: int,  # noqa: ARG002  the protocol's
        progress: ItemProgress = no_progress,  # noqa: ARG002  the protocol's
    ) -> str:
        self.lines += lines
        return ""


def _one(
    name: str,
    summarizer: Summarizer,
    reference: Reference,
    lines: Sequence[str],
    guard: MemGuard,
    settings: Settings,
) -> One:
    started = time.perf_counter()
    text = summarizer.summarize(lines, max_tokens=settings.compression.summary_tokens) if lines else ""
    seconds = time.perf_counter() - started
    result = _eliminated(text, reference.conversation, guard, settings)
    facts = result.facts or find_facts(reference.conversation)
    said = [Statement(sentence) for sentence in sentences_of(text)]
    kept = [Statement(verdict.claim.text) for verdict in result.kept]
    return One(
        system=name,
        dataset=reference.dataset,
        name=reference.name,
        text=text,
        n_claims=len(result.kept) + len(result.dropped),
        n_kept=len(result.kept),
        key_facts=omissions(facts, said).recall,
        kept_facts=omissions(facts, kept).recall,
        recalled=recalled(reference, said),
        tokens=guard.counter.count(text) if text else 0,
        seconds=seconds,
    )


def _eliminated(text: str, conversation: Conversation, guard: MemGuard, settings: Settings) -> Elimination:
    stage = next(stage for stage in guard.pipeline.stages if stage.produces is Elimination)
    trace = Trace(conversation, settings, results=(Compression(text, given=True),))
    timing = StageTiming("elimination", datetime.now(UTC), 0.0)
    return trace.with_result(stage.run(trace), timing)[Elimination]


def write_texts(path: Path, report: SummarizerReport) -> None:
    """Write what was written, one JSON object a text, to be read by a person."""
    keys = ("system", "dataset", "name", "text")
    lines = [json.dumps({key: getattr(row, key) for key in keys}, ensure_ascii=False) for row in report.rows]
    path.write_text("\n".join(lines) + "\n", "utf-8")
