"""What was found of every claim, as a table for the audit: pure functions over verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from memguard.charts import counted
from memguard.grounding.verdicts import Label, Reason, Verdict
from memguard.messages import Conversation
from pages._ui.claims import fate, finding_sign, glyph, notes, quotes, sign, why
from pages._ui.render import annotated, attribute, icon, text


def reasons(verdicts: Sequence[Verdict]) -> dict[str, str]:
    """Return the reasons that occur, with a name and a count for people, the most frequent first."""
    found = Counter(verdict.reason.value for verdict in verdicts)
    return {value: f"{reason_name(value)} {number:,}" for value, number in found.most_common()}


def guards(verdicts: Sequence[Verdict]) -> dict[str, str]:
    """Return the guards that saw something, with the number of claims, the most frequent first."""
    found = Counter(guard for v in verdicts for guard in {f.guard for f in v.findings})
    return {name: f"{name.capitalize()} {number:,}" for name, number in found.most_common()}


def reason_name(reason: str) -> str:
    """Return a reason for people."""
    return Reason(reason).value.replace("_", " ").capitalize()


def chosen(
    verdicts: Sequence[Verdict], reasons: Collection[str], guards: Collection[str]
) -> tuple[Verdict, ...]:
    """Return the verdicts with one of the reasons and one of the guards; no choice leaves all."""
    return tuple(
        v
        for v in verdicts
        if (not reasons or v.reason.value in reasons)
        and (not guards or any(f.guard in guards for f in v.findings))
    )


def table(verdicts: Sequence[Verdict], n_claims: int, conversation: Conversation) -> str:
    """Return one row a claim, which opens to its evidence; ``n_claims`` is how many there are in all."""
    if not verdicts:
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
    rows = "".join(_row(verdict, conversation) for verdict in verdicts)
    shown = f"{len(verdicts):,} of {counted(n_claims, 'claim')}"
    return (
        f'<div class="mg-ledger" aria-label="Claims, {shown}">'
        f'<div class="mg-ledger-row mg-chain-head">{head}</div>{rows}</div>'
    )


def _row(verdict: Verdict, conversation: Conversation) -> str:
    kind = sign(verdict)[0]
    stated = verdict.label is not Label.NOT_A_CLAIM
    similarity, support = (f"{verdict.similarity:.3f}", f"{verdict.support:.3f}") if stated else ("–", "–")
    return (
        f'<details class="mg-record mg-claim-row mg-{kind}"><summary class="mg-ledger-row">'
        f'<code>{text(verdict.claim.id)}</code><span class="mg-ledger-verdict">{glyph(verdict)}'
        f"<b>{fate(verdict)}</b></span>"
        f'<span><span class="mg-claim-text">{annotated(verdict.claim.text, notes(verdict))}</span>'
        f'<small title="{attribute(verdict.reason.value)}">{text(why(verdict))}</small></span>'
        f'<span class="mg-ledger-seen">{_seen(verdict)}</span>'
        f'<span class="mg-figure">{similarity}</span><span class="mg-figure">{support}</span>'
        f'<span class="mg-open">{icon("expand_more", "open")}</span></summary>'
        f'<div class="mg-record-body">{quotes(verdict, conversation) or "No evidence."}</div></details>'
    )


def _seen(verdict: Verdict) -> str:
    """Return every finding, one a line, with its guard."""
    lines = "".join(
        f'<span class="mg-finding mg-{f.severity}" title="{f.severity.value.capitalize()}">'
        f'<span aria-hidden="true">{finding_sign(f)}</span> {text(f.detail)} '
        f"<small>{text(f.guard)}</small></span>"
        for f in verdict.findings
    )
    return lines or '<span class="mg-quiet">–</span>'
