"""What a person chose on this page: it outlives a switch of pages and stands in the link."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, cast

from memguard.errors import SettingsError
from memguard.settings import EliminationSettings
from memguard.sweep import AXES, Axis
from pages._ui import links, state

T = TypeVar("T")
Scope = Literal["conversation", "samples"]
SCOPES: tuple[Scope, ...] = ("conversation", "samples")
Part = Literal["thresholds", "budget"]
PARTS: tuple[Part, ...] = ("thresholds", "budget")
DEFAULT_COST, LARGEST_COST = 3, 20
"""How many true claims dropped a wrong claim kept costs."""
JUDGED = ("preset", "min_similarity", "min_support")
"""The settings that are tuned here, in the order in which a link names them."""
PART, SCOPE, SWEPT, COST, PIN = "part", "over", "sweep", "cost", "pin"
"""Names in the address."""


@dataclass
class Memo:
    """The last result of each computation: kept while what it was made of is the same.

    Attributes:
        found: By name, the objects it was made of, compared by identity, a key, and the result.
    """

    found: dict[str, tuple[Sequence[object], Hashable, object]] = field(default_factory=dict)

    def get(self, name: str, made_of: Sequence[object], key: Hashable, make: Callable[[], T]) -> T:
        """Return the result of this name, made anew only where its objects or its key are others."""
        known = self.found.get(name)
        if known is not None and known[1] == key and _same(known[0], made_of):
            return cast("T", known[2])
        result = make()
        self.found[name] = (made_of, key, result)
        return result


@dataclass
class Choices:
    """The page's own state.

    Attributes:
        part: Whether the thresholds are tuned, or the budget of the context.
        scope: Over this conversation or over all samples; a budget is always that of this conversation.
        axis: Which threshold the curves sweep; None follows the preset.
        cost: How many true claims dropped a wrong claim kept costs.
        pinned: The settings A; only what is judged with counts.
        is_pinned: Whether a person pinned them; else they are those with which the page was opened.
        wanted: Whether all samples are to be measured; taken back when that begins, so that whatever
            breaks it off ends it.
        memo: The curves that were drawn last.
    """

    part: Part = "thresholds"
    scope: Scope = "conversation"
    axis: Axis | None = None
    cost: int = DEFAULT_COST
    pinned: EliminationSettings = field(default_factory=EliminationSettings)
    is_pinned: bool = False
    wanted: bool = False
    memo: Memo = field(default_factory=Memo)


def current() -> Choices:
    """Return what this session chose; at first what the link gives."""
    return state.kept("tuning", _from_link)


def swept(choices: Choices, settings: EliminationSettings) -> Axis:
    """Return the threshold that the curves sweep: the one that the preset stands on, until one is chosen."""
    if choices.axis is not None:
        return choices.axis
    return "min_similarity" if settings.preset == "contract" else "min_support"


def note(choices: Choices) -> None:
    """Write what was chosen into the address."""
    links.note(
        **{
            PART: None if choices.part == PARTS[0] else choices.part,
            SCOPE: None if choices.scope == SCOPES[0] else choices.scope,
            SWEPT: choices.axis,
            COST: None if choices.cost == DEFAULT_COST else str(choices.cost),
            PIN: written_pin(choices.pinned) if choices.is_pinned else None,
        }
    )


def on_pin() -> None:
    """Pin the present settings as A."""
    choices = current()
    choices.pinned, choices.is_pinned = state.session().settings.elimination, True


def on_measure() -> None:
    """Ask for the measuring of all samples."""
    current().wanted = True


def on_adopt(values: dict[str, Any]) -> None:
    """Take values of what is judged with, from a button; the sliders follow."""
    settings = state.session().settings
    for name, value in values.items():
        settings = settings.with_value(f"elimination.{name}", value)
    state.on_settings(settings)


def on_free_budget() -> None:
    """Let the share of the conversation decide on the budget again."""
    state.on_settings(state.session().settings.with_value("reconstruction.payload_tokens", None))


def judged_values(settings: EliminationSettings) -> dict[str, Any]:
    """Return the values of what is judged with."""
    return {name: getattr(settings, name) for name in JUDGED}


def written_pin(settings: EliminationSettings) -> str:
    """Return settings as a link holds them, such as ``balanced:0.3:0.5``."""
    return ":".join(str(value) for value in judged_values(settings).values())


def read_pin(text: str) -> EliminationSettings | None:
    """Return the settings that a link holds; None where they are not possible."""
    parts = text.split(":")
    if len(parts) != len(JUDGED):
        return None
    try:
        return EliminationSettings(
            preset=parts[0], min_similarity=float(parts[1]), min_support=float(parts[2])
        )
    except (SettingsError, ValueError):
        return None


def _same(before: Sequence[object], after: Sequence[object]) -> bool:
    return len(before) == len(after) and all(a is b for a, b in zip(before, after, strict=True))


def _from_link() -> Choices:
    made = Choices(pinned=state.session().settings.elimination)
    asked = links.Asked()
    scope, axis = asked.one_of(SCOPE, SCOPES), asked.one_of(SWEPT, AXES)
    part = asked.one_of(PART, PARTS)
    made.part = next((known for known in PARTS if known == part), made.part)
    made.scope = next((known for known in SCOPES if known == scope), made.scope)
    made.axis = next((known for known in AXES if known == axis), None)
    made.cost = asked.whole(COST, 1, LARGEST_COST) or made.cost
    pinned = links.given(PIN)
    if pinned is not None:
        settings = read_pin(pinned)
        if settings is not None:
            made.pinned, made.is_pinned = settings, True
        else:
            asked.refuse(
                PIN, "is not possible: it must be a preset and two minimums, as balanced:0.3:0.5 is."
            )
    state.not_followed(asked.complaints)
    return made
