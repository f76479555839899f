"""The tables of ``memguard bench grounding``: Markdown for the docs, plain values for machines."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from memguard.bench.grounding.metrics import Interval


@dataclass(frozen=True, slots=True)
class SetResult:
    """One set labelled by people.

    Attributes:
        name: Of the set.
        n_rows: Its rows.
        n_unsupported: Those that are not supported.
        cosine: AUC of the first floor, the best message cosine.
        words: AUC of the second floor, the share of content words in the best message.
        auc: AUC of support.
        balanced: Balanced accuracy at the shipped setting.
        target: The AUC to reach, if any.
    """

    name: str
    n_rows: int
    n_unsupported: int
    cosine: float
    words: float
    auc: Interval
    balanced: Interval
    target: float | None


@dataclass(frozen=True, slots=True)
class KindResult:
    """One kind of drift: how much of it is caught, and how much is dropped wrongly beside it.

    Attributes:
        kind: What the claims turn on.
        n_unsupported: Drifted claims.
        caught: Share of them that is dropped.
        n_supported: True claims of the kind; 0 where the set names none.
        false_drops: Share of them that is dropped.
        target: The share to catch, if any.
    """

    kind: str
    n_unsupported: int
    caught: float
    n_supported: int
    false_drops: float
    target: float | None = None


@dataclass(frozen=True, slots=True)
class DriftResult:
    """Claims with kinds: the drift packs, or the elimination cases.

    Attributes:
        name: Of the set.
        right: Share of all claims that are judged as labelled.
        caught: Share of the unsupported that is dropped.
        false_drops: Share of the supported that is dropped.
        floors: Best balanced share right of the two floors, at the threshold that suits each best here.
        kinds: By kind.
    """

    name: str
    right: Interval
    caught: float
    false_drops: float
    floors: tuple[float, float]
    kinds: tuple[KindResult, ...]


@dataclass(frozen=True, slots=True)
class Variant:
    """One row of the ablations: the AUC on each labelled set, and the two sets with kinds."""

    name: str
    auc: dict[str, float]
    right: dict[str, float]
    caught: dict[str, float]
    false_drops: dict[str, float]


@dataclass(frozen=True, slots=True)
class GroundingReport:
    """Everything that was measured in one run."""

    command: str
    machine: str
    models: dict[str, str]
    sets: tuple[SetResult, ...]
    drift: tuple[DriftResult, ...]
    variants: tuple[Variant, ...]
    speed: dict[str, float]
    missing: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {"schema": "memguard.grounding/1", **asdict(self)}

    def to_markdown(self) -> str:
        """Return every table, with the command that printed them."""
        models = ", ".join(f"{role} {name}" for role, name in self.models.items())
        lines = [f"`{self.command}` on {self.machine}; {models}", ""]
        lines += [f"Not measured, since it is not here: {what}." for what in self.missing]
        for part in (self._sets(), *map(_drift, self.drift), self._variants(), self._speed()):
            lines += [*part, ""]
        return "\n".join(lines).rstrip() + "\n"

    def _sets(self) -> list[str]:
        if not self.sets:
            return []
        lines = [
            "Sets labelled by people (AUC of support beside the two floors; 95 % intervals from "
            "resampling dialogues):",
            "",
            "| set | rows | unsupported | cosine | words | **support** | to reach | balanced accuracy |",
            "|---|---:|---:|---:|---:|---:|---:|---:|",
        ]
        for s in self.sets:
            target = "" if s.target is None else f"{s.target:.2f}"
            lines.append(
                f"| {s.name} | {s.n_rows:,} | {s.n_unsupported:,} | {s.cosine:.3f} | {s.words:.3f} | "
                f"{_interval(s.auc)} | {target} | {_interval(s.balanced)} |"
            )
        return lines

    def _variants(self) -> list[str]:
        if not self.variants:
            return []
        sets = list(self.variants[0].auc)
        drift = list(self.variants[0].right)
        head = [*(f"{name} AUC" for name in sets)]
        for name in drift:
            head += [f"{name} right", "caught", "false drops"]
        lines = ["With and without each part:", "", f"| setting | {' | '.join(head)} |"]
        lines.append("|---" + "|---:" * len(head) + "|")
        for v in self.variants:
            cells = [f"{v.auc[name]:.3f}" for name in sets]
            for name in drift:
                cells += [_percent(v.right[name]), _percent(v.caught[name]), _percent(v.false_drops[name])]
            lines.append(f"| {v.name} | {' | '.join(cells)} |")
        return lines

    def _speed(self) -> list[str]:
        if not self.speed:
            return []
        lines = ["Cost of judging a claim, as a ratio to embedding it:", "", "| part | ratio |", "|---|---:|"]
        return lines + [f"| {name} | {value:.2f} |" for name, value in self.speed.items()]


def _drift(result: DriftResult) -> list[str]:
    lines = [
        f"{result.name[:1].upper()}{result.name[1:]}: {_interval(result.right, percent=True)} right, "
        f"{_percent(result.caught)} of drift caught, {_percent(result.false_drops)} of true claims dropped "
        f"(floors at their best threshold here: cosine {_percent(result.floors[0])}, "
        f"words {_percent(result.floors[1])} right).",
        "",
        "| kind | drifted | caught | to reach | true | dropped |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for k in result.kinds:
        target = "" if k.target is None else _percent(k.target)
        dropped = _percent(k.false_drops) if k.n_supported else ""
        true = str(k.n_supported) if k.n_supported else ""
        lines.append(
            f"| {k.kind} | {k.n_unsupported} | {_percent(k.caught)} | {target} | {true} | {dropped} |"
        )
    return lines


def _interval(figure: Interval, *, percent: bool = False) -> str:
    if percent:
        return f"{_percent(figure.value)} ({100 * figure.low:.0f} to {100 * figure.high:.0f})"
    return f"{figure.value:.3f} ({figure.low:.2f} to {figure.high:.2f})"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
