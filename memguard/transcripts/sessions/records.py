"""Records of a session: what its lines hold, and what of it was not said by anybody."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from memguard.message_form import Notes
from memguard.transcripts.apis.turns import lines
from memguard.transcripts.document import MISSING, Document
from memguard.transcripts.values import items_of

_SHOWN = 8
_MOST_UNCLOSED = 20
_TAG = re.compile(r"\s*<([A-Za-z][\w-]*)(?:\s[^<>]*)?>")


def placed_records(document: Document, notes: Notes) -> tuple[list[tuple[str, dict[str, Any]]], int]:
    """Return the objects of a session with their places, and how many lines hold none.

    JSONL as it is written, or the same objects in a JSON list.
    """
    value = document.value
    if value is MISSING or isinstance(value, dict):
        records, skipped = lines(document, notes)
        return [(f"line {record.line}", record.value) for record in records], skipped
    placed = []
    for index, item in enumerate(items_of(value)):
        if isinstance(item, dict):
            placed.append((f"record {index}", item))
        else:
            notes.add("this is no record, which is an object; it was left out", f"record {index}")
    return placed, 0


def note_passed_over(kinds: Iterable[str], notes: Notes) -> None:
    """Say how many records hold no message, by their kinds."""
    counts = Counter(kinds)
    if counts:
        told = ", ".join(f"{kind[:40]} {count}" for kind, count in counts.most_common(_SHOWN))
        more = f" and {len(counts) - _SHOWN} more kinds" if len(counts) > _SHOWN else ""
        notes.add(f"records without a message that were passed over: {told}{more}")


def wrapping_tag(text: str) -> str | None:
    """Return the name of the tag that wraps the whole text, if one does.

    Agents write what they themselves add to a conversation in tags of their own.
    """
    found = _TAG.match(text)
    return found[1] if found and text.rstrip().endswith(f"</{found[1]}>") else None


def tagged(text: str, opening: re.Pattern[str]) -> list[tuple[str, str]]:
    """Return the names of tags and what they hold, in order; a tag that is never closed is none.

    Args:
        text: The text.
        opening: Matches the beginning of a tag, with its name as the first group.
    """
    found: list[tuple[str, str]] = []
    unclosed: set[str] = set()
    match = opening.search(text)
    while match is not None and len(unclosed) < _MOST_UNCLOSED:
        name, start = match[1], match.end()
        end = text.find(f"</{name}>", start) if name not in unclosed else -1
        if end < 0:
            unclosed.add(name)
        else:
            found.append((name, text[start:end]))
            start = end
        match = opening.search(text, start)
    return found
