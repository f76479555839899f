"""Page Pipeline on fakes: every widget has an effect, every error says what to do."""

from __future__ import annotations

import json
import threading
import tomllib
from concurrent.futures import Future, wait
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from memguard.compressor import Compression
from memguard.eliminator import Elimination
from memguard.errors import ModelUnavailableError, WorkerError
from memguard.geometry.projection import Layout
from memguard.messages import Conversation
from memguard.reconstructor import Reconstruction
from memguard.settings import Settings
from memguard.trace import Trace
from pages._ui import render, resources, state
from pages._ui.pipeline.judgement import THRESHOLD
from tests.app.conftest import CONTRACT, ROOT, TALK, Fakes, html, paste, results


def trace_of(at: AppTest) -> Trace:
    trace = at.session_state["memguard"].trace
    assert isinstance(trace, Trace)
    return trace


def widget(at: AppTest, kind: str, name: str) -> Any:
    return next(w for w in at.get(kind) if w.key and w.key.rpartition(":")[0] == name)


@pytest.fixture
def own(app: AppTest) -> AppTest:
    """The app with the short conversation pasted."""
    return paste(app, json.dumps(TALK))


@pytest.fixture
def contract(app: AppTest) -> AppTest:
    """The same, where similarity alone decides."""
    app.session_state["memguard"].settings = CONTRACT
    return paste(app, json.dumps(TALK))


def test_first_paint_shows_a_sample_and_what_to_do(app: AppTest, fakes: Fakes) -> None:
    assert not app.exception
    assert "Customer support" in html(app)
    assert "Press Step" in results(app)
    assert not fakes.loads
    assert not fakes.embedder.calls


def test_step_runs_one_stage_at_a_time(own: AppTest) -> None:
    for kind in (Compression, Elimination, Reconstruction):
        assert trace_of(own).get(kind) is None
        own.button(key="step").click().run()
        assert not own.exception
        assert trace_of(own).get(kind) is not None
    assert own.button(key="step").disabled
    assert own.button(key="finish").disabled


def test_run_all_back_and_reset(own: AppTest) -> None:
    own.button(key="finish").click().run()
    assert len(trace_of(own).results) == 3
    own.button(key="back").click().run()
    assert len(trace_of(own).results) == 2
    own.button(key="reset").click().run()
    assert len(trace_of(own).results) == 0
    assert own.button(key="back").disabled
    assert own.button(key="reset").disabled


def test_the_page_shows_every_result(contract: AppTest) -> None:
    contract.button(key="finish").click().run()
    shown = results(contract)

    said = ("Picked #", "400 euros", "burned the contract", "would be kept at", "Claims left out", "<cite")
    for text in said:
        assert text.replace('"', '\\"') in shown
    assert "Claims kept" in html(contract)
    assert "all-mpnet-base-v2" in html(contract)
    assert contract.get("plotly_chart")


def test_the_threshold_changes_verdicts_payload_and_map_without_a_model(
    contract: AppTest, fakes: Fakes
) -> None:
    """UI-011: each move counts."""
    contract.button(key="finish").click().run()
    calls, before = len(fakes.embedder.calls), contract.get("plotly_chart")[0].proto.spec

    for value, kept in ((1.0, 1), (0.0, 3), (0.6, 2)):
        widget(contract, "slider", "elimination.min_similarity").set_value(value).run()
        assert not contract.exception
        assert trace_of(contract).settings.elimination.min_similarity == value
        assert len(trace_of(contract)[Elimination].kept) == kept
        assert len(trace_of(contract)[Reconstruction].pieces) == kept
        assert widget(contract, "slider", "elimination.min_similarity").value == value
        if value == 0.0:
            assert contract.get("plotly_chart")[0].proto.spec != before
    assert len(fakes.embedder.calls) == calls
    assert len(fakes.loads) == 3
    assert fakes.summarizer_loads == 1  # before stage 1 alone


def test_the_threshold_leaves_each_stage_its_own_time(own: AppTest) -> None:
    """The cards show how long a stage took, not how long a slider's move did."""
    own.button(key="finish").click().run()
    before = trace_of(own).timings

    widget(own, "slider", THRESHOLD).set_value(1.0).run()

    assert trace_of(own).timings[:2] == before[:2]
    assert f"done in {render.seconds(before[1].duration_s)}" in html(own)


def test_a_threshold_below_the_visible_range_is_shown_as_it_is(own: AppTest) -> None:
    own.session_state["memguard"].settings = Settings().with_value(THRESHOLD, -0.25)
    paste(own, json.dumps(TALK))
    own.button(key="finish").click().run()

    slider = widget(own, "slider", THRESHOLD)
    assert not own.exception
    assert (slider.min, slider.max, slider.value) == (-0.25, 1.0, -0.25)


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        ("number_input", "projection.n_neighbors", 7),
        ("slider", "projection.min_dist", 0.4),
        ("number_input", "seed", 9),
    ],
)
def test_a_setting_of_the_map_asks_for_another_map_and_keeps_the_run(
    own: AppTest, fakes: Fakes, kind: str, name: str, value: Any
) -> None:
    own.button(key="finish").click().run()
    before, asked = trace_of(own), []
    usual = fakes.layout
    fakes.places = lambda trace: (
        (asked.append(resources._layout_key(trace)), setattr(fakes, "places", None))[0] or usual(trace)
    )

    widget(own, kind, name).set_value(value).run()

    assert not own.exception
    assert trace_of(own).results == before.results
    assert asked[0] != resources._layout_key(before)


def test_the_sentences_of_a_conversation_are_split_once(own: AppTest, monkeypatch: Any) -> None:
    split = []
    usual = resources.charts.map_sources
    monkeypatch.setattr(resources.charts, "map_sources", lambda trace: split.append(1) or usual(trace))
    trace = trace_of(own)

    for _ in range(3):
        assert resources.sentences(trace) == usual(trace)
        resources._layout_key(trace)
    assert len(split) == 1


def test_the_upload_limit_is_that_of_the_settings(app: AppTest) -> None:
    """One number in the settings, in Streamlit's configuration and in the widget."""
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    limit = Settings().limits.file_mb

    assert config["server"]["maxUploadSize"] == limit
    assert f"Up to {limit} MB" in app.file_uploader(key="upload").help


@pytest.mark.parametrize(
    ("kind", "name", "value", "keeps"),
    [
        ("number_input", "compression.max_tokens", 20, 0),
        ("slider", "compression.lambda_mmr", 0.7, 0),
        ("slider", "compression.window", 1, 0),
        ("selectbox", "compression.summarizer", "extractive", 0),
        ("number_input", "compression.summary_tokens", 64, 0),
        ("number_input", "compression.passthrough_words", 500, 0),
        ("number_input", "compression.passthrough_tokens", 0, 0),
        ("slider", "elimination.evidence_sentences", 1, 1),
        ("slider", "elimination.evidence_kept", 1, 1),
        ("number_input", "reconstruction.payload_tokens", 30, 3),
        ("slider", "reconstruction.payload_share", 0.5, 3),
        ("number_input", "reconstruction.payload_floor", 20, 3),
    ],
)
def test_a_setting_reaches_the_trace_and_resets_from_its_stage_on(
    own: AppTest, kind: str, name: str, value: Any, keeps: int
) -> None:
    own.button(key="finish").click().run()
    before = trace_of(own)

    widget(own, kind, name).set_value(value).run()

    assert not own.exception
    section, _, key = name.partition(".")
    assert getattr(getattr(trace_of(own).settings, section), key) == value
    assert len(trace_of(own).results) == keeps
    assert bool(own.info) == (keeps < 3)
    own.button(key="finish").click().run() if keeps < 3 else None
    assert trace_of(own) != before


def test_defaults_bring_a_moved_threshold_back_without_a_run(own: AppTest, fakes: Fakes) -> None:
    own.button(key="finish").click().run()
    before, calls = trace_of(own), len(fakes.embedder.calls)
    widget(own, "slider", THRESHOLD).set_value(1.0).run()
    own.button(key="defaults").click().run()

    assert trace_of(own) == before
    assert not own.info
    assert len(fakes.embedder.calls) == calls


def test_defaults_come_back(own: AppTest) -> None:
    widget(own, "slider", "compression.lambda_mmr").set_value(0.9).run()
    own.button(key="defaults").click().run()

    assert trace_of(own).settings.compression.lambda_mmr == 0.5
    assert widget(own, "slider", "compression.lambda_mmr").value == 0.5


def test_a_sample_is_chosen(own: AppTest) -> None:
    assert "Pasted text" in html(own)
    widget(own, "radio", "sample").set_value("support_refund").run()

    assert "refund that changes" in html(own)
    assert len(trace_of(own).conversation) == 30
    assert trace_of(own).results == ()


def test_an_upload_is_read(app: AppTest) -> None:
    app.file_uploader(key="upload").set_value(
        ("chat.json", json.dumps(TALK).encode(), "application/json")
    ).run()

    assert not app.exception
    assert "chat.json" in html(app)
    assert len(trace_of(app).conversation) == 4


def several(n: int) -> bytes:
    """Return an export of ChatGPT that holds this many conversations; the titles of two are the same."""

    def message(role: str, text: str) -> dict[str, Any]:
        content = {"content_type": "text", "parts": [text]}
        return {"author": {"role": role}, "create_time": 1_772_000_000, "content": content}

    return json.dumps(
        [
            {
                "title": "Bread" if i % 2 else f"Tiles {i} <b>",
                "conversation_id": f"c{i}",
                "mapping": {
                    "a": {"parent": None, "children": ["b"], "message": message("user", f"Question {i}?")},
                    "b": {"parent": "a", "children": [], "message": message("assistant", "Yes.")},
                },
                "current_node": "b",
            }
            for i in range(n)
        ]
    ).encode()


def test_of_an_upload_with_several_conversations_one_is_chosen(app: AppTest) -> None:
    """Issue 7: the app's upload takes an export, and a person says which conversation is meant."""
    app.file_uploader(key="upload").set_value(("export", several(4), "application/json")).run()

    assert not app.exception
    assert "export</bdi> holds 4 conversations" in html(app)
    assert "Customer support" in html(app)  # what was open stays
    choice = widget(app, "selectbox", "offer")
    assert [option.count("2 messages") for option in choice.options] == [1, 1, 1, 1]
    choice.set_value(3).run()
    app.button(key="offer_go").click().run()

    assert not app.exception
    assert [m.content for m in trace_of(app).conversation] == ["Question 3?", "Yes."]
    assert not [button for button in app.button if button.key == "offer_go"]
    assert "Bread" in html(app)


def test_an_upload_with_several_conversations_can_be_left(app: AppTest) -> None:
    app.file_uploader(key="upload").set_value(("export", several(2), "application/json")).run()
    app.button(key="offer_leave").click().run()

    assert "holds 2 conversations" not in html(app)
    assert "Customer support" in html(app)


def test_a_slow_file_is_read_beside_the_page(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page stays usable, says what is read, and takes it when it is there."""
    release, usual = threading.Event(), resources.read_paste
    monkeypatch.setattr(resources, "read_paste", lambda text: (release.wait(30), usual(text))[1])
    monkeypatch.setattr(state.conversations, "READ_AT_ONCE_S", 0.0)

    paste(app, json.dumps(TALK))
    assert not app.exception
    assert "Reading" in html(app)
    assert "Customer support" in html(app)  # what was open stays
    release.set()
    wait([app.session_state["memguard"].reading.conversation], timeout=30)
    app.run()

    assert "Pasted text" in html(app)
    assert len(trace_of(app).conversation) == len(TALK)
    assert not [button for button in app.button if button.key == "stop_reading"]


def test_a_file_that_is_read_can_be_given_up(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    release, usual = threading.Event(), resources.read_paste
    monkeypatch.setattr(resources, "read_paste", lambda text: (release.wait(30), usual(text))[1])
    monkeypatch.setattr(state.conversations, "READ_AT_ONCE_S", 0.0)
    paste(app, json.dumps(TALK))

    app.button(key="stop_reading").click().run()
    release.set()
    app.run()

    assert "Customer support" in html(app)
    assert not app.error


def test_a_file_that_takes_too_long_is_given_up_with_the_limit(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    release, usual = threading.Event(), resources.read_paste
    monkeypatch.setattr(resources, "read_paste", lambda text: (release.wait(30), usual(text))[1])
    monkeypatch.setattr(state.conversations, "READ_AT_ONCE_S", 0.0)
    monkeypatch.setattr(state.conversations, "READ_LIMIT_S", 0.0)

    paste(app, json.dumps(TALK))
    release.set()

    assert "split it, one conversation a file" in app.error[0].value
    assert "Customer support" in html(app)


def test_a_fault_in_reading_is_loud_once(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bug in a reader is no bad file, and the page is not lost to it."""

    def broken(_text: str) -> Conversation:
        raise ZeroDivisionError

    monkeypatch.setattr(resources, "read_paste", broken)
    paste(app, json.dumps(TALK))
    assert app.exception

    app.run()
    assert not app.exception
    assert "Customer support" in html(app)


def test_the_tour_has_three_steps_and_is_shown_once(app: AppTest) -> None:
    for number in (1, 2, 3):
        assert f"{number} of 3" in html(app)
        app.button(key="tour_next").click().run()
    assert "of 3</span>" not in html(app)
    app.switch_page("pages/audit.py").run()
    app.switch_page("pages/pipeline.py").run()
    assert "of 3</span>" not in html(app)  # once a session

    app.button(key="tour_begin").click().run()
    assert "1 of 3" in html(app)
    app.button(key="tour_next").click().run()
    app.button(key="tour_back").click().run()
    assert "1 of 3" in html(app)
    app.button(key="tour_skip").click().run()
    assert "of 3</span>" not in html(app)


def test_a_link_can_leave_the_tour_out(fakes: Fakes) -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
    at.query_params["tour"] = "off"
    assert "of 3</span>" not in html(at.run())


def test_without_and_with_are_shown_side_by_side(contract: AppTest) -> None:
    assert not [w for w in contract.get("button_group") if w.key == "show"]
    contract.button(key="finish").click().run()
    next(w for w in contract.get("button_group") if w.key == "show").set_value("compare").run()

    assert "Without MemGuard" in html(contract)
    assert "burned the contract" in html(contract)
    assert not contract.get("bidi_component")
    contract.button(key="reset").click().run()
    assert contract.get("bidi_component")


@pytest.mark.parametrize("text", ['{"messages": [', "", "[1, 2, 3]"])
def test_text_that_cannot_be_read_is_an_error_that_keeps_what_was_there(app: AppTest, text: str) -> None:
    before = trace_of(app)
    paste(app, text)

    assert not app.exception
    assert "cannot be read" in app.error[0].value
    assert "still here" in app.error[0].value
    assert trace_of(app) == before


def test_a_missing_model_names_the_command(app: AppTest, fakes: Fakes) -> None:
    fakes.fails = ModelUnavailableError("all-mpnet-base-v2 is not installed in /models; run: memguard setup")
    app.button(key="step").click().run()

    assert not app.exception
    assert "memguard setup" in app.error[0].value
    assert not app.button(key="step").disabled
    fakes.fails = None
    app.button(key="step").click().run()
    assert not app.error
    assert len(trace_of(app).results) == 1


def test_a_bug_stays_loud_and_the_page_recovers(own: AppTest, fakes: Fakes) -> None:
    """A fault outside a stage is raised once, the buttons work, and the next run is free of it."""
    fakes.fails = PermissionError("manifest.json")
    own.button(key="step").click().run()

    assert own.exception
    assert "PermissionError" in own.error[0].value
    assert not own.button(key="step").disabled
    own.run()
    assert not own.exception
    assert not own.error
    fakes.fails = None
    own.button(key="step").click().run()
    assert not own.exception
    assert len(trace_of(own).results) == 1


def test_a_map_that_is_not_ready_says_so_and_does_not_block(
    own: AppTest, fakes: Fakes, monkeypatch: Any
) -> None:
    """UI: the page is complete while the map's worker warms up."""

    class Warming:
        state = "warming"

    pending: Future[Layout] = Future()
    fakes.places = lambda _trace: pending
    monkeypatch.setattr(resources, "map_worker", Warming)
    own.button(key="finish").click().run()

    assert not own.exception
    assert "The map is warming up" in html(own)
    assert not own.get("plotly_chart")
    pending.set_exception(WorkerError("the worker died"))
    own.run()
    assert "The map could not be drawn" in html(own)


def test_a_failed_map_is_drawn_again_when_asked(own: AppTest, fakes: Fakes, monkeypatch: Any) -> None:
    """A map whose worker died stays failed until a person asks for it again."""
    failed: Future[Layout] = Future()
    failed.set_exception(WorkerError("the worker died"))
    fakes.places = lambda _trace: failed
    monkeypatch.setattr(resources, "forget_layout", lambda _trace: setattr(fakes, "places", None))
    own.button(key="finish").click().run()
    assert "The map could not be drawn" in html(own)

    next(button for button in own.button if button.label == "Draw it again").click().run()

    assert own.get("plotly_chart")


def test_a_conversation_below_five_sentences_has_a_map(app: AppTest) -> None:
    paste(app, "Mira: Hello there.")
    app.button(key="finish").click().run()

    assert not app.exception
    assert app.get("plotly_chart")


def test_an_empty_conversation_is_friendly(app: AppTest, fakes: Fakes) -> None:
    done: Future[Layout] = Future()
    done.set_result(Layout((), "fixed"))
    fakes.places = lambda _trace: done
    paste(app, json.dumps([{"role": "user", "content": ""}]))
    app.button(key="finish").click().run()

    assert not app.exception
    assert "The transcript holds no text" in html(app)


def test_sessions_share_no_data(own: AppTest) -> None:
    other = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30).run()

    assert "Pasted text" in html(own)
    assert "Pasted text" not in html(other)
    assert trace_of(other) != trace_of(own)


def test_a_session_of_old_classes_begins_anew(app: AppTest) -> None:
    """After a hot reload the stored session is of a class that no longer exists."""
    app.session_state["memguard"] = object()
    app.run()

    assert not app.exception
    assert isinstance(app.session_state["memguard"], state.Session)


def test_a_long_transcript_is_one_element(app: AppTest) -> None:
    widget(app, "radio", "sample").set_value("household_assistant_long").run()

    assert len(app.get("bidi_component")) == 2
    assert len(list(app.main)) < 150  # most of them are the settings


def test_a_widget_that_is_gone_changes_nothing(fakes: Fakes) -> None:
    """UI-011: a slider of the conversation before may still report; that is no fault and no wish."""

    def page() -> None:
        import streamlit as st

        from pages._ui import state

        state.ready()
        before = state.session().settings, state.session().trace
        state.on_setting("elimination.min_similarity", "elimination.min_similarity:gone")
        state.on_sample("sample:gone")
        st.write("same" if (state.session().settings, state.session().trace) == before else "changed")

    at = AppTest.from_function(page, default_timeout=30).run()

    assert not at.exception
    assert at.markdown[0].value == "same"
