"""The results of the stages as HTML: pure functions over a trace, built on ``render`` and ``claims``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import groupby

from memguard.charts import counted
from memguard.compressor import PASSED_THROUGH, Compression
from memguard.eliminator import Elimination
from memguard.grounding.verdicts import Label, Verdict
from memguard.messages import Conversation
from memguard.palette import KEPT, VERBATIM
from memguard.reconstructor import (
    FALLBACK_HEADING,
    Heading,
    OmissionReason,
    Piece,
    Reconstruction,
    Status,
    cite,
)
from memguard.retention import retained
from memguard.trace import Trace
from pages._ui import facts
from pages._ui.claims import fate, glyph, sign
from pages._ui.pipeline import play
from pages._ui.pipeline.play import Scene
from pages._ui.render import attribute, escaped, icon, text
from pages._ui.theme import css_name

_DROPPED = {
    Label.NOT_FOUND: "not found in the transcript",
    Label.CONTRADICTED: "contradicted by the transcript",
    Label.NEEDS_REVIEW: "needs review, which strict drops",
}
_BLANK_LINES = re.compile(r"[ \t]*\n(?:[ \t]*\n)+")
_GAP = '<span class="mg-gap"></span>'
_PANES = ("paragraph", "claims", "payload")
_EMPTY = {
    "paragraph": (
        "Compression has not run",
        "Press Step: it picks the most relevant messages and summarises them.",
    ),
    "claims": (
        "Elimination has not run",
        "Stage 2 splits the paragraph into claims and checks each against the transcript.",
    ),
    "payload": (
        "Reconstruction has not run",
        "Stage 3 puts the kept claims together for the LLM, each with its source.",
    ),
}


def gauge(used: int, budget: int, label: str, title: str = "") -> str:
    """Return a budget bar with its figures; a bar over its budget says so in words."""
    share = used / budget * 100 if budget else 100.0
    over = ' <b class="mg-over">over budget</b>' if used > budget else ""
    return (
        f'<div class="mg-gauge" title="{attribute(title)}"><span>{label}</span>'
        f'<span class="mg-track" role="img" aria-label="{used:,} of {budget:,} tokens">'
        f'<i style="width:{min(100.0, share):.1f}%"></i></span>'
        f'<span class="mg-figure">{used:,} of {budget:,} tokens{over}</span></div>'
    )


def paragraph(trace: Trace, running: int | None = None) -> str:
    """Return the summary, its claims underlined as judged, and how the budget was used."""
    compression = trace.get(Compression)
    if compression is None:
        return empty("paragraph", running)
    if compression.given:
        return (
            '<p class="mg-lead">This summary was handed in; MemGuard did not write it:</p>'
            f'<div class="mg-paragraph">{_judged(compression.paragraph, trace.get(Elimination))}</div>'
        )
    picked = len(compression.picked)
    parts = [
        gauge(
            compression.tokens_selected,
            trace.settings.compression.max_tokens,
            "Selection",
            f"Role-prefixed text of the picked messages, counted with {compression.token_counter}",
        ),
        f'<p class="mg-lead">{picked:,} of {counted(len(trace.conversation), "message")} '
        f"{'were' if picked != 1 else 'was'} picked "
        f"and {'passed on unchanged' if compression.summarizer == PASSED_THROUGH else 'summarised'}:</p>",
        f'<div class="mg-paragraph">{_judged(compression.paragraph, trace.get(Elimination))}</div>',
    ]
    if not compression.paragraph:
        parts[-1] = _hint("Nothing to summarise", "The conversation holds no text.")
    return "".join(parts)


def picks(scene: Scene) -> str:
    """Return what has been picked up to a moment of the selection, in the order of the picks."""
    trace = scene.trace
    compression = trace[Compression]
    rows = "".join(
        f'<li><span class="mg-figure">{d.rank}</span><span><b>{text(message.speaker_name)}</b> '
        f"{text(message.content)}</span></li>"
        for d in play.picks(compression)
        for message in (trace.conversation.message(d.message_id),)
    )
    budget = gauge(compression.tokens_selected, trace.settings.compression.max_tokens, "Selection")
    return f'{budget}<p class="mg-lead">Picked so far, the best first:</p><ol class="mg-picks">{rows}</ol>'


def no_claims(trace: Trace, running: int | None = None) -> str:
    """Return what stands in place of the rows of claims where there are none."""
    if trace.get(Elimination) is None:
        return empty("claims", running)
    return _hint("No claims", "The paragraph is empty, so there is nothing to check.")


def lines(trace: Trace) -> str:
    """Return the lines of the context alone, as they come while the run is played."""
    result = trace[Reconstruction]
    verdicts = {v.claim.id: v for v in (*trace[Elimination].verdicts, *result.verbatim)}
    first, *rest = result.text.split("\n")
    has_headings = any(f"{heading}:" in rest for heading in Heading)
    parts = [f'<p class="mg-lead">{text(first)}</p>']
    for heading, pieces in groupby(result.pieces, key=lambda p: p.heading if has_headings else None):
        parts.append(f'<h4 class="mg-subhead">{heading}</h4>' if heading is not None else "")
        rows = "".join(
            _line([*line], verdicts, trace.conversation)
            for _text, line in groupby(pieces, key=lambda piece: piece.line)
        )
        parts.append(f'<ol class="mg-payload">{rows}</ol>')
    return "".join(parts)


def payload(trace: Trace, running: int | None = None) -> str:
    """Return the assembled context with its citations, and what is not in it."""
    result = trace.get(Reconstruction)
    if result is None:
        return empty("payload", running)
    if not result.text:
        return (
            _hint("The context is empty", _why_empty(trace, result))
            + facts.left_out(trace)
            + _left_out(trace, result)
        )
    notice = ""
    if result.status is Status.NO_SUPPORTED_CLAIMS:
        quoted = (
            "the most central sentence of the transcript"
            if result.text.startswith(FALLBACK_HEADING)
            else "what holds the transcript's key facts"
        )
        notice = (
            f'<div class="mg-notice"><b>No claim was kept</b><p>{_all_dropped(trace)} Instead, the '
            f"context quotes {quoted}, word for word.</p></div>"
        )
    return (
        notice
        + gauge(result.tokens, result.budget, "Context")
        + _made_of(result)
        + lines(trace)
        + f'<textarea class="mg-copy-text" hidden>{escaped(result.text)}</textarea>'
        + f'<button type="button" class="mg-copy">{icon("content_copy")}<span>Copy the context</span>'
        + "</button>"
        + facts.left_out(trace)
        + _left_out(trace, result)
    )


def empty(pane: str, running: int | None = None) -> str:
    """Return what stands in a pane before its stage has run; ``running`` is the stage at work, from 0."""
    title, line = _EMPTY[pane]
    if running == _PANES.index(pane):
        return _hint(title.replace("has not run", "is running"), "The result appears here by itself.")
    return _hint(title, line)


def _why_empty(trace: Trace, result: Reconstruction) -> str:
    elimination = trace[Elimination]
    if elimination.kept or elimination.central:
        return (
            f"Nothing fits the budget of {counted(result.budget, 'token')}, and nothing is cut to fit. "
            "Raise the token budget of the payload in Settings."
        )
    return "The transcript holds no text that could enter it."


def _all_dropped(trace: Trace) -> str:
    number = len(trace[Elimination].dropped)
    if number == 0:
        return "The summary made no claims."
    return "The one claim was dropped." if number == 1 else f"All {number:,} claims were dropped."


def _hint(title: str, line: str) -> str:
    return f'<div class="mg-hint"><b>{title}</b><p>{line}</p></div>'


def _judged(summary: str, elimination: Elimination | None) -> str:
    if elimination is None:
        return _spaced(summary)
    pieces, at = [], 0
    for verdict in elimination.verdicts:
        if verdict.claim.span is None:
            continue
        start, end = max(at, verdict.claim.span[0]), verdict.claim.span[1]
        if start >= end:
            continue  # a claim inside another one is shown by that one
        pieces.append(_spaced(summary[at:start]) if at < start else "")
        pieces.append(
            f'<span class="mg-said mg-{sign(verdict)[0]}" data-claim="{attribute(verdict.claim.id)}" '
            f'title="{fate(verdict)}">{text(summary[start:end])}</span>'
        )
        at = end
    return "".join(pieces) + (_spaced(summary[at:]) if at < len(summary) else "")


def _spaced(between: str) -> str:
    """Return text with a small gap for its blank lines: a summary may be all short paragraphs."""
    return _GAP.join(text(part) for part in _BLANK_LINES.split(between))


def _made_of(result: Reconstruction) -> str:
    """Return what the two signs beside the lines mean, with how many of each there are."""
    made = retained(result)
    parts = [
        (KEPT, f"{counted(made.n_claims, 'claim')} of the summary", made.n_claims),
        (VERBATIM, f"{counted(made.n_quoted, 'line')} quoted word for word", made.n_quoted),
    ]
    return (
        '<p class="mg-made-of">'
        + " ".join(
            f'<span class="mg-{css_name(meaning)}"><i aria-hidden="true">{meaning.glyph}</i>{words}</span>'
            for meaning, words, number in parts
            if number
        )
        + "</p>"
    )


def _line(pieces: list[Piece], verdicts: Mapping[str, Verdict], conversation: Conversation) -> str:
    """Return one line of the payload: the sign of what it is, its pieces, what is between, and its sources.

    What stands between two pieces is looked up in the line itself, which holds both in their order.
    """
    said: list[str] = []
    at, before = 0, ""
    for piece in pieces:
        verdict = verdicts[piece.claim_id]
        start = max(at, piece.line.find(piece.text, at))
        between = piece.line[at:start] if said else ""
        at = start + len(piece.text)
        kind, _symbol, words = sign(verdict)
        mark = f"{glyph(verdict)} " if said and kind != before else ""
        if verdict.label is Label.NEEDS_REVIEW:
            mark += f'<span class="mg-tag mg-{kind}">{words.lower()}</span> '
        before = kind
        said.append(
            f"<span>{escaped(between)}</span>{mark}"
            f'<span class="mg-piece mg-{kind}" role="button" tabindex="0" title="{fate(verdict)}" '
            f'data-claim="{attribute(piece.claim_id)}">{text(piece.text)}</span>'
        )
    sources = [conversation.message(i) for i in dict.fromkeys(i for p in pieces for i in p.message_ids)]
    cited = "".join(
        f' <cite title="{attribute(cite(m))}">{icon("subdirectory_arrow_right")}'
        f"{text(m.id)} {text(m.speaker_name)}</cite>"
        for m in sources
    )
    first = verdicts[pieces[0].claim_id]
    return f'<li class="mg-{sign(first)[0]}">{glyph(first)}<div>{"".join(said)}{cited}</div></li>'


def _left_out(trace: Trace, result: Reconstruction) -> str:
    elimination = trace[Elimination]
    by_id = {v.claim.id: v for v in elimination.verdicts}
    rows = [
        (
            by_id[o.claim_id],
            "kept, but the budget is full"
            if o.reason is OmissionReason.BUDGET
            else "says what another line says",
        )
        for o in result.omitted
        if o.claim_id in by_id
    ]
    rows += [(v, _DROPPED.get(v.label, sign(v)[2].lower())) for v in elimination.dropped]
    if not rows:
        return '<p class="mg-lead mg-quiet">No claim was left out.</p>'
    items = "".join(
        f'<li><button type="button" class="mg-piece mg-{sign(v)[0]}" data-claim="{attribute(v.claim.id)}">'
        f"{glyph(v)}"
        f"<span>{text(v.claim.text)} <em>{why}</em></span>"
        "</button></li>"
        for v, why in rows
    )
    return f'<h4 class="mg-subhead">Claims left out</h4><ol class="mg-leftout">{items}</ol>'
