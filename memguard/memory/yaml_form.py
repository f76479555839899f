"""Compressed entries and their YAML: the top key ``compressed_entries``, fields exactly as E11 has them.

What is read back equals what was written, whatever the texts hold. Reading builds plain values only
(PyYAML's safe loader) and refuses what is not in the form.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from memguard.errors import InvalidParameterError
from memguard.memory.observations import Confidence, Staleness
from memguard.memory.strategies import Strategy
from memguard.privacy import PrivacyStatus
from memguard.text import is_blank, well_formed

TOP = "compressed_entries"
FIELDS = (
    "summary",
    "source_ids",
    "confidence",
    "staleness_risk",
    "privacy_status",
    "compression",
    "supersedes",
    "superseded_by",
)
OPTIONAL = ("earliest_source_at", "latest_source_at")
_SCALES = {
    "confidence": Confidence,
    "staleness_risk": Staleness,
    "privacy_status": PrivacyStatus,
    "compression": Strategy,
}
_FOLDED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
"""Control characters, and line ends other than a line feed."""
_LISTS = ("source_ids", "supersedes", "superseded_by")


@dataclass(frozen=True, slots=True)
class CompressedEntry:
    """One fact as it is stored (E11).

    Attributes:
        summary: The fact.
        source_ids: Observations that it rests on, one at least.
        confidence: How far it can be relied on.
        staleness_risk: The risk that it no longer holds.
        privacy_status: How private it is.
        compression: The primary strategy that made it.
        supersedes: Ids of the entries that it replaces.
        superseded_by: Ids of the entries that replace it.
        earliest_source_at: When the oldest source was said, where known (F18).
        latest_source_at: When the newest was.
    """

    summary: str
    source_ids: tuple[str, ...]
    confidence: Confidence
    staleness_risk: Staleness
    privacy_status: PrivacyStatus
    compression: Strategy
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    earliest_source_at: datetime | None = None
    latest_source_at: datetime | None = None

    @property
    def id(self) -> str:
        """Its name in links: a digest of what it says and on what it rests, so no field has to hold it."""
        return entry_id(self.summary, self.source_ids)


def entry_id(summary: str, source_ids: Sequence[str]) -> str:
    """Return the id of an entry with this summary and these sources."""
    said = json.dumps([summary, list(source_ids)], ensure_ascii=False).encode("utf-8", "backslashreplace")
    return f"e-{hashlib.sha256(said).hexdigest()[:16]}"


def to_dict(entries: Iterable[CompressedEntry]) -> dict[str, list[dict[str, Any]]]:
    """Return the entries as plain values under the top key."""
    return {TOP: [_row(entry) for entry in entries]}


def dumps(entries: Iterable[CompressedEntry]) -> str:
    """Return the entries as YAML, in the order of the fields, text in its own script."""
    import yaml

    class Dumper(yaml.SafeDumper):
        """PyYAML's plain and single-quoted styles fold some line ends to a space: escape those."""

    def text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
        style = '"' if _FOLDED.search(value) else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    Dumper.add_representer(str, text)
    written = yaml.dump(to_dict(entries), Dumper=Dumper, sort_keys=False, allow_unicode=True, width=100)
    return str(written)


def loads(text: str) -> tuple[CompressedEntry, ...]:
    """Read YAML that ``dumps`` wrote, or that has its form.

    Raises:
        InvalidParameterError: It is not YAML, or not in the form; names the entry, the field and the value.
    """
    import yaml

    if not isinstance(text, str):
        raise InvalidParameterError(f"compressed entries are read from a text; got {type(text).__name__}")
    try:
        raw = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise InvalidParameterError(f"not a YAML document of compressed entries ({error})") from error
    if not isinstance(raw, Mapping) or list(raw) != [TOP] or not isinstance(raw[TOP], list):
        raise InvalidParameterError(f"a document of compressed entries must have the one key {TOP!r}, a list")
    return tuple(_entry(row, place) for place, row in enumerate(raw[TOP]))


def _row(entry: CompressedEntry) -> dict[str, Any]:
    row: dict[str, Any] = {
        "summary": well_formed(entry.summary),
        **{name: str(getattr(entry, name).value) for name in _SCALES},
        **{name: [well_formed(item) for item in getattr(entry, name)] for name in _LISTS},
    }
    row = {name: row[name] for name in FIELDS}
    for name in OPTIONAL:
        moment = getattr(entry, name)
        if moment is not None:
            row[name] = moment.astimezone(UTC).isoformat()
    return row


def _entry(row: Any, place: int) -> CompressedEntry:
    where = f"{TOP}[{place}]"
    if not isinstance(row, Mapping):
        raise InvalidParameterError(f"{where} must be a table; got {type(row).__name__}")
    missing = [name for name in FIELDS if name not in row]
    unknown = [str(name) for name in row if name not in {*FIELDS, *OPTIONAL}]
    if missing or unknown:
        wrong = [f"it lacks {', '.join(missing)}"] * bool(missing) + [f"it has {', '.join(unknown)}"] * bool(
            unknown
        )
        raise InvalidParameterError(
            f"{where} must have the fields {', '.join(FIELDS)}; {' and '.join(wrong)}"
        )
    values: dict[str, Any] = {"summary": row["summary"]}
    if not isinstance(row["summary"], str) or is_blank(row["summary"]):
        raise InvalidParameterError(
            f"{where}.summary must be a text that is not blank; got {row['summary']!r}"
        )
    for name, scale in _SCALES.items():
        known = [item.value for item in scale]
        if row[name] not in known:
            raise InvalidParameterError(
                f"{where}.{name} must be one of {', '.join(known)}; got {row[name]!r}"
            )
        values[name] = scale(row[name])
    for name in _LISTS:
        given = row[name]
        if not isinstance(given, list) or not all(isinstance(item, str) and item.strip() for item in given):
            raise InvalidParameterError(f"{where}.{name} must be a list of ids; got {given!r}")
        values[name] = tuple(given)
    if not values["source_ids"]:
        raise InvalidParameterError(
            f"{where}.source_ids must name one source at least: a fact without any cannot be checked"
        )
    for name in OPTIONAL:
        values[name] = _moment(row.get(name), f"{where}.{name}")
    return CompressedEntry(**values)


def _moment(value: Any, where: str) -> datetime | None:
    if value is None:
        return None
    try:
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise InvalidParameterError(
            f"{where} must be a time in ISO 8601 with a zone; got {value!r}"
        ) from error
    if moment.tzinfo is None:
        raise InvalidParameterError(f"{where} must have a time zone; got {value!r}")
    return moment.astimezone(UTC)
