"""Key facts on the page: what the context keeps and leaves out, quotes, and decisions in words."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from memguard.compressor import Compression
from memguard.eliminator import Elimination
from memguard.grounding.overrides import Override
from memguard.guard import MemGuard
from memguard.reconstructor import Reconstruction
from memguard.selection import Decision, MessageDecision, Reason
from memguard.settings import Settings
from memguard.trace import Trace
from pages._ui import claims, decisions, facts, render
from pages._ui.pipeline import compare, overview, results
from tests.app.test_render import HOSTILE, read
from tests.fakes import FakeCounter, FakeEmbedder, FakeSummarizer

TALK = [
    {
        "id": "m1",
        "role": "user",
        "speaker": "Ada",
        "content": "The boat Marina costs 4,200 euros. It is blue.",
    },
    {"id": "m2", "role": "user", "speaker": "Ben", "content": "I am severely allergic to penicillin."},
    {"id": "m3", "role": "user", "speaker": "Ada", "content": "We sell the boat on 3 May 2026 in Hamburg."},
    {"id": "m4", "role": "user", "speaker": "Ben", "content": "lol ok"},
]
SUMMARY = "The boat Marina costs 4,200 euros."


def ran(messages: list[dict[str, Any]] | None = None, summary: str = SUMMARY, **values: Any) -> Trace:
    settings = Settings().with_value("compression.passthrough_words", 0)
    for name, value in values.items():
        settings = settings.with_value(name.replace("__", "."), value)
    guard = MemGuard(
        settings, embedder=FakeEmbedder(), summarizer=FakeSummarizer(summary), counter=FakeCounter()
    )
    return guard.run(messages if messages is not None else TALK)


@pytest.fixture(scope="module")
def whole() -> Trace:
    """Everything fits."""
    return ran(reconstruction__payload_tokens=200)


@pytest.fixture(scope="module")
def short() -> Trace:
    """Nothing is quoted."""
    return ran(retention__rescue="off")


def test_the_headline_says_how_many_key_facts_are_kept(whole: Trace, short: Trace) -> None:
    """Issue 5 and ui.md: a stakeholder reads "facts kept 27 of 29"."""
    for trace in (whole, short):
        report = trace[Reconstruction].omissions
        assert report is not None
        kept, total = facts.count(report)
        assert f"Facts kept{kept} of {total}" in read(overview.figures(trace))
    assert "Facts kept" in read(overview.figures(whole.rewind(3)))
    assert f"Facts kept–of {total}" in read(overview.figures(whole.rewind(1)))
    assert 'title="Key facts of the conversation' in overview.figures(whole)


def test_a_conversation_without_key_facts_has_no_figure_of_them() -> None:
    trace = ran([{"role": "user", "content": "Hello there."}], "Hello there.")
    assert "Facts kept" not in overview.figures(trace)
    assert facts.left_out(trace) == ""


def test_what_is_left_out_stands_by_class_in_its_sentence_with_its_reason(short: Trace) -> None:
    """Issue 5: the omission list, where a stakeholder looks; it leads to the transcript."""
    report, elimination = short[Reconstruction].omissions, short[Elimination]
    assert report is not None
    shown = facts.left_out(short)

    assert f"Key facts left out {len(report.missing)} of {facts.count(report)[1]}" in read(shown)
    listed = [id for ids in re.findall(r'data-fact="([^"]+)"', shown) for id in ids.split()]
    assert sorted(listed) == sorted(report.missing)
    assert "I am severely allergic to penicillin" in read(shown)
    assert "Medical and safety 1 of 1" in read(shown)
    assert "m2 Ben: rescue is off" in read(shown)
    marked = render.transcript(short)
    for fact in elimination.facts:
        pieces = re.findall(rf'data-fact="[^"]*\b{fact.id}\b[^"]*">(.*?)</mark>', marked)
        assert read("".join(pieces)) == short.conversation.text(fact.span)


def test_a_full_budget_and_a_persons_drop_are_told_apart(whole: Trace) -> None:
    small = ran(reconstruction__payload_tokens=22)
    assert small[Reconstruction].pieces
    assert ": the budget is full" in read(facts.left_out(small))

    elimination = whole[Elimination]
    quote = next(q for q in elimination.quotes if "penicillin" in q.claim.text)
    guard = MemGuard(embedder=FakeEmbedder(), summarizer=FakeSummarizer(SUMMARY), counter=FakeCounter())
    dropped = guard.pipeline.override(whole, [Override(quote.claim.id, False, claim_text=quote.claim.text)])
    assert ": a person dropped it" in read(facts.left_out(dropped))


def test_nothing_left_out_is_said(whole: Trace) -> None:
    report = whole[Reconstruction].omissions
    assert report is not None
    assert not report.missing
    assert f"None: the context states all {len(report.kept)} key facts." in read(facts.left_out(whole))


def test_without_a_transcript_beside_it_nothing_can_be_pressed(short: Trace) -> None:
    assert "<button" in facts.left_out(short)
    assert "<button" not in facts.left_out(short, linked=False)
    assert read(facts.left_out(short)) == read(facts.left_out(short, linked=False))


def test_quoted_lines_are_marked_and_told_apart_from_claims(whole: Trace) -> None:
    """Issue 5: verbatim lines are visibly quoted; the sign has words for a reader."""
    result = whole[Reconstruction]
    quotes = {verdict.claim.id for verdict in result.verbatim}
    shown = results.payload(whole)

    assert quotes
    for piece in result.pieces:
        kind, words = ("verbatim", "Verbatim") if piece.claim_id in quotes else ("kept", "Kept")
        item = re.search(
            rf'<li class="mg-(\w+)"><span class="mg-sign" role="img" aria-label="(\w+)">.</span>'
            rf'(?:(?!</li>).)*data-claim="{piece.claim_id}"',
            shown,
        )
        assert item is not None
        assert (item[1], item[2]) == (kind, words)
    assert "quoted word for word" in read(shown)
    assert "claim of the summary" in read(shown) or "claims of the summary" in read(shown)


def test_the_context_shows_each_line_as_it_stands_under_its_heading() -> None:
    trace = ran(
        [
            *TALK,
            {
                "id": "m5",
                "role": "user",
                "speaker": "Ben",
                "content": "I always want tea. Mia lives in Oslo.",
            },
            {"id": "m6", "role": "user", "speaker": "Ada", "content": "I will call Mia on 9 June 2026."},
            {
                "id": "m7",
                "role": "user",
                "speaker": "Ada",
                "content": "The invoice is at /srv/boat/bill.pdf.",
            },
            # A payload as long as its conversation has no headings.
            {"id": "m8", "role": "user", "speaker": "Ben", "content": "well " * 100},
        ],
        reconstruction__payload_tokens=300,
    )
    lines = trace[Reconstruction].text.split("\n")
    headings = [line.removesuffix(":") for line in lines if line in {f"{h}:" for h in results.Heading}]
    shown = results.lines(trace)

    assert len(headings) > 1
    assert re.findall(r'<h4 class="mg-subhead">(.*?)</h4>', shown) == headings
    bodies = [read(item) for item in re.findall(r"<li [^>]*>.*?<div>(.*?)</div></li>", shown)]
    said = [line for line in lines[1:] if line.removesuffix(":") not in headings]
    assert len(bodies) == len(said)
    for line, body in zip(said, bodies, strict=True):
        words = re.sub(r"^(- |[^:]*: )", "", line).partition(" [")[0]
        assert body.replace("❝ ", "").replace("● ", "").startswith(words)


def test_the_two_sides_count_claims_and_quotes_apart(whole: Trace, short: Trace) -> None:
    shown = read(compare.panes(whole))
    assert re.search(
        r"1 claim of the summary and \d lines? of the transcript for key facts that it left out", shown
    )
    assert "1 claim of the summary, each word for word" in read(compare.panes(short))
    nothing = ran(summary="Penguins swim under ice.", reconstruction__payload_tokens=200)
    assert re.search(
        r"No claim was borne out, so \d lines of the transcript stand in for its key facts",
        read(compare.panes(nothing)),
    )
    assert "Instead, the context quotes what holds the transcript's key facts" in read(
        results.payload(nothing)
    )


def test_a_budget_or_threshold_leaves_the_transcript_as_it_is(whole: Trace) -> None:
    """A moved slider sends the results, never the transcript again."""
    guard = MemGuard(embedder=FakeEmbedder(), summarizer=FakeSummarizer(SUMMARY), counter=FakeCounter())
    settings = whole.settings.with_value("reconstruction.payload_tokens", 22)
    moved = guard.pipeline.update(whole, settings.with_value("elimination.min_similarity", 0.99))

    assert moved[Reconstruction] != whole[Reconstruction]
    assert render.transcript(moved) == render.transcript(whole)


@pytest.mark.parametrize("value", HOSTILE)
def test_hostile_facts_are_shown_as_they_are(value: str) -> None:
    """UI-008."""
    said = f"The price of {value} is 4,200 euros and the gate code is 7731."
    trace = ran([{"id": '"><b>', "role": "user", "speaker": value, "content": said}], "No.")
    bare = {"retention__rescue": "off", "reconstruction__payload_tokens": 1}
    off = ran([{"id": '"><b>', "role": "user", "speaker": value, "content": said}], "No.", **bare)

    for shown in (facts.left_out(off), results.payload(trace), results.payload(off), compare.panes(trace)):
        assert "<script" not in shown
        assert "<img" not in shown
        assert "<svg" not in shown
    missing = off[Reconstruction].omissions
    assert missing is not None
    carriers = {off.conversation.text(f.carrier) for f in off[Elimination].facts if f.id in missing.missing}
    assert carriers
    for carrier in carriers:
        assert carrier in read(facts.left_out(off))


# What the selection decided


def decided(decision: Decision, reason: Reason, **more: Any) -> MessageDecision:
    return MessageDecision("m4", 3, 0.5, decision, reason=reason, **more)


@pytest.mark.parametrize(
    ("decision", "label", "said"),
    [
        (decided(Decision.NOISE, Reason.SMALL_TALK), "Small talk", "No candidate: it is small talk."),
        (decided(Decision.NOISE, Reason.ACKNOWLEDGEMENT), "Acknowledgement", "It stays evidence"),
        (decided(Decision.NOISE, Reason.HEARTBEAT), "Heartbeat", "a sign of life of a program"),
        (decided(Decision.TAIL, Reason.RECENT), "Kept as it is", "one of the recent messages"),
        (decided(Decision.PICKED, Reason.PINNED_ROLE, rank=1), "Pinned #1", "pinned by its role"),
        (decided(Decision.PICKED, Reason.PINNED_PATTERN, rank=2), "Pinned #2", "pinned by its text"),
        (
            decided(Decision.PICKED, Reason.TOGETHER, rank=3, beside="m3"),
            "Picked #3",
            "together with m3: a tool call and its results",
        ),
        (
            decided(
                Decision.PICKED, Reason.RELEVANCE, rank=1, mmr_score=0.5, stand_ins=("src/app.py: 40 lines",)
            ),
            "Picked #1",
            "the summarizer reads: src/app.py: 40 lines",
        ),
        (decided(Decision.OVER_BUDGET, Reason.BUDGET, rank=9), "Over budget #9", "picking stopped here"),
        (decided(Decision.NOT_REACHED, Reason.BETTER_PICKS, round=2), "Not reached", "round 2"),
    ],
)
def test_every_decision_has_its_words(decision: MessageDecision, label: str, said: str) -> None:
    """Issue 5: every message carries its decision and its reason."""
    assert decisions.sign(decision)[0] == label
    assert said in decisions.why(decision)


def test_every_decision_and_reason_can_be_shown() -> None:
    for decision in Decision:
        for reason in Reason:
            made = decided(decision, reason, rank=1)
            assert decisions.why(made)
            assert all(decisions.sign(made))
    assert decisions.why(None) == ""


def test_the_transcript_shows_noise_and_the_recent_tail() -> None:
    shown = render.transcript(ran(compression__keep_last=1))
    assert "mg-message mg-tail" in shown
    assert "Kept as it is" in shown
    shown = render.transcript(ran())
    assert "mg-message mg-noise" in shown
    assert "It stays evidence" in shown
    assert "3 picked, 1 noise" in read(overview.figures(ran()))


def test_stand_ins_of_hostile_text_are_escaped(whole: Trace) -> None:
    compression = whole[Compression]
    first = replace(compression.messages[0], stand_ins=('"><img src=x onerror=alert(1)>',))
    trace = replace(
        whole, results=(replace(compression, messages=(first, *compression.messages[1:])), *whole.results[1:])
    )
    assert "<img" not in render.transcript(trace)


def test_rows_of_claims_hold_the_quotes(whole: Trace) -> None:
    n_quotes = len(whole[Reconstruction].verbatim)
    shown = "".join(claims.rows(whole))
    assert shown.count("mg-claim mg-verbatim") == n_quotes > 0
