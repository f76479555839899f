"""Whether a chain holds, and the first record that does not."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from memguard.audit.chain import CLOSING, GENESIS, AuditRecord, canonical, digest, hash_of
from memguard.errors import AuditError

_HEAD = re.compile("[0-9a-f]{64}")


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
            if number == 1 and not _is_like_a_record(row):
                message = f"this is no audit of MemGuard: its first line is no audit record ({fault})"
                return Verification(False, len(lines), None, 1, message)
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


def _fault(line: str, number: int, previous: dict[str, Any] | None) -> tuple[str | None, dict[str, Any]]:
    try:
        row = json.loads(line)
        one_form = canonical(row)
    except (ValueError, RecursionError) as error:  # a number of thousands of digits is a ValueError
        return f"not a JSON object ({error})", {}
    names = [item.name for item in fields(AuditRecord)]
    if not isinstance(row, dict) or sorted(row) != sorted(names):
        return f"it must have exactly the fields {', '.join(names)}", row if isinstance(row, dict) else {}
    if one_form != line:
        return "it is not written in canonical JSON", row
    if row["hash"] != hash_of(row):
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


def _is_like_a_record(row: dict[str, Any]) -> bool:
    """Return whether a first line is a record that was changed, and not something else altogether."""
    return {"hash", "prev_hash", "stage"} <= row.keys()


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
