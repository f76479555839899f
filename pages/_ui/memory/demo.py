"""The demonstration: a written memory of one person, with everything in it that maintenance is for.

``demo_set.jsonl`` has noise, near-duplicates that may merge, near-duplicates that differ in a figure, a
date, a name or a party, contradictions, states that are over, secrets and personal data, and ordinary
facts. Each text goes the way of any capture: privacy gate, then embedding, then store.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from memguard.memory.counters import Cl100kCounter
from memguard.memory.entries import MemoryEntry
from memguard.memory.observations import Observation, durability_of, provisional_confidence
from memguard.memory.rows import Details
from memguard.memory.store import MemoryStore
from memguard.models.protocols import Embedder, ItemProgress, no_progress
from memguard.privacy import Redacted, Redactor

_SET = Path(__file__).with_name("demo_set.jsonl")
_ORIGIN = "demonstration"


@cache
def rows() -> tuple[dict[str, Any], ...]:
    """Return the lines of the set."""
    return tuple(json.loads(line) for line in _SET.read_text("utf-8").splitlines())


def fill(store: MemoryStore, embedder: Embedder, *, progress: ItemProgress = no_progress) -> int:
    """Put the set into a store in one write, dated back from now, and return how many entries it has."""
    redactor = Redactor()
    clean = [redactor.redact(row["text"]) for row in rows()]
    vectors = embedder.embed([item.text for item in clean], progress=progress)
    now = datetime.now(UTC)
    with store.transaction("demonstration") as transaction:
        transaction.add_many(
            (
                MemoryEntry(
                    item.text,
                    id=f"d{number:03d}",
                    timestamp=now - timedelta(days=row["days_ago"]),
                    memory_type=row["type"],
                    importance=row["importance"],
                    tags=row["tags"],
                    embedding=vector,
                    metadata={"actor": row["actor"]},
                    tenant_id=store.tenant_id,
                ),
                _details(row, item, embedder.model_id, now),
            )
            for number, (row, item, vector) in enumerate(zip(rows(), clean, vectors, strict=True), 1)
        )
    return len(rows())


def _details(row: dict[str, Any], item: Redacted, model: str, now: datetime) -> Details:
    n_tokens = Cl100kCounter().count(item.text)
    ends = row.get("expires_in_days")
    return Details(
        tokens_in=n_tokens,
        tokens_out=n_tokens,
        embedding_model=model,
        expires_at=None if ends is None else now + timedelta(days=ends),
        confidence=provisional_confidence(Observation("demo", item.text, _ORIGIN, now, row["actor"])),
        durability=durability_of(item.text),
        staleness_risk="fresh",
        privacy_status=item.status,
        injected=row.get("injected", False),
        origin=_ORIGIN,
    )
