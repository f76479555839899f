"""The audit chain as HTML: pure functions over its records."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime

from memguard.audit import CLOSING, AuditRecord, Verification
from memguard.charts import counted
from pages._ui.render import attribute, icon, seconds, text

_SHORT = 12


def verdict(found: Verification) -> str:
    """Return what the verification found, in one line, and the head."""
    kind, symbol, words, more = (
        ("kept", "verified", "The chain is intact", counted(found.n_records, "record"))
        if found.intact
        else ("contradicted", "gpp_bad", "The chain is broken", found.message)
    )
    return (
        f'<div class="mg-verdict mg-{kind}">{icon(symbol)}<b>{words}</b>'
        f"<span>{text(more)}</span></div>"
        f'<div class="mg-hash"><span>Head</span><code>{text(found.head or "none")}</code></div>'
        '<p class="mg-description">Note the head elsewhere: '
        "<code>memguard verify FILE --head HEAD</code> then also detects a rewritten chain.</p>"
    )


def table(records: Sequence[AuditRecord]) -> str:
    """Return the chain as a table; each row opens to its whole record."""
    head = "".join(
        f'<span class="{kind}">{name}</span>'
        for name, kind in (
            ("Record", "mg-figure"),
            ("Stage", ""),
            ("Started (UTC)", ""),
            ("Duration", "mg-figure"),
            ("Previous hash", ""),
            ("Hash", ""),
            ("", ""),
        )
    )
    rows = "".join(_row(record) for record in records)
    return (
        '<div class="mg-chain" aria-label="Audit chain">'
        f'<div class="mg-chain-row mg-chain-head">{head}</div>{rows}</div>'
    )


def _row(record: AuditRecord) -> str:
    name = "Closing record" if record.stage == CLOSING else record.stage.capitalize()
    cells = (
        f'<span class="mg-figure">{record.seq}</span><b>{text(name)}</b>'
        f"<span>{_moment(record.started_at)}</span>"
        f'<span class="mg-figure">{seconds(record.duration_s)}</span>'
        f"{_hash(record.prev_hash)}{_hash(record.hash)}"
        f'<span class="mg-open">{icon("expand_more", "open")}</span>'
    )
    return (
        f'<details class="mg-record"><summary class="mg-chain-row">{cells}</summary>'
        f"{_record(record)}</details>"
    )


def _record(record: AuditRecord) -> str:
    facts = [
        ("Models", ", ".join(f"{role}: {model}" for role, model in record.model_ids.items()) or "none"),
        *_counting(record),
        ("Input digest", record.input_digest),
        ("Output digest", record.output_digest),
        ("Settings digest", record.settings_digest),
        ("Run", record.run_id),
    ]
    listed = "".join(f"<dt>{name}</dt><dd>{text(value)}</dd>" for name, value in facts)
    detail = json.dumps(record.detail, ensure_ascii=False, indent=2)
    settings = json.dumps(record.settings, ensure_ascii=False, indent=2)
    return (
        f'<div class="mg-record-body"><dl>{listed}</dl>'
        f"<h4>What the stage did</h4><pre>{text(detail)}</pre>"
        f"<details><summary>Settings of the run</summary><pre>{text(settings)}</pre></details></div>"
    )


def _counting(record: AuditRecord) -> list[tuple[str, str]]:
    """Return what counted the budget, and what the summarizer reads at once (F21)."""
    if "token_counter" not in record.detail:
        return []
    limit = record.detail["summarizer_context"]
    return [
        ("Budget counted with", str(record.detail["token_counter"])),
        ("Summarizer's own limit", f"{limit:,} tokens" if limit is not None else "not stated"),
    ]


def _hash(value: str) -> str:
    return f'<code title="{attribute(value)}">{text(value[:_SHORT])}…</code>'


def _moment(started_at: str) -> str:
    if not started_at:
        return "–"
    return f"{datetime.fromisoformat(started_at):%Y-%m-%d %H:%M:%S}"
