"""Page Embedding map on fakes: every widget has an effect, and every selection reaches all that is linked."""

from __future__ import annotations

import json
from concurrent.futures import Future
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from memguard.charts import source_key
from memguard.eliminator import Elimination
from memguard.errors import ModelUnavailableError, WorkerError
from memguard.geometry.projection import Layout
from memguard.trace import Trace
from pages._ui import resources
from pages._ui.map import vectors
from tests.app.conftest import ROOT, TALK, Fakes, html, paste

PAGE = "pages/map.py"


class Worker:
    """A worker that places rows on a curve, and remembers how many dimensions were asked for."""

    state = "ready"

    def __init__(self) -> None:
        self.asked: list[int] = []

    def submit(self, sources: Any, targets: Any, *_: Any, components: int = 2) -> Future[Layout]:
        self.asked.append(components)
        done: Future[Layout] = Future()
        rows = range(len(sources) + len(targets))
        done.set_result(
            Layout(tuple(tuple(float(i % (2 + c)) for c in range(components)) for i in rows), "umap")
        )
        return done


@pytest.fixture
def worker(fakes: Fakes, monkeypatch: pytest.MonkeyPatch) -> Worker:
    made = Worker()
    monkeypatch.setattr(resources, "embedder", lambda: fakes.embedder)
    monkeypatch.setattr(resources, "map_worker", lambda: made)
    return made


@pytest.fixture
def at(app: AppTest, worker: Worker) -> AppTest:
    """The page after all three stages."""
    paste(app, json.dumps(TALK)).button(key="finish").click().run()
    app.switch_page(PAGE).run()
    assert not app.exception
    return app


def charts(at: AppTest) -> list[dict[str, Any]]:
    return [json.loads(element.proto.spec) for element in at.get("plotly_chart")]


def chart(at: AppTest) -> dict[str, Any]:
    (only,) = charts(at)
    return only


def alt(at: AppTest) -> str:
    return str(at.get("plotly_chart")[0].proto.alt)


def names(at: AppTest) -> list[str]:
    return [trace.get("name", "") for trace in chart(at)["data"]]


def parameter(at: AppTest, name: str, default: str | None = None) -> str | None:
    """What the address gives for a parameter."""
    value = at.query_params.get(name, default)
    return value[0] if isinstance(value, list) else value


def trace_of(at: AppTest) -> Trace:
    trace: Trace = at.session_state["memguard"].trace
    return trace


def select(at: AppTest, key: str) -> AppTest:
    """Select a point as a click on it does."""
    at.session_state["memguard:map"].point = None if key.startswith("claim:") else key
    at.session_state["memguard:map"].pinned = at.session_state["memguard:map"].row = key
    if key.startswith("claim:"):
        at.session_state["memguard"].selected = key.removeprefix("claim:")
    at.session_state["memguard:map"].claim = at.session_state["memguard"].selected
    return at.run()


def test_before_the_first_stage_it_says_what_to_do(fakes: Fakes, worker: Worker) -> None:
    """UI: the page stands alone as the first request, and its one button fills it."""
    at = AppTest.from_file(str(ROOT / PAGE), default_timeout=30).run()
    assert not at.exception
    assert "No map yet" in html(at)
    at.button(key="needs_run").click().run()
    assert not at.exception
    assert len(charts(at)) == 1


def test_the_map_shows_every_sentence_and_claim(at: AppTest) -> None:
    n_sentences, n_claims = len(resources.sentences(trace_of(at))[0]), len(trace_of(at)[Elimination].verdicts)
    rows = at.dataframe[0].value
    assert len(rows) == n_sentences + n_claims
    assert [p for p in rows["Point"] if p.startswith("Claim")] == list(rows["Point"][:n_claims])
    assert f"{n_sentences + n_claims} points" in alt(at)
    assert "No point selected" in html(at)


@pytest.mark.parametrize(
    ("colour", "shown"),
    [("verdict", "kept"), ("stage", "in the context"), ("speaker", "Mira"), ("similarity", "claim")],
)
def test_colour_by(at: AppTest, colour: str, shown: str) -> None:
    at.segmented_control(key="map_colour").set_value(colour).run()
    assert not at.exception
    assert any(name.startswith(shown) for name in names(at))
    assert ("coloraxis" in chart(at)["layout"]) is (colour == "similarity")
    assert parameter(at, "colour", "verdict") == colour


def test_three_dimensions_are_fitted_apart_and_cannot_be_selected(at: AppTest, worker: Worker) -> None:
    assert worker.asked == []
    at.segmented_control(key="map_dims").set_value(3).run()
    at.run()
    assert not at.exception
    assert worker.asked == [3]
    assert {trace["type"] for trace in chart(at)["data"]} == {"scatter3d"}
    assert "cannot be chosen here" in html(at)
    at.slider(key="map_neighbours").set_value(3).run()
    assert worker.asked == [3]


def test_lines_and_trail(at: AppTest) -> None:
    assert "evidence" in names(at)
    at.toggle(key="map_lines").set_value(False).run()
    assert "evidence" not in names(at)
    assert "trail" not in names(at)
    at.toggle(key="map_trail").set_value(True).run()
    assert "trail" in names(at)


def test_a_selected_sentence_reaches_table_transcript_and_list(at: AppTest) -> None:
    spans = resources.sentences(trace_of(at))[0]
    key = source_key(spans[2])
    select(at, key)
    text = trace_of(at).conversation.text(spans[2])
    assert at.dataframe[0].value["Text"].iloc[0] == text
    shown = html(at)
    assert text in shown
    assert "5 nearest points" in shown
    assert shown.count("<li>") == 5
    lit = [json.loads(e.proto.json) for e in at.get("bidi_component")]
    assert [key] in [data.get("keys") for data in lit]
    assert parameter(at, "point") is None  # a person's own conversation is in no link
    assert "near" in names(at)
    assert "Selected:" in alt(at)


def test_the_nearest_are_those_of_the_vectors(at: AppTest) -> None:
    """The list is exact: cosines of the real space, whatever the map draws."""
    found = vectors.vectors(trace_of(at))
    near = found.near(0, 4)
    rows = found.rows.astype(np.float64)
    cosines = rows @ rows[0]
    cosines[0] = -2
    assert [i for i, _ in near] == list(np.argsort(-cosines, kind="stable")[:4])
    assert near[0][1] == pytest.approx(cosines.max(), abs=1e-6)


def test_the_number_of_neighbours(at: AppTest) -> None:
    select(at, "claim:c1")
    at.slider(key="map_neighbours").set_value(2).run()
    assert "2 nearest points" in html(at)
    assert parameter(at, "neighbours") == "2"


def test_a_claim_is_the_one_of_the_session(at: AppTest) -> None:
    """A claim selected on the Pipeline page is selected here, its evidence lit; it can be cleared."""
    at.session_state["memguard"].selected = "c2"
    at.run()
    assert "Claim <bdi>c2</bdi>" in html(at)
    lit = [json.loads(e.proto.json).get("keys") for e in at.get("bidi_component")]
    assert any(keys and keys[0].startswith("source:") for keys in lit)
    at.button(key="map_clear").click().run()
    assert at.session_state["memguard"].selected is None
    assert "No point selected" in html(at)


def test_no_slider_moves_the_map_or_runs_a_model(at: AppTest, fakes: Fakes) -> None:
    """UMAP is stable under every slider: the same places, and no text is embedded again."""
    select(at, "claim:c1")
    before = {t["name"]: (t["x"], t["y"]) for t in chart(at)["data"] if "customdata" in t}
    calls = len(fakes.embedder.calls)
    at.slider(key="map_neighbours").set_value(9).run()
    at.toggle(key="map_trail").set_value(True).run()
    assert {t["name"]: (t["x"], t["y"]) for t in chart(at)["data"] if "customdata" in t} == before
    assert len(fakes.embedder.calls) == calls


def test_the_link_restores_the_page(fakes: Fakes, worker: Worker) -> None:
    at = AppTest.from_file(str(ROOT / PAGE), default_timeout=30)
    for name, value in {"colour": "stage", "dims": "3", "neighbours": "7", "picture": "map"}.items():
        at.query_params[name] = value
    at.run()
    at.button(key="needs_run").click().run()
    at.run()
    assert not at.exception
    assert at.segmented_control(key="map_colour").value == "stage"
    assert at.segmented_control(key="map_dims").value == 3
    assert at.slider(key="map_neighbours").value == 7


@pytest.fixture
def sample(fakes: Fakes, worker: Worker) -> AppTest:
    """The page on the opening sample, run."""
    at = AppTest.from_file(str(ROOT / PAGE), default_timeout=30).run()
    return at.button(key="needs_run").click().run()


def test_the_link_holds_and_restores_the_selected_sentence(sample: AppTest) -> None:
    key = source_key(resources.sentences(trace_of(sample))[0][1])
    select(sample, key)
    assert parameter(sample, "point") == key
    again = AppTest.from_file(str(ROOT / PAGE), default_timeout=30)
    again.query_params["point"] = key
    again.run().button(key="needs_run").click().run()
    assert not again.exception
    assert "5 nearest points" in html(again)
    assert again.dataframe[0].value["Text"].iloc[0] == trace_of(again).conversation.text(
        resources.sentences(trace_of(again))[0][1]
    )


def test_a_point_that_is_not_on_the_map_is_said(sample: AppTest) -> None:
    select(sample, "source:7:9:nowhere")
    assert not sample.exception
    assert "is not on this map" in html(sample)


@pytest.mark.parametrize(
    "given",
    [{"colour": "<b>"}, {"dims": "9"}, {"neighbours": "99999999"}, {"point": "claim"}, {"picture": "x"}],
)
def test_a_link_that_means_nothing_is_left_at_the_defaults(
    fakes: Fakes, worker: Worker, given: dict[str, str]
) -> None:
    at = AppTest.from_file(str(ROOT / PAGE), default_timeout=30)
    for name, value in given.items():
        at.query_params[name] = value
    at.run()
    at.button(key="needs_run").click().run()
    assert not at.exception
    assert at.segmented_control(key="map_colour").value == "verdict"
    assert at.slider(key="map_neighbours").value == 5


def test_before_and_after_moves_with_its_weights_and_the_run_keeps_its_own(at: AppTest, fakes: Fakes) -> None:
    at.segmented_control(key="map_picture").set_value("shaping").run()
    assert not at.exception
    assert "All four weights of this run are 0" in html(at)
    assert not chart(at).get("frames")
    calls = len(fakes.embedder.texts)
    settings = trace_of(at).settings
    at.slider(key="map_smoothing").set_value(0.5).run()
    assert not at.exception
    assert chart(at)["frames"]
    assert "Pairs in order" in html(at)
    assert trace_of(at).settings == settings
    assert set(fakes.embedder.texts[calls:]) <= set(fakes.embedder.texts[:calls])
    assert at.slider(key="map_separation").disabled  # of another embedder's dimension


def test_each_weight_has_an_effect(at: AppTest) -> None:
    at.segmented_control(key="map_picture").set_value("shaping").run()
    plain = html(at)
    for name in ("anchors", "smoothing", "density"):
        at.slider(key=f"map_{name}").set_value(0.6).run()
        assert not at.exception
        assert html(at) != plain or chart(at).get("frames"), name
        at.slider(key=f"map_{name}").set_value(0.0).run()


def test_replay_is_played_by_the_browser(at: AppTest) -> None:
    at.segmented_control(key="map_picture").set_value("replay").run()
    assert not at.exception
    assert len(chart(at)["frames"]) == len(TALK) + 1
    assert "in the order of the conversation" in alt(at)


def test_a_failed_map_can_be_drawn_again(at: AppTest, fakes: Fakes) -> None:
    failed: Future[Layout] = Future()
    failed.set_exception(WorkerError("the worker died"))
    fakes.places = lambda trace: failed
    at.run()
    assert "The map could not be drawn" in html(at)
    fakes.places = None
    next(button for button in at.button if button.label == "Draw it again").click().run()
    assert len(charts(at)) == 1


def test_while_the_map_is_placed_it_says_so(at: AppTest, fakes: Fakes) -> None:
    pending: Future[Layout] = Future()
    fakes.places = lambda trace: pending
    at.run()
    assert "Placing the sentences" in html(at)
    assert not charts(at)


@pytest.mark.parametrize("n", [0, 1, 2, 4])
def test_a_very_short_conversation_is_friendly(app: AppTest, fakes: Fakes, worker: Worker, n: int) -> None:
    """UI-001 on this page: 0 to 4 points."""
    talk = [
        {"role": "user", "content": f"Sentence number {'one two three four'.split()[i]}."} for i in range(n)
    ]
    fakes.summarizer.answer = "Sentence number one."
    paste(app, json.dumps(talk or [{"role": "user", "content": " "}])).button(key="finish").click().run()
    app.switch_page(PAGE).run()
    assert not app.exception
    for picture in ("shaping", "replay"):
        app.segmented_control(key="map_picture").set_value(picture).run()
        assert not app.exception


def test_hostile_text_is_shown_verbatim(app: AppTest, fakes: Fakes, worker: Worker) -> None:
    hostile = (
        "<script>alert(1)</script> <img src=x onerror=alert(2)> [x](javascript:y) $5 and $6 "
        ":red[no] \u202eoff"
    )
    fakes.summarizer.answer = hostile
    paste(app, json.dumps([*TALK, {"role": "user", "speaker": "Mal <b>", "content": hostile}]))
    app.button(key="finish").click().run()
    app.switch_page(PAGE).run()
    assert not app.exception
    app.session_state["memguard"].selected = "c1"
    app.run()
    assert not app.exception
    shown = html(app) + "".join(json.loads(e.proto.json).get("html", "") for e in app.get("bidi_component"))
    assert "<script>alert" not in shown
    assert "<img" not in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown
    figure = json.dumps(chart(app))
    assert "<script>" not in figure
    assert "<img" not in figure
    assert any(hostile.split(" [")[0] in text for text in app.dataframe[0].value["Text"])


def test_a_sentence_in_the_link_wins_over_the_claim_in_it(sample: AppTest) -> None:
    """Both stand in a link that was copied after a claim, then a sentence, was selected."""
    key = source_key(resources.sentences(trace_of(sample))[0][1])
    again = AppTest.from_file(str(ROOT / PAGE), default_timeout=60)
    link = {"sample": parameter(sample, "sample"), "stages": "3", "claim": "c1", "point": key}
    for name, value in {**link, "lines": "0", "trail": "1"}.items():
        again.query_params[name] = value
    again.run()

    assert not again.exception
    assert again.session_state["memguard"].selected == "c1"
    assert again.session_state["memguard:map"].point == key
    assert parameter(again, "point") == key
    assert not again.toggle(key="map_lines").value
    assert again.toggle(key="map_trail").value
    assert (parameter(again, "lines"), parameter(again, "trail")) == ("0", "1")


def test_an_embedder_that_is_gone_is_said_in_the_place_of_the_map(
    at: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone() -> None:
        raise ModelUnavailableError("all-mpnet-base-v2 is not installed; run: memguard setup")

    monkeypatch.setattr(resources, "embedder", gone)
    at.segmented_control(key="map_picture").set_value("shaping").run()

    assert not at.exception
    assert "memguard setup" in html(at)
