"""The selected point and what is near it, the transcript and the table, as plain values and HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from memguard.charts import MapLink, MapPoint, counted, read_key, source_key
from memguard.charts.colouring import is_claim
from memguard.charts.points import claims_of
from memguard.grounding.verdicts import Verdict
from memguard.messages import SourceSpan
from memguard.palette import CLAIM_MEANINGS
from memguard.trace import Trace
from pages._ui import claims
from pages._ui.render import attribute, escaped, text

_WORDS = {"sentence": "Sentence", "picked": "Picked sentence", "verbatim": "Verbatim sentence"}
_LABELS = {meaning.key: meaning.label.capitalize() for meaning in CLAIM_MEANINGS}
Near = Sequence[tuple[int, float]]


def kind_of(point: MapPoint) -> str:
    """Return what a point is, in words."""
    if is_claim(point):
        return f"Claim, {_LABELS[point.kind].lower()}"
    return _WORDS[point.kind]


def card(point: MapPoint, trace: Trace) -> str:
    """Return the selected point: what it is, its words, who said it, or what was found of it."""
    verdict = verdict_of(point, trace)
    if verdict is None:
        return (
            f'<div class="mg-point"><div class="mg-point-head"><b>{kind_of(point)}</b>'
            f"<span>{text(point.detail)}</span></div><q>{text(point.text)}</q></div>"
        )
    kind = claims.sign(verdict)[0]
    return (
        f'<div class="mg-point mg-{kind}"><div class="mg-point-head"><b>{claims.glyph(verdict)} '
        f"Claim {text(verdict.claim.id)}, {claims.fate(verdict).lower()}</b>"
        f'<span class="mg-figure" title="Cosine to its best evidence, from -1 to 1; support from 0 to 1">'
        f"similarity {verdict.similarity:.3f}, support {verdict.support:.3f}</span></div>"
        f"<q>{text(point.text)}</q><p>{text(claims.why(verdict))}</p></div>"
    )


def near_list(near: Near, points: Sequence[MapPoint]) -> str:
    """Return the nearest points with their cosine, the nearest first."""
    if not near:
        return '<p class="mg-lead">Nothing else is there to compare with.</p>'
    rows = "".join(
        f'<li><span class="mg-figure">{cosine:.3f}</span><span><small>{_who(points[i])}</small>'
        f"{text(points[i].text)}</span></li>"
        for i, cosine in near
    )
    return (
        f'<h4 class="mg-subhead">The {counted(len(near), "nearest point")}, by cosine</h4>'
        '<p class="mg-lead">The list is exact: cosines of the real vectors, from -1 to 1. The map is a '
        "projection and may draw a near point far away.</p>"
        f'<ol class="mg-near" aria-label="Nearest points">{rows}</ol>'
    )


def nothing_selected(points: Sequence[MapPoint], notice: str = "") -> str:
    """Return what stands in the place of the selected point before there is one, after a notice if any."""
    n_claims = sum(1 for point in points if is_claim(point))
    found = counted(len(points) - n_claims, "sentence")
    found += f" and {counted(n_claims, 'claim')}" if n_claims else ""
    more = "" if n_claims else " Claims join them in stage 2, elimination."
    return (
        f'<div class="mg-hint"><b>No point selected</b><p>{notice}Of {found} on the map, click one, or '
        f"choose a row of the table or a sentence of the transcript.{more}</p></div>"
    )


def transcript(trace: Trace, spans: Sequence[SourceSpan]) -> str:
    """Return the whole transcript; every sentence can be chosen and carries the key of its point."""
    inside: dict[str, list[SourceSpan]] = {}
    for span in spans:
        inside.setdefault(span.message_id, []).append(span)
    rows = "".join(
        f'<li class="mg-message" data-message="{attribute(message.id)}"><div class="mg-head">'
        f'<b class="mg-speaker">{text(message.speaker_name)}</b><span class="mg-id">{text(message.id)}</span>'
        f'</div><div class="mg-text">{_sentences(message.content, inside.get(message.id, ()))}</div></li>'
        for message in trace.conversation
    )
    return f'<ol class="mg-transcript">{rows}</ol>'


def lit(point: MapPoint | None, links: Sequence[MapLink]) -> list[str]:
    """Return the keys of the sentences to light up: the selected one, or a claim's evidence."""
    if point is None:
        return []
    return [link.evidence for link in links if link.claim == point.key] if is_claim(point) else [point.key]


def table(points: Sequence[MapPoint], pinned: str | None, verdicts: Mapping[str, Verdict]) -> pd.DataFrame:
    """Return a row a point: the pinned one, then the claims, then the sentences in their order.

    The index is the number of the point.
    """
    order = sorted(range(len(points)), key=lambda i: (points[i].key != pinned, not is_claim(points[i]), i))
    shown = [points[i] for i in order]
    found = [verdicts.get(p.key.removeprefix("claim:")) if is_claim(p) else None for p in shown]
    return pd.DataFrame(
        {
            "Point": [kind_of(p) for p in shown],
            "Where": [p.key.removeprefix("claim:") if is_claim(p) else _place(p) for p in shown],
            "Text": [p.text for p in shown],
            "Similarity": pd.Series([v.similarity if v else None for v in found], dtype="float64"),
            "Support": pd.Series([v.support if v else None for v in found], dtype="float64"),
        }
    ).set_axis(order)


def verdict_of(point: MapPoint, trace: Trace) -> Verdict | None:
    """Return the verdict of a claim's point; None for a sentence."""
    claim = read_key(point.key)
    return next((v for v in claims_of(trace) if v.claim.id == claim), None)


def _who(point: MapPoint) -> str:
    if is_claim(point):
        return text(f"Claim {point.key.removeprefix('claim:')}, {_LABELS[point.kind].lower()}")
    return text(_place(point))


def _place(point: MapPoint) -> str:
    return point.detail.split(",", 1)[0]


def _sentences(content: str, spans: Sequence[SourceSpan]) -> str:
    """Return a message's text, each sentence in an element that can be chosen."""
    if not spans:
        return text(content) if content else '<span class="mg-none">no text</span>'
    pieces, at = [], 0
    for span in spans:
        pieces.append(escaped(content[at : span.start]))
        pieces.append(
            f'<span class="mg-sentence" role="button" tabindex="-1" aria-pressed="false" '
            f'data-key="{attribute(source_key(span))}">{escaped(content[span.start : span.end])}</span>'
        )
        at = span.end
    return f"<bdi>{''.join(pieces)}{escaped(content[at:])}</bdi>"
