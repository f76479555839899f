"""Preset, thresholds, checks and the pictures of the claims, on a run that is measured by hand."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from memguard.charts import claim_key
from memguard.eliminator import Elimination
from memguard.grounding.verdicts import Label
from memguard.reconstructor import Reconstruction
from memguard.settings import Settings
from pages._ui import state
from pages._ui.pipeline.judgement import PRESET, SUPPORT, THRESHOLD
from tests.app.conftest import Fakes, html, results
from tests.app.handmade import handmade
from tests.app.test_pipeline_page import trace_of, widget


@pytest.fixture
def judged(app: AppTest) -> AppTest:
    """The app with the hand-made run in it."""
    return opened(app)


def opened(app: AppTest, **handed: Any) -> AppTest:
    current = app.session_state["memguard"]
    current.trace = handmade(**handed)
    current.settings = current.trace.settings
    current.epoch += 1
    return app.run()


def kept(at: AppTest) -> list[str]:
    return [v.claim.id for v in trace_of(at)[Elimination].kept]


def test_the_three_presets_judge_again_without_a_model(judged: AppTest, fakes: Fakes) -> None:
    calls = len(fakes.embedder.calls)
    expected = {
        "strict": ["c2", "c3", "c8"],
        "contract": ["c1", "c2", "c3", "c5", "c7", "c8", "c9"],
        "balanced": ["c2", "c3", "c5", "c7", "c8"],
    }
    for preset, ids in expected.items():
        widget(judged, "segmented_control", PRESET).set_value(preset).run()
        assert not judged.exception
        assert trace_of(judged).settings.elimination.preset == preset
        assert kept(judged) == ids
        payload = trace_of(judged)[Reconstruction]
        assert sorted(p.claim_id for p in (*payload.pieces, *payload.omitted)) == ids
        assert widget(judged, "segmented_control", PRESET).value == preset
    assert len(fakes.embedder.calls) == calls
    assert not fakes.loads
    assert not judged.info


def test_the_support_slider_drops_and_keeps_without_a_model(judged: AppTest, fakes: Fakes) -> None:
    calls = len(fakes.embedder.calls)
    for value, ids in ((0.95, ["c2", "c3", "c5"]), (0.0, ["c1", "c2", "c3", "c5", "c7", "c8", "c9"])):
        widget(judged, "slider", SUPPORT).set_value(value).run()
        assert not judged.exception
        assert trace_of(judged).settings.elimination.min_support == value
        assert kept(judged) == ids
    assert len(fakes.embedder.calls) == calls


def test_the_contract_preset_disables_the_support_slider_and_says_why(judged: AppTest) -> None:
    assert not widget(judged, "slider", SUPPORT).disabled
    widget(judged, "segmented_control", PRESET).set_value("contract").run()

    assert widget(judged, "slider", SUPPORT).disabled
    assert "The contract preset ignores support" in html(judged)
    widget(judged, "segmented_control", PRESET).set_value("strict").run()
    assert not widget(judged, "slider", SUPPORT).disabled


def test_both_sliders_say_their_direction_and_the_bar_waits_for_stage_2(judged: AppTest) -> None:
    assert widget(judged, "slider", THRESHOLD).label == "Minimum similarity (higher = stricter)"
    assert widget(judged, "slider", SUPPORT).label == "Minimum support (higher = stricter)"
    assert "at most 0.40 (lower = stricter)" in html(judged)
    judged.button(key="reset").click().run()
    assert not [s for s in judged.slider if s.key.startswith(THRESHOLD)]


@pytest.mark.parametrize(
    ("kind", "name", "value", "stored"),
    [
        ("toggle", "elimination.guards", False, "off"),
        ("toggle", "elimination.alignment", False, "off"),
        ("text_input", "elimination.entailment", "  models/nli  ", "models/nli"),
        ("slider", "elimination.separation", 0.5, 0.5),
        ("slider", "elimination.anchors", 0.5, 0.5),
        ("slider", "elimination.smoothing", 0.5, 0.5),
        ("slider", "elimination.density", 0.5, 0.5),
    ],
)
def test_what_is_measured_can_be_switched_and_asks_for_stage_2_again(
    judged: AppTest, kind: str, name: str, value: Any, stored: Any
) -> None:
    """Issue 3: what ships off can be switched on in the app."""
    widget(judged, kind, name).set_value(value).run()

    assert not judged.exception
    assert getattr(trace_of(judged).settings.elimination, name.partition(".")[2]) == stored
    assert len(trace_of(judged).results) == 1
    assert "Elimination has to run again" in judged.info[0].value


def test_an_emptied_text_takes_its_default(judged: AppTest) -> None:
    widget(judged, "text_input", "elimination.entailment").set_value("models/nli").run()
    widget(judged, "text_input", "elimination.entailment").set_value("").run()

    assert trace_of(judged).settings.elimination.entailment == "off"


def test_every_setting_of_elimination_has_one_widget(judged: AppTest) -> None:
    from dataclasses import fields

    from memguard.settings import EliminationSettings

    keys = [w.key.partition(":")[0] for kind in KINDS for w in judged.get(kind) if w.key]
    for item in fields(EliminationSettings):
        expected = 0 if item.name == "calibrated_for" else 1
        assert keys.count(f"elimination.{item.name}") == expected, item.name


KINDS = ("slider", "segmented_control", "toggle", "text_input", "selectbox", "number_input")


def test_every_label_reaches_the_page(judged: AppTest) -> None:
    shown = results(judged)

    for words in ("Contradicted", "Not found", "Needs review, kept", "Not a claim", "Kept"):
        assert f"<b>{words}</b>" in shown
    assert {v.label for v in trace_of(judged)[Elimination].verdicts} == set(Label)
    assert "1 contradicted" in html(judged)
    assert '"count": 8' in shown or '"count":8' in shown


def test_hostile_findings_reach_the_page_as_text(app: AppTest) -> None:
    opened(app, detail="<script>alert(1)</script>", guard='"><img src=x>')
    shown = results(app)
    app.switch_page("pages/audit.py").run()

    assert not app.exception
    for page in (shown, html(app)):
        assert "<script>alert" not in page
        assert "<img src" not in page
        assert "&lt;script&gt;alert" in page


def test_the_scores_take_the_place_of_the_map_and_follow_the_sliders(judged: AppTest) -> None:
    before = judged.get("plotly_chart")[0].proto.spec
    judged.segmented_control(key="view").set_value("scores").run()
    (chart,) = judged.get("plotly_chart")

    assert not judged.exception
    assert chart.proto.spec != before
    assert "minimum 0.50" in chart.proto.spec
    widget(judged, "slider", SUPPORT).set_value(0.7).run()
    assert "minimum 0.70" in judged.get("plotly_chart")[0].proto.spec
    judged.switch_page("pages/audit.py").run()
    judged.switch_page("pages/pipeline.py").run()
    assert judged.segmented_control(key="view").value == "scores"  # a page switch loses nothing
    judged.button(key="back").click().run()
    judged.button(key="back").click().run()
    assert judged.get("plotly_chart")[0].proto.spec != chart.proto.spec  # before stage 2 there is the map


def test_a_point_picked_on_either_picture_selects_its_claim(fakes: Fakes) -> None:
    def page() -> None:
        from types import SimpleNamespace

        import streamlit as st

        from pages._ui import state

        state.ready()
        points = [{"customdata": "claim:c2"}]
        for drawn in (state.MAP, state.SCORES):
            state.session().selected = None
            st.session_state[drawn] = SimpleNamespace(selection=SimpleNamespace(points=points))
            state.on_point(drawn)
            st.write(state.session().selected)

    at = AppTest.from_function(page, default_timeout=30).run()

    assert claim_key("c2") == "claim:c2"
    assert not at.exception
    assert [m.value for m in at.markdown] == ["c2", "c2"]


def test_the_audit_page_filters_its_claims(judged: AppTest) -> None:
    judged.switch_page("pages/audit.py").run()
    assert html(judged).count('<details class="mg-record mg-claim-row') == 9
    judged.pills(key="reasons").set_value(["guard_contradicts"]).run()
    assert html(judged).count('<details class="mg-record mg-claim-row') == 1
    assert "500 ≠ 400 (m1)" in html(judged)
    judged.pills(key="guards").set_value(["entities"]).run()
    assert "No claim has both" in html(judged)
    judged.pills(key="reasons").set_value([]).run()
    assert "landlord is not in the transcript" in html(judged)
    assert not judged.exception


def test_defaults_bring_preset_and_support_back(judged: AppTest) -> None:
    widget(judged, "segmented_control", PRESET).set_value("strict").run()
    widget(judged, "slider", SUPPORT).set_value(0.9).run()
    current: state.Session = judged.session_state["memguard"]
    judged.button(key="defaults").click().run()

    assert current.settings == Settings()
    assert widget(judged, "segmented_control", PRESET).value == "balanced"
    assert widget(judged, "slider", SUPPORT).value == 0.5
    assert widget(judged, "slider", THRESHOLD).value == Settings().elimination.min_similarity
