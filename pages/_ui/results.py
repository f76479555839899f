"""The results of the stages as HTML: pure functions over a trace, built on ``render``."""

from __future__ import annotations

import math

from memguard.charts import counted, verdict_meaning
from memguard.compressor import PASSED_THROUGH, Compression
from memguard.eliminator import Elimination
from memguard.grounding.verdicts import Evidence, Label, Reason, Verdict
from memguard.messages import Conversation
from memguard.reconstructor import (
    FALLBACK_HEADING,
    HEADING,
    OmissionReason,
    Piece,
    Reconstruction,
    Status,
    cite,
)
from memguard.trace import Trace
from pages._ui.render import attribute, escaped, icon, text
from pages._ui.theme import css_name

_DROPPED = {
    Label.NOT_FOUND: "not found in the transcript",
    Label.CONTRADICTED: "contradicted by the transcript",
}
_WHY = {
    Reason.VERBATIM: "a sentence of the transcript as it stands",
    Reason.NO_EVIDENCE: "the transcript holds no text to check it against",
    Reason.SIMILARITY_BELOW_MINIMUM: "would be kept at {kept_at:.2f} or below",
    Reason.SIMILARITY_REACHED: "reaches the minimum of {threshold:.2f}",
}
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


def sign(verdict: Verdict) -> tuple[str, str, str]:
    """Return the CSS name, the glyph and the words of a verdict."""
    meaning = verdict_meaning(verdict)
    return css_name(meaning), meaning.glyph, meaning.label.capitalize()


def would_be_kept_at(similarity: float) -> float:
    """Return the largest threshold with two decimals that keeps a claim of this similarity."""
    return math.floor(round(similarity * 100, 6)) / 100


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


def paragraph(trace: Trace) -> str:
    """Return the summary, its claims underlined as judged, and how the budget was used."""
    compression = trace.get(Compression)
    if compression is None:
        return empty("paragraph")
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


def claims(trace: Trace) -> str:
    """Return one row a claim: sign, text, similarity on its scale, why, and its evidence."""
    elimination = trace.get(Elimination)
    if elimination is None:
        return empty("claims")
    reconstruction = trace.get(Reconstruction)
    verdicts = (*elimination.verdicts, *(reconstruction.verbatim if reconstruction is not None else ()))
    if not verdicts:
        return _hint("No claims", "The paragraph is empty, so there is nothing to check.")
    threshold = trace.settings.elimination.min_similarity
    rows = "".join(_claim(verdict, threshold, trace.conversation) for verdict in verdicts)
    return f'<ol class="mg-claims" aria-label="Claims">{rows}</ol>'


def payload(trace: Trace) -> str:
    """Return the assembled context with its citations, and what is not in it."""
    result = trace.get(Reconstruction)
    if result is None:
        return empty("payload")
    if not result.text:
        return _hint("The context is empty", _why_empty(trace, result)) + _left_out(trace, result)
    quoted = {v.claim.id: v for v in result.verbatim}
    lines = "".join(_piece(p, quoted.get(p.claim_id), trace.conversation) for p in result.pieces)
    heading = HEADING
    notice = ""
    if result.status is Status.NO_SUPPORTED_CLAIMS:
        heading = FALLBACK_HEADING
        notice = (
            f'<div class="mg-notice"><b>No claim was kept</b><p>{_all_dropped(trace)} Instead, the '
            "context quotes the most central sentence of the transcript, word for word.</p></div>"
        )
    return (
        notice
        + gauge(result.tokens, result.budget, "Context")
        + f'<p class="mg-lead">{text(heading)}</p><ol class="mg-payload">{lines}</ol>'
        + f'<textarea class="mg-copy-text" hidden>{escaped(result.text)}</textarea>'
        + f'<button type="button" class="mg-copy">{icon("content_copy")}<span>Copy the context</span>'
        + "</button>"
        + _left_out(trace, result)
    )


def empty(pane: str) -> str:
    """Return what stands in a pane before its stage has run."""
    return _hint(*_EMPTY[pane])


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


def _glyph(verdict: Verdict) -> str:
    _kind, symbol, words = sign(verdict)
    return f'<span class="mg-sign" role="img" aria-label="{words}">{symbol}</span>'


def _hint(title: str, line: str) -> str:
    return f'<div class="mg-hint"><b>{title}</b><p>{line}</p></div>'


def _judged(summary: str, elimination: Elimination | None) -> str:
    if elimination is None:
        return text(summary)
    pieces, at = [], 0
    for verdict in elimination.verdicts:
        if verdict.claim.span is None:
            continue
        start, end = verdict.claim.span
        kind, _symbol, words = sign(verdict)
        pieces.append(text(summary[at:start]) if at < start else "")
        pieces.append(
            f'<span class="mg-said mg-{kind}" data-claim="{attribute(verdict.claim.id)}" title="{words}">'
            f"{text(summary[start:end])}</span>"
        )
        at = end
    return "".join(pieces) + (text(summary[at:]) if at < len(summary) else "")


def _claim(verdict: Verdict, threshold: float, conversation: Conversation) -> str:
    kind, _symbol, words = sign(verdict)
    claim = verdict.claim
    similarity = max(0.0, min(1.0, verdict.similarity)) * 100
    best = verdict.evidence[0] if verdict.evidence else None
    source = (
        f'<span class="mg-source" title="Where its best evidence is">{text(best.span.message_id)} '
        f"{text(conversation.message(best.span.message_id).speaker_name)}</span>"
        if best is not None
        else ""
    )
    quotes = "".join(_evidence(e, place, conversation) for place, e in enumerate(verdict.evidence))
    return (
        f'<li class="mg-claim mg-{kind}" data-claim="{attribute(claim.id)}" tabindex="0" role="button" '
        f'aria-pressed="false">{_glyph(verdict)}'
        f'<div class="mg-claim-body"><div class="mg-claim-text">{text(claim.text)}</div>'
        f'<div class="mg-scale" aria-hidden="true"><i style="left:{similarity:.1f}%"></i>'
        f'<u style="left:{max(0.0, min(1.0, threshold)) * 100:.1f}%"></u></div>'
        f'<div class="mg-why"><b>{words}</b><span>{_why(verdict, threshold)}</span>{source}</div>'
        f'<div class="mg-evidence">{quotes}{_findings(verdict)}</div></div>'
        f'<span class="mg-figure mg-similarity" title="Cosine similarity to its best evidence, from -1 to 1">'
        f"{verdict.similarity:.3f}</span></li>"
    )


def _why(verdict: Verdict, threshold: float) -> str:
    template = _WHY.get(verdict.reason, verdict.reason.value.replace("_", " "))
    return template.format(threshold=threshold, kept_at=would_be_kept_at(verdict.similarity))


def _evidence(evidence: Evidence, place: int, conversation: Conversation) -> str:
    name = "Best evidence" if place == 0 else "Runner-up"
    return (
        f'<div class="mg-quote{"" if place == 0 else " mg-runner-up"}"><span class="mg-quote-head">'
        f"<span>{name} {text(evidence.span.message_id)}</span>"
        f'<span class="mg-figure">{evidence.similarity:.3f}</span></span>'
        f"<q>{text(conversation.text(evidence.span))}</q></div>"
    )


def _findings(verdict: Verdict) -> str:
    return "".join(
        f'<div class="mg-finding">{text(finding.guard)}: {text(finding.detail)}</div>'
        for finding in verdict.findings
    )


def _piece(piece: Piece, quoted: Verdict | None, conversation: Conversation) -> str:
    sources = [conversation.message(message_id) for message_id in piece.message_ids]
    cited = "".join(
        f'<cite title="{attribute(cite(m))}">{icon("subdirectory_arrow_right")}'
        f"{text(m.id)} {text(m.speaker_name)}</cite>"
        for m in sources
    )
    tag = ""
    if quoted is not None:
        kind, symbol, words = sign(quoted)
        tag = f'<span class="mg-tag mg-{kind}">{symbol} {words.lower()}</span> '
    return (
        f'<li><button type="button" class="mg-piece" data-claim="{attribute(piece.claim_id)}">'
        f"{tag}{text(piece.text)} {cited}</button></li>"
    )


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
        return '<p class="mg-lead mg-quiet">Nothing was left out.</p>'
    items = "".join(
        f'<li><button type="button" class="mg-piece mg-{sign(v)[0]}" data-claim="{attribute(v.claim.id)}">'
        f"{_glyph(v)}"
        f"<span>{text(v.claim.text)} <em>{why}</em></span>"
        "</button></li>"
        for v, why in rows
    )
    return f'<h4 class="mg-subhead">Left out</h4><ol class="mg-leftout">{items}</ol>'
