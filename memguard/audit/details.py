"""What a record says of its stage: the wire form's rows, with what the audit alone holds."""

from __future__ import annotations

from typing import Any

from memguard import wire
from memguard.compressor import Compression
from memguard.eliminator import Elimination
from memguard.errors import AuditError
from memguard.facts import KeyFact
from memguard.grounding.overrides import Override
from memguard.grounding.verdicts import judge
from memguard.reconstructor import Reconstruction
from memguard.selection import MessageDecision
from memguard.trace import Trace

NO_MODEL = "none (passed through)"


def of_stage(result: object, trace: Trace) -> tuple[dict[str, Any], dict[str, str]]:
    """Return a stage's rows as the wire form has them, and the models that made them."""
    if isinstance(result, Compression):
        if result.given:
            return {"given": True, "paragraph": result.paragraph}, {}
        models = {"embedder": result.embedder, "summarizer": result.summarizer or NO_MODEL}
        return _compression(result), models
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
            "claims": [_claim(row, trace) for row in claims],
            "facts": [_fact(fact, trace) for fact in result.facts],
            "quotes": _quotes(result, trace),
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


def of_override(override: Override, result: Elimination, trace: Trace) -> dict[str, Any]:
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


def _compression(result: Compression) -> dict[str, Any]:
    row: dict[str, Any] = dict(wire.compression_row(result))
    row["messages"] = [
        {**short, **_selection(decision)}
        for short, decision in zip(row["messages"], result.messages, strict=True)
    ]
    row["tokens_selected"] = result.tokens_selected
    row["token_counter"] = result.token_counter
    row["summarizer_context"] = result.summarizer_context
    return row


def _claim(row: wire.ClaimRow, trace: Trace) -> dict[str, Any]:
    """Return the row of a claim with, for every evidence, who said it and where in the input (A22)."""
    evidence = []
    for place in row["evidence"]:
        message = trace.conversation.message(place["message_id"])
        who = {"role": message.role, "speaker": message.speaker_name}
        evidence.append({**place, "index": message.index, **who})
    return {**row, "evidence": evidence}


def _fact(fact: KeyFact, trace: Trace) -> dict[str, Any]:
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


def _quotes(result: Elimination, trace: Trace) -> list[dict[str, Any]]:
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


def _selection(decision: MessageDecision) -> dict[str, Any]:
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
