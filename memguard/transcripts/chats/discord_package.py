"""Discord's own data package: the messages that one account sent, a folder a channel.

The package is a ZIP with ``messages/c<channel>/messages.json`` (older ones: ``messages.csv``) and
``channel.json`` beside it; one ``messages.json`` alone is read too. It holds what its owner wrote
and nothing that others answered, which a warning says. Newest messages come first in it, and its
times are UTC without saying so.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from typing import Any

from memguard.errors import TranscriptError
from memguard.message_form import Notes
from memguard.transcripts.document import MISSING, ConversationHead, Document, Reading, choose
from memguard.transcripts.json_text import parse_json
from memguard.transcripts.labels import file_label, joined
from memguard.transcripts.messages_json import rule_of, to_conversation
from memguard.transcripts.values import as_text, fields_of, has_zone, items_of, moment_of, objects_of, word_of

_COLUMNS = frozenset({"ID", "Timestamp", "Contents"})
_CHANNEL = re.compile(
    r"(?P<folder>(?:.*/)?messages/c?(?P<id>\d{1,25})/)messages\.(?:json|csv)\Z", re.IGNORECASE
)
_ACCOUNT = re.compile(r"(?:.*/)?account/user\.json\Z", re.IGNORECASE)
_ONE_SIDE = "Discord's data package holds only what its owner wrote; the answers of others are not in it"


@dataclass(frozen=True, slots=True)
class _Channel:
    id: str
    title: str | None
    place: str
    member: str | None


class DiscordPackage:
    """The package that Discord sends on request, or one ``messages.json`` out of it."""

    name = "discord_package"

    def recognises(self, document: Document) -> float:
        """Return 0.9 for an archive with channel folders and for a list of the package's rows."""
        if document.members is not None:
            return 0.9 if any(map(_CHANNEL.match, document.members.names())) else 0.0
        rows = objects_of(document.value)[:20]
        fitting = [row for row in rows if row.keys() >= _COLUMNS]
        return 0.9 if rows and 2 * len(fitting) > len(rows) else 0.0

    def conversations(self, document: Document) -> tuple[ConversationHead, ...]:
        """Return the channels."""
        return tuple(
            ConversationHead(channel.id, channel.title, None, None, None, channel.place)
            for channel in _channels(document)
        )

    def read(self, document: Document, conversation: str | None = None) -> Reading:
        """Read what the owner wrote in one channel.

        Raises:
            TranscriptError: There is none, or several and none was chosen, or it is not a list of
                the package's rows.
        """
        channels = _channels(document)
        channel = channels[choose(self.conversations(document), conversation, document.source)]
        notes = Notes((_ONE_SIDE,))
        items = _rows(document, channel)
        if any(not has_zone(item.get("Timestamp")) for item in objects_of(items)):
            notes.add("the package names no time zone; UTC is assumed")
        owner = _owner(document)
        rows: list[dict[str, Any]] = []
        origins: list[str] = []
        for index, item in reversed(list(enumerate(items))):
            place = f"{channel.place}, message {index + 1}"
            if not isinstance(item, dict):
                notes.add("not a message object; it was skipped", place)
                continue
            moment = moment_of(item.get("Timestamp"))
            if moment is None:
                notes.add("the timestamp cannot be read; the message has no time", place)
            rows.append(
                {
                    "id": word_of(item.get("ID")) or None,
                    "role": "user",
                    "speaker": owner,
                    "timestamp": moment,
                    "content": joined(as_text(item.get("Contents")), *_files(item)),
                }
            )
            origins.append(place)
        built = to_conversation(
            rows, source=document.source, title=channel.title, origins=origins, warnings=notes.texts()
        )
        order = rule_of(built)
        return Reading(
            built, self.name, rule=f"newest first in the package; {order}", n_conversations=len(channels)
        )


def _channels(document: Document) -> list[_Channel]:
    if document.members is None:
        return [_Channel("1", None, "the channel", None)] if document.value is not MISSING else []
    found = []
    for member in document.members.names():
        match = _CHANNEL.match(member)
        if match is not None:
            found.append(_Channel(match["id"], _title(document, match["folder"]), match["folder"], member))
    return found


def _title(document: Document, folder: str) -> str | None:
    value = fields_of(_json(document, f"{folder}channel.json"))
    name, guild = word_of(value.get("name")), word_of(fields_of(value.get("guild")).get("name"))
    recipients = ", ".join(filter(None, map(word_of, items_of(value.get("recipients")))))
    return (f"{guild} / {name}" if guild and name else name) or recipients or None


def _owner(document: Document) -> str | None:
    names = document.members.names() if document.members is not None else ()
    account = next((name for name in names if _ACCOUNT.match(name)), None)
    value = fields_of(_json(document, account)) if account else {}
    return word_of(value.get("global_name")) or word_of(value.get("username")) or None


def _json(document: Document, member: str) -> Any:
    """Return a member as JSON; None if there is none or it cannot be read: it only gives a name."""
    if document.members is None or member not in document.members.names():
        return None
    try:
        return parse_json(document.members.text(member))[0]
    except (TranscriptError, ValueError, RecursionError):
        return None


def _rows(document: Document, channel: _Channel) -> list[Any]:
    if document.members is None or channel.member is None:
        return items_of(document.value)
    text = document.members.text(channel.member)
    place = f"{document.source}: {channel.member}" if document.source else channel.member
    if channel.member.lower().endswith(".csv"):
        csv.field_size_limit(max(csv.field_size_limit(), len(text)))
        try:
            return list(csv.DictReader(io.StringIO(text, newline="")))
        except csv.Error as error:
            raise TranscriptError(f"not a table ({error})", source=place) from error
    try:
        return items_of(parse_json(text)[0])
    except (ValueError, RecursionError) as error:
        raise TranscriptError(f"not a list of messages in JSON ({error})", source=place) from error


def _files(item: dict[str, Any]) -> list[str]:
    addresses = as_text(item.get("Attachments")).split()
    return [file_label(address.split("?")[0].rsplit("/", 1)[-1]) for address in addresses]
