"""What a run of the lifecycle gives back: entries, links, and a record of each phase (E01, E14, E15)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from memguard.memory.analysis import Analysis
from memguard.memory.gates import Failure, PrivacyAction
from memguard.memory.lineage import Supersession
from memguard.memory.strategies import Strategy
from memguard.memory.yaml_form import CompressedEntry, dumps
from memguard.trace import StageTiming

PHASES = ("analyze", "compress", "score", "output")


@dataclass(frozen=True, slots=True)
class PhaseRecord:
    """What one phase did.

    Attributes:
        phase: Its name.
        n_in: Items that went in.
        n_out: Items that came out.
        detail: Plain values.
        input_digest: SHA-256 of what went in, in the audit's canonical JSON.
        output_digest: Of ``detail``.
        timing: When, and for how long; two equal runs compare equal all the same.
    """

    phase: str
    n_in: int
    n_out: int
    detail: dict[str, Any]
    input_digest: str
    output_digest: str
    timing: StageTiming = field(compare=False)


@dataclass(frozen=True, slots=True)
class Left:
    """An observation or a fact that is not in the output, and why."""

    id: str
    reason: str
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What a run did (E15).

    Attributes:
        n_input: Observations that were given.
        n_output: Entries that may be stored.
        strategies: Those applied, in order.
        privacy_actions: What the gates did.
        left_out: Observations that were dropped, and facts that failed a check.
        warnings: Signs that the compression does not fit the input.
    """

    n_input: int
    n_output: int
    strategies: tuple[Strategy, ...]
    privacy_actions: tuple[PrivacyAction, ...]
    left_out: tuple[Left, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LifecycleResult:
    """What came of a run.

    Attributes:
        entries: What may be stored (E13).
        replaced: Earlier entries that an entry of this run supersedes, with the link.
        supersession: Old id to new id, and why (E14).
        analysis: Of the first phase.
        phases: One record a phase, in order.
        report: Counts, strategies, privacy actions.
    """

    entries: tuple[CompressedEntry, ...]
    replaced: tuple[CompressedEntry, ...]
    supersession: tuple[Supersession, ...]
    analysis: Analysis
    phases: tuple[PhaseRecord, ...]
    report: Report

    def to_yaml(self) -> str:
        """Return the entries as YAML (E11)."""
        return dumps(self.entries)
