"""What a person decides on the Dropped claims page, with its undo and redo.

A step is an override set or taken back, or a setting that brings a claim back. It holds what it
changed, so that undoing it leaves alone what was moved elsewhere in the meantime.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from memguard.eliminator import Elimination
from memguard.errors import MemGuardError
from memguard.grounding.overrides import Override
from memguard.reconstructor import Reconstruction
from memguard.trace import Trace
from pages._ui import resources, state

Values = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Step:
    """One decision, in both directions.

    Attributes:
        words: What it did: "Keep c3".
        before: The override of each claim that it changed, as it was; None where there was none.
        after: The same, as it is now.
        was: The settings that it changed, by dotted name, as they were.
        now: The same, as they are now.
    """

    words: str
    before: Mapping[str, Override | None] = field(default_factory=dict)
    after: Mapping[str, Override | None] = field(default_factory=dict)
    was: Values = field(default_factory=dict)
    now: Values = field(default_factory=dict)


@dataclass
class History:
    """The steps of one conversation, and those that were undone.

    Attributes:
        conversation: Digest of the conversation that they are about.
        done: The last one is undone next.
        undone: The last one is redone next.
    """

    conversation: str = ""
    done: list[Step] = field(default_factory=list)
    undone: list[Step] = field(default_factory=list)


def history() -> History:
    """Return the steps of this session's conversation; another conversation begins anew."""
    found = state.kept("dropped-history", History)
    trace = state.session().trace
    digest = trace.conversation.digest() if trace is not None else ""
    if found.conversation != digest:
        found.conversation, found.done, found.undone = digest, [], []
    return found


def on_decide(claim_id: str, kept: bool, note_key: str) -> None:
    """Keep or drop a claim by hand, with the note that stands in its field."""
    note = str(state.value(note_key) or "").strip()
    try:
        made = Override(claim_id, kept, note, _words_of(claim_id), made_at=datetime.now(UTC))
    except MemGuardError as error:
        state.session().error = error
        return
    _override(f"{'Keep' if kept else 'Drop'} {claim_id}", claim_id, made)


def on_take_back(claim_id: str) -> None:
    """Let the measurements decide again."""
    _override(f"Take back the decision on {claim_id}", claim_id, None)


def on_settings(words: str, values: Values) -> None:
    """Apply the settings that bring a claim back, by dotted name."""
    settings = state.session().settings
    was = {name: _value(settings, name) for name in values}
    _take(Step(words, was=was, now=dict(values)))


def on_undo() -> None:
    """Undo the last step; one that can no longer be undone is said and goes, so that it bars no other."""
    found = history()
    if found.done:
        step = found.done.pop()
        if _apply(step.before, step.was):
            found.undone.append(step)


def on_redo() -> None:
    """Do again what was undone last; what can no longer be done, of another summary, is said and goes."""
    found = history()
    if found.undone:
        step = found.undone.pop()
        if _apply(step.after, step.now):
            found.done.append(step)


def _override(words: str, claim_id: str, made: Override | None) -> None:
    trace = state.session().trace
    if trace is None:
        return
    before = next((o for o in trace.overrides if o.claim_id == claim_id), None)
    _take(Step(words, before={claim_id: before}, after={claim_id: made}))


def _words_of(claim_id: str) -> str:
    """Return a claim's words: a decision on them is never done again on others of the same id."""
    trace = state.session().trace
    elimination = trace.get(Elimination) if trace is not None else None
    verdicts = elimination.verdicts if elimination is not None else ()
    return next((v.claim.text for v in verdicts if v.claim.id == claim_id), "")


def _take(step: Step) -> None:
    found = history()
    if _apply(step.after, step.now):
        found.done.append(step)
        found.undone.clear()


def _apply(overrides: Mapping[str, Override | None], values: Values) -> bool:
    """Take overrides and settings, with claims judged and the context assembled again; no model runs."""
    current = state.session()
    trace = current.trace
    if trace is None or trace.get(Elimination) is None:
        return False
    pipeline = resources.guard().pipeline
    current.error = None
    try:
        settings = current.settings
        for name, value in values.items():
            settings = settings.with_value(name, value)
        trace = pipeline.settled(trace, settings, again=(Reconstruction,))
        if overrides:
            trace = pipeline.override(trace, _merged(trace, overrides))
    except MemGuardError as error:
        current.error = error
        return False
    current.settings = settings
    current.epoch += 1  # the widgets of other pages take their values anew
    state.finished(trace)
    state.follow()
    return True


def _merged(trace: Trace, overrides: Mapping[str, Override | None]) -> list[Override]:
    others = [o for o in trace.overrides if o.claim_id not in overrides]
    return [*others, *(o for o in overrides.values() if o is not None)]


def _value(settings: object, name: str) -> object:
    for part in name.split("."):
        settings = getattr(settings, part)
    return settings
