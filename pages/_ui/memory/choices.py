"""What one session looks at on the Memory page, and what of it a link holds."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, cast

from memguard.errors import MemGuardError
from memguard.memory.entries import MemoryType
from memguard.memory.maintenance import STEPS, MaintenancePlan
from memguard.memory.observations import Confidence
from memguard.memory.outcome import LifecycleResult
from memguard.memory.rows import EntryFilter, Status
from memguard.privacy import PrivacyStatus
from pages._ui import links, state
from pages._ui.memory import home
from pages._ui.memory.gate import Outcome
from pages._ui.memory.planning import Planner, Rules
from pages._ui.memory.writes import Writes

View = Literal["entries", "maintenance", "capture", "lifecycle", "store"]
VIEWS: dict[View, str] = {
    "entries": "Entries",
    "maintenance": "Maintenance",
    "capture": "Capture",
    "lifecycle": "Lifecycle",
    "store": "Store",
}
AGES: dict[str, str] = {
    "week": "Last 7 days",
    "month": "Last 30 days",
    "older": "Older than 30 days",
    "half-year": "Older than 180 days",
}
_SINCE = {"week": 7, "month": 30}
_UNTIL = {"older": 30, "half-year": 180}
ANY_STATUS = "any"
PAGE_SIZE = 60
LEAST_COSINE, MOST_COSINE = 0.70, 1.00
MOST_SUMMARISE = 200


@dataclass(frozen=True, slots=True)
class Filter:
    """Which entries are listed; an empty value asks for nothing.

    Attributes:
        type: A ``MemoryType``.
        status: A ``Status``, or ``any``.
        confidence: A ``Confidence``.
        privacy: A ``PrivacyStatus``.
        age: One of ``AGES``.
        tags: Every one of these.
        find: What the text contains.
    """

    type: str = ""
    status: str = Status.ACTIVE.value
    confidence: str = ""
    privacy: str = ""
    age: str = ""
    tags: tuple[str, ...] = ()
    find: str = ""

    def wanted(self, now: datetime | None = None) -> EntryFilter:
        """Return what the store is asked for; it does not filter by confidence."""
        now = now if now is not None else datetime.now(UTC)
        return EntryFilter(
            types=self.type or (),
            status=() if self.status == ANY_STATUS else (self.status,),
            tags=self.tags,
            text=self.find or None,
            privacy_status=self.privacy or None,
            since=now - timedelta(days=_SINCE[self.age]) if self.age in _SINCE else None,
            until=now - timedelta(days=_UNTIL[self.age]) if self.age in _UNTIL else None,
            expired=None,
        )


@dataclass
class Page:
    """The state of the page.

    Attributes:
        which: Which store.
        view: Which view.
        filter: Which entries are listed.
        n_shown: How many of them at most.
        selected: The entry that is looked at.
        pinned: Whether it is looked at even where the filters leave it out.
        turn: How many choices the list of entries has reported.
        step: The maintenance step that is looked at.
        step_turn: How many choices the list of steps has reported.
        rules: By what maintenance decides.
        planner: Works out the preview.
        plan: The preview as it was last drawn: what an Apply button applies.
        wanted: Work that a button asked for: ``fill``, ``capture``, ``lifecycle``, a step, or ``all``.
        writes: What this session wrote, for undo.
        problem: What went wrong last.
        text: What stands in the capture box.
        epoch: How often that was set by something else than typing.
        heard: The number of the last change of it that was followed.
        shorten: What shortens a captured text: ``none``, ``local`` or ``server``.
        outcome: What the last capture did.
        source: Of what the lifecycle is run: ``entries`` or ``conversation``.
        unfiltered: What it does with input that did not pass the privacy filter.
        confidence: The least confidence of what it takes.
        result: What the last lifecycle gave.
    """

    which: home.Which = "demo"
    view: View = "entries"
    filter: Filter = field(default_factory=Filter)
    n_shown: int = PAGE_SIZE
    selected: str = ""
    pinned: bool = False
    turn: int = 0
    step: str = "merge"
    step_turn: int = 0
    rules: Rules = field(default_factory=Rules)
    planner: Planner = field(default_factory=Planner)
    plan: MaintenancePlan | None = None
    wanted: str = ""
    writes: Writes = field(default_factory=Writes)
    problem: MemGuardError | None = None
    text: str = ""
    epoch: int = 0
    heard: int = 0
    shorten: str = "none"
    outcome: Outcome | None = None
    source: str = "entries"
    unfiltered: str = "redact"
    confidence: str = Confidence.LOW.value
    result: LifecycleResult | None = None


def page() -> Page:
    """Return this session's state of the page; at first what the link asks for."""
    return state.kept("memory", _opened)


_PANEL, _STEP, _COSINE = "panel", "step", "cosine"
_FILTERS: dict[str, Collection[str]] = {
    "type": tuple(MemoryType),
    "status": (*Status, ANY_STATUS),
    "confidence": tuple(Confidence),
    "privacy": tuple(PrivacyStatus),
    "age": tuple(AGES),
}
"""What a link holds of the filters: names of the program, and no word of a memory."""


def _opened() -> Page:
    made = Page(which="own" if home.has_own() else "demo")
    asked = links.Asked()
    panel, step = asked.one_of(_PANEL, VIEWS), asked.one_of(_STEP, STEPS)
    if panel is not None:
        made.view = cast("View", panel)
    made.step = step or made.step
    cosine = _cosine(asked)
    if cosine is not None:
        made.rules = replace(made.rules, cosine=cosine)
    found = {name: asked.one_of(name, values) for name, values in _FILTERS.items()}
    known: dict[str, Any] = {name: str(value) for name, value in found.items() if value is not None}
    made.filter = replace(made.filter, **known)
    state.not_followed(asked.complaints)
    return made


def _cosine(asked: links.Asked) -> float | None:
    given = links.given(_COSINE)
    if given is None:
        return None
    try:
        value = round(float(given), 2)
    except ValueError:
        value = -1.0
    if LEAST_COSINE <= value <= MOST_COSINE:
        return value
    asked.refuse(
        _COSINE, f"is not possible: it must be a number from {LEAST_COSINE:.2f} to {MOST_COSINE:.2f}."
    )
    return None


def note(current: Page) -> None:
    """Write what differs from the first view into the address."""
    first = Page()
    known = {item.name for item in fields(Filter)} & set(_FILTERS)
    shown = {
        name: None if getattr(current.filter, name) == getattr(first.filter, name) else value
        for name in sorted(known)
        if (value := getattr(current.filter, name)) is not None
    }
    cosine = current.rules.cosine
    links.note(
        **shown,
        **{
            _PANEL: None if current.view == first.view else current.view,
            _STEP: None if current.step == first.step else current.step,
            _COSINE: None if cosine == first.rules.cosine else f"{cosine:.2f}",
        },
    )


def on_view(drawn: str) -> None:
    """Show another view."""
    chosen = state.value(drawn)
    if chosen in VIEWS:
        page().view = cast("View", chosen)


def on_store(drawn: str) -> None:
    """Look at another store; what was done in the one before can no longer be undone here."""
    chosen = state.value(drawn)
    if chosen in home.NAMES and chosen != page().which:
        old = page()
        fresh = Page(which=cast("home.Which", chosen), view=old.view, rules=old.rules, step=old.step)
        for item in fields(Page):
            setattr(old, item.name, getattr(fresh, item.name))


def want(work: str) -> None:
    """Ask for work that the page does, with its progress, when it is next drawn."""
    page().wanted = work
    page().problem = None
