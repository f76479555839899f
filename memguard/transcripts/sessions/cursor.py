"""Transcripts of Cursor's agent: JSONL of ``{"role", "message": {"content": […]}}``, without ids and times.

The blocks are those of Anthropic's interface. What a person typed stands in ``<user_query>``; what the
program put around it (files, rules, states of the editor) is left out, with a warning.
"""

from __future__ import annotations

import re
from typing import Any

from memguard.message_form import Notes
from memguard.transcripts.apis.anthropic import block_turns
from memguard.transcripts.apis.turns import NOT_SAID, Told, Turn, finish, first_objects, role_of
from memguard.transcripts.document import Document, Reading
from memguard.transcripts.sessions.records import note_passed_over, placed_records, tagged
from memguard.transcripts.values import fields_of, items_of, words

_TYPED = re.compile(r"<(user_query)>")
_ROLES = frozenset({"user", "assistant"})


class Cursor:
    """A transcript of Cursor's agent."""

    name = "cursor"

    def recognises(self, document: Document) -> float:
        """Return 0.9 where most objects are a role beside a message with content, and nothing of others."""
        objects = first_objects(document)
        n_own = sum(map(_is_message, objects))
        return 0.9 if n_own and 2 * n_own > len(objects) else 0.0

    def read(self, document: Document) -> Reading:
        """Read the messages in the order of the file."""
        notes = Notes()
        placed, skipped = placed_records(document, notes)
        told = Told(calls_in_text=False, skipped_lines=skipped)
        note_passed_over((words(r.get("type")) or "no type" for _, r in placed if not _is_message(r)), notes)
        turns: list[Turn] = []
        for place, record in placed:
            if _is_message(record):
                turn = Turn(place, role_of(record.get("role"), {}, place, notes))
                content = fields_of(record["message"]).get("content")
                is_typed = turn.role == "user"
                turns += block_turns(_typed(content, place, notes) if is_typed else content, turn, notes)
        return finish(self.name, document, turns, notes, told)


def _is_message(record: dict[str, Any]) -> bool:
    return (
        words(record.get("role")) in _ROLES
        and "content" not in record
        and "type" not in record
        and isinstance(fields_of(record.get("message")).get("content"), str | list)
    )


def _typed(content: Any, place: str, notes: Notes) -> Any:
    """Return a content with what the person typed alone, where the program says what that is."""
    if isinstance(content, str):
        return _query(content, place, notes)
    typed = []
    for block in items_of(content):
        text = block.get("text") if isinstance(block, dict) and block.get("type") == "text" else None
        typed.append({**block, "text": _query(text, place, notes)} if isinstance(text, str) else block)
    return typed


def _query(text: str, place: str, notes: Notes) -> str:
    found = tagged(text, _TYPED)
    if not found:
        return text
    if _n_visible(text) > sum(_n_visible(f"<{name}>{inner}</{name}>") for name, inner in found):
        notes.add(f"text that the program put in was left out: {NOT_SAID}", place)
    return "\n".join(inner.strip() for _, inner in found)


def _n_visible(text: str) -> int:
    return sum(map(len, text.split()))
