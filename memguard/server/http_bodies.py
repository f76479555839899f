"""What a request holds and what an answer holds: checks of the one, schemas of both for OpenAPI.

Names and bounds of the options come from the settings; what else is in a message is read, and answered
for, by ``memguard.message_form``.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, ClassVar, TypedDict

import msgspec
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, field_validator

from memguard import wire
from memguard.audit import Verification
from memguard.bounds import bounds_of
from memguard.server.arguments import CheckOptions
from memguard.server.http_problems import KINDS, TOO_LARGE, Problem, ProblemAnswer, RefusedError
from memguard.server.work import MOST_CHARS, MOST_MESSAGES, MOST_SUMMARY_CHARS
from memguard.settings import Settings, setting_kinds

MOST_AUDIT_CHARS = 8_000_000
_REF = "#/components/schemas/{name}"


class Health(TypedDict):
    """How the server is; ``pending`` requests are worked on or wait."""

    status: str
    version: str
    pending: int


def _whole(value: Any) -> Any:
    """Return 3 for 3.0: to JSON both are the same whole number."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


MessageId = Annotated[str | int | None, BeforeValidator(_whole)]
Moment = str | int | Annotated[float, Field(allow_inf_nan=False)] | None


class MessageBody(BaseModel):
    """One message; what else it holds is read where MemGuard knows it, and else ignored."""

    model_config = ConfigDict(extra="allow", strict=True, title="Message")

    content: str | list[str | dict[str, Any]] | None = Field(
        description='The text, or parts such as {"type": "text", "text": …}.'
    )
    role: str | None = Field(default=None, description="user (the default), assistant, system, tool, …")
    id: MessageId = Field(default=None, description="Cited in the result; default: its place.")
    speaker: str | None = Field(default=None, description="Name of who speaks.")
    timestamp: Moment = Field(default=None, description="ISO 8601, or seconds since 1970.")
    tool_calls: list[dict[str, Any]] | None = Field(default=None, description="What the message called.")
    tool_call_id: str | None = Field(default=None, description="Which call a tool message answers.")


def _option(name: str) -> Any:
    """Return a field with the bounds and words of a setting."""
    section, _, key = name.partition(".")
    bounds = bounds_of(getattr(Settings(), section), key)
    return Field(
        default=None,
        ge=bounds.low,
        le=bounds.high,
        allow_inf_nan=None if bounds.low is None else False,
        title=bounds.label,
        description=f"{bounds.help} Default: the server's own.",
        json_schema_extra={"enum": [*bounds.choices, None]} if bounds.choices else None,
    )


class ConversationBody(BaseModel):
    """Messages and how they are taken; an option that is null or left out is the server's own."""

    model_config = ConfigDict(extra="forbid", strict=True)
    SETTINGS: ClassVar[dict[str, str]] = CheckOptions.SETTINGS

    messages: list[MessageBody] = Field(
        description="The raw conversation in order.", max_length=MOST_MESSAGES
    )

    @field_validator(*SETTINGS, mode="before", check_fields=False)
    @classmethod
    def _known(cls, value: Any, info: ValidationInfo) -> Any:
        """Refuse a word that the settings do not know, without repeating it."""
        name = cls.SETTINGS[str(info.field_name)]
        if setting_kinds()[name][0] is int:
            return _whole(value)
        section, _, key = name.partition(".")
        choices = bounds_of(getattr(Settings(), section), key).choices
        if value is not None and choices and value not in choices:
            raise ValueError(f"must be one of {', '.join(choices)}")
        return value

    def raw_messages(self) -> list[dict[str, Any]]:
        """Return the messages as they were sent.

        Raises:
            RefusedError: They are larger than one request may be.
        """
        raw = [message.model_dump(exclude_unset=True) for message in self.messages]
        n_chars = len(json.dumps(raw, ensure_ascii=False))
        if n_chars > MOST_CHARS:
            raise RefusedError(
                TOO_LARGE, f"The messages hold {n_chars:,} characters; at most {MOST_CHARS:,} are taken."
            )
        return raw

    def options(self) -> dict[str, Any]:
        """Return the settings that the request gives, by dotted name."""
        given = {name: getattr(self, key, None) for key, name in self.SETTINGS.items()}
        return {name: value for name, value in given.items() if value is not None}


class CompressBody(ConversationBody):
    """What ``POST /compress`` takes."""

    max_tokens: int | None = _option("compression.max_tokens")


class JudgedBody(ConversationBody):
    """Messages, and how strictly claims about them are judged."""

    preset: str | None = _option("elimination.preset")
    min_similarity: float | None = _option("elimination.min_similarity")
    min_support: float | None = _option("elimination.min_support")
    payload_tokens: int | None = _option("reconstruction.payload_tokens")


class CheckBody(JudgedBody):
    """What ``POST /check`` takes."""

    summary: str = Field(
        description="The text whose claims are checked; from any model or person.",
        max_length=MOST_SUMMARY_CHARS,
    )


class RunBody(JudgedBody):
    """What ``POST /run`` takes."""

    max_tokens: int | None = _option("compression.max_tokens")


class VerifyBody(BaseModel):
    """What ``POST /verify`` takes."""

    model_config = ConfigDict(extra="forbid", strict=True)

    audit: str = Field(description="An audit as it was written, JSONL.", max_length=MOST_AUDIT_CHARS)
    head: str | None = Field(
        default=None, description="The head that was told when it was written; shows a recomputed chain too."
    )


def answer_schemas() -> dict[str, Any]:
    """Return the schemas of everything that is answered, by name, as OpenAPI's components hold them."""
    kinds = (wire.Result, Verification, Health, Problem, ProblemAnswer)
    return msgspec.json.schema_components(kinds, ref_template=_REF)[1]


def answers(name: str, description: str, *statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the responses of a path: one of schema ``name``, and the problems of these statuses."""
    told: dict[int, list[str]] = {}
    for kind in KINDS:
        told.setdefault(kind.status, []).append(kind.what_happened or kind.code.replace("_", " "))
    found: dict[int | str, dict[str, Any]] = {200: _response(name, description)}
    for status in statuses:
        found[status] = _response(ProblemAnswer.__name__, " Or: ".join(told[status]))
    return found


def _response(name: str, description: str) -> dict[str, Any]:
    schema = {"$ref": _REF.format(name=name)}
    return {"description": description, "content": {"application/json": {"schema": schema}}}
