"""What was found of every claim, as a table for the audit: pure functions over recorded claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from memguard.charts import counted
from memguard.grounding.verdicts import Severity
from memguard.reports import Fate
from memguard.reports.parts import Claim, Place, Seen
from memguard.reports.words import claim_fate, why
from pages._ui.claims import NOT_IN_EVIDENCE
from pages._ui.render import Note, annotated, attribute, icon, text
from pages._ui.theme import css_name

_SIGNS = {Severity.CONTRADICTION: "✕", Severity.MISSING: "○", Severity.MATCH: "=", Severity.NOTE: "·"}
_KNOWN = frozenset(Severity)
_MOST_ROWS = 1_000


def reasons(claims: Sequence[Claim]) -> dict[str, str]:
    """Return the reasons that occur, with a name and a count for people, the most frequent first."""
    found = Counter(claim.reason for claim in claims)
    return {reason: f"{reason_name(reason)} {number:,}" for reason, number in found.most_common()}


def guards(claims: Sequence[Claim]) -> dict[str, str]:
    """Return the guards that saw something, with the number of claims, the most frequent first."""
    found = Counter(guard for c in claims for guard in {f.guard for f in c.findings})
    return {name: f"{name.capitalize()} {number:,}" for name, number in found.most_common()}


def reason_name(reason: str) -> str:
    """Return a reason for people."""
    return reason.replace("_", " ").capitalize()


def chosen(claims: Sequence[Claim], reasons: Collection[str], guards: Collection[str]) -> tuple[Claim, ...]:
    """Return the claims with one of the reasons and one of the guards; no choice leaves all."""
    return tuple(
        c
        for c in claims
        if (not reasons or c.reason in reasons) and (not guards or any(f.guard in guards for f in c.findings))
    )


def table(claims: Sequence[Claim], n_claims: int) -> str:
    """Return one row a claim, which opens to its evidence; ``n_claims`` is how many there are in all."""
    if not claims:
        return '<p class="mg-lead">No claim has both this reason and this guard.</p>'
    head = "".join(
        f'<span class="{css}"{hint}>{name}</span>'
        for name, css, hint in (
            ("Claim", "", ""),
            ("Verdict", "", ""),
            ("Text and reason", "", ""),
            ("What the guards saw", "", ""),
            ("Similarity", "mg-figure", ' title="Cosine to the best evidence, from -1 to 1"'),
            ("Support", "mg-figure", ' title="How well it is grounded, from 0 to 1"'),
            ("", "", ""),
        )
    )
    rows = "".join(_row(claim) for claim in claims[:_MOST_ROWS])
    shown = f"{min(len(claims), _MOST_ROWS):,} of {counted(n_claims, 'claim')}"
    return (
        f'<div class="mg-ledger" aria-label="Claims, {shown}">'
        f'<div class="mg-ledger-row mg-chain-head">{head}</div>{rows}</div>'
    )


def _row(claim: Claim) -> str:
    fate = claim_fate(claim)
    stated = claim.label != "not_a_claim"
    similarity, support = (f"{claim.similarity:.3f}", f"{claim.support:.3f}") if stated else ("–", "–")
    words = fate.words[:1].upper() + fate.words[1:]
    places = "".join(_quote(claim, place, n) for n, place in enumerate(claim.evidence))
    return (
        f'<details class="mg-record mg-claim-row mg-{_css(fate)}"><summary class="mg-ledger-row">'
        f'<code>{text(claim.id)}</code><span class="mg-ledger-verdict"><span class="mg-sign" '
        f'aria-hidden="true">{fate.meaning.glyph}</span><b>{words}</b></span>'
        f'<span><span class="mg-claim-text">{annotated(claim.text, _notes(claim))}</span>'
        f'<small title="{attribute(claim.reason)}">{text(why(claim))}</small></span>'
        f'<span class="mg-ledger-seen">{_seen(claim)}</span>'
        f'<span class="mg-figure">{similarity}</span><span class="mg-figure">{support}</span>'
        f'<span class="mg-open">{icon("expand_more", "open")}</span></summary>'
        f'<div class="mg-record-body">{places or "No evidence."}</div></details>'
    )


def _css(fate: Fate) -> str:
    return css_name(fate.meaning)


def _notes(claim: Claim) -> list[Note]:
    unsupported = [Note(start, end, "mg-unsupported", NOT_IN_EVIDENCE) for start, end in claim.unsupported]
    seen = [
        Note(*f.claim_span, f"mg-saw mg-{_severity(f)}", f.detail)
        for f in claim.findings
        if _severity(f) != Severity.NOTE
    ]
    return unsupported + seen


def _severity(finding: Seen) -> str:
    """Return a severity that may stand in a class: an imported audit can hold any text here."""
    return finding.severity if finding.severity in _KNOWN else Severity.NOTE.value


def _quote(claim: Claim, place: Place, number: int) -> str:
    name = "Best evidence" if number == 0 else "Runner-up"
    seen = [
        Note(*f.evidence_span, f"mg-saw mg-{_severity(f)}", f.detail)
        for f in claim.findings
        if f.evidence_span is not None and f.message_id == place.message_id
    ]
    score = f'<span title="Cosine similarity, from -1 to 1">{place.similarity:.3f}</span>'
    return (
        f'<div class="mg-quote{"" if number == 0 else " mg-runner-up"}">'
        f'<span class="mg-quote-head mg-figure">'
        f"<span>{name} {text(place.message_id)} {text(place.speaker or place.role)}</span>{score}</span>"
        f"<q>{annotated(place.text, seen, place.start)}</q></div>"
    )


def _seen(claim: Claim) -> str:
    """Return every finding, one a line, with its guard."""
    lines = "".join(
        f'<span class="mg-finding mg-{_severity(f)}" title="{attribute(f.severity.capitalize())}">'
        f'<span aria-hidden="true">{_SIGNS[Severity(_severity(f))]}</span> {text(f.detail)} '
        f"<small>{text(f.guard)}</small></span>"
        for f in claim.findings
    )
    return lines or '<span class="mg-quiet">–</span>'
