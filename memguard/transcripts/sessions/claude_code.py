"""Claude Code sessions: JSONL of records, a tree by ``parentUuid``.

What a sub-agent did on the side, what the program itself wrote into the conversation (summaries of a
compaction, reminders, caveats, notices of errors) and thinking are left out, each with a warning. A
record that the file holds twice is read once (ING-005). The pieces of one message are one turn again,
and a tool's result is the tool's (ING-006). A line that cannot be read costs that line (ING-007).
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any

from memguard.message_form import Notes
from memguard.transcripts.apis.anthropic import CALLS, block_turns, is_result
from memguard.transcripts.apis.turns import NOT_SAID, Told, Turn, finish, first_objects
from memguard.transcripts.document import Document, Reading
from memguard.transcripts.sessions.branches import Node, last_branch, tell_branch
from memguard.transcripts.sessions.records import note_passed_over, placed_records, tagged, wrapping_tag
from memguard.transcripts.values import fields_of, items_of, rendered, text_id, words

_OWN_FIELDS = frozenset({"uuid", "parentUuid", "sessionId", "session_id", "isSidechain"})
_BRANCH = "the branch of the last message, followed by parentUuid back to its beginning"
_PROGRAM_TAGS = frozenset(
    {
        "system-reminder",
        "local-command-caveat",
        "user-prompt-submit-hook",
        "task-notification",
        "ide_opened_file",
        "ide_selection",
        "ide_diagnostics",
    }
)
_TAG_TEXT = re.compile(r"<(command-name|command-args|bash-input|[\w-]{1,40}-std(?:out|err))>")
_BY_PROGRAM = "<synthetic>"
"""Named as the model of a message that no model wrote."""
_COLOUR = re.compile(r"\x1b\[[0-9;]{0,20}m")
"""What a terminal takes as a change of colour."""
_OUTPUT_TAGS = {
    "local-command-stdout": "command",
    "local-command-stderr": "command",
    "bash-stdout": "bash",
    "bash-stderr": "bash",
}


@dataclass(slots=True)
class _Entry:
    """One record with its place."""

    place: str
    record: dict[str, Any]

    @property
    def is_message(self) -> bool:
        return words(self.record.get("type")) in {"user", "assistant"} and "message" in self.record

    @property
    def message(self) -> dict[str, Any]:
        return fields_of(self.record.get("message"))

    @property
    def content(self) -> Any:
        return self.message.get("content")

    @property
    def message_id(self) -> str | None:
        return text_id(self.message.get("id")) if self.record.get("type") == "assistant" else None

    @property
    def blocks(self) -> list[dict[str, Any]]:
        return [block for block in items_of(self.content) if isinstance(block, dict)]


class ClaudeCode:
    """A session of Claude Code, or the stream of records that it prints."""

    name = "claude_code"

    def recognises(self, document: Document) -> float:
        """Return 0.95 where records hold messages and have one of the tool's fields, else 0.85."""
        objects = first_objects(document)
        messages = [value for value in objects if _holds_message(value)]
        if any(not _OWN_FIELDS.isdisjoint(value) for value in messages):
            return 0.95
        if messages:
            return 0.85
        return 0.9 if any(v.get("type") == "summary" and "leafUuid" in v for v in objects) else 0.0

    def read(self, document: Document) -> Reading:
        """Read the messages on the branch of the last one."""
        notes = Notes()
        placed, skipped = placed_records(document, notes)
        told = Told(calls_in_text=False, skipped_lines=skipped)
        uuids = {text_id(record.get("uuid")) for _, record in placed if record.get("type") == "user"}
        found = [_Entry(place, _queued(record, uuids) or record) for place, record in placed]
        entries, aliases = _once(found, notes, told)
        told.title = _title(entries)
        note_passed_over(
            (words(e.record.get("type")) or "no type" for e in entries if not e.is_message), notes
        )
        entries = _main_thread(entries, notes, told)
        branch = last_branch([_node(entry, aliases) for entry in entries])
        kept = [entry for entry, is_kept in zip(entries, branch.kept, strict=True) if is_kept]
        tell_branch(entries, branch, _BRANCH, notes, told)
        turns = _merged([(entry, _turns(entry, notes)) for entry in kept if entry.is_message])
        return finish(self.name, document, turns, notes, told)


def _holds_message(value: dict[str, Any]) -> bool:
    message = value.get("message")
    kind = words(value.get("type"))
    return kind in {"user", "assistant"} and isinstance(message, dict) and "content" in message


def _queued(record: dict[str, Any], uuids: Set[str | None]) -> dict[str, Any] | None:
    """Return as a message of the user what a person typed while the agent worked.

    Such text is an attachment, and only seldom a message of its own as well.
    """
    attachment = fields_of(record.get("attachment"))
    if attachment.get("type") != "queued_command" or attachment.get("isMeta") is True:
        return None
    by_person = fields_of(attachment.get("origin")).get("kind", "human") == "human"
    if not by_person or attachment.get("commandMode", "prompt") != "prompt":
        return None
    own = text_id(attachment.get("source_uuid"))
    if own is not None and own in uuids:
        return None
    return {**record, "type": "user", "message": {"role": "user", "content": attachment.get("prompt")}}


def _once(entries: Sequence[_Entry], notes: Notes, told: Told) -> tuple[list[_Entry], dict[str, str]]:
    """Return each entry once, and for the ids of copies the id of what they copy.

    A copy has the id of an earlier record, or its time, its kind and its message's id; and the same
    content. Records with the same id and another content are both kept.
    """
    kept: list[_Entry] = []
    aliases: dict[str, str] = {}
    seen: dict[tuple[Any, ...], _Entry] = {}
    for entry in entries:
        uuid = text_id(entry.record.get("uuid"))
        kind, time = words(entry.record.get("type")), words(entry.record.get("timestamp"))
        content = hash(rendered(entry.content))  # looked up, since a file may hold one id any number of times
        keys: list[tuple[Any, ...]] = [("uuid", uuid, content)] if uuid is not None else []
        if time and entry.is_message:
            keys.append(("time", kind, time, entry.message_id, content))
        earlier = [seen[key] for key in keys if key in seen]
        copied = next((old for old in earlier if old.content == entry.content), None)
        if copied is not None:
            told.duplicates += entry.is_message
            first = text_id(copied.record.get("uuid"))
            if uuid is not None and first is not None and uuid != first:
                aliases[uuid] = first
            continue
        kept.append(entry)
        for key in keys:
            seen.setdefault(key, entry)
    if told.duplicates:
        notes.add(f"messages that stand in the file again and are read once: {told.duplicates}")
    return kept, aliases


def _title(entries: Sequence[_Entry]) -> str | None:
    """Return the name of the session; a summary of another session, which files also hold, is none."""
    uuids = {text_id(entry.record.get("uuid")) for entry in entries} - {None}
    title = None
    for entry in entries:
        record = entry.record
        found = words(record.get("customTitle")) or words(record.get("aiTitle"))
        if record.get("type") == "summary" and text_id(record.get("leafUuid")) in uuids:
            found = words(record.get("summary"))
        title = found or title
    return title


def _main_thread(entries: list[_Entry], notes: Notes, told: Told) -> list[_Entry]:
    """Leave out the sub-agents' turns, unless the file holds nothing else."""
    main = [entry for entry in entries if entry.record.get("isSidechain") is not True]
    if not any(entry.is_message for entry in main):
        if len(main) < len(entries):
            told.branch = "a sub-agent's own session"
        return entries
    n_aside = sum(entry.is_message for entry in entries) - sum(entry.is_message for entry in main)
    if n_aside:
        first = next(e for e in entries if e.is_message and e.record.get("isSidechain") is True)
        notes.add(
            f"turns of sub-agents that were left out, since they ran beside the conversation: {n_aside}",
            first.place,
        )
    return main


def _node(entry: _Entry, aliases: dict[str, str]) -> Node:
    record = entry.record
    named = (text_id(record.get(key)) for key in ("parentUuid", "logicalParentUuid"))
    results = [block for block in entry.blocks if is_result(words(block.get("type")))]
    answers = (text_id(b.get("tool_use_id")) for b in results if len(results) == len(entry.blocks))
    calls = (text_id(b.get("id")) for b in entry.blocks if words(b.get("type")) in CALLS)
    return Node(
        text_id(record.get("uuid")),
        tuple(aliases.get(parent, parent) for parent in named if parent is not None),
        entry.is_message,
        entry.message_id,
        frozenset(call for call in calls if call is not None),
        frozenset(answer for answer in answers if answer is not None),
    )


def _turns(entry: _Entry, notes: Notes) -> list[Turn]:
    record, place = entry.record, entry.place
    fault = _not_said(record)
    if fault:
        notes.add(f"{fault} was left out: {NOT_SAID}", place)
        return []
    turn = Turn(place, words(record.get("type")), id=record.get("uuid"), timestamp=record.get("timestamp"))
    if turn.role == "assistant":
        return block_turns(entry.content, turn, notes)
    content = entry.content
    if isinstance(content, str):
        output = _output(content)
        if output is not None:
            turn.role, turn.tool_name, turn.texts = "tool", *output
            return [turn]
        typed = _typed(content, place, notes)
        return [] if typed is None else block_turns(typed, turn, notes)
    blocks = []
    for block in items_of(content):
        if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str):
            typed = _typed(block["text"], place, notes)
            if typed is None:
                continue
            blocks.append({**block, "text": typed})
        else:
            blocks.append(block)
    if items_of(content) and not blocks:
        return []
    return block_turns(blocks if isinstance(content, list) else content, turn, notes)


def _not_said(record: dict[str, Any]) -> str:
    if record.get("isCompactSummary") is True:
        return "the summary of a compaction"
    if record.get("isApiErrorMessage") is True:
        return "a notice of an error"
    if fields_of(record.get("message")).get("model") == _BY_PROGRAM:
        return "an answer that the program put in"
    if record.get("isMeta") is True or record.get("isVisibleInTranscriptOnly") is True:
        return "text that the program put in"
    return ""


def _typed(text: str, place: str, notes: Notes) -> str | None:
    """Return what the person typed; None where the program wrote the text."""
    tag = wrapping_tag(text)
    if tag in _PROGRAM_TAGS:
        notes.add(f"text that the program put in was left out: {NOT_SAID}", place)
        return None
    if tag is None and not text.lstrip().startswith(("<command-name>", "<command-message>", "<bash-input>")):
        return text
    found = {name: inner.strip() for name, inner in tagged(text, _TAG_TEXT)}
    if "command-name" in found:
        return f"{found['command-name']} {found.get('command-args', '')}".strip()
    return f"! {found['bash-input']}" if "bash-input" in found else text


def _output(text: str) -> tuple[str, list[str]] | None:
    """Return the tool and its output where a text is that of a command the person ran."""
    found = [(name, inner) for name, inner in tagged(text, _TAG_TEXT) if name in _OUTPUT_TAGS]
    if not found or not text.lstrip().startswith(tuple(f"<{tag}>" for tag in _OUTPUT_TAGS)):
        return None
    return _OUTPUT_TAGS[found[0][0]], [_COLOUR.sub("", inner) for _, inner in found]


def _merged(read: Sequence[tuple[_Entry, list[Turn]]]) -> list[Turn]:
    """Join the pieces of one message, which the file keeps as records of their own."""
    turns: list[Turn] = []
    begun: dict[str, Turn] = {}
    for entry, pieces in read:
        first = begun.get(entry.message_id) if entry.message_id is not None else None
        if first is not None and len(pieces) == 1 and pieces[0].role == first.role:
            first.settle()
            pieces[0].settle()
            first.texts += pieces[0].texts
            first.calls += pieces[0].calls
            first.place = f"{first.place}, {entry.place}"
            continue
        turns += pieces
        if entry.message_id is not None and pieces and pieces[-1].role == "assistant":
            begun[entry.message_id] = pieces[-1]
    return turns
