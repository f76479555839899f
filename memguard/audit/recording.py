"""A trace as a chain: one record a stage, one of a person's overrides, a closing one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from memguard import wire
from memguard.audit import details
from memguard.audit.chain import CLOSING, AuditRecord, digest, linked
from memguard.eliminator import Elimination
from memguard.outgoing import ShownConversation, view
from memguard.trace import Trace

SCHEMA = "memguard.audit/1"
OVERRIDES = "overrides"


def records(trace: Trace) -> tuple[AuditRecord, ...]:
    """Return the chain of a trace: one record a finished stage, then the closing one.

    Where a person decided of claims, a record of that follows elimination: what the person wants, and
    what was measured.

    With ``privacy.redact`` the records hold placeholders in place of values, and the digests are those of
    what they hold: a digest of an untouched text would let anybody try out what a short value was.
    """
    trace = view(trace)
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
        links.append(linked(links, **shared, **step, input_digest=before, output_digest=after))
        before = after
    return tuple(links)


def _steps(trace: Trace) -> list[dict[str, Any]]:
    """Return what each record of a trace's chain is about, in order; the last is the closing one."""
    steps: list[dict[str, Any]] = []
    for result, timing in zip(trace.results, trace.timings, strict=True):
        detail, models = details.of_stage(result, trace)
        steps.append(_step(timing.stage, timing.started_at, timing.duration_s, detail, models))
        if isinstance(result, Elimination) and trace.overrides:
            made_at = max((o.made_at for o in trace.overrides if o.made_at is not None), default=None)
            decided = [details.of_override(override, result, trace) for override in trace.overrides]
            steps.append(_step(OVERRIDES, made_at, 0.0, {"overrides": decided}))
    closing: dict[str, Any] = {
        "schema": SCHEMA,
        "records": len(steps) + 1,
        "conversation_digest": trace.conversation.digest(),
        "n_messages": len(trace.conversation),
        "order": trace.conversation.order,
        "warnings": wire.warnings(trace),
    }
    if isinstance(trace.conversation, ShownConversation):
        closing["privacy"] = dict(trace.conversation.privacy)
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
