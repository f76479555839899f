"""ShareGPT: ``{"conversations": [{"from": "human", "value": "…"}, …]}``, one conversation or many.

Who speaks is told by many words, in any case and with stray spaces (ING-018); turns need not alternate
nor begin with a person (ING-019).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from memguard.errors import TranscriptError
from memguard.message_form import Notes
from memguard.transcripts.apis.rows import find_rows, first_rows, times_of
from memguard.transcripts.apis.turns import Told, Turn, finish, first_objects, role_of
from memguard.transcripts.document import ConversationHead, Document, Reading
from memguard.transcripts.json_text import parse_json
from memguard.transcripts.values import items_of, rendered, text_id, words

_CALL_WORDS = ("function_call", "tool_call", "action")
_ARGUMENTS = ("arguments", "args", "parameters")
_ROLES = {
    **dict.fromkeys(("human", "user", "prompter", "person", "client"), "user"),
    **dict.fromkeys(
        ("gpt", "assistant", "chatgpt", "bot", "bing", "bard", "model", "ai", "chatbot", "claude", "gemini"),
        "assistant",
    ),
    **dict.fromkeys(_CALL_WORDS, "assistant"),
    **dict.fromkeys(
        ("observation", "tool", "function", "function_response", "tool_response", "ipython"), "tool"
    ),
    "system": "system",
    "developer": "developer",
}
_LISTS = ("conversations", "conversation", "items")
_ROLE_KEYS = ("from", "role")
_TEXT_KEYS = ("value", "text", "content", "markdown")


def is_turn(value: Any) -> bool:
    """Return whether a value is one of this format's turns."""
    return isinstance(value, dict) and "from" in value and "value" in value


def _turns_of(value: Any) -> tuple[str, list[Any]]:
    """Return the turns of a row and under which key they stand."""
    if isinstance(value, dict):
        for key in _LISTS:
            found = items_of(value.get(key))
            if found and any(map(is_turn, found[:50])):
                return key, found
    return "", []


def _is_row(value: Any) -> bool:
    return bool(_turns_of(value)[1]) or (isinstance(value, dict) and value.get("conversations") == [])


class ShareGPT:
    """Conversations with ``from`` and ``value``."""

    name = "sharegpt"

    def recognises(self, document: Document) -> float:
        """Return 0.9 where rows hold such turns, or the file is one list of such turns."""
        objects = first_rows(document, first_objects(document))
        n_own = max(sum(map(_is_row, objects)), sum(map(is_turn, objects)))
        if n_own and not any(_turns_of(item)[1] or is_turn(item) for item in objects):
            return 0.0  # rows that are all empty may be of any format
        return 0.9 if n_own and 2 * n_own > len(objects) else 0.0

    def conversations(self, document: Document) -> tuple[ConversationHead, ...]:
        """Return the conversations, a row each; a bare list of turns is one."""
        if _is_bare(document):
            n_turns = len(items_of(document.value))
            return (ConversationHead("1", None, n_turns, None, None, "the whole file"),)
        return find_rows(document, _is_row).heads(_count, _times)

    def read(self, document: Document, conversation: str | None = None) -> Reading:
        """Read one conversation in the order given."""
        if _is_bare(document):
            turns_of, notes = items_of(document.value), Notes()
            turns = [t for i, v in enumerate(turns_of) for t in _turn(v, f"turn {i}", notes)]
            _name_results(turns)
            return finish(self.name, document, turns, notes, Told())
        found = find_rows(document, _is_row)
        if not found.rows:
            raise TranscriptError(
                'no conversation with {"from", "value"} turns was found', source=document.source
            )
        heads = found.heads(_count, _times)
        row = found.pick(heads, conversation, document)
        notes = Notes(found.warnings)
        told = Told(
            words(row.value.get("title")) or None,
            skipped_lines=found.skipped_lines,
            n_conversations=len(found.rows),
        )
        key, values = _turns_of(row.value)
        turns = []
        system = row.value.get("system", row.value.get("system_prompt"))
        if isinstance(system, str) and system:
            turns.append(Turn(row.at("system"), "system", [system]))
        for index, value in enumerate(values):
            turns += _turn(value, row.at(f"{key}[{index}]"), notes)
        _name_results(turns)
        return finish(self.name, document, turns, notes, told)


def _is_bare(document: Document) -> bool:
    value = document.value
    return isinstance(value, list) and any(map(is_turn, value[:200]))


def _count(value: dict[str, Any]) -> int:
    return len(_turns_of(value)[1])


def _times(value: dict[str, Any]) -> list[Any]:
    return times_of(_turns_of(value)[1])


def _turn(value: Any, place: str, notes: Notes) -> list[Turn]:
    if not isinstance(value, dict):
        notes.add('this is no turn, which is an object with "from" and "value"; it was left out', place)
        return []
    said_by = next((value[key] for key in _ROLE_KEYS if value.get(key) is not None), None)
    given = next((value[key] for key in _TEXT_KEYS if value.get(key) is not None), None)
    turn = Turn(place, role_of(said_by, _ROLES, place, notes), id=text_id(value.get("id")))
    called = _called(given) if words(said_by).strip().lower() in _CALL_WORDS else []
    for call in called:
        turn.call(call["name"], next((call[k] for k in _ARGUMENTS if k in call), ""), call.get("id"))
    if given is not None and not called:
        turn.texts.append(rendered(given))
    turn.timestamp = value.get("timestamp")
    turn.speaker = words(value.get("name")) or None
    return [turn]


def _called(given: Any) -> list[dict[str, Any]]:
    """Return the calls that a turn holds as JSON, one or a list; none where it is anything else."""
    value = given
    if isinstance(given, str):
        try:
            value, _ = parse_json(given)
        except (ValueError, RecursionError):
            return []
    calls = value if isinstance(value, list) else [value]
    return calls if calls and all(isinstance(c, dict) and words(c.get("name")) for c in calls) else []


def _name_results(turns: list[Turn]) -> None:
    """Give a tool's turn the name of the call right before it, which is what it answers here."""
    for caller, result in pairwise(turns):
        if result.role == "tool" and len(caller.calls) == 1 and result.tool_name is None:
            result.tool_name = caller.calls[0]["name"]
