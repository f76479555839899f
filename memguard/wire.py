"""The wire form: the result as other programs read it, ``memguard.result/1``.

Changes only with its version number. Numbers carry six decimals, since vectors differ in the
seventh between machines. With ``privacy.redact`` all texts and ids are the shown ones, and offsets into
messages those of the untouched text.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypedDict

from memguard.compressor import Compression
from memguard.eliminator import Elimination
from memguard.grounding import verdicts
from memguard.grounding.verdicts import Verdict
from memguard.messages import Conversation
from memguard.outgoing import view
from memguard.reconstructor import Omission, Reconstruction
from memguard.selection import MessageDecision
from memguard.trace import Trace

SCHEMA = "memguard.result/1"
DECIMALS = verdicts.DECIMALS


class MessageRow(TypedDict):
    """One message of the selection; ``stand_ins`` entered in place of its tool calls, code and logs."""

    id: str
    relevance: float
    rank: int | None
    decision: str
    reason: str
    beside: str | None
    round: int
    stand_ins: list[str]


class RoundRow(TypedDict):
    """One round of a history that grew."""

    number: int
    first: str
    last: str
    n_messages: int
    paragraph: str
    summarizer: str | None


class CompressionRow(TypedDict):
    """Stage 1; null in a result of ``check``."""

    paragraph: str
    picked: list[int]
    tokens_in: int
    tokens_out: int
    messages: list[MessageRow]
    rounds: list[RoundRow]


class EvidenceRow(TypedDict):
    """One place of the transcript."""

    message_id: str
    start: int
    end: int
    text: str
    similarity: float


class FindingRow(TypedDict):
    """What a guard saw."""

    guard: str
    severity: str
    claim_span: list[int]
    message_id: str | None
    evidence_span: list[int] | None
    detail: str


class OverrideRow(TypedDict):
    """What a person decided of a claim."""

    kept: bool
    note: str


class ClaimRow(TypedDict):
    """One claim, judged; ``start`` and ``end`` are null for a verbatim source sentence.

    ``unsupported`` and a finding's ``claim_span`` are offsets into the claim's ``text``. ``override`` is
    null where nobody decided in place of the measurements; ``label``, ``similarity``, ``support`` and
    ``findings`` are what was measured either way.
    """

    id: str
    text: str
    start: int | None
    end: int | None
    judged_as: str
    label: str
    kept: bool
    reason: str
    similarity: float
    support: float
    detail: str
    unsupported: list[list[int]]
    evidence: list[EvidenceRow]
    findings: list[FindingRow]
    override: OverrideRow | None


class CitationRow(TypedDict):
    """Which messages a claim of the payload comes from."""

    claim_id: str
    message_ids: list[str]


class OmittedRow(TypedDict):
    """A kept claim that is not in the payload."""

    claim_id: str
    reason: str


class PayloadRow(TypedDict):
    """Stage 3."""

    text: str
    tokens: int
    citations: list[CitationRow]
    omitted: list[OmittedRow]


class FactRow(TypedDict):
    """A key fact of the conversation; ``kept`` is null for one that a later one replaced."""

    id: str
    kind: str
    message_id: str
    start: int
    end: int
    text: str
    kept: bool | None


class ClassRow(TypedDict):
    """How many key facts of one class the payload states."""

    kind: str
    kept: int
    total: int


class RetentionRow(TypedDict):
    """How much of the key facts the payload states; ``recall`` is null where there are none.

    ``rescued`` are the claims among ``claims`` that are the transcript's own words; ``left_out`` are those
    that might have entered for a key fact and did not, and why.
    """

    recall: float | None
    by_class: list[ClassRow]
    rescued: list[str]
    left_out: list[OmittedRow]


class Models(TypedDict):
    """Which models really ran; null where none did."""

    embedder: str | None
    summarizer: str | None
    entailment: str | None


class Result(TypedDict):
    """One run or check."""

    schema: str
    id: str
    models: Models
    settings: dict[str, Any]
    compression: CompressionRow | None
    claims: list[ClaimRow]
    payload: PayloadRow
    facts: list[FactRow]
    retention: RetentionRow
    audit_head: str | None
    status: str
    warnings: list[str]


def result(trace: Trace, *, audit_head: str | None, id: str | None = None) -> Result:
    """Return the wire form of a complete trace.

    Args:
        trace: Through all three stages.
        audit_head: Hash of the last record of its audit.
        id: The caller's name for it; the run's id by default.

    Raises:
        StageOrderError: A stage has not run.
    """
    trace = view(trace)
    compression, elimination = trace[Compression], trace[Elimination]
    reconstruction = trace[Reconstruction]
    return {
        "schema": SCHEMA,
        "id": id if id is not None else trace.run_id,
        "models": {
            "embedder": elimination.embedder,
            "summarizer": compression.summarizer or None,
            "entailment": elimination.entailment or None,
        },
        "settings": trace.settings.to_dict(),
        "compression": None if compression.given else compression_row(compression),
        "claims": claim_rows(trace),
        "payload": payload_row(reconstruction),
        "facts": fact_rows(trace),
        "retention": retention_row(reconstruction),
        "audit_head": audit_head,
        "status": reconstruction.status.value,
        "warnings": warnings(trace),
    }


def failure(message: str, *, id: str | None) -> Result:
    """Return the wire form of an input that could not be processed; the message is its warning."""
    return {
        "schema": SCHEMA,
        "id": id or "",
        "models": {"embedder": None, "summarizer": None, "entailment": None},
        "settings": {},
        "compression": None,
        "claims": [],
        "payload": {"text": "", "tokens": 0, "citations": [], "omitted": []},
        "facts": [],
        "retention": {"recall": None, "by_class": [], "rescued": [], "left_out": []},
        "audit_head": None,
        "status": "error",
        "warnings": [message],
    }


def warnings(trace: Trace) -> list[str]:
    """Return what reading and every stage have to say, in order, and last of reading what was redacted."""
    trace = view(trace)
    compression, elimination = trace.get(Compression), trace.get(Elimination)
    reconstruction = trace.get(Reconstruction)
    return [
        *trace.conversation.warnings,
        *(compression.warnings if compression is not None else ()),
        *(elimination.warnings if elimination is not None else ()),
        *(reconstruction.warnings if reconstruction is not None else ()),
    ]


def compression_row(compression: Compression) -> CompressionRow:
    """Return the wire form of stage 1."""
    return {
        "paragraph": compression.paragraph,
        "picked": list(compression.picked),
        "tokens_in": compression.tokens_in,
        "tokens_out": compression.tokens_out,
        "messages": [_message_row(m) for m in compression.messages],
        "rounds": [
            {
                "number": one.number,
                "first": one.first,
                "last": one.last,
                "n_messages": one.n_messages,
                "paragraph": one.paragraph,
                "summarizer": one.summarizer or None,
            }
            for one in compression.rounds
        ],
    }


def claim_rows(trace: Trace) -> list[ClaimRow]:
    """Return every claim of the paragraph, then the verbatim sentences, if any."""
    trace = view(trace)
    reconstruction = trace.get(Reconstruction)
    added = reconstruction.verbatim if reconstruction is not None else ()
    return [_claim_row(v, trace.conversation) for v in (*trace[Elimination].verdicts, *added)]


def payload_row(reconstruction: Reconstruction) -> PayloadRow:
    """Return the wire form of stage 3."""
    return {
        "text": reconstruction.text,
        "tokens": reconstruction.tokens,
        "citations": [
            {"claim_id": p.claim_id, "message_ids": list(p.message_ids)} for p in reconstruction.pieces
        ],
        "omitted": _omitted_rows(reconstruction.omitted),
    }


def fact_rows(trace: Trace) -> list[FactRow]:
    """Return every key fact of the conversation, and whether the payload states it."""
    trace = view(trace)
    kept = frozenset(trace[Reconstruction].omissions.kept)
    return [
        {
            "id": fact.id,
            "kind": fact.kind.value,
            "message_id": fact.span.message_id,
            "start": fact.span.start,
            "end": fact.span.end,
            "text": trace.conversation.text(fact.span),
            "kept": fact.id in kept if fact.superseded_by is None else None,
        }
        for fact in trace[Elimination].facts
    ]


def retention_row(reconstruction: Reconstruction) -> RetentionRow:
    """Return how much of the key facts the payload states."""
    report = reconstruction.omissions
    return {
        "recall": None if report.recall is None else rounded(report.recall),
        "by_class": [
            {"kind": row.kind.value, "kept": row.kept, "total": row.total} for row in report.by_class
        ],
        "rescued": [verdict.claim.id for verdict in reconstruction.verbatim],
        "left_out": _omitted_rows(reconstruction.unquoted),
    }


def _omitted_rows(omitted: Iterable[Omission]) -> list[OmittedRow]:
    return [{"claim_id": o.claim_id, "reason": o.reason.value} for o in omitted]


def _message_row(decision: MessageDecision) -> MessageRow:
    return {
        "id": decision.message_id,
        "relevance": rounded(decision.relevance),
        "rank": decision.rank,
        "decision": decision.decision.value,
        "reason": decision.reason.value,
        "beside": decision.beside,
        "round": decision.round,
        "stand_ins": list(decision.stand_ins),
    }


def _claim_row(verdict: Verdict, conversation: Conversation) -> ClaimRow:
    claim = verdict.claim
    return {
        "id": claim.id,
        "text": claim.text,
        "start": claim.span[0] if claim.span else None,
        "end": claim.span[1] if claim.span else None,
        "judged_as": claim.judged_as,
        "label": verdict.label.value,
        "kept": verdict.kept,
        "reason": verdict.reason.value,
        "similarity": rounded(verdict.similarity),
        "support": rounded(verdict.support),
        "detail": verdict.detail,
        "unsupported": [list(span) for span in verdict.unsupported],
        "evidence": [
            {
                "message_id": e.span.message_id,
                "start": e.span.start,
                "end": e.span.end,
                "text": conversation.text(e.span),
                "similarity": rounded(e.similarity),
            }
            for e in verdict.evidence
        ],
        "findings": [
            {
                "guard": f.guard,
                "severity": f.severity.value,
                "claim_span": list(f.claim_span),
                "message_id": f.evidence_span.message_id if f.evidence_span else None,
                "evidence_span": [f.evidence_span.start, f.evidence_span.end] if f.evidence_span else None,
                "detail": f.detail,
            }
            for f in verdict.findings
        ],
        "override": (
            None
            if verdict.override is None
            else {"kept": verdict.override.kept, "note": verdict.override.note}
        ),
    }


def rounded(value: float) -> float:
    """Return a number as the wire form and the digests have it; never minus zero."""
    return round(value, DECIMALS) + 0.0
