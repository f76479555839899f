"""Page Threshold tuning on fakes: every widget has an effect, and no slider runs a model."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from memguard.eliminator import Elimination
from memguard.errors import ModelUnavailableError
from memguard.reconstructor import Reconstruction
from memguard.settings import Settings
from pages._ui import resources, state
from pages._ui.pipeline.judgement import PRESET, SUPPORT, THRESHOLD
from pages._ui.tuning import choices
from tests.app.conftest import ROOT, TALK, Fakes, html, paste
from tests.app.handmade import handmade
from tests.app.test_pipeline_page import trace_of, widget


@pytest.fixture
def samples(fakes: Fakes, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Two short samples, and the embedder in place of the installed one."""
    found = {name: resources.samples()[name] for name in ("support_refund", "clinical_intake")}
    monkeypatch.setattr(resources, "samples", lambda: found)
    monkeypatch.setattr(resources, "embedder", lambda: fakes.embedder)
    return found


def opened(at: AppTest) -> AppTest:
    return at.switch_page("pages/tuning.py").run()


@pytest.fixture
def tuning(app: AppTest, samples: dict[str, Any]) -> AppTest:
    """The page with the hand-made run in it."""
    current = app.session_state["memguard"]
    current.trace = handmade()
    current.settings = current.trace.settings
    current.source = state.Source(state.OWN, "Flat handover", "")
    return opened(app)


def layouts(at: AppTest) -> list[dict[str, Any]]:
    """The layout of each chart, in the order of the page."""
    return [json.loads(chart.proto.spec)["layout"] for chart in at.get("plotly_chart")]


def lines(at: AppTest) -> list[list[float]]:
    """Where the upright lines of each chart stand."""
    return [[shape["x0"] for shape in layout.get("shapes", ())] for layout in layouts(at)]


def press(at: AppTest, key: str) -> AppTest:
    return at.button(key=key).click().run()


def kept(at: AppTest) -> list[str]:
    return [v.claim.id for v in trace_of(at)[Elimination].kept]


def address(at: AppTest) -> dict[str, Any]:
    return {name: v if isinstance(v, str) else v[0] for name, v in at.query_params.items()}


def test_before_elimination_it_says_what_to_do_and_runs_it(app: AppTest, samples: dict[str, Any]) -> None:
    paste(app, json.dumps(TALK))
    opened(app)
    assert not app.exception
    assert "No claims yet" in html(app)
    assert not app.get("plotly_chart")
    press(app, "needs_run")
    assert not app.exception
    assert "At every threshold" in html(app)


def test_the_page_stands_alone(fakes: Fakes, samples: dict[str, Any]) -> None:
    at = AppTest.from_file(str(ROOT / "pages" / "tuning.py"), default_timeout=30).run()
    assert not at.exception
    assert "Threshold tuning of <bdi>Customer support" in html(at)
    assert ".mg-rates" in html(at)


def test_a_link_opens_the_page_in_its_state_as_a_first_request(fakes: Fakes, samples: dict[str, Any]) -> None:
    at = AppTest.from_file(str(ROOT / "pages" / "tuning.py"), default_timeout=30)
    asked = {"sample": "clinical_intake", "stages": "3", "elimination.min_support": "0.65", "cost": "12"}
    asked |= {"sweep": "min_similarity", "pin": "strict:0.4:0.7"}
    for name, value in asked.items():
        at.query_params[name] = value
    at.run()

    assert not at.exception
    assert at.slider(key="tuning_cost").value == 12
    assert widget(at, "slider", SUPPORT).value == 0.65
    assert at.segmented_control(key="tuning_axis:False").value == "min_similarity"
    assert "Strict, similarity 0.40, support 0.70" in html(at)
    assert address(at) == asked
    link = at.code[-1].value
    assert "sweep=min_similarity" in link
    assert "pin=strict%3A0.4%3A0.7" in link


def test_nonsense_in_the_link_leaves_the_defaults(fakes: Fakes, samples: dict[str, Any]) -> None:
    at = AppTest.from_file(str(ROOT / "pages" / "tuning.py"), default_timeout=30)
    for name, value in {"stages": "2", "cost": "900", "sweep": "x", "pin": "a:b", "over": "all"}.items():
        at.query_params[name] = value
    at.run()
    assert not at.exception
    assert at.slider(key="tuning_cost").value == choices.DEFAULT_COST
    assert at.segmented_control(key="tuning_scope").value == "conversation"
    assert at.segmented_control(key="tuning_axis:False").value == "min_support"
    assert not {"cost", "sweep", "pin", "over"} & set(address(at))


@pytest.mark.parametrize(
    ("name", "value", "expected"), [(THRESHOLD, 0.95, ["c3"]), (SUPPORT, 0.95, ["c2", "c3", "c5"])]
)
def test_a_slider_moves_its_line_the_verdicts_and_the_figures_without_a_model(
    tuning: AppTest, fakes: Fakes, name: str, value: float, expected: list[str]
) -> None:
    """Issue 4: a threshold line that follows its slider; a slider move runs no model."""
    calls = len(fakes.embedder.calls)
    assert lines(tuning) == [[0.6], [0.5], [0.5]]
    widget(tuning, "slider", name).set_value(value).run()

    assert not tuning.exception
    assert kept(tuning) == expected
    assert f'<span class="mg-kept">{len(expected)}</span>' in html(tuning)
    at_similarity, at_support, swept = lines(tuning)
    assert (at_similarity, at_support) == (([value], [0.5]) if name == THRESHOLD else ([0.6], [value]))
    assert swept == at_support
    assert f"{trace_of(tuning)[Reconstruction].tokens:,}</dd>" in html(tuning)
    assert len(fakes.embedder.calls) == calls
    assert not fakes.loads


def test_a_preset_judges_again_and_the_contract_draws_no_line_for_support(tuning: AppTest) -> None:
    widget(tuning, "segmented_control", PRESET).set_value("contract").run()

    assert not tuning.exception
    assert trace_of(tuning).settings.elimination.preset == "contract"
    assert lines(tuning)[1] == []
    assert tuning.segmented_control(key="tuning_axis:True").value == "min_similarity"


def test_the_swept_threshold_is_a_choice_that_outlives_a_switch_of_pages(tuning: AppTest) -> None:
    tuning.segmented_control(key="tuning_axis:False").set_value("min_similarity").run()
    assert layouts(tuning)[2]["xaxis"]["title"]["text"] == "Minimum similarity"
    assert lines(tuning)[2] == [0.6]
    tuning.switch_page("pages/audit.py").run()
    opened(tuning)
    assert not tuning.exception
    assert tuning.segmented_control(key="tuning_axis:False").value == "min_similarity"
    assert layouts(tuning)[2]["xaxis"]["title"]["text"] == "Minimum similarity"


def test_what_changed_is_against_what_the_page_was_opened_with_until_pinned(tuning: AppTest) -> None:
    assert "A and B are the same setting" in html(tuning)
    assert tuning.button(key="tuning_back").disabled
    widget(tuning, "segmented_control", PRESET).set_value("strict").run()
    assert "Gone <small>2 claims" in html(tuning)
    press(tuning, "tuning_pin")
    assert "A and B are the same setting" in html(tuning)
    assert address(tuning)["pin"] == "strict:0.6:0.5"
    widget(tuning, "segmented_control", PRESET).set_value("balanced").run()
    assert "Back <small>2 claims" in html(tuning)


def test_back_to_a_sets_preset_and_both_sliders(tuning: AppTest) -> None:
    widget(tuning, "segmented_control", PRESET).set_value("strict").run()
    widget(tuning, "slider", THRESHOLD).set_value(0.8).run()
    widget(tuning, "slider", SUPPORT).set_value(0.1).run()
    press(tuning, "tuning_back")

    assert not tuning.exception
    assert trace_of(tuning).settings == handmade().settings
    assert widget(tuning, "segmented_control", PRESET).value == "balanced"
    assert (widget(tuning, "slider", THRESHOLD).value, widget(tuning, "slider", SUPPORT).value) == (0.6, 0.5)
    widget(tuning, "slider", SUPPORT).set_value(0.2).run()  # they are alive under their new keys
    assert trace_of(tuning).settings.elimination.min_support == 0.2


def test_the_settings_can_be_copied_as_toml_and_as_a_link(tuning: AppTest) -> None:
    widget(tuning, "slider", SUPPORT).set_value(0.65).run()
    short, link = (block.value for block in tuning.code)
    assert tomllib.loads(short) == {
        "elimination": {"min_similarity": 0.6, "min_support": 0.65},
        "reconstruction": {"citations": "full"},
    }
    thresholds = "elimination.min_similarity=0.6&elimination.min_support=0.65"
    assert link == f"/tuning?{thresholds}&reconstruction.citations=full"
    assert "your conversation stays here" in html(tuning)
    tuning.toggle(key="tuning_complete").set_value(True).run()
    assert Settings.from_dict(tomllib.loads(tuning.code[0].value)) == trace_of(tuning).settings


def test_an_own_conversation_has_no_labelled_claims_and_says_so(tuning: AppTest, fakes: Fakes) -> None:
    assert "This conversation has no labelled claims" in html(tuning)
    assert len(layouts(tuning)) == 3
    assert not [s for s in tuning.slider if s.key == "tuning_cost"]


@pytest.fixture
def sample(app: AppTest, samples: dict[str, Any]) -> AppTest:
    """The page with a sample that has run: its labelled claims have been measured."""
    press(app, "finish")
    return opened(app)


def test_labelled_claims_are_measured_once_and_no_slider_measures_them_again(
    sample: AppTest, fakes: Fakes
) -> None:
    """Issue 4: on labelled claims precision, recall, false drops, and what a stated cost would choose."""
    assert not sample.exception
    assert "18 true and 18 wrong ones" in html(sample)
    assert "were chosen on other data" in html(sample)
    assert len(layouts(sample)) == 4
    calls = len(fakes.embedder.calls)
    before = html(sample)
    sample.slider(key="tuning_cost").set_value(20).run()
    widget(sample, "slider", SUPPORT).set_value(0.7).run()
    sample.segmented_control(key="tuning_axis:False").set_value("min_similarity").run()
    assert not sample.exception
    assert html(sample) != before
    assert address(sample)["cost"] == "20"
    assert len(fakes.embedder.calls) == calls
    opened(sample.switch_page("pages/audit.py").run())
    assert sample.slider(key="tuning_cost").value == 20
    assert len(fakes.embedder.calls) == calls


def test_the_threshold_of_least_cost_can_be_used(sample: AppTest) -> None:
    widget(sample, "slider", SUPPORT).set_value(1.0).run()
    label = sample.button(key="tuning_use").label
    press(sample, "tuning_use")

    assert not sample.exception
    assert label == f"Use {trace_of(sample).settings.elimination.min_support:.2f}"
    assert widget(sample, "slider", SUPPORT).value < 1.0
    assert sample.button(key="tuning_use").disabled


def test_all_samples_are_measured_on_demand_and_once_for_the_process(
    tuning: AppTest, fakes: Fakes, samples: dict[str, Any]
) -> None:
    tuning.segmented_control(key="tuning_scope").set_value("samples").run()
    assert "0 of 2 samples are measured" in html(tuning)
    assert "of all samples" in html(tuning)
    assert address(tuning)["over"] == "samples"
    assert not layouts(tuning)
    press(tuning, "tuning_run")

    assert not tuning.exception
    assert "samples are measured" not in html(tuning)
    assert "36 true and 36 wrong ones" in html(tuning)
    assert len(layouts(tuning)) == 4
    calls = len(fakes.embedder.calls)
    widget(tuning, "slider", SUPPORT).set_value(0.0).run()
    widget(tuning, "slider", THRESHOLD).set_value(0.0).run()
    assert not tuning.exception
    assert "Back <small>" in html(tuning)
    assert '<small class="mg-of">' in html(tuning)
    other = AppTest.from_file(str(ROOT / "pages" / "tuning.py"), default_timeout=30)
    other.query_params["over"] = "samples"
    other.run()
    assert not other.exception
    assert "36 true and 36 wrong ones" in html(other)
    assert len(fakes.embedder.calls) == calls


def test_a_measuring_that_was_broken_off_goes_on(
    tuning: AppTest, fakes: Fakes, samples: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What fails says so in place, keeps what is done, and the button goes on from there."""
    load = resources.load
    n_loads = 0

    def once(*given: Any, **named: Any) -> Any:
        nonlocal n_loads
        n_loads += 1
        if n_loads == 2:
            raise ModelUnavailableError("the summarizer <b>x</b> is not installed: run memguard setup")
        return load(*given, **named)

    monkeypatch.setattr(resources, "load", once)
    tuning.segmented_control(key="tuning_scope").set_value("samples").run()
    press(tuning, "tuning_run")
    assert not tuning.exception
    assert "could not be measured" in tuning.error[0].value
    assert "\\<b\\>x" in tuning.error[0].value
    tuning.run()
    assert "1 of 2 samples are measured" in html(tuning)
    assert "36 true and 36 wrong ones" in html(tuning)
    assert tuning.button(key="tuning_run").label == "Continue"
    press(tuning, "tuning_run")
    assert "samples are measured" not in html(tuning)
    assert n_loads == 3


def test_a_changed_measurement_asks_to_measure_anew(
    tuning: AppTest, fakes: Fakes, samples: dict[str, Any]
) -> None:
    tuning.segmented_control(key="tuning_scope").set_value("samples").run()
    press(tuning, "tuning_run")
    tuning.session_state["memguard"].settings = Settings().with_value("elimination.guards", "off")
    tuning.run()
    assert "0 of 2 samples are measured" in html(tuning)


def test_a_hostile_conversation_is_shown_verbatim(
    app: AppTest, samples: dict[str, Any], fakes: Fakes
) -> None:
    """UI-007, UI-008: nothing of a claim becomes an element, and no chart interprets it."""
    said = (
        '<script>window.hacked = 1</script> <img src=x onerror="alert(1)"> costs $5 and $10 :red[no] today.'
    )
    fakes.summarizer.answer = f"{said} The deposit is 400 euros."
    paste(app, json.dumps([{"role": "user", "speaker": "<b>M", "content": "The deposit is 400 euros."}] * 9))
    press(app, "finish")
    opened(app)
    widget(app, "segmented_control", PRESET).set_value("contract").run()
    widget(app, "slider", THRESHOLD).set_value(0.9).run()
    shown = html(app)
    assert not app.exception
    assert "<script>window" not in shown
    assert "<img" not in shown
    assert not [c for c in app.get("plotly_chart") if "hacked" in c.proto.spec]
