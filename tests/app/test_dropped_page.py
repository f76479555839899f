"""Page Dropped claims on fakes."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from memguard import audit
from memguard.eliminator import Elimination
from memguard.grounding.overrides import Override
from memguard.reconstructor import Reconstruction
from memguard.trace import Trace
from pages._ui.dropped import items as picked
from pages._ui.dropped import view
from pages._ui.dropped.items import Choice
from tests.app.conftest import ROOT, TALK, Fakes, html, paste, results
from tests.app.handmade import SAID, handmade, with_preset
from tests.app.test_render import HOSTILE, read

PAGE = str(ROOT / "pages" / "dropped.py")


def session(at: AppTest):
    return at.session_state["memguard"]


@pytest.fixture
def at(fakes: Fakes) -> AppTest:
    """The page on the hand-made run: every label, reason and severity occurs in it."""
    app = AppTest.from_file(PAGE, default_timeout=30).run()
    assert not app.exception
    return with_trace(app, handmade())


def with_trace(app: AppTest, trace: Trace) -> AppTest:
    session(app).trace, session(app).settings = trace, trace.settings
    app.run()
    assert not app.exception
    return app


def rows(at: AppTest) -> list[str]:
    """The ids of the listed claims, in order."""
    lists = [json.loads(e.proto.json) for e in at.get("bidi_component")]
    found = [item["html"] for item in lists if "html" in item]
    return re.findall(r'data-claim="(\w+)"', found[0]) if found else []


def pick(at: AppTest, claim: str) -> AppTest:
    session(at).selected = claim
    return at.run()


def press(at: AppTest, name: str) -> AppTest:
    at.button(key=f"dropped-{name}").click().run()
    assert not at.exception
    return at


def keyed(elements, name: str):
    """The widget whose key begins with this name; the key ends with the session's epoch."""
    return next(e for e in elements if e.key is not None and e.key.startswith(f"dropped-{name}"))


def kept(at: AppTest, claim: str) -> bool:
    return next(v.kept for v in session(at).trace[Elimination].verdicts if v.claim.id == claim)


# What is listed


def test_the_page_stands_alone_and_says_what_to_do(fakes: Fakes) -> None:
    at = AppTest.from_file(PAGE, default_timeout=30).run()

    assert not at.exception
    assert "No claims yet" in html(at)
    at.button(key="needs_run").click().run()
    assert not at.exception
    assert "did not enter the context" in html(at)


def test_dropped_claims_stand_before_those_left_out_the_nearest_first(at: AppTest) -> None:
    """Issue 4: sort by gap to the threshold."""
    assert rows(at) == ["c9", "c1", "c6", "c7"]
    keyed(at.selectbox, "sort").set_value("furthest").run()
    assert rows(at) == ["c6", "c1", "c9", "c7"]
    keyed(at.selectbox, "sort").set_value("summary").run()
    assert rows(at) == ["c1", "c6", "c7", "c9"]


@pytest.mark.parametrize(
    ("name", "value", "ids"),
    [
        ("reason", "guard_contradicts", ["c1"]),
        ("reason", "guard_misses", ["c9"]),
        ("kind", "not_found", ["c9", "c6"]),
        ("kind", "contradicted", ["c1"]),
        ("stage", "elimination", ["c9", "c1", "c6"]),
        ("stage", "reconstruction", ["c7"]),
        ("speaker", "Jonas", ["c7"]),
        ("speaker", "Mira", ["c9", "c1", "c6"]),
    ],
)
def test_each_filter_narrows_the_list(at: AppTest, name: str, value: str, ids: list[str]) -> None:
    """Issue 4: filter by reason, kind, stage, speaker."""
    keyed(at.selectbox, name).set_value(value).run()

    assert rows(at) == ids
    keyed(at.selectbox, name).set_value("").run()
    assert len(rows(at)) == 4


@pytest.mark.parametrize(
    ("words", "ids"),
    [("DEPOSIT", ["c1", "c6"]), ("neighbour", ["c9"]), ("500 ≠ 400", ["c1"]), ("penguin", [])],
)
def test_the_search_reads_claim_evidence_and_finding(at: AppTest, words: str, ids: list[str]) -> None:
    keyed(at.text_input, "find").set_value(words).run()

    assert rows(at) == ids
    assert ("No claim matches" in html(at)) is (not ids)


def test_kept_claims_are_listed_under_a_switch(at: AppTest) -> None:
    keyed(at.toggle, "kept").set_value(True).run()

    assert set(rows(at)) == {f"c{n}" for n in range(1, 10)} - {"c4"}  # the question is no claim


def test_what_is_chosen_survives_a_switch_of_pages(app: AppTest) -> None:
    """UI-010."""
    paste(app, json.dumps([{"role": "user", "content": "The deposit is 400 euros. " * 3}]))
    app.button(key="finish").click().run()
    app.switch_page("pages/dropped.py").run()
    keyed(app.selectbox, "sort").set_value("summary").run()
    keyed(app.text_input, "find").set_value("landlord").run()
    app.switch_page("pages/audit.py").run()
    app.switch_page("pages/dropped.py").run()

    assert not app.exception
    assert keyed(app.selectbox, "sort").value == "summary"
    assert keyed(app.text_input, "find").value == "landlord"


def test_the_link_holds_filters_and_no_word_of_the_conversation(at: AppTest, fakes: Fakes) -> None:
    keyed(at.selectbox, "reason").set_value("guard_misses").run()
    keyed(at.text_input, "find").set_value("landlord").run()
    keyed(at.selectbox, "speaker").set_value("Mira").run()

    assert at.query_params["reason"] in ("guard_misses", ["guard_misses"])
    assert "find" not in at.query_params
    assert "speaker" not in at.query_params
    again = AppTest.from_file(PAGE, default_timeout=30)
    again.query_params["reason"], again.query_params["sort"] = "guard_misses", "nonsense"
    with_trace(again.run(), handmade())
    assert rows(again) == ["c9"]
    assert keyed(again.selectbox, "sort").value == "nearest"


def test_a_link_opens_the_page_with_its_claim_as_the_first_request(fakes: Fakes) -> None:
    """Issue 4: a copied link restores sample, stages, selection and filters in a fresh session."""
    at = AppTest.from_file(PAGE, default_timeout=60)
    for name, value in {"sample": "support_refund", "stages": "3", "claim": "c2", "kept": "1"}.items():
        at.query_params[name] = value
    at.run()

    assert not at.exception
    assert "<code><bdi>c2</bdi></code>" in html(at)
    assert keyed(at.toggle, "kept").value is True


# One claim, explained


def test_two_texts_side_by_side_with_what_differs_marked_in_both(at: AppTest) -> None:
    """Issue 4: the claim, best and second evidence, findings marked in both: 500 against 400."""
    shown = html(pick(at, "c1"))

    assert "Dropped: the transcript says otherwise" in shown
    said, _, told = shown.partition("The transcript says</h3>")
    assert re.search(r'mg-saw mg-contradiction"[^>]*>500</u>', said)
    assert re.search(r'mg-saw mg-contradiction"[^>]*>400 euros</u>', told)
    assert "Best evidence: " in told
    assert "Second: " in told
    assert "500 ≠ 400 (m1)" in read(shown)


@pytest.mark.parametrize(
    ("claim", "line", "button", "changes"),
    [
        (
            "c9",
            "It would return at minimum support 0.20 or below.",
            "Set minimum support to 0.20",
            {"min_support": 0.2},
        ),
        (
            "c6",
            "It would return at minimum similarity 0.31 or below and minimum support 0.03 or below. "
            "2 more claims would return with it.",
            "Set minimum similarity to 0.31 and minimum support to 0.03",
            {"min_similarity": 0.31, "min_support": 0.03},
        ),
    ],
)
def test_the_setting_that_brings_a_claim_back_is_applied(
    at: AppTest, claim: str, line: str, button: str, changes: dict[str, float]
) -> None:
    """Issue 4: would return at …, and the button does it, without a model."""
    pick(at, claim)
    assert line in html(at)
    assert at.button(key="dropped-apply").label == button
    press(at, "apply")

    assert kept(at, claim)
    for name, value in changes.items():
        assert getattr(session(at).settings.elimination, name) == value
    press(at, "undo")
    assert not kept(at, claim)
    assert session(at).settings == handmade().settings
    press(at, "redo")
    assert kept(at, claim)


def test_strict_names_the_preset_that_brings_it_back(at: AppTest) -> None:
    with_trace(at, handmade(with_preset("strict")))
    pick(at, "c7")

    assert at.button(key="dropped-apply").label == "Set preset to balanced"
    press(at, "apply")
    assert kept(at, "c7")


def test_a_claim_left_out_for_the_budget_names_the_budget(at: AppTest) -> None:
    pick(at, "c7")
    assert "Kept, but not in the context: the budget of the context is full" in html(at)
    press(at, "apply")

    trace = session(at).trace
    assert trace[Reconstruction].omitted == ()
    assert trace[Reconstruction].tokens == trace.settings.reconstruction.payload_tokens


# A person decides


def test_keep_with_a_note_reaches_payload_and_audit(at: AppTest) -> None:
    """Issue 4: override with a note; part of the audit and of the payload."""
    pick(at, "c1")
    keyed(at.text_area, "note-c1").set_value("  Agreed on the phone ").run()
    press(at, "keep")

    trace = session(at).trace
    assert [(o.claim_id, o.kept, o.note) for o in trace.overrides] == [("c1", True, "Agreed on the phone")]
    assert trace.overrides[0].made_at is not None
    assert SAID[0] in trace[Reconstruction].text
    assert [r.stage for r in audit.records(trace)][2] == "overrides"
    assert "Kept by a person: " in html(at)
    assert "1 decision by a person" in html(at)
    assert "c1" in rows(at)
    press(at, "take-back")
    assert session(at).trace == handmade()


def test_a_kept_claim_is_dropped_by_hand(at: AppTest) -> None:
    keyed(at.toggle, "kept").set_value(True).run()
    press(pick(at, "c2"), "drop")

    assert not kept(at, "c2")
    assert SAID[1] not in session(at).trace[Reconstruction].text
    keyed(at.toggle, "kept").set_value(False).run()
    assert "c2" in rows(at)


def test_undo_and_redo_walk_through_every_step(at: AppTest) -> None:
    """Issue 4."""
    assert at.button(key="dropped-undo").disabled
    press(pick(at, "c1"), "keep")
    press(pick(at, "c9"), "apply")
    press(pick(at, "c1"), "drop")
    states = []
    for _ in range(3):
        press(at, "undo")
        states.append((kept(at, "c1"), kept(at, "c9"), len(session(at).trace.overrides)))

    assert states == [(True, True, 1), (True, False, 1), (False, False, 0)]
    assert at.button(key="dropped-undo").disabled
    assert session(at).trace == handmade()
    for _ in range(3):
        press(at, "redo")
    assert (kept(at, "c1"), kept(at, "c9")) == (False, True)
    assert at.button(key="dropped-redo").disabled
    press(at, "undo")
    press(pick(at, "c6"), "keep")
    assert at.button(key="dropped-redo").disabled


def test_another_conversation_begins_with_an_empty_history(at: AppTest) -> None:
    press(pick(at, "c1"), "keep")
    other = replace(handmade(), conversation=handmade().conversation.extended([{"content": "Bye."}]))
    with_trace(at, other)

    assert at.button(key="dropped-undo").disabled


def test_no_model_runs(at: AppTest, fakes: Fakes) -> None:
    before = len(fakes.embedder.calls)
    press(pick(at, "c9"), "apply")
    press(pick(at, "c1"), "keep")
    press(at, "undo")

    assert len(fakes.embedder.calls) == before


# Hostile text


@pytest.mark.parametrize("value", HOSTILE)
def test_hostile_text_is_shown_verbatim(at: AppTest, fakes: Fakes, value: str) -> None:
    """UI-008: finding, guard and note; the claim's own text goes the same way."""
    trace = fakes.guard.override(
        handmade(detail=value, guard=value), [Override("c1", kept=True, note=value[:2_000])]
    )
    with_trace(at, trace)
    shown = html(pick(at, "c1"))

    assert "<script>" not in shown
    assert "<img" not in shown
    assert value.replace("\x00", "\ufffd") in read(shown)


def test_a_hostile_claim_is_text_in_list_and_detail() -> None:
    bad = '<img src=x onerror="alert(1)">\u202e [x](y) $5$ :red[z]'
    trace = handmade()
    found = picked.items(trace)[0]
    claim = replace(found.verdict.claim, text=bad, judged_as=bad, id='c"1<')
    item = replace(found, verdict=replace(found.verdict, claim=claim, unsupported=(), findings=()))

    for markup in (view.rows((item,)), view.head(item) + view.texts(item, trace.conversation)):
        assert "<img" not in markup
        assert 'data-claim="c"1' not in markup
    assert bad in read(view.texts(item, trace.conversation))
    assert bad in read(view.rows((item,)))


# The functions themselves


def test_a_gap_is_the_largest_shortfall_under_the_preset() -> None:
    by_id = {item.id: item for item in picked.items(handmade())}
    contract = {item.id: item for item in picked.items(handmade(with_preset("contract")))}

    assert [(s.name, round(s.gap, 3)) for s in by_id["c6"].shortfalls] == [
        ("support", 0.47),
        ("similarity", 0.29),
    ]
    assert [s.name for s in contract["c6"].shortfalls] == ["similarity"]
    assert by_id["c2"].gap == 0.0
    assert "c4" not in by_id


def test_every_reason_and_label_has_words() -> None:
    from memguard.grounding.verdicts import Label, Reason

    assert set(view.REASONS) == set(Reason) - {Reason.NO_STATEMENT, Reason.VERBATIM}
    assert set(view.KINDS) == set(Label) - {Label.NOT_A_CLAIM}


def test_a_run_without_drops_says_so(at: AppTest) -> None:
    loose = handmade().settings.with_value("elimination.min_similarity", -1.0)
    loose = loose.with_value("elimination.min_support", 0.0)
    loose = loose.with_value("reconstruction.payload_tokens", 1_000)
    with_trace(at, handmade(loose))

    assert "No claim was dropped" in html(at)
    assert picked.listed(picked.items(handmade(loose)), Choice(), handmade().conversation) == ()


def test_results_are_small(at: AppTest) -> None:
    """A choice sends the list and one claim, not the transcript."""
    assert len(results(at)) < 4_000


def test_a_summary_without_claims_says_so(app: AppTest, fakes: Fakes) -> None:
    """No claim was dropped, and none is in the context either."""
    fakes.summarizer.answer = "Would she like a receipt?"
    paste(app, "Mira: Would you like a receipt?").button(key="finish").click().run()
    app.switch_page("pages/dropped.py").run()

    assert not app.exception
    assert "This summary makes no claims" in html(app)
    assert "No claim was dropped" not in html(app)


def test_a_decision_is_never_done_again_on_another_summary(app: AppTest, fakes: Fakes) -> None:
    """The claim of the same id says something else by then; the step goes, so that it bars no other."""
    fakes.summarizer.answer = "The deposit is 400 euros."
    paste(app, json.dumps(TALK)).button(key="finish").click().run()
    app.switch_page("pages/dropped.py").run()
    keyed(app.toggle, "kept").set_value(True).run()
    press(press(app, "drop"), "undo")
    assert kept(app, "c1")

    fakes.summarizer.answer = "The keys are with the neighbour until Friday at noon."
    app.switch_page("pages/pipeline.py").run()
    app.button(key="reset").click().run()
    app.button(key="finish").click().run()
    app.switch_page("pages/dropped.py").run()
    press(app, "redo")

    assert kept(app, "c1")
    assert "This was not done" in app.error[0].value
    assert app.button(key="dropped-redo").disabled
