"""The figures and their palette: what they hold, what they say, and that chat text stays text."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import fields, replace

import plotly.graph_objects as go
import pytest

from memguard import charts, palette
from memguard.charts.embedding import GL_ABOVE
from memguard.charts.style import escaped, wrapped
from memguard.compressor import Compression
from memguard.eliminator import Elimination
from memguard.errors import InvalidParameterError
from memguard.geometry.projection import Layout
from memguard.grounding.claims import Claim
from memguard.grounding.verdicts import Evidence, Label, Reason, Verdict
from memguard.guard import MemGuard
from memguard.messages import SourceSpan
from memguard.reconstructor import Reconstruction
from memguard.selection import Decision
from memguard.settings import CompressionSettings, EliminationSettings, RetentionSettings, Settings
from tests.support import FakeCounter, FakeEmbedder, FakeSummarizer

MESSAGES = [
    {"id": "m1", "role": "user", "speaker": "Lena", "content": "The offsite moves to March. We need a hall."},
    {"id": "a:b", "role": "assistant", "content": "The deposit is 400 euros. It is due on Friday."},
    {"id": "m3", "role": "user", "content": "Fine by me. Book the blue hall for sixty people."},
]
SUMMARY = "The offsite moves to March. The deposit is 400 euros. Penguins swim under ice."
HOSTILE = "use <b>tag</b> & List<int> &amp; $4$ and $5 <a href='javascript:alert(1)'>x</a>"


def traced(summary: str = SUMMARY, *, rescue: str = "off", **compression: int) -> charts.points.Trace:
    settings = Settings(
        compression=CompressionSettings(passthrough_words=0, **compression),
        elimination=EliminationSettings(preset="contract", min_similarity=0.6),
        retention=RetentionSettings(rescue=rescue),
    )
    guard = MemGuard(
        settings, embedder=FakeEmbedder(), summarizer=FakeSummarizer(summary), counter=FakeCounter()
    )
    return guard.run(MESSAGES)


def layout_of(trace: charts.points.Trace) -> Layout:
    n = len(charts.map_sources(trace)[0]) + len(charts.map_targets(trace))
    return Layout(tuple((float(i), float(i % 3)) for i in range(n)), "umap")


def mapped(trace: charts.points.Trace) -> tuple[tuple[charts.MapPoint, ...], tuple[charts.MapLink, ...]]:
    return charts.map_points(trace, layout_of(trace), charts.map_sources(trace)[0])


def verdict(claim_id: str, label: Label, kept: bool, similarity: float) -> Verdict:
    return Verdict(
        claim=Claim(claim_id, f"claim {claim_id}", (0, 5), f"claim {claim_id}"),
        label=label,
        kept=kept,
        reason=Reason.SIMILARITY_REACHED if kept else Reason.SIMILARITY_BELOW_MINIMUM,
        similarity=similarity,
        support=0.5,
        evidence=(Evidence(SourceSpan("m1", 0, 27), similarity),),
    )


VERDICTS = (
    verdict("c1", Label.SUPPORTED, True, 0.91),
    verdict("c2", Label.CONTRADICTED, False, 0.97),
    verdict("c3", Label.NOT_FOUND, False, 0.2),
    verdict("c4", Label.NEEDS_REVIEW, False, 0.61),
    verdict("c5", Label.NOT_A_CLAIM, False, 0.1),
)


def named(figure: go.Figure, beginning: str) -> go.Scatter:
    return next(trace for trace in figure.data if (trace.name or "").startswith(beginning))


@pytest.mark.parametrize("dark", [False, True])
def test_palette_reaches_wcag_aa(dark: bool) -> None:
    """Text on every ground that it is read on: 4.5 : 1, and ink 7 : 1."""
    base = palette.ground(dark)
    for meaning in palette.MEANINGS:
        tone = meaning.tone(dark)
        for paper in (tone.bg, base.paper, base.wash):
            assert palette.contrast(tone.fg, paper) >= 4.5, (meaning.key, paper)
    for paper in (base.paper, base.wash):
        assert palette.contrast(base.ink, paper) >= 7
        assert palette.contrast(base.grey, paper) >= 4.5
        assert palette.contrast(base.accent, paper) >= 4.5
    assert palette.contrast(base.on_accent, base.accent) >= 4.5


def test_contrast_is_that_of_wcag() -> None:
    assert palette.contrast("#000000", "#FFFFFF") == pytest.approx(21.0)
    assert palette.contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("part", ["key", "label", "glyph", "light", "dark"])
def test_no_two_meanings_share_a_sign(part: str) -> None:
    values = [getattr(meaning, part) for meaning in palette.MEANINGS]
    assert len(set(values)) == len(values)
    assert len({m.shape for m in palette.CLAIM_MEANINGS}) == len(palette.CLAIM_MEANINGS)


def test_charts_know_no_streamlit() -> None:
    code = (
        "import sys, memguard.charts; print([m for m in ('streamlit', 'umap', 'torch') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_hover_text_is_escaped_and_wrapped() -> None:
    shown = wrapped(HOSTILE)
    assert not re.search(r"<(?!br>)", shown)
    assert "$" not in shown
    assert "&amp;amp;" in shown
    assert escaped("a < b & c") == "a &lt; b &amp; c"
    lines = wrapped("word " * 400).split("<br>")
    assert len(lines) == 9
    assert lines[-1] == "…"
    assert max(len(line) for line in lines) <= 56
    assert wrapped("one\n\ntwo") == "one<br><br>two"


def test_hostile_chat_text_reaches_no_figure_as_markup() -> None:
    """HTML in a message is shown as text, in every part of a hover label."""
    point = charts.MapPoint("source:0:1:m1", 0.0, 0.0, "sentence", HOSTILE, "m1 <i>Lena</i>")
    (trace,) = charts.embedding_map([point], []).data
    assert trace.hoverinfo == "text"
    assert trace.hovertemplate is None
    assert not re.search(r"<(?!br>|/?b>)", trace.hovertext[0])
    assert trace.hovertext[0].count("<b>") == 1


def test_keys_read_back() -> None:
    for span in (SourceSpan("m1", 0, 5), SourceSpan("a:b", 7, 99), SourceSpan("", 0, 1)):
        assert charts.read_key(charts.source_key(span)) == span
    assert charts.read_key(charts.claim_key("c1")) == "c1"
    for wrong in ("", "claim:", "source:1", "source:a:b:c", "other"):
        with pytest.raises(InvalidParameterError, match="key must be"):
            charts.read_key(wrong)


def test_map_grows_with_each_stage() -> None:
    """Sentences, then picks, then claims with their evidence, then what reached the payload (A33)."""
    done = traced()
    start, compressed, eliminated = (done.rewind(steps) for steps in (3, 2, 1))
    points, links = mapped(start)
    assert {p.kind for p in points} == {"sentence"}
    assert [p.text for p in points] == list(charts.map_sources(start)[1])
    assert not links
    assert charts.map_targets(compressed) == ()
    points, links = mapped(compressed)
    assert {p.kind for p in points} == {"picked"}
    assert not links
    points, links = mapped(eliminated)
    claims = [p for p in points if p.key.startswith("claim:")]
    assert [p.kind for p in claims] == ["kept", "kept", "dropped_not_found"]
    assert [p.text for p in claims] == [v.claim.text for v in eliminated[Elimination].verdicts]
    assert not any(p.in_payload for p in points)
    assert {link.claim for link in links} <= {p.key for p in claims}
    points, links = mapped(done)
    assert [p.key for p in points if p.in_payload] == ["claim:c1", "claim:c2"]


def test_links_lead_to_the_best_evidence() -> None:
    points, links = mapped(traced())
    text = {p.key: p.text for p in points}
    pairs = {(text[link.claim], text[link.evidence]) for link in links}
    assert ("The offsite moves to March.", "The offsite moves to March.") in pairs
    assert ("The deposit is 400 euros.", "The deposit is 400 euros.") in pairs


def test_claim_with_a_long_message_as_evidence_gets_three_lines() -> None:
    trace = traced()
    elimination = trace[Elimination]
    content = "One. Two is here. Three is here. Four is here. Five is here."
    whole = replace(elimination.verdicts[0], evidence=(Evidence(SourceSpan("m9", 0, len(content)), 0.9),))
    guard = MemGuard(embedder=FakeEmbedder(), summarizer=FakeSummarizer(SUMMARY), counter=FakeCounter())
    longer = guard.check("One.", [{"id": "m9", "content": content}])
    longer = replace(longer, results=(longer.results[0], replace(elimination, verdicts=(whole,))))
    points, links = mapped(longer)
    assert len([p for p in points if p.key.startswith("source:")]) == 5
    assert len(links) == 3


def test_selection_marks_picked_messages_only() -> None:
    trace = traced(max_tokens=16)
    picked = {m.message_id for m in trace[Compression].messages if m.decision is Decision.PICKED}
    assert 0 < len(picked) < 3
    points, _ = mapped(trace)
    sources = [p for p in points if p.key.startswith("source:")]
    shown = {charts.read_key(p.key).message_id for p in sources if p.kind == "picked"}
    assert shown == picked


def test_only_the_part_of_a_cut_message_that_entered_is_picked() -> None:
    trace = traced()
    compression = trace[Compression]
    first = replace(compression.messages[0], used_chars=len("The offsite moves to March."))
    cut = replace(compression, messages=(first, *compression.messages[1:]))
    points, _ = mapped(replace(trace.rewind(2), results=(cut,)))
    assert [p.kind for p in points[:3]] == ["picked", "sentence", "picked"]
    assert points[0].detail == f"m1 Lena, picked #{first.rank}"


def test_verbatim_sentence_is_marked_where_it_lies() -> None:
    trace = traced("Penguins swim under ice.")
    (sentence,) = trace[Reconstruction].verbatim
    points, _ = mapped(trace)
    (point,) = [p for p in points if p.kind == "verbatim"]
    assert charts.read_key(point.key) == sentence.evidence[0].span
    assert point.in_payload


def test_each_sentence_of_which_a_clause_is_quoted_is_marked() -> None:
    """Issue 5: what was rescued is seen on the map, where the transcript says it."""
    trace = traced("Penguins swim under ice.", rescue="on")
    quotes = [verdict.evidence[0].span for verdict in trace[Reconstruction].verbatim]
    marked = [charts.read_key(p.key) for p in mapped(trace)[0] if p.kind == "verbatim"]

    assert len(quotes) > 1
    assert marked == [
        span
        for span in charts.map_sources(trace)[0]
        if any(q.message_id == span.message_id and q.start < span.end and q.end > span.start for q in quotes)
    ]


def test_what_is_not_a_claim_is_not_on_the_map() -> None:
    trace = traced()
    elimination = trace[Elimination]
    odd = replace(elimination.verdicts[0], label=Label.NOT_A_CLAIM, kept=False)
    trace = replace(
        trace.rewind(1),
        results=(trace.results[0], replace(elimination, verdicts=(odd, *elimination.verdicts[1:]))),
    )
    assert charts.map_targets(trace) == tuple(v.claim.judged_as for v in elimination.verdicts[1:])
    assert "claim:c1" not in {p.key for p in mapped(trace)[0]}


def test_layout_of_sources_alone_shows_the_sentences() -> None:
    trace = traced()
    spans = charts.map_sources(trace)[0]
    layout = layout_of(trace)
    points, links = charts.map_points(trace, Layout(layout.points[: len(spans)], "umap"), spans)
    assert len(points) == len(spans)
    assert not links
    with pytest.raises(InvalidParameterError, match=f"layout must have {len(spans)} points"):
        charts.map_points(trace, Layout(layout.points[:-1], "umap"), spans)


@pytest.mark.parametrize(
    ("given", "key"),
    [
        (VERDICTS[0], "kept"),
        (VERDICTS[1], "dropped_contradicted"),
        (VERDICTS[2], "dropped_not_found"),
        (VERDICTS[3], "needs_review"),
        (replace(VERDICTS[3], kept=True), "needs_review"),
        (replace(VERDICTS[0], reason=Reason.VERBATIM), "verbatim"),
        (replace(VERDICTS[0], kept=False), "dropped_not_found"),
        (VERDICTS[4], "not_a_claim"),
    ],
)
def test_meaning_follows_the_verdict(given: Verdict, key: str) -> None:
    assert charts.verdict_meaning(given).key == key


KINDS = ["sentence", "picked", *(m.key for m in palette.CLAIM_MEANINGS)]


def every_kind(n: int = 1) -> list[charts.MapPoint]:
    return [
        charts.MapPoint(
            f"{'source' if k < 2 else 'claim'}:{i}:1:{k}", float(i), float(k), kind, f"{kind} {i}"
        )
        for i in range(n)
        for k, kind in enumerate(KINDS)
    ]


@pytest.mark.parametrize("dark", [False, True])
def test_map_draws_one_trace_a_kind_with_its_own_shape_and_colour(dark: bool) -> None:
    figure = charts.embedding_map(every_kind(3), [], dark=dark)
    assert len(figure.data) == len(KINDS)
    for meaning in palette.CLAIM_MEANINGS:
        trace = named(figure, meaning.label)
        assert trace.marker.symbol == meaning.shape
        assert trace.marker.color == meaning.tone(dark).fg
        assert trace.name.endswith(" 3")
        assert all(key.split(":")[-1] == str(KINDS.index(meaning.key)) for key in trace.customdata)
    sentence, picked = named(figure, "sentences"), named(figure, "picked")
    assert sentence.marker.size < named(figure, "kept").marker.size
    assert sentence.marker.opacity < picked.marker.opacity < 1


def test_map_keeps_the_view_and_has_equal_axes_without_clutter() -> None:
    figure = charts.embedding_map(every_kind(), [])
    layout = figure.layout
    assert layout.uirevision == charts.embedding_map(every_kind(2), [], dark=True).layout.uirevision
    assert layout.yaxis.scaleanchor == "x"
    assert not layout.xaxis.visible
    assert not layout.yaxis.visible
    assert layout.showlegend


def test_map_draws_links_as_one_line_trace() -> None:
    points = every_kind()
    links = [
        charts.MapLink(points[2].key, points[0].key),
        charts.MapLink(points[3].key, points[1].key),
        charts.MapLink("claim:gone", points[0].key),
    ]
    figure = charts.embedding_map(points, links)
    (line,) = [trace for trace in figure.data if trace.mode == "lines"]
    assert list(line.x) == [0.0, 0.0, None, 0.0, 0.0, None]
    assert list(line.y) == [2.0, 0.0, None, 3.0, 1.0, None]
    assert line.hoverinfo == "skip"


def test_map_singles_out_the_selected_point_and_its_links() -> None:
    points = every_kind()
    links = [charts.MapLink(points[2].key, points[0].key), charts.MapLink(points[3].key, points[1].key)]
    for selected in (points[2].key, points[0].key):
        figure = charts.embedding_map(points, links, selected=selected)
        quiet, chosen = [trace for trace in figure.data if trace.mode == "lines"]
        assert chosen.line.color == palette.EVIDENCE.light.fg
        assert list(chosen.y) == [2.0, 0.0, None]
        assert list(quiet.y) == [3.0, 1.0, None]
        assert sorted(named(figure, "selected").y) == [0.0, 2.0]
    assert not [
        t for t in charts.embedding_map(points, links, selected="claim:no").data if t.name == "selected"
    ]


def test_map_surrounds_what_is_in_the_payload() -> None:
    points = [replace(p, in_payload=p.kind == "kept") for p in every_kind()]
    halo = named(charts.embedding_map(points, []), "in the context")
    assert list(halo.y) == [2.0]
    assert halo.marker.size > named(charts.embedding_map(points, []), "kept").marker.size
    assert halo.hoverinfo == "skip"


def test_large_map_is_drawn_by_webgl() -> None:
    n = GL_ABOVE // len(KINDS) + 1
    assert {type(trace) for trace in charts.embedding_map(every_kind(n), []).data} == {go.Scattergl}
    assert {type(trace) for trace in charts.embedding_map(every_kind(2), []).data} == {go.Scatter}


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5])
def test_small_map_is_friendly(n: int) -> None:
    points = [charts.MapPoint(f"source:{i}:9:m", float(i), 0.0, "sentence", "x") for i in range(n)]
    figure = charts.embedding_map(points, [])
    texts = [note.text for note in figure.layout.annotations]
    assert len(texts) == (1 if n < 5 else 0)
    if n == 0:
        assert "No sentences yet" in texts[0]
        assert not figure.layout.showlegend
    low, high = figure.layout.xaxis.range
    assert low < 0.0
    assert high > n - 1
    figure.to_json()


def test_map_is_told() -> None:
    assert charts.describe_embedding_map((), ()) == "The map is empty: the conversation has no sentences yet."
    assert charts.describe_embedding_map(*mapped(traced())) == (
        "A map of 6 sentences, 6 of them picked, and 3 claims (2 kept and 1 not found), "
        "3 with a line to a source; 2 are in the context."
    )


def test_public_names_are_pinned() -> None:
    assert set(charts.__all__) == {
        *("MapLink", "MapPoint", "claim_key", "counted", "describe_embedding_map", "embedding_map"),
        *("describe_score_chart", "score_chart", "describe_histogram", "score_histogram"),
        *("describe_rates", "rates_chart", "describe_sweep", "sweep_chart", "percent"),
        *("CLASS_NAMES", "class_chart", "describe_classes", "describe_retention", "retention_chart"),
        *("LineageEntry", "Replacement", "describe_lineage", "lineage_chart", "lineage_height"),
        *("map_points", "map_sources", "map_targets", "read_key", "source_key", "verdict_meaning"),
    }
    assert [f.name for f in fields(charts.MapPoint)][:6] == ["key", "x", "y", "kind", "text", "detail"]
