"""Text to HTML: pure functions that escape all chat text and know no Streamlit.

Every string of a conversation, a summary or an error passes through ``text`` (for HTML) or
``markdown`` (for a widget that reads Markdown), and comes out on the screen as it went in.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Protocol, TypeVar

from memguard.compressor import Compression
from memguard.eliminator import Elimination
from memguard.grounding.verdicts import Severity, Verdict
from memguard.messages import Message
from memguard.reconstructor import Reconstruction
from memguard.selection import MessageDecision
from memguard.trace import Trace
from pages._ui import decisions

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>$:~&^=\"'])")
_ALIVE = re.compile(r"@|www(?=\.)|(?:https?|ftp)(?=:)|:(?=[\w+-]+:)", re.IGNORECASE)
"""What becomes a link or an emoji even where every sign of Markdown is escaped."""


class Role(StrEnum):
    """What a marked part of a message is."""

    BEST = "best"
    MORE = "more"
    FINDING = "finding"
    AGAINST = "against"
    QUOTE = "quote"
    FACT = "fact"


@dataclass(frozen=True, slots=True)
class Mark:
    """A part of a message that something rests on: half-open offsets, for what, and as what.

    ``name`` is the id of a claim, or for ``Role.FINDING`` that of a finding (``finding_key``). For
    ``Role.AGAINST`` it is the claim that a guard saw contradicted there; for ``Role.QUOTE`` the claim that
    the words would be if they were quoted; for ``Role.FACT`` the id of a key fact.
    """

    start: int
    end: int
    name: str
    role: Role


@dataclass(frozen=True, slots=True)
class Note:
    """A part of a text that is set off: half-open offsets, its CSS class, and what a pointer reads."""

    start: int
    end: int
    css: str
    title: str


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

    A zero-width non-joiner keeps ``:word:`` from becoming an emoji and an address from becoming a link,
    which no backslash prevents.
    """
    inert = _ALIVE.sub(lambda found: f"{found[0]}\u200c", value)
    return _MARKDOWN.sub(r"\\\1", inert).replace("\n", "  \n")


def marked(content: str, marks: Sequence[Mark]) -> str:
    """Return a message's text with every marked part in a ``mark`` that names what rests on it.

    Overlapping parts are cut at each border: ``data-best`` holds the claims for which a piece is
    the best evidence, ``data-more`` those for which it is a runner-up, ``data-finding`` the findings
    that a guard made there, ``data-against`` the claims that it contradicts, ``data-quote`` what can be
    quoted of it, ``data-fact`` the key facts that stand there.
    """
    pieces = []
    for start, end, over in _cut(content, marks):
        piece = escaped(content[start:end])
        if over:
            names = {role: " ".join(attribute(m.name) for m in over if m.role is role) for role in Role}
            data = "".join(f' data-{role}="{listed}"' for role, listed in names.items())
            piece = f"<mark{data}>{piece}</mark>"
        pieces.append(piece)
    return f"<bdi>{''.join(pieces)}</bdi>"


def annotated(content: str, notes: Sequence[Note], offset: int = 0) -> str:
    """Return escaped text with every noted part set off; overlapping parts are cut at each border.

    Args:
        content: A text, or a part of one.
        notes: Their offsets are those of the whole text; what lies outside the part is left out.
        offset: Where in the whole text the part begins.
    """
    moved = [
        Note(max(0, n.start - offset), min(len(content), n.end - offset), n.css, n.title)
        for n in notes
        if n.start - offset < len(content) and n.end > offset
    ]
    pieces = []
    for start, end, over in _cut(content, moved):
        piece = escaped(content[start:end])
        if over:
            names = " ".join(dict.fromkeys(n.css for n in over))
            title = attribute("; ".join(dict.fromkeys(n.title for n in over)))
            piece = f'<u class="{names}" title="{title}" aria-description="{title}">{piece}</u>'
        pieces.append(piece)
    return f"<bdi>{''.join(pieces)}</bdi>"


def finding_key(claim_id: str, number: int) -> str:
    """Return the name of a claim's finding in the page: the same in the results and the transcript."""
    return f"{claim_id}.{number}"


def evidence_marks(trace: Trace) -> Mapping[str, list[Mark]]:
    """Return where evidence lies, by message id: of the claims, then what can be quoted, and the key facts.

    What can be quoted is marked whether or not it is: a moved threshold or budget changes no mark.
    """
    elimination = trace.get(Elimination)
    judged = elimination.verdicts if elimination is not None else ()
    found: dict[str, list[Mark]] = {}
    for verdict in (*judged, *stand_ins(trace)):
        claim_id = verdict.claim.id
        places = [(e.span, claim_id, Role.MORE if n else Role.BEST) for n, e in enumerate(verdict.evidence)]
        places += [
            (f.evidence_span, finding_key(claim_id, n), Role.FINDING)
            for n, f in enumerate(verdict.findings)
            if f.evidence_span is not None
        ]
        places += [
            (f.evidence_span, claim_id, Role.AGAINST)
            for f in verdict.findings
            if f.evidence_span is not None and f.severity is Severity.CONTRADICTION
        ]
        for span, name, role in places:
            found.setdefault(span.message_id, []).append(Mark(span.start, span.end, name, role))
    if elimination is not None:
        quoted = [(quote.span, quote.claim.id, Role.QUOTE) for quote in elimination.quotes]
        facts = [(fact.span, fact.id, Role.FACT) for fact in elimination.facts if fact.superseded_by is None]
        for span, name, role in (*quoted, *facts):
            found.setdefault(span.message_id, []).append(Mark(span.start, span.end, name, role))
    return found


def stand_ins(trace: Trace) -> tuple[Verdict, ...]:
    """Return the sentences that stand in the context where no claim was kept and no key fact quoted."""
    elimination, reconstruction = trace.get(Elimination), trace.get(Reconstruction)
    if elimination is None or reconstruction is None:
        return ()
    quotes = {quote.span for quote in elimination.quotes}
    return tuple(v for v in reconstruction.verbatim if v.evidence[0].span not in quotes)


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


class _Part(Protocol):
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


_P = TypeVar("_P", bound=_Part)


def _cut(content: str, parts: Sequence[_P]) -> Iterator[tuple[int, int, list[_P]]]:
    """Yield the text in pieces, cut at every border of a part, each with the parts that cover it."""
    solid = [p for p in parts if p.start < p.end]
    borders = sorted({0, len(content), *(p.start for p in solid), *(p.end for p in solid)})
    for start, end in pairwise(borders):
        yield start, end, [p for p in solid if p.start < end and p.end > start]


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
        f'data-why="{attribute(decisions.why(decision))}" tabindex="{0 if first else -1}">'
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
    label, symbol = decisions.sign(decision)
    width = max(0.0, min(1.0, decision.relevance)) * 100
    return (
        f'<span class="mg-selection"><span class="mg-relevance" title="{attribute(relevance)}">'
        f'<span class="mg-track"><i style="width:{width:.1f}%"></i></span>{decision.relevance:.2f}</span>'
        f'<span class="mg-tokens" title="Tokens of the message with its speaker">'
        f"{decision.n_tokens:,} tok</span>"
        f'<span class="mg-decision" title="{attribute(decisions.why(decision))}">{icon(symbol)}{label}</span>'
        "</span>"
    )
