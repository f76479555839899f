"""What ``memory(action=…)`` gives back: plain values, one TypedDict an action, as JSON holds them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NotRequired, TypedDict

from memguard.memory.captured import Captured
from memguard.memory.codec import readable_text
from memguard.memory.entries import Content, epoch_seconds
from memguard.memory.manager import MaintenanceReport
from memguard.memory.rewriting import Rewrite
from memguard.memory.rows import StoredEntry


class EntryView(TypedDict):
    """An entry. Moments are ISO 8601 in UTC; ``similarity`` is there where a search found it."""

    id: str
    content: Content
    text: str
    memory_type: str
    importance: float
    tags: list[str]
    metadata: dict[str, Any]
    tenant_id: str
    timestamp: str
    status: str
    version: int
    stored_at: str
    updated_at: str
    expires_at: str | None
    text_raw: str | None
    compressed: bool
    compression_provider: str | None
    tokens_in: int | None
    tokens_out: int | None
    privacy_status: str | None
    origin: str | None
    supersedes: list[str]
    superseded_by: list[str]
    similarity: NotRequired[float | None]


class CaptureResult(TypedDict):
    """What became of a capture (D13).

    ``status`` is ``stored``, ``duplicate``, ``injected`` or ``skipped``; ``memory_id`` is that of the entry
    that holds the text, None where none does. Where ``compressed`` is false, ``reason`` is a word of
    ``Skip`` and ``detail`` says the same for people. ``redacted`` are the kinds that the privacy gate
    replaced, ``left_out`` the turns that were not captured.
    """

    action: str
    status: str
    memory_id: str | None
    text: str
    text_raw: str
    compressed: bool
    provider: str | None
    model: str | None
    tokens_in: int
    tokens_out: int
    reason: str | None
    detail: str
    similarity: float | None
    redacted: list[str]
    left_out: list[dict[str, Any]]
    warnings: list[str]


class CompressResult(TypedDict):
    """``status`` is ``compressed``, ``already_compressed`` or ``skipped``; the rest as ``CaptureResult``."""

    action: str
    status: str
    memory_id: str
    text: str
    text_raw: str | None
    compressed: bool
    provider: str | None
    model: str | None
    tokens_in: int
    tokens_out: int
    reason: str | None
    detail: str
    updated_at: str
    warnings: list[str]


class SummaryResult(TypedDict):
    """A budgeted extract of entries (C02)."""

    action: str
    status: str
    content: str
    token_count: int
    source_count: int
    source_keys: list[str]
    strategy: str


class EntriesResult(TypedDict):
    """Entries of a list or a search; ``total`` counts all that a list's filter means."""

    action: str
    status: str
    entries: list[EntryView]
    total: int
    warnings: list[str]


class EntryResult(TypedDict):
    """One entry, after ``get``, ``delete`` or ``restore``."""

    action: str
    status: str
    memory_id: str
    entry: EntryView | None


class MaintainResult(TypedDict):
    """What maintenance did, or in a dry run would do; ``planned`` counts the entries of each step."""

    action: str
    status: str
    n_before: int
    n_after: int
    planned: dict[str, int]
    steps: list[dict[str, Any]]


class TransferResult(TypedDict):
    """What ``export`` wrote or ``import`` read; ``lines`` where an export was given no path."""

    action: str
    status: str
    count: int
    already_there: int
    path: str | None
    lines: list[str]
    warnings: list[str]


def entry_view(stored: StoredEntry, similarity: float | None = None, *, found: bool = False) -> EntryView:
    """Return an entry as plain values; ``found`` adds the similarity, which may be None."""
    entry, details = stored.entry, stored.details
    view = EntryView(
        id=entry.id,
        content=entry.content,
        text=readable_text(entry.content),
        memory_type=entry.memory_type.value,
        importance=entry.importance,
        tags=list(entry.tags),
        metadata=dict(entry.metadata),
        tenant_id=entry.tenant_id,
        timestamp=moment(entry.timestamp),
        status=stored.status.value,
        version=stored.version,
        stored_at=moment(stored.stored_at),
        updated_at=moment(stored.updated_at),
        expires_at=None if details.expires_at is None else moment(epoch_seconds(details.expires_at)),
        text_raw=details.text_raw,
        compressed=details.compressed,
        compression_provider=details.compression_provider,
        tokens_in=details.tokens_in,
        tokens_out=details.tokens_out,
        privacy_status=details.privacy_status,
        origin=details.origin,
        supersedes=list(stored.supersedes),
        superseded_by=list(stored.superseded_by),
    )
    if found:
        view["similarity"] = similarity
    return view


def moment(seconds: float) -> str:
    """Return seconds since 1970 as ISO 8601 in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def capture_result(done: Captured, n_tokens: int) -> CaptureResult:
    """Return a capture as plain values.

    Args:
        done: What became of it.
        n_tokens: cl100k tokens of its text, for one that was not stored.
    """
    rewrite = done.rewrite
    kinds = dict.fromkeys(finding.kind.value for finding in done.findings)
    return CaptureResult(
        action="capture",
        status=done.status,
        memory_id=done.stored.id if done.stored is not None else None,
        text=rewrite.text if rewrite is not None else done.text_raw,
        text_raw=done.text_raw,
        compressed=rewrite is not None and rewrite.compressed,
        **_asked(rewrite),
        tokens_in=rewrite.tokens_in if rewrite is not None else n_tokens,
        tokens_out=rewrite.tokens_out if rewrite is not None else n_tokens,
        similarity=done.similarity,
        redacted=list(kinds),
        left_out=[{"index": item.index, "reason": item.reason} for item in done.left_out],
        warnings=list(done.warnings),
    )


def compress_result(
    stored: StoredEntry, rewrite: Rewrite | None, warnings: Sequence[str], n_tokens: int
) -> CompressResult:
    """Return the compression of an entry as plain values; no rewrite means that it was compressed already."""
    status = "already_compressed" if rewrite is None else "compressed" if rewrite.compressed else "skipped"
    asked = _asked(rewrite)
    if rewrite is None:
        asked["provider"] = stored.details.compression_provider
    return CompressResult(
        action="compress",
        status=status,
        memory_id=stored.id,
        text=readable_text(stored.entry.content),
        text_raw=stored.details.text_raw,
        compressed=stored.details.compressed,
        **asked,
        tokens_in=rewrite.tokens_in if rewrite is not None else stored.details.tokens_in or n_tokens,
        tokens_out=rewrite.tokens_out if rewrite is not None else stored.details.tokens_out or n_tokens,
        updated_at=moment(stored.updated_at),
        warnings=list(warnings),
    )


def maintain_result(report: MaintenanceReport) -> MaintainResult:
    """Return a run of maintenance as plain values."""
    plan = report.plan
    status = "dry_run" if report.dry_run else "done" if plan.runs else "too_few_entries"
    steps = [
        {
            "step": step.step,
            "n_changed": step.n_changed,
            "record": step.seq,
            "made": list(step.made),
            "problem": step.problem,
        }
        for step in report.steps
    ]
    return MaintainResult(
        action="maintain",
        status=status,
        n_before=report.n_before,
        n_after=report.n_after,
        planned={
            "injected": len(plan.injected),
            "expiry": len(plan.expired),
            "contradictions": len(plan.contradictions),
            "noise": len(plan.noise),
            "merge": sum(len(merge.sources) for merge in plan.merges),
            "summary": len(plan.summarised),
            "staleness": len(plan.staleness),
        },
        steps=steps,
    )


class _Asked(TypedDict):
    provider: str | None
    model: str | None
    reason: str | None
    detail: str


def _asked(rewrite: Rewrite | None) -> _Asked:
    if rewrite is None:
        return _Asked(provider=None, model=None, reason=None, detail="")
    compressed = rewrite.compressed
    return _Asked(
        provider=rewrite.provider if compressed else None,
        model=rewrite.model if compressed else None,
        reason=rewrite.reason.value if rewrite.reason is not None else None,
        detail=rewrite.detail,
    )
