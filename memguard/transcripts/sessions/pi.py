"""Sessions of Pi and of agents built on it: JSONL of entries, a tree by ``parentId``, after a first line.

A ``message`` entry holds a message of the user, of the assistant (with calls as ``toolCall`` blocks), a
``toolResult``, or a command that the person ran. What extensions put in, summaries of a compaction or of
another branch, and thinking are left out, each with a warning. Read as Pi documents its session files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from memguard.message_form import Notes
from memguard.transcripts.apis.parts import part_text
from memguard.transcripts.apis.turns import NOT_SAID, Told, Turn, finish, first_objects, role_of
from memguard.transcripts.document import Document, Reading
from memguard.transcripts.sessions.branches import Node, last_branch, tell_branch
from memguard.transcripts.sessions.records import note_passed_over, placed_records
from memguard.transcripts.values import fields_of, items_of, text_id, text_of, title_of, words

_BRANCH = "the branch of the last message, followed by parentId back to its beginning"
_BY_PROGRAM = {
    "custom": "text that an extension put in",
    "hookMessage": "text that an extension put in",
    "branchSummary": "the summary of another branch",
    "compactionSummary": "the summary of a compaction",
}
_SUMMARIES = {"compaction": "the summary of a compaction", "branch_summary": "the summary of another branch"}


@dataclass(frozen=True, slots=True)
class _Entry:
    """One entry with its place."""

    place: str
    record: dict[str, Any]

    @property
    def kind(self) -> str:
        return words(self.record.get("type")) or "no type"

    @property
    def is_message(self) -> bool:
        return _is_message(self.record)


class Pi:
    """A session of Pi."""

    name = "pi"

    def recognises(self, document: Document) -> float:
        """Return 0.95 for entries after a line about the session, 0.9 for entries in a tree without one."""
        objects = first_objects(document)
        if not any(map(_is_message, objects)):
            return 0.0
        if any(words(value.get("type")) == "session" and "cwd" in value for value in objects[:3]):
            return 0.95
        return 0.9 if any(_is_message(value) and "parentId" in value for value in objects) else 0.0

    def read(self, document: Document) -> Reading:
        """Read the messages on the branch of the last one."""
        notes = Notes()
        placed, skipped = placed_records(document, notes)
        told = Told(calls_in_text=False, skipped_lines=skipped)
        entries = [_Entry(place, record) for place, record in placed]
        for entry in entries:
            if entry.kind == "session_info":
                told.title = title_of(entry.record.get("name")) or told.title
            elif entry.kind in _SUMMARIES:
                notes.add(f"{_SUMMARIES[entry.kind]} was left out: {NOT_SAID}", entry.place)
        others = (e.kind for e in entries if not e.is_message and e.kind not in _SUMMARIES)
        note_passed_over(others, notes)
        branch = last_branch([_node(entry) for entry in entries])
        tell_branch(entries, branch, _BRANCH, notes, told)
        turns: list[Turn] = []
        for entry, kept in zip(entries, branch.kept, strict=True):
            if kept and entry.is_message:
                turns += _turns(entry, notes)
        return finish(self.name, document, turns, notes, told)


def _is_message(record: dict[str, Any]) -> bool:
    message = fields_of(record.get("message"))
    return (
        record.get("type") == "message"
        and "role" in message
        and not {"content", "command"}.isdisjoint(message)
    )


def _node(entry: _Entry) -> Node:
    parent = text_id(entry.record.get("parentId"))
    # The line about the session has an id too, which no entry follows.
    own = text_id(entry.record.get("id")) if entry.kind != "session" else None
    return Node(own, (parent,) if parent is not None else (), entry.is_message)


def _turns(entry: _Entry, notes: Notes) -> list[Turn]:
    message = fields_of(entry.record.get("message"))
    role, place = words(message.get("role")), entry.place
    time = entry.record.get("timestamp")
    time = message.get("timestamp") if time is None else time
    turn = Turn(place, role, id=entry.record.get("id"), timestamp=time)
    if role in _BY_PROGRAM:
        notes.add(f"{_BY_PROGRAM[role]} was left out: {NOT_SAID}", place)
        return []
    if role == "bashExecution":
        turn.role, turn.texts = "user", [f"! {text_of(message.get('command'))}"]
        output = text_of(message.get("output"))
        return [turn, Turn(place, "tool", [output], timestamp=time, tool_name="bash")] if output else [turn]
    if role == "toolResult":
        turn.role, turn.call_id = "tool", text_id(message.get("toolCallId"))
        turn.tool_name = words(message.get("toolName")) or None
    else:
        turn.role = role_of(message.get("role"), {}, place, notes)
    thought = _fill(turn, message.get("content"), notes)
    if words(message.get("errorMessage")):
        notes.add(f"a notice of an error was left out: {NOT_SAID}", place)
        thought = True
    return [] if thought and turn.is_empty else [turn]


def _fill(turn: Turn, content: Any, notes: Notes) -> bool:
    """Add the blocks of a content; return whether it held thinking."""
    if not isinstance(content, list):
        turn.texts.append(part_text(content, turn.place, notes))
        return False
    thought = False
    for block in items_of(content):
        kind = words(fields_of(block).get("type"))
        if kind == "thinking":
            notes.add(f"thinking was left out: {NOT_SAID}", turn.place)
            thought = True
        elif kind == "toolCall":
            turn.call(block.get("name"), block.get("arguments", {}), block.get("id"))
        else:
            turn.texts.append(part_text(block, turn.place, notes))
    return thought
