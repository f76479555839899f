"""The parts of the Embedding map page as plain values and HTML, without Streamlit."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from memguard import charts
from memguard.charts import MapLink, MapPoint
from memguard.eliminator import Elimination
from memguard.geometry.neighbours import Contrast
from memguard.geometry.plane import fit_plane
from memguard.geometry.projection import Layout
from memguard.models.cache import CachedEmbedder
from memguard.trace import Trace
from pages._ui.map import details, shape
from pages._ui.map.choices import Choices, picked
from pages._ui.map.linked import row_picked, sentence_picked
from tests.app.handmade import handmade
from tests.app.test_render import read
from tests.fakes import FakeEmbedder

HOSTILE = "<img src=x onerror=alert(1)> :red[no] $5 and $6 \u202eoff"


@pytest.fixture(scope="module")
def trace() -> Trace:
    return handmade()


@pytest.fixture(scope="module")
def points(trace: Trace) -> tuple[tuple[MapPoint, ...], tuple[MapLink, ...]]:
    spans = charts.map_sources(trace)[0]
    n = len(spans) + len(charts.map_targets(trace))
    return charts.map_points(trace, Layout(tuple((float(i), 0.0) for i in range(n)), "umap"), spans)


def test_card_of_a_sentence_and_of_a_claim(
    trace: Trace, points: tuple[tuple[MapPoint, ...], tuple[MapLink, ...]]
) -> None:
    sentence, claim = points[0][0], next(p for p in points[0] if p.key == "claim:c1")
    assert "The deposit is 400 euros." in details.card(sentence, trace)
    shown = read(details.card(claim, trace))
    assert "Claim c1, contradicted" in shown
    assert "similarity 0.976, support 0.080" in shown
    assert "500 ≠ 400 (m1)" in shown


def test_every_sentence_of_the_transcript_can_be_chosen(
    trace: Trace, points: tuple[tuple[MapPoint, ...], tuple[MapLink, ...]]
) -> None:
    spans = charts.map_sources(trace)[0]
    shown = details.transcript(trace, spans)
    assert shown.count('class="mg-sentence"') == len(spans)
    for point in points[0]:
        if not point.key.startswith("claim:"):
            assert f'data-key="{point.key}"' in shown
    for message in trace.conversation:
        assert message.content in read(shown)


def test_what_is_lit(trace: Trace, points: tuple[tuple[MapPoint, ...], tuple[MapLink, ...]]) -> None:
    every, links = points
    claim = next(p for p in every if p.key == "claim:c1")
    assert details.lit(None, links) == []
    assert details.lit(every[2], links) == [every[2].key]
    (key,) = details.lit(claim, links)
    assert charts.read_key(key).message_id == "m1"  # type: ignore[union-attr]


def test_table_has_a_row_a_point_the_pinned_first(
    trace: Trace, points: tuple[tuple[MapPoint, ...], tuple[MapLink, ...]]
) -> None:
    verdicts = {v.claim.id: v for v in trace[Elimination].verdicts}
    pinned = points[0][3].key
    rows = details.table(points[0], pinned, verdicts)
    assert rows.index[0] == 3
    assert sorted(rows.index) == list(range(len(points[0])))
    assert rows["Point"].iloc[1].startswith("Claim")
    assert rows["Similarity"].iloc[1] == pytest.approx(0.976)
    assert np.isnan(rows["Similarity"].iloc[0])
    assert len(details.table((), None, {})) == 0


def test_near_list_is_exact_and_says_so(points: tuple[tuple[MapPoint, ...], tuple[MapLink, ...]]) -> None:
    shown = details.near_list(((1, 0.8765), (0, 0.5)), points[0])
    assert "0.876" in shown or "0.877" in shown
    assert shown.index(points[0][1].text) < shown.index(points[0][0].text)
    assert "The map is a projection" in read(shown)
    assert "Nothing else" in details.near_list((), points[0])


def test_hostile_text_is_escaped_everywhere(trace: Trace) -> None:
    point = MapPoint("source:0:9:m1", 0, 0, "sentence", HOSTILE, f"m1 {HOSTILE}")
    for shown in (details.card(point, trace), details.near_list(((0, 1.0),), [point])):
        assert "<img" not in shown
        assert HOSTILE in read(shown)


def test_a_click_is_read_by_the_number_of_its_point() -> None:
    def event(*numbers: object) -> SimpleNamespace:
        return SimpleNamespace(selection=SimpleNamespace(points=[{"customdata": n} for n in numbers]))

    keys = ["a", "b", "c"]
    assert picked(event(0), keys) == "a"  # zero is a number as well
    assert picked(event([2]), keys) == "c"
    assert picked(event(None, 1), keys) == "b"
    assert picked(event(), keys) is None
    assert picked(event(7), keys) is None
    assert picked(event("x"), keys) is None


def test_a_row_and_a_sentence_are_followed_once() -> None:
    choices = Choices()
    assert row_picked([1], ["a", "b"], choices) == "b"
    assert row_picked([1], ["a", "b"], choices) is None
    assert row_picked([], ["a", "b"], choices) is None
    assert row_picked([9], ["a", "b"], choices) is None
    assert sentence_picked({"key": "s", "turn": 5}, choices) == "s"
    assert sentence_picked({"key": "s", "turn": 5}, choices) is None
    assert sentence_picked({"key": "t", "turn": 6}, choices) == "t"
    for nothing in (None, {}, {"key": 3, "turn": 9}, {"key": "t"}, "t"):
        assert sentence_picked(nothing, choices) is None


def test_shape_without_weights_is_the_space_of_the_run(trace: Trace) -> None:
    embedder = CachedEmbedder(FakeEmbedder())
    plain = shape.shaped(trace, embedder, {})
    n = len(plain.raw)
    np.testing.assert_array_equal(plain.rows[:n], plain.raw)
    smoothed = shape.shaped(trace, embedder, {"smoothing": 0.5})
    assert not np.allclose(smoothed.rows[:n], plain.rows[:n])
    np.testing.assert_array_equal(smoothed.rows[n:], plain.rows[n:])  # sources alone are smoothed
    pulled = shape.shaped(trace, embedder, {"anchors": 0.3})
    assert not np.allclose(pulled.rows[:n], plain.rows[:n])
    assert not np.allclose(pulled.rows[n:], plain.rows[n:])
    assert len(pulled.rows) == n + len(charts.map_targets(trace))
    dense = shape.shaped(trace, embedder, {"density": 1.0})
    np.testing.assert_array_equal(dense.rows, plain.rows)
    assert dense.contrast != plain.contrast


def test_contrast_is_of_supported_against_dropped_claims(trace: Trace) -> None:
    """Claims that need review belong to neither group."""
    found = shape.shaped(trace, FakeEmbedder(), {}).contrast
    assert found.upper is not None
    assert found.lower is not None
    assert found.upper > found.lower


def test_readout_shows_before_after_and_change(trace: Trace) -> None:
    plane = fit_plane(np.eye(3))
    shown = read(shape.readout(Contrast(0.8, 0.5, 0.75), Contrast(0.9, 0.4, 0.875), plane))
    for words in ("0.800", "0.900", "+0.100", "−0.100", "0.300", "0.500", "+0.200", "0.875", "+0.125"):
        assert words in shown
    assert "no labels by people" in shown
    nothing = Contrast(0.8, None, None)
    assert "does not have both" in read(shape.readout(nothing, nothing, plane))


def test_separation_map_is_used_only_where_it_fits() -> None:
    assert shape.separation_map("sentence-transformers/all-mpnet-base-v2@1", 768) is not None
    assert shape.separation_map("fake/all-mpnet-base-v2@1", 256) is None
    assert shape.separation_map("other@1", 768) is None
