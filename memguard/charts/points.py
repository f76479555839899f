"""From a trace, as far as it has come, to the points and links of its map."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from memguard.compressor import Compression
from memguard.eliminator import Elimination
from memguard.errors import InvalidParameterError
from memguard.geometry.projection import Layout
from memguard.grounding.evidence import sentence_sources
from memguard.grounding.verdicts import Label, Reason, Verdict
from memguard.messages import SourceSpan
from memguard.palette import (
    BY_HAND,
    CONTRADICTED,
    KEPT,
    NEEDS_REVIEW,
    NOT_A_CLAIM,
    NOT_FOUND,
    VERBATIM,
    Meaning,
)
from memguard.reconstructor import Reconstruction
from memguard.selection import Decision
from memguard.trace import Trace

Kind = Literal[
    "sentence",
    "picked",
    "kept",
    "dropped_contradicted",
    "dropped_not_found",
    "dropped_by_person",
    "needs_review",
    "verbatim",
]
_KINDS: dict[str, Kind] = {
    "kept": "kept",
    "dropped_contradicted": "dropped_contradicted",
    "dropped_not_found": "dropped_not_found",
    "dropped_by_person": "dropped_by_person",
    "needs_review": "needs_review",
    "verbatim": "verbatim",
}
_DROPPED = {
    Label.CONTRADICTED: CONTRADICTED,
    Label.NOT_A_CLAIM: NOT_A_CLAIM,
}
_LINKS_A_CLAIM = 3


@dataclass(frozen=True, slots=True)
class MapPoint:
    """One point of the map.

    Attributes:
        key: Names it in selection events; ``read_key`` says what it stands for.
        x: Horizontal place; the map's axes have no unit.
        y: Vertical place.
        kind: What it is, which decides shape and colour.
        text: The sentence or claim, verbatim.
        detail: Who said it, or what was found of it.
        in_payload: A claim that reached the payload.
    """

    key: str
    x: float
    y: float
    kind: Kind
    text: str
    detail: str = ""
    in_payload: bool = False


@dataclass(frozen=True, slots=True)
class MapLink:
    """A line from a claim to a sentence of its best evidence; both are keys of points."""

    claim: str
    evidence: str


def source_key(span: SourceSpan) -> str:
    """Return the key of a sentence's point."""
    return f"source:{span.start}:{span.end}:{span.message_id}"


def claim_key(claim_id: str) -> str:
    """Return the key of a claim's point."""
    return f"claim:{claim_id}"


def read_key(key: str) -> SourceSpan | str:
    """Return what a key stands for: the span of a sentence, or the id of a claim.

    Raises:
        InvalidParameterError: It is not a key that this module made.
    """
    kind, _, rest = key.partition(":")
    if kind == "claim" and rest:
        return rest
    start, _, tail = rest.partition(":")
    end, separator, message_id = tail.partition(":")
    if kind == "source" and start.isdecimal() and end.isdecimal() and separator:
        return SourceSpan(message_id, int(start), int(end))
    raise InvalidParameterError(f"key must be one of a point of the map; got {key!r}")


def verdict_meaning(verdict: Verdict) -> Meaning:
    """Return the colour, shape and word of a verdict.

    What is kept is never shown as dropped; what needs review says so, kept or dropped.
    """
    if verdict.reason is Reason.VERBATIM:
        return VERBATIM
    if verdict.label is Label.NEEDS_REVIEW:
        return NEEDS_REVIEW
    if verdict.kept:
        return KEPT
    if verdict.override is not None and verdict.label is Label.SUPPORTED:
        return BY_HAND
    return _DROPPED.get(verdict.label, NOT_FOUND)


def map_sources(trace: Trace) -> tuple[tuple[SourceSpan, ...], tuple[str, ...]]:
    """Return the span and the text of every sentence of the conversation, in its order."""
    spans = sentence_sources(trace.conversation)
    return spans, tuple(trace.conversation.text(span) for span in spans)


def map_targets(trace: Trace) -> tuple[str, ...]:
    """Return the text that each claim is judged as; none before elimination."""
    return tuple(verdict.claim.judged_as for verdict in claims_of(trace))


def map_points(
    trace: Trace, layout: Layout, spans: Sequence[SourceSpan]
) -> tuple[tuple[MapPoint, ...], tuple[MapLink, ...]]:
    """Build the map of a trace: its sentences and, from elimination on, its claims and their evidence.

    Args:
        trace: A trace after any stage, or before the first.
        layout: Of the vectors of ``map_sources`` and ``map_targets``; one of the sources alone shows
            the sentences while the claims are being placed.
        spans: The spans of ``map_sources``.

    Raises:
        InvalidParameterError: The layout's points are not those of the spans and the claims.
    """
    verdicts = claims_of(trace)
    if len(layout.points) not in (len(spans), len(spans) + len(verdicts)):
        raise InvalidParameterError(
            f"layout must have {len(spans)} points, or {len(spans) + len(verdicts)} with the claims; "
            f"got {len(layout.points)}"
        )
    at = [(point[0], point[1]) for point in layout.points]
    places = dict(zip(spans, at, strict=False))
    reconstruction = trace.get(Reconstruction)
    quotes: dict[str, list[SourceSpan]] = {}
    for verdict in reconstruction.verbatim if reconstruction is not None else ():
        quotes.setdefault(verdict.evidence[0].span.message_id, []).append(verdict.evidence[0].span)
    picks = _picks(trace)
    by_message: dict[str, list[SourceSpan]] = {}
    points: list[MapPoint] = []
    for span in spans:
        by_message.setdefault(span.message_id, []).append(span)
        # A quote may be a clause of its sentence, or run over several.
        quoted = any(q.start < span.end and q.end > span.start for q in quotes.get(span.message_id, ()))
        points.append(_sentence(trace, span, places[span], picks.get(span.message_id), quoted))
    links: list[MapLink] = []
    if len(layout.points) > len(spans):
        in_payload = {p.claim_id for p in reconstruction.pieces} if reconstruction is not None else set()
        for verdict, (x, y) in zip(verdicts, at[len(spans) :], strict=True):
            key = claim_key(verdict.claim.id)
            kind = _KINDS[verdict_meaning(verdict).key]
            entered = verdict.claim.id in in_payload
            points.append(MapPoint(key, x, y, kind, verdict.claim.text, _found(verdict, entered), entered))
            grounds = _grounds(verdict, by_message, places, (x, y))
            links += [MapLink(key, source_key(span)) for span in grounds]
    return tuple(points), tuple(links)


def claims_of(trace: Trace) -> tuple[Verdict, ...]:
    """Return the verdicts that have a point on the map, in order; none before elimination."""
    elimination = trace.get(Elimination)
    if elimination is None:
        return ()
    return tuple(v for v in elimination.verdicts if v.label is not Label.NOT_A_CLAIM)


def _picks(trace: Trace) -> dict[str, tuple[int, int | None]]:
    """Return rank and number of characters used (None: all) of each picked message, by its id."""
    compression = trace.get(Compression)
    if compression is None:
        return {}
    return {
        m.message_id: (m.rank or 0, m.used_chars)
        for m in compression.messages
        if m.decision is Decision.PICKED
    }


def _sentence(
    trace: Trace,
    span: SourceSpan,
    place: tuple[float, float],
    pick: tuple[int, int | None] | None,
    quoted: bool,
) -> MapPoint:
    message = trace.conversation.message(span.message_id)
    detail = f"{message.id} {message.speaker_name}"
    kind: Kind = "sentence"
    if pick is not None and (pick[1] is None or span.start < pick[1]):
        kind, detail = "picked", f"{detail}, picked #{pick[0]}"
    if quoted:
        kind, detail = "verbatim", f"{detail}, quoted verbatim in the context"
    return MapPoint(source_key(span), *place, kind, trace.conversation.text(span), detail, quoted)


def _found(verdict: Verdict, entered: bool) -> str:
    detail = f"support {verdict.support:.2f}, similarity {verdict.similarity:.2f}"
    if verdict.evidence:
        detail += f", nearest source {verdict.evidence[0].span.message_id}"
    detail = f"{detail}, in the context" if entered else detail
    return f"{detail}\n{verdict.detail}" if verdict.detail else detail


def _grounds(
    verdict: Verdict,
    by_message: Mapping[str, Sequence[SourceSpan]],
    places: Mapping[SourceSpan, tuple[float, float]],
    place: tuple[float, float],
) -> list[SourceSpan]:
    """Return the sentences of the best evidence; of a long message the three nearest on the map."""
    if not verdict.evidence:
        return []
    best = verdict.evidence[0].span
    inside = [s for s in by_message.get(best.message_id, ()) if s.start < best.end and s.end > best.start]
    return sorted(inside, key=lambda s: math.dist(places[s], place))[:_LINKS_A_CLAIM]
