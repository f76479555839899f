"""A claim that was left behind, as HTML: a row of the list, and the two texts side by side.

Pure functions; all text of the conversation goes through ``render``.
"""

from __future__ import annotations

from collections.abc import Mapping

from memguard.grounding.verdicts import Evidence, Label, Reason, Severity, Verdict
from memguard.messages import Conversation
from memguard.reconstructor import OmissionReason
from memguard.reports import Fate, fate_of
from memguard.settings import Settings
from pages._ui import claims
from pages._ui.dropped.items import IN_CONTEXT, RECONSTRUCTION, Item, Shortfall
from pages._ui.render import Note, annotated, attribute, text
from pages._ui.theme import css_name

REASONS: dict[str, str] = {
    Reason.SIMILARITY_BELOW_MINIMUM: "Below minimum similarity",
    Reason.SUPPORT_BELOW_MINIMUM: "Below minimum support",
    Reason.GUARD_CONTRADICTS: "Contradicted by a message",
    Reason.GUARD_MISSES: "Named thing not found",
    Reason.ENTAILMENT_CONTRADICTS: "Entailment contradicts",
    Reason.WORDS_NOT_FOUND: "Words not found",
    Reason.NOT_JUDGED: "Could not be judged",
    Reason.NO_EVIDENCE: "No evidence",
    Reason.PERSON_KEEPS: "Kept by a person",
    Reason.PERSON_DROPS: "Dropped by a person",
    Reason.SIMILARITY_REACHED: "Similarity reached",
    Reason.SUPPORT_REACHED: "Support reached",
}
KINDS: dict[str, str] = {
    Label.CONTRADICTED: "Contradicted",
    Label.NOT_FOUND: "Not found in the transcript",
    Label.NEEDS_REVIEW: "Needs review",
    Label.SUPPORTED: "Supported",
}
STAGES: dict[str, str] = {
    "elimination": "Dropped at elimination",
    RECONSTRUCTION: "Left out at reconstruction",
    IN_CONTEXT: "In the context",
}
_OMITTED = {
    OmissionReason.BUDGET: "the budget of the context is full",
    OmissionReason.REPEATED: "it says the same as a line before it",
}
_BECAUSE = {
    Reason.GUARD_CONTRADICTS: "the transcript says otherwise",
    Reason.ENTAILMENT_CONTRADICTS: "the entailment model reads a contradiction",
    Reason.GUARD_MISSES: "a part of it is not found in the transcript",
    Reason.WORDS_NOT_FOUND: "words of it are not found in its evidence",
    Reason.SIMILARITY_BELOW_MINIMUM: "nothing in the transcript is close enough to it",
    Reason.SUPPORT_BELOW_MINIMUM: "too little of it is found in the transcript",
    Reason.NOT_JUDGED: "no verdict could be given, which strict drops",
    Reason.NO_EVIDENCE: "the transcript holds no text to check it against",
}
_SEEN = {
    Severity.CONTRADICTION: "contradicts",
    Severity.MISSING: "not found",
    Severity.MATCH: "the same in other words",
    Severity.NOTE: "worth knowing",
}


def fate(verdict: Verdict) -> Fate:
    """Return what became of a claim."""
    return fate_of(
        verdict.label.value,
        kept=verdict.kept,
        reason=verdict.reason.value,
        by_person=verdict.override is not None,
    )


def css(verdict: Verdict) -> str:
    """Return the CSS name of what became of a claim."""
    return css_name(fate(verdict).meaning)


def rows(items: tuple[Item, ...]) -> str:
    """Return the list of claims, one option each."""
    return "".join(
        f'<li class="mg-drop mg-{css(item.verdict)}" role="option" id="mg-drop-{attribute(item.id)}" '
        f'data-claim="{attribute(item.id)}" aria-selected="false">'
        f'<span class="mg-sign" aria-hidden="true">{fate(item.verdict).meaning.glyph}</span>'
        f'<span class="mg-drop-main"><span class="mg-drop-text">{text(item.verdict.claim.text)}</span>'
        f"<small><b>{_short(item)}</b> {_distance(item)}</small></span></li>"
        for item in items
    )


def head(item: Item) -> str:
    """Return in one sentence what became of a claim and why."""
    verdict = item.verdict
    return (
        f'<div class="mg-why-head mg-{css(verdict)}"><span class="mg-sign" aria-hidden="true">'
        f"{fate(verdict).meaning.glyph}</span><div><p><b>{_sentence(item)}</b></p>"
        f"<small>{text(_details(item))}</small></div><code>{text(item.id)}</code></div>"
    )


def texts(item: Item, conversation: Conversation) -> str:
    """Return the claim and its best and second evidence side by side, with what differs marked in both."""
    verdict = item.verdict
    said = annotated(verdict.claim.text, claims.notes(verdict))
    judged = ""
    if verdict.claim.judged_as != verdict.claim.text:
        judged = f'<p class="mg-judged">Judged as: {text(verdict.claim.judged_as)}</p>'
    places = "".join(
        _quote(verdict, evidence, conversation, "Best evidence" if n == 0 else "Second")
        for n, evidence in enumerate(verdict.evidence[:2])
    )
    return (
        f'<div class="mg-texts mg-{css(verdict)}">'
        f'<section><h3>The summary says</h3><p class="mg-claim-text">{said}</p>{judged}</section>'
        f"<section><h3>The transcript says</h3>"
        f"{places or '<p class=mg-quiet>The transcript holds no text.</p>'}</section></div>"
    )


def findings(item: Item) -> str:
    """Return what the guards saw, one a line, without what the reason says already; empty for nothing."""
    why = claims.why(item.measured)
    lines = "".join(
        f'<li class="mg-finding mg-{f.severity}"><span aria-hidden="true">{claims.finding_sign(f)}</span> '
        f"{text(f.detail)} <small>{text(f.guard)}: {_SEEN[f.severity]}</small></li>"
        for f in item.verdict.findings
        if not why.startswith(f.detail)
    )
    return f'<ul class="mg-seen" aria-label="What the guards saw">{lines}</ul>' if lines else ""


def scores(item: Item, settings: Settings) -> str:
    """Return similarity and support with their minimums, and what is missing."""
    verdict, wanted = item.verdict, settings.elimination
    is_contract = wanted.preset == "contract"
    rows = [
        _score(
            "Similarity",
            verdict.similarity,
            wanted.min_similarity,
            "Cosine to its best evidence, from -1 to 1",
        ),
        _score(
            "Support",
            verdict.support,
            None if is_contract else wanted.min_support,
            "How well it is grounded, from 0 to 1: similarity, words and what the guards saw, joined",
        ),
    ]
    return (
        '<table class="mg-measures"><thead><tr><th scope="col">Measure</th><th scope="col">This claim</th>'
        f'<th scope="col">Minimum</th><th scope="col">Missing</th></tr></thead><tbody>{"".join(rows)}'
        "</tbody></table>"
    )


def back_line(changes: dict[str, str | float] | None, n_others: int) -> str:
    """Return in words which setting would bring a claim back, and what else that would keep."""
    if changes is None:
        return "No setting brings it back."
    parts = [f"the preset {changes['preset']}"] if "preset" in changes else []
    parts += [f"minimum {name} {minimum:.2f} or below" for name, minimum in _minimums(changes)]
    others = ""
    if n_others:
        others = f" {n_others:,} more {'claim' if n_others == 1 else 'claims'} would return with it."
    return f"It would return at {' and '.join(parts)}.{others}"


def back_label(changes: dict[str, str | float]) -> str:
    """Return the label of the button that applies it."""
    parts = [f"preset to {changes['preset']}"] if "preset" in changes else []
    parts += [f"minimum {name} to {minimum:.2f}" for name, minimum in _minimums(changes)]
    return f"Set {' and '.join(parts)}"


def _minimums(changes: Mapping[str, str | float]) -> list[tuple[str, float]]:
    return [
        (name.removeprefix("min_"), float(changes[name]))
        for name in ("min_similarity", "min_support")
        if name in changes
    ]


def _sentence(item: Item) -> str:
    verdict = item.verdict
    if verdict.override is not None:
        kept = "Kept" if verdict.kept else "Dropped"
        note = f": {text(verdict.override.note)}" if verdict.override.note else ""
        return f"{kept} by a person{note}"
    if item.omission is not None:
        return f"Kept, but not in the context: {_OMITTED[item.omission]}"
    if verdict.kept:
        return "Kept, and in the context"
    return f"Dropped: {_BECAUSE.get(verdict.reason, text(claims.why(verdict)))}"


def _details(item: Item) -> str:
    why = claims.why(item.measured)
    if item.verdict.override is None:
        return why
    return f"Without that decision: {fate(item.measured).words}: {why}"


def _short(item: Item) -> str:
    if item.omission is not None:
        return "Left out"
    words = fate(item.verdict).words
    return words[:1].upper() + words[1:]


def _distance(item: Item) -> str:
    if item.omission is not None:
        return _OMITTED[item.omission]
    if item.verdict.override is not None or item.verdict.kept:
        return ""
    return " and ".join(_below(s) for s in item.shortfalls[:1]) or "whatever the minimums are"


def _below(shortfall: Shortfall) -> str:
    return f"{shortfall.gap:.2f} below minimum {shortfall.name}"


def _quote(verdict: Verdict, evidence: Evidence, conversation: Conversation, name: str) -> str:
    span = evidence.span
    message = conversation.message(span.message_id)
    seen = [
        Note(f.evidence_span.start, f.evidence_span.end, f"mg-saw mg-{f.severity}", f.detail)
        for f in verdict.findings
        if f.evidence_span is not None and f.evidence_span.message_id == span.message_id
    ]
    second = " mg-runner-up" if name != "Best evidence" else ""
    return (
        f'<div class="mg-quote{second}"><span class="mg-quote-head mg-figure"><span>{name}: '
        f"{text(span.message_id)} {text(message.speaker_name)}</span>"
        f'<span title="Cosine similarity, from -1 to 1">{evidence.similarity:.3f}</span></span>'
        f"<q>{annotated(conversation.text(span), seen, span.start)}</q></div>"
    )


def _score(name: str, value: float, minimum: float | None, title: str) -> str:
    missing = "–"
    if minimum is not None:
        missing = f"{minimum - value:.3f}" if value < minimum else "none"
    shown = "not used" if minimum is None else f"{minimum:.3f}"
    return (
        f'<tr title="{attribute(title)}"><th scope="row">{name}</th><td>{value:.3f}</td>'
        f"<td>{shown}</td><td>{missing}</td></tr>"
    )
