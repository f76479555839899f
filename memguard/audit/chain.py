"""The links: a record, its hash, which covers the hash before it, and the file of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from memguard.errors import AuditError
from memguard.files import replace_text

CLOSING = "closing"
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


def head(chain: Sequence[AuditRecord]) -> str:
    """Return the hash of the last record, which vouches for all of them."""
    return chain[-1].hash if chain else GENESIS


def dumps(chain: Iterable[AuditRecord]) -> str:
    """Return the chain as JSONL."""
    return "".join(canonical(asdict(record)) + "\n" for record in chain)


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


def digest(value: Any) -> str:
    """Return the SHA-256 of a value's canonical JSON, as hexadecimal."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def linked(links: Sequence[AuditRecord], **values: Any) -> AuditRecord:
    """Return the record of these values that continues the chain."""
    row = {**values, "seq": len(links), "prev_hash": head(links)}
    return AuditRecord(**row, hash=hash_of(row))


def hash_of(row: Mapping[str, Any]) -> str:
    """Return the hash that a record must have: of every field but that one."""
    return digest({key: value for key, value in row.items() if key != "hash"})


def canonical(value: Any) -> str:
    """Return a value as JSON in its one form: sorted keys, no spaces, no escapes that need not be."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
