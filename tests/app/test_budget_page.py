"""The budget of the context on fakes: the slider, the switch, the forms to take along, and their links."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from memguard import payload
from memguard.charts import CLASS_NAMES
from memguard.eliminator import Elimination
from memguard.payload import Form
from memguard.reconstructor import Reconstruction
from memguard.retention import retained
from memguard.settings import ReconstructionSettings, Settings, setting_kinds
from pages._ui import facts, resources, state
from pages._ui.tuning import markup
from tests.app.conftest import ROOT, Fakes, html, paste
from tests.app.test_facts import SUMMARY, TALK, ran
from tests.app.test_pipeline_page import trace_of, widget
from tests.app.test_render import read
from tests.app.test_tuning_page import address, press

CARD = "tuning_budget"


@pytest.fixture
def budget(app: AppTest, fakes: Fakes) -> AppTest:
    """The page with a run in it."""
    current = app.session_state["memguard"]
    current.trace = ran()
    current.settings = current.trace.settings
    current.source = state.Source(state.OWN, "The boat", "")
    app.query_params["part"] = "budget"
    at = app.switch_page("pages/tuning.py").run()
    assert not at.exception
    return at


def chart(at: AppTest, number: int) -> dict[str, Any]:
    return json.loads(at.get("plotly_chart")[number].proto.spec)


def mark(at: AppTest) -> tuple[float, float]:
    """Where the present budget is marked: times shorter, and recall."""
    found = [t for t in chart(at, 0)["data"] if t.get("showlegend") is False]
    return found[-1]["x"][0], found[-1]["y"][0]


def move(at: AppTest, tokens: int) -> AppTest:
    return widget(at, "slider", CARD).set_value(tokens).run()


def test_the_slider_moves_the_mark_the_figures_and_the_context_without_a_model(
    budget: AppTest, fakes: Fakes
) -> None:
    """Issue 5: the sweep of ratio against recall is a chart in the app; a move runs no model."""
    calls = len(fakes.embedder.calls)
    before = mark(budget)
    for tokens in (50, 30):
        move(budget, tokens)
        assert not budget.exception
        trace = trace_of(budget)
        result = trace[Reconstruction]
        now = retained(result)
        assert trace.settings.reconstruction.payload_tokens == result.budget == tokens
        assert mark(budget) == (trace.results[0].tokens_in / now.tokens, now.recall)
        assert f"Facts kept{now.n_kept} of " in read(html(budget))
        assert budget.code[0].value == result.text
    assert mark(budget) != before
    assert len(fakes.embedder.calls) == calls
    assert not fakes.loads


def test_the_sweep_is_made_once_and_not_for_a_move(budget: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    curve = chart(budget, 0)["data"][0]
    made = []
    monkeypatch.setattr("pages._ui.tuning.budget.budget_sweep", lambda *_a, **_k: made.append(1))
    move(budget, 40)

    assert not budget.exception
    assert not made
    assert chart(budget, 0)["data"][0]["y"] == curve["y"]


def test_the_bars_are_those_of_the_context_as_it_stands(budget: AppTest) -> None:
    report = trace_of(budget)[Reconstruction].omissions
    assert report is not None
    kept = chart(budget, 1)["data"][0]
    assert kept["y"] == [CLASS_NAMES[row.kind] for row in report.by_class]
    assert "key facts" in budget.get("plotly_chart")[0].proto.alt
    assert "In the context:" in budget.get("plotly_chart")[1].proto.alt


def test_the_switch_takes_the_quotes_out_and_lists_what_is_lost(budget: AppTest, fakes: Fakes) -> None:
    """Issue 5: with rescue off, the context gets the survivors of the summary alone."""
    move(budget, 100)
    assert trace_of(budget)[Reconstruction].verbatim
    calls = len(fakes.embedder.calls)
    widget(budget, "toggle", "retention.rescue").set_value(False).run()

    assert not budget.exception
    trace = trace_of(budget)
    assert trace.settings.retention.rescue == "off"
    assert not trace[Reconstruction].verbatim
    assert trace[Elimination].quotes
    assert "m2 Ben: rescue is off" in read(html(budget))
    assert len(fakes.embedder.calls) == calls
    widget(budget, "toggle", "retention.rescue").set_value(True).run()
    assert trace_of(budget)[Reconstruction].verbatim


def test_the_share_decides_again(budget: AppTest) -> None:
    first = trace_of(budget)[Reconstruction]
    assert budget.button(key="tuning_free_budget").disabled
    move(budget, 25)
    press(budget, "tuning_free_budget")

    assert not budget.exception
    assert trace_of(budget)[Reconstruction] == first
    assert widget(budget, "slider", CARD).value == first.budget
    assert "reconstruction.payload_tokens" not in address(budget)


@pytest.mark.parametrize("form", list(Form))
def test_the_context_can_be_taken_along_in_each_form(budget: AppTest, form: Form) -> None:
    """Issue 5: text, Markdown, JSON and messages ready for the next call."""
    move(budget, 60)
    budget.segmented_control(key="taking_form").set_value(form).run()

    assert not budget.exception
    assert budget.code[0].value == payload.payload_in(trace_of(budget), form)
    (download,) = budget.get("download_button")
    assert (
        download.proto.label
        == f"Download {'messages.json' if form is Form.MESSAGES else download_name(form)}"
    )
    assert address(budget).get("form") == (None if form is Form.TEXT else form.value)


def download_name(form: Form) -> str:
    return {Form.TEXT: "context.txt", Form.MARKDOWN: "context.md"}.get(form, "context.json")


def test_a_link_opens_the_budget_in_its_state(fakes: Fakes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Links restore the new parameters: budget, rescue, layout, noise, pins and the form."""
    monkeypatch.setattr(resources, "embedder", lambda: fakes.embedder)
    given = {
        "sample": "support_refund",
        "stages": "3",
        "part": "budget",
        "form": "markdown",
        "reconstruction.payload_tokens": "90",
        "reconstruction.layout": "flat",
        "reconstruction.citations": "id",
        "retention.rescue": "off",
        "retention.rescue_tokens": "20",
        "compression.noise_filter": "off",
        "compression.keep_last": "2",
        "compression.pin_ids": "m4, m12",
        "compression.pin_pattern": "refund|deadline",
    }
    at = AppTest.from_file(str(ROOT / "pages" / "tuning.py"), default_timeout=60)
    for name, value in given.items():
        at.query_params[name] = value
    at.run()

    assert not at.exception
    trace = trace_of(at)
    assert trace.settings.reconstruction == ReconstructionSettings(
        payload_tokens=90, layout="flat", citations="id"
    )
    assert (trace.settings.retention.rescue, trace.settings.retention.rescue_tokens) == ("off", 20)
    assert trace.settings.compression.pin_ids == "m4, m12"
    assert at.segmented_control(key="taking_form").value == Form.MARKDOWN
    assert at.code[0].value == payload.payload_markdown(trace)
    assert address(at) == given


def test_nonsense_leaves_the_defaults(fakes: Fakes) -> None:
    at = AppTest.from_file(str(ROOT / "pages" / "tuning.py"), default_timeout=60)
    asked = {"stages": "3", "part": "budget", "form": "<b>", "compression.pin_pattern": "(?=x)"}
    for name, value in asked.items():
        at.query_params[name] = value
    at.run()

    assert not at.exception
    said = at.warning[0].value if at.warning else at.info[0].value
    assert "RE2" in said
    assert at.segmented_control(key="taking_form").value == Form.TEXT
    assert trace_of(at).settings == Settings()
    assert {"form", "compression.pin_pattern"}.isdisjoint(address(at))


def test_the_two_parts_follow_the_switch(budget: AppTest) -> None:
    assert "Key facts kept" in html(budget)
    assert not [c for c in budget.segmented_control if c.key == "tuning_scope"]
    budget.segmented_control(key="tuning_part").set_value("thresholds").run()
    assert not budget.exception
    assert "At every threshold" in html(budget)
    assert "Key facts kept" not in html(budget)
    assert "part" not in address(budget)


def test_before_reconstruction_it_says_what_to_do_and_runs_it(app: AppTest) -> None:
    paste(app, json.dumps(TALK))
    app.query_params["part"] = "budget"
    at = app.switch_page("pages/tuning.py").run()
    assert not at.exception
    assert "No context yet" in html(at)
    press(at, "needs_run")
    assert not at.exception
    assert "Key facts kept" in html(at)


@pytest.mark.parametrize("messages", [[], [{"role": "user", "content": "Hello there."}]])
def test_a_conversation_without_key_facts_is_shown_calmly(
    app: AppTest, messages: list[dict[str, str]]
) -> None:
    current = app.session_state["memguard"]
    current.trace = ran(messages, "Hello there.")
    current.settings = current.trace.settings
    current.source = state.Source(state.OWN, "Nothing", "")
    app.query_params["part"] = "budget"
    at = app.switch_page("pages/tuning.py").run()
    assert not at.exception
    assert "No key facts" in html(at)


def test_hostile_text_is_shown_as_it_is(app: AppTest) -> None:
    """UI-008: neither HTML nor Markdown of the transcript is followed."""
    said = "<img src=x onerror=alert(1)> costs $5 and then $10, says [x](javascript:alert(1)) and :red[Bob]."
    current = app.session_state["memguard"]
    current.trace = ran(
        [{"id": "<b>", "role": "user", "speaker": "<i>", "content": said}],
        "No.",
        retention__rescue="off",
        reconstruction__payload_tokens=2,
    )
    current.settings = current.trace.settings
    current.source = state.Source(state.OWN, "Hostile", "")
    app.query_params["part"] = "budget"
    at = app.switch_page("pages/tuning.py").run()

    assert not at.exception
    assert "<img" not in html(at)
    missing = facts.left_out(current.trace, linked=False)
    assert current.trace[Elimination].facts
    assert read(missing) in read(html(at))
    for fact in current.trace[Elimination].facts:
        assert current.trace.conversation.text(fact.carrier) in read(html(at))


def test_the_pipeline_page_offers_the_context_and_every_new_setting(app: AppTest) -> None:
    """Issue 5: settings widgets are generated; the forms stand where the context is shown."""
    paste(app, json.dumps(TALK))
    assert not app.get("download_button")
    app.button(key="finish").click().run()

    assert not app.exception
    trace = trace_of(app)
    assert [code.value for code in app.code] == [payload.payload_text(trace)]
    assert len(app.get("download_button")) == 1
    report = trace[Reconstruction].omissions
    assert report is not None
    assert f"{len(report.kept)} of {len(report.kept) + len(report.missing)}</dd>" in html(app)
    kinds = {"toggle": app.toggle, "number_input": app.number_input, "text_input": app.text_input}
    keys = {
        str(w.key).partition(":")[0] for group in (*kinds.values(), app.selectbox, app.slider) for w in group
    }
    shown = {
        n for n in setting_kinds() if n.partition(".")[0] in ("compression", "reconstruction", "retention")
    }
    assert shown <= keys
    app.toggle(key=state_key(app, "retention.rescue")).set_value(False).run()
    assert not trace_of(app)[Reconstruction].verbatim
    widget(app, "text_input", "compression.pin_pattern").set_value("penicillin").run()
    assert trace_of(app).results == ()
    app.button(key="finish").click().run()
    assert "pinned by its text" in "".join(e.proto.json for e in app.get("bidi_component"))


def state_key(at: AppTest, name: str) -> str:
    return f"{name}:{at.session_state['memguard'].epoch}"


def test_a_pattern_that_is_none_is_refused_and_nothing_is_lost(app: AppTest) -> None:
    paste(app, json.dumps(TALK))
    app.button(key="finish").click().run()
    before = trace_of(app)
    widget(app, "text_input", "compression.pin_pattern").set_value("(allerg").run()

    assert not app.exception
    assert "RE2" in app.error[0].value
    assert trace_of(app) is before


@pytest.mark.parametrize(
    ("settings", "budget", "said"),
    [
        (ReconstructionSettings(), 100, "set by the payload's share of 0.33"),
        (ReconstructionSettings(), 60, "set by the payload's floor"),
        (ReconstructionSettings(payload_tokens=100), 100, "At most 100 of 300 tokens: 3.0 times shorter"),
        (ReconstructionSettings(payload_tokens=400), 400, "as long as the conversation"),
    ],
)
def test_what_a_budget_is_stands_in_words(settings: ReconstructionSettings, budget: int, said: str) -> None:
    assert said in markup.budget_line(settings, budget, 300)


def test_figures_of_a_budget_count_what_the_context_is_made_of() -> None:
    trace = ran(reconstruction__payload_tokens=100)
    made = retained(trace[Reconstruction])
    shown = read(markup.budget_figures(trace, 300, made))
    assert f"Claims{made.n_claims}of 1 kept" in shown
    assert f"Lines quoted{made.n_quoted}word for word" in shown
    assert SUMMARY in trace[Reconstruction].text
