"""JSONL: one message a line; a line that cannot be read is a warning, not the end."""

from __future__ import annotations

from typing import Any

from memguard.errors import TranscriptError
from memguard.messages import Conversation
from memguard.transcripts.document import ACCEPTED, MISSING, Document, Reading, Record
from memguard.transcripts.messages_json import REPEATED_KEYS, is_message, rule_of, to_conversation

_TOLD = 20
"""So many skipped lines are named one by one; the rest is counted."""


class Jsonl:
    """One JSON object a line, with blank lines between them or not."""

    name = "jsonl"

    def recognises(self, document: Document) -> float:
        """Return 0.5 where the first line, or most lines, are JSON objects and the whole is not JSON.

        So a pretty-printed list is never taken apart (ING-008), and a broken one stays broken: of
        its lines only few are JSON on their own.
        """
        if document.value is not MISSING or "{" not in document.text:
            return 0.0
        if document.text.lstrip().startswith("["):
            return 0.0
        records = document.records
        objects = sum(isinstance(record.value, dict) for record in records)
        if isinstance(records[0].value, dict) or 2 * objects > len(records):
            return 0.5
        return 0.0

    def read(self, document: Document) -> Reading:
        """Read every line that holds a message; each other line is a warning with its number."""
        source = document.source
        kept: list[Record] = []
        skipped: list[tuple[int, str]] = []
        for record in document.records:
            fault = _fault(record)
            if fault:
                skipped.append((record.line, fault))
            else:
                kept.append(record)
        if not kept:
            raise _nothing_readable(document, skipped)
        repeated = [REPEATED_KEYS] if any(record.repeated for record in kept) else []
        conversation = to_conversation(
            [record.value for record in kept],
            source=source,
            origins=[f"line {record.line}" for record in kept],
            warnings=[*repeated, *_warnings(skipped)],
        )
        return Reading(conversation, self.name, skipped_lines=len(skipped), rule=rule_of(conversation))


def _fault(record: Record) -> str:
    if record.error:
        return record.error
    value: Any = record.value
    if not is_message(value):
        return 'not a message, which is an object with "role" and "content"'
    try:
        Conversation.from_messages([value], origins=["the message"])
    except TranscriptError as error:
        return str(error)
    return ""


def _warnings(skipped: list[tuple[int, str]]) -> list[str]:
    told = [f"line {line} was skipped: {fault}" for line, fault in skipped[:_TOLD]]
    if len(skipped) > _TOLD:
        told.append(f"{len(skipped) - _TOLD} more lines were skipped, the last of them line {skipped[-1][0]}")
    return told


def _nothing_readable(document: Document, skipped: list[tuple[int, str]]) -> TranscriptError:
    values = [record.value for record in document.records]
    if any(isinstance(value, dict) and isinstance(value.get("messages"), list) for value in values):
        return TranscriptError(
            "each line holds a conversation of its own; expected one conversation a file, so put each line "
            "into a file of its own",
            source=document.source,
        )
    line, fault = skipped[0]
    return TranscriptError(
        f"no line is a message: {fault}; expected {ACCEPTED}", source=document.source, line=line
    )
