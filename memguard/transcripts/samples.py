"""The sample conversations of this repository: a conversation with its facts and drift claims.

A file of ``sample_conversations/`` is one JSON object::

    {"title", "description", "license",
     "messages": [{"id", "role", "speaker", "content", "timestamp"?, "tool_calls"?, "tool_call_id"?}],
     "facts": [{"text", "message_ids"}],
     "drift": [{"claim", "label", "kind", "reason"}]}

It is read strictly: what measures a checker must not be misread.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memguard.errors import TranscriptError
from memguard.messages import Conversation
from memguard.transcripts.json_text import parse_json
from memguard.transcripts.tool_names import with_tool_names

LABELS = ("supported", "unsupported")
KINDS = ("number", "date", "unit", "name", "speaker", "negation", "plan_as_done", "superseded", "invention")
_FOLDER = Path(__file__).resolve().parents[2] / "sample_conversations"


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that the conversation says, with the messages that say it."""

    text: str
    message_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DriftClaim:
    """A claim such as a summary might make, true or drifted.

    Attributes:
        claim: The claim.
        label: ``supported`` or ``unsupported``.
        kind: What it turns on, one of ``KINDS``.
        reason: Why the label is right.
    """

    claim: str
    label: str
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample conversation.

    Attributes:
        name: The file's name without its ending.
        title: A name for people.
        description: What it shows.
        license: Licence of the conversation.
        conversation: The messages.
        facts: What it says.
        drift: Claims with labels.
        digest: SHA-256 of facts and drift in canonical JSON; every result that uses them prints it.
    """

    name: str
    title: str
    description: str
    license: str
    conversation: Conversation
    facts: tuple[Fact, ...]
    drift: tuple[DriftClaim, ...]
    digest: str


def sample_paths() -> tuple[Path, ...]:
    """Return the sample files of the repository, by name.

    Raises:
        TranscriptError: The folder is not there: the samples come with the repository, not the wheel.
    """
    if not _FOLDER.is_dir():
        raise TranscriptError(
            "there is no such folder; the samples come with the repository", source=str(_FOLDER)
        )
    return tuple(sorted(_FOLDER.glob("*.json")))


def load_sample(path: str | Path) -> Sample:
    """Read a sample strictly.

    Raises:
        TranscriptError: A field is unknown, missing or of the wrong kind, a label or kind is not in
            its list, or a fact names a message that is not there; says which.
    """
    source = str(path)
    try:
        raw, repeated = parse_json(Path(path).read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise TranscriptError(
            f"not valid JSON ({error.msg})", source=source, line=error.lineno, column=error.colno
        ) from error
    except (OSError, UnicodeDecodeError, RecursionError) as error:
        raise TranscriptError(f"cannot be read ({error})", source=source) from error
    try:
        if repeated:
            raise TranscriptError("an object has a key more than once")
        return _sample(raw, Path(path).stem)
    except TranscriptError as error:
        raise TranscriptError(str(error), source=source) from error


def _sample(raw: Any, name: str) -> Sample:
    _check_fields(raw, "the sample", ("title", "description", "license", "messages", "facts", "drift"))
    messages = _objects(raw["messages"], "messages")
    for index, message in enumerate(messages):
        _check_message(message, f"messages[{index}]")
    built = Conversation.from_messages(
        messages,
        title=_text(raw["title"], "title"),
        origins=[f"message {i}" for i in range(len(messages))],  # as every reader gives them
    )
    conversation = with_tool_names(built)
    if not messages or conversation.warnings:
        raise TranscriptError(f"messages: {'; '.join(conversation.warnings) or 'the list is empty'}")
    ids = {message.id for message in conversation}
    facts = _objects(raw["facts"], "facts")
    drift = _objects(raw["drift"], "drift")
    return Sample(
        name=name,
        title=_text(raw["title"], "title"),
        description=_text(raw["description"], "description"),
        license=_text(raw["license"], "license"),
        conversation=conversation,
        facts=tuple(_fact(item, f"facts[{i}]", ids) for i, item in enumerate(facts)),
        drift=tuple(_drift(item, f"drift[{i}]") for i, item in enumerate(drift)),
        digest=_digest(facts, drift),
    )


def _digest(facts: list[Any], drift: list[Any]) -> str:
    canonical = json.dumps(
        {"drift": drift, "facts": facts}, sort_keys=True, ensure_ascii=False, separators=(",", ":")
    )
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def _check_message(raw: Any, place: str) -> None:
    _check_fields(
        raw, place, ("id", "role", "speaker", "content"), optional=("timestamp", "tool_calls", "tool_call_id")
    )
    for field in ("id", "role", "speaker"):
        _text(raw[field], f"{place}.{field}")
    if not isinstance(raw["content"], str) and not (raw["content"] is None and raw.get("tool_calls")):
        raise TranscriptError(f"{place}.content must be a string, or null beside tool_calls")


def _fact(raw: Any, place: str, ids: set[str]) -> Fact:
    _check_fields(raw, place, ("text", "message_ids"))
    names = raw["message_ids"]
    if not isinstance(names, list) or not names:
        raise TranscriptError(f"{place}.message_ids must be a list with at least one id")
    for name in names:
        if not isinstance(name, str) or name not in ids:
            raise TranscriptError(f"{place}.message_ids names {name!r}, which is no message of the sample")
    return Fact(_text(raw["text"], f"{place}.text"), tuple(names))


def _drift(raw: Any, place: str) -> DriftClaim:
    _check_fields(raw, place, ("claim", "label", "kind", "reason"))
    return DriftClaim(
        claim=_text(raw["claim"], f"{place}.claim"),
        label=_choice(raw["label"], f"{place}.label", LABELS),
        kind=_choice(raw["kind"], f"{place}.kind", KINDS),
        reason=_text(raw["reason"], f"{place}.reason"),
    )


def _check_fields(raw: Any, place: str, required: Iterable[str], optional: Iterable[str] = ()) -> None:
    if not isinstance(raw, dict):
        raise TranscriptError(f"{place} must be an object")
    needed = set(required)
    missing, unknown = sorted(needed - set(raw)), sorted(set(raw) - needed - set(optional))
    if missing or unknown:
        faults = [
            f"{word} {', '.join(map(repr, fields))}"
            for word, fields in (("lacks", missing), ("has the unknown", unknown))
            if fields
        ]
        raise TranscriptError(
            f"{place} {' and '.join(faults)}; expected the fields {', '.join(sorted(needed))}"
        )


def _objects(raw: Any, place: str) -> list[Any]:
    if not isinstance(raw, list):
        raise TranscriptError(f"{place} must be a list")
    return raw


def _text(raw: Any, place: str) -> str:
    if not isinstance(raw, str) or not raw.strip():
        raise TranscriptError(f"{place} must be a text that is not blank")
    return raw


def _choice(raw: Any, place: str, choices: tuple[str, ...]) -> str:
    if raw not in choices:
        raise TranscriptError(f"{place} must be one of {', '.join(choices)}; got {raw!r}")
    return str(raw)
