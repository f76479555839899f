"""Telegram Desktop's JSON export: one chat, or all chats of an account.

A text is a string or a list of strings and entities (``{"type": "bold", "text": …}``). What nobody
said, such as a member who was invited, is a service message and has the role ``system``.
``date_unixtime`` has no doubt about its zone; an older export has ``date`` alone, in the zone of
the computer that made it, which it does not name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memguard.errors import TranscriptError
from memguard.message_form import Notes
from memguard.transcripts.document import MISSING, ConversationHead, Document, Reading, choose
from memguard.transcripts.labels import file_label, joined, reactions_line
from memguard.transcripts.messages_json import rule_of, to_conversation
from memguard.transcripts.values import as_text, fields_of, has_zone, items_of, moment_of, objects_of, word_of

_TYPES = frozenset({"message", "service"})
_KEYS = frozenset({"date_unixtime", "from_id", "actor_id", "text_entities", "from", "actor", "action"})
_LOOKED_AT = 20
_LISTS = ("chats", "left_chats")
_DETAILS = ("title", "members", "text", "duration_seconds", "discard_reason", "inviter", "new_title", "score")
"""Fields of a service message that say something to a reader, in this order."""
_LABELS = {
    "voice_message": "voice message",
    "video_message": "video message",
    "audio_file": "audio",
    "video_file": "video",
    "animation": "animation",
}


@dataclass(frozen=True, slots=True)
class _Chat:
    value: dict[str, Any]
    place: str
    position: int

    @property
    def head(self) -> ConversationHead:
        """What a list of conversations shows of it."""
        messages = items_of(self.value.get("messages"))
        times = [moment for message in objects_of(messages) if (moment := _moment(message))]
        title = word_of(self.value.get("name"))
        if not title and self.value.get("type") == "saved_messages":
            title = "Saved Messages"
        return ConversationHead(
            id=word_of(self.value.get("id")) or str(self.position),
            title=title or None,
            n_messages=len(messages),
            first=min(times, default=None),
            last=max(times, default=None),
            place=self.place,
        )


@dataclass(slots=True)
class _Reader:
    """What is collected while one chat is read."""

    names: Mapping[str, str]
    notes: Notes = field(default_factory=lambda: Notes(()))
    n_edited: int = 0


class Telegram:
    """``result.json`` of Telegram Desktop."""

    name = "telegram"

    def recognises(self, document: Document) -> float:
        """Return 0.9 where the messages of a chat have Telegram's types and fields."""
        return 0.9 if any(_is_chat(chat.value) for chat in _chats(document.value)) else 0.0

    def conversations(self, document: Document) -> tuple[ConversationHead, ...]:
        """Return the chats; one alone is a list of one."""
        return tuple(chat.head for chat in _chats(document.value))

    def read(self, document: Document, conversation: str | None = None) -> Reading:
        """Read one chat.

        Raises:
            TranscriptError: There is none, or several and none was chosen.
        """
        chats = _chats(document.value)
        heads = tuple(chat.head for chat in chats)
        if not heads:
            raise TranscriptError("holds no chat of Telegram", source=document.source)
        index = choose(heads, conversation, document.source)
        chat, head = chats[index], heads[index]
        messages = items_of(chat.value.get("messages"))
        reader = _Reader(
            {word_of(m.get("id")): word_of(m.get("from")) for m in objects_of(messages) if m.get("from")}
        )
        if any(not has_zone(_stamp(m)) for m in objects_of(messages)):
            reader.notes.add("the export names no time zone; UTC is assumed")
        rows: list[dict[str, Any]] = []
        origins: list[str] = []
        prefix = f"{chat.place}, " if len(chats) > 1 else ""
        for position, message in enumerate(messages):
            place = f"{prefix}messages[{position}]"
            if not isinstance(message, dict):
                reader.notes.add("not a message object; it was skipped", place)
                continue
            rows.append(_row(message, place, reader))
            origins.append(place)
        if reader.n_edited:
            reader.notes.add(f"edited messages, of which the text is the last version: {reader.n_edited}")
        built = to_conversation(
            rows,
            source=document.source,
            title=head.title,
            origins=origins,
            warnings=reader.notes.texts(),
        )
        order = rule_of(built)
        return Reading(built, self.name, rule=order, n_conversations=len(chats))


def _chats(value: Any) -> list[_Chat]:
    if value is MISSING or not isinstance(value, dict):
        return []
    if isinstance(value.get("messages"), list):
        return [_Chat(value, "the chat", 1)]
    found = [
        (name, index, chat)
        for name in _LISTS
        for index, chat in enumerate(items_of(fields_of(value.get(name)).get("list")))
        if isinstance(chat, dict) and isinstance(chat.get("messages"), list)
    ]
    return [
        _Chat(chat, f"{name}.list[{index}]", position)
        for position, (name, index, chat) in enumerate(found, start=1)
    ]


def _is_chat(chat: dict[str, Any]) -> bool:
    messages = objects_of(chat.get("messages"))[:_LOOKED_AT]
    fitting = [
        m for m in messages if as_text(m.get("type")) in _TYPES and "date" in m and not _KEYS.isdisjoint(m)
    ]
    return bool(fitting) and 2 * len(fitting) > len(messages)


def _stamp(message: Mapping[str, Any]) -> Any:
    return message.get("date_unixtime") or message.get("date")


def _moment(message: Mapping[str, Any]) -> datetime | None:
    # "date" is in another zone, so it cannot stand in for an epoch number that is damaged.
    return moment_of(_stamp(message))


def _row(message: dict[str, Any], place: str, reader: _Reader) -> dict[str, Any]:
    moment = _moment(message)
    if moment is None:
        reader.notes.add("the date cannot be read; the message has no time", place)
    row = {"id": word_of(message.get("id")) or None, "timestamp": moment}
    if message.get("type") == "service":
        return {**row, "role": "system", "content": _service(message)}
    reader.n_edited += bool(message.get("edited") or message.get("edited_unixtime"))
    speaker = word_of(message.get("from")) or word_of(message.get("from_id"))
    content = joined(
        _forwarded(message),
        _reply(message, reader),
        rendered_text(message.get("text")) or rendered_text(message.get("text_entities")),
        *_media(message),
        _reactions(message),
    )
    if not content:
        reader.notes.add("nothing in it can be shown; the message is kept empty", place)
    return {**row, "role": "user", "speaker": speaker or None, "content": content}


def rendered_text(value: Any) -> str:
    """Return the text of a string or of a list of strings and entities; a link's address in brackets."""
    pieces = []
    for item in [value] if isinstance(value, str | dict) else items_of(value):
        if isinstance(item, dict):
            text, address = as_text(item.get("text")), as_text(item.get("href"))
            pieces.append(f"{text} ({address})" if address and address != text else text)
        else:
            pieces.append(as_text(item))
    return "".join(pieces)


def _service(message: dict[str, Any]) -> str:
    actor = word_of(message.get("actor")) or word_of(message.get("from")) or word_of(message.get("actor_id"))
    action = word_of(message.get("action")).replace("_", " ") or "service message"
    details = []
    for key in _DETAILS:
        value = message.get(key)
        said = ", ".join(filter(None, map(word_of, value))) if isinstance(value, list) else word_of(value)
        if key == "duration_seconds" and said:
            said = f"{said} s"
        details.append(said)
    told = "; ".join(filter(None, details))
    head = f"{actor}: {action}" if actor else action
    return f"{head} ({told})" if told else head


def _forwarded(message: dict[str, Any]) -> str:
    source = word_of(message.get("forwarded_from"))
    return f"[forwarded from {source}]" if source else "[forwarded]" if "forwarded_from" in message else ""


def _reply(message: dict[str, Any], reader: _Reader) -> str:
    target = word_of(message.get("reply_to_message_id"))
    if not target:
        return ""
    name = reader.names.get(target)
    return f"[reply to {name}]" if name else "[reply]"


def _media(message: dict[str, Any]) -> list[str]:
    said: list[str] = []
    if message.get("photo"):
        said.append("[image]")
    kind = word_of(message.get("media_type"))
    if kind == "sticker":
        said.append(f"[sticker {word_of(message.get('sticker_emoji'))}]".replace(" ]", "]"))
    elif kind in _LABELS:
        said.append(f"[{_LABELS[kind]}]")
    elif message.get("file") or message.get("file_name"):
        said.append(file_label(_file_name(message)))
    place = fields_of(message.get("location_information"))
    if place:
        said.append(f"[location {word_of(place.get('latitude'))}, {word_of(place.get('longitude'))}]")
    contact = fields_of(message.get("contact_information"))
    if contact:
        parts = [word_of(contact.get(key)) for key in ("first_name", "last_name", "phone_number")]
        said.append(f"[contact: {' '.join(filter(None, parts))}]")
    poll = fields_of(message.get("poll"))
    if poll:
        said.append(_poll(poll))
    return said


def _file_name(message: dict[str, Any]) -> str:
    name = word_of(message.get("file_name"))
    path = word_of(message.get("file"))
    # An export without files has a sentence in brackets instead of a path.
    return name or ("" if path.startswith("(") else path.replace("\\", "/").rsplit("/", 1)[-1])


def _poll(poll: dict[str, Any]) -> str:
    answers = [
        f"{rendered_text(answer.get('text'))} ({_votes(word_of(answer.get('voters')) or '0')})"
        for answer in objects_of(poll.get("answers"))
    ]
    return f"[poll: {rendered_text(poll.get('question'))} {'; '.join(answers)}]"


def _votes(count: str) -> str:
    return "1 vote" if count == "1" else f"{count} votes"


def _reactions(message: dict[str, Any]) -> str:
    found: dict[str, list[str]] = {}
    for reaction in objects_of(message.get("reactions")):
        sign = word_of(reaction.get("emoji")) or word_of(reaction.get("type"))
        names = [name for who in objects_of(reaction.get("recent")) if (name := word_of(who.get("from")))]
        found.setdefault(sign, []).extend(names or [f"× {word_of(reaction.get('count')) or '1'}"])
    return reactions_line(found)
