"""Gemini CLI sessions: one JSON object with ``messages``, or JSONL of the same messages with edits.

In JSONL the first record is about the session; a message that comes again replaces its earlier copy;
``{"$set": {…}}`` changes the session (with ``messages`` all of them) and ``{"$rewindTo": id}`` takes
back that message and what follows it.
"""

from __future__ import annotations

from typing import Any

from memguard.message_form import Notes
from memguard.transcripts.apis.gemini import content_turns, field, response_text
from memguard.transcripts.apis.parts import part_text
from memguard.transcripts.apis.turns import NOT_SAID, Told, Turn, finish, first_objects
from memguard.transcripts.document import Document, Reading
from memguard.transcripts.sessions.records import note_passed_over, placed_records
from memguard.transcripts.values import items_of, text_id, words

_SPEAKING = {"user": "user", "gemini": "assistant"}
_NOTICES = frozenset({"info", "error", "warning"})
_REWOUND = "what was rewound is left out"

_Placed = tuple[str, dict[str, Any]]


class GeminiCli:
    """A session that Gemini CLI recorded."""

    name = "gemini_cli"

    def recognises(self, document: Document) -> float:
        """Return 0.95 where a session's object or first record names its project and messages are typed."""
        value = document.value
        if isinstance(value, dict) and isinstance(value.get("messages"), list):
            found = [m for m in value["messages"][:200] if isinstance(m, dict)]
            named = "sessionId" in value or "projectHash" in value
            return 0.95 if named and (not found or any(map(_is_message, found))) else 0.0
        objects = first_objects(document)
        if any("projectHash" in v and "sessionId" in v for v in objects[:3]):
            return 0.95
        # A session may end after its edits: messages typed so, with an edit among them, are enough.
        edited = any("$set" in v or "$rewindTo" in v for v in objects)
        return 0.9 if edited and any(map(_is_message, objects)) else 0.0

    def read(self, document: Document) -> Reading:
        """Read the messages that stand after all edits."""
        notes = Notes()
        told = Told(calls_in_text=False)
        value = document.value
        if isinstance(value, dict) and isinstance(value.get("messages"), list):
            told.title = words(value.get("summary")) or None
            placed = _placed(value["messages"], "messages", notes)
        else:
            records, told.skipped_lines = placed_records(document, notes)
            placed = _edited(records, notes, told)
        turns: list[Turn] = []
        for place, message in placed:
            turns += _turns(message, place, notes)
        return finish(self.name, document, turns, notes, told)


def _is_message(value: dict[str, Any]) -> bool:
    return words(value.get("type")) in _SPEAKING and "content" in value and "role" not in value


def _placed(messages: Any, where: str, notes: Notes) -> list[_Placed]:
    placed = []
    for index, message in enumerate(items_of(messages)):
        if isinstance(message, dict):
            placed.append((f"{where}[{index}]", message))
        else:
            notes.add("this is no message, which is an object; it was left out", f"{where}[{index}]")
    return placed


def _edited(records: list[_Placed], notes: Notes, told: Told) -> list[_Placed]:
    """Return the messages after all edits, in their order."""
    # By id: a new copy takes the place of the earlier one; what has no id goes by its place.
    messages: dict[str, _Placed] = {}
    passed_over: list[str] = []
    for place, record in records:
        if "$rewindTo" in record:
            _rewind(messages, record["$rewindTo"], place, notes, told)
        elif isinstance(record.get("$set"), dict):
            change = record["$set"]
            told.title = words(change.get("summary")) or told.title
            if isinstance(change.get("messages"), list):
                _replace_all(messages, _placed(change["messages"], f"{place}, messages", notes), told)
        elif words(record.get("type")):
            key = _key(record, place)
            told.duplicates += key in messages
            messages[key] = (place, record)
        else:
            told.title = words(record.get("summary")) or told.title
            passed_over.append("session" if "sessionId" in record else "no type")
    note_passed_over(passed_over, notes)
    return list(messages.values())


def _key(message: dict[str, Any], place: str) -> str:
    own = text_id(message.get("id"))
    return f"at {place}" if own is None else f"id {own}"


def _rewind(messages: dict[str, _Placed], target: Any, place: str, notes: Notes, told: Told) -> None:
    wanted = f"id {text_id(target)}"
    if wanted not in messages:
        notes.add("rewinds to a message that the file does not hold; nothing was left out", place)
        return
    n_before = len(messages)
    while messages.popitem()[0] != wanted:
        pass
    told.abandoned += n_before - len(messages)
    told.branch = _REWOUND
    notes.add(f"messages that were rewound, and so are not read: {n_before - len(messages)}", place)


def _replace_all(messages: dict[str, _Placed], new: list[_Placed], told: Told) -> None:
    replacing = {_key(message, place): (place, message) for place, message in new}
    gone = sum(key not in replacing for key in messages)
    if gone:
        told.abandoned += gone
        told.branch = _REWOUND
    messages.clear()
    messages.update(replacing)


def _turns(message: dict[str, Any], place: str, notes: Notes) -> list[Turn]:
    kind = words(message.get("type"))
    if kind not in _SPEAKING:
        what = "a notice of the program" if kind in _NOTICES else f"a message of type {kind[:40]!r}"
        notes.add(f"{what} was left out: {NOT_SAID}", place)
        return []
    if items_of(message.get("thoughts")):
        notes.add(f"thinking was left out: {NOT_SAID}", place)
    turn = Turn(place, _SPEAKING[kind], id=message.get("id"), timestamp=message.get("timestamp"))
    turns = content_turns(message.get("content"), turn, notes)
    calls = [call for call in items_of(message.get("toolCalls")) if isinstance(call, dict)]
    if not calls:
        return turns
    caller = next((said for said in reversed(turns) if said.role == "assistant"), None)
    if caller is None:
        caller = turn
        turns.append(caller)
    for call in calls:
        caller.call(call.get("name"), call.get("args", {}), call.get("id"))
    return turns + [result for call in calls for result in _result(call, turn, notes)]


def _result(call: dict[str, Any], turn: Turn, notes: Notes) -> list[Turn]:
    """Return what a tool gave back, as a turn of the tool; none where it gave nothing."""
    texts = []
    given = call.get("result")
    for part in given if isinstance(given, list) else [given]:
        answer = field(part, "functionResponse") if isinstance(part, dict) else None
        if isinstance(answer, dict):
            texts.append(response_text(answer.get("response")))
        elif part is not None:
            texts.append(part_text(part, turn.place, notes))
    shown = call.get("resultDisplay")
    if not texts and shown:
        texts.append(part_text(shown, turn.place, notes))
    if not texts:
        notes.add("a tool call has no result", turn.place)
        return []
    time = turn.timestamp
    return [
        Turn(
            turn.place,
            "tool",
            texts,
            timestamp=time,
            call_id=text_id(call.get("id")),
            tool_name=words(call.get("name")) or None,
        )
    ]
