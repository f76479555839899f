"""The claims pane and the audit's table on hand-made verdicts: label, reason, findings, words, scores."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from memguard import audit, charts, reports
from memguard.eliminator import Elimination
from memguard.grounding.verdicts import Label, Severity
from memguard.reports.parts import Claim
from memguard.settings import Settings
from memguard.trace import Trace
from pages._ui import claims, render
from pages._ui.audit import ledger
from pages._ui.pipeline import overview, results
from tests.app.handmade import SAID, handmade, rejudged, with_preset
from tests.app.test_render import HOSTILE, read


@pytest.fixture(scope="module")
def trace() -> Trace:
    return handmade()


def recorded(trace: Trace) -> tuple[Claim, ...]:
    """The claims as the audit holds them."""
    return reports.report_of(audit.records(trace)).claims


def row(trace: Trace, number: int) -> str:
    """The row of a claim, from 1."""
    return re.findall(r'<li class="mg-claim .*?</li>', "".join(claims.rows(trace)), re.S)[number - 1]


def test_every_label_has_its_shape_its_words_and_its_reason(trace: Trace) -> None:
    """The words of a reason are the core's; the page shows each as it stands."""
    verdicts = trace[Elimination].verdicts
    expected = [
        ("contradicted", "✕", "Contradicted"),
        ("kept", "●", "Kept"),
        ("kept", "●", "Kept"),
        ("noclaim", "–", "Not a claim"),
        ("review", "?", "Needs review, kept"),
        ("notfound", "○", "Not found"),
        ("kept", "●", "Kept"),
        ("kept", "●", "Kept"),
        ("notfound", "○", "Not found"),
    ]
    assert len(claims.rows(trace)) == len(SAID) == len(expected)
    for number, ((kind, glyph, words), verdict) in enumerate(zip(expected, verdicts, strict=True), 1):
        found = row(trace, number)
        assert f'<li class="mg-claim mg-{kind}"' in found
        assert f">{glyph}</span>" in found
        assert f"<b>{words}</b>" in found
        reason = re.search(r'<div class="mg-why">.*?</div>', found, re.S)
        assert reason is not None
        assert verdict.detail
        assert f"{words} {verdict.detail}" in read(reason[0])


def test_unsupported_words_are_set_off_with_what_that_means(trace: Trace) -> None:
    found = row(trace, 6)

    words = re.findall(r'<u class="([^"]*)" title="([^"]*)" aria-description="[^"]*">(.*?)</u>', found)
    assert [(css, word) for css, _, word in words] == [
        ("mg-unsupported", "burned"),
        ("mg-unsupported", "protest"),
    ]
    assert {title for _, title, _ in words} == {"Not found in the evidence"}
    assert SAID[5] in read(found)


def test_a_word_that_is_both_seen_and_unsupported_says_both(trace: Trace) -> None:
    found = row(trace, 1)

    assert (
        '<u class="mg-unsupported mg-saw mg-contradiction" title="Not found in the evidence; 500 ≠ 400 (m1)"'
        in found
    )


def test_a_finding_leads_to_its_place_and_one_without_a_place_does_not(trace: Trace) -> None:
    assert 'role="button" tabindex="0" data-finding="c1.0"' in row(trace, 1)
    assert "data-finding" not in row(trace, 9)
    marked = render.transcript(trace)
    lit = re.findall(
        r'<mark data-best="[^"]*" data-more="[^"]*" data-finding="([^"]*)"[^>]*>(.*?)</mark>', marked
    )
    assert ("c1.0", "400 euros") in lit
    assert ("c8.0", "12") in lit


def test_the_finding_that_decided_is_not_said_twice(trace: Trace) -> None:
    body = re.sub(r"<u .*?</u>", "", row(trace, 1).partition('<div class="mg-evidence">')[0])

    assert read(re.sub(r'title="[^"]*"', "", body)).count("500 ≠ 400 (m1)") == 1


def test_what_was_seen_but_outweighed_says_so(trace: Trace) -> None:
    assert "Seen, not enough to drop it:" in row(trace, 7)
    contract = rejudged(trace, with_preset("contract"))
    assert "Seen, the contract preset ignores it:" in row(contract, 1)
    assert "Seen," not in row(trace, 1)


def test_matches_are_seen_only_when_a_claim_is_open(trace: Trace) -> None:
    before, _, opened = row(trace, 8).partition('<div class="mg-evidence">')

    assert "a dozen = 12 (m4)" not in re.sub(r'(title|aria-description)="[^"]*"', "", before)
    assert "a dozen = 12 (m4)" in opened
    assert '<u class="mg-saw mg-match"' in opened  # in the quote


def test_both_scores_have_their_range_and_minimum_a_hover_away(trace: Trace) -> None:
    found = row(trace, 2)
    assert 'title="Similarity 0.930, from -1 to 1' in found
    assert found.count("The bar is the minimum.") == 2
    assert 'title="Support 0.970, from 0 to 1' in found
    assert "mg-scores" not in row(trace, 4)

    contract = row(rejudged(trace, with_preset("contract")), 2)
    assert "the contract preset ignores it" in contract
    assert contract.count("<u style=") == found.count("<u style=") - 1


def test_a_moved_minimum_leaves_the_rows_whose_verdict_stays(trace: Trace) -> None:
    """The browser draws only changed rows anew; the minimums stand on the list around them."""
    before = rejudged(trace, trace.settings)
    moved = trace.settings.with_value("elimination.min_similarity", 0.61)
    after = rejudged(trace, moved.with_value("elimination.min_support", 0.51))

    assert claims.rows(after) == claims.rows(before)
    assert claims.minimums(after.settings.elimination) == "--mg-min-similarity:61.0%;--mg-min-support:51.0%"


def test_the_form_that_was_judged_is_shown_where_it_differs(trace: Trace) -> None:
    elimination = trace[Elimination]
    claim = replace(elimination.verdicts[1].claim, judged_as="Jonas <b>paid</b> it")
    verdicts = (replace(elimination.verdicts[1], claim=claim),)
    shown = "".join(
        claims.rows(replace(trace, results=(trace.results[0], replace(elimination, verdicts=verdicts))))
    )

    assert "Judged as: Jonas <b>paid</b> it" in read(shown)
    assert "<b>paid" not in shown
    assert "Judged as" not in "".join(claims.rows(trace))


@pytest.mark.parametrize("value", HOSTILE)
def test_hostile_findings_are_text_everywhere(value: str) -> None:
    trace = handmade(detail=value, guard=value)
    verdicts = trace[Elimination].verdicts
    shown = [
        "".join(claims.rows(trace)),
        render.transcript(trace),
        results.payload(trace),
        ledger.table(recorded(trace), len(SAID)),
    ]

    for markup in shown:
        for attribute in re.findall(r'="([^"]*)"', markup):
            assert "<" not in attribute
        tags = set(re.findall(r"<(\w+)", markup))
        assert tags <= {
            *("ol", "li", "div", "span", "b", "bdi", "u", "i", "q", "p", "mark", "time", "cite", "em", "h4"),
            *("button", "textarea", "details", "summary", "code", "small"),
        }
    assert value.replace("\r", "") in read(shown[0]).replace("\r", "")
    figure = charts.score_chart(verdicts, trace.settings.elimination).to_json()
    assert "<script" not in figure
    assert "<img" not in figure


def test_annotated_survives_spans_beyond_the_text() -> None:
    notes = [render.Note(2, 99, "a", "x"), render.Note(50, 60, "b", "y"), render.Note(3, 3, "c", "z")]

    assert read(render.annotated("abcdef", notes)) == "abcdef"
    assert render.annotated("cdef", notes, 2).count('class="a"') == 1  # the empty span cuts nothing off
    assert 'class="b"' not in render.annotated("abcdef", notes)


def test_the_figures_split_what_was_dropped_and_count_no_question(trace: Trace) -> None:
    shown = read(overview.figures(trace))

    assert "Claims kept5of 8 claims" in shown
    assert "Claims dropped3✕ 1 contradicted ○ 2 not found" in shown
    assert "Needs review1counted as kept" in shown
    assert "8 claims" in read(overview.stages(trace))

    strict = read(overview.figures(rejudged(trace, with_preset("strict"))))
    assert "Claims dropped5✕ 2 contradicted ○ 2 not found ? 1 needs review" in strict
    assert "Needs review1counted as dropped" in strict
    contract = read(overview.figures(rejudged(trace, with_preset("contract"))))
    assert "Needs review" not in contract


def test_the_payload_flags_what_needs_review(trace: Trace) -> None:
    assert "needs review Die Schlüssel" in read(results.payload(trace))
    assert 'aria-label="Needs review"' in results.payload(trace)
    assert "needs review, which strict drops" in read(
        results.payload(replace(handmade(with_preset("strict")), run_id="x"))
    )


def test_the_payload_joins_clauses_of_one_line(trace: Trace) -> None:
    elimination = trace[Elimination]
    one, two = elimination.verdicts[1], elimination.verdicts[2]
    reconstruction = trace.results[2]
    pieces = tuple(
        replace(p, line=f"- {SAID[1]} and {SAID[2]} [m2, Jonas]")
        for p in reconstruction.pieces
        if p.claim_id in ("c2", "c3")  # type: ignore[attr-defined]
    )
    joined = replace(
        trace,
        results=(
            trace.results[0],
            replace(elimination, verdicts=(one, two)),
            replace(reconstruction, pieces=pieces),  # type: ignore[type-var]
        ),
    )
    shown = read(results.payload(joined))

    assert f"{SAID[1]} and {SAID[2]}" in shown
    assert "1 line," in read(overview.stages(joined))


def test_the_audit_table_has_every_finding_reason_and_place(trace: Trace) -> None:
    verdicts = trace[Elimination].verdicts
    shown = ledger.table(recorded(trace), len(verdicts))

    assert shown.count('<details class="mg-record mg-claim-row') == len(SAID)
    for verdict in verdicts:
        assert claims.why(verdict) in read(shown)
        assert all(f.detail in read(shown) for f in verdict.findings)
    assert "Best evidence m1 Mira" in read(shown)


def test_the_audit_filters_by_reason_and_guard(trace: Trace) -> None:
    verdicts = recorded(trace)

    def ids(found: tuple[Claim, ...]) -> list[str]:
        return [claim.id for claim in found]

    assert ids(ledger.chosen(verdicts, (), ())) == [f"c{n}" for n in range(1, 10)]
    assert ids(ledger.chosen(verdicts, ("guard_contradicts",), ())) == ["c1"]
    assert ids(ledger.chosen(verdicts, (), ("speakers",))) == ["c2", "c7"]
    assert ids(ledger.chosen(verdicts, ("support_reached",), ("quantities",))) == ["c8"]
    assert "No claim has both" in ledger.table((), 9)
    assert ledger.reasons(verdicts)["support_reached"] == "Support reached 4"
    assert ledger.guards(verdicts) == {
        "quantities": "Quantities 2",
        "speakers": "Speakers 2",
        "entities": "Entities 1",
    }


def test_the_map_and_the_scores_show_every_label(trace: Trace) -> None:
    verdicts = trace[Elimination].verdicts
    figure = charts.score_chart(verdicts, trace.settings.elimination, selected="claim:c1")
    named = {t.name: t for t in figure.data}

    assert set(named) == {"kept 4", "contradicted 1", "not found 2", "needs review 1", "selected"}
    assert list(named["contradicted 1"].x) == [0.976]
    assert list(named["contradicted 1"].y) == [0.08]
    assert [(s.type, s.x0, s.y0) for s in figure.layout.shapes] == [
        ("rect", 0.6, 0.5),
        ("line", 0.6, 0),
        ("line", 0, 0.5),
    ]
    told = charts.describe_score_chart(verdicts, trace.settings.elimination)
    assert told.startswith(
        "8 claims by similarity and support (4 kept, 1 contradicted, 2 not found and 1 needs review)"
    )
    contract = with_preset("contract").elimination
    assert len(charts.score_chart(verdicts, contract).layout.shapes) == 2
    assert "minimum support" not in charts.describe_score_chart(verdicts, contract)
    assert (
        charts.describe_score_chart((), Settings().elimination) == "The chart is empty: there are no claims."
    )
    assert [a.text for a in charts.score_chart((), contract).layout.annotations] == ["No claims yet."]


def test_a_kept_claim_that_needs_review_shows_both(trace: Trace) -> None:
    (verdict,) = [v for v in trace[Elimination].verdicts if v.label is Label.NEEDS_REVIEW]

    assert claims.sign(verdict) == ("review", "?", "Needs review")
    assert claims.fate(verdict) == "Needs review, kept"
    assert claims.fate(replace(verdict, kept=False)) == "Needs review, dropped"


def test_no_severity_is_without_a_sign(trace: Trace) -> None:
    finding = trace[Elimination].verdicts[0].findings[0]

    signs = [claims.finding_sign(replace(finding, severity=severity)) for severity in Severity]
    assert len(set(signs)) == len(Severity)
