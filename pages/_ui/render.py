"""Text to HTML: pure functions that escape all chat text and know no Streamlit.

Every string of a conversation, a summary or an error passes through ``text`` (for HTML) or
``markdown`` (for a widget that reads Markdown), and comes out on the screen as it went in.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from memguard.compressor import Compression
from memguard.eliminator import Elimination
from memguard.messages import Message
from memguard.reconstructor import Reconstruction
from memguard.selection import Decision, MessageDecision
from memguard.trace import Trace

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>$:~&^=\"'])")
_SHORTCODE = re.compile(r":(?=[\w+-]+:)")
_NOT_PICKED = {
    Decision.OVER_BUDGET: (
        "Over budget",
        "Not picked: it was the next best, but the selection would have passed its token budget, so "
        "picking stopped here.",
    ),
    Decision.NOT_REACHED: ("Not reached", "Not picked: better picks used up the token budget."),
    Decision.BLANK: ("Blank", "Not picked: nothing visible is in this message."),
}


@dataclass(frozen=True, slots=True)
class Mark:
    """A part of a message that is evidence: half-open offsets, whose claim, and its place (0 is best)."""

    start: int
    end: int
    claim_id: str
    place: int


def text(value: str) -> str:
    """Escape text for HTML; its direction is its own, so that an override ends where the text does."""
    return f"<bdi>{escaped(value)}</bdi>"


def escaped(value: str) -> str:
    """Escape text for HTML and nothing more; NUL, which HTML cannot hold, becomes U+FFFD."""
    return html.escape(value, quote=True).replace("\x00", "\ufffd")


def attribute(value: str) -> str:
    """Escape text for a double-quoted HTML attribute."""
    return escaped(value).replace("\n", "&#10;")


def markdown(value: str) -> str:
    """Escape text for a widget that reads Markdown.

    A zero-width non-joiner keeps ``:word:`` from becoming an emoji, which no backslash prevents.
    """
    return _MARKDOWN.sub(r"\\\1", _SHORTCODE.sub(":\u200c", value)).replace("\n", "  \n")


def marked(content: str, marks: Sequence[Mark]) -> str:
    """Return a message's text with every marked part in a ``mark`` that names its claims.

    Overlapping parts are cut at each border: ``data-best`` holds the claims for which a piece is
    the best evidence, ``data-more`` those for which it is a runner-up.
    """
    borders = sorted({0, len(content), *(m.start for m in marks), *(m.end for m in marks)})
    pieces = []
    for start, end in pairwise(borders):
        over = [m for m in marks if m.start < end and m.end > start]
        piece = escaped(content[start:end])
        if over:
            best = " ".join(attribute(m.claim_id) for m in over if m.place == 0)
            more = " ".join(attribute(m.claim_id) for m in over if m.place > 0)
            piece = f'<mark data-best="{best}" data-more="{more}">{piece}</mark>'
        pieces.append(piece)
    return f"<bdi>{''.join(pieces)}</bdi>"


def evidence_marks(trace: Trace) -> Mapping[str, list[Mark]]:
    """Return where evidence lies, by message id: of the claims, then of what is quoted verbatim."""
    elimination, reconstruction = trace.get(Elimination), trace.get(Reconstruction)
    judged = elimination.verdicts if elimination is not None else ()
    quoted = reconstruction.verbatim if reconstruction is not None else ()
    found: dict[str, list[Mark]] = {}
    for verdict in (*judged, *quoted):
        for place, evidence in enumerate(verdict.evidence):
            span = evidence.span
            found.setdefault(span.message_id, []).append(Mark(span.start, span.end, verdict.claim.id, place))
    return found


def transcript(trace: Trace) -> str:
    """Return the whole transcript as one list, with the selection and the evidence in it."""
    compression = trace.get(Compression)
    decisions = {d.message_id: d for d in compression.messages} if compression is not None else {}
    marks = evidence_marks(trace)
    window = trace.settings.compression.window
    rows = [
        _message(message, decisions.get(message.id), marks.get(message.id, ()), window, first=number == 0)
        for number, message in enumerate(trace.conversation)
    ]
    return f'<ol class="mg-transcript">{"".join(rows)}</ol>'


def why(decision: MessageDecision | None) -> str:
    """Return in words what the selection decided of a message, and why; empty before it has run."""
    if decision is None:
        return ""
    if decision.decision is not Decision.PICKED:
        return _NOT_PICKED[decision.decision][1]
    score = f" (MMR score {decision.mmr_score:.3f})" if decision.mmr_score is not None else ""
    words = (
        f"Picked first: the most relevant to the messages around it{score}."
        if decision.rank == 1
        else f"Picked as number {decision.rank}: the best balance, among those left, of relevance to the "
        f"messages around it and difference from earlier picks{score}."
    )
    cut = f" Only its first {decision.used_chars:,} characters entered." if decision.used_chars else ""
    return words + cut


def notes(warnings: Iterable[str]) -> str:
    """Return what reading or a stage has to say, as a short list; empty for none."""
    items = "".join(f"<li>{text(warning)}</li>" for warning in warnings)
    return f'<ul class="mg-notes" aria-label="Notes">{items}</ul>' if items else ""


def icon(name: str, label: str = "") -> str:
    """Return a Material icon, which the theme brings; a reader hears ``label`` or nothing."""
    hidden = f'aria-label="{attribute(label)}" role="img"' if label else 'aria-hidden="true"'
    return f'<span class="mg-icon" {hidden}>{html.escape(name)}</span>'


def seconds(value: float) -> str:
    """Return a duration for people, as HTML."""
    if value < 0.001:
        return "&lt;1 ms"
    return f"{value * 1000:.0f} ms" if value < 0.0995 else f"{value:.1f} s"


def _message(
    message: Message, decision: MessageDecision | None, marks: Sequence[Mark], window: int, *, first: bool
) -> str:
    state = decision.decision.value if decision is not None else "unread"
    moment = ""
    if message.timestamp is not None:
        moment = (
            f'<time title="{message.timestamp:%Y-%m-%d %H:%M:%S %Z}">{message.timestamp:%d %b %H:%M}</time>'
        )
    content = marked(message.content, marks) if message.content else '<span class="mg-none">no text</span>'
    return (
        f'<li class="mg-message mg-{state}" data-message="{attribute(message.id)}" '
        f'data-why="{attribute(why(decision))}" tabindex="{0 if first else -1}">'
        f'<div class="mg-head"><b class="mg-speaker">{text(message.speaker_name)}</b>'
        f'<span class="mg-id">{text(message.id)}</span>{moment}{_selection(decision, window)}</div>'
        f'<div class="mg-text">{content}</div></li>'
    )


def _selection(decision: MessageDecision | None, window: int) -> str:
    if decision is None:
        return ""
    relevance = (
        f"Relevance {decision.relevance:.3f}, from -1 to 1: mean cosine similarity to up to {window} "
        "messages on each side."
    )
    if decision.decision is Decision.PICKED:
        label, mark = f"Picked #{decision.rank}", icon("check")
    else:
        label = _NOT_PICKED[decision.decision][0]
        if decision.rank is not None:
            label = f"{label} #{decision.rank}"
        mark = icon({Decision.OVER_BUDGET: "block"}.get(decision.decision, "remove"))
    width = max(0.0, min(1.0, decision.relevance)) * 100
    return (
        f'<span class="mg-selection"><span class="mg-relevance" title="{attribute(relevance)}">'
        f'<span class="mg-track"><i style="width:{width:.1f}%"></i></span>{decision.relevance:.2f}</span>'
        f'<span class="mg-tokens" title="Tokens of the message with its speaker">'
        f"{decision.n_tokens:,} tok</span>"
        f'<span class="mg-decision" title="{attribute(why(decision))}">{mark}{label}</span></span>'
    )
