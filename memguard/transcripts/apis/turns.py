"""Turns: messages under construction, each with its place in the file, and how they become a Reading.

A reader of this package turns what it finds into ``Turn`` objects and says what it left out or could
not read in ``Notes``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memguard.message_form import Notes
from memguard.messages import Conversation
from memguard.text import well_formed
from memguard.transcripts.document import MISSING, Document, Reading, Record
from memguard.transcripts.messages_json import REPEATED_KEYS, to_conversation
from memguard.transcripts.values import scalar, text_id, words

_LOOKED_AT = 200
"""Recognition looks at this many values: a session may open with many records of bookkeeping."""
ORDERS = {"timestamp": "by timestamp", "given": "in the order of the file"}
NOT_SAID = "it is no part of what was said"


@dataclass(slots=True)
class Turn:
    """One message under construction.

    Attributes:
        place: Where it stands in the file.
        role: As the message form knows it.
        texts: Pieces of its text, in order; the content joins them with line feeds.
        calls: What it called, as dicts with ``name``, ``arguments`` and ``id``.
        id: The file's id of it, if any.
        speaker: Name of who speaks, if given.
        timestamp: ISO 8601 text or epoch seconds, if given.
        call_id: Which call a tool's turn answers.
        tool_name: Which tool it comes from.
    """

    place: str
    role: str
    texts: list[str] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    id: Any = None
    speaker: str | None = None
    timestamp: Any = None
    call_id: str | None = None
    tool_name: str | None = None
    _more: dict[int, list[str]] = field(default_factory=dict, repr=False)

    @property
    def text(self) -> str:
        """The pieces of text that hold something, one a line."""
        self.settle()
        return "\n".join(piece for piece in self.texts if piece)

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing and calls nothing."""
        return not self.text and not self.calls

    def say(self, text: str, *, continues: bool = False) -> None:
        """Add a piece of text; one that continues the last piece is no line of its own."""
        if continues and self.texts:
            # Joined when they are read: an answer may come in a million pieces.
            self._more.setdefault(len(self.texts) - 1, []).append(text)
        else:
            self.texts.append(text)

    def settle(self) -> None:
        """Join what continues a piece of text to it; needed before ``texts`` is read."""
        for index, more in self._more.items():
            self.texts[index] = "".join((self.texts[index], *more))
        self._more.clear()

    def call(self, name: Any, arguments: Any, call_id: Any = None) -> None:
        """Add a call; arguments of any type."""
        self.calls.append({"name": words(name) or "tool", "arguments": arguments, "id": text_id(call_id)})

    def as_message(self, notes: Notes) -> dict[str, Any]:
        """Return the message dict; what has no form that can be read is noted and left out."""
        message: dict[str, Any] = {"role": self.role, "content": self.text if self.texts else None}
        for name, value in (("id", self.id), ("timestamp", self.timestamp)):
            message[name] = scalar(value)
            if value is not None and message[name] is None:
                notes.add(f"the {name} is no text and no number; the message has none", self.place)
        if isinstance(message["id"], float):
            message["id"] = str(message["id"])
        if self.calls:
            message["tool_calls"] = self.calls
        message["speaker"] = self.speaker
        message["tool_call_id"] = self.call_id
        message["tool_name"] = self.tool_name
        return message


@dataclass(slots=True)
class Told:
    """What a reader has to say about a conversation beside its turns.

    Attributes:
        title: A name for people.
        branch: Which branch was read and why; empty where there was no choice.
        ordered: Whether ``branch`` says the order too, which is kept whatever the times.
        calls_in_text: Whether a call beside text is written into the content. A coding agent's calls
            carry whole files, so there the text stays as it was said and the calls stand in
            ``tool_calls`` alone (ING-006); a turn of calls only is still rendered from them.
        abandoned: Messages of branches that were left.
        duplicates: Messages that the file holds twice.
        skipped_lines: Lines that could not be read.
        n_conversations: How many conversations the file holds.
    """

    title: str | None = None
    branch: str = ""
    ordered: bool = False
    calls_in_text: bool = True
    abandoned: int = 0
    duplicates: int = 0
    skipped_lines: int = 0
    n_conversations: int = 1


def finish(name: str, document: Document, turns: Sequence[Turn], notes: Notes, told: Told) -> Reading:
    """Return the reading of ``turns``.

    Raises:
        TranscriptError: A field has a form that cannot be read; says which message.
    """
    messages = [turn.as_message(notes) for turn in turns]
    if document.has_repeated_keys:
        notes.add(REPEATED_KEYS)
    if not messages:
        notes.add("no message was found; there is nothing to compress")
    conversation = to_conversation(
        messages,
        source=document.source,
        title=told.title,
        origins=[turn.place for turn in turns],
        warnings=notes.texts(),
        ordered=told.ordered,
    )
    if not told.calls_in_text:
        conversation = _text_alone(conversation, turns)
    order = "" if told.ordered else ORDERS[conversation.order]
    rule = "; ".join(part for part in (told.branch, order) if part)
    return Reading(
        conversation,
        name,
        rule=rule,
        abandoned_messages=told.abandoned,
        duplicates_dropped=told.duplicates,
        skipped_lines=told.skipped_lines,
        n_conversations=told.n_conversations,
    )


def _text_alone(conversation: Conversation, turns: Sequence[Turn]) -> Conversation:
    said = [well_formed(turn.text) for turn in turns]
    messages = tuple(
        replace(message, content=said[message.index]) if said[message.index] else message
        for message in conversation.messages
    )
    return replace(conversation, messages=messages)


def lines(document: Document, notes: Notes) -> tuple[list[Record], int]:
    """Return the lines that hold an object, and how many do not; each of those is noted."""
    kept, skipped = [], 0
    for record in document.records:
        if isinstance(record.value, dict):
            kept.append(record)
            if record.repeated:
                notes.add(REPEATED_KEYS, f"line {record.line}")
            continue
        skipped += 1
        fault = record.error or "not an object"
        notes.add(f"line {record.line} was skipped: {fault}", kind="a line that was skipped")
    return kept, skipped


def first_objects(document: Document) -> list[dict[str, Any]]:
    """Return the first objects of a list or of JSONL, or the one object; what recognition looks at."""
    value = document.value
    if isinstance(value, dict):
        return [value]
    if isinstance(value, list):
        return [item for item in value[:_LOOKED_AT] if isinstance(item, dict)]
    if value is not MISSING or not document.text.lstrip().startswith("{"):
        return []
    return [r.value for r in document.records[:_LOOKED_AT] if isinstance(r.value, dict)]


def role_of(value: Any, known: dict[str, str], place: str, notes: Notes) -> str:
    """Return the role: by ``known`` where it is there (whatever its case), else as given."""
    if value is None or value == "":
        return "user"
    if not isinstance(value, str):
        notes.add("the role is no text; the message is kept as one of the user", place)
        return "user"
    return known.get(value.strip().lower(), value.strip())
