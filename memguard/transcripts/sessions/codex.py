"""Codex rollouts: JSONL of items in envelopes, among events and records about the session.

The items are those of the Responses interface. Events repeat what items say, so they are read only
where there are no messages among the items. Also read are the two earlier forms: bare items after a
line about the session, and one object with ``session`` and ``items``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from memguard.message_form import Notes
from memguard.transcripts.apis.openai_responses import is_item, is_own_item, item_turns
from memguard.transcripts.apis.parts import part_text
from memguard.transcripts.apis.turns import NOT_SAID, Told, Turn, finish, first_objects
from memguard.transcripts.document import Document, Reading
from memguard.transcripts.json_text import parse_json
from memguard.transcripts.sessions.records import note_passed_over, placed_records, wrapping_tag
from memguard.transcripts.values import fields_of, items_of, rendered, words

_ENVELOPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_EVENT_ROLES = {"user_message": "user", "agent_message": "assistant"}
_PROGRAM_TAGS = frozenset(
    {
        "environment_context",
        "user_instructions",
        "collaboration_mode",
        "turn_aborted",
        "skill",
        "skills_instructions",
        "apps_instructions",
        "plugins_instructions",
        "subagent_notification",
        "personality_spec",
        "model_switch",
    }
)
_PROGRAM_STARTS = ("# AGENTS.md instructions for ", "<permissions instructions>")
_ROLLBACK = "what was rolled back is left out"


@dataclass(slots=True)
class _Session:
    """What is gathered while the records are gone through."""

    notes: Notes
    told: Told
    turns: list[Turn] = field(default_factory=list)
    events: list[Turn] = field(default_factory=list)
    passed_over: list[str] = field(default_factory=list)
    seen: dict[tuple[str, int], dict[str, Any]] = field(default_factory=dict)


class Codex:
    """A rollout of Codex."""

    name = "codex"

    def recognises(self, document: Document) -> float:
        """Return 0.95 for records in Codex's envelopes, or items after a line about the session."""
        objects = first_objects(document)
        if any(_is_envelope(value) for value in objects):
            return 0.95
        value = document.value
        if isinstance(value, dict):
            return 0.95 if isinstance(value.get("session"), dict) and _are_items(value.get("items")) else 0.0
        if len(objects) > 1 and _is_head(objects[0]) and _are_items(objects[1:]):
            return 0.95
        return 0.0

    def read(self, document: Document) -> Reading:
        """Read the items in their order; turns that were rolled back are left out."""
        notes = Notes()
        value = document.value
        if isinstance(value, dict) and isinstance(value.get("items"), list) and "session" in value:
            placed: list[tuple[str, Any]] = [(f"items[{i}]", item) for i, item in enumerate(value["items"])]
            skipped = 0
        else:
            records, skipped = placed_records(document, notes)
            placed = list(records)
        session = _Session(notes, Told(calls_in_text=False, skipped_lines=skipped))
        for place, record in placed:
            _take(record, place, session)
        turns = session.turns
        if session.events and not any(turn.role in {"user", "assistant"} and turn.text for turn in turns):
            session.told.branch = "the events, since the items hold no messages"
            turns = session.events
        if session.told.duplicates:
            notes.add(f"items that stand in the file again and are read once: {session.told.duplicates}")
        note_passed_over(session.passed_over, notes)
        return finish(self.name, document, turns, notes, session.told)


def _is_envelope(value: dict[str, Any]) -> bool:
    return words(value.get("type")) in _ENVELOPES and isinstance(value.get("payload"), dict)


def _is_head(value: dict[str, Any]) -> bool:
    return {"id", "timestamp"} <= value.keys() and {"type", "role", "content"}.isdisjoint(value)


def _are_items(value: Any) -> bool:
    found = [v for v in items_of(value)[:200] if isinstance(v, dict) and "record_type" not in v]
    return bool(found) and all(map(is_item, found)) and any(map(is_own_item, found))


def _take(record: Any, place: str, session: _Session) -> None:
    if not isinstance(record, dict):
        session.notes.add("this is no record, which is an object; it was left out", place)
        return
    kind = words(record.get("type"))
    payload = fields_of(record.get("payload"))
    if kind == "response_item":
        _take_item(payload, place, session, record.get("timestamp"))
    elif kind == "event_msg":
        _take_event(payload, place, session, record.get("timestamp"))
    elif kind == "compacted":
        session.notes.add(f"the summary of a compaction was left out: {NOT_SAID}", place)
    elif kind in _ENVELOPES:
        session.passed_over.append(kind)
    elif kind or "role" in record:
        _take_item(record, place, session, record.get("timestamp"))
    else:
        session.passed_over.append(words(record.get("record_type")) or "session")


def _take_item(item: dict[str, Any], place: str, session: _Session, time: Any) -> None:
    if _is_copy(item, time, session):
        session.told.duplicates += 1
        return
    if is_item(item) and words(item.get("type")) in {"", "message"}:
        said = _said(item, place, session.notes)
        if said is None:
            return
        item = said
    turns = item_turns(item, place, session.notes, time)
    for turn in turns:
        if turn.role == "tool":
            turn.texts = [_output(text) for text in turn.texts]
    session.turns += turns


def _is_copy(item: dict[str, Any], time: Any, session: _Session) -> bool:
    """Return whether the item came before: the same in all, with its id or its time."""
    key = words(item.get("id")) or words(time)
    if not key:
        return False
    first = session.seen.setdefault((key, hash(rendered(item))), item)
    return first is not item and first == item


def _said(item: dict[str, Any], place: str, notes: Notes) -> dict[str, Any] | None:
    """Return a message without what the program put in; None where nothing is left."""
    if words(item.get("role")) in {"developer", "system"}:
        notes.add(f"instructions of the program were left out: {NOT_SAID}", place)
        return None
    content = item.get("content")
    if item.get("role") != "user" or not isinstance(content, list):
        return item
    kept = [part for part in content if not _is_program(words(fields_of(part).get("text")))]
    if len(kept) < len(content):
        notes.add(f"text that the program put in was left out: {NOT_SAID}", place)
    return {**item, "content": kept} if kept or not content else None


def _is_program(text: str) -> bool:
    return wrapping_tag(text) in _PROGRAM_TAGS or text.lstrip().startswith(_PROGRAM_STARTS)


def _output(text: str) -> str:
    """Return what a tool printed where a text is JSON of that and its exit code."""
    if not text.startswith('{"output"'):
        return text
    try:
        value, _ = parse_json(text)
    except (ValueError, RecursionError):
        return text
    return words(fields_of(value).get("output")) or text


def _take_event(event: dict[str, Any], place: str, session: _Session, time: Any) -> None:
    kind = words(event.get("type"))
    if kind in _EVENT_ROLES:
        said = part_text(event.get("message"), place, session.notes)
        session.events.append(Turn(place, _EVENT_ROLES[kind], [said], timestamp=time))
    elif kind == "thread_rolled_back":
        _roll_back(event.get("num_turns"), place, session)
    else:
        if kind == "thread_name_updated":
            session.told.title = words(event.get("thread_name")) or session.told.title
        session.passed_over.append(kind or "event")


def _roll_back(n_turns: Any, place: str, session: _Session) -> None:
    if not isinstance(n_turns, int) or isinstance(n_turns, bool) or n_turns < 1:
        session.notes.add("a rollback does not say how many turns; nothing was left out", place)
        return
    left = 0
    for turns in (session.events, session.turns):
        start = _start_of(turns, n_turns)
        left = len(turns) - start
        del turns[start:]
    session.told.abandoned += left
    session.told.branch = _ROLLBACK
    session.notes.add(f"messages that were rolled back, and so are not read: {left}", place)


def _start_of(turns: Sequence[Turn], n_turns: int) -> int:
    """Return where the last so many turns of the person begin."""
    begins = [index for index, turn in enumerate(turns) if turn.role == "user"]
    return begins[max(0, len(begins) - n_turns)] if begins else len(turns)
