"""Logs of requests and responses of chat interfaces: batch files, JSONL of calls, one response alone.

A row is a request (``messages``, perhaps with ``system``), a response (``choices``, or a message of
Anthropic's interface), or both, bare or under the keys that batch files use: ``custom_id`` beside
``body`` or ``params``, and ``response`` or ``result``. Each row is a conversation of its own. Of
several choices the first one is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from memguard.errors import TranscriptError
from memguard.message_form import Notes
from memguard.transcripts.apis.huggingface import chat_turns
from memguard.transcripts.apis.rows import find_rows, first_rows, times_of
from memguard.transcripts.apis.turns import Told, Turn, finish, first_objects
from memguard.transcripts.document import ConversationHead, Document, Reading
from memguard.transcripts.values import fields_of, items_of, objects_of

_REQUESTS = ("request", "body", "params")
_RESPONSES = ("response", "result")
_OF_A_REQUEST = frozenset({"model", "max_tokens", "system"})
_FIRST_CHOICE = "the first of several choices"


@dataclass(frozen=True, slots=True)
class _Exchange:
    """What was asked and answered, each message with its place in the row."""

    messages: tuple[tuple[str, Any], ...]
    n_other_choices: int = 0


class Exchanges:
    """Requests and responses, one or many."""

    name = "chat_log"

    def recognises(self, document: Document) -> float:
        """Return 0.85 where most rows are requests or responses; one bare request is a list of messages."""
        rows = first_rows(document, first_objects(document))
        found = [row for row in rows if _exchange(row) is not None]
        if isinstance(document.value, dict) and "messages" in document.value and not _answers(document.value):
            return 0.0
        return 0.85 if found and 2 * len(found) > len(rows) else 0.0

    def conversations(self, document: Document) -> tuple[ConversationHead, ...]:
        """Return the rows with their numbers of messages."""
        return find_rows(document, _is_exchange).heads(_count, _times)

    def read(self, document: Document, conversation: str | None = None) -> Reading:
        """Read one row, the request before its response.

        Raises:
            TranscriptError: There is none, or several and none was chosen.
        """
        found = find_rows(document, _is_exchange)
        if not found.rows:
            raise TranscriptError("holds no request and no response", source=document.source)
        row = found.pick(found.heads(_count, _times), conversation, document)
        exchange = _exchange(row.value) or _Exchange(())
        notes = Notes(found.warnings)
        told = Told(
            branch=_FIRST_CHOICE if exchange.n_other_choices else "",
            abandoned=exchange.n_other_choices,
            skipped_lines=found.skipped_lines,
            n_conversations=len(found.rows),
        )
        turns: list[Turn] = []
        for place, message in exchange.messages:
            turns += chat_turns(message, row.at(place), notes)
        return finish(self.name, document, turns, notes, told)


def _is_exchange(value: Any) -> bool:
    return _exchange(value) is not None


def _count(value: dict[str, Any]) -> int:
    exchange = _exchange(value)
    return len(exchange.messages) if exchange is not None else 0


def _times(value: dict[str, Any]) -> list[Any]:
    """Return the times of the messages, and that of the response, which is that of its answer."""
    exchange = _exchange(value)
    own = times_of(message for _, message in exchange.messages) if exchange is not None else []
    answers = [fields_of(value.get(key)) for key in _RESPONSES]
    return [*own, *times_of([*answers, *(fields_of(answer.get("body")) for answer in answers)])]


def _exchange(value: Any) -> _Exchange | None:
    """Return what a row holds; None where it is neither a request nor a response."""
    row = fields_of(value)
    wrapped = [(f"{key}.", fields_of(row.get(key))) for key in _REQUESTS]
    own = [("", row)] if not _OF_A_REQUEST.isdisjoint(row) or _answers(row) else []
    place, request = next((pair for pair in [*wrapped, *own] if _are_messages(pair[1])), ("", {}))
    asked = [(f"{place}messages[{i}]", m) for i, m in enumerate(items_of(request.get("messages")))]
    if isinstance(request.get("system"), str | list) and request["system"]:
        asked.insert(0, (f"{place}system", {"role": "system", "content": request["system"]}))
    answers = _answers(row)
    if not asked and not answers:
        return None
    return _Exchange((*asked, *answers[:1]), max(0, len(answers) - 1))


def _are_messages(request: dict[str, Any]) -> bool:
    messages = objects_of(request.get("messages"))
    return bool(messages) and all("role" in message for message in messages[:20])


def _answers(row: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return the answers of a response, with their places; several only where there are several choices."""
    found = [("", row)]
    for key in _RESPONSES:
        inner = fields_of(row.get(key))
        found += [(f"{key}.", inner), (f"{key}.body.", fields_of(inner.get("body")))]
        found.append((f"{key}.message.", fields_of(inner.get("message"))))
    for place, value in found:
        choices = [
            (f"{place}choices[{i}].message", choice["message"])
            for i, choice in enumerate(items_of(value.get("choices")))
            if "role" in fields_of(fields_of(choice).get("message"))
        ]
        if choices:
            return choices
        # Alone it has to be a whole answer: an item of a conversation may look alike.
        is_answer = value.get("type") == "message" and (place or "stop_reason" in value)
        if is_answer and "role" in value and isinstance(value.get("content"), list):
            return [(place.rstrip(".") or "response", value)]
    return []
