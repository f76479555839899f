"""The privacy gates of the lifecycle, and the checks that an entry must pass to be stored (E12, E13, E16).

Input that did not pass the privacy filter is never compressed (E17, F16). *Unresolved* means that a
detector still fires on what the status says was dealt with; personal data that is known and labelled
``sensitive`` is not unresolved (F17).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from memguard.errors import InvalidParameterError
from memguard.memory.drafting import Draft, details
from memguard.memory.observations import Confidence, Durability, Observation
from memguard.memory.yaml_form import CompressedEntry
from memguard.privacy import Category, Exclusions, PrivacyFinding, PrivacyStatus, Redactor
from memguard.text import is_blank


class OnUnfiltered(StrEnum):
    """What becomes of an observation that did not pass the filter, or only says so (F16)."""

    REJECT = "reject"
    REDACT = "redact"
    FLAG = "flag"


class Gate(StrEnum):
    """Where a privacy action happened."""

    BEFORE = "before"
    DURING = "during"
    OUTPUT = "output"


class Action(StrEnum):
    """What a gate did."""

    REJECTED = "rejected"
    REDACTED = "redacted"
    FLAGGED = "flagged"


@dataclass(frozen=True, slots=True)
class PrivacyAction:
    """One thing that a gate did; it names kinds, never a value.

    Attributes:
        gate: Which gate.
        action: What it did.
        subject: Id of the observation or entry.
        reason: Why, for people.
    """

    gate: Gate
    action: Action
    subject: str
    reason: str


def before(
    observations: Sequence[Observation], redactor: Redactor, on_unfiltered: OnUnfiltered
) -> tuple[tuple[Observation, ...], tuple[PrivacyAction, ...]]:
    """Let through what passed the privacy filter; say what did not, or bypassed it.

    An observation whose status says that it was filtered is scanned all the same. One that is flagged and
    let through stays as it is; the gate before output still stands between it and the store.
    """
    passed: list[Observation] = []
    actions: list[PrivacyAction] = []
    for item in observations:
        reason = _bypassed(item, redactor)
        if reason is None:
            passed.append(item)
            continue
        action = {
            OnUnfiltered.REJECT: Action.REJECTED,
            OnUnfiltered.REDACT: Action.REDACTED,
            OnUnfiltered.FLAG: Action.FLAGGED,
        }[on_unfiltered]
        actions.append(PrivacyAction(Gate.BEFORE, action, item.id, reason))
        if on_unfiltered is OnUnfiltered.REDACT:
            clean = redactor.redact(item.text, declared=item.privacy_status)
            passed.append(replace(item, text=clean.text, privacy_status=clean.status))
        elif on_unfiltered is OnUnfiltered.FLAG:
            passed.append(item)
    return tuple(passed), tuple(actions)


def _bypassed(item: Observation, redactor: Redactor) -> str | None:
    if item.privacy_status is None:
        return "it did not pass the privacy filter"
    # What the project excludes is redacted during compression, so it is no reason to reject here.
    found = [
        f for f in _unresolved(item.text, item.privacy_status, redactor) if f.category is not Category.PROJECT
    ]
    return f"marked {item.privacy_status}, but it holds {kinds(found)}" if found else None


def during(
    item: Observation, exclusions: Exclusions, redactor: Redactor
) -> tuple[Observation, PrivacyAction | None]:
    """Replace what the project's own list excludes; a source under an excluded path is left blank."""
    if exclusions.excludes_path(item.source):
        action = PrivacyAction(
            Gate.DURING, Action.REJECTED, item.id, "its source is on the project's exclusion list"
        )
        return replace(item, text=""), action
    if not any(exclusions.find(item.text)):
        return item, None
    clean = redactor.redact(item.text, declared=item.privacy_status)
    found = [finding for finding in clean.findings if finding.category is Category.PROJECT]
    if not found:
        return item, None
    action = PrivacyAction(
        Gate.DURING, Action.REDACTED, item.id, f"on the project's exclusion list: {kinds(found)}"
    )
    return replace(item, text=clean.text, privacy_status=clean.status), action


def _unresolved(text: str, status: PrivacyStatus, redactor: Redactor) -> tuple[PrivacyFinding, ...]:
    found = redactor.unresolved(text)
    if status is PrivacyStatus.SENSITIVE:
        return tuple(finding for finding in found if finding.category is not Category.PERSONAL)
    return found


def kinds(found: Sequence[PrivacyFinding]) -> str:
    """Return the kinds of findings for people, each once; never a value."""
    return ", ".join(dict.fromkeys(finding.kind.value.replace("_", " ") for finding in found))


def privacy_of(sources: Sequence[Observation]) -> PrivacyStatus | None:
    """Return the most private status of the sources (E10); None where one did not pass the filter."""
    statuses = [item.privacy_status for item in sources]
    known = [status for status in statuses if status is not None]
    return max(known, key=lambda status: status.rank) if len(known) == len(statuses) and known else None


class Failure(StrEnum):
    """Why an entry is not stored (E16)."""

    NOT_FILTERED = "not_filtered"
    UNRESOLVED = "unresolved"
    OVER_COMPRESSED = "over_compressed"
    BROKEN_CITATION = "broken_citation"
    NOT_RECHECKED = "not_rechecked"
    SPECULATION = "speculation"
    BLANK = "blank"


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entry at the gate before output.

    Attributes:
        entry: What would be stored; None where its privacy status is missing.
        draft: From what it was made.
        rechecked: The very summary that was scanned again after compression; None: it was not.
        unresolved: What still fired then.
    """

    entry: CompressedEntry | None
    draft: Draft
    rechecked: str | None
    unresolved: tuple[PrivacyFinding, ...] = ()


def recheck(text: str, status: PrivacyStatus, redactor: Redactor) -> tuple[PrivacyFinding, ...]:
    """Scan a summary again: merging and cutting may bring together what was apart."""
    return _unresolved(text, status, redactor)


def failures(candidate: Candidate, known_ids: Collection[str]) -> tuple[tuple[Failure, str], ...]:
    """Return why a candidate must not be stored, with a sentence each; nothing where it may be.

    Args:
        candidate: What would be stored.
        known_ids: Ids of all observations and of earlier entries' sources.
    """
    entry, made_from = candidate.entry, candidate.draft
    if entry is None:
        return ((Failure.NOT_FILTERED, "a source has no privacy status: it did not pass the privacy filter"),)
    found: list[tuple[Failure, str]] = []
    if is_blank(entry.summary):
        found.append((Failure.BLANK, "the summary is blank"))
    if candidate.rechecked != entry.summary:
        found.append((Failure.NOT_RECHECKED, "the summary was not scanned again after compression"))
    if candidate.unresolved:
        found.append((Failure.UNRESOLVED, f"still in it after redaction: {kinds(candidate.unresolved)}"))
    broken = [source for source in entry.source_ids if source not in known_ids]
    cited = {item.id for item in made_from.sources} <= set(entry.source_ids)
    if broken or not entry.source_ids or not cited:
        found.append(
            (
                Failure.BROKEN_CITATION,
                f"no observation has the id {broken[0]!r}" if broken else "a source is not cited",
            )
        )
    if made_from.durability is Durability.SPECULATIVE and entry.confidence is not Confidence.LOW:
        found.append((Failure.SPECULATION, f"a guess is scored {entry.confidence}"))
    if lost := lost_details(entry.summary, made_from):
        found.append((Failure.OVER_COMPRESSED, f"lost in compression: {', '.join(lost)}"))
    return tuple(found)


def lost_details(summary: str, made_from: Draft) -> tuple[str, ...]:
    """Return figures, names, paths and commands of the statements that a summary no longer holds."""
    kept = details(summary)
    return tuple(
        sorted({detail for statement in made_from.statements for detail in details(statement.text)} - kept)
    )


def checked_choice(value: OnUnfiltered | str) -> OnUnfiltered:
    """Return what to do with unfiltered input.

    Raises:
        InvalidParameterError: There is no such way.
    """
    try:
        return OnUnfiltered(value)
    except ValueError as error:
        known = ", ".join(item.value for item in OnUnfiltered)
        raise InvalidParameterError(f"on_unfiltered must be one of {known}; got {value!r}") from error
