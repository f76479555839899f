"""Without and with MemGuard, side by side, as HTML: pure functions over a complete trace.

On the left what a model would be given without checks: the raw summary, with its drift marked. On the
right what it is given: the kept claims, each with its source.
"""

from __future__ import annotations

from itertools import groupby

from memguard.charts import counted
from memguard.compressor import PASSED_THROUGH, Compression
from memguard.eliminator import Elimination
from memguard.grounding.verdicts import Verdict
from memguard.reconstructor import FALLBACK_HEADING, Reconstruction, Status, cite
from memguard.retention import retained
from memguard.trace import Trace
from pages._ui.claims import glyph, sign, why
from pages._ui.render import attribute, icon, text


def panes(trace: Trace) -> str:
    """Return the two sides; the trace holds all three results."""
    return (
        '<div class="mg-compare" role="group" aria-label="Without and with MemGuard">'
        f"{_without(trace)}{_with(trace)}</div>"
    )


def _without(trace: Trace) -> str:
    compression, elimination = trace[Compression], trace[Elimination]
    dropped = elimination.dropped
    passed = compression.summarizer == PASSED_THROUGH and not compression.given
    what = "text as it was" if passed else "summary"
    said = (
        f'<b class="mg-contradicted">{counted(len(dropped), "claim")}</b> of its '
        f"{len(elimination.kept) + len(dropped):,} would reach the model although the transcript does not "
        "bear them out."
        if dropped
        else f"Every claim of this {what} is borne out by the transcript."
    )
    return (
        '<section class="mg-side mg-side-without"><h3>Without MemGuard '
        f'<span class="mg-figure">{compression.tokens_out:,} tokens</span></h3>'
        f'<p class="mg-side-lead">The raw {what}. {said}</p>'
        f'<div class="mg-side-text">{_marked(compression.paragraph, elimination)}</div></section>'
    )


def _with(trace: Trace) -> str:
    result = trace[Reconstruction]
    made = retained(result)
    quoted = f"{counted(made.n_quoted, 'line')} of the transcript"
    if result.text.startswith(FALLBACK_HEADING):
        lead = (
            "No claim was borne out, so the most central sentence of the transcript stands in, word for word."
        )
    elif result.status is Status.NO_SUPPORTED_CLAIMS and result.pieces:
        lead = f"No claim was borne out, so {quoted} stand in for its key facts, word for word."
    elif made.n_claims:
        also = f" and {quoted} for key facts that it left out" if made.n_quoted else ""
        lead = (
            f"{counted(made.n_claims, 'claim')} of the summary{also}, each word for word and with its source."
        )
    elif result.pieces:
        lead = f"{quoted} for its key facts, each word for word and with its source."
    else:
        lead = "Nothing that could be borne out is left, so nothing reaches the model."
    return (
        '<section class="mg-side mg-side-with"><h3>With MemGuard '
        f'<span class="mg-figure">{result.tokens:,} tokens</span></h3>'
        f'<p class="mg-side-lead">{lead}</p>{_cited(trace, result)}'
        f"{_gone(trace[Elimination].dropped)}</section>"
    )


def _marked(summary: str, elimination: Elimination) -> str:
    """Return the summary with each dropped claim struck through, named by its sign and its reason."""
    pieces, at = [], 0
    for verdict in elimination.verdicts:
        if verdict.claim.span is None or verdict not in elimination.dropped:
            continue
        start, end = max(at, verdict.claim.span[0]), verdict.claim.span[1]
        if start >= end:
            continue  # a claim inside another one is shown by that one
        pieces.append(text(summary[at:start]) if at < start else "")
        kind, symbol, words = sign(verdict)
        pieces.append(
            f'<span class="mg-drift mg-{kind}" title="{attribute(why(verdict))}">'
            f"<del>{text(summary[start:end])}</del>"
            f'<span class="mg-tag mg-{kind}">{symbol} {words.lower()}</span></span>'
        )
        at = end
    return "".join(pieces) + (text(summary[at:]) if at < len(summary) else "")


def _cited(trace: Trace, result: Reconstruction) -> str:
    lines = []
    verdicts = {v.claim.id: v for v in (*trace[Elimination].verdicts, *result.verbatim)}
    for _line, pieces in groupby(result.pieces, key=lambda piece: piece.line):
        here = [*pieces]
        sources = dict.fromkeys(i for piece in here for i in piece.message_ids)
        cited = " ".join(
            f'<cite title="{attribute(cite(trace.conversation.message(i)))}">'
            f"{icon('subdirectory_arrow_right')}{text(i)} "
            f"{text(trace.conversation.message(i).speaker_name)}</cite>"
            for i in sources
        )
        said = " ".join(text(piece.text) for piece in here)
        first = verdicts[here[0].claim_id]
        lines.append(f'<li class="mg-{sign(first)[0]}">{glyph(first)}<span>{said} {cited}</span></li>')
    return f'<ol class="mg-side-lines">{"".join(lines)}</ol>' if lines else ""


def _gone(dropped: tuple[Verdict, ...]) -> str:
    if not dropped:
        return ""
    rows = "".join(
        f'<li class="mg-{sign(v)[0]}">{glyph(v)}'
        f"<span>{text(v.claim.text)} <em>{text(why(v))}</em></span></li>"
        for v in dropped
    )
    return f'<h4 class="mg-subhead">Left out, and why</h4><ol class="mg-side-gone">{rows}</ol>'
