"""The record of a run: a hash-chained JSONL, one record a stage, one of a person's overrides, a closing one.

Every record holds the hash of the one before it; the closing record holds the count. The chain
shows any edit that does not recompute it, truncation included; comparing the head with one that
was kept elsewhere shows recomputation too.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any

from memguard import wire
from memguard.compressor import Compression
from memguard.eliminator import Elimination
from memguard.errors import AuditError
from memguard.facts import KeyFact
from memguard.files import replace_text
from memguard.grounding.overrides import Override
from memguard.grounding.verdicts import judge
from memguard.reconstructor import Reconstruction
from memguard.selection import MessageDecision
from memguard.trace import Trace

SCHEMA = "memguard.audit/1"
CLOSING = "closing"
OVERRIDES = "overrides"
NO_MODEL = "none (passed through)"
_HEAD = re.compile("[0-9a-f]{64}")
GENESIS = "0" * 64
"""What the first record has for the hash before it."""


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """One link of the chain; ``hash`` covers every other field."""

    run_id: str
    seq: int
    stage: str
    settings: dict[str, Any]
    settings_digest: str
    model_ids: dict[str, str]
    input_digest: str
    output_digest: str
    detail: dict[str, Any]
    started_at: str
    duration_s: float
    prev_hash: str
    hash: str


@dataclass(frozen=True, slots=True)
class Verification:
    """What ``verify`` found.

    Attributes:
        intact: Whether the whole chain holds.
        n_records: Records read.
        head: Hash of the last record, if any.
        broken_at: One-based line of the first record that does not hold.
        message: One sentence for people.
    """

    intact: bool
    n_records: int
    head: str | None
    broken_at: int | None
    message: str


def records(trace: Trace) -> tuple[AuditRecord, ...]:
    """Return the chain of a trace: one record a finished stage, then the closing one.

    Where a person decided of claims, a record of that follows elimination: what the person wants, and
    what was measured.
    """
    settings = trace.settings.to_dict()
    shared = {
        "run_id": trace.run_id,
        "settings": settings,
        "settings_digest": digest(settings),
    }
    links: list[AuditRecord] = []
    before = trace.conversation.digest()
    for step in _steps(trace):
        after = digest(step["detail"])
        links.append(_link(links, **shared, **step, input_digest=before, output_digest=after))
        before = after
    return tuple(links)


def _steps(trace: Trace) -> list[dict[str, Any]]:
    """Return what each record of a trace's chain is about, in order; the last is the closing one."""
    steps: list[dict[str, Any]] = []
    for result, timing in zip(trace.results, trace.timings, strict=True):
        detail, models = _detail(result, trace)
        steps.append(_step(timing.stage, timing.started_at, timing.duration_s, detail, models))
        if isinstance(result, Elimination) and trace.overrides:
            made_at = max((o.made_at for o in trace.overrides if o.made_at is not None), default=None)
            decided = [_override_detail(override, result, trace) for override in trace.overrides]
            steps.append(_step(OVERRIDES, made_at, 0.0, {"overrides": decided}))
    closing = {
        "schema": SCHEMA,
        "records": len(steps) + 1,
        "conversation_digest": trace.conversation.digest(),
        "n_messages": len(trace.conversation),
        "order": trace.conversation.order,
        "warnings": wire.warnings(trace),
    }
    started_at = trace.timings[-1].started_at if trace.timings else None
    steps.append(_step(CLOSING, started_at, sum(t.duration_s for t in trace.timings), closing))
    return steps


def _step(
    stage: str,
    started_at: datetime | None,
    duration_s: float,
    detail: dict[str, Any],
    model_ids: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    return {
        "stage": stage,
        "model_ids": dict(model_ids or {}),
        "detail": detail,
        "started_at": started_at.isoformat() if started_at is not None else "",
        "duration_s": round(duration_s, wire.DECIMALS),
    }


def head(chain: Sequence[AuditRecord]) -> str:
    """Return the hash of the last record, which vouches for all of them."""
    return chain[-1].hash if chain else GENESIS


def dumps(chain: Iterable[AuditRecord]) -> str:
    """Return the chain as JSONL."""
    return "".join(_canonical(asdict(record)) + "\n" for record in chain)


def write(path: str | Path, chain: Iterable[AuditRecord]) -> None:
    """Write the chain: to a temporary file beside ``path``, which then takes its place.

    A process that is killed while it writes leaves the earlier file as it was.

    Raises:
        AuditError: The file cannot be written.
    """
    try:
        replace_text(Path(path), dumps(chain))
    except OSError as error:
        raise AuditError(f"{path}: cannot be written ({error.strerror})") from error


def verify(path: str | Path, *, expected_head: str | None = None) -> Verification:
    """Check an audit file, and name the first record that does not hold.

    Args:
        path: A JSONL audit.
        expected_head: A head that was kept elsewhere; shows a recomputed chain too.

    Raises:
        AuditError: The file cannot be read.
    """
    try:
        # Not as text: reading that would turn other line ends into ours and hide an edit.
        text = Path(path).read_bytes().decode("utf-8")
    except OSError as error:
        raise AuditError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise AuditError(f"{path}: not UTF-8 text at byte {error.start}") from error
    return verify_text(text, expected_head=expected_head)


def verify_text(text: str, *, expected_head: str | None = None) -> Verification:
    """Check the JSONL text of an audit, as ``verify`` does."""
    lines = text.split("\n")
    unended = lines.pop()
    if unended:
        lines.append(unended)
    previous: dict[str, Any] | None = None
    for number, line in enumerate(lines, start=1):
        fault, row = _fault(line, number, previous)
        if fault is not None:
            before = previous["hash"] if previous else None
            return Verification(False, len(lines), before, number, f"record {number} is broken: {fault}")
        previous = row
    if previous is None:
        return Verification(False, 0, None, 1, "the audit holds no record")
    if unended:
        message = f"the audit is cut off inside record {len(lines)}: its line has no end"
        return Verification(False, len(lines), previous["hash"], len(lines), message)
    if previous["stage"] != CLOSING:
        message = f"the audit is cut off after record {len(lines)}: the closing record is missing"
        return Verification(False, len(lines), previous["hash"], len(lines) + 1, message)
    if expected_head is not None and not _HEAD.fullmatch(expected_head.strip().lower()):
        message = f"the head to compare with must have 64 hexadecimal digits; got {expected_head!r}"
        return Verification(False, len(lines), previous["hash"], None, message)
    if expected_head is not None and expected_head.strip().lower() != previous["hash"]:
        message = (
            f"every record holds, but the head is {previous['hash']}, not the expected {expected_head}: "
            "the chain was recomputed or belongs to another run"
        )
        return Verification(False, len(lines), previous["hash"], len(lines), message)
    return Verification(True, len(lines), previous["hash"], None, f"{len(lines)} records, all intact")


def digest(value: Any) -> str:
    """Return the SHA-256 of a value's canonical JSON, as hexadecimal."""
    return hashlib.sha256(_canonical(value).encode()).hexdigest()


def _fault(line: str, number: int, previous: dict[str, Any] | None) -> tuple[str | None, dict[str, Any]]:
    try:
        row = json.loads(line)
        canonical = _canonical(row)
    except (ValueError, RecursionError) as error:  # a number of thousands of digits is a ValueError
        return f"not a JSON object ({error})", {}
    names = [item.name for item in fields(AuditRecord)]
    if not isinstance(row, dict) or sorted(row) != sorted(names):
        return f"it must have exactly the fields {', '.join(names)}", {}
    if canonical != line:
        return "it is not written in canonical JSON", row
    if row["hash"] != _hash(row):
        return "its content does not match its hash", row
    if row["prev_hash"] != (previous["hash"] if previous else GENESIS):
        return "it does not continue the record before it", row
    if type(row["seq"]) is not int or row["seq"] != number - 1:
        return f"its number is {row['seq']!r} where {number - 1} is due", row
    if previous is not None and previous["stage"] == CLOSING:
        return "it follows the closing record", row
    fault = _broken_digest(row, previous)
    if fault is not None:
        return fault, row
    if row["stage"] == CLOSING:
        counted = row["detail"].get("records") if isinstance(row["detail"], dict) else None
        if type(counted) is not int or counted != number:
            return f"the closing record counts {counted!r} records, {number} are here", row
    return None, row


def _broken_digest(row: dict[str, Any], previous: dict[str, Any] | None) -> str | None:
    """Return what does not fit of a record whose own hash holds: its digests must be those of its content."""
    if row["settings_digest"] != digest(row["settings"]):
        return "its settings do not match their digest"
    if row["output_digest"] != digest(row["detail"]):
        return "its detail does not match its output digest"
    if previous is not None and row["input_digest"] != previous["output_digest"]:
        return "its input is not the output of the record before it"
    if previous is not None and row["run_id"] != previous["run_id"]:
        return "it belongs to another run than the record before it"
    return None


def _link(links: Sequence[AuditRecord], **values: Any) -> AuditRecord:
    row = {**values, "seq": len(links), "prev_hash": head(links)}
    return AuditRecord(**row, hash=_hash(row))


def _hash(row: Mapping[str, Any]) -> str:
    return digest({key: value for key, value in row.items() if key != "hash"})


def _canonical(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _detail(result: object, trace: Trace) -> tuple[dict[str, Any], dict[str, str]]:
    """Return a stage's rows as the wire form has them, and the models that made them."""
    if isinstance(result, Compression):
        if result.given:
            return {"given": True, "paragraph": result.paragraph}, {}
        models = {"embedder": result.embedder, "summarizer": result.summarizer or NO_MODEL}
        return _compression_detail(result), models
    if isinstance(result, Elimination):
        claims = [row for row in wire.claim_rows(trace) if row["start"] is not None]
        settings = trace.settings.elimination
        detail = {
            "preset": settings.preset,
            "min_similarity": settings.min_similarity,
            "min_support": settings.min_support,
            "n_candidates": result.n_candidates,
            "n_kept": len(result.kept),
            "n_dropped": len(result.dropped),
            "claims": [_claim_detail(row, trace) for row in claims],
            "facts": [_fact_detail(fact, trace) for fact in result.facts],
            "quotes": _quote_details(result, trace),
        }
        models = {"embedder": result.embedder}
        return detail, models | ({"entailment": result.entailment} if result.entailment else {})
    if isinstance(result, Reconstruction):
        added = [row for row in wire.claim_rows(trace) if row["start"] is None]
        payload = {**wire.payload_row(result), "budget": result.budget}
        detail = {"payload": payload, "status": result.status.value, "verbatim": added}
        retention: dict[str, Any] = dict(wire.retention_row(result))
        retention["missing"] = list(result.omissions.missing)
        return {**detail, "retention": retention}, {}
    raise AuditError(f"no record is defined for {type(result).__name__}")


def _compression_detail(result: Compression) -> dict[str, Any]:
    row: dict[str, Any] = dict(wire.compression_row(result))
    row["messages"] = [
        {**short, **_selection_detail(decision)}
        for short, decision in zip(row["messages"], result.messages, strict=True)
    ]
    row["tokens_selected"] = result.tokens_selected
    row["token_counter"] = result.token_counter
    row["summarizer_context"] = result.summarizer_context
    return row


def _claim_detail(row: wire.ClaimRow, trace: Trace) -> dict[str, Any]:
    """Return the row of a claim with, for every evidence, who said it and where in the input (A22)."""
    evidence = []
    for place in row["evidence"]:
        message = trace.conversation.message(place["message_id"])
        who = {"role": message.role, "speaker": message.speaker_name}
        evidence.append({**place, "index": message.index, **who})
    return {**row, "evidence": evidence}


def _fact_detail(fact: KeyFact, trace: Trace) -> dict[str, Any]:
    """Return a key fact: what it is, where it stands, and what replaced it."""
    return {
        "id": fact.id,
        "kind": fact.kind.value,
        "message_id": fact.span.message_id,
        "start": fact.span.start,
        "end": fact.span.end,
        "text": trace.conversation.text(fact.span),
        "weight": wire.rounded(fact.weight),
        "superseded_by": fact.superseded_by,
    }


def _quote_details(result: Elimination, trace: Trace) -> list[dict[str, Any]]:
    """Return what might be quoted for key facts, as it was judged; nothing where rescue is off."""
    judged = {verdict.claim.id: verdict for verdict in result.rescuable}
    return [
        {
            "id": quote.claim.id,
            "message_id": quote.span.message_id,
            "start": quote.span.start,
            "end": quote.span.end,
            "text": trace.conversation.text(quote.span),
            "facts": list(quote.facts),
            "label": verdict.label.value,
            "kept": verdict.kept,
            "reason": verdict.reason.value,
            "detail": verdict.detail,
        }
        for quote in result.quotes
        if (verdict := judged.get(quote.claim.id)) is not None
    ]


def _override_detail(override: Override, result: Elimination, trace: Trace) -> dict[str, Any]:
    """Return what a person decided of a claim, and what would have become of it; null where it is gone."""
    scored = next((s for s in (*result.scored, *result.quoted) if override.fits(s.claim)), None)
    measured = None
    if scored is not None:
        verdict = judge(scored, trace.settings.elimination)
        measured = {
            "label": verdict.label.value,
            "kept": verdict.kept,
            "reason": verdict.reason.value,
            "detail": verdict.detail,
        }
    return {
        "claim_id": override.claim_id,
        "claim_text": override.claim_text,
        "kept": override.kept,
        "note": override.note,
        "made_at": override.made_at.isoformat() if override.made_at is not None else "",
        "measured": measured,
    }


def _selection_detail(decision: MessageDecision) -> dict[str, Any]:
    def rounded(value: float | None) -> float | None:
        return None if value is None else wire.rounded(value)

    return {
        "index": decision.index,
        "mmr_score": rounded(decision.mmr_score),
        "max_similarity": rounded(decision.max_similarity),
        "n_tokens": decision.n_tokens,
        "truncated": decision.used_chars is not None,
        "used_chars": decision.used_chars,
        "n_chunks": decision.n_chunks,
    }
