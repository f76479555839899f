"""Qwen Code sessions: JSONL of records, a tree by ``parentUuid``, each with a Gemini content in ``message``.

A ``tool_result`` record holds the responses of functions. What sub-agents did, what the program itself
put in (notifications, scheduled and goal turns) and thinking are left out, each with a warning; records
of the kind ``system`` are about the session. Read as the recording service of Qwen Code writes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memguard.message_form import Notes
from memguard.transcripts.apis.gemini import content_turns
from memguard.transcripts.apis.turns import NOT_SAID, Told, Turn, finish, first_objects
from memguard.transcripts.document import Document, Reading
from memguard.transcripts.sessions.branches import Node, last_branch, tell_branch
from memguard.transcripts.sessions.records import note_passed_over, placed_records
from memguard.transcripts.values import fields_of, text_id, title_of, words

_ROLES = {"user": "user", "assistant": "assistant", "tool_result": "tool"}
_BRANCH = "the branch of the last message, followed by parentUuid back to its beginning"
_BY_PROGRAM = frozenset(
    {
        "notification",
        "background_task_completed",
        "cron",
        "goal_runtime",
        "agent_bootstrap",
        "agent_launch_prompt",
    }
)
_NOT_A_PERSON = frozenset({"system", "goal_control", "goal_runtime"})


@dataclass(frozen=True, slots=True)
class _Entry:
    """One record with its place."""

    place: str
    record: dict[str, Any]

    @property
    def kind(self) -> str:
        return words(self.record.get("type"))

    @property
    def is_message(self) -> bool:
        return _is_message(self.record)


class QwenCode:
    """A session that Qwen Code recorded."""

    name = "qwen_code"

    def recognises(self, document: Document) -> float:
        """Return 0.95 where a record names its session and holds a message of parts."""
        objects = first_objects(document)
        own = [v for v in objects if "sessionId" in v or "parentUuid" in v]
        return 0.95 if any(map(_is_message, own)) else 0.0

    def read(self, document: Document) -> Reading:
        """Read the messages on the branch of the last one."""
        notes = Notes()
        placed, skipped = placed_records(document, notes)
        told = Told(calls_in_text=False, skipped_lines=skipped)
        entries = _once([_Entry(place, record) for place, record in placed], notes, told)
        for entry in entries:
            payload = fields_of(entry.record.get("systemPayload"))
            told.title = title_of(payload.get("customTitle")) or told.title
        note_passed_over((_kind(e) for e in entries if not e.is_message), notes)
        entries = _main_thread(entries, notes, told)
        branch = last_branch([_node(entry) for entry in entries])
        tell_branch(entries, branch, _BRANCH, notes, told)
        turns: list[Turn] = []
        for entry, kept in zip(entries, branch.kept, strict=True):
            if kept and entry.is_message:
                turns += _turns(entry, notes)
        return finish(self.name, document, turns, notes, told)


def _is_message(record: dict[str, Any]) -> bool:
    return words(record.get("type")) in _ROLES and isinstance(
        fields_of(record.get("message")).get("parts"), list
    )


def _kind(entry: _Entry) -> str:
    return words(entry.record.get("subtype")) or entry.kind or "no type"


def _once(entries: Sequence[_Entry], notes: Notes, told: Told) -> list[_Entry]:
    """Return each record once; of records with one id and another content all are kept."""
    kept: list[_Entry] = []
    seen: dict[str, list[dict[str, Any]]] = {}
    for entry in entries:
        own = text_id(entry.record.get("uuid"))
        before = seen.setdefault(own, []) if own is not None else []
        if before and before[0] == entry.record:
            told.duplicates += entry.is_message
            continue
        before.append(entry.record)
        kept.append(entry)
    if told.duplicates:
        notes.add(f"messages that stand in the file again and are read once: {told.duplicates}")
    return kept


def _main_thread(entries: list[_Entry], notes: Notes, told: Told) -> list[_Entry]:
    """Leave out the sub-agents' turns, unless the file holds nothing else."""
    main = [entry for entry in entries if entry.record.get("isSidechain") is not True]
    aside = [e for e in entries if e.is_message and e.record.get("isSidechain") is True]
    if not any(entry.is_message for entry in main):
        told.branch = "a sub-agent's own session" if aside else ""
        return entries
    if aside:
        notes.add(
            f"turns of sub-agents that were left out, since they ran beside the conversation: {len(aside)}",
            aside[0].place,
        )
    return main


def _node(entry: _Entry) -> Node:
    parent = text_id(entry.record.get("parentUuid"))
    return Node(text_id(entry.record.get("uuid")), (parent,) if parent is not None else (), entry.is_message)


def _turns(entry: _Entry, notes: Notes) -> list[Turn]:
    record = entry.record
    subtype, provenance = words(record.get("subtype")), words(record.get("provenance"))
    if entry.kind == "user" and (subtype in _BY_PROGRAM or provenance in _NOT_A_PERSON):
        notes.add(f"text that the program put in was left out: {NOT_SAID}", entry.place)
        return []
    turn = Turn(entry.place, _ROLES[entry.kind], id=record.get("uuid"), timestamp=record.get("timestamp"))
    return content_turns(record["message"], turn, notes)
