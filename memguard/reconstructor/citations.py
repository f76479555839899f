"""Where a line comes from, in full or as short as it can be understood."""

from __future__ import annotations

import contextlib
import re
from calendar import month_name
from collections.abc import Sequence
from datetime import UTC, date, datetime
from functools import cached_property

from memguard.grounding.claims.wording import on_one_line
from memguard.messages import Conversation, Message

_LONGEST_ID = 8
"""A longer id, such as a UUID, is cited by the message's place: ``#12``."""
_SPOKEN = re.compile(
    r"\b(?:I|I['’](?:m|ve|ll|d)|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself|[Ww]e|[Ww]e['’](?:re|ve|ll|d)|[Oo]ur|[Oo]urs|us)\b"
)
_RELATIVE = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|now|currently|this (?:week|month|year|morning|afternoon|evening)"
    r"|(?:next|last) \w+|\w+ ago|in (?:a|an|\w+) (?:minutes?|hours?|days?|weeks?|months?)|so far|recently"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b",
    re.IGNORECASE,
)
_TITLE = re.compile(r"(?:dr|mr|mrs|ms|miss|prof|professor|sir|nurse)\.?\Z", re.IGNORECASE)


def cite(message: Message) -> str:
    """Return a citation in full, such as ``m4, Lena, 2026-03-02 09:40`` (times in UTC)."""
    parts = [plain(message.id), plain(message.speaker_name)]
    if message.timestamp is not None:
        parts.append(_utc(message.timestamp).isoformat(sep=" ", timespec="minutes")[:16])
    return ", ".join(parts)


def plain(text: str) -> str:
    """Return text on one line without what could end a citation."""
    return on_one_line(re.sub(r"[\[\];]", " ", text))


class ShortCitations:
    """Citations of one conversation by the message's id, with no more beside it than a line needs.

    The speaker where the line says "I" or "we" and another one was named last, the day where it speaks of
    tomorrow or Monday and the conversation runs over several.
    """

    def __init__(self, conversation: Conversation) -> None:
        """Look up how the messages of a conversation can be named."""
        self._conversation = conversation
        self._numbers = {message.id: n for n, message in enumerate(conversation.messages, start=1)}
        self._by_id = all(len(id) <= _LONGEST_ID for id in self._numbers)

    @property
    def is_by_id(self) -> bool:
        """Whether messages are cited by their id and not by their place."""
        return self._by_id

    @cached_property
    def day(self) -> str:
        """The one day on which all was said, such as ``2 March 2026``; empty where there is none."""
        return _spelt(self._days[0], with_year=True) if len(self._days) == 1 else ""

    def speaker_of(self, message_ids: Sequence[str], text: str) -> str:
        """Return whose "I" or "we" a line says; empty where it says neither."""
        if len(message_ids) > 1 or not _SPOKEN.search(text):
            return ""
        return self._speakers[self._conversation.message(message_ids[0]).speaker_name]

    def of(self, message_ids: Sequence[str], text: str, before: str = "") -> str:
        """Return what stands before a line, such as ``m4 Lena, 2 March``.

        Args:
            message_ids: Where it comes from, the message that says it first.
            text: What the line says.
            before: Who was named last: a name holds until another one stands.
        """
        message = self._conversation.message(message_ids[0])
        cited = ", ".join(self._name(id) for id in message_ids)
        speaker = self.speaker_of(message_ids, text)
        if speaker and speaker != before:
            cited += f" {speaker}"
        if message.timestamp is not None and len(self._days) > 1 and _RELATIVE.search(text):
            cited += f", {self._day_of(message.timestamp)}"
        return cited

    def _name(self, id: str) -> str:
        return _sourced(id) if self._by_id else f"#{self._numbers[id]}"

    @cached_property
    def _days(self) -> list[date]:
        moments = [m.timestamp for m in self._conversation.messages]
        if not moments or any(moment is None for moment in moments):
            return []
        return sorted({_utc(moment).date() for moment in moments if moment is not None})

    def _day_of(self, moment: datetime) -> str:
        return _spelt(_utc(moment).date(), with_year=self._days[0].year != self._days[-1].year)

    @cached_property
    def _speakers(self) -> dict[str, str]:
        """The shortest name of each speaker that is no other's: ``Lena``, ``Dr Okoye``."""
        names = list(dict.fromkeys(m.speaker_name for m in self._conversation.messages))
        short = {name: _short(name) for name in names}
        taken = list(short.values())
        return {n: _sourced(s if taken.count(s) == 1 else n) for n, s in short.items()}


def _short(name: str) -> str:
    words = name.split()
    if not words:
        return name
    return f"{words[0]} {words[-1]}" if _TITLE.match(words[0]) and len(words) > 1 else words[0]


def _sourced(text: str) -> str:
    return on_one_line(re.sub(r"[:,]", " ", plain(text))).lstrip("- ") or "?"


def _spelt(day: date, *, with_year: bool) -> str:
    # Not by strftime, which follows the locale.
    return f"{day.day} {month_name[day.month]}" + (f" {day.year}" if with_year else "")


def _utc(moment: datetime) -> datetime:
    with contextlib.suppress(OverflowError):  # in the first and the last hours of the calendar: as given
        return moment.astimezone(UTC)
    return moment
