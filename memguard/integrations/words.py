"""What became of a claim, in one line of plain text: for logs, annotations and failing tests."""

from __future__ import annotations

import re

from memguard import wire
from memguard.reports.words import counted, fate_of

_UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What moves a terminal's cursor, colours it, or turns the order of what is read."""


def one_line(text: str) -> str:
    """Return a text on one line, on which nothing is hidden: what controls a terminal is U+FFFD."""
    return _UNSHOWN.sub("\ufffd", " ".join(text.split()))


def claim_line(claim: wire.ClaimRow) -> str:
    """Return a claim's verdict: what became of it, where it rests, its words, and why it was dropped."""
    return one_line(f"{claim['id']} {described(claim)}")


def described(claim: wire.ClaimRow) -> str:
    """Return a claim's verdict without its id."""
    where = f" [{claim['evidence'][0]['message_id']}]" if claim["kept"] and claim["evidence"] else ""
    why = "" if claim["kept"] or claim["label"] == "not_a_claim" else f" ({claim['detail']})"
    return one_line(f"{fate(claim)}{where}: {claim['text']}{why}")


def fate(claim: wire.ClaimRow) -> str:
    """Return what became of a claim, such as ``dropped, contradicted by m4``."""
    by_person = claim["override"] is not None
    words = fate_of(claim["label"], kept=claim["kept"], reason=claim["reason"], by_person=by_person).words
    words = words.replace(": ", ", ")
    if claim["kept"] or by_person:
        return words
    if claim["label"] == "not_found":
        return words.replace("not found", "not found in the transcript")
    against = contradicting(claim)
    named = claim["label"] == "contradicted" and against is not None
    return one_line(f"{words} by {against}") if named else words


def contradicting(claim: wire.ClaimRow) -> str | None:
    """Return the message that contradicts a claim, where a guard names one."""
    against = (f["message_id"] for f in claim["findings"] if f["severity"] == "contradiction")
    return next((message_id for message_id in against if message_id is not None), None)


def summary_claims(result: wire.Result) -> list[wire.ClaimRow]:
    """Return the claims of the summary itself: without the transcript's own sentences that were added."""
    return [claim for claim in result["claims"] if claim["start"] is not None]


def is_dropped(claim: wire.ClaimRow) -> bool:
    """Return whether a claim counts as dropped; what is not a claim does not."""
    return not claim["kept"] and claim["label"] != "not_a_claim"


def nearest_line(place: wire.EvidenceRow) -> str:
    """Return a place of the transcript that a claim was compared with."""
    return one_line(f"{place['message_id']}: {place['text']}")


def tally(result: wire.Result) -> str:
    """Return how many claims are kept, and the head of the audit; of what failed, why."""
    if result["status"] == "error":
        return one_line("; ".join(result["warnings"]))
    claims = [claim for claim in summary_claims(result) if claim["label"] != "not_a_claim"]
    kept = sum(claim["kept"] for claim in claims)
    told = f"{kept} of {counted(len(claims), 'claim')} kept" if claims else "no checkable claims"
    return f"{told}; audit head {result['audit_head']}"
