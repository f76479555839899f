"""Text to HTML: everything escaped, offsets kept, without Streamlit."""

from __future__ import annotations

import html
import re
import tomllib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memguard import charts, palette
from memguard.compressor import Compression
from memguard.eliminator import Elimination
from memguard.guard import MemGuard
from memguard.reconstructor import Reconstruction
from memguard.trace import Trace
from pages._ui import claims, render, theme
from pages._ui.audit import chain
from pages._ui.pipeline import overview, results
from tests.app.conftest import CONTRACT, ROOT, SUMMARY, TALK
from tests.fakes import FakeCounter, FakeEmbedder, FakeSummarizer

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "[x](javascript:alert(1)) **bold** # no heading",
    "it costs $5 and then $10",
    ":red[text] :tada: :material/home: email:ops@acme.example 10:30:45",
    "‮drowssap eht si siht",
    "x" * 2_000,
    "line one\nline two\r\n\tthree &amp; &lt;b&gt;",
)


def read(markup: str) -> str:
    """Return the text that a browser shows for markup."""
    return html.unescape(re.sub(r"<[^>]*>", "", markup))


@pytest.fixture(scope="module")
def trace() -> Trace:
    guard = MemGuard(
        CONTRACT, embedder=FakeEmbedder(), summarizer=FakeSummarizer(SUMMARY), counter=FakeCounter()
    )
    return guard.run(TALK)


@pytest.mark.parametrize("value", HOSTILE)
def test_text_shows_hostile_text_as_it_is(value: str) -> None:
    shown = render.text(value)

    assert read(shown) == value
    assert re.findall(r"<(\w+)", shown) == ["bdi"]


@given(st.text(st.characters(codec="utf-8", exclude_characters="\x00\r"), max_size=60), st.data())
def test_marked_keeps_the_text_and_marks_exactly_the_spans(content: str, data: st.DataObject) -> None:
    marks = []
    for number in range(data.draw(st.integers(0, 4))):
        start = data.draw(st.integers(0, len(content)))
        end, role = data.draw(st.integers(start, len(content))), data.draw(st.sampled_from(render.Role))
        marks.append(render.Mark(start, end, f"c{number}", role))

    shown = render.marked(content, marks)

    assert read(shown) == content
    pattern = "".join(f' data-{role}="(?P<{role}>[^"]*)"' for role in render.Role)
    pieces = list(re.finditer(rf"<mark{pattern}>(?P<text>.*?)</mark>", shown, re.S))
    for mark in marks:
        lit = "".join(html.unescape(p["text"]) for p in pieces if mark.name in p[mark.role].split())
        assert lit == content[mark.start : mark.end]


@pytest.mark.parametrize("value", HOSTILE)
def test_markdown_leaves_nothing_that_markdown_reads(value: str) -> None:
    escaped = render.markdown(value)

    assert re.sub(r"\\(.)", r"\1", escaped).replace("\u200c", "").replace("  \n", "\n") == value
    assert not re.search(r"(?<!\\)[*_`\[\]<>$:#]", escaped)


@pytest.mark.parametrize(
    "value",
    [
        "a.b-@c.example",
        "_www.example.com",
        "https://x.example/?a=1",
        "9http://x",
        "HTTPS://X.example",
        "ftp://x",
    ],
)
def test_markdown_leaves_no_address_that_becomes_a_link(value: str) -> None:
    """Addresses become links even with every sign escaped; the rules are those of GitHub's Markdown."""
    plain = re.sub(r"\\(.)", r"\1", render.markdown(value))

    assert not re.search(r"https?://|ftp://|www\.|@[-\w]", plain, re.IGNORECASE)
    assert plain.replace("\u200c", "") == value


def test_transcript_shows_relevance_rank_tokens_and_decision(trace: Trace) -> None:
    shown = render.transcript(trace)

    assert shown.count("<li") == len(TALK)
    assert "Picked #1" in shown
    assert "tok</span>" in shown


def test_transcript_says_why_a_message_was_not_picked() -> None:
    settings = CONTRACT.with_value("compression.max_tokens", 25)
    guard = MemGuard(settings, embedder=FakeEmbedder(), summarizer=FakeSummarizer(), counter=FakeCounter())

    shown = render.transcript(guard.run([*TALK, {"role": "user", "content": "  "}]))

    assert "Over budget #" in shown
    assert "Not reached" in shown
    assert "Blank" in shown


def test_evidence_lies_inside_its_message(trace: Trace) -> None:
    shown = render.transcript(trace)
    first = re.search(r'data-message="0".*?</li>', shown, re.S)

    assert first is not None
    marks = re.findall(r'<mark data-best="([^"]*)"[^>]*>(.*?)</mark>', first[0])
    assert "The deposit is 400 euros." in "".join(piece for claims, piece in marks if "c1" in claims.split())


def test_claims_show_sign_scores_reason_and_evidence(trace: Trace) -> None:
    shown = "".join(claims.rows(trace))

    assert shown.count('<li class="mg-claim ') == 3
    assert "1.000" in shown
    for verdict in trace[Elimination].verdicts:
        assert verdict.detail
        assert verdict.detail in read(shown)
    assert "Runner-up" in shown


def test_context_shows_lines_citations_tokens_and_what_was_left_out(trace: Trace) -> None:
    shown = results.payload(trace)

    assert "The deposit is 400 euros." in shown
    assert "<cite" in shown
    assert "of 60 tokens" in shown
    assert "Key facts left out" in shown
    assert "Claims left out" in shown
    assert "burned the contract" in shown


def test_panes_say_what_to_do_before_their_stage(trace: Trace) -> None:
    start = trace.rewind(3)

    assert "Press Step" in results.paragraph(start)
    assert "has not run" in results.no_claims(start)
    assert "has not run" in results.payload(start)
    assert overview.models(start) == ""
    assert "Compression is running" in results.paragraph(start, 0)
    assert "Press Step" not in results.paragraph(start, 0)
    assert "has not run" in results.no_claims(start, 0)
    assert "Elimination is running" in results.no_claims(start, 1)


def test_figures_follow_the_stages(trace: Trace) -> None:
    assert "Not known yet" in overview.figures(trace.rewind(3))
    shown = read(overview.figures(trace))
    assert "Messages4" in shown
    assert "Claims kept2of 3 claims" in shown
    assert "Claims dropped1○ 1 not found" in shown


def test_stage_cards_name_state_flow_and_time(trace: Trace) -> None:
    shown = read(overview.stages(trace.rewind(1), running=2))

    assert "Compressiondone in" in shown
    assert "3 claims" in shown
    assert "Reconstruction" in shown
    assert "running" in shown


def test_models_that_ran_are_named(trace: Trace) -> None:
    shown = read(overview.models(trace))

    assert "all-mpnet-base-v2" in shown
    assert "summarizer" in shown


@pytest.mark.parametrize(
    ("limit", "said"), [(1024, "reads 1,024 tokens at once"), (None, "own limit not stated")]
)
def test_the_budgets_tokenizer_and_the_summarizers_limit_are_named(
    trace: Trace, limit: int | None, said: str
) -> None:
    """F21: in the app and on the page of the audit."""
    from memguard import audit, reports

    compression = replace(trace[Compression], summarizer_context=limit)
    limited = replace(trace, results=(compression, *trace.results[1:]))
    shown = read(overview.models(limited))
    recorded = read(chain.timeline(reports.report_of(audit.records(limited))))

    assert "Tokens of the budget counted with words" in shown
    assert f"summarizer, {said}" in shown
    assert "Budget counted withwords" in recorded
    assert f"Summarizer's own limit{'1,024 tokens' if limit else 'not stated'}" in recorded


@pytest.mark.parametrize(
    ("summary", "said"),
    [
        ("Penguins swim under ice.", "The one claim was dropped."),
        ("Penguins swim under ice. Bananas grow on Mars.", "All 2 claims were dropped."),
    ],
)
def test_context_says_that_nothing_was_kept_and_marks_what_is_quoted(summary: str, said: str) -> None:
    guard = MemGuard(
        CONTRACT, embedder=FakeEmbedder(), summarizer=FakeSummarizer(summary), counter=FakeCounter()
    )
    trace = guard.run(TALK)
    shown = results.payload(trace)
    (quoted,) = trace[Reconstruction].verbatim

    assert f"No claim was kept{said} Instead, the context quotes the most central sentence" in read(shown)
    assert f"❝{quoted.claim.text}" in read(shown)
    assert 'aria-label="Verbatim"' in shown
    assert "Claims left out" in shown
    assert f'data-best="{quoted.claim.id}"' in render.transcript(trace).replace("c1 v1", "v1")


def test_an_empty_context_says_why_and_what_was_left_out() -> None:
    settings = CONTRACT.with_value("reconstruction.payload_tokens", 1)
    guard = MemGuard(
        settings, embedder=FakeEmbedder(), summarizer=FakeSummarizer(SUMMARY), counter=FakeCounter()
    )
    shown = read(results.payload(guard.run(TALK)))

    assert "Nothing fits the budget of 1 token" in shown
    assert "kept, but the budget is full" in shown
    assert "The transcript holds no text" in read(results.payload(guard.run([])))


def test_a_verdict_has_the_sign_and_the_word_of_the_palette(trace: Trace) -> None:
    for verdict in trace[Elimination].verdicts:
        meaning = charts.verdict_meaning(verdict)
        assert claims.sign(verdict) == (
            theme.css_name(meaning),
            meaning.glyph,
            meaning.label.capitalize(),
        )


def test_the_theme_of_streamlit_is_that_of_the_palette() -> None:
    """One set of greys: the configuration that Streamlit reads repeats the palette's."""
    themes = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))["theme"]
    for name, ground in (("light", palette.LIGHT), ("dark", palette.DARK)):
        assert themes[name] == {
            "primaryColor": ground.accent,
            "backgroundColor": ground.paper,
            "secondaryBackgroundColor": ground.wash,
            "textColor": ground.ink,
            "borderColor": ground.line,
            "linkColor": ground.accent,
        }


def test_every_message_says_what_was_decided_of_it_and_why(trace: Trace) -> None:
    shown = render.transcript(trace)

    assert "Picked first: the most relevant to the messages around it" in shown
    assert "Picked as number 2: the best balance" in shown
    assert render.transcript(trace.rewind(3)).count('data-why=""') == len(TALK)
    assert shown.count('tabindex="0"') == 1


def test_audit_table_is_escaped_and_complete() -> None:
    from memguard import audit, reports

    guard = MemGuard(CONTRACT, embedder=FakeEmbedder(), summarizer=FakeSummarizer(), counter=FakeCounter())
    records = audit.records(guard.run([{"role": "user", "content": "<script>alert(1)</script> is here."}]))
    shown = chain.timeline(reports.report_of(records))

    assert "<script" not in shown
    assert shown.count('<details class="mg-record"') == 4
    assert records[-1].hash[:12] in shown
