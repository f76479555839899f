"""The lab as HTML: the summary under its verdicts, the claims, the catch rate, a revealed round."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from memguard.charts import counted
from memguard.drift import Injection, KindRate, Round, is_kept
from memguard.eliminator import Elimination
from memguard.grounding.verdicts import Label, Verdict
from memguard.messages import Conversation
from memguard.transcripts.samples import DriftClaim
from pages._ui.claims import fate, glyph, notes, quotes, sign, why
from pages._ui.drift_lab.choices import KIND_NAMES
from pages._ui.render import Note, annotated, attribute, icon, text

Span = tuple[int, int]


def change(injection: Injection) -> str:
    """Return what a mistake changed, in words, as HTML."""
    kind = KIND_NAMES[injection.kind]
    was, now = injection.was.strip(), injection.now.strip()
    old = f"<del>{text(was)}</del>" if was else ""
    new = f"<ins>{text(now)}</ins>" if now else ""
    if old and new:
        what = f'{old} <span aria-label="became">→</span> {new}'
    elif new:
        what = f"added {new}"
    else:
        what = f"removed {old}"
    return f'<span class="mg-lab-change"><b>{kind}</b> {what}</span>'


def backdrop(content: str, elimination: Elimination, places: Sequence[tuple[Injection, Span]]) -> str:
    """Return the summary with every claim underlined as its verdict is, and what was put in set off."""
    marks = [
        Note(*v.claim.span, f"mg-said mg-{sign(v)[0]}", fate(v))
        for v in elimination.verdicts
        if v.claim.span is not None and v.label is not Label.NOT_A_CLAIM
    ]
    marks += [
        Note(*_bare(content, span), "mg-injected", f"{KIND_NAMES[made.kind]} drift") for made, span in places
    ]
    return annotated(content, marks)


def _bare(content: str, span: Span) -> Span:
    """Return a span without the blanks at its ends."""
    start, end = span
    words = content[start:end]
    return start + len(words) - len(words.lstrip()), max(start, end - len(words) + len(words.rstrip()))


def headline(elimination: Elimination, places: Sequence[tuple[Injection, Span]]) -> str:
    """Return how many claims are kept and dropped, and how much of the injected drift was caught."""
    caught = sum(not is_kept(touched(elimination.verdicts, span)) for _, span in places)
    figures = [
        ("Claims", f"{len(elimination.kept) + len(elimination.dropped):,}", ""),
        ("Kept", f"{len(elimination.kept):,}", "mg-kept"),
        ("Dropped", f"{len(elimination.dropped):,}", "mg-contradicted" if elimination.dropped else ""),
        ("Drift caught", f"{caught:,} of {len(places):,}" if places else "–", ""),
    ]
    return _figures(figures)


def touched(verdicts: Sequence[Verdict], span: Span) -> list[Verdict]:
    """Return the verdicts on the claims that a span of the summary lies in; what is no claim is left out."""
    start, end = span[0], max(span[1], span[0] + 1)
    return [
        v
        for v in verdicts
        if v.label is not Label.NOT_A_CLAIM
        and v.claim.span is not None
        and v.claim.span[0] < end
        and start < v.claim.span[1]
    ]


def claim_list(
    elimination: Elimination, conversation: Conversation, places: Sequence[tuple[Injection, Span]]
) -> str:
    """Return every claim with its verdict, those that were changed first; one opens to its evidence."""
    if not elimination.verdicts:
        return '<div class="mg-hint"><b>No claims</b><p>Type a statement about the conversation.</p></div>'
    changed: list[str] = []
    others: list[str] = []
    for verdict in elimination.verdicts:
        put_in = [made for made, span in places if touched([verdict], span)]
        row = _row(verdict, conversation, "".join(change(made) for made in put_in))
        (changed if put_in else others).append(row)
    return _group("Changed", changed) + _group("Not changed" if changed else "", others)


def _group(title: str, rows: Sequence[str]) -> str:
    if not rows:
        return ""
    head = f'<div class="mg-subhead">{title} {_count(rows)}</div>' if title else ""
    return f'{head}<ul class="mg-lab-claims">{"".join(rows)}</ul>'


def _count(rows: Sequence[object]) -> str:
    return f'<span class="mg-quiet mg-figure">{len(rows):,}</span>'


def _row(verdict: Verdict, conversation: Conversation, extra: str, said: str = "") -> str:
    kind = sign(verdict)[0]
    evidence = quotes(verdict, conversation)
    body = f'<div class="mg-lab-quotes">{evidence}</div>' if evidence else ""
    shown = said or f'<span class="mg-claim-text">{annotated(verdict.claim.text, notes(verdict))}</span>'
    return (
        f'<li class="mg-{kind}"><details class="mg-lab-claim"><summary>{glyph(verdict)}'
        f'<span class="mg-lab-said">{shown}'
        f"<small><b>{fate(verdict)}</b> {text(why(verdict))}</small>{extra}</span>"
        f'<span class="mg-open">{icon("expand_more")}</span></summary>{body}</details></li>'
    )


def rate_table(rates: Sequence[KindRate]) -> str:
    """Return catch rate and false drops by kind; the last row is their sum."""
    rows = []
    for rate in rates:
        name = KIND_NAMES.get(rate.kind, "All kinds")
        rows.append(
            f'<tr{"" if rate.kind else " class=mg-total"}><th scope="row">{name}</th>'
            f"{_cells(rate.n_caught, rate.n_drifted, 'mg-bar-caught')}"
            f"{_cells(rate.n_dropped, rate.n_true, 'mg-bar-lost')}</tr>"
        )
    return (
        '<table class="mg-rates"><thead><tr><th scope="col">Kind of drift</th>'
        '<th scope="col" colspan="3" title="Drifted claims that are dropped. Higher is better.">'
        "Drift caught</th>"
        '<th scope="col" colspan="3" title="True claims that are dropped. Lower is better.">'
        "True claims dropped</th></tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _cells(n: int, total: int, css: str) -> str:
    if not total:
        return '<td colspan="3" class="mg-quiet">none in the pack</td>'
    share = n / total
    return (
        f'<td class="mg-figure mg-share">{share:.0%}</td>'
        f'<td class="mg-bar-cell"><span class="mg-bar {css}" aria-hidden="true">'
        f'<i style="width:{share * 100:.1f}%"></i></span></td>'
        f'<td class="mg-figure mg-count">{n:,} of {total:,}</td>'
    )


def describe_rates(rates: Sequence[KindRate]) -> str:
    """Return the sum of the table in one sentence."""
    total = rates[-1]
    return (
        f"Of {counted(total.n_drifted, 'drifted claim')} {total.n_caught:,} are dropped; "
        f"of {counted(total.n_true, 'true claim')} {total.n_dropped:,} are."
    )


Judged = tuple[DriftClaim, Sequence[Verdict], Conversation]


def mistakes(judged: Sequence[Judged]) -> str:
    """Return the labelled claims on which verdict and label differ: missed drift, then false drops."""
    missed = [row for row in judged if row[0].label == "unsupported" and is_kept(row[1])]
    lost = [row for row in judged if row[0].label == "supported" and not is_kept(row[1])]
    if not missed and not lost:
        return '<p class="mg-line">Every verdict agrees with its label.</p>'
    return _disagreeing("Drift that is kept", missed) + _disagreeing("True claims that are dropped", lost)


def _disagreeing(title: str, rows: Sequence[Judged]) -> str:
    return _group(title, [_labelled(*row) for row in rows])


def _labelled(drift: DriftClaim, verdicts: Sequence[Verdict], conversation: Conversation) -> str:
    label = (
        f'<span class="mg-lab-change"><b>{KIND_NAMES[drift.kind]}</b> labelled {text(drift.label)}: '
        f"{text(drift.reason)}</span>"
    )
    deciding = next((v for v in verdicts if not v.kept), verdicts[0] if verdicts else None)
    if deciding is None:
        return (
            f'<li class="mg-noclaim"><div class="mg-lab-claim"><span class="mg-lab-said">'
            f'<span class="mg-claim-text">{text(drift.claim)}</span>'
            f"<small>It states nothing that could be checked, so it is not kept.</small>{label}"
            "</span></div></li>"
        )
    said = f'<span class="mg-claim-text">{text(drift.claim)}</span>'
    return _row(deciding, conversation, label, said)


def score(played: Round, marked: Collection[int], flagged: Collection[int]) -> str:
    """Return how many claims the person and MemGuard told right."""
    n = len(played.items)
    yours, theirs = played.n_right(marked), played.n_right(flagged)
    lead = "A draw." if yours == theirs else "You win." if yours > theirs else "MemGuard wins."
    return _figures(
        [
            ("You", f"{yours:,} of {n:,}", ""),
            ("MemGuard", f"{theirs:,} of {n:,}", ""),
            ("Drifted claims", f"{len(played.wrong):,}", ""),
        ],
        f'<p class="mg-lab-lead" role="status">{lead}</p>',
    )


def revealed(
    played: Round,
    marked: Collection[int],
    verdicts: Sequence[Sequence[Verdict]],
    conversation: Conversation,
) -> str:
    """Return every claim of a round with the truth, what the person said, and what MemGuard says and why."""
    rows = [
        _told(number, played, number in marked, verdicts[number], conversation)
        for number in range(len(played.items))
    ]
    return (
        '<div class="mg-told mg-told-head"><span>Claim and truth</span><span>You</span>'
        f'<span>MemGuard, and why</span></div><ol class="mg-round">{"".join(rows)}</ol>'
    )


def _told(
    number: int, played: Round, said_wrong: bool, verdicts: Sequence[Verdict], conversation: Conversation
) -> str:
    item = played.items[number]
    truth = "Drifted" if item.is_wrong else "True"
    if item.injection is not None:
        detail = change(item.injection)
        shown = annotated(item.text, [Note(*_bare(item.text, item.injection.span), "mg-injected", "changed")])
    else:
        detail, shown = '<span class="mg-lab-change">unchanged</span>', text(item.text)
    deciding = next((v for v in verdicts if not v.kept), verdicts[0] if verdicts else None)
    flagged = not is_kept(verdicts)
    reason = (
        f'<span class="mg-{sign(deciding)[0]} mg-lab-why">{glyph(deciding)}'
        f"<span><b>{fate(deciding)}</b> {text(why(deciding))}</span></span>"
        if deciding is not None
        else '<span class="mg-quiet">no claim found in it</span>'
    )
    quoted = quotes(deciding, conversation) if deciding is not None else ""
    more = f'<details class="mg-lab-more"><summary>Evidence</summary>{quoted}</details>' if quoted else ""
    return (
        f'<li class="mg-told"><div><p class="mg-claim-text">{shown}</p>'
        f'<small class="mg-truth"><b>{truth}</b> {detail}</small></div>'
        f"<div>{_call(said_wrong, item.is_wrong)}</div>"
        f"<div>{_call(flagged, item.is_wrong)}{reason}{more}</div></li>"
    )


def _call(says_wrong: bool, is_wrong: bool) -> str:
    """Return what somebody said of a claim, and whether that was right."""
    right = says_wrong == is_wrong
    word = "drifted" if says_wrong else "true"
    mark = icon("check" if right else "close", "right" if right else "wrong")
    return f'<span class="mg-call mg-{"right" if right else "mistaken"}">{mark} said {word}</span>'


def _figures(figures: Sequence[tuple[str, str, str]], lead: str = "") -> str:
    cells = "".join(
        f'<div class="mg-headline"><dt>{name}</dt><dd>'
        f'<span class="{attribute(css)} mg-part">{value}</span></dd></div>'
        for name, value, css in figures
    )
    return f'<div class="mg-lab-head"><dl class="mg-figures">{cells}</dl>{lead}</div>'
