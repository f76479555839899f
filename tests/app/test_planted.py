"""The drifted summary of a sample, and a summary of one's own: checked as a run's summary on every page."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from memguard.compressor import Compression
from memguard.eliminator import Elimination
from memguard.grounding.verdicts import Label
from memguard.guard import given
from memguard.reconstructor import Reconstruction
from memguard.settings import Settings
from memguard.trace import Trace
from memguard.transcripts import Sample, load_sample, sample_paths
from memguard.transcripts.samples import KINDS, DriftClaim
from pages._ui import links, planted, state
from pages._ui.state import summaries
from tests.app.conftest import ROOT, TALK, Fakes, html, paste, results
from tests.app.test_links import address
from tests.app.test_pipeline_page import trace_of, widget

NAME = "support_refund"
HOSTILE = "<img src=x onerror=alert(1)> **$x$** :red[y] ‮z"


@pytest.fixture(scope="module")
def sample() -> Sample:
    return next(load_sample(path) for path in sample_paths() if path.stem == NAME)


def opened(page: str, **address: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "pages" / page), default_timeout=30)
    for name, value in address.items():
        at.query_params[name] = value
    at.run()
    assert not at.exception
    return at


def judged(sample: Sample, fakes: Fakes) -> Trace:
    return fakes.guard.pipeline.finish(given(planted.summary(sample), sample.conversation, Settings()))


def only(trace: Trace, kept: set[str]) -> Trace:
    """The trace with exactly those claims kept that hold one of these words."""
    elimination = trace[Elimination]
    verdicts = tuple(
        replace(v, kept=any(word in v.claim.text for word in kept)) if v.label is not Label.NOT_A_CLAIM else v
        for v in elimination.verdicts
    )
    changed = replace(elimination, verdicts=verdicts)
    return replace(trace, results=(trace[Compression], changed, trace[Reconstruction]))


def test_every_sample_has_a_drifted_summary_of_each_kind_half_of_it_wrong() -> None:
    for path in sample_paths():
        found = planted.claims(load_sample(path))
        by_label = {
            label: [c.kind for c in found if c.label == label] for label in ("supported", "unsupported")
        }
        assert sorted(by_label["supported"]) == sorted(by_label["unsupported"]) == sorted(KINDS), path.stem


def test_what_was_missed_and_dropped_by_mistake_is_counted(sample: Sample, fakes: Fakes) -> None:
    trace = only(judged(sample, fakes), {"11,000 grams", "collection fee was not waived"})

    found = planted.tally(trace, sample)

    assert found is not None
    assert found.is_judged
    assert (found.n_wrong, found.n_true) == (9, 9)
    assert [claim.kind for claim in found.missed] == ["negation"]
    assert len(found.mistaken) == 8
    said = planted.words(found)
    assert "8 of these 9 were dropped" in said
    assert "8 of the 9 true ones" in said
    assert "Not caught: “<bdi>The £12 collection fee was not waived for Rosalind.</bdi>” (negation)" in said
    assert "and 6 more" in said


def test_another_summary_has_no_tally(sample: Sample, fakes: Fakes) -> None:
    trace = fakes.guard.check("Rosalind is a potter.", sample.conversation)
    written = fakes.guard.run(sample.conversation)

    assert planted.tally(trace, sample) is None
    assert planted.tally(written, sample) is None


def test_before_it_is_judged_it_says_what_to_do(sample: Sample) -> None:
    trace = given(planted.summary(sample), sample.conversation, Settings())

    found = planted.tally(trace, sample)

    assert found is not None
    assert "Press Step" in planted.words(found)


def test_text_of_a_sample_is_escaped() -> None:
    """A sample's claim is text like any other."""
    claim = DriftClaim(HOSTILE, "unsupported", "name", "")

    said = planted.words(planted.Tally(1, 0, (claim,), (), is_judged=True))

    assert "&lt;img src=x onerror=alert(1)&gt; **$x$**" in said
    assert "<img" not in said


def test_one_click_gives_the_run_a_drifted_summary(fakes: Fakes) -> None:
    """The first ten minutes: from the first paint to dropped claims in one click, and no summarizer loads."""
    at = opened("dropped.py", sample=NAME)

    at.button(key="needs_planted").click().run()

    assert not at.exception
    trace = trace_of(at)
    assert trace[Compression].given
    assert len(trace.results) == 3
    assert trace[Elimination].dropped
    assert trace[Compression].tokens_out > 0
    assert fakes.summarizer_loads == 0
    assert "9 of its 18 sentences are wrong on purpose" in html(at)
    assert address(at).items() >= {"sample": NAME, "stages": "3", "summary": "drifted"}.items()


@pytest.mark.parametrize("page", ["pipeline.py", "dropped.py", "tuning.py", "map.py", "audit.py"])
def test_its_link_opens_it_on_every_page(page: str, fakes: Fakes) -> None:
    at = opened(page, sample=NAME, stages="3", summary="drifted")

    trace = trace_of(at)
    assert trace[Compression].given
    assert trace[Reconstruction].text
    assert fakes.summarizer_loads == 0
    assert address(at)["summary"] == "drifted"


@pytest.mark.parametrize(
    "typed", ["\u200b \n\u2060", "a" * (summaries.MOST_CHARS + 1), "# *a* $b$ \n" * 100_000]
)
def test_a_summary_too_long_or_without_a_word_is_an_error_that_keeps_the_run(
    typed: str, app: AppTest, fakes: Fakes
) -> None:
    app.button(key="finish").click().run()
    before = trace_of(app)
    area = next(a for a in app.text_area if a.key.startswith("own_summary"))
    area.set_value(typed).run()
    app.button(key="own_summary_go").click().run()

    assert not app.exception
    said = "no summary was pasted" if len(typed) < 10 else f"{len(typed):,} characters"
    assert said in app.error[0].value
    assert trace_of(app) == before
    assert next(a for a in app.text_area if a.key == area.key).value == typed  # nothing typed is lost


def test_blank_lines_of_a_summary_are_small_gaps_and_its_words_stay(app: AppTest, fakes: Fakes) -> None:
    area = next(a for a in app.text_area if a.key.startswith("own_summary"))
    area.set_value("Rosalind bought a telescope.\n\n \nIt rains\nin Rome.").run()
    app.button(key="own_summary_go").click().run()

    shown = results(app)
    assert shown.count("mg-gap") == 1
    assert "Rosalind bought a telescope." in shown
    assert "It rains\\nin Rome." in shown


def test_a_claim_of_the_drifted_summary_is_not_selected_in_the_written_one(fakes: Fakes) -> None:
    at = opened("pipeline.py", sample=NAME, stages="3", summary="drifted", claim="c1")
    assert at.session_state["memguard"].selected == "c1"

    at.button(key="written_popover").click().run()

    assert not trace_of(at)[Compression].given
    assert at.session_state["memguard"].selected is None
    assert not {"claim", "summary"} & address(at).keys()


def test_a_link_without_stages_still_hands_the_drifted_summary_in(fakes: Fakes) -> None:
    at = opened("pipeline.py", sample=NAME, summary="drifted")

    assert trace_of(at)[Compression].given
    assert address(at).items() >= {"stages": "1", "summary": "drifted"}.items()


def test_another_sample_takes_the_drifted_summary_along_with_nothing(fakes: Fakes) -> None:
    at = opened("pipeline.py", sample=NAME, stages="3", summary="drifted")
    picker = next(r for r in at.radio if r.key.startswith("sample"))
    picker.set_value("clinical_intake").run()

    assert trace_of(at).results == ()
    assert address(at) == {"sample": "clinical_intake"}
    assert "Drifted summary:" not in html(at)


def test_a_private_run_of_a_drifted_summary_keeps_its_verdicts(fakes: Fakes) -> None:
    at = opened("pipeline.py", sample=NAME, stages="3", summary="drifted")
    before = trace_of(at)[Elimination]
    switch = next(w for w in [*at.toggle, *at.checkbox] if "privacy." in (w.key or ""))
    switch.set_value(not switch.value).run()

    assert not at.exception
    assert trace_of(at).settings.privacy != Settings().privacy
    assert trace_of(at)[Elimination].verdicts == before.verdicts
    assert "Drifted summary:" in html(at)


@pytest.mark.parametrize("stages", ["1", "2"])
def test_its_link_runs_as_many_stages_as_it_says(stages: str, fakes: Fakes) -> None:
    at = opened("pipeline.py", sample=NAME, stages=stages, summary="drifted")

    assert len(trace_of(at).results) == int(stages)
    assert trace_of(at)[Compression].given
    assert not at.error
    assert not at.info


def test_a_summary_that_a_link_cannot_have_is_said(fakes: Fakes) -> None:
    at = opened("pipeline.py", sample=NAME, stages="1", summary="/etc/passwd")

    assert not trace_of(at)[Compression].given
    assert "names no summary" in at.info[0].value


def test_reset_gives_the_first_stage_back(fakes: Fakes) -> None:
    at = opened("pipeline.py", sample=NAME, stages="3", summary="drifted")

    at.button(key="reset").click().run()
    assert "summary" not in address(at)
    at.button(key="finish").click().run()

    assert not trace_of(at)[Compression].given


def test_where_nothing_was_dropped_the_page_offers_it(fakes: Fakes) -> None:
    at = opened("pipeline.py", sample=NAME)
    quoted = fakes.guard.check("Got it, thanks Rosalind.", trace_of(at).conversation)
    at.session_state["memguard"].trace = quoted
    at.run()
    assert not quoted[Elimination].dropped

    assert "No claim was dropped" in html(at)
    at.button(key="planted_pipeline").click().run()

    assert "wrong on purpose" in html(at)
    assert trace_of(at)[Elimination].dropped


def test_a_conversation_of_ones_own_has_none(app: AppTest, fakes: Fakes) -> None:
    """Nobody labelled it: only a summary of the person's own can be checked."""
    paste(app, "\n".join(f"{m['speaker']}: {m['content']}" for m in TALK))

    assert not any((b.key or "").startswith("planted") for b in app.button)


def test_a_summary_of_ones_own_is_checked_and_in_no_link(app: AppTest, fakes: Fakes) -> None:
    area = next(a for a in app.text_area if a.key.startswith("own_summary"))
    area.set_value(f"Rosalind bought a telescope for 9,000 euros. {HOSTILE}").run()
    app.button(key="own_summary_go").click().run()

    assert not app.exception
    trace = trace_of(app)
    assert trace[Compression].given
    assert trace[Reconstruction] is not None
    assert "This summary was handed in" in results(app)
    assert "handed in" in html(app)
    assert "&lt;img src=x onerror=alert(1)&gt; **$x$** :red[y]" in results(app)
    assert "<img src=x" not in results(app)
    assert address(app) == {"sample": state.OPENING}
    assert links.SUMMARY not in address(app)


def test_an_empty_summary_is_an_error_that_keeps_the_run(app: AppTest, fakes: Fakes) -> None:
    app.button(key="finish").click().run()
    before = trace_of(app)

    app.button(key="own_summary_go").click().run()

    assert "no summary was pasted" in app.error[0].value
    assert trace_of(app) == before


def test_the_two_sides_speak_of_a_summary(fakes: Fakes) -> None:
    at = opened("pipeline.py", sample=NAME, stages="3", summary="drifted", show="compare")

    assert "The raw summary." in html(at)
    assert "text as it was" not in html(at)
    assert "a summary from elsewhere" in html(at)


def test_the_tour_goes_on_to_its_last_step(app: AppTest, fakes: Fakes) -> None:
    app.button(key="tour_next").click().run()
    app.button(key="tour_planted").click().run()

    assert trace_of(app)[Compression].given
    assert "Ask why" in html(app)


@pytest.mark.parametrize(("address", "opens"), [({"summary": "drifted"}, "claims"), ({}, "")])
def test_the_verdicts_on_what_was_handed_in_stay_in_front(
    address: dict[str, str], opens: str, fakes: Fakes
) -> None:
    at = opened("pipeline.py", sample=NAME, stages="3", **address)

    given_to = [json.loads(e.proto.json) for e in at.get("bidi_component")]
    assert [data["opens"] for data in given_to if "opens" in data] == [opens]


def test_the_budget_says_that_nothing_is_quoted_beside_it_and_leads_back(fakes: Fakes) -> None:
    """Beside a summary that was handed in no key fact is quoted: its curve would be taken for MemGuard's."""
    at = opened("tuning.py", sample=NAME, stages="3", summary="drifted", part="budget")
    assert "Nothing is quoted beside it" in html(at)

    at.button(key="written_budget").click().run()

    assert not at.exception
    assert not trace_of(at)[Compression].given
    assert len(trace_of(at).results) == 3
    assert "Nothing is quoted beside it" not in html(at)


def test_the_tally_follows_a_threshold(fakes: Fakes) -> None:
    at = opened("tuning.py", sample=NAME, stages="3", summary="drifted")
    assert "wrong on purpose" in html(at)

    widget(at, "slider", "elimination.min_support").set_value(0.95).run()

    assert "9 of these 9 were dropped</b>, and 9 of the 9 true ones" in html(at)
