"""The link of a page: what of its state stands in the address, and comes back from it.

What all pages share (sample, settings that differ from their defaults, how many stages are done, the
claim that is selected) is read and written by ``state``. A page reads its own parameters with
:func:`given` when it is first opened and writes them with :func:`note`; a value equal to its default
is left out, so that links stay short.

A link is input from anybody: it names samples and settings, never a file, and what it asks for and
cannot have is said in words while the default stands.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import streamlit as st

from memguard.bounds import bounds_of
from memguard.errors import SettingsError
from memguard.settings import Settings, setting_kinds
from pages._ui.session import N_STAGES, SHOWS, VIEWS, Show, View

SAMPLE, STAGES, CLAIM, VIEW, SHOW, SUMMARY = "sample", "stages", "claim", "view", "show", "summary"
DRIFTED = "drifted"
"""The summary of a run that is the sample's drifted one; a summary of one's own is in no link."""
SEED = "seed"
_LONGEST_QUOTE = 40
_PRIVATE = "limits."
"""Settings of the server, which no link may change."""
_WORDS = frozenset({"compression.pin_ids", "compression.pin_roles", "compression.pin_pattern"})
"""Free text that a link may hold: it is matched with messages and names no file."""


@dataclass(frozen=True, slots=True)
class Link:
    """What an address asks for, as far as it can be had.

    Attributes:
        sample: A known sample's name; None for the opening one.
        settings: The defaults, with what the address changes.
        stages: How many stages are done, from 0 to 3.
        claim: The claim that is selected; whether there is one of this name shows after stage 2.
        view: Which picture of the claims is shown.
        show: What the Pipeline page shows below its stages.
        is_drifted: Whether the summary is the sample's drifted one, and not what stage 1 writes.
        complaints: What could not be followed, one plain sentence each.
    """

    sample: str | None
    settings: Settings
    stages: int
    claim: str | None
    view: View
    show: Show
    is_drifted: bool
    complaints: tuple[str, ...]


def given(name: str) -> str | None:
    """Return the value that the address gives for a parameter, None where it gives none."""
    return st.query_params.get(name)


class Asked:
    """Reads a page's own parameters; what none of them can mean is kept as a complaint.

    Attributes:
        complaints: One plain sentence for each, for ``state.not_followed``.
    """

    def __init__(self) -> None:
        """Begin without a complaint."""
        self.complaints: list[str] = []

    def one_of(self, name: str, known: Collection[str]) -> str | None:
        """Return a parameter that is one of the known values, None where it is not given or another."""
        value = given(name)
        if value is None or value in known:
            return value
        self.refuse(name, f"is not possible: it must be one of {', '.join(known)}.")
        return None

    def whole(self, name: str, low: int, high: int) -> int | None:
        """Return a parameter that is a whole number within its bounds, both included."""
        value = given(name)
        if value is None:
            return None
        is_short = value.isascii() and value.isdecimal() and len(value) <= len(str(high))
        if is_short and low <= int(value) <= high:
            return int(value)
        self.refuse(name, f"is not possible: it must be a whole number from {low:,} to {high:,}.")
        return None

    def refuse(self, name: str, why: str) -> None:
        """Keep the complaint that what is given for a parameter cannot be had."""
        self.complaints.append(f"{_quoted(f'{name}={given(name)}')} {why}")


def note(**values: str | None) -> None:
    """Write parameters into the address, all in one step of the browser's history; None takes one out."""
    before = st.query_params.to_dict()
    after = {name: value for name, value in (before | values).items() if value is not None}
    if after != before:
        st.query_params.from_dict(after)


def parameters() -> dict[str, str]:
    """Return all parameters of the address."""
    return st.query_params.to_dict()


def read(address: Mapping[str, str], samples: Collection[str]) -> Link:
    """Return what an address asks for.

    Args:
        address: Its parameters.
        samples: The names that a sample may have.
    """
    complaints: list[str] = []
    settings = Settings()
    for name, value in address.items():
        if "." in name or name == SEED:
            try:
                settings = settings.with_value(name, _value(name, value))
            except SettingsError as error:
                complaints.append(f"{_quoted(f'{name}={value}')} is not possible: {_reason(error)}.")
    return Link(
        _known(address, SAMPLE, samples, "names no sample, so the opening one is shown", complaints),
        settings,
        _stages(address, complaints),
        address.get(CLAIM) or None,
        _known(address, VIEW, VIEWS, "names no picture of the claims", complaints) or VIEWS[0],
        _known(address, SHOW, SHOWS, "names nothing that can be shown", complaints) or SHOWS[0],
        _known(address, SUMMARY, (DRIFTED,), "names no summary", complaints) is not None,
        tuple(complaints),
    )


def written(settings: Settings) -> dict[str, str | None]:
    """Return the parameters of the settings: None for each that has its default."""
    values: dict[str, str | None] = {SEED: None if settings.seed == Settings().seed else str(settings.seed)}
    for name, (kind, default) in setting_kinds().items():
        if _is_open(name):
            section, _, key = name.partition(".")
            value = getattr(getattr(settings, section), key)
            plain = repr(value) if kind is float else str(value)
            values[name] = None if value == default else plain
    return values


def _is_open(name: str) -> bool:
    """Return whether a link may change a setting: nothing that guards the server, and no other free text."""
    if name not in setting_kinds() or name.startswith(_PRIVATE):
        return False
    if name in _WORDS:
        return True
    section, _, key = name.partition(".")
    free_text = setting_kinds()[name][0] is str and not bounds_of(getattr(Settings(), section), key).choices
    return not free_text


def _value(name: str, value: str) -> Any:
    kind = int if name == SEED else setting_kinds()[name][0] if _is_open(name) else None
    if kind is None:
        raise SettingsError("there is no setting of this name that a link may change")
    try:
        return kind(value)
    except ValueError:
        wanted = "a whole number" if kind is int else "a number"
        raise SettingsError(f"it must be {wanted}") from None


def _reason(error: SettingsError) -> str:
    """Return an error's words without the class of the setting and the value, which the quote shows."""
    words = str(error).partition("; got ")[0]
    wanted = words.partition(" must be ")[2]
    return f"it must be {wanted}" if wanted else words


def _stages(address: Mapping[str, str], complaints: list[str]) -> int:
    value = address.get(STAGES, "0")
    if value in {str(n) for n in range(N_STAGES + 1)}:
        return int(value)
    complaints.append(f"{_quoted(f'{STAGES}={value}')} is not possible: it must be 0, 1, 2 or {N_STAGES}.")
    return 0


_S = TypeVar("_S", bound=str)


def _known(
    address: Mapping[str, str], name: str, known: Collection[_S], otherwise: str, complaints: list[str]
) -> _S | None:
    value = address.get(name)
    found = next((one for one in known if one == value), None)
    if value is None or found is not None:
        return found
    complaints.append(f"{_quoted(f'{name}={value}')} {otherwise}.")
    return None


def _quoted(value: str) -> str:
    short = value if len(value) <= _LONGEST_QUOTE else f"{value[:_LONGEST_QUOTE]}…"
    return f"“{short}”"
