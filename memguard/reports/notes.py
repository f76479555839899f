"""The Markdown report: what the HTML one says, for a ticket or a pull request.

Texts of the conversation stand in fenced blocks, where nothing is interpreted, each fence longer than
any run of backticks in its text; what stands in a line or a table is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from memguard.reports.parts import Claim, Place
from memguard.reports.reading import Report
from memguard.reports.words import (
    claim_fate,
    counted,
    fate_of,
    moment,
    omission,
    order_name,
    seconds,
    stage_name,
    value,
    why,
)

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>$:~&^=\"'@])")
_BACKTICKS = re.compile("`+")
_SHORTEST_FENCE = 3


def markdown_report(report: Report) -> str:
    """Return an audit as Markdown (CommonMark with tables)."""
    found = report.verification
    lines = [
        f"# MemGuard audit report{': ' if report.title else ''}{inline(report.title)}",
        "",
        f"Run {inline(report.run_id)}. "
        + (f"The chain is intact: {counted(found.n_records, 'record')}." if found.intact else ""),
    ]
    if not found.intact:
        lines += ["", f"**The chain is broken: {inline(found.message)}**"]
    lines += [
        f"- Line {fault.line} could not be read and is missing here: {inline(fault.message)}"
        for fault in report.faults
    ]
    for part in (_went_in, _came_out, _retained, _dropped, _overrides, _kept, _made_with, _chain):
        lines += ["", *part(report)]
    return "\n".join(lines).replace("\x00", "\ufffd") + "\n"


def inline(text: str) -> str:
    """Escape text for a line or a cell of Markdown; a line end becomes a break."""
    return "<br>".join(_SPECIAL.sub(r"\\\1", line) for line in text.splitlines())


def block(text: str) -> str:
    """Return text in a fence that it cannot close."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(_SHORTEST_FENCE, longest + 1)
    return f"{fence}text\n{text}\n{fence}"


def _went_in(report: Report) -> Iterator[str]:
    yield "## What went in"
    if report.closing is not None:
        closing = report.closing
        yield ""
        yield f"{counted(closing.n_messages, 'message')}, in order {inline(order_name(closing.order))}."
        yield f"Digest of the conversation: {inline(closing.conversation_digest)}"
        for warning in closing.warnings:
            yield f"- Note: {inline(warning)}"
    if report.summary is not None:
        yield ""
        yield "The summary was handed in:" if report.summary.given else "The summary:"
        yield ""
        yield block(report.summary.paragraph)


def _came_out(report: Report) -> Iterator[str]:
    yield "## What came out"
    yield ""
    if report.assembled is None:
        yield "Reconstruction was not recorded."
        return
    payload = report.assembled.payload
    status = inline(report.assembled.status)
    yield f"{payload.tokens:,} of {payload.budget:,} tokens allowed; status {status}."
    yield ""
    yield block(payload.text) if payload.text else "The context is empty."
    for item in payload.omitted:
        said = inline(report.text_of(item.claim_id))
        yield f"- {inline(item.claim_id)} was kept and left out, for {inline(omission(item.reason))}: {said}"


def _retained(report: Report) -> Iterator[str]:
    yield "## Key facts"
    yield ""
    found = report.retention
    if found is None or found.recall is None:
        yield "No key facts were recorded."
        return
    yield from _table(
        ("Class", "In the context", "In the conversation"),
        ((row.kind, f"{row.kept:,}", f"{row.total:,}") for row in found.by_class),
    )
    yield ""
    yield f"Recall over all classes: {found.recall:.2f}."
    if report.missing:
        yield ""
        yield from _table(
            ("Not in the context", "Class", "Message"),
            ((fact.text, fact.kind, fact.message_id) for fact in report.missing),
        )


def _dropped(report: Report) -> Iterator[str]:
    yield f"## Dropped claims ({len(report.dropped):,})"
    if not report.dropped:
        yield ""
        yield "No claim was dropped."
    for claim in report.dropped:
        yield ""
        yield from _claim(claim)


def _claim(claim: Claim) -> Iterator[str]:
    fate = claim_fate(claim)
    yield f"### {fate.meaning.glyph} {inline(claim.id)}: {fate.words}"
    yield ""
    yield block(claim.text)
    yield ""
    yield f"{inline(why(claim))} (similarity {claim.similarity:.3f}, support {claim.support:.3f})"
    for finding in claim.findings:
        yield f"- {inline(finding.guard)}, {inline(finding.severity)}: {inline(finding.detail)}"
    for name, place in zip(("Best evidence", "Second"), claim.evidence, strict=False):
        yield ""
        yield from _quote(name, place)


def _quote(name: str, place: Place) -> Iterator[str]:
    yield f"{name}, {inline(place.source)}, similarity {place.similarity:.3f}:"
    yield ""
    yield block(place.text)


def _overrides(report: Report) -> Iterator[str]:
    yield "## Overrides"
    yield ""
    if report.decisions is None or not report.decisions.overrides:
        yield "Nobody decided in place of the measurements."
        return
    yield from _table(
        ("Claim", "Decision", "Note", "Without it", "When"),
        (
            (
                f"{o.claim_id}: {o.claim_text}",
                "keep" if o.kept else "drop",
                o.note,
                "the summary does not hold this claim"
                if o.measured is None
                else f"{fate_of(o.measured.label, kept=o.measured.kept).words}: {o.measured.detail}",
                moment(o.made_at),
            )
            for o in report.decisions.overrides
        ),
    )


def _kept(report: Report) -> Iterator[str]:
    yield f"## Kept claims ({len(report.kept):,})"
    yield ""
    if not report.kept:
        yield "No claim was kept."
        return
    yield from _table(
        ("Claim", "Text", "Source", "Similarity", "Support"),
        (
            (
                c.id,
                c.text,
                c.evidence[0].source if c.evidence else "",
                f"{c.similarity:.3f}",
                f"{c.support:.3f}",
            )
            for c in report.kept
        ),
    )


def _made_with(report: Report) -> Iterator[str]:
    yield "## Models and settings"
    yield ""
    for role, name in report.models.items():
        yield f"- {inline(role)}: {inline(name)}"
    yield ""
    changed = report.changed_settings
    yield from _table(
        ("Setting", "Value", "Default"),
        (
            (name, value(set_to), value(changed[name][0]) if name in changed else "the same")
            for name, set_to in report.settings.items()
        ),
    )


def _chain(report: Report) -> Iterator[str]:
    yield "## The chain"
    yield ""
    yield f"Head: {inline(report.verification.head or 'none')}"
    yield ""
    yield from _table(
        ("No.", "Record", "Started", "Took", "Hash"),
        (
            (str(r.seq), stage_name(r.stage), moment(r.started_at), seconds(r.duration_s), r.hash)
            for r in report.records
        ),
    )


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(header)} |"
    yield f"|{' --- |' * len(header)}"
    for row in rows:
        yield f"| {' | '.join(inline(cell) for cell in row)} |"
