"""The three pictures of the page: the map to explore, the space before and after, and the replay."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from memguard import charts
from memguard.bounds import bounds_of
from memguard.charts import MapLink, MapPoint, atlas, colouring, replay, shaping
from memguard.eliminator import Elimination
from memguard.geometry.plane import fit_plane
from memguard.settings import EliminationSettings
from memguard.trace import Trace
from pages._ui import placing, resources, shell
from pages._ui.map import choices as chosen
from pages._ui.map import details, linked, shape, vectors
from pages._ui.map.choices import Choices

if TYPE_CHECKING:
    from memguard.geometry.projection import Layout

_QUIET = {"displayModeBar": False}
_WIDE = [62, 38]


def needed(trace: Trace, choices: Choices) -> tuple[Future[Layout], ...]:
    """Return the layouts that the picture waits for."""
    if choices.picture == "shaping":
        return ()
    flat = resources.layout(trace)
    if choices.picture == "map" and choices.dims == 3:
        return flat, vectors.layout_in_space(trace)
    return (flat,)


def explore(trace: Trace, choices: Choices) -> str | None:
    """Draw the map with what is linked to it; return the key of a point that was chosen, if one was.

    What was chosen in the table is not pinned there: ``choices.row`` is its key.
    """
    layout = placing.settled(resources.layout(trace), partial(resources.forget_layout, trace))
    if layout is None:
        return None
    points, links = charts.map_points(trace, layout, resources.sentences(trace)[0])
    keys = [point.key for point in points]
    number = chosen.selected(choices, keys)
    near = vectors.vectors(trace).near(number, choices.neighbours) if number is not None else ()
    left, right = st.columns(_WIDE, gap="large")
    with left:
        picked = _map(trace, choices, points, links, number, [i for i, _ in near])
    if picked is not None:
        return picked  # the page is about to be drawn again, with the new selection
    with right:
        _details(trace, choices, points, number, near)
    point = points[number] if number is not None else None
    left, right = st.columns(2, gap="large")
    with left:
        st.html('<div class="mg-panehead">Points <small>choose a row to mark its point</small></div>')
        picked = linked.table(trace, points, choices)
    with right:
        st.html(
            '<div class="mg-panehead">Transcript <small>choose a sentence to mark its point</small></div>'
        )
        return linked.transcript(trace, point, links, choices) or picked


def before_and_after(trace: Trace, choices: Choices) -> None:
    """Draw the space without and with the weights that are tried out, and what was measured of both."""
    elimination = trace.get(Elimination)
    if elimination is None:
        placing.hint(
            "The space is shaped in stage 2",
            "Run elimination on the Pipeline page; then its sentences and claims are compared here.",
        )
        return
    embedder = resources.embedder()
    left, right = st.columns(_WIDE, gap="large")
    with right:
        weights = _weights(trace, choices, vectors.vectors(trace).rows.shape[1])
    key = vectors.key_of(trace)
    labels = tuple((v.claim.id, v.label) for v in elimination.verdicts)
    plain = vectors.once(("plain", *key, labels), lambda: shape.shaped(trace, embedder, {}))
    tried = shape.shaped(trace, embedder, weights) if any(weights.values()) else plain
    plane = vectors.once(("plane", *key), lambda: fit_plane(plain.raw))
    journey = shaping.Journey(plane.project(plain.rows), plane.project(tried.rows))
    groups = shape.groups(trace, len(plain.raw), dark=shell.is_dark())
    with left:
        st.plotly_chart(
            shaping.shaping(journey, groups, shape.texts_of(plain, trace), dark=shell.is_dark()),
            key="map_shaping",
            theme=None,
            height=atlas.HEIGHT,
            config=_QUIET,
            alt=shaping.describe_shaping(journey, groups),
        )
    with right:
        st.html(shape.readout(plain.contrast, tried.contrast, plane))


def turn_by_turn(trace: Trace) -> None:
    """Draw the replay; the browser plays it without asking the server."""
    layout = placing.settled(resources.layout(trace), partial(resources.forget_layout, trace))
    if layout is None:
        return
    points, _links = charts.map_points(trace, layout, resources.sentences(trace)[0])
    st.html(
        '<p class="mg-lead">Press Play: the map is built in the order of the conversation, the newest '
        "sentences in blue, the claims last. Every point has its final place from the beginning.</p>"
    )
    st.plotly_chart(
        replay.replay(points, dark=shell.is_dark()),
        key="map_replay",
        theme=None,
        height=atlas.HEIGHT,
        config=_QUIET,
        alt=replay.describe_replay(points),
    )


def _map(
    trace: Trace,
    choices: Choices,
    points: Sequence[MapPoint],
    links: Sequence[MapLink],
    number: int | None,
    near: Sequence[int],
) -> str | None:
    places = None
    if choices.dims == 3:
        future = vectors.layout_in_space(trace)
        layout = placing.settled(future, partial(vectors.forget_layout_in_space, trace))
        if layout is None:
            return None
        places = np.asarray(layout.points, np.float32)
    groups, title = _groups(trace, choices, points, number)
    made = atlas.atlas(
        points,
        groups,
        places=places,
        dark=shell.is_dark(),
        links=links if choices.lines else (),
        trail=atlas.trail_of(points, places) if choices.trail else (),
        neighbours=near,
        selected=number,
        scale_title=title,
    )
    said = atlas.describe_atlas(points, groups, dimensions=choices.dims, selected=number, neighbours=near)
    config = _QUIET | {"scrollZoom": True}
    if choices.dims == 3:
        st.plotly_chart(made, key="map_3d", theme=None, height=atlas.HEIGHT, config=config, alt=said)
        st.html(
            '<p class="mg-lead">Three dimensions are to look at: drag to turn. Points cannot be chosen here '
            "(choose them in the table or the transcript), and the browser needs WebGL.</p>"
        )
        return None
    event = st.plotly_chart(
        made,
        key="map_2d",
        theme=None,
        height=atlas.HEIGHT,
        config=config,
        alt=said,
        on_select="rerun",
        selection_mode="points",
    )
    return chosen.picked(event, [point.key for point in points])


def _groups(
    trace: Trace, choices: Choices, points: Sequence[MapPoint], number: int | None
) -> tuple[list[colouring.Group], str]:
    """Return the colouring that was chosen, and what its scale shows."""
    dark = shell.is_dark()
    if choices.colour == "stage":
        return colouring.by_stage(points, dark=dark), ""
    if choices.colour == "speaker":
        return colouring.by_speaker(points, colouring.speaker_names(trace), dark=dark), ""
    if choices.colour == "similarity":
        title = (
            "cosine to the selected point" if number is not None else "cosine to the nearest claim or source"
        )
        return colouring.by_similarity(points, vectors.similarities(trace, number)), title
    return colouring.by_verdict(points, dark=dark), ""


def _details(
    trace: Trace,
    choices: Choices,
    points: Sequence[MapPoint],
    number: int | None,
    near: Sequence[tuple[int, float]],
) -> None:
    if number is None:
        lost = "The point that the link selects is not on this map. " if choices.point is not None else ""
        st.html(details.nothing_selected(points, lost))
        return
    with st.container(key="map_details", height=atlas.HEIGHT, border=False):
        st.html(details.card(points[number], trace))
        st.button(
            "Clear the selection",
            key="map_clear",
            icon=":material/close:",
            type="tertiary",
            on_click=partial(chosen.choose, choices, None),
        )
        st.html(details.near_list(near, points))


def _weights(trace: Trace, choices: Choices, dimension: int) -> dict[str, float]:
    """Draw a slider a weight; they are tried out here and change no run."""
    own = shape.starting_weights(trace.settings.elimination)
    words = "" if any(own.values()) else "All four weights of this run are 0, as shipped: plain cosine. "
    st.html(
        '<div class="mg-panehead">Weights of the space <small>tried out here only</small></div>'
        f'<p class="mg-lead">{words}Move a weight to see the space before and after; the run keeps '
        "its own.</p>"
    )
    fits = shape.separation_map(resources.embedder().model_id, dimension) is not None
    found = {}
    for name in shape.WEIGHTS:
        bounds = bounds_of(EliminationSettings, name)
        usable = fits or name != "separation"
        found[name] = st.slider(
            bounds.label,
            bounds.low,
            bounds.high,
            choices.weights.get(name, own[name]) if usable else 0.0,
            bounds.step,
            key=f"map_{name}",
            help=bounds.help if usable else "The shipped map was trained on another embedder.",
            disabled=not usable,
        )
    choices.weights = found
    return found
