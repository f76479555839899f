"""Observations for the lifecycle, from JSON or YAML."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from memguard.errors import InvalidParameterError, TranscriptError
from memguard.memory.observations import Confidence, Observation
from memguard.privacy import PrivacyStatus

TOP = "observations"
_REQUIRED = ("id", "text", "source")
_OPTIONAL = ("timestamp", "actor", "privacy_status", "reliability")


def read_observations(text: str, *, source: str) -> tuple[Observation, ...]:
    """Read a list of observations, or an object whose one key ``observations`` holds it.

    Args:
        text: JSON, or YAML read as plain values.
        source: What to call it in errors.

    Raises:
        TranscriptError: It is neither, or an observation is not valid; names which and the field.
    """
    raw = _parsed(text, source)
    if isinstance(raw, Mapping) and list(raw) == [TOP]:
        raw = raw[TOP]
    if not isinstance(raw, list):
        raise TranscriptError(
            f'expected a list of observations or {{"{TOP}": […]}}, each with {", ".join(_REQUIRED)} and, '
            f"where known, {', '.join(_OPTIONAL)}",
            source=source,
        )
    return tuple(_observation(row, f"{source}, observation {place}") for place, row in enumerate(raw))


def _parsed(text: str, source: str) -> Any:
    import yaml

    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass  # what is no JSON may be YAML
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise TranscriptError(f"neither JSON nor YAML ({error})", source=source) from error


def _observation(row: Any, place: str) -> Observation:
    if not isinstance(row, Mapping):
        raise TranscriptError(f"must be an object with {', '.join(_REQUIRED)}", source=place)
    missing = [name for name in _REQUIRED if name not in row]
    unknown = [str(name)[:40] for name in row if name not in {*_REQUIRED, *_OPTIONAL}]
    if missing or unknown:
        wrong = [f"lacks {', '.join(missing)}"] * bool(missing)
        wrong += [f"has {', '.join(unknown)}, which is not known"] * bool(unknown)
        raise TranscriptError(" and ".join(wrong), source=place)
    values = {name: row[name] for name in (*_REQUIRED, "actor") if row.get(name) is not None}
    values["id"] = str(values["id"]) if isinstance(values.get("id"), int) else values.get("id")
    for name in values:
        if not isinstance(values[name], str):
            raise TranscriptError(f"{name} must be a text; got {type(values[name]).__name__}", source=place)
    try:
        return Observation(
            **values,
            timestamp=_moment(row.get("timestamp")),
            privacy_status=_one_of(PrivacyStatus, row, "privacy_status"),
            reliability=_one_of(Confidence, row, "reliability"),
        )
    except InvalidParameterError as error:
        raise TranscriptError(str(error), source=place) from error


def _moment(value: Any) -> datetime | None:
    if value is None or isinstance(value, datetime):
        return value
    try:
        return datetime.fromisoformat(value)
    except (TypeError, ValueError) as error:
        raise InvalidParameterError(f"timestamp must be ISO 8601 with a zone; got {value!r}") from error


def _one_of(kind: Any, row: Mapping[str, Any], name: str) -> Any:
    if row.get(name) is None:
        return None
    known = [item.value for item in kind]
    if row[name] not in known:
        raise InvalidParameterError(f"{name} must be one of {', '.join(known)}; got {row[name]!r}")
    return kind(row[name])
