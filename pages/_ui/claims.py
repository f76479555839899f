"""The claims as HTML: what became of each, why, what was seen of it, and where. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable

from memguard.charts import verdict_meaning
from memguard.eliminator import Elimination
from memguard.grounding.verdicts import Evidence, Finding, Label, Reason, Severity, Verdict
from memguard.messages import Conversation
from memguard.reconstructor import Reconstruction
from memguard.settings import EliminationSettings
from memguard.trace import Trace
from pages._ui.render import Note, annotated, attribute, finding_key, text
from pages._ui.theme import css_name

NOT_IN_EVIDENCE = "Not found in the evidence"
CONTRACT_IGNORES = "the contract preset ignores it"
_WHY = {
    Reason.VERBATIM: "a sentence of the transcript as it stands",
    Reason.NO_STATEMENT: "it states nothing that could be checked",
}
_DECIDING = {Reason.GUARD_CONTRADICTS: Severity.CONTRADICTION, Reason.GUARD_MISSES: Severity.MISSING}
_SIGNS = {
    Severity.CONTRADICTION: ("✕", "contradicts"),
    Severity.MISSING: ("○", "not found"),
    Severity.MATCH: ("=", "the same in other words"),
    Severity.NOTE: ("·", "worth knowing"),
}
_AGAINST = (Severity.CONTRADICTION, Severity.MISSING)


def rows(trace: Trace) -> list[str]:
    """Return the claims after elimination, one list item each.

    A row holds no threshold, so that a moved one leaves it as it is where the verdict stays; the list
    around the rows has them, see :func:`minimums`.
    """
    reconstruction = trace.get(Reconstruction)
    quoted = reconstruction.verbatim if reconstruction is not None else ()
    settings = trace.settings.elimination
    return [
        _claim(verdict, settings, trace.conversation) for verdict in (*trace[Elimination].verdicts, *quoted)
    ]


def minimums(settings: EliminationSettings) -> str:
    """Return where the two minimums stand on every scale, as CSS variables."""
    return (
        f"--mg-min-similarity:{_percent(settings.min_similarity)};"
        f"--mg-min-support:{_percent(settings.min_support)}"
    )


def sign(verdict: Verdict) -> tuple[str, str, str]:
    """Return the CSS name, the glyph and the words of a verdict."""
    meaning = verdict_meaning(verdict)
    return css_name(meaning), meaning.glyph, meaning.label.capitalize()


def fate(verdict: Verdict) -> str:
    """Return what became of a claim, in words: its sign's, and where that leaves it open, the rest."""
    words = sign(verdict)[2]
    if verdict.override is not None:
        return f"{'Kept' if verdict.kept else 'Dropped'} by a person"
    if verdict.label is Label.NEEDS_REVIEW:
        return f"{words}, {'kept' if verdict.kept else 'dropped'}"
    return words


def glyph(verdict: Verdict) -> str:
    """Return a verdict's sign with its words for a reader."""
    _kind, symbol, words = sign(verdict)
    return f'<span class="mg-sign" role="img" aria-label="{words}">{symbol}</span>'


def finding_sign(finding: Finding) -> str:
    """Return the glyph of a finding."""
    return _SIGNS[finding.severity][0]


def why(verdict: Verdict) -> str:
    """Return the reason in words, with what would change it."""
    return verdict.detail or _WHY.get(verdict.reason, verdict.reason.value.replace("_", " "))


def _claim(verdict: Verdict, settings: EliminationSettings, conversation: Conversation) -> str:
    kind = sign(verdict)[0]
    # The transcript's own words are their own evidence: a score would say nothing.
    scored = verdict.label is not Label.NOT_A_CLAIM and verdict.reason is not Reason.VERBATIM
    said = annotated(verdict.claim.text, notes(verdict))
    return (
        f'<li class="mg-claim mg-{kind}" data-claim="{attribute(verdict.claim.id)}">'
        f'<div class="mg-claim-main" tabindex="0" role="button" aria-pressed="false">{glyph(verdict)}'
        f'<div class="mg-claim-text">{said}</div></div>'
        f'<div class="mg-claim-more">{_reason(verdict, conversation)}'
        f"{_seen(verdict, settings, conversation)}"
        f"{_scores(verdict, settings) if scored else ''}"
        f'<div class="mg-evidence">{_more(verdict, conversation)}</div></div></li>'
    )


def notes(verdict: Verdict) -> list[Note]:
    """Return what is set off in a claim's text: words not in the evidence, and what the guards saw."""
    unsupported = [Note(start, end, "mg-unsupported", NOT_IN_EVIDENCE) for start, end in verdict.unsupported]
    seen = [
        Note(*f.claim_span, f"mg-saw mg-{f.severity}", f.detail)
        for f in verdict.findings
        if f.severity is not Severity.NOTE
    ]
    return unsupported + seen


def _reason(verdict: Verdict, conversation: Conversation) -> str:
    """Return the reason; where a finding decided, it is the finding's own words that lead to its place."""
    words, deciding = why(verdict), _deciding(verdict)
    said = text(words)
    leads = False
    if deciding is not None:
        finding = verdict.findings[deciding]
        rest = words.removeprefix(finding.detail)
        said = _finding(verdict, deciding, conversation, bare=True) + text(rest)
        leads = finding.evidence_span is not None
    best = verdict.evidence[0] if verdict.evidence else None
    source = ""
    if best is not None and not leads and verdict.label is not Label.NOT_A_CLAIM:
        source = (
            '<span class="mg-source" title="Where its best evidence is">'
            f"{_source(best.span.message_id, conversation)}</span>"
        )
    return f'<div class="mg-why"><span><b>{fate(verdict)}</b> {said}</span>{source}</div>'


def _deciding(verdict: Verdict) -> int | None:
    """Return the number of the finding that decided, if the reason repeats its words."""
    severity = _DECIDING.get(verdict.reason)
    for number, finding in enumerate(verdict.findings):
        if finding.severity is severity:
            return number if why(verdict).startswith(finding.detail) else None
    return None


def _seen(verdict: Verdict, settings: EliminationSettings, conversation: Conversation) -> str:
    """Return the findings against a claim, one a line, without the one that its reason repeats."""
    deciding = _deciding(verdict)
    lines = [
        _finding(verdict, number, conversation)
        for number, finding in enumerate(verdict.findings)
        if finding.severity in _AGAINST and number != deciding
    ]
    if not lines:
        return ""
    lead = ""
    if verdict.kept:
        outweighed = CONTRACT_IGNORES if settings.preset == "contract" else "not enough to drop it"
        lead = f'<span class="mg-saw-lead">Seen, {outweighed}:</span>'
    return f'<div class="mg-findings">{lead}{"".join(lines)}</div>'


def _finding(verdict: Verdict, number: int, conversation: Conversation, *, bare: bool = False) -> str:
    """Return one finding: it leads to its place, where it has one."""
    finding = verdict.findings[number]
    symbol, meaning = _SIGNS[finding.severity]
    span = finding.evidence_span
    title = f"{finding.guard}: {meaning}"
    where = ""
    if span is not None:
        title += f", in {span.message_id}. Click to see it in the transcript."
        where = f'<span class="mg-source">{_source(span.message_id, conversation)}</span>'
    mark = "" if bare else f'<span aria-hidden="true">{symbol}</span> '
    inside = f"{mark}<span>{text(finding.detail)}</span>{'' if bare else where}"
    css = f"mg-finding mg-{finding.severity}"
    # Not a button element, whose text does not wrap with the sentence around it.
    leads = ""
    if span is not None:
        leads = (
            f' role="button" tabindex="0" data-finding="{attribute(finding_key(verdict.claim.id, number))}"'
        )
    return f'<span class="{css}" title="{attribute(title)}"{leads}>{inside}</span>'


def _source(message_id: str, conversation: Conversation) -> str:
    return f"{text(message_id)} {text(conversation.message(message_id).speaker_name)}"


def _scores(verdict: Verdict, settings: EliminationSettings) -> str:
    """Return similarity and support on their scales, each with its minimum; ranges are a hover away."""
    is_contract = settings.preset == "contract"
    support = "how well it is grounded, by similarity, words, guards and, if on, entailment"
    support += f"; {CONTRACT_IGNORES}." if is_contract else ". The bar is the minimum."
    return (
        '<div class="mg-scores">'
        + _scale(
            "Similarity",
            verdict.similarity,
            f"Similarity {verdict.similarity:.3f}, from -1 to 1: cosine to its best evidence. "
            "The bar is the minimum. The scale begins at 0.",
        )
        + _scale(
            "Support",
            verdict.support,
            f"Support {verdict.support:.3f}, from 0 to 1: {support}",
            idle=is_contract,
        )
        + "</div>"
    )


def _scale(name: str, value: float, title: str, *, idle: bool = False) -> str:
    tick = "" if idle else f'<u style="left:var(--mg-min-{name.lower()})"></u>'
    return (
        f'<div class="mg-score{" mg-idle" if idle else ""}" title="{attribute(title)}"><span>{name}</span>'
        f'<span class="mg-scale" aria-hidden="true"><i style="left:{_percent(value)}"></i>{tick}</span>'
        f'<span class="mg-figure">{value:.3f}</span></div>'
    )


def _percent(value: float) -> str:
    return f"{max(0.0, min(1.0, value)) * 100:.1f}%"


def _more(verdict: Verdict, conversation: Conversation) -> str:
    """Return what an open claim shows: how it was read, what the transcript words otherwise, its evidence."""
    claim = verdict.claim
    judged = ""
    if claim.judged_as != claim.text:
        judged = f'<p class="mg-judged">Judged as: {text(claim.judged_as)}</p>'
    found = [
        _finding(verdict, n, conversation)
        for n, f in enumerate(verdict.findings)
        if f.severity not in _AGAINST
    ]
    matches = f'<div class="mg-findings mg-matches">{"".join(found)}</div>' if found else ""
    return judged + matches + quotes(verdict, conversation)


def quotes(verdict: Verdict, conversation: Conversation) -> str:
    """Return the evidence, the best first, with what the guards saw in it set off."""
    return "".join(
        _quote(evidence, place, verdict.findings, conversation)
        for place, evidence in enumerate(verdict.evidence)
    )


def _quote(evidence: Evidence, place: int, findings: Iterable[Finding], conversation: Conversation) -> str:
    span = evidence.span
    name = "Best evidence" if place == 0 else "Runner-up"
    notes = [
        Note(f.evidence_span.start, f.evidence_span.end, f"mg-saw mg-{f.severity}", f.detail)
        for f in findings
        if f.evidence_span is not None and f.evidence_span.message_id == span.message_id
    ]
    score = f'<span title="Cosine similarity, from -1 to 1">{evidence.similarity:.3f}</span>'
    return (
        f'<div class="mg-quote{"" if place == 0 else " mg-runner-up"}"><span class="mg-quote-head mg-figure">'
        f"<span>{name} {_source(span.message_id, conversation)}</span>{score}</span>"
        f"<q>{annotated(conversation.text(span), notes, span.start)}</q></div>"
    )
