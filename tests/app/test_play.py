"""Playing a run: what is seen at each sub-step, and the clock of the page."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from memguard.compressor import Compression
from memguard.eliminator import Elimination
from memguard.errors import ModelUnavailableError
from memguard.reconstructor import Reconstruction
from memguard.trace import Trace
from pages._ui import state
from pages._ui.pipeline import overview, play, results
from pages._ui.session import Playing
from tests.app.conftest import TALK, Fakes, html, paste
from tests.app.conftest import results as components
from tests.app.test_pipeline_page import trace_of, widget


@pytest.fixture
def complete(fakes: Fakes) -> Trace:
    return fakes.guard.run(TALK)


@pytest.fixture
def own(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The app with the short conversation, where each run of the page is a beat."""
    monkeypatch.setattr(state.playing, "BEAT_S", -1.0)
    return paste(app, json.dumps(TALK))


def test_each_beat_of_the_selection_shows_one_pick_more_and_the_last_the_summary(complete: Trace) -> None:
    picked = play.picks(complete[Compression])

    for beat in range(1, len(picked) + 1):
        scene = play.scene(complete, 0, beat)
        part = scene.trace[Compression]
        assert [d.message_id for d in part.messages] == [d.message_id for d in picked[:beat]]
        assert part.paragraph == ""
        assert part.tokens_selected == sum(d.n_tokens for d in picked[:beat])
        assert scene.message == picked[beat - 1].message_id
        assert not scene.is_whole
        assert scene.words == f"{beat} of {len(picked)} picks"
        assert len(scene.trace.results) == 1
    assert play.n_beats(complete, 0) == len(picked) + 1
    assert play.scene(complete, 0, len(picked) + 1).trace == complete.rewind(2)


def test_each_beat_of_elimination_shows_one_verdict_more(complete: Trace) -> None:
    verdicts = complete[Elimination].verdicts
    for beat in range(1, len(verdicts) + 1):
        scene = play.scene(complete, 1, beat)
        assert scene.trace[Elimination].verdicts == verdicts[:beat]
        assert scene.claim == verdicts[beat - 1].claim.id
        assert scene.trace.get(Reconstruction) is None
    assert play.n_beats(complete, 1) == len(verdicts)
    assert scene.is_whole
    assert scene.trace == complete.rewind()


def test_each_beat_of_reconstruction_shows_one_line_more(complete: Trace) -> None:
    lines = play.lines(complete[Reconstruction])
    assert play.n_beats(complete, 2) == len(lines) > 1

    first = play.scene(complete, 2, 1)

    assert results.lines(first.trace).count("<li ") == 1
    assert "left out" not in results.lines(first.trace)
    assert (
        overview.counted_so_far(first.trace, first).get(Reconstruction) is None
    )  # no tokens are claimed yet
    assert play.scene(complete, 2, len(lines)).trace == complete


def test_a_stage_with_very_many_sub_steps_shows_several_at_a_time(complete: Trace) -> None:
    elimination = complete[Elimination]
    many = replace(elimination, verdicts=elimination.verdicts * 40, scored=elimination.scored * 40)
    trace = replace(complete, results=(complete.results[0], many), timings=complete.timings[:2])

    shown = [play.scene(trace, 1, beat).shown for beat in range(1, play.n_beats(trace, 1) + 1)]

    assert len(shown) == play.MOST_BEATS
    assert shown == sorted(set(shown))
    assert shown[-1] == len(many.verdicts)


def test_a_stage_with_nothing_to_show_is_one_beat(fakes: Fakes) -> None:
    empty = fakes.guard.run([])
    for stage in range(3):
        assert play.n_beats(empty, stage) == 1
        assert play.scene(empty, stage, 1).is_whole


def test_nothing_is_seen_of_a_stage_that_has_not_run(complete: Trace) -> None:
    assert play.scene_of(complete, None) is None
    assert play.scene_of(complete.rewind(), Playing(stage=2)) is None


def test_the_card_of_the_played_stage_says_where_it_is(complete: Trace) -> None:
    scene = play.scene(complete, 1, 1)
    cards = overview.stages(scene.trace, scene=scene)

    assert f"1 of {scene.total} claims" in cards
    assert cards.count("mg-stage-done") == 1
    assert cards.count("mg-stage-played") == 1


def test_the_picks_are_shown_escaped_with_the_budget_filling(fakes: Fakes) -> None:
    hostile = [
        *TALK,
        {"role": "user", "speaker": "<b>", "content": "<img src=x onerror=alert(1)> and $5 :red[x]"},
    ]
    trace = fakes.guard.run(hostile)
    scenes = [play.scene(trace, 0, beat) for beat in range(1, play.n_beats(trace, 0))]

    shown = "".join(results.picks(scene) for scene in scenes)

    assert "<img" not in shown
    assert "&lt;img src=x onerror=alert(1)&gt; and $5 :red[x]" in shown
    widths = [results.picks(scene).partition("width:")[2].partition("%")[0] for scene in scenes]
    assert [float(w) for w in widths] == sorted(float(w) for w in widths)


def test_play_runs_and_shows_the_stages_one_sub_step_a_beat(own: AppTest, fakes: Fakes) -> None:
    own.button(key="play").click().run()
    assert not own.exception
    assert len(trace_of(own).results) == 1  # the stage ran, and is shown step by step
    seen = []
    for _ in range(40):
        session = own.session_state["memguard"]
        if session.playing is None:
            break
        seen.append((session.playing.stage, session.playing.beat))
        own.run()
        assert not own.exception

    trace = trace_of(own)
    assert len(trace.results) == 3
    expected = [(stage, beat) for stage in range(3) for beat in range(1, play.n_beats(trace, stage) + 1)]
    assert seen == [place for place in expected if place in seen]  # in order, none twice
    assert {stage for stage, _ in seen} == {0, 1, 2}
    assert fakes.summarizer_loads == 1
    assert own.button(key="play").label == "Play"


def test_pause_stands_still_and_play_goes_on(own: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    own.button(key="play").click().run()
    own.button(key="pause").click().run()
    session = own.session_state["memguard"]
    place = session.playing.stage, session.playing.beat
    for _ in range(3):
        own.run()
    assert (session.playing.stage, session.playing.beat) == place
    assert not state_ticks(own)

    own.button(key="play").click().run()
    assert not session.playing.paused
    own.run()
    assert (session.playing.stage, session.playing.beat) > place


def state_ticks(at: AppTest) -> bool:
    playing = at.session_state["memguard"].playing
    return playing is not None and not playing.paused


def test_a_beat_lasts_its_time(app: AppTest) -> None:
    """A click in between does not hurry the playing."""
    own = paste(app, json.dumps(TALK))
    own.button(key="play").click().run()
    playing = own.session_state["memguard"].playing
    playing.due += 60
    before = playing.beat
    own.run()
    assert playing.beat == before


def test_play_on_a_complete_run_shows_it_again_without_a_model(own: AppTest, fakes: Fakes) -> None:
    own.button(key="finish").click().run()
    before, loads = trace_of(own), len(fakes.loads)

    own.button(key="play").click().run()

    assert own.session_state["memguard"].playing.stage == 0
    assert "picks" in html(own)
    assert "Picked so far" in components(own)
    assert trace_of(own) == before
    for _ in range(30):
        own.run()
    assert own.session_state["memguard"].playing is None
    assert len(fakes.loads) == loads


@pytest.mark.parametrize("button", ["finish", "step", "back", "reset"])
def test_another_button_ends_the_playing(own: AppTest, button: str) -> None:
    own.button(key="step").click().run()
    own.button(key="play").click().run()
    own.button(key="pause").click().run()

    own.button(key=button).click().run()

    assert not own.exception
    assert own.session_state["memguard"].playing is None


def test_a_model_that_is_missing_ends_the_playing_with_an_error(own: AppTest, fakes: Fakes) -> None:
    fakes.fails = ModelUnavailableError("not installed; run: memguard setup")
    own.button(key="play").click().run()

    assert "memguard setup" in own.error[0].value
    assert own.session_state["memguard"].playing is None
    assert not own.button(key="play").disabled


def test_the_thresholds_are_there_again_after_the_playing(own: AppTest) -> None:
    own.button(key="finish").click().run()
    own.button(key="play").click().run()
    assert not [w for w in own.slider if w.key.startswith("elimination.min_similarity")]
    own.button(key="pause").click().run()
    own.button(key="back").click().run()
    assert widget(own, "slider", "elimination.min_similarity")
