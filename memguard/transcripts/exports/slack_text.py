"""The text of a Slack message as Slack shows it: names in place of ids, links with their labels."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from memguard.message_form import Notes
from memguard.transcripts.labels import file_label, reactions_line
from memguard.transcripts.values import fields_of, objects_of, text_of, title_of

_MARKUP = re.compile(r"<([^<>\n]{1,4000})>")
_BLOCK_LEVELS = 12
_SLACKBOT = "USLACKBOT"
_OF_TEXT = frozenset({"rich_text", "call", "file", "image", "video", "actions", "divider", ""})
"""Blocks that say what the text says, or nothing."""
_SHOWN_FILES = frozenset({"snippet", "post", "email", "space"})
"""Files whose beginning stands in the channel."""


@dataclass(slots=True)
class Names:
    """Names by id.

    Attributes:
        people: Display names of users.
        channels: Names of channels.
        direct: Titles of direct messages, by id of the conversation.
        unknown: Ids that were asked for and have no name.
    """

    people: dict[str, str] = field(default_factory=dict)
    channels: dict[str, str] = field(default_factory=dict)
    direct: dict[str, str] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)

    @classmethod
    def of_rows(cls, users: Iterable[dict[str, Any]], channels: Iterable[dict[str, Any]]) -> Names:
        """Read the objects of ``users.json`` and of the lists of channels and direct messages."""
        names = cls({_SLACKBOT: "Slackbot"})
        for row in users:
            name = (
                names.of_profile(row.get("profile"))
                or title_of(row.get("real_name"))
                or title_of(row.get("name"))
            )
            if name and text_of(row.get("id")):
                names.people[text_of(row["id"])] = name
        for row in channels:
            key, name = text_of(row.get("id")), title_of(row.get("name"))
            if name and key:
                names.channels[key] = name
            members = row.get("members")
            if key and isinstance(members, list) and (not name or name.startswith("mpdm-")):
                people = [names.people.get(text_of(m), text_of(m)) for m in members[:20]]
                names.direct[name or key] = "direct messages: " + ", ".join(filter(None, people))
        return names

    def learn(self, user: Any, profile: Any) -> None:
        """Take the name of a person from a profile beside a message, where the list of users has none."""
        name = self.of_profile(profile)
        if name and text_of(user):
            self.people.setdefault(text_of(user), name)

    def of(self, user: str, otherwise: str | None = None) -> str:
        """Return the name of a person; without one, ``otherwise`` or the id, which is remembered."""
        name = self.people.get(user) or otherwise
        if name is None:
            self.unknown.add(user)
        return name or user

    def of_profile(self, profile: Any) -> str | None:
        """Return the name in a profile, as Slack shows it: the display name, else the real one."""
        found = fields_of(profile)
        return next((n for k in ("display_name", "real_name", "name") if (n := title_of(found.get(k)))), None)


def content_of(row: dict[str, Any], names: Names, notes: Notes, place: str) -> str:
    """Return what a message says: its text or blocks, its attachments, its files, and the reactions to it."""
    text = shown(text_of(row.get("text")), names)
    blocks = objects_of(row.get("blocks"))
    # Beside blocks of an app the text is only what a notification shows of them.
    if not text.strip() or any(text_of(block.get("type")) not in _OF_TEXT for block in blocks):
        text = "\n".join(filter(None, (_block(block, names, 0) for block in blocks))) or text
    attachments = objects_of(row.get("attachments"))
    pieces = [text, *(_attachment(item, names) for item in attachments if not _is_preview(item))]
    if not any(piece.strip() for piece in pieces):
        pieces = [_attachment(item, names) for item in attachments]
    for item in objects_of(row.get("files")) or ([row["file"]] if isinstance(row.get("file"), dict) else []):
        picture = text_of(item.get("mimetype")).startswith("image/")
        name = title_of(item.get("name")) or title_of(item.get("title"))
        pieces.append("[image]" if picture else file_label(name))
        if text_of(item.get("mode")) in _SHOWN_FILES:
            pieces.append(text_of(item.get("preview")) or text_of(item.get("preview_plain_text")))
    pieces.append(_reactions(row, names) if any(piece.strip() for piece in pieces) else "")
    content = "\n".join(piece for piece in pieces if piece.strip())
    if not content and (attachments or row.get("blocks")):
        notes.add("its attachments or blocks hold no text that can be read; it was left out", place)
    return content


def _is_preview(attachment: dict[str, Any]) -> bool:
    """Return whether an attachment shows a page that the text links to, and nothing that was sent."""
    if _is_shared(attachment):
        return False
    return bool(text_of(attachment.get("from_url")) or text_of(attachment.get("original_url")))


def _is_shared(attachment: dict[str, Any]) -> bool:
    return attachment.get("is_share") is True or attachment.get("is_msg_unfurl") is True


def _reactions(row: dict[str, Any], names: Names) -> str:
    found: dict[str, list[str]] = {}
    for reaction in objects_of(row.get("reactions")):
        sign, users = text_of(reaction.get("name")), reaction.get("users")
        people = [text_of(user) for user in users] if isinstance(users, list) else []
        found[f":{sign}:" if sign else ""] = [names.of(user) for user in people if user]
    return reactions_line(found)


def shown(text: str, names: Names) -> str:
    """Return text with its markup resolved: ``<@U2>`` is ``@Tom``, ``<https://a|b>`` is ``b https://a``."""
    return html.unescape(_MARKUP.sub(lambda match: _resolved(match[1], names), text))


def _resolved(inner: str, names: Names) -> str:
    target, bar, label = inner.partition("|")
    label = label.strip()
    if target.startswith("@"):
        return "@" + names.of(target[1:], label.removeprefix("@") or None)
    if target.startswith("#"):
        return "#" + (label or names.channels.get(target[1:], target[1:]))
    if target.startswith("!"):
        return _special(target[1:], label)
    address = target.removeprefix("mailto:")
    bare = address.removeprefix("https://").removeprefix("http://").rstrip("/")
    if not bar or not label or label.rstrip("/") in (address.rstrip("/"), bare):
        return address if "://" in target or target.startswith("mailto:") else f"&lt;{inner}&gt;"
    return f"{label} {address}"


def _special(command: str, label: str) -> str:
    kind = command.partition("^")[0]
    if kind == "date":
        return label or command
    if kind == "subteam":
        return "@" + (label.removeprefix("@") or command.partition("^")[2])
    return "@" + (label.removeprefix("@") or kind)


def _attachment(item: dict[str, Any], names: Names) -> str:
    fields = [
        ": ".join(filter(None, (text_of(f.get("title")), text_of(f.get("value")))))
        for f in objects_of(item.get("fields"))
    ]
    author = title_of(item.get("author_name"))
    head = f"[message of {author}]" if author and _is_shared(item) else author or ""
    own = (text_of(item.get(key)) for key in ("title", "text"))
    pieces = [text_of(item.get("pretext")), head, *own, *fields]
    told = [shown(piece, names) for piece in pieces if piece.strip()]
    if not told:
        told = [_block(block, names, 0) for block in objects_of(item.get("blocks"))]
    return "\n".join(filter(None, told)) or shown(text_of(item.get("fallback")), names)


def _block(block: dict[str, Any], names: Names, level: int) -> str:
    """Return the text of a block of the newer kind, whose elements lie inside one another."""
    kind = text_of(block.get("type"))
    if kind == "user":
        return "@" + names.of(text_of(block.get("user_id")))
    if kind == "channel":
        key = text_of(block.get("channel_id"))
        return "#" + names.channels.get(key, key)
    if kind == "broadcast":
        return "@" + text_of(block.get("range"))
    if kind == "emoji":
        return f":{text_of(block.get('name'))}:"
    if kind == "link":
        label, address = text_of(block.get("text")), text_of(block.get("url"))
        return f"{label} {address}".strip()
    inner = block.get("text")
    if isinstance(inner, str):
        return text_of(inner) if kind == "text" else shown(text_of(inner), names)
    if isinstance(inner, dict) and level < _BLOCK_LEVELS:
        return _block(inner, names, level + 1)
    if level >= _BLOCK_LEVELS:
        return ""
    elements = objects_of(block.get("elements")) or objects_of(block.get("fields"))
    gap = "\n" if kind in ("rich_text", "rich_text_list", "section") else ""
    return gap.join(_block(element, names, level + 1) for element in elements)
