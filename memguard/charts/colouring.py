"""What the map's colours stand for: verdict, stage, speaker or similarity.

A colouring is a list of groups, from the ground up; each has a name, a shape and a colour of its
own, so that no group is told by colour alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from memguard.charts.points import MapPoint, map_sources
from memguard.charts.style import CLAIM_SIZE, claim_marker
from memguard.palette import CLAIM_MEANINGS, KEPT, ground
from memguard.trace import Trace

ColourBy = Literal["verdict", "stage", "speaker", "similarity"]
SPEAKER_SHAPES = ("circle", "square", "triangle-up", "cross", "star", "hexagon", "triangle-down", "pentagon")
SPEAKER_TONES = (("#0E7090", "#67E3F9"), ("#C11574", "#FAA7E0"), ("#4F7A21", "#ACDC79"))
"""On light and on dark paper; hues that no verdict has. Colours repeat after three speakers, shapes never."""
LIGHT_SCALE = ((0.0, "#B3C0D4"), (0.5, "#5B84C4"), (1.0, "#132F75"))
DARK_SCALE = ((0.0, "#44536A"), (0.5, "#6C97D8"), (1.0, "#DCEBFF"))
_NAME_CHARS = 24


@dataclass(frozen=True, slots=True)
class Group:
    """Points that are drawn alike.

    Attributes:
        name: What they are, for the legend; not escaped.
        members: Their indexes among the points of the map.
        marker: plotly's marker of a two-dimensional trace, without what ``values`` decides.
        values: What each is coloured by on the sequential scale; empty where the marker has a colour.
    """

    name: str
    members: tuple[int, ...]
    marker: dict[str, Any] = field(default_factory=dict)
    values: tuple[float, ...] = ()


def is_claim(point: MapPoint) -> bool:
    """Return whether a point stands for a claim."""
    return point.key.startswith("claim:")


def speaker_names(trace: Trace) -> tuple[str, ...]:
    """Return the speaker of each sentence of ``map_sources``, in order; claims have none."""
    return tuple(trace.conversation.message(span.message_id).speaker_name for span in map_sources(trace)[0])


def by_verdict(points: Sequence[MapPoint], *, dark: bool) -> list[Group]:
    """Group sentences by whether they were picked, claims by what became of them."""
    groups = _sentences(points, dark)
    for meaning in (m for key in _VERDICTS for m in CLAIM_MEANINGS if m.key == key):
        members = [i for i, p in enumerate(points) if p.kind == meaning.key]
        groups.append(Group(meaning.label, tuple(members), claim_marker(meaning, dark)))
    return _filled(groups)


def by_stage(points: Sequence[MapPoint], *, dark: bool) -> list[Group]:
    """Group points by how far they came: transcript, picked, checked, in the context."""
    base = ground(dark)
    reached: dict[str, list[int]] = {"in": [], "out": []}
    for i, point in enumerate(points):
        if is_claim(point) or point.in_payload:
            reached["in" if point.in_payload else "out"].append(i)
    rest = [i for i in range(len(points)) if i not in {*reached["in"], *reached["out"]}]
    groups = _sentences(points, dark, rest)
    groups.append(
        Group(
            "claim, not in the context",
            tuple(reached["out"]),
            _hollow("diamond-open", base.ink),
        )
    )
    groups.append(Group("in the context", tuple(reached["in"]), claim_marker(KEPT, dark)))
    return _filled(groups)


def by_speaker(points: Sequence[MapPoint], speakers: Sequence[str], *, dark: bool) -> list[Group]:
    """Group sentences by who said them, by shape and colour; claims, which nobody said, apart.

    Args:
        points: Sentences first, as ``map_points`` gives them.
        speakers: One a sentence.
        dark: For dark paper.
    """
    names = list(dict.fromkeys(speakers))
    base = ground(dark)
    members: dict[str, list[int]] = {name: [] for name in names}
    for i, name in enumerate(speakers):
        members[name].append(i)
    size = _small(len(speakers)) + 2
    groups = []
    for place, name in enumerate(names[: len(SPEAKER_SHAPES)]):
        tone = SPEAKER_TONES[place % len(SPEAKER_TONES)]
        marker = {
            "symbol": SPEAKER_SHAPES[place],
            "size": size,
            "color": tone[dark],
            "opacity": 0.8,
            "line": {"width": 0},
        }
        groups.append(Group(_short(name), tuple(members[name]), marker))
    others = [i for name in names[len(SPEAKER_SHAPES) :] for i in members[name]]
    n_others = max(0, len(names) - len(SPEAKER_SHAPES))
    groups.append(Group(f"{n_others:,} others", tuple(others), _hollow("circle-open", base.grey, size)))
    claims = tuple(range(len(speakers), len(points)))
    groups.append(Group("claim", claims, _hollow("diamond-open", base.ink)))
    return _filled(groups)


def by_similarity(points: Sequence[MapPoint], values: Sequence[float]) -> list[Group]:
    """Colour every point by a value in [-1, 1] on the sequential scale; claims are diamonds.

    Args:
        points: In any order.
        values: One a point.
    """
    groups = []
    for name, wanted, symbol, size in (
        ("sentence", False, "circle", _small(len(points)) + 3),
        ("claim", True, "diamond", CLAIM_SIZE - 2),
    ):
        members = tuple(i for i, p in enumerate(points) if is_claim(p) is wanted)
        marker = {"symbol": symbol, "size": size, "opacity": 0.95, "line": {"width": 0}}
        groups.append(Group(name, members, marker, tuple(float(values[i]) for i in members)))
    return _filled(groups)


def scale(dark: bool) -> tuple[tuple[float, str], ...]:
    """Return the sequential colour scale: the stronger against the paper, the more similar."""
    return DARK_SCALE if dark else LIGHT_SCALE


_VERDICTS = (
    "verbatim",
    "kept",
    "dropped_not_found",
    "needs_review",
    "dropped_contradicted",
    "dropped_by_person",
)
"""From the ground up; contradictions lie on top."""


def _sentences(points: Sequence[MapPoint], dark: bool, among: Sequence[int] | None = None) -> list[Group]:
    base = ground(dark)
    places = range(len(points)) if among is None else among
    size = _small(len(points))
    groups = []
    for name, kinds, colour, opacity, more in (
        ("sentence", ("sentence",), base.grey, 0.45, 0),
        ("picked", ("picked",), base.ink, 0.7, 1),
    ):
        members = tuple(i for i in places if points[i].kind in kinds and not is_claim(points[i]))
        marker = {"symbol": "circle", "size": size + more, "color": colour, "opacity": opacity}
        groups.append(Group(name, members, {**marker, "line": {"width": 0}}))
    return groups


def _hollow(symbol: str, colour: str, size: int = CLAIM_SIZE - 3) -> dict[str, Any]:
    return {"symbol": symbol, "size": size, "color": colour, "opacity": 0.9, "line": {"width": 2}}


def _small(n_points: int) -> int:
    """Return the size of a sentence's mark: smaller where there are many."""
    return 8 if n_points <= 200 else 6 if n_points <= 1_000 else 4


def _filled(groups: Sequence[Group]) -> list[Group]:
    return [group for group in groups if group.members]


def _short(name: str) -> str:
    return name if len(name) <= _NAME_CHARS else f"{name[: _NAME_CHARS - 1]}…"
