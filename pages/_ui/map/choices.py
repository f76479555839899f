"""What a person chose on the map page, how it comes from a link and goes into one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from memguard import charts
from memguard.charts.colouring import ColourBy
from memguard.errors import InvalidParameterError
from pages._ui import links, state

Picture = Literal["map", "shaping", "replay"]
PICTURES: dict[Picture, str] = {"map": "Map", "shaping": "Before and after", "replay": "Replay"}
COLOURS: dict[ColourBy, str] = {
    "verdict": "Verdict",
    "stage": "Stage",
    "speaker": "Speaker",
    "similarity": "Similarity",
}
DIMENSIONS: dict[Literal[2, 3], str] = {2: "2-D", 3: "3-D"}
FEWEST, MOST, USUAL = 1, 15, 5
"""Neighbours that are listed."""
_POINT_CHARS = 400


@dataclass
class Choices:
    """The state of the page.

    Attributes:
        picture: Which of the three pictures is shown.
        colour: What the colours stand for.
        dims: Dimensions of the map.
        neighbours: How many nearest points are listed and linked.
        lines: Whether lines lead to evidence.
        trail: Whether a line leads through the conversation.
        point: Key of the selected sentence; a selected claim is the session's own.
        claim: The session's claim when the sentence was selected; another one takes its place.
        pinned: Key of the point that stands first in the table: the last that was selected elsewhere.
        turn: How often that happened; the table with a new turn begins with that row marked.
        row: The key that the table last reported.
        heard: The number of the last choice in the transcript that was followed.
        weights: Weights of the space that are tried out, by the name of their setting.
        is_open: Whether the link was read.
        is_linked: Whether the sentence comes from the link, and the session's claim with it.
    """

    picture: Picture = "map"
    colour: ColourBy = "verdict"
    dims: Literal[2, 3] = 2
    neighbours: int = USUAL
    lines: bool = True
    trail: bool = False
    point: str | None = None
    claim: str | None = None
    pinned: str | None = None
    turn: int = 0
    row: str | None = None
    heard: float = 0.0
    weights: dict[str, float] = field(default_factory=dict)
    is_open: bool = False
    is_linked: bool = False


def current() -> Choices:
    """Return the page's choices; at first those of the link."""
    found = state.kept("map", Choices)
    if not found.is_open:
        _read(found)
        found.is_open = True
    return found


def note(choices: Choices) -> None:
    """Write the choices that differ from their defaults into the address.

    A conversation of the person's own is in no link, so neither is a point of it.
    """
    source = state.session().source
    is_own = source is None or source.sample == state.OWN
    links.note(
        picture=_unless(choices.picture, "map"),
        colour=_unless(choices.colour, "verdict"),
        dims=_unless(str(choices.dims), "2"),
        neighbours=_unless(str(choices.neighbours), str(USUAL)),
        lines=None if choices.lines else "0",
        trail="1" if choices.trail else None,
        point=None if is_own else choices.point,
    )


def selected(choices: Choices, known: Sequence[str]) -> int | None:
    """Return the number of the selected point: the sentence, unless a claim was chosen since.

    Args:
        choices: Of the page.
        known: The keys of the map's points.
    """
    claim = state.session().selected
    if choices.is_linked:
        choices.claim, choices.is_linked = claim, False
    if choices.point is not None and choices.claim != claim:
        choices.point = None  # the Pipeline page selected another claim meanwhile
    key = choices.point or (charts.claim_key(claim) if claim is not None else None)
    return known.index(key) if key is not None and key in known else None


def choose(choices: Choices, key: str | None, *, pin: bool = True) -> None:
    """Select a point, or none.

    A claim becomes the session's selected one, so that the other pages show it as well.

    Args:
        choices: Of the page.
        key: Of the point.
        pin: Whether the table begins with it; not where it was chosen in the table, which stays.
    """
    session = state.session()
    is_claim = key is not None and key.startswith("claim:")
    if is_claim or key is None:
        session.selected = None if key is None else str(charts.read_key(key))
        state.follow()
    choices.point = None if is_claim else key
    choices.claim = session.selected
    if pin:
        choices.pinned, choices.row = key, key
        choices.turn += 1


def picked(event: Any, keys: Sequence[str]) -> str | None:
    """Return the key of the point that was clicked on the map, if one was.

    Args:
        event: What the chart reports; its points carry the number of the point.
        keys: The keys of the map's points.
    """
    for point in event.selection.points:
        number = point.get("customdata")
        number = number[0] if isinstance(number, list) and number else number
        if isinstance(number, int | float) and 0 <= number < len(keys):
            return keys[int(number)]
    return None


def _read(choices: Choices) -> None:
    """Take what the link gives; what it cannot mean is said and left at its default."""
    asked = links.Asked()
    picture, colour = asked.one_of("picture", PICTURES), asked.one_of("colour", COLOURS)
    choices.picture = next((known for known in PICTURES if known == picture), choices.picture)
    choices.colour = next((known for known in COLOURS if known == colour), choices.colour)
    choices.dims = 3 if asked.one_of("dims", ("2", "3")) == "3" else 2
    choices.neighbours = asked.whole("neighbours", FEWEST, MOST) or choices.neighbours
    choices.lines = asked.one_of("lines", ("0", "1")) != "0"
    choices.trail = asked.one_of("trail", ("0", "1")) == "1"
    point = links.given("point")
    if point is not None:
        if _is_sentence(point):
            choices.point = choices.pinned = choices.row = point
            choices.is_linked = True
        else:
            asked.refuse("point", "names no sentence of a conversation.")
    state.not_followed(asked.complaints)


def _is_sentence(point: str) -> bool:
    try:
        return len(point) <= _POINT_CHARS and not isinstance(charts.read_key(point), str)
    except InvalidParameterError:
        return False


def _unless(value: str, default: str) -> str | None:
    return None if value == default else value
