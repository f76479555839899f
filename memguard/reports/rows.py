"""The CSV of an audit: one row a claim, for a spreadsheet that must not run any of it.

A text cell that a spreadsheet would take for a formula gets an apostrophe in front, as OWASP advises
("CSV injection"): one that begins with ``=``, ``+``, ``-`` or ``@``, their full-width forms, a tab or a
line end. So does a cell that begins with an apostrophe, which makes it reversible: take one leading
apostrophe away, and the text is as it was. Numbers are written as numbers.
"""

from __future__ import annotations

import csv
import io

from memguard.reports.parts import Claim, Place
from memguard.reports.reading import Report
from memguard.reports.words import claim_fate, why

_RISKY = "=+-@\t\r\n'＝＋－＠"
HEADER = (
    "claim",
    "fate",
    "text",
    "why",
    "label",
    "kept",
    "reason",
    "similarity",
    "support",
    "best_source",
    "best_evidence",
    "best_similarity",
    "second_source",
    "second_evidence",
    "second_similarity",
    "findings",
    "override",
    "note",
)


def csv_report(report: Report) -> str:
    """Return every claim of an audit as CSV (RFC 4180), with a header."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(HEADER)
    writer.writerows(_row(claim) for claim in report.claims)
    return out.getvalue()


def neutralised(text: str) -> str:
    """Return text that no spreadsheet takes for a formula; NUL, which it cannot hold, becomes U+FFFD."""
    text = text.replace("\x00", "\ufffd")
    return f"'{text}" if text[:1] and text[0] in _RISKY else text


def _row(claim: Claim) -> list[str | float]:
    decision = claim.override
    findings = "; ".join(f"{f.guard}, {f.severity}: {f.detail}" for f in claim.findings)
    cells: list[str | float] = [
        claim.id,
        claim_fate(claim).words,
        claim.text,
        why(claim),
        claim.label,
        "yes" if claim.kept else "no",
        claim.reason,
        claim.similarity,
        claim.support,
        *_place(claim.evidence[0] if claim.evidence else None),
        *_place(claim.evidence[1] if len(claim.evidence) > 1 else None),
        findings,
        "" if decision is None else "keep" if decision.kept else "drop",
        "" if decision is None else decision.note,
    ]
    return [neutralised(cell) if isinstance(cell, str) else cell for cell in cells]


def _place(place: Place | None) -> list[str | float]:
    return ["", "", ""] if place is None else [place.source, place.text, place.similarity]
