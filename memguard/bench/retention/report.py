"""The tables of ``memguard bench retention``: Markdown for the docs, plain values for machines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from memguard.bench.retention.labels import ByHand
from memguard.bench.retention.measure import Measured
from memguard.bench.retention.references import SAMPLES

RECALL = 0.9
EXACT_RECALL = 0.95
SUPPORTED = 0.98


@dataclass(frozen=True, slots=True)
class Row:
    """One system on one set, and what a person says of its statements."""

    measured: Measured
    by_hand: ByHand | None


@dataclass(frozen=True, slots=True)
class RetentionReport:
    """What a run measured.

    Attributes:
        command: Runs the same again.
        machine: Where it ran.
        models: Which took part.
        ratio: How many times fewer tokens each system was allowed.
        rows: Set by set, the systems of each.
        missing: What was left out, and why.
    """

    command: str
    machine: str
    models: Mapping[str, str]
    ratio: float
    rows: tuple[Row, ...]
    missing: tuple[str, ...]

    @property
    def reached(self) -> bool:
        """Whether MemGuard, the first system, reaches the targets on the samples."""
        first = next((r for r in self.rows if r.measured.dataset == SAMPLES), None)
        if first is None:
            return True
        measured = first.measured
        by_hand = first.by_hand.supported if first.by_hand is not None else 0.0
        exact = measured.exact_recall or 0.0
        return (
            measured.ratio >= self.ratio
            and measured.recall >= RECALL
            and exact >= EXACT_RECALL
            and by_hand >= SUPPORTED
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)

    def to_markdown(self) -> str:
        """Return a table a set, and the recall by class on the samples."""
        models = ", ".join(f"{role} {name}" for role, name in self.models.items())
        parts = [f"`{self.command}` on {self.machine}; {models}"]
        for dataset in dict.fromkeys(row.measured.dataset for row in self.rows):
            rows = [row for row in self.rows if row.measured.dataset == dataset]
            parts += [_heading(rows[0].measured), _table(rows)]
            if dataset == SAMPLES:
                parts += ["Recall by class (facts of the class):", _classes(rows)]
        return "\n\n".join([*parts, *(f"Not measured: {reason}." for reason in self.missing)])


def _heading(first: Measured) -> str:
    what = "facts" if first.dataset == SAMPLES else "items of notes or answers"
    return f"### {first.dataset}: {first.n_conversations} conversations, {first.n_references} {what}"


def _table(rows: list[Row]) -> str:
    lines = [
        "| system | fewer tokens (BART) | (cl100k) | recall | numbers, dates, names, paths | "
        "supported, by hand | self-judged: supported | self-judged: key facts | seconds |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        one = row.measured
        cells = [
            one.system,
            f"{one.ratio:.2f} ×",
            f"{one.ratio_cl100k:.2f} ×",
            f"{one.recall:.2f}",
            _share(one.exact_recall),
            _by_hand(row.by_hand),
            _share(one.supported),
            _share(one.key_facts),
            f"{one.seconds:.2g}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _classes(rows: list[Row]) -> str:
    kinds = list(dict.fromkeys(kind for row in rows for kind in row.measured.by_class))
    counts = rows[0].measured.by_class
    lines = [
        f"| system | {' | '.join(f'{kind} ({counts[kind][1]})' for kind in kinds)} |",
        f"|---|{'---:|' * len(kinds)}",
    ]
    for row in rows:
        shares = [f"{row.measured.by_class[kind][0]:.2f}" for kind in kinds]
        lines.append(f"| {row.measured.system} | {' | '.join(shares)} |")
    return "\n".join(lines)


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _by_hand(label: ByHand | None) -> str:
    return "" if label is None else f"{label.supported:.2f} ({label.n}, {label.current} still made)"
