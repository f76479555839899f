"""What a tool takes: the schema that a client reads, and the check that its call goes through, in one.

Unknown arguments are refused: a misspelt one would else be ignored in silence. No message repeats a
value: an argument may hold a secret.
"""

from __future__ import annotations

import json
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from memguard.bounds import bounds_of
from memguard.errors import InvalidParameterError
from memguard.settings import Settings, setting_kinds

_TYPES = {int: "integer", float: "number", str: "string"}
_TOLD = 3

MESSAGES_SCHEMA: dict[str, Any] = {
    "type": "array",
    "description": "The raw conversation in order, one object a message.",
    "items": {
        "type": "object",
        "required": ["content"],
        "properties": {
            "content": {
                "type": ["string", "array", "null"],
                "description": 'The text, or parts such as {"type": "text", "text": …}.',
            },
            "role": {"type": "string", "description": "user (the default), assistant, system, tool, …"},
            "id": {"type": ["string", "integer"], "description": "Cited in the result; default: its place."},
            "speaker": {"type": "string", "description": "Name of who speaks."},
            "timestamp": {"type": ["string", "number"], "description": "ISO 8601, or seconds since 1970."},
        },
    },
}


class Arguments(BaseModel):
    """Arguments of a call; texts are not turned into numbers, nor numbers into texts."""

    model_config = ConfigDict(extra="forbid", strict=True)


def _setting(name: str) -> Any:
    """Return a field whose schema is that of a setting; the settings check its value."""
    section, _, key = name.partition(".")
    bounds = bounds_of(getattr(Settings(), section), key)
    schema: dict[str, Any] = {
        "type": _TYPES[setting_kinds()[name][0]],
        "description": bounds.label if bounds.optional else f"{bounds.label}. {bounds.help}",
    }
    limits = {"minimum": bounds.low, "maximum": bounds.high, "enum": list(bounds.choices) or None}
    schema |= {word: limit for word, limit in limits.items() if limit is not None}
    return Field(default=None, json_schema_extra=schema)


class CheckOptions(Arguments):
    """How strictly claims are judged."""

    SETTINGS: ClassVar[dict[str, str]] = {
        "preset": "elimination.preset",
        "min_similarity": "elimination.min_similarity",
        "min_support": "elimination.min_support",
        "payload_tokens": "reconstruction.payload_tokens",
        "max_tokens": "compression.max_tokens",
    }

    messages: Any = Field(
        json_schema_extra=MESSAGES_SCHEMA
    )  # memguard.message_form checks it, and says where
    preset: Any = _setting("elimination.preset")
    min_similarity: Any = _setting("elimination.min_similarity")
    min_support: Any = _setting("elimination.min_support")

    @field_validator("messages", mode="before")
    @classmethod
    def _unpacked(cls, value: Any) -> Any:
        """Take messages that a client sent as a text of JSON: some models write every argument so."""
        try:
            return json.loads(value) if isinstance(value, str) else value
        except (ValueError, RecursionError):
            return value

    def options(self) -> dict[str, Any]:
        """Return the settings that the call gives, by dotted name."""
        given = {name: getattr(self, key, None) for key, name in self.SETTINGS.items()}
        return {name: value for name, value in given.items() if value is not None}


class CompressContext(CheckOptions):
    """Arguments of ``compress_context``."""

    payload_tokens: Any = _setting("reconstruction.payload_tokens")
    max_tokens: Any = _setting("compression.max_tokens")


class CheckSummary(CheckOptions):
    """Arguments of ``check_summary``."""

    summary: str = Field(description="The text whose claims are checked; from any model or person.")


Model = TypeVar("Model", bound=Arguments)


def read(kind: type[Model], given: dict[str, Any]) -> Model:
    """Return the arguments of a call.

    Raises:
        InvalidParameterError: They are not those of the tool; names each one and what is expected.
    """
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False, include_input=False)
        told = [_fault(kind, fault["loc"], fault["type"], fault["msg"]) for fault in faults[:_TOLD]]
        more = len(faults) - len(told)
        told += [f"and {more} more"] if more > 0 else []
        raise InvalidParameterError("; ".join(told)) from None  # the cause holds the values


def schema_of(kind: type[Arguments]) -> dict[str, Any]:
    """Return the JSON schema of a tool's arguments; what may be left out has no default of its own."""
    schema = kind.model_json_schema()
    schema.pop("description", None)
    for part in schema["properties"].values():
        part.pop("title", None)
        if part.get("default", ...) is None:
            part.pop("default")
    return {word: value for word, value in schema.items() if word != "title"}


def _fault(kind: type[Arguments], place: tuple[int | str, ...], code: str, message: str) -> str:
    name = ".".join(str(part) for part in place)
    if code == "extra_forbidden":
        return f"there is no argument {name!r}; known: {', '.join(kind.model_fields)}"
    if code == "missing":
        return f"the argument {name!r} is missing"
    return f"the argument {name!r}: {message[:1].lower()}{message[1:]}"
