"""Entries as HTML: the rows of the table, one entry in full, and what a store holds. Pure functions.

All text of a memory goes through ``render``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from memguard.audit import Verification
from memguard.charts import counted
from memguard.memory.chain import StoreRecord
from memguard.memory.maintenance import STEPS
from memguard.memory.rows import Status, StoredEntry
from memguard.memory.store import StoreStats
from memguard.memory.wording import entry_to_text
from pages._ui.render import attribute, icon, text

GLYPHS: dict[Status, str] = {
    Status.ACTIVE: "●",
    Status.SUPERSEDED: "○",
    Status.ARCHIVED: "□",
    Status.DELETED: "✕",
}
STATUS_WORDS: dict[Status, str] = {
    Status.ACTIVE: "Active: it may be given out",
    Status.SUPERSEDED: "Superseded: another entry stands for it now; kept as history",
    Status.ARCHIVED: "Archived: put away, and can be restored",
    Status.DELETED: "Deleted: not given out, and can be restored",
}
STEP_NAMES: dict[str, str] = dict(
    zip(
        STEPS,
        (
            "Out of memory",
            "Time is over",
            "Contradictions",
            "Noise",
            "Near-duplicates",
            "Summary",
            "Staleness",
        ),
        strict=True,
    )
)
_DAY_S = 86_400
_KB = 1_024


def named(value: str) -> str:
    """Return a value of the program as a label: ``long_term`` is "Long term"."""
    words = value.replace("_", " ")
    return words[:1].upper() + words[1:]


def age(stored: StoredEntry, now: datetime) -> str:
    """Return how long ago an entry was made, in one unit."""
    days = int((now.timestamp() - stored.entry.timestamp) // _DAY_S)
    if days < 1:
        return "today"
    if days < 60:
        return counted(days, "day")
    return counted(days // 30, "month") if days < 730 else counted(days // 365, "year")


def legend() -> str:
    """Return what the signs of a lineage mean."""
    signs = "".join(f"<span>{glyph} {status.value}</span>" for status, glyph in GLYPHS.items())
    return f'<p class="mg-mem-legend">{signs}<span>Left: sources. Right: what stands for them.</span></p>'


def head() -> str:
    """Return the names of the columns."""
    names = ("Memory", "Type", "Confidence", "Privacy", "Age")
    cells = "".join(f"<span>{name}</span>" for name in names)
    return f'<div class="mg-mem-row mg-mem-head" aria-hidden="true"><span></span>{cells}</div>'


def rows(items: Iterable[StoredEntry], now: datetime) -> str:
    """Return the table's rows, one option each."""
    return "".join(
        f'<li class="mg-drop mg-mem-row mg-mem-{item.status.value}" role="option" id="mg-mem-{number}" '
        f'data-claim="{attribute(item.id)}" aria-selected="false">'
        f'<span class="mg-mem-glyph" role="img" title="{STATUS_WORDS[item.status]}" '
        f'aria-label="{item.status.value}">{GLYPHS[item.status]}</span>'
        f'<span class="mg-drop-text">{text(entry_to_text(item.entry.content))}</span>'
        f"<span>{named(item.entry.memory_type.value)}</span>"
        f"<span>{_known(item.details.confidence)}</span>"
        f"<span>{_known(item.details.privacy_status)}</span>"
        f'<span class="mg-figure">{age(item, now)}</span></li>'
        for number, item in enumerate(items)
    )


def entry(item: StoredEntry, now: datetime) -> str:
    """Return one entry in full, without its lineage."""
    details = item.details
    facts: list[tuple[str, str, str]] = [
        ("Type", named(item.entry.memory_type.value), "The kind of memory"),
        ("Confidence", _known(details.confidence), "How far it can be relied on"),
        ("Staleness", _known(details.staleness_risk), "The risk that it no longer holds"),
        ("Durability", _known(details.durability), "How long what was said can be expected to hold"),
        ("Privacy", _known(details.privacy_status), "How private it is, once it went through the gate"),
        ("Importance", f"{item.entry.importance:.2f}", "From 0 to 1"),
        ("Made", f"{_day(item.entry.timestamp)}, {_ago(item, now)}", "When it was said"),
        ("Came from", _known(details.origin), "How it entered the store"),
        ("Version", f"{item.version:,}", "1 when added, one more with each change"),
    ]
    if details.expires_at is not None:
        over = " (over)" if item.expired else ""
        facts.append(("Ends", f"{_day(float(details.expires_at))}{over}", "Then it is no longer given out"))  # type: ignore[arg-type]
    if details.tokens_in is not None and details.tokens_out is not None:
        facts.append(
            ("Tokens", f"{details.tokens_in:,} → {details.tokens_out:,}", "Before and after capture")
        )
    if details.embedding_model is not None:
        facts.append(("Embedding", text(details.embedding_model), "The model that made its vector"))
    listed = "".join(
        f'<div title="{attribute(title)}"><dt>{name}</dt><dd>{value}</dd></div>'
        for name, value, title in facts
    )
    tags = "".join(f'<span class="mg-mem-tag">{text(tag)}</span>' for tag in item.entry.tags)
    raw = (
        f'<h3 class="mg-subhead">As it was said</h3><p class="mg-mem-raw">{text(details.text_raw)}</p>'
        if details.text_raw
        else ""
    )
    return (
        f'<div class="mg-mem-entry"><div class="mg-mem-state"><span aria-hidden="true">'
        f"{GLYPHS[item.status]}</span><span>{STATUS_WORDS[item.status]}</span>"
        f'<code title="{attribute(item.id)}">{text(item.id)}</code></div>'
        f'<p class="mg-mem-said">{text(entry_to_text(item.entry.content))}</p>'
        f'{f"<p>{tags}</p>" if tags else ""}{raw}<dl class="mg-mem-facts">{listed}</dl></div>'
    )


def figures(stats: StoreStats) -> str:
    """Return a store's headline figures."""
    count = stats.by_status
    history = count.get("superseded", 0) + count.get("archived", 0) + count.get("deleted", 0)
    size = "in memory" if stats.store_bytes is None else f"{stats.store_bytes / _KB:,.0f} KB"
    parts = (
        ("Active entries", f"{count.get('active', 0):,}", "May be given out"),
        ("History", f"{history:,}", "Superseded, archived or deleted; none is lost"),
        ("With an embedding", f"{stats.n_embedded:,}", "Of all entries; only these can merge"),
        ("Earlier versions", f"{stats.n_versions:,}", "Kept, so that each change can be undone"),
        ("Records", f"{stats.n_records:,}", "One for each write, in one chain"),
        ("Size", size, "Of the whole store"),
    )
    return figure_row(parts)


def figure_row(parts: Iterable[tuple[str, str, str]]) -> str:
    """Return headline figures: name, value, what a pointer reads. Values are HTML."""
    return (
        '<dl class="mg-figures">'
        + "".join(
            f'<div class="mg-headline" title="{attribute(title)}"><dt>{name}</dt><dd>{value}</dd></div>'
            for name, value, title in parts
        )
        + "</dl>"
    )


def verified(found: Verification) -> str:
    """Return what checking the chain found, with its head."""
    css, mark = ("kept", "verified_user") if found.intact else ("contradicted", "gpp_bad")
    words = "The chain is intact" if found.intact else "The chain does not hold"
    head = (
        f'<div class="mg-hash"><span>Head</span><code>{text(found.head)}</code></div>' if found.head else ""
    )
    return (
        f'<div class="mg-verdict mg-{css}" role="status">{icon(mark)}<span><b>{words}.</b> '
        f"{text(found.message)}.</span></div>{head}"
    )


def records(found: Sequence[StoreRecord]) -> str:
    """Return records, the newest first; each names entries and holds none of their text."""
    lines = "".join(
        f'<li class="mg-mem-record"><span class="mg-figure">{record.seq}</span>'
        f"<b>{text(action(record.action))}</b>"
        f"<span>{counted(_n_entries(record), 'entry', 'entries')}</span>"
        f"<time>{record.at[:19].replace('T', ' ')} UTC</time>"
        f'<code title="{record.hash}">{record.hash[:12]}</code></li>'
        for record in sorted(found, key=lambda record: -record.seq)
    )
    return f'<ol class="mg-mem-records" aria-label="Records of the store">{lines}</ol>'


def action(name: str) -> str:
    """Return the name of a write for people: ``maintain.noise`` is "Maintenance: Noise"."""
    step = name.removeprefix("maintain.")
    return f"Maintenance: {STEP_NAMES[step]}" if step != name and step in STEP_NAMES else named(name)


def hint(title: str, advice: str) -> str:
    """Return an empty state; both parts are text."""
    return f'<div class="mg-hint"><b>{text(title)}</b><p>{text(advice)}</p></div>'


def _n_entries(record: StoreRecord) -> int:
    return len({change["id"] for change in record.detail.get("changes", ()) if "id" in change})


def _known(value: str | None) -> str:
    return text(named(value)) if value else "–"


def _day(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment, UTC):%d %b %Y}"


def _ago(item: StoredEntry, now: datetime) -> str:
    shown = age(item, now)
    return shown if shown == "today" else f"{shown} ago"
