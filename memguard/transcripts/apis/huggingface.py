"""Hugging Face chat data sets: a row a conversation, as a JSON list, JSONL, or a viewer's answer.

A row holds ``messages``, ``conversation`` or ``conversations`` of role and content; or a prompt with
``chosen`` and ``rejected`` (the chosen answer is read); or a prompt with a ``completion`` or ``response``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from memguard.errors import TranscriptError
from memguard.message_form import Notes
from memguard.transcripts.apis.anthropic import is_own_block, message_turns
from memguard.transcripts.apis.parts import part_text
from memguard.transcripts.apis.rows import Row, find_rows, first_rows, times_of
from memguard.transcripts.apis.turns import Told, Turn, finish, first_objects, role_of
from memguard.transcripts.document import ConversationHead, Document, Reading
from memguard.transcripts.values import fields_of, items_of, text_id, words

_ROLES = {"human": "user", "gpt": "assistant", "model": "assistant", "bot": "assistant", "prompter": "user"}
_LISTS = ("messages", "conversation", "conversations", "dialogue", "chat")
_ANSWERS = ("completion", "response")
_CHOSEN = "the chosen answer, with the rejected one left out"
_IN_TEXT = re.compile(r"(?:\A|\n\n)(Human|Assistant): ?")
"""How older preference sets write turns into one text."""


def _list_key(value: Any) -> str | None:
    """Return the key under which a row holds a list of messages."""
    if not isinstance(value, dict):
        return None
    for key in _LISTS:
        found = value.get(key)
        if isinstance(found, list) and found and all(_is_message(m) for m in found[:20]):
            return key
    return None


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and "role" in value


def _is_row(value: Any) -> bool:
    return isinstance(value, dict) and (_list_key(value) is not None or _is_pair(value))


def _is_pair(value: dict[str, Any]) -> bool:
    if _is_said(value.get("chosen")) and _is_said(value.get("rejected")):
        return True
    return _is_said(value.get("prompt")) and any(_is_said(value.get(key)) for key in _ANSWERS)


def _is_said(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and any(map(_is_message, value[:20])))


class HuggingFace:
    """Rows of a chat data set."""

    name = "huggingface"

    def recognises(self, document: Document) -> float:
        """Return 0.8 where most rows hold a conversation.

        One object with ``messages`` is a conversation and no row: it stays with the reader of messages.
        """
        value = document.value
        if isinstance(value, dict) and "messages" in value and "rows" not in value:
            return 0.0
        rows = first_rows(document, first_objects(document))
        n_rows = sum(map(_is_row, rows))
        return 0.8 if n_rows and 2 * n_rows > len(rows) else 0.0

    def conversations(self, document: Document) -> tuple[ConversationHead, ...]:
        """Return the rows with their numbers of messages."""
        return find_rows(document, _is_row).heads(_count, _times)

    def read(self, document: Document, conversation: str | None = None) -> Reading:
        """Read one row in the order given."""
        found = find_rows(document, _is_row)
        if not found.rows:
            raise TranscriptError("no row holds a conversation", source=document.source)
        row = found.pick(found.heads(_count, _times), conversation, document)
        notes = Notes(found.warnings)
        told = Told(
            words(row.value.get("title")) or None,
            skipped_lines=found.skipped_lines,
            n_conversations=len(found.rows),
        )
        turns: list[Turn] = []
        for place, message in _row_messages(row, told):
            turns += chat_turns(message, place, notes)
        return finish(self.name, document, turns, notes, told)


def _count(value: dict[str, Any]) -> int:
    return len(_row_messages(Row(value, ""), Told()))


def _times(value: dict[str, Any]) -> list[Any]:
    return times_of(message for _, message in _row_messages(Row(value, ""), Told()))


def _row_messages(row: Row, told: Told) -> list[tuple[str, Any]]:
    key = _list_key(row.value)
    if key is not None:
        system = row.value.get("system")
        has_system = isinstance(system, str | list) and bool(system)
        before = [(row.at("system"), {"role": "system", "content": system})] if has_system else []
        return before + [(row.at(f"{key}[{i}]"), m) for i, m in enumerate(items_of(row.value[key]))]
    chosen, rejected = row.value.get("chosen"), row.value.get("rejected")
    prompt = list(_said(row, "prompt", "user"))
    if not (_is_said(chosen) and _is_said(rejected)):
        answer = next((name for name in _ANSWERS if _is_said(row.value.get(name))), "completion")
        return prompt + list(_said(row, answer, "assistant"))
    told.branch = _CHOSEN
    kept = list(_said(row, "chosen", "assistant"))
    left = [message for _, message in _said(row, "rejected", "assistant")]
    shared = 0
    for (_, message), other in zip(kept, left, strict=False):
        if message != other:
            break
        shared += 1
    told.abandoned += len(left) - shared
    # Some sets begin both answers with the prompt.
    return kept if _begins_with(kept, prompt) else prompt + kept


def _begins_with(kept: list[tuple[str, Any]], prompt: list[tuple[str, Any]]) -> bool:
    first, last = kept[: len(prompt)], prompt
    return len(kept) > len(prompt) and all(
        fields_of(a).get("content") == fields_of(b).get("content")
        for (_, a), (_, b) in zip(first, last, strict=True)
    )


def _said(row: Row, key: str, role: str) -> Iterator[tuple[str, Any]]:
    """Yield the messages under a key: a list of them, one text, or a text with turns in it."""
    value = row.value.get(key)
    if isinstance(value, list):
        yield from ((row.at(f"{key}[{index}]"), message) for index, message in enumerate(value))
    elif isinstance(value, str):
        marks = list(_IN_TEXT.finditer(value))
        if not marks or marks[0].start() > 0:
            yield row.at(key), {"role": role, "content": value}
            return
        ends = [mark.start() for mark in marks[1:]] + [len(value)]
        for index, (mark, end) in enumerate(zip(marks, ends, strict=True)):
            speaker = "user" if mark[1] == "Human" else "assistant"
            yield row.at(f"{key}, turn {index}"), {"role": speaker, "content": value[mark.end() : end]}


def chat_turns(message: Any, place: str, notes: Notes) -> list[Turn]:
    """Return the turns of a message of a data set or a log; what is no message is noted and left out."""
    if isinstance(message, dict) and any(map(is_own_block, items_of(message.get("content")))):
        return message_turns(message, place, notes)
    if not isinstance(message, dict):
        notes.add("this is no message, which is an object with role and content; it was left out", place)
        return []
    turn = Turn(place, role_of(message.get("role"), _ROLES, place, notes), id=message.get("id"))
    time = next((message[k] for k in ("timestamp", "created_at", "created") if message.get(k)), None)
    turn.timestamp = time
    name = words(message.get("name")) or None
    if turn.role == "tool":
        turn.tool_name, turn.call_id = name, text_id(message.get("tool_call_id"))
    else:
        turn.speaker = name
    content = message.get("content", message.get("value"))
    if content is not None:
        turn.texts.append(part_text(content, place, notes))
    if words(message.get("refusal")):
        turn.texts.append(words(message["refusal"]))
    for call in items_of(message.get("tool_calls")):
        function = fields_of(fields_of(call).get("function")) or fields_of(call)
        if function:
            turn.call(function.get("name"), function.get("arguments", ""), fields_of(call).get("id"))
    return [turn]
