"""The compression lifecycle: analyze, compress, score, output, each recorded (E01).

>>> from memguard.memory.lifecycle import Lifecycle
>>> Lifecycle().run([]).report.n_output
0
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from time import perf_counter
from typing import Any

from memguard.audit import digest
from memguard.errors import InvalidParameterError
from memguard.memory import gates
from memguard.memory.analysis import Analysis, analyze
from memguard.memory.drafting import Draft, draft
from memguard.memory.gates import Candidate, Failure, Gate, OnUnfiltered, PrivacyAction
from memguard.memory.lineage import Supersession, links
from memguard.memory.observations import (
    Confidence,
    Observation,
    final_confidence,
    provisional_confidence,
    staleness_of,
)
from memguard.memory.outcome import Left, LifecycleResult, PhaseRecord, Report
from memguard.memory.rewording import reworded
from memguard.memory.strategies import Strategy, checked
from memguard.memory.yaml_form import CompressedEntry
from memguard.models.protocols import LLMProtocol
from memguard.privacy import Exclusions, PrivacyStatus, Redactor
from memguard.trace import StageTiming


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """Compresses observations into facts that may be stored.

    Attributes:
        exclusions: The project's own privacy list.
        on_unfiltered: What becomes of input that did not pass the privacy filter.
        strategies: To apply in place of those that the analysis finds fit; None takes those.
        min_confidence: Observations of a lower provisional confidence are left out (F15); ``low`` leaves
            none out.
        llm: Words each merged fact anew; its text is checked, and the rule's text stays where it fails.

    Raises:
        InvalidParameterError: A choice that does not exist.
    """

    exclusions: Exclusions = field(default_factory=Exclusions)
    on_unfiltered: OnUnfiltered | str = OnUnfiltered.REJECT
    strategies: Sequence[Strategy | str] | None = None
    min_confidence: Confidence | str = Confidence.LOW
    llm: LLMProtocol | None = None

    def __post_init__(self) -> None:
        """Check the choices."""
        gates.checked_choice(self.on_unfiltered)
        if self.strategies is not None:
            checked(self.strategies)
        known = [step.value for step in Confidence]
        if self.min_confidence not in known:
            raise InvalidParameterError(
                f"min_confidence must be one of {', '.join(known)}; got {self.min_confidence!r}"
            )

    def run(
        self,
        observations: Iterable[Observation],
        *,
        existing: Sequence[CompressedEntry] = (),
        now: datetime | None = None,
    ) -> LifecycleResult:
        """Take observations through the four phases.

        Args:
            observations: In the order in which they were said.
            existing: Entries of earlier runs that a new fact may supersede or repeat.
            now: The moment that ages are judged at, aware; default: the present.

        Raises:
            InvalidParameterError: One is no observation, two have one id, or ``now`` has no time zone.
        """
        given = _several(observations)
        _check(given, now)
        return _Run(self, given, tuple(existing), now or datetime.now(UTC)).result()


def _several(observations: Any) -> tuple[Observation, ...]:
    if isinstance(observations, str) or not isinstance(observations, Iterable):
        raise InvalidParameterError(
            f"observations must be several Observations; got {type(observations).__name__}"
        )
    given = tuple(observations)
    for place, item in enumerate(given):
        if not isinstance(item, Observation):
            raise InvalidParameterError(
                f"observations[{place}] must be an Observation; got {type(item).__name__}"
            )
    return given


def _check(given: Sequence[Observation], now: datetime | None) -> None:
    twice = [id for id, count in Counter(item.id for item in given).items() if count > 1]
    if twice:
        raise InvalidParameterError(
            f"observations must have different ids; {twice[0]!r} is there more than once"
        )
    if now is not None and now.tzinfo is None:
        raise InvalidParameterError(f"now must have a time zone; got {now.isoformat()}")


class _Run:
    """One run: what the phases pass on and what they record."""

    def __init__(
        self,
        rules: Lifecycle,
        given: tuple[Observation, ...],
        existing: tuple[CompressedEntry, ...],
        now: datetime,
    ) -> None:
        self._rules, self._given, self._existing, self._now = rules, given, existing, now
        self._redactor = Redactor(rules.exclusions)
        self._actions: list[PrivacyAction] = []
        self._left: list[Left] = []
        self._warnings: list[str] = []
        self._records: list[PhaseRecord] = []

    def result(self) -> LifecycleResult:
        passed, analysis = self._analyze()
        drafts, strategies = self._compress(passed, analysis)
        candidates = self._score(drafts, strategies)
        entries, replaced, supersession = self._output(candidates, drafts)
        self._judge_fit(analysis, strategies, passed, entries)
        report = Report(
            len(self._given),
            len(entries),
            strategies,
            tuple(self._actions),
            tuple(self._left),
            tuple(self._warnings),
        )
        return LifecycleResult(entries, replaced, supersession, analysis, tuple(self._records), report)

    def _analyze(self) -> tuple[tuple[Observation, ...], Analysis]:
        started, clock = datetime.now(UTC), perf_counter()
        passed, actions = gates.before(self._given, self._redactor, OnUnfiltered(self._rules.on_unfiltered))
        self._actions += actions
        known = {item.id for item in passed}
        self._left += [
            Left(action.subject, action.reason) for action in actions if action.subject not in known
        ]
        analysis = analyze(passed, actions)
        detail = {**analysis.to_dict(), "privacy_actions": _plain(actions)}
        # Records name observations and hold none of their text: what failed a gate leaves no trace.
        self._record("analyze", [item.id for item in self._given], len(passed), detail, started, clock)
        return passed, analysis

    def _compress(
        self, passed: tuple[Observation, ...], analysis: Analysis
    ) -> tuple[tuple[Draft, ...], tuple[Strategy, ...]]:
        started, clock = datetime.now(UTC), perf_counter()
        strategies = (
            checked(self._rules.strategies) if self._rules.strategies is not None else analysis.strategies
        )
        kept: list[Observation] = []
        actions: list[PrivacyAction] = []
        for item in passed:
            reason = self._why_left(item, analysis)
            if reason is None:
                clean, action = gates.during(item, self._rules.exclusions, self._redactor)
                actions += [action] if action else []
                reason = action.reason if action and not clean.text else None
            if reason is None:
                kept.append(clean)
            else:
                self._left.append(Left(item.id, reason))
        self._actions += actions
        drafts = draft(kept, strategies)
        if self._rules.llm is not None:
            drafts, notes = reworded(drafts, self._rules.llm, self._redactor)
            self._warnings += notes
        detail = {
            "strategies": [strategy.value for strategy in strategies],
            "facts": [[item.id for item in fact.sources] for fact in drafts],
            "privacy_actions": _plain(actions),
        }
        self._record("compress", [item.id for item in passed], len(drafts), detail, started, clock)
        return drafts, strategies

    def _why_left(self, item: Observation, analysis: Analysis) -> str | None:
        if item.id in analysis.noise:
            return "noise: it coordinates or says nothing"
        if item.id in analysis.speculative:
            return "speculative: it states nothing that holds"
        least = Confidence(self._rules.min_confidence)
        if provisional_confidence(item).rank < least.rank:
            return f"its provisional confidence is below {least}"
        return None

    def _score(self, drafts: tuple[Draft, ...], strategies: tuple[Strategy, ...]) -> tuple[Candidate, ...]:
        started, clock = datetime.now(UTC), perf_counter()
        candidates = tuple(self._scored(fact, strategies) for fact in drafts)
        detail = {
            "entries": [
                {
                    "confidence": c.entry.confidence,
                    "staleness_risk": c.entry.staleness_risk,
                    "durability": c.draft.durability,
                }
                for c in candidates
                if c.entry is not None
            ]
        }
        self._record("score", [_cited(fact) for fact in drafts], len(candidates), detail, started, clock)
        return candidates

    def _scored(self, fact: Draft, strategies: tuple[Strategy, ...]) -> Candidate:
        status = gates.privacy_of(fact.sources)
        if status is None:
            return Candidate(None, fact, None)
        times = [item.timestamp for item in fact.sources if item.timestamp is not None]
        entry = CompressedEntry(
            summary=fact.summary,
            source_ids=tuple(item.id for item in fact.sources),
            confidence=final_confidence(fact.stating),
            staleness_risk=staleness_of(fact.summary, times, self._now),
            privacy_status=status,
            compression=(fact.strategies or strategies)[0],
            earliest_source_at=min(times, default=None),
            latest_source_at=max(times, default=None),
        )
        return Candidate(entry, fact, None)

    def _output(
        self, candidates: tuple[Candidate, ...], drafts: tuple[Draft, ...]
    ) -> tuple[tuple[CompressedEntry, ...], tuple[CompressedEntry, ...], tuple[Supersession, ...]]:
        started, clock = datetime.now(UTC), perf_counter()
        ids = {item.id for item in self._given}
        accepted: dict[int, CompressedEntry] = {}
        actions: list[PrivacyAction] = []
        for place, candidate in enumerate(candidates):
            looked_at = self._rechecked(candidate)
            failed = gates.failures(looked_at, ids)
            if not failed and looked_at.entry is not None:
                accepted[place] = looked_at.entry
                continue
            subject = ", ".join(item.id for item in candidate.draft.sources)
            self._left += [Left(subject, reason, failure) for failure, reason in failed]
            actions += [
                PrivacyAction(Gate.OUTPUT, gates.Action.REJECTED, subject, reason)
                for failure, reason in failed
                if failure in {Failure.NOT_FILTERED, Failure.UNRESOLVED, Failure.NOT_RECHECKED}
            ]
        self._actions += actions
        entries, replaced, supersession = links(accepted, drafts, self._existing, self._now)
        detail = {
            "entries": [entry.id for entry in entries],
            "supersession": [[link.old, link.new, link.reason.value] for link in supersession],
            "privacy_actions": _plain(actions),
            "n_rejected": len(candidates) - len(accepted),
        }
        self._record("output", [_cited(c.draft) for c in candidates], len(entries), detail, started, clock)
        return entries, replaced, supersession

    def _rechecked(self, candidate: Candidate) -> Candidate:
        if candidate.entry is None:
            return candidate
        text = candidate.entry.summary
        found = gates.recheck(text, PrivacyStatus(candidate.entry.privacy_status), self._redactor)
        return replace(candidate, rechecked=text, unresolved=found)

    def _judge_fit(
        self,
        analysis: Analysis,
        strategies: tuple[Strategy, ...],
        passed: Sequence[Observation],
        entries: Sequence[CompressedEntry],
    ) -> None:
        missing = [strategy for strategy in analysis.strategies if strategy not in strategies]
        if missing:
            named = ", ".join(missing)
            self._warnings.append(f"wrong strategy: the input calls for {named}, which was not applied")
        repeats = analysis.duplication > 0 and len(entries) >= len(passed)
        n_words = sum(len(entry.summary.split()) for entry in entries)
        if repeats or (missing and n_words >= sum(len(item.text.split()) for item in passed) > 0):
            self._warnings.append(
                f"under-compressed: {len(passed)} observations with repeats or framing "
                f"gave {len(entries)} entries"
            )

    def _record(
        self, phase: str, given: Any, n_out: int, detail: dict[str, Any], started: datetime, clock: float
    ) -> None:
        timing = StageTiming(phase, started, perf_counter() - clock)
        self._records.append(
            PhaseRecord(phase, len(given), n_out, detail, digest(given), digest(detail), timing)
        )


def _cited(fact: Draft) -> list[str]:
    return [item.id for item in fact.sources]


def _plain(actions: Iterable[PrivacyAction]) -> list[list[str]]:
    return [[item.gate.value, item.action.value, item.subject, item.reason] for item in actions]
