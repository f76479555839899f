"""Discord channels as DiscordChatExporter writes them in JSON: one channel a file, oldest message first."""

from __future__ import annotations

import re
from typing import Any

from memguard.errors import TranscriptError
from memguard.message_form import Notes
from memguard.transcripts.document import Document, Reading
from memguard.transcripts.labels import file_label, joined, reactions_line
from memguard.transcripts.messages_json import rule_of, to_conversation
from memguard.transcripts.values import as_text, fields_of, has_zone, items_of, moment_of, objects_of, word_of

_MARKS = frozenset({"author", "timestamp", "content"})
_SAID = frozenset(
    {"", "default", "reply", "0", "19", "chatinputcommand", "contextmenucommand", "threadstartermessage"}
)
"""Types of messages that somebody wrote; any other is a report of the service."""
_EMBED_ENDS = (("author", "name"), ("footer", "text"))
_MENTION = re.compile(r"<@!?(\d{1,25})>")
_EMOJI = re.compile(r"<a?(:\w{1,40}:)\d{1,25}>")


class Discord:
    """A channel that DiscordChatExporter wrote."""

    name = "discord"

    def recognises(self, document: Document) -> float:
        """Return 0.9 where an object has a channel and messages with an author object each."""
        value = fields_of(document.value)
        if not isinstance(value.get("channel"), dict) or not isinstance(value.get("messages"), list):
            return 0.0
        messages = objects_of(value["messages"])[:20]
        fitting = [m for m in messages if m.keys() >= _MARKS and isinstance(m["author"], dict)]
        if not messages:
            return 0.9 if "guild" in value else 0.0
        return 0.9 if 2 * len(fitting) > len(messages) else 0.0

    def read(self, document: Document) -> Reading:
        """Read the channel.

        Raises:
            TranscriptError: It has no list of messages.
        """
        value = fields_of(document.value)
        if not isinstance(value.get("messages"), list):
            raise TranscriptError("holds no messages of a Discord channel", source=document.source)
        messages = items_of(value["messages"])
        notes = Notes(())
        if any(not has_zone(m.get("timestamp")) for m in objects_of(messages)):
            notes.add("some times name no zone; UTC is assumed")
        authors = {word_of(m.get("id")): _author(m) for m in objects_of(messages)}
        rows: list[dict[str, Any]] = []
        origins: list[str] = []
        for index, message in enumerate(messages):
            place = f"messages[{index}]"
            if not isinstance(message, dict):
                notes.add("not a message object; it was skipped", place)
                continue
            rows.append(_row(message, authors, place, notes))
            origins.append(place)
        n_edited = sum(bool(m.get("timestampEdited")) for m in objects_of(messages))
        if n_edited:
            notes.add(f"edited messages, of which the text is the last version: {n_edited}")
        built = to_conversation(
            rows, source=document.source, title=_title(value), origins=origins, warnings=notes.texts()
        )
        order = rule_of(built)
        return Reading(built, self.name, rule=order)


def _title(value: dict[str, Any]) -> str:
    guild, channel = (word_of(fields_of(value.get(key)).get("name")) for key in ("guild", "channel"))
    return f"{guild} / {channel}" if guild and channel else channel or guild


def _author(message: dict[str, Any]) -> str:
    author = fields_of(message.get("author"))
    return word_of(author.get("nickname")) or word_of(author.get("name")) or word_of(author.get("id"))


def _row(message: dict[str, Any], authors: dict[str, str], place: str, notes: Notes) -> dict[str, Any]:
    moment = moment_of(message.get("timestamp"))
    if moment is None:
        notes.add("the timestamp cannot be read; the message has no time", place)
    row: dict[str, Any] = {"id": word_of(message.get("id")) or None, "timestamp": moment}
    speaker = _author(message)
    text = _text(message)
    if word_of(message.get("type")).casefold() not in _SAID:
        said = text or word_of(message.get("type"))
        return {**row, "role": "system", "content": f"{speaker}: {said}" if speaker else said}
    content = joined(
        _reply(message, authors),
        text,
        _forwarded(message),
        *_embeds(message),
        *(file_label(word_of(item.get("fileName"))) for item in objects_of(message.get("attachments"))),
        *(f"[sticker {word_of(item.get('name'))}]" for item in objects_of(message.get("stickers"))),
        _poll(message),
        _reactions(message),
    )
    if not content:
        notes.add("nothing in it can be shown; the message is kept empty", place)
    # A bot answers people, and so stands where the assistant does in a chat with one.
    role = "assistant" if fields_of(message.get("author")).get("isBot") is True else "user"
    return {**row, "role": role, "speaker": speaker or None, "content": content}


def _text(message: dict[str, Any]) -> str:
    names = {
        word_of(who.get("id")): word_of(who.get("nickname")) or word_of(who.get("name"))
        for who in objects_of(message.get("mentions"))
    }
    text = _MENTION.sub(
        lambda match: f"@{names[match[1]]}" if names.get(match[1]) else match[0],
        as_text(message.get("content")),
    )
    return _EMOJI.sub(r"\1", text)


def _reply(message: dict[str, Any], authors: dict[str, str]) -> str:
    if word_of(message.get("type")).casefold() not in {"reply", "19"}:
        return ""
    name = authors.get(word_of(fields_of(message.get("reference")).get("messageId")))
    return f"[reply to {name}]" if name else "[reply]"


def _forwarded(message: dict[str, Any]) -> str:
    forwarded = fields_of(message.get("forwardedMessage"))
    if not forwarded:
        return ""
    files = (file_label(word_of(item.get("fileName"))) for item in objects_of(forwarded.get("attachments")))
    return joined("[forwarded]", as_text(forwarded.get("content")), *files)


def _embeds(message: dict[str, Any]) -> list[str]:
    """Return the text of the cards; that of a mere link is a preview of another page, and is left out."""
    said = []
    for embed in objects_of(message.get("embeds")):
        address = as_text(embed.get("url"))
        if address and address in as_text(message.get("content")):
            continue
        pairs = [
            f"{as_text(item.get('name'))}: {as_text(item.get('value'))}"
            for item in objects_of(embed.get("fields"))
        ]
        author, footer = (as_text(fields_of(embed.get(key)).get(name)) for key, name in _EMBED_ENDS)
        said.append(
            joined(author, as_text(embed.get("title")), as_text(embed.get("description")), *pairs, footer)
        )
    return said


def _poll(message: dict[str, Any]) -> str:
    poll = fields_of(message.get("poll"))
    if not poll:
        return ""
    question = as_text(fields_of(poll.get("question")).get("text")) or as_text(poll.get("question"))
    answers = [
        as_text(answer.get("text")) or as_text(fields_of(answer.get("pollMedia")).get("text"))
        for answer in objects_of(poll.get("answers"))
    ]
    return f"[poll: {question} {'; '.join(filter(None, answers))}]"


def _reactions(message: dict[str, Any]) -> str:
    found: dict[str, list[str]] = {}
    for reaction in objects_of(message.get("reactions")):
        emoji = fields_of(reaction.get("emoji"))
        users = objects_of(reaction.get("users"))
        names = [name for who in users if (name := word_of(who.get("nickname")) or word_of(who.get("name")))]
        found[word_of(emoji.get("name"))] = names or [f"× {word_of(reaction.get('count')) or '1'}"]
    return reactions_line(found)
