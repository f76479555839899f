"""The audit chain as HTML: its verification, and its records as a timeline. Pure functions over a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from memguard import audit
from memguard.audit import AuditRecord, Verification
from memguard.charts import counted
from memguard.reports import Fault, Report
from memguard.reports.parts import Summary
from memguard.reports.words import fate_of, moment, omission, order_name, stage_name, value
from pages._ui.render import attribute, icon, notes, seconds, text

_SHORT = 12
_MOST_ROWS = 400
_MOST_CHARS = 100_000
"""Of a raw record on the page; the whole one is in the JSONL."""
_ICONS = {
    "compression": "compress",
    "elimination": "rule",
    audit.OVERRIDES: "person_edit",
    "reconstruction": "assignment",
    audit.CLOSING: "lock",
}


def verdict(found: Verification, faults: Sequence[Fault] = ()) -> str:
    """Return what the verification found, in one line, and the head."""
    kind, symbol, words, more = (
        ("kept", "verified", "The chain is intact", counted(found.n_records, "record"))
        if found.intact
        else ("contradicted", "gpp_bad", "The chain is broken", found.message)
    )
    unread = "".join(
        f'<p class="mg-fault">{icon("error")} Line {fault.line} could not be read as it should be: '
        f"{text(fault.message)}</p>"
        for fault in faults[:_MOST_ROWS]
    )
    return (
        f'<div class="mg-verdict mg-{kind}">{icon(symbol)}<b>{words}</b>'
        f"<span>{text(more)}</span></div>{unread}"
        f'<div class="mg-hash"><span>Head</span><code>{text(found.head or "none")}</code></div>'
        '<p class="mg-description">Note the head elsewhere: '
        "<code>memguard verify FILE --head HEAD</code> then also detects a rewritten chain.</p>"
    )


def timeline(report: Report) -> str:
    """Return the settings and every record in the order of the chain; each opens to what it holds."""
    broken_at = report.verification.broken_at
    shown = report.records[:_MOST_ROWS]
    rows = "".join(_record(record, report, broken=broken_at == record.seq + 1) for record in shown)
    more = ""
    if len(report.records) > len(shown):
        more = (
            f'<p class="mg-lead">The first {len(shown):,} of {len(report.records):,} records are shown.</p>'
        )
    return f'<ol class="mg-timeline" aria-label="Audit chain">{_settings(report)}{rows}</ol>{more}'


def _settings(report: Report) -> str:
    changed = report.changed_settings
    n_all = len(report.settings)
    words = (
        f"{len(changed):,} of {counted(n_all, 'setting')} differ from the defaults"
        if changed
        else f"All {counted(n_all, 'setting')} at their defaults"
    )
    named = ", ".join(
        f"{name.rpartition('.')[2].replace('_', ' ')} {value(new)}"
        for name, (_, new) in [*changed.items()][:4]
    )
    rows = [(name, value(new), value(old), True) for name, (old, new) in changed.items()] + [
        (name, value(v), "the same", False) for name, v in report.settings.items() if name not in changed
    ]
    body = _table(
        ("Setting", "Value", "Default"),
        [
            (f"<b>{text(name)}</b>" if is_changed else text(name), text(new), text(old))
            for name, new, old, is_changed in rows
        ],
        figures=(1, 2),
    )
    return _node(
        "tune",
        "Settings",
        f"{words}{f': {text(named)}' if named else ''}",
        "",
        "",
        f'<div class="mg-record-body">{body}</div>',
        css="mg-settings",
    )


def _record(record: AuditRecord, report: Report, *, broken: bool) -> str:
    took = "" if record.stage in (audit.CLOSING, audit.OVERRIDES) else f", {seconds(record.duration_s)}"
    started = f"{_moment(record.started_at)}{took}"
    hashes = f'<code title="{attribute(record.hash)}">{text(record.hash[:_SHORT])}…</code>'
    said = _said(record, report)
    if broken:
        said = f'<b class="mg-over">This record does not hold.</b> {said}'
    return _node(
        _ICONS.get(record.stage, "description"),
        text(stage_name(record.stage)),
        said,
        started,
        hashes,
        _body(record, report),
        css="mg-record-broken" if broken else "",
        number=record.seq,
    )


def _node(
    symbol: str,
    name: str,
    said: str,
    when: str,
    hashes: str,
    body: str,
    *,
    css: str = "",
    number: int | None = None,
) -> str:
    kind = "mg-settings" if number is None else "mg-record"
    return (
        f'<li class="mg-node {css}"><span class="mg-node-mark" aria-hidden="true">{icon(symbol)}</span>'
        f'<details class="{kind}"><summary class="mg-node-head"><b>{name}</b>'
        f'<span class="mg-node-said">{said}</span><span class="mg-node-when mg-figure">{when}</span>'
        f'<span class="mg-node-hash">{hashes}</span>'
        f'<span class="mg-open">{icon("expand_more", "open")}</span></summary>'
        f"{body}</details></li>"
    )


def _said(record: AuditRecord, report: Report) -> str:
    """Return in one line what a record is about."""
    if record.stage == "compression" and report.summary is not None:
        return _of_summary(report.summary)
    if record.stage == "elimination" and report.judgement is not None:
        found = report.judgement
        return (
            f"{counted(found.n_kept, 'claim')} kept, {found.n_dropped:,} dropped; "
            f"each compared with {counted(found.n_candidates, 'place')}"
        )
    if record.stage == audit.OVERRIDES and report.decisions is not None:
        decided = report.decisions.overrides
        return (
            f"{counted(len(decided), 'decision')} by a person: {text(', '.join(o.claim_id for o in decided))}"
        )
    if record.stage == "reconstruction" and report.assembled is not None:
        payload = report.assembled.payload
        return f"Context of {payload.tokens:,} of {payload.budget:,} tokens; {text(_status(report))}"
    if record.stage == audit.CLOSING and report.closing is not None:
        return f"Counts {counted(report.closing.records, 'record')}; its hash is the head"
    return "No form is known for this record; its content is below"


def _of_summary(summary: Summary) -> str:
    if summary.given:
        return "The summary was handed in"
    picked = sum(m.decision == "picked" for m in summary.messages)
    return (
        f"{picked:,} of {counted(len(summary.messages), 'message')} picked; "
        f"{summary.tokens_in:,} tokens in, summary of {summary.tokens_out:,}"
    )


def _status(report: Report) -> str:
    status = report.assembled.status if report.assembled is not None else ""
    return "claims kept" if status == "ok" else status.replace("_", " ")


def _body(record: AuditRecord, report: Report) -> str:
    facts = [
        ("Models", ", ".join(f"{role}: {model}" for role, model in record.model_ids.items()) or "none"),
        *_counting(record, report),
        ("Hash", record.hash),
        ("Hash before", record.prev_hash),
        ("Input digest", record.input_digest),
        ("Output digest", record.output_digest),
        ("Settings digest", record.settings_digest),
        ("Run", record.run_id),
    ]
    listed = "".join(f"<dt>{name}</dt><dd>{text(fact)}</dd>" for name, fact in facts)
    raw = audit.dumps([record])
    cut = ""
    if len(raw) > _MOST_CHARS:
        cut = (
            f"<p>The first {_MOST_CHARS:,} of {len(raw):,} characters; the whole record is in the JSONL.</p>"
        )
    return (
        f'<div class="mg-record-body">{_section(record, report)}<h4>Proof</h4><dl>{listed}</dl>'
        f"<details><summary>Raw record (canonical JSON)</summary>{cut}"
        f"<pre>{text(raw[:_MOST_CHARS])}</pre></details></div>"
    )


def _section(record: AuditRecord, report: Report) -> str:
    """Return what a record holds, readable."""
    if record.stage == "compression" and report.summary is not None:
        return _compression(report.summary)
    if record.stage == "elimination" and report.judgement is not None:
        found = report.judgement
        return (
            f"<p>Preset {text(found.preset)}, minimum similarity {found.min_similarity:.2f}, minimum support "
            f"{found.min_support:.2f}. What was found of each claim stands under Claims, below.</p>"
        )
    if record.stage == audit.OVERRIDES and report.decisions is not None:
        return _decisions(report)
    if record.stage == "reconstruction" and report.assembled is not None:
        return _assembled(report)
    if record.stage == audit.CLOSING and report.closing is not None:
        closing = report.closing
        facts = (
            ("Messages", f"{closing.n_messages:,}, in order {order_name(closing.order)}"),
            ("Conversation digest", closing.conversation_digest),
        )
        listed = "".join(f"<dt>{name}</dt><dd>{text(fact)}</dd>" for name, fact in facts)
        return f"<dl>{listed}</dl>{notes(closing.warnings)}"
    return ""


def _compression(summary: Summary) -> str:
    table = ""
    if summary.messages:
        ranked = sorted(summary.messages, key=lambda m: (m.decision != "picked", m.rank or 0))
        table = "<h4>Messages</h4>" + _table(
            ("Message", "Decision", "Rank", "Relevance", "Tokens"),
            [
                (
                    text(m.id),
                    text(m.decision.replace("_", " ")),
                    "–" if m.rank is None else f"{m.rank:,}",
                    f"{m.relevance:.3f}",
                    f"{m.n_tokens:,}",
                )
                for m in ranked
            ],
            figures=(2, 3, 4),
        )
    said = text(summary.paragraph) if summary.paragraph else "empty"
    return f'<h4>Summary</h4><p class="mg-record-text">{said}</p>{table}'


def _decisions(report: Report) -> str:
    decided = report.decisions.overrides if report.decisions is not None else ()
    return _table(
        ("Claim", "Decision", "Note", "Without it", "When"),
        [
            (
                f"{text(o.claim_id)}: {text(o.claim_text)}",
                "Keep" if o.kept else "Drop",
                text(o.note) if o.note else "–",
                "the summary does not hold this claim"
                if o.measured is None
                else f"{fate_of(o.measured.label, kept=o.measured.kept).words}: {text(o.measured.detail)}",
                text(moment(o.made_at)) if o.made_at else "–",
            )
            for o in decided
        ],
    )


def _assembled(report: Report) -> str:
    if report.assembled is None:
        return ""
    payload = report.assembled.payload
    said = text(payload.text) if payload.text else "The context is empty."
    left = ""
    if payload.omitted:
        left = "<h4>Kept, but not in it</h4>" + _table(
            ("Claim", "Text", "Why"),
            [
                (text(o.claim_id), text(report.text_of(o.claim_id)), text(omission(o.reason)))
                for o in payload.omitted
            ],
        )
    return f'<h4>Context</h4><p class="mg-record-text">{said}</p>{left}'


def _table(header: Sequence[str], rows: Iterable[Sequence[str]], figures: Sequence[int] = ()) -> str:
    """Return a table of cells that are HTML already; ``figures`` are the columns of numbers."""
    every = list(rows)

    def css(column: int) -> str:
        return ' class="mg-figure"' if column in figures else ""

    head = "".join(f'<th scope="col"{css(n)}>{name}</th>' for n, name in enumerate(header))
    body = "".join(
        f"<tr>{''.join(f'<td{css(n)}>{cell}</td>' for n, cell in enumerate(row))}</tr>"
        for row in every[:_MOST_ROWS]
    )
    more = ""
    if len(every) > _MOST_ROWS:
        more = f'<p class="mg-lead">The first {_MOST_ROWS:,} of {len(every):,} are shown.</p>'
    return f'<table class="mg-record-table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}'


def _counting(record: AuditRecord, report: Report) -> list[tuple[str, str]]:
    """Return what counted the budget, and what the summarizer reads at once (F21)."""
    summary = report.summary
    if record.stage != "compression" or summary is None or not summary.token_counter:
        return []
    limit = summary.summarizer_context
    return [
        ("Budget counted with", summary.token_counter),
        ("Summarizer's own limit", f"{limit:,} tokens" if limit is not None else "not stated"),
    ]


def _moment(started_at: str) -> str:
    try:
        return f"{datetime.fromisoformat(started_at):%Y-%m-%d %H:%M:%S}"
    except ValueError:
        return text(started_at) if started_at else "–"
