"""The figures of the Embedding map page: what they hold, how small they stay, and that text stays text."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from memguard import palette
from memguard.charts import MapLink, MapPoint
from memguard.charts.atlas import TRAIL_MESSAGES, atlas, describe_atlas, hover_line, trail_of
from memguard.charts.colouring import (
    DARK_SCALE,
    LIGHT_SCALE,
    SPEAKER_SHAPES,
    SPEAKER_TONES,
    Group,
    by_similarity,
    by_speaker,
    by_stage,
    by_verdict,
)
from memguard.charts.replay import MOST_STEPS, describe_replay, replay, steps_of
from memguard.charts.shaping import Journey, describe_shaping, shaping
from memguard.errors import InvalidParameterError
from tests.support import cpu_seconds

HOSTILE = "<script>x</script> & <b>bold</b> $5 and $6 [a](javascript:b)"
VERDICTS = ("kept", "dropped_not_found", "dropped_contradicted", "needs_review")


def sentences(n: int, per_message: int = 2) -> list[MapPoint]:
    return [
        MapPoint(
            f"source:{i % per_message * 40}:{i % per_message * 40 + 38}:m{i // per_message}",
            float(i % 71),
            float(i % 53),
            "picked" if i % 7 == 0 else "sentence",
            f"Sentence {i} says that the deposit of flat {i} is due on Friday.",
            f"m{i // per_message} Mira, picked #1",
        )
        for i in range(n)
    ]


def claims(n: int) -> list[MapPoint]:
    return [
        MapPoint(f"claim:c{i}", float(i), -1.0, VERDICTS[i % 4], f"Claim {i}.", "support 0.9", i % 4 == 0)  # type: ignore[arg-type]
        for i in range(n)
    ]


def named(figure: go.Figure, name: str) -> list[Any]:
    return [trace for trace in figure.data if trace.name == name]


def members(groups: list[Group]) -> list[int]:
    return sorted(i for group in groups for i in group.members)


@pytest.mark.parametrize("dark", [False, True])
def test_every_point_is_in_one_group_of_every_colouring(dark: bool) -> None:
    points = [*sentences(20), *claims(8)]
    speakers = ["Mira", "Jonas"] * 10
    for groups in (
        by_verdict(points, dark=dark),
        by_stage(points, dark=dark),
        by_speaker(points, speakers, dark=dark),
        by_similarity(points, [0.5] * 28),
    ):
        assert members(groups) == list(range(28))
        signs = [(g.marker["symbol"], str(g.marker.get("color"))) for g in groups]
        assert len(set(signs)) == len(signs)


def test_a_verbatim_sentence_keeps_its_place_in_every_colouring() -> None:
    points = [*sentences(4), MapPoint("source:0:9:m9", 0, 0, "verbatim", "Quoted.", "m9", True), *claims(2)]
    assert members(by_verdict(points, dark=False)) == list(range(7))
    assert members(by_stage(points, dark=False)) == list(range(7))
    assert next(g for g in by_stage(points, dark=False) if g.name == "in the context").members == (4, 5)


def test_speakers_are_told_apart_by_shape_and_name() -> None:
    """Speakers by shape and label, not by colour alone; more than eight share one shape and say so."""
    n = len(SPEAKER_SHAPES) + 3
    groups = by_speaker(sentences(n), [f"Speaker {i}" for i in range(n)], dark=False)
    assert [g.marker["symbol"] for g in groups[:-1]] == list(SPEAKER_SHAPES)
    assert groups[-1].name == "3 others"
    assert len({g.name for g in groups}) == len(groups)


@pytest.mark.parametrize("dark", [False, True])
def test_colours_of_the_map_can_be_seen(dark: bool) -> None:
    """WCAG 1.4.11: 3 : 1 for marks that mean something; the scale rises away from the paper."""
    paper = palette.ground(dark).paper
    assert all(palette.contrast(tone[dark], paper) >= 3 for tone in SPEAKER_TONES)
    assert not {tone[dark] for tone in SPEAKER_TONES} & {m.tone(dark).fg for m in palette.MEANINGS}
    steps = [palette.contrast(colour, paper) for _at, colour in (DARK_SCALE if dark else LIGHT_SCALE)]
    assert steps == sorted(steps)
    assert steps[-1] > 3 * steps[0]


def test_similarity_has_a_scale_and_the_others_have_none() -> None:
    points = [*sentences(4), *claims(2)]
    figure = atlas(
        points, by_similarity(points, [0.1, 0.2, 0.3, 0.4, -0.5, 0.9]), scale_title="cosine to <x>"
    )
    assert figure.layout.coloraxis.cmin == -0.5
    assert figure.layout.coloraxis.cmax == 1.0
    assert figure.layout.coloraxis.colorbar.title.text == "cosine to &lt;x&gt;"
    assert [list(np.round(t.marker.color, 3)) for t in figure.data] == [[0.1, 0.2, 0.3, 0.4], [-0.5, 0.9]]
    assert atlas(points, by_verdict(points, dark=False)).layout.coloraxis.colorbar.title.text is None


def test_atlas_carries_the_number_of_each_point() -> None:
    points = [*sentences(10), *claims(4)]
    figure = atlas(points, by_verdict(points, dark=False))
    seen = {
        int(n): (float(x), float(y))
        for t in figure.data
        for n, x, y in zip(t.customdata, t.x, t.y, strict=True)
    }
    assert seen == {i: (p.x, p.y) for i, p in enumerate(points)}


def test_lines_neighbours_and_the_selected_point() -> None:
    points = [*sentences(10), *claims(2)]
    links = [MapLink("claim:c0", points[3].key), MapLink("claim:c1", points[5].key), MapLink("claim:no", "x")]
    groups = by_verdict(points, dark=False)
    figure = atlas(points, groups, links=links, selected=10, neighbours=[1, 2])
    (quiet,), (chosen,), (near,) = (
        named(figure, n) for n in ("evidence", "evidence of the selection", "near")
    )
    assert np.array_equal(np.asarray(quiet.x)[:2], [1.0, 5.0])
    assert np.array_equal(np.asarray(chosen.x)[:2], [0.0, 3.0])
    assert len(near.x) == 6
    assert near.line.dash == "dot"
    (ring,) = named(figure, "selected")
    assert (list(ring.x), list(ring.y)) == ([0.0], [-1.0])
    assert list(named(figure, "linked")[0].x) == [3.0]
    assert not named(atlas(points, groups), "selected")


def test_trail_goes_through_the_messages_in_order_and_fades() -> None:
    points = sentences(40)
    trail = trail_of(points)
    assert [points[i].key.rpartition(":")[2] for i in trail] == [f"m{i}" for i in range(20)]
    lines = named(atlas(points, by_verdict(points, dark=False), trail=trail), "trail")
    opacities = [line.opacity for line in lines]
    assert opacities == sorted(opacities)
    assert opacities[0] < opacities[-1]
    assert sum(np.isnan(line.x).sum() for line in lines) == 19
    assert trail_of([]) == ()
    assert len(trail_of(sentences(TRAIL_MESSAGES + 50, per_message=1))) == TRAIL_MESSAGES
    assert trail_of(claims(3)) == ()


def test_three_dimensions_have_no_selection() -> None:
    points = [*sentences(8), *claims(3)]
    places = np.random.default_rng(0).normal(size=(11, 3)).astype(np.float32)
    figure = atlas(
        points, by_verdict(points, dark=True), places=places, dark=True, selected=0, neighbours=[1]
    )
    assert {type(trace) for trace in figure.data} == {go.Scatter3d}
    assert all(trace.customdata is None for trace in figure.data)
    assert figure.layout.scene.aspectmode == "data"
    with pytest.raises(InvalidParameterError, match=r"shape \(11, 2\) or \(11, 3\); got \(4, 3\)"):
        atlas(points, [], places=places[:4])


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5])
def test_a_very_small_map_is_friendly(n: int) -> None:
    """UI-001: 0 to 4 points are drawn, and say how."""
    points = sentences(n)
    figure = atlas(points, by_verdict(points, dark=False), trail=trail_of(points))
    assert len(figure.layout.annotations) == (n < 5)
    assert figure.layout.xaxis.range[0] < figure.layout.xaxis.range[1]
    replay(points)
    assert describe_atlas(points, by_verdict(points, dark=False), dimensions=2)


def test_5000_points_are_small_and_quick() -> None:
    """At 5,000 points: WebGL, under 1 MiB, built in under a second on a busy machine."""
    points = [*sentences(4_800), *claims(200)]
    links = [MapLink(f"claim:c{i}", points[i * 3].key) for i in range(200)]

    def built() -> tuple[go.Figure, str]:
        ways = by_verdict(points, dark=False)
        figure = atlas(points, ways, links=links, trail=trail_of(points), selected=0)
        return figure, figure.to_json()

    assert cpu_seconds(built) < 1.0
    figure, sent = built()
    assert len(sent) < 1_000_000
    assert {type(trace) for trace in figure.data} == {go.Scattergl}
    assert len(replay(points).to_json()) < 1_000_000
    assert len(replay(points).frames) == MOST_STEPS + 1


def test_hostile_text_is_in_no_figure_as_markup() -> None:
    points = [MapPoint("source:0:9:m1", 0, 0, "sentence", HOSTILE, HOSTILE), *sentences(5)]
    groups = by_speaker(points, [HOSTILE, *["Mira"] * 5], dark=False)
    journey = Journey(np.zeros((6, 2), np.float32), np.ones((6, 2), np.float32))
    figures = (
        atlas(points, groups, selected=0),
        replay(points),
        shaping(journey, groups, [hover_line(p) for p in points]),
    )
    for figure in figures:
        sent = json.loads(figure.to_json())
        assert "<script" not in json.dumps(sent).replace("\\u003c", "<")
        for trace in sent["data"]:
            shown = [trace.get("name", ""), *(trace.get("hovertext") or [])]
            assert not any("<" in text or "$" in text for text in shown)


def test_replay_switches_traces_on_turn_by_turn() -> None:
    points = [*sentences(10), *claims(4)]
    figure = replay(points)
    assert [len(rows) for rows in steps_of(points)] == [2] * 5
    assert len(figure.frames) == 6
    for number, frame in enumerate(figure.frames):
        visible = [trace.visible for trace in frame.data]
        assert visible[:5] == [place <= number for place in range(5)]
        assert set(visible[5:]) == {number == 5}
        assert all(trace.x is None for trace in frame.data)  # no coordinates are sent again
    assert [button.label for button in figure.layout.updatemenus[0].buttons] == ["Play", "Pause"]
    assert figure.layout.sliders[0].steps[-1].label == "the claims"
    assert describe_replay(points).startswith("10 sentences appear in 5 steps")
    assert describe_replay([]).startswith("There is nothing to replay")


def test_replay_of_a_long_conversation_has_few_steps_with_every_sentence_once() -> None:
    steps = steps_of(sentences(400))
    assert len(steps) == MOST_STEPS
    assert [i for rows in steps for i in rows] == list(range(400))


def test_shaping_goes_from_before_to_after() -> None:
    before = np.zeros((3, 2), np.float32)
    after = np.array([[0, 0], [1, 0], [0, 2]], np.float32)
    journey = Journey(before, after)
    groups = [Group("sentence", (0, 1), {"size": 4}), Group("kept", (2,), {"size": 9})]
    figure = shaping(journey, groups, ["a", "b", "c"])
    assert journey.n_moved == 2
    first, last = figure.frames[0], figure.frames[-1]
    assert list(first.data[0].x) == [0.0, 0.0]
    assert list(last.data[0].x) == [0.0, 1.0]
    assert list(last.data[1].y) == [2.0]
    assert list(figure.data[1].y) == [2.0]
    labels = [step.label for step in figure.layout.sliders[0].steps]
    assert (labels[0], labels[-1]) == ("before", "after")
    assert "2 points of 3 move, by 1.00 on average" in describe_shaping(journey, groups)


def test_shaping_that_moves_nothing_says_so() -> None:
    still = Journey(np.ones((2, 2), np.float32), np.ones((2, 2), np.float32))
    groups = [Group("sentence", (0, 1), {})]
    assert not shaping(still, groups, ["a", "b"]).frames
    assert describe_shaping(still, groups).endswith("No point moves under these weights.")
    empty = Journey(np.zeros((0, 2), np.float32), np.zeros((0, 2), np.float32))
    assert shaping(empty, [], []).layout.annotations[0].text == "No sentences yet."
    with pytest.raises(InvalidParameterError, match="one shape"):
        Journey(np.zeros((2, 2), np.float32), np.zeros((3, 2), np.float32))


def test_the_text_of_the_map_names_groups_selection_and_nearest() -> None:
    points = [*sentences(6), *claims(2)]
    text = describe_atlas(points, by_verdict(points, dark=False), dimensions=3, selected=6, neighbours=[2])
    assert text.startswith(
        "A map in three dimensions of 8 points: 5 sentence, 1 picked, 1 kept and 1 not found."
    )
    assert "Selected: c0: Claim 0.." in text
    assert "its 1 nearest, the first of them: m1 Mira: Sentence 2" in text
