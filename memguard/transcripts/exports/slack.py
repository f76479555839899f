"""Slack's export: a ZIP of one folder a channel, or one channel's JSON, with or without its users.

Every message stands at its own time, replies in threads too. Ids of people and channels become the
names that Slack shows (``slack_text.py``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memguard.errors import TranscriptError
from memguard.message_form import Notes
from memguard.text import well_formed
from memguard.transcripts.archives import Archive
from memguard.transcripts.document import ConversationHead, Document, Reading, choose
from memguard.transcripts.exports.listed import counted
from memguard.transcripts.exports.slack_text import Names, content_of
from memguard.transcripts.messages_json import to_conversation
from memguard.transcripts.values import fields_of, moment_of, objects_of, text_of, title_of

_RULE = "by timestamp; a reply in a thread stands at its own time"
_SPOKEN = frozenset(
    {"", "bot_message", "me_message", "thread_broadcast", "file_share", "file_comment", "slackbot_response",
     "reply_broadcast", "assistant_app_thread"}
)  # fmt: skip
"""Subtypes in which somebody says something; every other one is Slack's own note."""
_GONE = "This message was deleted."
_TRIED = 40


class SlackExport:
    """A ZIP with ``channel/day.json`` files, a list of messages, or ``{"users", "messages"}``."""

    name = "slack"

    def recognises(self, document: Document) -> float:
        """Return 0.9 where messages have Slack's type and its ``ts``."""
        if document.members is not None:
            return 0.9 if _is_export(document) else 0.0
        return 0.9 if _is_day(_messages(document.value)) else 0.0

    def conversations(self, document: Document) -> tuple[ConversationHead, ...]:
        """Return the channels; how many messages each holds is not counted in an archive."""
        if document.members is None:
            rows = _messages(document.value)
            times = [t for row in rows if (t := moment_of(_seconds(fields_of(row).get("ts")))) is not None]
            title = title_of(fields_of(document.value).get("channel"))
            ends = (min(times, default=None), max(times, default=None))
            return (ConversationHead("1", title, len(rows), *ends, "the file"),)
        names = _names(document)
        heads = []
        for folder, files in _folders(document.members).items():
            days = [day for file in files if (day := moment_of(_stem(file))) is not None]
            channel = folder.rsplit("/", 1)[-1]
            title = names.direct.get(channel) or f"#{channel}"
            ends = (min(days, default=None), max(days, default=None))
            heads.append(ConversationHead(well_formed(channel), title, None, *ends, f"folder {folder}"))
        return tuple(heads)

    def read(self, document: Document, conversation: str | None = None) -> Reading:
        """Read one channel."""
        heads = self.conversations(document)
        index = choose(heads, conversation, document.source)
        names = _names(document)
        notes = Notes()
        rows: list[tuple[Any, str]] = []
        if document.members is None:
            rows = [(row, f"message {i}") for i, row in enumerate(_messages(document.value), start=1)]
        else:
            folder = list(_folders(document.members))[index]
            for file in _folders(document.members)[folder]:
                value = _member(document, file)
                if not isinstance(value, list):
                    notes.add(
                        "not a list of messages; it was left out", file, "a file that is no list of messages"
                    )
                    continue
                rows += [(row, f"{file}, message {i}") for i, row in enumerate(value, start=1)]
        for row, _ in rows:
            names.learn(fields_of(row).get("user"), fields_of(row).get("user_profile"))
        reading = _read(rows, names, notes, document.source, heads[index].title)
        return replace(reading, n_conversations=len(heads))


@dataclass(slots=True)
class _Channel:
    """The messages of a channel as they stand after its events."""

    rows: dict[tuple[str, str], tuple[dict[str, Any], str]] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    edited: int = 0
    repeated: int = 0


def _read(
    rows: Sequence[tuple[Any, str]], names: Names, notes: Notes, source: str | None, title: str | None
) -> Reading:
    channel = _standing(rows, notes)
    starts = {text_of(row.get("ts")) for row, _ in channel.rows.values()}
    messages, origins = [], []
    for row, place in channel.rows.values():
        content = content_of(row, names, notes, place)
        if not content:
            channel.left_out["empty messages"] += 1
            continue
        thread = text_of(row.get("thread_ts"))
        if thread and thread not in starts:
            notes.add("it answers a message that is not in the file", place)
        speaker, role = _speaker(row, names)
        ts = row.get("ts")
        seconds = _seconds(ts)
        messages.append(
            {
                "id": text_of(ts) or None,
                "role": role,
                "speaker": speaker,
                "timestamp": seconds if seconds is not None else text_of(ts) or None,
                "content": content,
            }
        )
        origins.append(place)
    if names.unknown:
        told = ", ".join(sorted(names.unknown)[:3])
        notes.add(
            f"{len(names.unknown)} people are not among the users of the file and keep their id: {told}"
        )
    conversation = to_conversation(
        messages, source=source, title=title, origins=origins, warnings=notes.texts()
    )
    rule = _RULE
    if channel.edited:
        rule += f"; of {channel.edited} edited messages the last wording"
    return Reading(
        conversation,
        SlackExport.name,
        rule=counted(rule, channel.left_out),
        duplicates_dropped=channel.repeated,
    )


def _standing(rows: Sequence[tuple[Any, str]], notes: Notes) -> _Channel:
    """Apply edits and deletions, and drop what the export holds twice."""
    channel = _Channel()
    changed: dict[str, dict[str, Any]] = {}
    deleted: set[str] = set()
    for row, place in rows:
        if not isinstance(row, dict):
            notes.add("not an object; it was left out", place)
            continue
        subtype = text_of(row.get("subtype"))
        if subtype == "message_changed":
            inner = fields_of(row.get("message"))
            changed[text_of(inner.get("ts"))] = inner
            continue
        if subtype == "message_deleted":
            deleted.add(text_of(row.get("deleted_ts")))
            continue
        if subtype == "tombstone" or (row.get("hidden") is True and text_of(row.get("text")) == _GONE):
            channel.left_out["deleted messages"] += 1
            continue
        stamp = text_of(row.get("ts"))
        key = (stamp, text_of(row.get("user")) or text_of(row.get("bot_id"))) if stamp else ("", place)
        if key in channel.rows:
            channel.repeated += 1
        else:
            channel.rows[key] = (row, place)
    for key, (row, place) in list(channel.rows.items()):
        if key[0] in deleted and key[0]:
            channel.left_out["deleted messages"] += 1
            del channel.rows[key]
        elif key[0] and key[0] in changed:
            channel.edited += 1
            channel.rows[key] = ({**row, **changed[key[0]], "ts": row.get("ts")}, place)
        elif isinstance(row.get("edited"), dict):
            channel.edited += 1
    return channel


def _speaker(row: dict[str, Any], names: Names) -> tuple[str | None, str]:
    subtype = text_of(row.get("subtype"))
    user = text_of(row.get("user"))
    bot = text_of(row.get("username")) or text_of(fields_of(row.get("bot_profile")).get("name"))
    if subtype == "bot_message" or (row.get("bot_id") and not user):
        return bot or (names.of(user) if user else text_of(row.get("bot_id")) or None), "assistant"
    if subtype not in _SPOKEN:
        return None, "system"
    profile = names.of_profile(row.get("user_profile"))
    if user:
        name = names.of(user, profile or bot or None)
        return name, "assistant" if user == "USLACKBOT" or row.get("bot_id") else "user"
    return bot or profile or None, "user"


def _messages(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    for key in ("messages", "data"):
        inner = fields_of(value).get(key)
        if isinstance(inner, list):
            return inner
    return []


def _is_day(rows: Sequence[Any]) -> bool:
    looked_at = rows[:20]
    found = sum(map(_is_message, looked_at))
    return found > 0 and 2 * found >= len(looked_at)


def _is_message(row: Any) -> bool:
    fields = fields_of(row)
    return (
        fields.get("type") == "message"
        and _seconds(fields.get("ts")) is not None
        and not {"user", "bot_id", "subtype", "username", "text"}.isdisjoint(fields)
    )


def _seconds(ts: Any) -> float | None:
    """Return the time of ``1767603600.000100``; None if it is none."""
    text = text_of(ts)
    if not text or not text.isascii() or len(text) > 24:
        return None
    whole, _, part = text.partition(".")
    return float(text) if whole.isdigit() and (not part or part.isdigit()) else None


def _stem(name: str) -> str:
    return name.rsplit("/", 1)[-1].rpartition(".")[0]


def _folders(archive: Archive) -> dict[str, list[str]]:
    """Return the JSON files of each folder that holds days, both in order of name."""
    found: dict[str, list[str]] = {}
    for name in archive.names():
        folder, slash, file = name.rpartition("/")
        if slash and file.lower().endswith(".json") and moment_of(_stem(name)) is not None:
            found.setdefault(folder, []).append(name)
    return {folder: sorted(found[folder]) for folder in sorted(found)}


def _is_export(document: Document) -> bool:
    archive = document.members
    if archive is None:
        return False
    tried = 0
    for files in _folders(archive).values():
        for file in files[:2]:
            tried += 1
            if tried > _TRIED:
                return False
            try:
                value = _member(document, file)
            except TranscriptError:
                continue
            if isinstance(value, list) and _is_day(value):
                return True
    return False


def _member(document: Document, name: str) -> Any:
    """Return a file of the archive as JSON.

    Raises:
        TranscriptError: It is not JSON; names the file.
    """
    archive = document.members
    if archive is None:
        raise TranscriptError("not an archive", source=document.source)
    inner = Document(archive.text(name), archive.place(name), limits=document.limits)
    if inner.json_error is not None:
        raise inner.json_error
    return inner.value


def _names(document: Document) -> Names:
    """Return the names of people, channels and direct messages, wherever the file has them."""
    archive = document.members
    if archive is None:
        value = fields_of(document.value)
        return Names.of_rows(objects_of(value.get("users")), objects_of(value.get("channels")))
    folders = _folders(archive)
    roots = {folder.rpartition("/")[0] for folder in folders}
    users: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []
    for name in archive.names():
        if name.rpartition("/")[0] in roots and name.lower().endswith(".json"):
            try:
                rows = objects_of(_member(document, name))
            except TranscriptError:
                continue  # what is needed of it then keeps its id, with a warning
            are_people = any("profile" in row or "real_name" in row for row in rows[:20])
            (users if are_people else channels).extend(rows)
    return Names.of_rows(users, channels)
