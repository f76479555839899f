"""An audit, read back: from the records of a run, or from a file that somebody handed over.

The form of a record is checked with msgspec, which names the place of what does not fit; pydantic does
the same for six times the weight, and a reader of our own would be a page of ``isinstance``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import Any, TypeVar

import msgspec

from memguard import audit
from memguard.audit import AuditRecord, Verification
from memguard.errors import AuditError
from memguard.reports.parts import (
    Assembled,
    Claim,
    Closing,
    Decisions,
    Fact,
    Judgement,
    Retention,
    Summary,
)
from memguard.settings import LimitSettings, PrivacySettings, Settings
from memguard.text import well_formed

PartT = TypeVar("PartT")
_LIMITS = LimitSettings()
_MIB = 1 << 20
_NAMES = frozenset(item.name for item in fields(AuditRecord))
_PARTS: dict[str, type[Any]] = {
    "compression": Summary,
    "elimination": Judgement,
    audit.OVERRIDES: Decisions,
    "reconstruction": Assembled,
    audit.CLOSING: Closing,
}
_WHERE = "an audit is written by `memguard run … --audit FILE` and by Download JSONL on the Audit page"


@dataclass(frozen=True, slots=True)
class Fault:
    """A line of an audit that could not be read as it should be; ``line`` counts from 1."""

    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Report:
    """What an audit says of one run.

    Attributes:
        title: What it is an audit of, where that is known; the chain does not hold it.
        records: The records that could be read, in the order of the file.
        verification: Whether the chain holds.
        faults: What could not be read, and is therefore missing here.
        summary: Stage 1, if it was recorded.
        judgement: Stage 2, if it was recorded.
        decisions: A person's overrides, if there were any.
        assembled: Stage 3, if it was recorded.
        closing: The closing record, if it is there.
    """

    title: str
    records: tuple[AuditRecord, ...]
    verification: Verification
    faults: tuple[Fault, ...] = ()
    summary: Summary | None = None
    judgement: Judgement | None = None
    decisions: Decisions | None = None
    assembled: Assembled | None = None
    closing: Closing | None = None

    @property
    def run_id(self) -> str:
        """The run's name."""
        return self.records[0].run_id

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Every claim, then the sentences quoted verbatim."""
        judged = self.judgement.claims if self.judgement is not None else ()
        return (*judged, *(self.assembled.verbatim if self.assembled is not None else ()))

    @property
    def dropped(self) -> tuple[Claim, ...]:
        """The claims that were dropped; what is not a claim is no drop."""
        return tuple(c for c in self.claims if not c.kept and c.label != "not_a_claim")

    @property
    def kept(self) -> tuple[Claim, ...]:
        """The claims that were kept, and what was quoted verbatim."""
        return tuple(c for c in self.claims if c.kept)

    def text_of(self, claim_id: str) -> str:
        """Return the text of a claim; empty where none of this id was recorded."""
        return next((c.text for c in self.claims if c.id == claim_id), "")

    @property
    def retention(self) -> Retention | None:
        """How much of the key facts the payload states; None where that was not recorded."""
        return self.assembled.retention if self.assembled is not None else None

    @property
    def missing(self) -> tuple[Fact, ...]:
        """The key facts that the payload does not state."""
        ids = frozenset(self.retention.missing if self.retention is not None else ())
        facts = self.judgement.facts if self.judgement is not None else ()
        return tuple(fact for fact in facts if fact.id in ids)

    @property
    def models(self) -> dict[str, str]:
        """Which models ran, by their role."""
        return {role: name for record in self.records for role, name in record.model_ids.items()}

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the run by dotted name."""
        flat: dict[str, Any] = {}
        recorded = self.records[0].settings
        privacy = asdict(PrivacySettings())  # left out of a record where none is set
        for section, values in {"privacy": privacy, **recorded}.items():
            if isinstance(values, dict):
                flat |= {f"{section}.{name}": value for name, value in values.items()}
            else:
                flat[section] = values
        return flat

    @property
    def changed_settings(self) -> dict[str, tuple[Any, Any]]:
        """The settings that differ from this version's defaults: (default, value) by dotted name."""
        defaults = _flat_defaults()
        return {
            name: (defaults.get(name), value)
            for name, value in self.settings.items()
            if name not in defaults or defaults[name] != value
        }


def report_of(records: Iterable[AuditRecord], *, title: str = "") -> Report:
    """Return the report of the records of a run."""
    return read_report(audit.dumps(records).encode(), title=title)


def read_report(
    data: bytes,
    *,
    source: str = "the audit",
    title: str = "",
    expected_head: str | None = None,
    limits: LimitSettings = _LIMITS,
) -> Report:
    """Read an audit file, whole or damaged: what can be read is shown, and every fault is named.

    Args:
        data: A JSONL audit.
        source: Its name, for messages.
        title: What it is an audit of.
        expected_head: A head that was kept elsewhere; shows a recomputed chain too.
        limits: A larger file is refused.

    Raises:
        AuditError: It is too large, is no text, or none of its lines is a record of an audit.
    """
    if len(data) > limits.file_mb * _MIB:
        raise AuditError(
            f"{source} has {len(data) / _MIB:.1f} MiB; at most {limits.file_mb} MiB are read (limits.file_mb)"
        )
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise AuditError(f"{source} is not UTF-8 text (byte {error.start}); {_WHERE}") from error
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    records: list[AuditRecord] = []
    faults: list[Fault] = []
    parts: dict[str, Any] = {}
    for number, line in enumerate(lines, start=1):
        try:
            record = _record(line)
            records.append(record)
            if record.stage in _PARTS:
                parts[record.stage] = _converted(record.detail, _PARTS[record.stage])
        except AuditError as error:
            faults.append(Fault(number, str(error)))
    if not records:
        found = f"line 1: {faults[0].message}" if faults else "it is empty"
        raise AuditError(f"{source} is not an audit of MemGuard: {found}; {_WHERE}")
    return Report(
        title=title,
        records=tuple(records),
        verification=audit.verify_text(text, expected_head=expected_head),
        faults=tuple(faults),
        summary=parts.get("compression"),
        judgement=parts.get("elimination"),
        decisions=parts.get(audit.OVERRIDES),
        assembled=parts.get("reconstruction"),
        closing=parts.get(audit.CLOSING),
    )


def _record(line: str) -> AuditRecord:
    try:
        row = _clean(json.loads(line))
    except (ValueError, RecursionError) as error:
        raise AuditError(f"not a JSON object ({error})") from error
    if not isinstance(row, dict) or not _NAMES.issuperset(row) or len(row) != len(_NAMES):
        raise AuditError(f"it must have exactly the fields {', '.join(f.name for f in fields(AuditRecord))}")
    return _converted(row, AuditRecord)


def _converted(row: Any, kind: type[PartT]) -> PartT:
    try:
        return msgspec.convert(row, kind)
    except (msgspec.ValidationError, OverflowError) as error:
        raise AuditError(f"its {kind.__name__.lower()} cannot be read: {error}") from error


def _clean(value: Any) -> Any:
    """Replace what no file and no page can hold: halves of characters, which JSON can write."""
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {well_formed(key): _clean(item) for key, item in value.items()}
    return value


def _flat_defaults() -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for section, values in asdict(Settings()).items():
        if isinstance(values, dict):
            flat |= {f"{section}.{name}": value for name, value in values.items()}
        else:
            flat[section] = values
    return flat
