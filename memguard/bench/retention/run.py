"""The run: every system on every set under one budget, and what came of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from memguard.bench.report import Say, machine
from memguard.bench.retention import systems
from memguard.bench.retention.labels import SHIPPED, by_hand, drawn, read_labels
from memguard.bench.retention.measure import Run, Supported, run_system, summed
from memguard.bench.retention.references import (
    SAMPLES,
    SETS,
    Reference,
    handed_references,
    sample_references,
)
from memguard.bench.retention.report import RetentionReport, Row
from memguard.bench.retention.systems import System
from memguard.compressor import MESSAGE_BREAK, Compression, joined
from memguard.eliminator import Elimination
from memguard.errors import BenchmarkDataError
from memguard.facts import Statement
from memguard.grounding.verdicts import Label
from memguard.guard import MemGuard
from memguard.messages import Conversation
from memguard.models import loading
from memguard.settings import Settings
from memguard.trace import StageTiming, Trace

RATIO = 3.0
DRAWN = 100
MEMGUARD = "memguard"
WITHOUT_RESCUE = "memguard without rescue"
ALONE = {"extractive alone": "extractive", "smollm2 alone": "smollm2"}
"""Summarizers over the whole conversation, which nothing checks."""
SYSTEMS = (MEMGUARD, WITHOUT_RESCUE, *ALONE, "last messages", "truncation", "lexrank")


@dataclass(frozen=True, slots=True)
class Options:
    """What is run.

    Attributes:
        settings: Of MemGuard.
        ratio: How many times fewer tokens every system may use.
        datasets: Of ``SETS``.
        systems: Of ``SYSTEMS``.
        limit: Conversations of each handed set, evenly drawn; None takes all.
        folder: Of the handed data; None takes the usual one.
        statements: Where to write statements to be labelled, if anywhere.
        labels: Where labelled statements are read.
        judged: Whether the statements are checked by elimination too (self-judged).
    """

    settings: Settings
    ratio: float = RATIO
    datasets: tuple[str, ...] = SETS
    systems: tuple[str, ...] = SYSTEMS
    limit: int | None = None
    folder: Path | None = None
    statements: Path | None = None
    labels: Path = SHIPPED
    judged: bool = True

    @property
    def command(self) -> str:
        """The command that runs the same again."""
        parts = ["memguard bench retention"]
        parts += [f"--ratio {self.ratio:g}"] if self.ratio != RATIO else []
        parts += [f"--sets {','.join(self.datasets)}"] if self.datasets != SETS else []
        parts += [f"--limit {self.limit}"] if self.limit is not None else []
        parts += [f'--systems "{",".join(self.systems)}"'] if self.systems != SYSTEMS else []
        return " ".join(parts)


def measure(guard: MemGuard, options: Options, *, progress: Say) -> RetentionReport:
    """Run every system on every set that is at hand.

    Raises:
        BenchmarkDataError: A file of a set is there and cannot be read, or the labels cannot.
    """
    sets, missing = references_of(options)
    labels = read_labels(options.labels)
    rows: list[Row] = []
    every: dict[str, list[Run]] = {name: [] for name in options.systems}
    for dataset, references in sets.items():
        for name in options.systems:
            runs = run_system(
                name,
                system_of(name, guard, options.settings),
                references,
                ratio=options.ratio,
                counter=guard.counter,
                supported=judge_of(guard, options.settings) if options.judged else None,
                progress=progress,
            )
            every[name] += runs
            rows.append(Row(summed(name, runs), by_hand(name, dataset, labels, runs)))
    if options.statements is not None:
        write_statements(options.statements, every)
    return RetentionReport(
        command=options.command,
        machine=machine(),
        models=models_of(options.settings),
        ratio=options.ratio,
        rows=tuple(rows),
        missing=tuple(missing),
    )


def references_of(options: Options) -> tuple[dict[str, tuple[Reference, ...]], list[str]]:
    """Return the sets that are at hand, and why others are not."""
    sets: dict[str, tuple[Reference, ...]] = {}
    missing = []
    for dataset in options.datasets:
        if dataset == SAMPLES:
            sets[dataset] = sample_references()
            continue
        try:
            sets[dataset] = handed_references(dataset, folder=options.folder, limit=options.limit)
        except BenchmarkDataError as error:
            if not isinstance(error.__cause__, FileNotFoundError):
                raise
            missing.append(f"{dataset}: the handed data is not here, so it was left out")
    return sets, missing


def system_of(name: str, guard: MemGuard, settings: Settings) -> System:
    """Return the system of this name."""
    counter = guard.counter
    if name == MEMGUARD:
        return systems.memguard_system(guard, settings)
    if name == WITHOUT_RESCUE:
        return systems.memguard_system(guard, settings.with_value("retention.rescue", "off"))
    if name in ALONE:
        return systems.summarizer_system(loading.load_summarizer(ALONE[name]))
    if name == "last messages":
        return systems.last_messages(counter)
    return systems.truncation(counter) if name == "truncation" else systems.lexrank(counter)


def judge_of(guard: MemGuard, settings: Settings) -> Supported:
    """Return what judges statements: the transcript's own words are supported, others go to elimination.

    A statement that elimination reads as several claims is supported if all of them are kept.
    """

    def judge(conversation: Conversation, statements: Sequence[Statement]) -> list[bool]:
        said = joined(conversation)  # a statement may begin with the speaker's name
        doubtful = [s.text for s in statements if s.text not in said]
        kept = iter(_kept(guard, settings, conversation, doubtful))
        return [s.text in said or next(kept) for s in statements]

    return judge


def _kept(guard: MemGuard, settings: Settings, conversation: Conversation, texts: list[str]) -> list[bool]:
    if not texts:
        return []
    given = Compression(MESSAGE_BREAK.join(texts), given=True)
    stage = next(stage for stage in guard.pipeline.stages if stage.produces is Elimination)
    trace = Trace(conversation, settings, results=(given,))
    result = trace.with_result(stage.run(trace), StageTiming("elimination", datetime.now(UTC), 0.0))[
        Elimination
    ]
    judged: list[bool] = []
    start = 0
    for text in texts:
        end = start + len(text)
        inside = [v for v in result.verdicts if v.claim.span and start <= v.claim.span[0] < end]
        claims = [v for v in inside if v.label is not Label.NOT_A_CLAIM]
        judged.append(bool(claims) and all(v.kept for v in claims))
        start = end + len(MESSAGE_BREAK)
    return judged


def models_of(settings: Settings) -> Mapping[str, str]:
    """Return which models took part."""
    embedder = loading.load_embedder()
    summarizer = loading.load_summarizer(settings.compression.summarizer)
    return {"embedder": embedder.model_id, "summarizer": summarizer.model_id}


def write_statements(path: Path, runs: Mapping[str, Sequence[Run]]) -> None:
    """Write statements to be labelled, as JSONL."""
    lines = [json.dumps(row, ensure_ascii=False) for row in drawn(runs, DRAWN)]
    path.write_text("\n".join(lines) + "\n", "utf-8")
