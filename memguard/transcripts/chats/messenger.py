"""Messenger and Instagram exports of Meta, in JSON: newest message first.

Two forms. The account's download writes ``sender_name`` and ``timestamp_ms``, and each byte of
UTF-8 as a character of its own (``CafÃ©`` for Café). A string is repaired where all its characters
are bytes that make valid UTF-8, and stays untouched where they are not: "é" alone is no valid UTF-8
(ING-014). The export of end-to-end encrypted chats writes ``senderName`` and ``timestamp``,
correctly. In an archive, each folder is a conversation and its ``message_1.json``,
``message_2.json``, … are joined.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from memguard.errors import TranscriptError
from memguard.message_form import Notes
from memguard.transcripts.document import ConversationHead, Document, Reading, choose
from memguard.transcripts.json_text import is_deeper, parse_json, too_deep
from memguard.transcripts.labels import file_label, joined, reactions_line
from memguard.transcripts.messages_json import rule_of, to_conversation
from memguard.transcripts.values import as_text, fields_of, items_of, moment_of, objects_of, word_of

_FILE = re.compile(r"(?P<folder>(?:.*/)?)message_(?P<number>\d{1,6})\.json\Z", re.IGNORECASE)
_MEDIA = {
    "photos": "image",
    "videos": "video",
    "gifs": "gif",
    "audio_files": "audio",
    "files": "file",
    "media": "file",
}
_LOOKED_AT = 20


@dataclass(frozen=True, slots=True)
class _Part:
    """One message with the place where it stands, in the order of the file."""

    value: Any
    place: str


class Messenger:
    """One conversation of a Messenger or Instagram export, or the archive of all of them."""

    name = "messenger"

    def recognises(self, document: Document) -> float:
        """Return 0.9 where participants stand beside messages with Meta's fields."""
        if document.members is not None:
            return 0.9 if any(map(_FILE.match, document.members.names())) else 0.0
        value = fields_of(document.value)
        messages = objects_of(value.get("messages"))[:_LOOKED_AT]
        if not isinstance(value.get("participants"), list):
            return 0.0
        fitting = [
            m
            for m in messages
            if {"sender_name", "timestamp_ms"} <= m.keys() or {"senderName", "timestamp"} <= m.keys()
        ]
        return 0.9 if fitting and 2 * len(fitting) > len(messages) else 0.0

    def conversations(self, document: Document) -> tuple[ConversationHead, ...]:
        """Return the conversations: the folders of an archive, else one.

        Raises:
            TranscriptError: A file of the archive cannot be read.
        """
        return tuple(_head(document, folder, names) for folder, names in _folders(document).items())

    def read(self, document: Document, conversation: str | None = None) -> Reading:
        """Read one conversation.

        Raises:
            TranscriptError: There is none, or several and none was chosen, or a file of it is damaged.
        """
        folders = _folders(document)
        heads = tuple(ConversationHead(folder, None, None, None, None, folder) for folder in folders)
        if conversation is not None or len(heads) != 1:
            heads = self.conversations(document)
        index = choose(heads, conversation, document.source)
        values = _values(document, list(folders.values())[index])
        parts = [
            _Part(message, f"{name}messages[{position}]")
            for name, value in values
            for position, message in enumerate(items_of(value.get("messages")))
        ]
        is_turned = _is_newest_first(parts)
        if is_turned:
            parts.reverse()
        notes = Notes(())
        rows: list[dict[str, Any]] = []
        origins: list[str] = []
        for part in parts:
            if not isinstance(part.value, dict):
                notes.add("not a message object; it was skipped", part.place)
                continue
            rows.append(_row(part.value, part.place, notes))
            origins.append(part.place)
        n_repaired = sum(_needs_repair(message) for part in parts if (message := fields_of(part.value)))
        if n_repaired:
            notes.add(f"messages whose characters were written byte by byte, repaired: {n_repaired}")
        built = to_conversation(
            rows,
            source=document.source,
            title=_title(values[0][1]) if values else None,
            origins=origins,
            warnings=notes.texts(),
        )
        turned = "newest first in the file, turned" if is_turned else "oldest first in the file"
        order = rule_of(built)
        return Reading(built, self.name, rule=f"{turned}; {order}", n_conversations=len(heads))


def repaired(text: str) -> str:
    """Return text whose characters are the bytes of UTF-8 as what they stand for; any other unchanged."""
    if text.isascii():
        return text
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return text


def _text(value: Any) -> str:
    return as_text(repaired(as_text(value)))


def _word(value: Any) -> str:
    return " ".join(_text(value).split())


def _needs_repair(message: dict[str, Any]) -> bool:
    texts = [as_text(message.get(key)) for key in ("content", "sender_name")]
    return any(repaired(text) != text for text in texts)


def _folders(document: Document) -> dict[str, list[str]]:
    """Return the files of each conversation; a document that is no archive has one without a name."""
    if document.members is None:
        return {"1": []} if isinstance(document.value, dict) else {}
    found: dict[str, list[tuple[int, str]]] = {}
    for name in document.members.names():
        match = _FILE.match(name)
        if match is not None:
            found.setdefault(match["folder"].rstrip("/") or "1", []).append((int(match["number"]), name))
    return {folder: [name for _, name in sorted(files)] for folder, files in found.items()}


def _values(document: Document, names: list[str]) -> list[tuple[str, dict[str, Any]]]:
    """Return the prefix of places and the value of each file of a conversation."""
    if document.members is None or not names:
        return [("", fields_of(document.value))]
    values = []
    for name in names:
        place = f"{document.source}: {name}" if document.source else name
        try:
            value = parse_json(document.members.text(name))[0]
        except (RecursionError, ValueError) as error:
            if isinstance(error, TranscriptError):
                raise
            raise TranscriptError(f"not valid JSON ({error})", source=place) from error
        if is_deeper(value, document.limits.json_levels):
            raise TranscriptError(f"the JSON is {too_deep(document.limits)}", source=place)
        values.append((f"{name.rsplit('/', 1)[-1]}, ", fields_of(value)))
    return values


def _head(document: Document, folder: str, names: list[str]) -> ConversationHead:
    values = _values(document, names)
    messages = [message for _, value in values for message in objects_of(value.get("messages"))]
    times = [moment for message in messages if (moment := moment_of(_stamp(message), milliseconds=True))]
    title = next((title for _, value in values if (title := _title(value))), None)
    return ConversationHead(
        folder.rsplit("/", 1)[-1],
        title,
        len(messages),
        min(times, default=None),
        max(times, default=None),
        folder,
    )


def _title(value: dict[str, Any]) -> str:
    return _word(value.get("title")) or re.sub(r"_\d+\Z", "", _word(value.get("threadName")))


def _stamp(message: dict[str, Any]) -> Any:
    return message.get("timestamp_ms", message.get("timestamp"))


def _is_newest_first(parts: list[_Part]) -> bool:
    """Return whether the times fall; where all are equal, the file is as Meta writes it: newest first."""
    times = [moment_of(_stamp(fields_of(part.value)), milliseconds=True) for part in parts]
    known = [moment for moment in times if moment is not None]
    falling = sum(later < earlier for earlier, later in pairwise(known))
    rising = sum(later > earlier for earlier, later in pairwise(known))
    return falling >= rising


def _row(message: dict[str, Any], place: str, notes: Notes) -> dict[str, Any]:
    moment = moment_of(_stamp(message), milliseconds=True)
    if moment is None:
        notes.add("the time cannot be read; the message has none", place)
    speaker = _word(message.get("sender_name")) or _word(message.get("senderName"))
    text = _text(message.get("content")) or _text(message.get("text"))
    if message.get("is_unsent") is True or message.get("isUnsent") is True:
        text = joined(text, "[message deleted]")
    content = joined(text, *_media(message), _share(message), _call(message), _reactions(message))
    if not content:
        notes.add("nothing in it can be shown; the message is kept empty", place)
    return {"role": "user", "speaker": speaker or None, "timestamp": moment, "content": content}


def _media(message: dict[str, Any]) -> list[str]:
    said = []
    for key, label in _MEDIA.items():
        for item in objects_of(message.get(key)):
            name = _word(item.get("uri")).rsplit("/", 1)[-1]
            said.append(file_label(name) if label == "file" else f"[{label}]")
    if message.get("sticker"):
        said.append("[sticker]")
    return said


def _share(message: dict[str, Any]) -> str:
    share = fields_of(message.get("share"))
    link, text = _word(share.get("link")), _text(share.get("share_text"))
    return joined(f"[link: {link}]" if link and link not in _text(message.get("content")) else "", text)


def _call(message: dict[str, Any]) -> str:
    if message.get("missed") is True:
        return "[missed call]"
    seconds = word_of(message.get("call_duration"))
    return f"[call of {seconds} s]" if seconds else ""


def _reactions(message: dict[str, Any]) -> str:
    found: dict[str, list[str]] = {}
    for reaction in objects_of(message.get("reactions")):
        found.setdefault(_word(reaction.get("reaction")), []).append(_word(reaction.get("actor")))
    return reactions_line(found)
