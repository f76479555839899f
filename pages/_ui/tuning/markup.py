"""What the page says in HTML: figures, rates and what changed. Pure functions that know no Streamlit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memguard.charts import counted, percent, verdict_meaning
from memguard.eliminator import Elimination
from memguard.grounding.verdicts import Label, Verdict
from memguard.palette import CLAIM_MEANINGS, KEPT
from memguard.retention import Retained
from memguard.settings import EliminationSettings, ReconstructionSettings
from memguard.sweep import Change, CostChoice, Rates
from memguard.trace import Trace
from pages._ui import claims, facts
from pages._ui.render import annotated, attribute, icon, text
from pages._ui.theme import css_name

HONEST = (
    "The labelled claims are made: true sentences, and others with one mistake put in by hand. The shipped "
    "thresholds were chosen on other data; the rules of the guards were written with these claims in sight, "
    "so the figures flatter them. Check a threshold on claims of your own before you trust it."
)
_MEANINGS = {
    "Precision": "Of the claims dropped, the share that is wrong",
    "Recall": "Of the wrong claims, the share that is dropped",
    "False drops": "Of the true claims, the share that is dropped",
    "Cost": "Wrong claims kept, each times what it costs, plus true claims dropped",
}


@dataclass(frozen=True, slots=True)
class Told:
    """A change with the title of its conversation, empty where there is only one."""

    change: Change
    title: str = ""


def figures(
    verdicts: Sequence[Verdict], tokens: int, tokens_in: int, told: Sequence[Told], *, n_runs: int = 1
) -> str:
    """Return the headline figures of a setting: claims kept and dropped, context tokens, what changed.

    Args:
        verdicts: As the settings now stand.
        tokens: Of all payloads.
        tokens_in: Of all conversations; 0 where that is not known.
        told: What changed since A.
        n_runs: Over how many conversations.
    """
    over = "the conversation" if n_runs == 1 else counted(n_runs, "conversation")
    checked = [v for v in verdicts if v.label is not Label.NOT_A_CLAIM]
    kept = sum(v.kept for v in checked)
    dropped = [verdict_meaning(v) for v in checked if not v.kept]
    parts = [
        f'<span class="mg-part mg-{css_name(m)}">{m.glyph} {dropped.count(m):,} {m.label}</span>'
        for m in CLAIM_MEANINGS
        if m in dropped
    ]
    back = sum(item.change.returns for item in told)
    gone = len(told) - back
    shown = [
        ("Claims kept", f'<span class="mg-kept">{kept:,}</span>', f"of {counted(len(checked), 'claim')}"),
        ("Claims dropped", f"{len(dropped):,}", " ".join(parts) or "none"),
        (
            '<span title="The payload: what reconstruction puts together for an LLM">Context tokens</span>',
            f"{tokens:,}",
            f"of {tokens_in:,} in {over}" if tokens_in else "",
        ),
        ("Changed since A", f"{len(told):,}", f"{back:,} back, {gone:,} gone" if told else "nothing"),
    ]
    cells = "".join(
        f'<div class="mg-headline"><dt>{name}</dt><dd>{value}</dd><small>{note or "&nbsp;"}</small></div>'
        for name, value, note in shown
    )
    return f'<dl class="mg-figures">{cells}</dl>'


def budget_figures(trace: Trace, tokens_in: int, now: Retained) -> str:
    """Return the headline figures of a budget: key facts, tokens, and what the context is made of.

    Args:
        trace: A complete one.
        tokens_in: Of the conversation.
        now: What its payload keeps.
    """
    elimination = trace[Elimination]
    n_facts = sum(row.total for row in now.by_class)
    ratio = f"{tokens_in / now.tokens:.1f}× shorter" if 0 < now.tokens < tokens_in else "no shorter"
    kept = len(elimination.kept)
    shown = [
        (
            "Facts kept",
            f"{now.n_kept:,} of {n_facts:,}" if n_facts else "–",
            percent(now.recall),
            facts.MEANING,
        ),
        ("Context tokens", f"{now.tokens:,}", f"of {tokens_in:,}, {ratio}" if now.tokens else "empty", ""),
        (
            "Claims",
            f"{now.n_claims:,}",
            f"of {kept:,} kept",
            "Claims of the summary that stand in the context",
        ),
        ("Lines quoted", f"{now.n_quoted:,}", "word for word", "Lines that state what the summary left out"),
    ]
    cells = "".join(
        f'<div class="mg-headline" title="{attribute(meaning)}"><dt>{name}</dt><dd>{value}</dd>'
        f"<small>{note}</small></div>"
        for name, value, note, meaning in shown
    )
    return f'<dl class="mg-figures">{cells}</dl>'


def budget_line(settings: ReconstructionSettings, budget: int, tokens_in: int) -> str:
    """Return in words what a budget is of the conversation, and what set it."""
    of = (
        f"{tokens_in / budget:.1f} times shorter than the conversation"
        if budget < tokens_in
        else ("as long as the conversation")
    )
    if settings.payload_tokens is not None:
        return f"At most {budget:,} of {tokens_in:,} tokens: {of}."
    by = "floor" if budget == settings.payload_floor else f"share of {settings.payload_share:.2f}"
    return f"At most {budget:,} of {tokens_in:,} tokens: {of}, set by the payload's {by}."


def setting(settings: EliminationSettings) -> str:
    """Return a setting in words: its preset and the minimums that the preset uses."""
    words = f"{settings.preset.capitalize()}, similarity {settings.min_similarity:.2f}"
    return words if settings.preset == "contract" else f"{words}, support {settings.min_support:.2f}"


def rates_table(now: Rates, choice: CostChoice, wrong_kept_costs: int) -> str:
    """Return precision, recall, false drops and cost, now and where the stated cost is least."""
    chosen = choice.rates
    is_range = choice.up_to > chosen.threshold
    where = f"{chosen.threshold:.2f} to {choice.up_to:.2f}" if is_range else f"{chosen.threshold:.2f}"
    head = "".join(
        f'<th scope="col" title="{meaning}"><abbr title="{meaning}">{name}</abbr></th>'
        for name, meaning in _MEANINGS.items()
    )
    return (
        f'<table class="mg-rates"><thead><tr><th scope="col">Minimum</th>{head}</tr></thead><tbody>'
        f"{_row('Now', f'{now.threshold:.2f}', now, wrong_kept_costs)}"
        f"{_row('Least cost', where, chosen, wrong_kept_costs)}</tbody></table>"
    )


def changed(told: Sequence[Told], before: EliminationSettings, after: EliminationSettings) -> str:
    """Return the claims that come back or go between A and B, each with its sign and both reasons."""
    both = (
        f'<p class="mg-ab"><span><b>A</b> {setting(before)}</span>'
        f"{icon('arrow_forward', 'to')}<span><b>B</b> {setting(after)}, as it now stands</span></p>"
    )
    if not told:
        same = (
            "A and B are the same setting: move a slider or choose another preset."
            if setting(before) == setting(after)
            else "A and B keep the same claims."
        )
        return f'{both}<p class="mg-lead mg-same">{same}</p>'
    groups = (("Back", True), ("Gone", False))
    lists = []
    for name, returns in groups:
        members = [item for item in told if item.change.returns is returns]
        if members:
            rows = "".join(map(_change, members))
            lists.append(
                f'<div class="mg-subhead">{name} <small>{counted(len(members), "claim")}</small></div>'
                f'<ul class="mg-changes">{rows}</ul>'
            )
    return both + "".join(lists)


def _row(name: str, where: str, rates: Rates, wrong_kept_costs: int) -> str:
    n_dropped = rates.wrong_dropped + rates.true_dropped
    n_wrong, n_true = rates.wrong_dropped + rates.wrong_kept, rates.true_kept + rates.true_dropped
    cells = (
        (percent(rates.precision), f"{rates.wrong_dropped:,} of {n_dropped:,} dropped"),
        (percent(rates.recall), f"{rates.wrong_dropped:,} of {n_wrong:,} wrong"),
        (percent(rates.false_drops), f"{rates.true_dropped:,} of {n_true:,} true"),
        (
            f"{rates.cost(wrong_kept_costs):,.0f}",
            f"{rates.wrong_kept:,} × {wrong_kept_costs} + {rates.true_dropped:,}",
        ),
    )
    filled = "".join(f"<td>{value}<small>{note}</small></td>" for value, note in cells)
    return f'<tr><th scope="row">{name}<small>{where}</small></th>{filled}</tr>'


def _change(item: Told) -> str:
    before, after = item.change.before, item.change.after
    kind = css_name(verdict_meaning(after))
    said = annotated(after.claim.text, claims.notes(after))
    title = f'<small class="mg-of">{text(item.title)}</small>' if item.title else ""
    return (
        f'<li class="mg-change mg-{kind}" data-claim="{attribute(after.claim.id)}">{claims.glyph(after)}'
        f'<div><div class="mg-claim-text">{said}</div>{title}'
        f"{_under('A', before)}{_under('B', after)}</div></li>"
    )


def _under(name: str, verdict: Verdict) -> str:
    # The sign says what the claim is labelled; kept or dropped is what the two settings differ in.
    word = KEPT.label if verdict.kept else "dropped"
    label = "" if verdict_meaning(verdict) is KEPT else f", {verdict_meaning(verdict).label}"
    return f'<div class="mg-under"><b>{name}</b> {word}{label}: {text(claims.why(verdict))}</div>'
