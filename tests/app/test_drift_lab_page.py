"""Page Drift lab on fakes: every widget has an effect, and a link restores what is shown."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from memguard.drift import inject_into
from memguard.errors import ModelUnavailableError
from memguard.transcripts.samples import KINDS
from pages._ui import resources
from pages._ui.drift_lab.choices import Lab
from tests.app.conftest import ROOT, TALK, Fakes, html, paste, results

PAGE = str(ROOT / "pages" / "drift_lab.py")


def opened(**link: str) -> AppTest:
    at = AppTest.from_file(PAGE, default_timeout=60)
    for name, value in link.items():
        at.query_params[name] = value
    return at.run()


def lab(at: AppTest) -> Lab:
    found = at.session_state["memguard:drift_lab"]
    assert isinstance(found, Lab)
    return found


def widget(at: AppTest, kind: str, name: str) -> Any:
    return next(w for w in at.get(kind) if w.key and w.key.partition(":")[0] == name)


def typed(at: AppTest) -> dict[str, Any]:
    """What the editor was given."""
    data = [json.loads(element.proto.json) for element in at.get("bidi_component")]
    return next(d for d in data if "epoch" in d)


def test_the_page_stands_alone_with_a_true_summary_and_its_verdicts(fakes: Fakes) -> None:
    at = opened()

    assert not at.exception
    assert lab(at).text.startswith("Rosalind's order number is LM-48213")
    assert "mg-lab-claim" in html(at)
    assert "Drift caught" in html(at)
    assert typed(at)["text"] == lab(at).text


def test_inject_undo_and_start_over(fakes: Fakes) -> None:
    at = opened(kind="unit")
    before = lab(at).text

    at.button(key="lab_inject").click().run()
    first = lab(at).injections
    assert [made.kind for made in first] == ["unit"]
    assert lab(at).text == first[0].text != before
    assert f"<ins><bdi>{first[0].now}</bdi></ins>" in html(at)
    assert typed(at)["text"] == lab(at).text
    assert "mg-injected" in typed(at)["html"]

    at.button(key="lab_inject").click().run()
    assert len(lab(at).injections) == 2
    at.button(key="lab_undo").click().run()
    assert lab(at).text == first[0].text
    at.button(key="lab_restore").click().run()
    assert lab(at).text == before
    assert not lab(at).injections
    assert at.button(key="lab_restore").disabled
    assert at.button(key="lab_undo").disabled


def test_a_link_makes_the_same_drift_again(fakes: Fakes) -> None:
    at = opened(kind="date", round="7")
    at.button(key="lab_inject").click().run()
    again = opened(kind="date", round="7")
    again.button(key="lab_inject").click().run()
    other = opened(kind="date", round="8")
    other.button(key="lab_inject").click().run()

    assert lab(at).injections == lab(again).injections
    made = inject_into(lab(at).clean, "date", lab(at).read[1].ground, 7)
    assert lab(at).injections == [made]
    assert lab(other).injections != lab(at).injections


def test_choices_go_into_the_link(fakes: Fakes) -> None:
    at = opened()
    widget(at, "button_group", "lab_kind").set_value("speaker").run()
    widget(at, "number_input", "lab_seed").set_value(12).run()
    widget(at, "button_group", "lab_mode").set_value("game").run()

    assert (lab(at).kind, lab(at).seed, lab(at).mode) == ("speaker", 12, "game")
    shown = {name: at.query_params[name] for name in ("mode", "kind", "round")}
    assert shown in (
        {"mode": ["game"], "kind": ["speaker"], "round": ["12"]},
        {"mode": "game", "kind": "speaker", "round": "12"},
    )


@pytest.mark.parametrize(
    "link", [{"kind": "typo"}, {"mode": "x"}, {"round": "-3"}, {"round": "²"}, {"from": "/etc"}]
)
def test_a_link_that_asks_for_nothing_known_opens_the_first_view(fakes: Fakes, link: dict[str, str]) -> None:
    at = opened(**link)
    assert not at.exception
    assert lab(at).mode == "inject"
    assert lab(at).kind is None
    assert lab(at).seed == 1


def test_a_kind_without_a_place_is_said(fakes: Fakes) -> None:
    at = opened(kind="superseded")
    for _ in range(12):
        at.button(key="lab_inject").click().run()
        if lab(at).refused is not None:
            break
    assert lab(at).refused == "superseded"
    assert "no further place" in at.info[0].value


def test_any_kind_injects_one_after_the_other(fakes: Fakes) -> None:
    at = opened()
    for _ in range(4):
        at.button(key="lab_inject").click().run()
    assert len({made.kind for made in lab(at).injections}) > 1


def test_the_summary_can_be_the_runs_paragraph(app: AppTest) -> None:
    app.button(key="finish").click().run()
    app.switch_page("pages/drift_lab.py").run()
    widget(app, "selectbox", "lab_origin").set_value("paragraph").run()

    assert lab(app).text == app.session_state["memguard"].trace.results[0].paragraph


def test_a_conversation_of_ones_own_needs_a_run_first(app: AppTest) -> None:
    paste(app, json.dumps(TALK))
    app.switch_page("pages/drift_lab.py").run()
    assert "No claims to work on yet" in html(app)
    app.button(key="needs_run").click().run()

    assert not app.exception
    assert lab(app).text.startswith("The deposit is 400 euros.")


def test_switching_pages_loses_nothing(app: AppTest) -> None:
    app.switch_page("pages/drift_lab.py").run()
    app.button(key="lab_inject").click().run()
    text = lab(app).text
    app.switch_page("pages/pipeline.py").run()
    app.switch_page("pages/drift_lab.py").run()
    assert lab(app).text == text
    assert typed(app)["text"] == text


def test_another_sample_begins_anew(app: AppTest) -> None:
    app.switch_page("pages/drift_lab.py").run()
    app.button(key="lab_inject").click().run()
    app.switch_page("pages/pipeline.py").run()
    widget(app, "radio", "sample").set_value("trip_planning").run()
    app.switch_page("pages/drift_lab.py").run()
    assert not lab(app).injections
    assert "Porto" in lab(app).text


def test_the_catch_rate_of_a_sample_and_of_all(fakes: Fakes) -> None:
    at = opened(mode="rates")
    shown = html(at)
    assert not at.exception
    assert '<table class="mg-rates">' in shown
    for kind in ("Number", "Plan as done", "Invention", "All kinds"):
        assert kind in shown
    assert "of 18</td>" in shown

    widget(at, "button_group", "lab_scope").set_value("all").run()
    assert "Not measured yet" in html(at)
    calls = len(fakes.embedder.calls)
    at.button(key="lab_measure").click().run()
    assert "of 126</td>" in html(at)
    assert len(fakes.embedder.calls) > calls
    again = opened(mode="rates")
    widget(again, "button_group", "lab_scope").set_value("all").run()
    assert "of 126</td>" in html(again)  # measured once a process


def test_a_round_of_the_game(fakes: Fakes) -> None:
    at = opened(mode="game", round="3")
    boxes = at.checkbox
    assert len(boxes) == 8
    boxes[0].check().run()
    at.checkbox[5].check().run()
    at.checkbox[0].uncheck().run()
    assert lab(at).marked == {5}
    assert '<ol class="mg-round">' not in html(at)

    at.button(key="lab_reveal").click().run()
    shown = html(at)
    assert not at.exception
    assert shown.count('<li class="mg-told">') == 8
    assert "MemGuard" in shown
    assert not at.checkbox
    at.button(key="lab_next").click().run()
    assert lab(at).seed == 4
    assert not lab(at).marked
    assert len(at.checkbox) == 8


def test_a_missing_model_says_what_to_do_and_keeps_the_text(fakes: Fakes) -> None:
    fakes.fails = ModelUnavailableError("the embedder is not installed")
    at = opened()
    assert not at.exception
    assert "memguard setup" in at.error[0].value
    assert typed(at)["text"] == lab(at).text


def test_known_texts_are_not_judged_again(fakes: Fakes) -> None:
    at = opened(kind="unit")
    at.button(key="lab_inject").click().run()
    loads = len(fakes.loads)
    at.button(key="lab_undo").click().run()
    assert len(fakes.loads) == loads
    at.button(key="lab_inject").click().run()
    assert len(fakes.loads) == loads


def test_only_a_changed_sentence_is_embedded(fakes: Fakes) -> None:
    at = opened(kind="unit")
    before = len(fakes.embedder.texts)
    at.button(key="lab_inject").click().run()
    fresh = fakes.embedder.texts[before:]
    assert 0 < len(set(fresh)) <= 3
    assert any(lab(at).injections[0].now in text for text in fresh)


def test_every_kind_has_a_name(fakes: Fakes) -> None:
    at = opened()
    labels = [option.content for option in widget(at, "button_group", "lab_kind").proto.options]
    assert len(labels) == len(KINDS)
    assert resources.samples()
    assert results(at)


def test_the_scope_of_the_catch_rate_is_in_the_link(fakes: Fakes) -> None:
    at = opened(mode="rates", over="samples")

    assert not at.exception
    assert lab(at).all_samples
    assert "samples" in at.query_params["over"]
    assert "Not measured yet" in html(at)
